"""The example of ConflictBank: loaded on request, comes out as it is, and goes without a trace."""

import re

import pytest
from django.core.management import CommandError, call_command

from accounts.roles import Role
from datasets.models import Collection, Subset
from demonstration import loading
from demonstration.examples import CONFLICTBANK, load
from generation import protocol_prompts, runs
from generation.models import LanguageModel
from protocols.models import Protocol
from tests.demonstration.test_loading import rows
from tests.demonstration.test_removal import rows_that_can_go
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db

[RECORDS] = CONFLICTBANK.paths


@pytest.fixture
def loaded():
    call_command("load_example", "conflictbank", verbosity=0)
    return Collection.objects.get(name=CONFLICTBANK.name)


def test_it_is_a_collection_of_the_protocol_with_a_subset(loaded):
    assert loaded.is_demonstration
    assert loaded.protocol == Protocol.objects.get(name="conflictbank")
    assert loaded.contradictions.count() == 12
    assert loaded.subsets.get().instances.count() == 6


def test_the_page_of_a_subset_that_nobody_drew_names_nobody(loaded, client):
    signed_in(client, person("rosa", Role.RESEARCHER))
    page = client.get(
        f"/collections/{CONFLICTBANK.name}/subsets/{loaded.subsets.get().pk}/"
    ).content.decode()
    assert "<dt>Drawn</dt>" in page
    assert ", None" not in page
    assert not re.search(r"</time>,\s*</dd>", page)


def test_its_records_have_no_deviation_and_come_out_as_they_are(loaded, tmp_path, capsys):
    call_command("import_dataset", "conflictbank", str(RECORDS), collection="again", list=True)
    assert "records with deviations  0" in capsys.readouterr().out
    out = tmp_path / "records.jsonl"
    call_command("export_dataset", CONFLICTBANK.name, format="records", out=out)
    assert out.read_bytes() == RECORDS.read_bytes()


def test_loading_again_changes_nothing(loaded, capsys):
    before = rows()
    call_command("load_example", "conflictbank")
    assert rows() == before
    assert capsys.readouterr().out.startswith("Loaded before: 12 records in the collection")


def test_it_is_loaded_beside_other_work_and_removed_with_the_demonstration_set(loaded):
    loading.load(beside_other_work=True)
    assert Subset.objects.get().collection == loaded
    call_command("remove_demonstration", verbosity=0)
    assert not Collection.objects.exists()


def test_it_is_removed_with_the_demonstration_but_for_the_text_of_the_protocol():
    before = rows_that_can_go()
    load(CONFLICTBANK)
    call_command("remove_demonstration", verbosity=0)
    assert rows_that_can_go() == before | {"Protocol": 1}
    assert load(CONFLICTBANK)[1]


def test_the_author_of_its_given_texts_goes_with_them(loaded):
    given = protocol_prompts.of_protocol(loaded.protocol)["entails-default"]
    runs.create(collection=loaded, models=[], prompts=[given])
    call_command("remove_demonstration", "--with-work-built-on-it", verbosity=0)
    assert not LanguageModel.objects.exists()


def test_a_collection_of_that_name_is_not_taken_over():
    Collection.objects.create(name=CONFLICTBANK.name)
    with pytest.raises(CommandError, match="Rename it first"):
        call_command("load_example", "conflictbank")
    assert not Protocol.objects.exists()
