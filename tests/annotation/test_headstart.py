"""What a draft begins with, and how often that is right."""

import json
from collections import Counter

import pytest

from annotation.evidence.headstart import block_text
from annotation.evidence.provenance import Captured
from annotation.fields.matching import folded_words
from annotation.fields.steps import PASSAGE
from annotation.models import Annotation
from annotation.workflow import saving, submitting
from tests.annotation import factories as make
from wikifetch.models import Sighting
from wikifetch.row_columns import sighting_columns
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
    ("sighted", "passage", "modality", "standalone"),
    [
        ({"block_kind": "table row"}, TEXT, "table", ""),
        ({"block_kind": "infobox field"}, TEXT, "infobox", ""),
        ({"block_kind": "list item"}, TEXT, "list", TEXT),
        ({"block_kind": "section", "scope": "section"}, "", "", ""),
        ({"block_text": " \n"}, "", "", ""),
        ({"block_text": "x" * (PASSAGE + 1)}, "", "", ""),
        ({"block_text": "שלום 👩‍🚀"}, "שלום 👩‍🚀", "text", "שלום 👩‍🚀"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_row_is_not_copied_as_prose_and_a_banner_fills_nothing(
    alice, sighted, passage, modality, standalone
):
    draft = begun(alice, **sighted)
    found = (draft.passage_1_copied, draft.modality_1, draft.passage_1_standalone)
    assert found == (passage, modality, standalone)


@pytest.mark.django_db
def test_an_untouched_copy_is_absent_when_handed_in_and_what_was_left_is_named(alice):
    draft = begun(alice)
    mine = ("article_1", "passage_1_copied", "modality_1", "passage_1_standalone", "article_2")
    kept = {name: getattr(draft, name) for name in mine}
    entries = make.whole(**kept)
    given = {"annotation_id": draft.pk, "by": alice, "version": 0, "entries": entries}
    checked = frozenset(finding.key for finding in submitting.check(entries))
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


def test_the_block_is_nearly_the_first_passage_in_most_published_annotations(study_data, capsys):
    records = json.loads(
        (study_data / "wikicontradict" / "wikicontradict.json").read_text(encoding="utf-8")
    )
    counts: Counter[str] = Counter()
    for record in records:
        raw = "{{" + record["tag"] + "}}"
        seen = next(tag for tag in find_tags(record["paragraph_A"]).tags if tag.raw == raw)
        passage = folded_words(record["annotationResult"]["paragraphA_information"])
        kind = "banner" if seen.scope else "inline"
        is_right = overlap(folded_words(seen.words.text), passage) >= NEARLY
        counts[kind] += 1
        counts[f"{kind} right"] += is_right
        sighting = Sighting(**sighting_columns(seen))
        counts["filled"] += bool(block_text(sighting))
        counts["filled right"] += is_right and bool(block_text(sighting))
    with capsys.disabled():
        print("\nThe block is passage 1, or nearly:", dict(counts))
    assert sum(counts[kind] for kind in ("inline", "banner")) == 130
    assert counts["inline right"] + counts["banner right"] >= 95
    assert counts["filled right"] >= 0.8 * counts["filled"]
