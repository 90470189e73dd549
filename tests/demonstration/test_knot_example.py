"""The example of KNOT: three files in one collection, which come out as they are."""

import json

import pytest
from django.core.management import call_command

from accounts.roles import Role
from datasets.models import Collection
from demonstration.examples import KNOT, load
from generation import protocol_prompts, runs
from judging import rubric_versions, studies
from judging.selections import Selection
from judging.studies import StudyDesign
from protocols.models import Protocol
from protocols.shipped import declaration_of
from tests.demonstration.test_removal import rows_that_can_go
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db
DECLARED = declaration_of("knot")
FILES = {
    DECLARED.file.value_of(path.name): json.loads(path.read_text(encoding="utf-8"))
    for path in KNOT.paths
}
RECORDS = [record for file in FILES.values() for record in file["examples"]]
PUBLISHED = ["id", "passage", "question", "answer", "answer_aliases"]
OURS = ["memorised_aliases", "conflict", "prototype"]


@pytest.fixture
def loaded():
    call_command("load_example", "knot", verbosity=0)
    return Collection.objects.get(name=KNOT.name)


def test_its_three_files_are_in_one_collection_under_their_canary(loaded):
    assert loaded.is_demonstration
    assert loaded.protocol == Protocol.objects.get(name="knot")
    levels = [row.fields["level"] for row in loaded.contradictions.order_by("position")]
    assert levels == ["simple"] * 3 + ["explicit"] * 3 + ["implicit"] * 2
    assert {loaded.canary} == {file["canary"] for file in FILES.values()}
    assert loaded.subsets.get().instances.count() == 4


@pytest.mark.parametrize("path", KNOT.paths, ids=lambda path: path.stem)
def test_each_file_has_no_deviation_and_comes_out_as_it_is(loaded, path, tmp_path, capsys):
    call_command("import_dataset", "knot", path, collection="again")
    assert "records with deviations  0" in capsys.readouterr().out
    out = tmp_path / path.name
    part = f"records-{DECLARED.file.value_of(path.name)}"
    call_command("export_dataset", KNOT.name, format=part, out=out)
    assert out.read_bytes() == path.read_bytes()


def test_it_is_removed_with_the_demonstration_but_for_the_text_of_the_protocol():
    before = rows_that_can_go()
    load(KNOT)
    call_command("remove_demonstration", verbosity=0)
    assert rows_that_can_go() == before | {"Protocol": 1}
    assert load(KNOT)[1]


def test_the_filter_is_judged_and_its_downloads_name_the_canary(loaded, client):
    """Of seven records, which have the fields of ours, and on the pages of the run, the study and the report."""
    known = protocol_prompts.of_protocol(loaded.protocol)
    asked = [known[name] for name in ("conflict-present", "faithful")]
    run, left_out = runs.create(collection=loaded, models=[], prompts=asked)
    assert (run.responses.count(), len(left_out)) == (14, 2)
    olga = person("olga", Role.ADMIN, Role.RESEARCHER)
    rubric = rubric_versions.versions("knot").get(name="knot-filter")
    design = StudyDesign(judges_per_response=1, rubric=rubric)
    study = studies.create("Filter", Selection([run]), design, by=olga)
    studies.open_study(study, [person("alice", Role.JUDGE)])
    signed_in(client, olga)
    for address in (f"/runs/{run.pk}/", f"/studies/{study.pk}/", f"/reports/{study.pk}/"):
        assert loaded.canary in client.get(address).content.decode(), address


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["question"])
def test_each_record_is_whole_and_fits_its_passage(record):
    assert list(record) in (PUBLISHED + OURS, PUBLISHED)
    assert record["answer"] == record["answer_aliases"][0]
    assert 60 <= len(record["passage"].split()) <= 150
    if "conflict" in record:
        assert record["conflict"].rpartition(", ")[2] in record["passage"]
        assert not set(record["memorised_aliases"]) & set(record["answer_aliases"])


def test_together_they_show_what_the_published_files_have():
    """Passages of several questions, one that begins with a blank, other letters, records without fields of ours."""
    assert len({record["passage"] for record in RECORDS}) == 3
    assert len({record["id"] for record in RECORDS}) == len(RECORDS) == 8
    assert any(record["passage"][0] == " " for record in RECORDS)
    assert any(not record["passage"].isascii() for record in RECORDS)
    assert any(list(record) == PUBLISHED for record in RECORDS)
    for level, file in FILES.items():
        simple = level == "simple"
        assert {record["answer"] in record["passage"] for record in file["examples"]} == {simple}
