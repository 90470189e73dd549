"""The passage that a draft begins with is what the browser copies: capture_cases.json drives tests/browser too."""

import pytest

from annotation.evidence.article_text import text_and_parts
from annotation.evidence.headstart import columns_at_start
from tests.annotation.captured_cases import CASES, sighting_of
from wikifetch.shownarticle import shown_article


@pytest.mark.django_db
@pytest.mark.parametrize("case", CASES)
def test_a_draft_begins_with_what_is_copied_of_the_marked_passage(case):
    wikitext, html, text, kind = CASES[case]
    sighting = sighting_of(wikitext, html)
    columns = columns_at_start(sighting)
    assert (columns["passage_1_copied"], columns["modality_1"]) == (text, kind)
    article = text_and_parts(shown_article(sighting.revision, sighting).html)
    (piece,) = columns["provenance"]["1"]
    assert (piece["text"], piece["sha256"]) == (text, article.sha256)
    assert article.allows(piece["start"], piece["end"], text)
