"""Provenance as stored: what a browser claims is checked against the article."""

import pytest

from annotation.evidence.article_text import text_and_parts
from annotation.evidence.captured import CHANGED
from annotation.evidence.provenance import UNREADABLE, read_captured
from annotation.models import Annotation
from annotation.reviewing.publishing_tags import publish_campaign
from annotation.workflow import saving, submitting
from datasets.models import Contradiction
from tests.annotation import factories as make
from tests.annotation.factories import decide
from wikifetch.article_html import article_html
from wikifetch.models import Revision

pytestmark = pytest.mark.django_db

SENTENCE = "The mill was built in 1801."


@pytest.fixture
def article(draft):
    return text_and_parts(article_html(draft.sighting.revision, draft.sighting))


@pytest.fixture
def piece(draft, article):
    start = article.text.index(SENTENCE)
    return {
        "revision": draft.sighting.revision_id,
        "start": start,
        "end": start + len(SENTENCE),
        "sha256": article.sha256,
        "text": SENTENCE,
    }


def save(draft, by, piece, *, filled=(), **changes):
    captured = read_captured({"1": [piece]} if piece else {}, list(filled))
    entries = {"passage_1_copied": SENTENCE, **changes}
    saved = make.save_draft(
        annotation_id=draft.pk, by=by, version=draft.version, changes=entries, captured=captured
    )
    return saved, captured.notices


def test_a_right_piece_is_stored_with_what_the_server_knows(draft, alice, piece):
    saved, notices = save(draft, alice, piece)
    sighting = draft.sighting
    start = sighting.revision.wikitext.index(sighting.block)
    assert saved.provenance == {
        "1": [
            {
                **piece,
                "revid": sighting.revision.revid,
                "date": f"{sighting.revision.timestamp:%Y-%m-%d}",
                "title": "Kettle Mill",
                "section": "History",
                "kind": "text",
                "wikitext": [start, start + len(sighting.block)],
            }
        ]
    }
    assert notices == []


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": "0" * 64},
        {"sha256": ""},
        {"start": 0},
        {"end": 10**9},
        {"text": "The mill was built in 1802."},
        {"revision": 10**6},
    ],
    ids=repr,
)
def test_a_wrong_piece_is_left_out_with_a_notice_and_the_text_is_kept(draft, alice, piece, change):
    wrong = {**piece, **change}
    saved, notices = save(draft, alice, wrong, passage_1_copied=wrong["text"])
    assert (saved.passage_1_copied, saved.provenance) == (wrong["text"], {})
    assert notices == [CHANGED.format(n="1")]


def test_an_article_that_the_page_does_not_show_is_no_source(draft, alice, piece):
    other = make.tag(title="Other").latest.revision
    assert other.article_id != draft.sighting.revision.article_id
    assert save(draft, alice, {**piece, "revision": other.pk})[0].provenance == {}


def test_the_other_article_is_one_too(alice):
    make.tag(title="Kiln")
    other = Revision.objects.get(article__title="Kiln")
    make.tag(title="Named", other_article="Kiln")
    campaign = make.campaign(tags=0)
    drafts = [make.draft(alice, within=campaign) for _ in range(2)]
    draft = next(each for each in drafts if each.sighting.other_article)
    text = text_and_parts(article_html(other))
    start = text.text.index("finished")
    place = {"revision": other.pk, "start": start, "end": start + 8}
    sent = {**place, "sha256": text.sha256, "text": "finished"}
    saved, _ = save(draft, alice, sent, passage_1_copied="finished")
    (stored,) = saved.provenance["1"]
    assert (stored["title"], stored["wikitext"]) == ("Kiln", None)


def test_a_piece_of_the_block_above_the_article_has_its_place_in_the_wikitext(draft, alice):
    sent = {"revision": draft.sighting.revision_id, "text": SENTENCE}
    (stored,) = save(draft, alice, sent)[0].provenance["1"]
    start, end = stored["wikitext"]
    assert draft.sighting.revision.wikitext[start:end] == draft.sighting.block
    assert (stored["start"], stored["sha256"]) == (None, "")
    wrong = {**sent, "text": "Never there."}
    draft = Annotation.objects.get()
    assert "1" not in save(draft, alice, wrong, passage_1_copied="Never there.")[0].provenance


def test_it_goes_when_the_passage_no_longer_has_it_and_not_before(draft, alice, piece):
    draft, _ = save(draft, alice, piece)
    draft, _ = save(draft, alice, None, passage_1_copied=f"Before. {SENTENCE} After.")
    assert len(draft.provenance["1"]) == 1
    draft, _ = save(draft, alice, None, span_1="built")
    assert len(draft.provenance["1"]) == 1
    draft, _ = save(draft, alice, None, passage_1_copied="The mill was built in 1802.")
    assert draft.provenance == {}


@pytest.mark.both
def test_a_stored_piece_sent_again_is_stored_once_and_not_rendered_again(
    draft, alice, piece, monkeypatch
):
    draft, _ = save(draft, alice, piece)
    monkeypatch.setattr("annotation.evidence.captured.shown_article", None)
    draft, notices = save(draft, alice, piece, passage_1_copied=f"{SENTENCE} And more.")
    assert (len(draft.provenance["1"]), notices) == (1, [])


def test_a_megabyte_stops_no_save(draft, alice):
    captured = read_captured("x" * 1_048_576, [])
    entries = {"passage_1_copied": SENTENCE}
    saved = make.save_draft(
        annotation_id=draft.pk, by=alice, version=draft.version, changes=entries, captured=captured
    )
    assert (saved.passage_1_copied, captured.notices) == (SENTENCE, [UNREADABLE])


def test_the_api_takes_it_and_gives_its_notices(client, alice, draft, piece):
    bad = {**piece, "text": 7}
    answer = client.patch(
        f"/api/drafts/{draft.pk}/",
        {"entries": {"passage_1_copied": SENTENCE}, "provenance": {"1": [piece, bad]}, "filled": 3},
        content_type="application/json",
        headers={"If-Match": '"0"'},
    )
    assert (answer.status_code, answer.json()["notices"]) == (200, [UNREADABLE])
    assert len(Annotation.objects.get().provenance["1"]) == 1


def test_a_submission_keeps_it(draft, alice, piece):
    entries = make.whole(passage_1_copied=SENTENCE, passage_1_standalone=SENTENCE)
    checked = frozenset(f.key for f in submitting.findings_on(draft, entries))
    captured = read_captured({"1": [piece]}, ["passage_1_standalone"])
    given = {"annotation_id": draft.pk, "by": alice, "version": 0, "entries": entries}
    result = make.submit(**given, checked=checked, captured=captured)
    assert result.taken, result.findings
    handed_in = Annotation.objects.get()
    assert len(handed_in.provenance["1"]) == 1
    # A stand-alone text that nobody touched says what its copy says.
    assert (handed_in.passage_1_standalone, handed_in.filled) == ("", [])
    again = make.submit(**given, checked=checked, captured=captured)
    assert again.taken


def invalid(draft, alice, piece):
    """The draft handed in as invalid, with a passage that was copied and fields that were filled in."""
    draft, _ = save(draft, alice, piece, filled=draft.filled)
    assert (len(draft.provenance["1"]), "article_1" in draft.filled) == (1, True)
    entries = {**saving.entries_of(draft), "validity": "Invalid"}
    captured = read_captured("", draft.filled)
    make.submit(
        annotation_id=draft.pk, by=alice, version=draft.version, entries=entries, captured=captured
    )
    return draft, Annotation.objects.get()


def test_the_record_of_an_invalid_tag_has_no_provenance(draft, alice, piece):
    _, handed_in = invalid(draft, alice, piece)
    decide(handed_in, make.admin("orla"), "accept")
    publish_campaign(handed_in.assignment.campaign)
    record = Contradiction.objects.get()
    assert (record.passage_1_copied, record.provenance, record.filled) == (None, {}, [])


def test_an_invalid_tag_that_is_sent_back_has_it_again(draft, alice, piece):
    before, handed_in = invalid(draft, alice, piece)
    assert handed_in.passage_1_copied == ""
    decide(handed_in, make.admin("orla"), "send_back", "It is valid.")
    again = Annotation.objects.get()
    assert (again.passage_1_copied, again.provenance) == (SENTENCE, before.provenance)
    assert (again.filled, again.touched) == (before.filled, ["validity", *before.touched])
