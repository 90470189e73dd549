"""What a draft begins with, and how often that is right."""

import json
from collections import Counter

import pytest

from annotation.evidence.copying import marked_pieces
from annotation.evidence.headstart import columns_at_start
from annotation.evidence.provenance import Captured
from annotation.fields.matching import folded_words
from annotation.fields.steps import PASSAGE
from annotation.models import Annotation
from annotation.workflow import saving, submitting
from tests.annotation import factories as make
from tests.annotation.captured_cases import sighting_of
from wikifetch.wikitext import find_tags

TEXT = "The mill was built in 1801. It is square."


def begun(by, **sighted):
    make.tag(**sighted)
    return make.draft(by, within=make.campaign(tags=0))


@pytest.mark.django_db
def test_a_draft_begins_with_the_block_marked_as_filled(alice):
    draft = begun(alice)
    assert (draft.article_1, draft.passage_1_copied, draft.modality_1, draft.passage_1_standalone) == (
        "Kettle Mill", TEXT, "text", TEXT,
    )  # fmt: skip
    assert draft.filled == [
        "article_1",
        "passage_1_copied",
        "modality_1",
        "passage_1_standalone",
        "article_2",
    ]
    assert draft.touched == []
    assert (draft.validity, draft.same_passage, draft.confidence, draft.taxonomy) == (
        "",
        "",
        None,
        [],
    )
    (piece,) = draft.provenance["1"]
    start, end = piece["wikitext"]
    revision = draft.sighting.revision
    assert revision.wikitext[start:end] == draft.sighting.block
    assert (piece["revid"], piece["section"], piece["text"]) == (revision.revid, "History", TEXT)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "wikitext",
    [
        "It is square.\n\n== Age ==\n{{Contradict|section}}\nBuilt in 1801.",
        "{{Inconsistent}}",
        "Long. " * (PASSAGE // 5) + "{{Inconsistent}}",
        "{|\n! " + "Long. " * (PASSAGE // 5) + "!! A\n|-\n| 1801{{Inconsistent}} || 1\n|}",
    ],
    ids=["a banner", "a tag alone", "more than a passage may have", "a row with long names"],
)
def test_no_passage_is_filled_in_of_a_banner_of_nothing_and_of_too_much(alice, wikitext):
    (tag,) = find_tags(wikitext).tags
    sighting_of(wikitext, raw=tag.raw)
    draft = make.draft(alice, within=make.campaign(tags=0))
    assert (draft.passage_1_copied, draft.modality_1, draft.provenance) == ("", "", {})
    assert draft.filled == ["article_1", "article_2"]


@pytest.mark.django_db
def test_of_units_that_are_not_together_each_has_a_piece(alice):
    html = '<p>One.</p><p class="tagged">Built in 1801. It is square.</p><p>Two.</p><ol><li class="tagged">A.</li></ol>'
    pieces = [(each.text, each.start, each.end) for each in marked_pieces(html, PASSAGE)]
    assert pieces == [("Built in 1801. It is square.", 4, 32), ("A.", 36, 38)]
    assert marked_pieces(html, 29) == []


@pytest.mark.django_db
def test_an_untouched_copy_is_absent_when_handed_in_and_what_was_left_is_named(alice):
    draft = begun(alice)
    mine = ("article_1", "passage_1_copied", "modality_1", "passage_1_standalone", "article_2")
    kept = {name: getattr(draft, name) for name in mine}
    entries = make.whole(**kept)
    given = {"annotation_id": draft.pk, "by": alice, "version": 0, "entries": entries}
    checked = frozenset(finding.key for finding in submitting.findings_on(draft, entries))
    result = make.submit(**given, checked=checked, captured=Captured(filled=list(mine)))
    assert result.taken, result.findings
    handed_in = Annotation.objects.get()
    assert handed_in.passage_1_standalone == ""
    assert handed_in.filled == ["article_1", "passage_1_copied", "modality_1", "article_2"]
    assert not set(handed_in.filled) & set(handed_in.touched)
    assert make.submit(**given, checked=checked).repeated


@pytest.mark.django_db
def test_a_save_of_a_changed_field_touches_it_and_no_other(alice):
    draft = begun(alice)
    saved = make.save_draft(
        annotation_id=draft.pk, by=alice, version=0, changes={"passage_1_copied": "It is square."}
    )
    assert "passage_1_copied" not in saved.filled
    assert saved.touched == ["passage_1_copied"]
    assert "article_1" in saved.filled


@pytest.mark.django_db
def test_a_confirmed_field_is_touched_though_it_says_the_same(alice):
    draft = begun(alice)
    changes = saving.entries_of(draft)
    captured = Captured(filled=[name for name in draft.filled if name != "modality_1"])
    saved = make.save_draft(
        annotation_id=draft.pk, by=alice, version=0, changes=changes, captured=captured
    )
    assert (saved.touched, "modality_1" in saved.filled) == (["modality_1"], False)
    assert saved.version == 1


# ---------------------------------------------------------------- how often it is right

NEARLY = 0.7  # of the words of one are in the other


def overlap(first, second):
    """The share of the shorter one's words that the longer one has."""
    shared = sum((Counter(first) & Counter(second)).values())
    return shared / min(len(first), len(second)) if first and second else 0


@pytest.mark.django_db
def test_the_block_is_nearly_the_first_passage_in_most_published_annotations(study_data, capsys):
    records = json.loads(
        (study_data / "wikicontradict" / "wikicontradict.json").read_text(encoding="utf-8")
    )
    counts: Counter[str] = Counter()
    for record in records:
        sighting = sighting_of(record["paragraph_A"], raw="{{" + record["tag"] + "}}")
        passage = folded_words(record["annotationResult"]["paragraphA_information"])
        kind = "banner" if sighting.scope else "inline"
        filled = columns_at_start(sighting).get("passage_1_copied", "")
        begins = filled or (sighting.block_text if sighting.scope else "")
        is_right = overlap(folded_words(begins), passage) >= NEARLY
        counts[kind] += 1
        counts[f"{kind} right"] += is_right
        counts["filled"] += bool(filled)
        counts["filled right"] += is_right and bool(filled)
    with capsys.disabled():
        print("\nThe block is passage 1, or nearly:", dict(counts))
    assert sum(counts[kind] for kind in ("inline", "banner")) == 130
    assert counts["inline right"] + counts["banner right"] >= 95
    assert counts["filled right"] >= 0.8 * counts["filled"]
