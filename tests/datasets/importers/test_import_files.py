import io

import pytest

from datasets.deviations import DeviationKind
from datasets.importers import IMPORTERS
from datasets.importers.import_files import check_file, deviations_in, import_file
from datasets.models import Collection, Contradiction, Instance
from datasets.readers.json_text import Unreadable
from datasets.records import current, record_of
from leases.refusal import Refusal
from tests.datasets.factories import PLACEHOLDERS, annotation, imported, record, text_of
from tests.races import at_once

pytestmark = pytest.mark.both


@pytest.mark.django_db
def test_a_file_becomes_a_collection_in_its_order():
    report = imported(record(title="B"), record(title="A"), source="mills.json")
    assert (report.records, report.added, report.questions) == (2, 2, 2)
    assert report.collection.source == "mills.json"
    assert [row.title for row in current(report.collection)] == ["B", "A"]
    assert [row.position for row in current(report.collection)] == [0, 1]


@pytest.mark.django_db
def test_importing_twice_adds_nothing():
    imported(record(), record(title="B"))
    report = imported(record(), record(title="B"))
    assert (report.added, report.already_there) == (0, 2)
    assert (Contradiction.objects.count(), Instance.objects.count()) == (2, 2)


@pytest.mark.django_db
def test_new_records_of_a_second_file_come_after_existing_ones():
    imported(record(title="A"), record(title="B"))
    report = imported(record(title="C"), record(title="A"))
    assert (report.added, report.already_there) == (1, 1)
    assert [row.title for row in current(report.collection)] == ["A", "B", "C"]


@pytest.mark.django_db
def test_a_record_twice_in_a_file_is_reported_and_added_once():
    report = imported(record(), record(title="B"), record())
    assert (report.added, report.duplicates) == (2, [(3, 1)])
    assert Contradiction.objects.count() == 2


@pytest.mark.django_db
def test_records_that_differ_in_their_questions_alone_are_two():
    other = record(given=annotation(question1="In which year was the Old Mill built?"))
    assert imported(record(), other).added == 2


@pytest.mark.django_db
def test_one_collection_does_not_keep_a_record_from_another():
    imported(record(), into="one")
    assert imported(record(), into="two").added == 1


@pytest.mark.django_db
def test_a_refused_record_leaves_nothing():
    with pytest.raises(Unreadable):
        imported(record(), record(title=None))
    assert not Collection.objects.exists()


@pytest.mark.django_db
def test_placeholder_answers_are_stored_without_becoming_a_question():
    whole = record(given=annotation(**PLACEHOLDERS, question3="", question3_answer1="left over"))
    (row,) = current(imported(whole).collection)
    assert [one.n for one in row.instances.all()] == [1]
    assert record_of(row) == whole


@pytest.mark.django_db
def test_an_invalid_tag_is_kept_too():
    invalid = record(given={"wikitag_label_valid": "Invalid", "valid_comment": "No longer so."})
    (row,) = current(imported(invalid).collection)
    assert (row.validity, row.instances.count(), record_of(row)) == ("Invalid", 0, invalid)


@pytest.mark.django_db
def test_deviations_are_listed_and_the_record_is_stored_as_given():
    odd = record(given=annotation(confidence="", relevantInfo_comment_A_Span=" never there "))
    report = imported(record(), odd)
    assert report.deviations_by_kind == [(DeviationKind.SPAN, 1), (DeviationKind.CONFIDENCE, 1)]
    assert report.deviating_records == 1
    listed = deviations_in(IMPORTERS["wikicontradict"], io.BytesIO(text_of(record(), odd)))
    assert [(number, one.kind) for number, one in listed] == [
        (2, DeviationKind.SPAN),
        (2, DeviationKind.CONFIDENCE),
    ]
    assert Contradiction.objects.get(position=1).span_1 == " never there "


@pytest.mark.django_db
def test_each_question_gets_its_kind():
    given = annotation(question2="Was it old?", question2_answer1="Yes", question2_answer2="No")
    imported(record(given=given))
    assert list(Instance.objects.order_by("n").values_list("kind", flat=True)) == ["wh", "yes/no"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"row": "a:1:b", "model": "m", "text": ""}\n', "Send it by “Responses made elsewhere”"),
        (b'{"id": "a", "version": 1, "record": {}}\n{}', "This is data/records.jsonl of a bundle"),
        (b'{"title": "a"}\n', "The file holds an object, not a list of records"),
    ],
)
@pytest.mark.django_db
def test_json_lines_for_another_place_say_where_they_belong(data, says):
    with pytest.raises(Unreadable, match=says):
        import_file(
            importer=IMPORTERS["wikicontradict"], file=io.BytesIO(data), collection_name="x"
        )


@pytest.mark.django_db
def test_an_empty_cell_of_a_table_is_a_deviation():
    table = "question,context1,context2,answer1,answer2\nq1?,,p2,a,b\nq2?,p1,p2,,\n"
    report = check_file(
        importer=IMPORTERS["csv"], file=io.BytesIO(table.encode()), collection_name="x"
    )
    kinds = dict(report.deviations_by_kind)
    assert (kinds[DeviationKind.EMPTY_PASSAGE], kinds[DeviationKind.EMPTY_ANSWER]) == (1, 2)
    assert DeviationKind.EQUAL_ANSWERS not in kinds


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["", "Mills", "../etc", "a/b", "x" * 81, "-x"])
def test_a_name_that_no_address_can_hold_is_refused(name):
    with pytest.raises(Refusal, match="cannot name a collection"):
        imported(record(), into=name)
    assert not Collection.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_once_add_each_record_once():
    Collection.objects.create(name="mills")
    records = [record(title=f"Mill {n}") for n in range(40)]
    added = []
    at_once(*[lambda: added.append(imported(*records).added)] * 2)
    assert sorted(added) == [0, 40]
    assert Contradiction.objects.count() == 40
