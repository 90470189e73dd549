"""A collection in numbers: the paper's table 1, and collections with little or nothing in them."""

import json

import pytest
from django.core.management import CommandError, call_command

from accounts.roles import Role
from datasets.importers import IMPORTERS
from datasets.importing import import_file
from datasets.models import Collection, Contradiction, Exclusion
from evaluation.dataset_counts import collection_table
from evaluation.dataset_table import groups, sentences_of
from tests.datasets import factories as datasets
from tests.factories import person

pytestmark = pytest.mark.django_db

NUMBER = "(PhraseLevel) Entity - Number"


def counts(table):
    return {(row["group"], row["value"]): (row["k"], row["n"]) for row in table["rows"]}


def brought_in(path):
    """The published dataset as a collection."""
    importer = IMPORTERS["wikicontradict"]
    return import_file(importer=importer, data=path.read_bytes(), collection_name="w").collection


@pytest.fixture
def mills():
    return datasets.mills()


def test_the_published_dataset_gives_the_papers_table_1(study_file):
    path = study_file("wikicontradict/wikicontradict.json")
    found = counts(collection_table(brought_in(path)))
    assert found["tags", "valid tags"] == (130, 130)
    assert found["questions", "all"] == (253, 253)
    assert found["kind", "yes-no"] == (133, 253)
    assert found["kind", "wh"] == (120, 253)
    assert found["reasoning", "explicit"] == (161, 253)
    # The paper counts the questions without a type as implicit: 92.
    assert found["reasoning", "implicit"][0] + found["reasoning", "untyped"][0] == 92
    assert found["passages", "different"] == (190, 253)
    assert found["passages", "same"] == (63, 253)


def test_types_equal_a_separate_count_of_the_published_records(study_file):
    path = study_file("wikicontradict/wikicontradict.json")
    asked = 0
    for record in json.loads(path.read_text("utf-8")):
        found = record["annotationResult"]
        options = {entry[1] for entry in found.get("taxonomy", []) if len(entry) > 1}
        questions = [key for key in found if key.removeprefix("question").isdigit() and found[key]]
        asked += len(questions) * (NUMBER in options)
    assert counts(collection_table(brought_in(path)))["type I", NUMBER] == (asked, 253)


def test_every_link_leads_to_as_many_rows(mills, client):
    client.force_login(person("rosa", Role.RESEARCHER))
    page = client.get(f"/reports/collections/{mills.name}/")
    assert page.status_code == 200
    followed = 0
    for _, lines in page.context["groups"]:
        for line in (line for line in lines if line.figure.query and not line.of_tags):
            rows = client.get(f"/collections/{mills.name}/questions/{line.figure.query}")
            assert rows.context["page"].paginator.count == int(line.figure.value)
            followed += 1
    assert followed >= 4


def test_an_excluded_question_is_shown_as_such(mills):
    instance = mills.contradictions.get().instances.first()
    Exclusion.objects.create(
        instance=instance, reason="?", proposed_by=person("pia"), seconded_by=person("sven")
    )
    found = counts(collection_table(mills))
    assert found["questions", "excluded"][0] == 1
    assert found["questions", "all"][0] == mills.contradictions.get().instances.count()


def test_a_record_without_types_is_untyped_in_every_dimension(mills):
    Contradiction.objects.update(taxonomy=[], type_1=None, type_2=None, type_3=None, type_4=None)
    table = collection_table(mills)
    found = counts(table)
    n = found["questions", "all"][0]
    assert found["reasoning", "untyped"] == (n, n)
    assert {found[f"type {short}", ""] for short in ("I", "II", "III", "IV")} == {(n, n)}
    assert groups(table)


def test_an_empty_collection_has_a_sentence_and_no_share(client):
    empty = Collection.objects.create(name="empty")
    table = collection_table(empty)
    assert list(sentences_of(table)) == ["empty holds 0 tags and no question."]
    assert all(row["low"] is None for row in table["rows"])
    client.force_login(person("rosa", Role.RESEARCHER))
    assert "no question" in client.get("/reports/collections/empty/").content.decode()


def test_sentences_name_n_and_interval(mills):
    first, wh, *_ = sentences_of(collection_table(mills))
    assert "1 question about 1 tag from 1 article." in first
    assert "95 % interval" in wh


def test_twins_and_command(mills, client, capsys):
    client.force_login(person("rosa", Role.RESEARCHER))
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
