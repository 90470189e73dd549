"""Words of a passage as copied that its stored article does not have: what is named, when, and to whom."""

import json
from collections import Counter

import pytest
from django.urls import reverse

from annotation.evidence.copied_words import strange_words, words_to_copy
from annotation.evidence.copying import marked_pieces
from annotation.fields.matching import folded_words
from annotation.models import Annotation
from annotation.reviewing.combining import Merge, made_of
from annotation.reviewing.merging import FieldSources
from annotation.workflow.submitting import findings_on
from tests.annotation import factories as make
from tests.annotation.captured_cases import CASES, sighting_of
from tests.annotation.test_headstart import NEARLY, overlap
from tests.factories import signed_in
from wikifetch.article_html import wikitext_html
from wikifetch.models import Article
from wikifetch.shownarticle import shown_article
from wikifetch.source.dump import read_dump

HTML = (
    '<p>It opened in <b>1</b>974,<sup class="reference">[12]</sup> 10<sup>3</sup> m, H<sub>2</sub>O – “old” Über&nbsp;'
    'Alles<span class="wiki-tag">[inconsistent]</span></p>'
    "<table><tr><th>Length</th><td>1,350 m</td></tr><tr><td>U2</td></tr></table>"
    "<p>東京大学は1877年に設立された。</p>"
)
WIKITEXT = (
    "It opened in '''1'''974 {{inconsistent|date=May 2021|reason=Which year?}} {{convert|443|ft}}."
)


@pytest.mark.parametrize(
    ("passage", "strange"),
    [
        ("it opened in 1974, 10^3 m", []),
        ("It … opened [...] in 1974.[3][citation needed] 103 m", []),
        ('H2O - "old"  Über\nAlles', []),
        ("Length: 1350 m | Length: U2", []),
        ("It opened in 1974{{inconsistent|date=May 2021|reason=Which year?}} 443 ft", []),
        ("大学は1877年", []),
        ("It closed in 1947, in the year 12.", ["closed", "1947", "the", "12"]),
        ("It was opened, it was.", ["was"]),
        ("Sie wurde 1974 eröffnet.", ["Sie", "wurde", "eröffnet"]),
        ("京都大学は1877年", ["京都大学は1877年"]),
        ("", []),
    ],
)
def test_words_that_the_article_does_not_have_are_named(passage, strange):
    assert strange_words(passage, words_to_copy(HTML, WIKITEXT)) == strange


@pytest.mark.django_db
def test_whatever_can_be_copied_is_in_the_article():
    """Rows with the names of their columns, powers, captions, the wiki's own HTML."""
    for name, (wikitext, html, text, _) in CASES.items():
        revision = sighting_of(wikitext, html).revision
        known = words_to_copy(shown_article(revision).html, wikitext)
        assert strange_words(text, known) == [], name


@pytest.mark.long
def test_no_unit_of_a_real_article_has_a_word_that_it_does_not_have(study_file):
    pages = read_dump(study_file("wikitext/enwiki_sample.xml.bz2")).pages
    texts = [revision.text for page in pages for revision in page.revisions]
    units = 0
    for text in texts[::8]:
        html = wikitext_html(text)
        known = words_to_copy(html, "")
        for element in ("p", "li", "tr"):
            opened = html.replace(f"<{element}>", f'<{element} class="tagged">')
            for piece in marked_pieces(opened, 2_000_000):
                units += 1
                assert strange_words(piece.text, known) == [], piece
    assert units > 300


@pytest.mark.django_db
def test_few_published_passages_have_words_that_their_paragraph_does_not_have(study_data, capsys):
    """Of those whose passage 1 was copied from the tagged paragraph, which is all that there is of their articles."""
    path = study_data / "wikicontradict" / "wikicontradict.json"
    counts: Counter[str] = Counter()
    for record in json.loads(path.read_text(encoding="utf-8")):
        passage = record["annotationResult"]["paragraphA_information"]
        revision = sighting_of(record["paragraph_A"], raw="{{" + record["tag"] + "}}").revision
        known = words_to_copy(shown_article(revision).html, revision.wikitext)
        if overlap(known.split("\n"), folded_words(passage)) >= NEARLY:
            counts["copied"] += 1
            counts["warned"] += bool(strange_words(passage, known))
    with capsys.disabled():
        print("\nPassages with words that their paragraph does not have:", dict(counts))
    assert counts["copied"] > 60
    assert counts["warned"] <= counts["copied"] / 5


TRANSLATED = "Die Mühle, 1820 fertig, has 1,195 panes."
KEY = "not_in_article:passage_2_copied"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({}, ""),
        ({"passage_2_copied": TRANSLATED}, "“Die”, “Mühle”, “fertig”. Did"),
        ({"passage_2_copied": "a b c d e f g h i j"}, "“a”, “b”, “c”, “d”, “e”, “f”, “g”, “h” and 2 more"),
        ({"passage_2_copied": TRANSLATED, "article_2": "kettle_Mill"}, "“Die”"),
        ({"passage_2_copied": TRANSLATED, "article_2": "Mill that is not stored"}, ""),
        ({"passage_2_copied": TRANSLATED, "validity": "Invalid"}, ""),
        ({"passage_2_standalone": TRANSLATED, "span_2": "fertig"}, ""),
    ],
)  # fmt: skip
def test_only_a_copied_passage_of_a_stored_article_is_compared(changes, named):
    draft = make.draft(make.annotator(), within=make.campaign())
    found = [f for f in findings_on(draft, make.whole(**changes)) if f.code == "not_in_article"]
    assert [f.key for f in found] == ([KEY] if named else [])
    assert all(named in finding.message for finding in found)


@pytest.mark.django_db
def test_a_passage_of_another_article_is_compared_with_that_one():
    make.tag(title="Watermill", other_article="Kettle Mill")
    make.tag()
    draft = make.draft(make.annotator(), within=make.campaign(tags=0))
    assert draft.sighting.revision.article.title == "Watermill"
    Article.objects.filter(title="Watermill").update(title="Other mill")
    draft = Annotation.objects.get()
    assert KEY not in {finding.key for finding in findings_on(draft, make.whole())}
    changed = make.whole(passage_2_copied=TRANSLATED)
    assert KEY in {finding.key for finding in findings_on(draft, changed)}


@pytest.mark.django_db
def test_the_warning_comes_with_the_save_and_on_the_page_and_at_submitting_and_to_the_reviewer(
    client,
):
    alice = signed_in(client, make.annotator())
    draft = make.draft(alice, within=make.campaign())

    def saved(version, **entries):
        answer = client.patch(
            f"/api/drafts/{draft.pk}/",
            {"entries": entries},
            content_type="application/json",
            headers={"If-Match": f'"{version}"'},
        )
        return answer.json()["warnings"]

    entries = make.whole(passage_2_copied=TRANSLATED)
    assert saved(0, **entries)["passage_2_copied"][0]["code"] == "not_in_article"
    assert saved(1, qa_comment="Hm.") == {}
    page = reverse("annotation:annotate", args=[draft.assignment_id])
    assert "“Mühle”" in client.get(page).context["rules"]["told"]["passage_2_copied"][0]["message"]
    posted = {"annotation_id": draft.pk, "by": alice, "version": 2, "entries": entries}
    refused = make.submit(**posted)
    assert [finding.key for finding in refused.findings] == [KEY]
    posted["version"] = refused.annotation.version
    assert make.submit(**posted, checked={KEY}).taken
    signed_in(client, make.admin("otto"))
    review = client.get(reverse("annotation:review", args=make.place_of(Annotation.objects.get())))
    assert "Not in the stored revision of “Kettle Mill”: “Die”" in review.content.decode()
    assert "The annotator ticked “I checked”." in review.content.decode()


@pytest.mark.django_db
def test_a_merge_is_compared_too():
    pair = make.two_of_a_tag({}, {"passage_2_copied": TRANSLATED})
    fields = {"passage_2_copied": pair[1].pk}
    how = Merge(FieldSources(pair[0].pk, fields), {0: [f"{pair[0].pk}-1"]})
    # An annotator has ticked it for the same text.
    made, _ = made_of(pair, how, make.admin("otto"))
    assert KEY in dict(made.checked_warnings)
