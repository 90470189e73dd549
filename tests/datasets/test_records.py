import pytest

from accounts.roles import Role
from datasets import schema
from datasets.models import Contradiction
from datasets.records import (
    Draft,
    add_contradiction,
    columns_of,
    current,
    record_of,
    supersede,
)
from datasets.schema import Slot
from leases.refusal import Conflict, Refusal
from tests.datasets.factories import TYPES, annotation, mills, record
from tests.factories import person, stored

pytestmark = [pytest.mark.both, pytest.mark.django_db]

ASKED = [Slot(1, "Was the Old Mill built in 1791?", "Yes", "No", derived_2=True)]


def written(**changes):
    """The columns that an annotation would hand over."""
    return {
        "title": "Old Mill, Ahrfeld",
        "tag": "inconsistent",
        "validity": "Valid",
        "article_1": "Old Mill, Ahrfeld",
        "passage_1_copied": "It was built in 1791.",
        "article_2": "Old Mill, Ahrfeld",
        "passage_2_copied": "Begun in 1803",
        "taxonomy": TYPES,
    } | changes


def test_an_annotation_becomes_a_record_whose_types_follow_the_taxonomy():
    alice = person("alice", Role.ANNOTATOR)
    extra = {"oldid": 77, "modality_1": "text", "span_1_ranges": [[3, 6]]}
    row, is_new = add_contradiction(
        collection=mills(), draft=Draft(written(), ASKED, extra), author=alice
    )
    assert is_new
    assert (row.position, row.version, row.author, row.oldid) == (1, 1, alice, 77)
    assert (row.type_1, row.type_4) == ("(PhraseLevel) Entity - Date/time", "Explicit")
    assert row.span_1_ranges == [[3, 6]]
    (instance,) = row.instances.all()
    assert (instance.kind, instance.derived_1, instance.derived_2) == ("yes/no", False, True)
    assert record_of(row)["annotationResult"]["taxonomy"] == TYPES


def test_the_same_annotation_again_is_the_record_that_is_there():
    collection = mills()
    first = add_contradiction(collection=collection, draft=Draft(written(), ASKED))
    again = add_contradiction(collection=collection, draft=Draft(written(), ASKED))
    assert (again.contradiction.pk, again.is_new) == (first.contradiction.pk, False)


def test_what_no_export_could_hold_is_refused():
    with pytest.raises(Refusal, match="'title' holds a NUL character"):
        add_contradiction(collection=mills(), draft=Draft(written(title="a\0"), ASKED))
    assert Contradiction.objects.count() == 1


def test_a_column_that_is_none_is_a_mistake_of_the_caller():
    with pytest.raises(TypeError, match="paragraph_B"):
        add_contradiction(collection=mills(), draft=Draft(written(paragraph_B=""), ASKED))


def superseded(row, **changes):
    return supersede(contradiction=row, draft=Draft(columns_of(row) | changes, ASKED))


def test_an_edit_is_a_new_version_in_the_old_ones_place():
    collection = mills(record(title="A"), record(title="B"))
    old = current(collection).first()
    new = superseded(old, title="A, corrected")
    assert (new.position, new.version, new.supersedes_id) == (0, 2, old.pk)
    assert [row.title for row in current(collection)] == ["A, corrected", "B"]
    assert (stored(old).title, record_of(old)) == ("A", record(title="A"))


def test_only_the_newest_version_can_be_edited():
    old = current(mills()).get()
    superseded(old, title="second")
    with pytest.raises(Conflict, match="A newer version"):
        superseded(old, title="third")


def test_an_edit_that_changes_nothing_is_refused():
    old = current(mills()).get()
    parsed = schema.parse(record())
    with pytest.raises(Conflict, match="exactly this content"):
        supersede(contradiction=old, draft=Draft(parsed.columns, parsed.slots))


def test_the_blanks_of_a_record_are_kept():
    blanks = annotation(
        relevantInfo_comment_A=" a ", question1_answer1="1791 \n", taxonomy=[["x "]]
    )
    row = current(mills(record(given=blanks, tagDate=" May"))).get()
    assert (row.statement_1, row.tag_date) == (" a ", " May")
    assert record_of(row) == record(given=blanks, tagDate=" May")
