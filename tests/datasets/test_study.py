"""The published WikiContradict files, in and out."""

import csv
import hashlib
import io
import json
from collections import Counter

import pytest

from datasets import schema
from datasets.contexts import question_kind
from datasets.counts import counts_of
from datasets.deviations import DeviationKind
from datasets.exporters import EXPORTERS
from datasets.importers import IMPORTERS
from datasets.importers.import_files import import_file
from datasets.records import current
from datasets.streaming import streamed


@pytest.fixture
def published(study_data):
    return (study_data / "wikicontradict/wikicontradict.json").read_bytes()


def bring(data, format="wikicontradict"):
    return import_file(
        importer=IMPORTERS[format],
        file=io.BytesIO(data),
        collection_name="wikicontradict",
    )


def exported(collection, name):
    return "".join(EXPORTERS[name].chunks(streamed(current(collection))))


def test_the_published_records_come_back_equal_without_a_database(published):
    for whole in json.loads(published):
        parsed = schema.parse(whole)
        assert schema.build(parsed.columns, parsed.slots + parsed.unused) == whole


@pytest.mark.both
@pytest.mark.django_db
def test_the_published_records_come_out_equal_and_the_table_byte_for_byte(published):
    collection = bring(published).collection
    assert json.loads(exported(collection, "wikicontradict-json")) == json.loads(published)
    table = exported(collection, "wikicontradict-csv").encode()
    assert hashlib.sha256(table).hexdigest() == (
        "cef10054f8aad3e36bca95a0873c2cbb0de8ab4d7b716cadacc5da7aa179ff2b"
    )


@pytest.mark.django_db
def test_the_published_table_comes_in_and_out_byte_for_byte(study_data):
    table = (study_data / "wikicontradict/wikicontradict_rag_qa.csv").read_bytes()
    report = bring(table, "csv")
    assert (report.records, report.questions) == (130, 253)
    assert report.how_it_comes_out == "An export gives the same bytes."
    assert exported(report.collection, "wikicontradict-csv").encode() == table


@pytest.mark.both
@pytest.mark.django_db
def test_the_published_file_twice_adds_nothing(published):
    first, second = bring(published), bring(published)
    assert (first.records, first.added, first.questions) == (130, 130, 253)
    assert (second.added, second.already_there, second.duplicates) == (0, 130, [])


@pytest.mark.django_db
def test_an_export_imported_again_adds_nothing(published):
    collection = bring(published).collection
    assert bring(exported(collection, "wikicontradict-json").encode()).added == 0


@pytest.mark.both
@pytest.mark.django_db
def test_the_counts_are_those_of_the_paper(published):
    counts = counts_of(bring(published).collection)
    assert (counts.contradictions, counts.invalid, counts.questions) == (130, 0, 253)
    assert {one.facet.value: one.questions for one in counts.facets} == {
        "explicit": 161,
        # Table 1 has 92 implicit: it counts the two questions whose page has no type IV.
        "implicit": 90,
        "untyped": 2,
        "different": 190,
        "same": 63,
        "yes-no": 133,
        "wh": 120,
    }


@pytest.mark.django_db
def test_the_table_counts_what_the_paper_counts(published):
    text = exported(bring(published).collection, "wikicontradict-csv")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert Counter(line["contradictType"] for line in lines) == {
        "Explicit": 161,
        "Implicit (reasoning required)": 92,
    }
    assert Counter(line["samepassage"] for line in lines) == {"Different": 190, "Same": 63}


@pytest.mark.django_db
def test_the_deviations_of_the_published_file(published):
    report = bring(published)
    assert dict(report.deviations_by_kind) == {
        DeviationKind.SPAN: 31,
        DeviationKind.SAME_PASSAGE: 29,
        DeviationKind.SAME_BUT_DIFFERENT: 1,
        DeviationKind.TYPE_MISSING: 6,
        DeviationKind.TYPE_TWICE: 10,
        DeviationKind.CONFIDENCE: 130,
    }


def test_yes_no_questions_are_those_of_table_1(published):
    slots = [slot for whole in json.loads(published) for slot in schema.parse(whole).slots]
    kinds = Counter(question_kind(slot.question) for slot in slots)
    assert kinds == {"yes/no": 133, "wh": 120}
