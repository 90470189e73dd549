"""The example of hypothetical statements: three complete bases and one that is to be written."""

import json
from itertools import product

import pytest
from django.core.management import CommandError, call_command

from datasets.models import Collection
from demonstration.examples import HYPOTHETICALS, load
from protocols.installed import install
from protocols.shipped import declaration_of, file_of
from tests.demonstration.test_removal import rows_that_can_go
from tests.writing import factories as make

DECLARED = declaration_of("hypotheticals")
[FILE] = HYPOTHETICALS.paths
RECORDS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.django_db
def test_it_is_loaded_and_comes_out_as_it_is(tmp_path, capsys):
    call_command("load_example", "hypotheticals")
    assert "Loaded: 55 records in the collection hypotheticals-example" in capsys.readouterr().out
    assert Collection.objects.get().subsets.get().instances.count() == 18
    call_command("import_dataset", "hypotheticals", FILE, collection="again")
    assert "records with deviations  0" in capsys.readouterr().out
    out = tmp_path / "records.jsonl"
    call_command("export_dataset", HYPOTHETICALS.name, format="records", out=out)
    assert out.read_bytes() == FILE.read_bytes()


@pytest.mark.django_db
def test_what_people_wrote_for_it_is_named_before_it_is_removed_with_it(olga):
    alice, bob = map(make.annotator, ("alice", "bob"))
    before = rows_that_can_go()
    of, _ = load(HYPOTHETICALS)
    given = {"context": "He was not.", "question": "Who?", "golds": ""}
    make.checked(make.submitted(make.opened("variants", of), alice, **given), bob)
    assert of.contradictions.count() == 56
    with pytest.raises(CommandError, match="form “Write the other forms and conditions"):
        call_command("remove_demonstration", verbosity=0)
    call_command("remove_demonstration", "--with-work-built-on-it", verbosity=0)
    assert rows_that_can_go() == before | {"Protocol": 1}


@pytest.mark.django_db
def test_a_condition_and_a_form_that_are_not_declared_are_reported_and_kept(tmp_path, capsys):
    install(file_of("hypotheticals"), "hypotheticals.toml")
    odd = RECORDS[0] | {"condition": "likely", "form": "ironic"}
    file = tmp_path / "odd.jsonl"
    file.write_text(json.dumps(odd, ensure_ascii=False) + "\n", encoding="utf-8")
    call_command("import_dataset", "hypotheticals", file, collection="odd", list=True)
    said = capsys.readouterr().out
    assert "likely" in said
    assert "ironic" in said
    assert Collection.objects.get().contradictions.get().fields == odd


def test_an_example_of_another_name_is_refused():
    with pytest.raises(CommandError, match="invalid choice: 'wikicontradict'"):
        call_command("load_example", "wikicontradict")


def test_three_bases_are_complete_and_a_fourth_has_its_supported_statement_alone():
    condition, form = (DECLARED.fields[name].values for name in ("condition", "form"))
    there = [(record["base"], record["condition"], record["form"]) for record in RECORDS]
    complete = product(("danube", "telephone", "eiffel"), condition, form)
    assert there == [*complete, ("moon", "supported", "affirmative")]


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: "-".join(list(one.values())[:3]))
def test_only_an_affirmative_context_has_answers_and_each_is_a_span_of_it(record):
    assert list(record) == list(DECLARED.fields)
    assert bool(record["golds"]) == (record["form"] == "affirmative")
    for gold in record["golds"]:
        assert gold in record["context"]
