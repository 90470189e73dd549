"""A collection in numbers: the paper's table 1, and collections with little or nothing in them."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from datasets import exclusions
from datasets.importers import IMPORTERS
from datasets.importers.import_files import import_file
from datasets.models import Collection, Contradiction
from evaluation.counts.collection_counts import collection_table
from evaluation.report.collection_rows import groups, sentences_of
from tests.datasets import factories as datasets
from tests.factories import person

pytestmark = [pytest.mark.both, pytest.mark.django_db]

NUMBER = "(PhraseLevel) Entity - Number"


def counts(table):
    return {(row["group"], row["value"]): (row["k"], row["n"]) for row in table["rows"]}


def brought_in(path):
    """The published dataset as a collection."""
    importer = IMPORTERS["wikicontradict"]
    return import_file(
        importer=importer, file=io.BytesIO(path.read_bytes()), collection_name="w"
    ).collection


@pytest.fixture
def mills():
    return datasets.mills()


def test_the_published_dataset_gives_the_papers_table_1(study_file):
    path = study_file("wikicontradict/wikicontradict.json")
    result = counts(collection_table(brought_in(path)))
    assert result["tags", "valid tags"] == (130, 130)
    assert result["questions", "all"] == (253, 253)
    assert result["kind", "yes-no"] == (133, 253)
    assert result["kind", "wh"] == (120, 253)
    assert result["reasoning", "explicit"] == (161, 253)
    # The paper counts the questions without a type as implicit: 92.
    assert result["reasoning", "implicit"][0] + result["reasoning", "untyped"][0] == 92
    assert result["passages", "different"] == (190, 253)
    assert result["passages", "same"] == (63, 253)


def test_types_equal_a_separate_count_of_the_published_records(study_file):
    path = study_file("wikicontradict/wikicontradict.json")
    asked = 0
    for record in json.loads(path.read_text("utf-8")):
        result = record["annotationResult"]
        options = {entry[1] for entry in result.get("taxonomy", []) if len(entry) > 1}
        questions = [
            key for key in result if key.removeprefix("question").isdigit() and result[key]
        ]
        asked += len(questions) * (NUMBER in options)
    assert counts(collection_table(brought_in(path)))["type I", NUMBER] == (asked, 253)


def test_every_link_leads_to_as_many_rows(mills, client, rita):
    page = client.get(f"/reports/collections/{mills.name}/")
    assert page.status_code == 200
    followed = 0
    for _, lines in page.context["groups"]:
        for line in (line for line in lines if line.cell.rows and not line.of_tags):
            rows = client.get(f"/collections/{mills.name}/questions/{line.cell.rows}")
            assert rows.context["page"].paginator.count == line.cell.k
            followed += 1
    assert followed >= 4


def test_an_excluded_question_is_shown_as_such(mills):
    instance = mills.contradictions.get().instances.first()
    exclusions.exclude(instance=instance, reason="?", by=person("sven"))
    result = counts(collection_table(mills))
    assert result["questions", "excluded"][0] == 1
    assert result["questions", "all"][0] == mills.contradictions.get().instances.count()


def test_a_record_without_types_is_untyped_in_every_dimension(mills):
    Contradiction.objects.update(taxonomy=[], type_1=None, type_2=None, type_3=None, type_4=None)
    table = collection_table(mills)
    result = counts(table)
    n = result["questions", "all"][0]
    assert result["reasoning", "untyped"] == (n, n)
    assert {result[f"type {short}", ""] for short in ("I", "II", "III", "IV")} == {(n, n)}
    assert groups(table)


def test_an_empty_collection_has_a_sentence_and_no_share(client, rita):
    empty = Collection.objects.create(name="empty")
    table = collection_table(empty)
    assert list(sentences_of(table)) == ["empty holds 0 tags and no question."]
    assert all(row["low"] is None for row in table["rows"])
    assert "no question" in client.get("/reports/collections/empty/").content.decode()


def test_sentences_name_n_and_interval(mills):
    first, wh, *_ = sentences_of(collection_table(mills))
    assert "1 question about 1 tag from 1 article." in first
    assert "95 % interval" in wh


def test_twins_and_command(mills, client, capsys, rita):
    table = collection_table(mills)
    assert client.get(f"/reports/collections/{mills.name}/table.json").json() == table
    lines = client.get(f"/reports/collections/{mills.name}/table.csv").getvalue().decode()
    assert lines.count("\n") == len(table["rows"]) + 1
    call_command("dataset_table", mills.name, "--json")
    assert json.loads(capsys.readouterr().out) == table
    call_command("dataset_table", mills.name)
    assert "Verified as valid" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no collection"):
        call_command("dataset_table", "nowhere")
