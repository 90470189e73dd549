"""Text that a wiki hides later goes from what the app copied of it; what a person chose stays."""

import json

import pytest

from annotation.evidence.hidden_text import WORDED
from annotation.evidence.provenance import Captured, without_words
from annotation.fields.checks import check
from annotation.fields.suggesting import of_the_block
from annotation.models import Annotation, AskedArticle, DraftRevision
from annotation.reviewing.publishing_tags import publish_campaign
from annotation.states import AskedState
from annotation.workflow import saving
from datasets.models import Contradiction, WithheldRecord
from datasets.records import record_of
from datasets.releasing.freezing import freeze
from datasets.releasing.withholding import why_withheld
from leases.refusal import StaleVersion
from tests.annotation import factories as make
from tests.annotation.factories import decide
from tests.annotation.test_annotate_pages import form_of, page_of, post
from tests.datasets.complete import back, file_of
from tests.datasets.factories import mills
from tests.datasets.factories import record as a_record
from wikifetch.history.pages_seen import HiddenParts
from wikifetch.models import NamedArticle, Revision
from wikifetch.otherarticles import naming
from wikifetch.purging import purge

pytestmark = pytest.mark.django_db

TEXT = "The mill was built in 1801. It is square."
OWN = "It is square."
FILLED = ("article_1", "passage_1_copied", "modality_1", "passage_1_standalone", "article_2")


def hide(revision):
    purge(revision.article.wiki, {revision.revid: HiddenParts(text=True)})


def fresh(annotation):
    return Annotation.objects.get(pk=annotation.pk)


def saved(draft, filled, **changes):
    """The draft after a save of the whole form, of which these fields are still as filled in."""
    entries = {**saving.entries_of(fresh(draft)), **changes}
    return make.save_draft(
        annotation_id=draft.pk,
        by=draft.author,
        version=fresh(draft).version,
        changes=entries,
        captured=Captured(filled=list(filled)),
    )


def kept_of(draft):
    """All that the draft and its saves hold, as text."""
    row = Annotation.objects.filter(pk=draft.pk).values().get()
    saves = DraftRevision.objects.filter(annotation=draft).values_list("entries", flat=True)
    return json.dumps([row, *saves], default=str)


def piece_of(revision, text):
    return {
        "revision": revision.pk,
        "revid": revision.revid,
        "title": revision.article.title,
        "section": "A heading",
        "kind": "text",
        "start": 0,
        "end": len(text),
        "sha256": "ab",
        "wikitext": None,
        "text": text,
    }


# ---------------------------------------------------------------- drafts


@pytest.mark.parametrize("state", ["never saved", "saved", "handed back", "sent back"])
def test_it_is_gone_from_a_draft_in_which_nobody_touched_it(alice, state):
    make.tag(other_article="Secret Kiln")
    campaign = make.campaign(tags=0)
    draft = make.draft(alice, within=campaign)
    if state != "never saved":
        saved(draft, FILLED, validity="Valid")
    if state == "handed back":
        Annotation.objects.update(assignment=None)
    if state == "sent back":
        first = saving.entries_of(fresh(draft))
        Annotation.objects.update(state="sent_back", first_entries=first)
    version = fresh(draft).version
    hide(draft.sighting.revision)
    cleared = fresh(draft)
    assert "mill was" not in kept_of(draft)
    assert "Secret" not in kept_of(draft)
    assert (cleared.filled, cleared.provenance) == (["article_1"], {})
    assert (cleared.article_1, cleared.modality_1) == ("Kettle Mill", "")
    assert cleared.version == version + 1


def test_what_the_person_chose_stays_with_the_stand_alone_text_that_repeats_it(alice):
    draft = make.draft(alice)
    left = ("article_1", "modality_1", "passage_1_standalone")
    saved(draft, left, passage_1_copied=OWN, passage_1_standalone=OWN, statement_1=TEXT)
    hide(draft.sighting.revision)
    cleared = fresh(draft)
    assert (cleared.passage_1_copied, cleared.passage_1_standalone) == (OWN, OWN)
    assert (cleared.modality_1, cleared.statement_1) == ("text", TEXT)
    assert cleared.provenance == {}


def test_a_confirmed_passage_stays_though_it_says_what_the_block_said(alice):
    draft = make.draft(alice)
    saved(draft, ["article_1", "article_2"])
    hide(draft.sighting.revision)
    assert fresh(draft).passage_1_copied == TEXT
    assert DraftRevision.objects.get().entries["passage_1_copied"] == TEXT


def test_an_earlier_save_loses_the_block_and_keeps_what_was_typed(alice):
    draft = make.draft(alice)
    saved(draft, FILLED, qa_comment="Mine.")
    DraftRevision.objects.update(saved_at="2020-01-01T00:00Z")
    saved(draft, ["article_1"], passage_1_copied=OWN, passage_1_standalone="Mine: square.")
    hide(draft.sighting.revision)
    last, first = DraftRevision.objects.all()
    assert [last.entries[name] for name in WORDED] == [OWN, "Mine: square.", "Kettle Mill"]
    assert [first.entries[name] for name in WORDED] == ["", "", "Kettle Mill"]
    assert first.entries["qa_comment"] == "Mine."


def test_a_ticked_warning_does_not_keep_it(alice):
    draft = make.draft(alice)
    ticked = [["one:passage_1_copied", TEXT], ["two:span_1", "1801"], ["three:type_2", ["a"]]]
    Annotation.objects.update(checked_warnings=ticked)
    hide(draft.sighting.revision)
    assert fresh(draft).checked_warnings == ticked[1:]


def test_an_open_page_does_not_write_it_back(client, alice, draft):
    entries = saving.entries_of(draft)
    hide(draft.sighting.revision)
    response = post(client, draft, {**entries, "validity": "Valid"}, filled=list(FILLED))
    assert response.status_code == 412
    assert "mill was" not in kept_of(draft)
    with pytest.raises(StaleVersion):
        make.save_draft(annotation_id=draft.pk, by=alice, version=0, changes={"validity": "Valid"})


def test_hiding_twice_changes_nothing_more(client, alice, draft):
    hide(draft.sighting.revision)
    once = kept_of(draft)
    hide(draft.sighting.revision)
    assert kept_of(draft) == once
    page = form_of(saving.entries_of(fresh(draft)), version=1)
    assert client.post(page_of(draft), {**page, "validity": "Valid"}).status_code == 302


def test_a_draft_begun_while_it_was_hidden_loses_it_at_the_next_fetch(alice):
    draft = make.draft(alice)
    columns = {name: getattr(draft, name) for name in (*FILLED, "filled", "provenance")}
    hide(draft.sighting.revision)
    Annotation.objects.update(**columns)
    hide(draft.sighting.revision)
    assert "mill was" not in kept_of(draft)


@pytest.mark.both
def test_other_drafts_stay_and_are_not_read_one_by_one(alice, django_assert_max_num_queries):
    campaign = make.campaign(tags=5, in_hand=5)
    drafts = [make.draft(alice, within=campaign) for _ in range(5)]
    with django_assert_max_num_queries(30):
        hide(drafts[0].sighting.revision)
    assert [fresh(each).passage_1_copied for each in drafts] == ["", *[TEXT] * 4]
    wiki = drafts[0].sighting.revision.article.wiki
    revids = [each.sighting.revision.revid for each in drafts]
    with django_assert_max_num_queries(30):
        purge(wiki, dict.fromkeys(revids, HiddenParts(text=True)))
    assert {fresh(each).passage_1_copied for each in drafts} == {""}


def test_a_hidden_editor_or_summary_is_no_reason(alice, draft):
    revision = draft.sighting.revision
    purge(revision.article.wiki, {revision.revid: HiddenParts(editor=True, summary=True)})
    assert (fresh(draft).version, fresh(draft).passage_1_copied) == (0, TEXT)


# ---------------------------------------------------------------- other articles


@pytest.mark.both
@pytest.mark.parametrize(
    "named",
    ["Kiln house", "kiln_house", "Kiln_house", "Old kiln", "Barn | Kiln_house"],
    ids=lambda named: named,
)
def test_a_piece_of_the_article_that_the_tag_names_goes(alice, named):
    other = make.tag(title="Kiln house").latest.revision
    article = other.article
    NamedArticle.objects.create(wiki=article.wiki, title="Old kiln", pageid=article.pageid)
    sighting = make.tag(other_article=named).latest
    assert list(naming(Revision.objects.filter(pk=other.pk))) == [sighting]
    draft = draft_on(sighting, alice)
    pieces = {"1": draft.provenance["1"], "2": [piece_of(other, "A secret.")]}
    Annotation.objects.filter(pk=draft.pk).update(
        provenance=pieces, passage_2_copied="It was a secret."
    )
    hide(other)
    cleared = fresh(draft)
    assert cleared.provenance == {"1": pieces["1"]}
    assert (cleared.passage_1_copied, cleared.passage_2_copied) == (TEXT, "It was a secret.")
    assert cleared.version == draft.version + 1


def draft_on(sighting, by):
    campaign = make.campaign(tags=0, in_hand=9)
    drafts = [make.draft(by, within=campaign) for _ in range(2)]
    return next(each for each in drafts if each.sighting == sighting)


def test_a_piece_of_an_article_that_was_asked_for_goes(alice, draft):
    other = make.tag(title="Barn").latest.revision
    wiki = other.article.wiki
    AskedArticle.objects.create(
        annotation=draft, wiki=wiki, title="Barn", revision=other, state=AskedState.FETCHED
    )
    Annotation.objects.update(provenance={"2": [piece_of(other, "A secret.")]})
    hide(other)
    assert fresh(draft).provenance == {}


# ---------------------------------------------------------------- submitted and published


def test_a_published_record_keeps_the_passage_and_where_it_is_from(alice):
    olga = make.admin("olga")
    campaign = make.campaign(by=olga)
    draft = make.draft(alice, within=campaign)
    entries = make.whole(**{name: getattr(draft, name) for name in FILLED})
    result = make.submit(
        annotation_id=draft.pk,
        by=alice,
        version=0,
        entries=entries,
        checked=frozenset(finding.key for finding in check(entries)),
        captured=Captured(filled=list(FILLED)),
    )
    decide(result.annotation, olga, "accept")
    publish_campaign(campaign)
    before = record_of(Contradiction.objects.get())
    version = fresh(draft).version
    revision = draft.sighting.revision
    hide(revision)
    record, annotation = Contradiction.objects.get(), fresh(draft)
    assert record_of(record) == before
    assert annotation.passage_1_copied == TEXT
    assert annotation.version == version
    for row in (record, annotation):
        (piece,) = row.provenance["1"]
        assert (piece["revid"], piece["text"], piece["section"]) == (revision.revid, "", "")


@pytest.mark.both
@pytest.mark.parametrize(
    ("columns", "is_withheld"),
    [
        ({"oldid": 1}, True),
        ({"provenance": {"2": [{"revid": 1, "text": "A secret."}]}}, True),
        ({"oldid": 2, "provenance": {"2": [{"revid": 3, "text": "Open."}]}}, False),
        ({"oldid": 1, "url": "https://elsewhere.example/wiki/Mill"}, False),
        ({}, False),
    ],
)
def test_a_released_record_with_hidden_words_is_withheld_also_an_imported_one(columns, is_withheld):
    revision = make.tag().latest.revision
    wiki = revision.article.wiki
    known = {**columns, **({"oldid": revision.revid} if columns.get("oldid") == 1 else {})}
    for pieces in known.get("provenance", {}).values():
        known["provenance"] = {
            "2": [p | {"revid": revision.revid} if p["revid"] == 1 else p for p in pieces]
        }
    collection = mills()
    collection.contradictions.update(**{"url": f"{wiki.base_url}Mill", **known})
    release = freeze(collection=collection, version="1.0")
    for _ in range(2):
        hide(revision)
    assert bool(why_withheld(release)) == is_withheld
    assert WithheldRecord.objects.count() == is_withheld


def test_a_record_that_comes_in_after_its_text_was_hidden_is_withheld_at_once():
    revision = make.tag().latest.revision
    hide(revision)
    article = revision.article
    kept = mills(a_record(title=article.title, url=article.url))
    for oldid, is_withheld in ((revision.revid, True), (revision.revid + 1, False)):
        kept.contradictions.update(oldid=oldid)
        came = back(file_of(kept), into=f"of-{oldid}").collection
        assert WithheldRecord.objects.filter(contradiction__collection=came).count() == is_withheld


def test_a_tag_that_is_published_after_its_text_was_hidden_is_withheld_at_once(alice):
    olga = make.admin("olga")
    campaign = make.campaign(by=olga)
    draft = make.draft(alice, within=campaign)
    sent = make.submit(
        annotation_id=draft.pk, by=alice, version=0, entries=make.whole(), checked=frozenset()
    )
    decide(sent.annotation, olga, "accept")
    hide(draft.sighting.revision)
    publish_campaign(campaign)
    assert WithheldRecord.objects.get().contradiction == Contradiction.objects.get()


def test_an_invalid_tag_that_is_sent_back_does_not_bring_it_back(alice):
    olga = make.admin("olga")
    draft = make.draft(alice, within=make.campaign(by=olga))
    entries = {
        **saving.entries_of(draft), "validity": "Invalid", "valid_comment": "Not one.",
    }  # fmt: skip
    result = make.submit(annotation_id=draft.pk, by=alice, version=0, entries=entries)
    assert result.taken, result.findings
    hide(draft.sighting.revision)
    decide(fresh(draft), olga, "send_back", "Look again.")
    assert fresh(draft).state == "sent_back"
    assert "mill was" not in kept_of(draft)


# ---------------------------------------------------------------- the rules alone

BLOCK = {
    "passage_1_copied": TEXT,
    "passage_1_standalone": TEXT,
    "modality_1": "text",
    "article_2": "Mill",
}


@pytest.mark.parametrize(
    ("filled", "changes", "pieces", "gone"),
    [
        (FILLED, {}, {}, ["passage_1_copied", "modality_1", "passage_1_standalone"]),
        (["modality_1", "type_2"], {}, {}, []),
        (["passage_1_standalone"], {}, {}, []),
        (["passage_1_standalone"], {"passage_1_copied": OWN}, {}, ["passage_1_standalone"]),
        (["passage_2_standalone"], {}, {}, []),
        (["article_2"], {"article_2": "Kiln"}, {}, ["article_2"]),
        (["article_2"], {"article_2": "Kiln"}, {"2": [{"title": "Kiln"}]}, []),
        ([], {"article_2": "Kiln"}, {}, []),
    ],
    ids=lambda value: str(value)[:40],
)
def test_which_filled_fields_come_from_the_block(filled, changes, pieces, gone):
    assert of_the_block(filled, {**BLOCK, **changes}, "Mill", pieces) == gone


@pytest.mark.parametrize(
    ("whole", "left"),
    [
        (True, {"1": [{"revision": 2, "text": "b", "section": ""}]}),
        (
            False,
            {
                "1": [
                    {"revision": 1, "text": "", "section": ""},
                    {"revision": 2, "text": "b", "section": ""},
                ],
                "2": [{"revision": 1, "text": "", "section": ""}],
            },
        ),
    ],
)
def test_pieces_of_hidden_revisions_go_or_lose_their_words(whole, left):
    one = {"revision": 1, "text": "a", "section": "A"}
    other = {"revision": 2, "text": "b", "section": ""}
    assert without_words({"1": [one, other], "2": [one]}, {1}, whole=whole) == left
