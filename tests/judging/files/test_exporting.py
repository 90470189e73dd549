"""Studies as files: whole in our own format, through the page and the command."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command
from pytest_django.asserts import assertContains

from accounts.roles import Role
from judging import verdicts
from judging.files import exporting, studyfile
from judging.files.importing import import_human_evaluation
from judging.models import Judge, Judgment
from tests.evaluation import factories as judged
from tests.factories import person
from tests.judging import factories as make
from tests.judging import humanfile

pytestmark = pytest.mark.django_db


def bring(data=None, name="Abbeys judged"):
    return import_human_evaluation(json.dumps(data or humanfile.data()).encode(), name).study


def whole(study):
    return json.loads("".join(studyfile.json_chunks(study)))


def lines(study):
    return list(csv.DictReader(io.StringIO("".join(studyfile.csv_chunks(study)))))


def test_a_judged_study_is_exported_whole():
    study = judged.judged_study()
    judged.resolve_all(study)
    data = whole(study)
    assert data["study"]["rubric"]["sha256"] == study.rubric.sha256
    assert len(data["items"]) == study.items.count() == 24
    pseudonyms = set(Judge.objects.values_list("pseudonym", flat=True))
    assert {judge["judge"] for judge in data["judges"]} == pseudonyms
    firsts = [given for item in data["items"] for given in item["verdicts"]]
    assert len(firsts) == Judgment.objects.count() == 48
    assert {(given["seconds"], given["comment"]) for given in firsts} == {(4.0, "=1+1")}
    disputed = [item for item in data["items"] if item["final"]["how"] == "third_person"]
    assert disputed
    for item in disputed:
        assert {given["first_verdict"] for given in item["verdicts"]} == {"correct", "incorrect"}
        assert item["final"]["verdict"] == "partially correct"
        assert item["final"]["note"] == "Read again."


def test_the_csv_says_what_the_json_says():
    study = judged.judged_study()
    judged.resolve_all(study)
    of_json = {
        (str(item["item"]), given["judge"]): (given["first_verdict"], item["final"]["verdict"])
        for item in whole(study)["items"]
        for given in item["verdicts"]
    }
    of_csv = {
        (line["item"], line["judge"]): (line["first_verdict"], line["final_verdict"])
        for line in lines(study)
    }
    assert of_csv == of_json


def test_nobody_is_named():
    study = judged.judged_study()
    judged.resolve_all(study)
    text = "".join(studyfile.json_chunks(study)) + "".join(studyfile.csv_chunks(study))
    for name in ("alice", "bob", "carol"):
        assert name not in text.lower()


def test_what_a_judge_may_still_change_is_left_out():
    study = make.open_study()
    slot, other, *_ = make.slots(study, make.judge("alice"))
    verdicts.give(slot, "incorrect", comment="For now")
    verdicts.skip(other, "Not sure yet")
    text = "".join(studyfile.json_chunks(study)) + "".join(studyfile.csv_chunks(study))
    assert "For now" not in text
    assert "Not sure yet" not in text
    assert not any(
        given["first_verdict"] for item in whole(study)["items"] for given in item["verdicts"]
    )


def test_an_imported_study_has_final_verdicts_only():
    data = whole(bring())
    assert data["judges"] == []
    assert data["study"]["judges_per_response"] is None
    assert [item["verdicts"] for item in data["items"]] == [[]] * 30
    assert {item["final"]["how"] for item in data["items"]} == {"imported"}
    assert [item["external_number"] for item in data["items"][:15:5]] == [3, 1, 7]


def test_passages_are_those_that_the_model_was_given():
    data = humanfile.data()
    data["wombat-13b"][0]["question1_context1"] = "Other words"
    texts = {
        (item["model"], item["external_number"]): item["passage_1"]
        for item in whole(bring(data))["items"]
    }
    assert texts["wombat-13b", 3] == "Other words"
    assert texts["quokka-7b", 3] == "Abbey 3 is  1103."


def test_formulas_and_markup_in_a_file_run_nowhere(client):
    data = humanfile.data()
    data["quokka-7b"][0]["ModelAnswer_prompt_0"] = '=HYPERLINK("http://x.example")'
    data["quokka-7b"][0]["ModelAnswer_prompt_2"] = "I am quokka-7b <script>alert(1)</script>"
    study = bring(data)
    texts = {line["response"] for line in lines(study)}
    assert '\'=HYPERLINK("http://x.example")' in texts
    client.force_login(person("dora", Role.RESEARCHER))
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "I am quokka-7b &lt;script&gt;" in page
    assert "<script>alert" not in page


def test_comments_and_notes_of_ours_are_guarded_in_csv():
    study = judged.judged_study()
    assert {line["comment"] for line in lines(study)} == {"'=1+1"}


@pytest.mark.parametrize("form", list(exporting.FORMATS))
def test_an_export_asks_the_database_no_more_for_more_rows(form, django_assert_max_num_queries):
    study = bring(humanfile.data("quokka-7b", "wombat-13b", "emu-70b"))
    with django_assert_max_num_queries(14):
        "".join(exporting.FORMATS[form].chunks(study))


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
def test_the_page_links_to_every_way_out(client, role):
    study = bring()
    client.force_login(person("dora", role))
    page = client.get(f"/studies/{study.pk}/export/").content.decode()
    for name in exporting.FORMATS:
        path = f"/studies/{study.pk}/export/{name}/"
        assert f'href="{path}"' in page
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer["Content-Disposition"].startswith('attachment; filename="abbeys-judged')
    published = client.get(f"/studies/{study.pk}/export/published/")
    assert json.loads(b"".join(published.streaming_content)) == humanfile.data()


def test_a_study_made_here_has_no_published_file(client):
    study = judged.judged_study()
    client.force_login(person("dora", Role.RESEARCHER))
    assert "/export/published/" not in client.get(f"/studies/{study.pk}/").content.decode()
    answer = client.get(f"/studies/{study.pk}/export/published/")
    assertContains(answer, "Export it as json or csv", status_code=400)


@pytest.mark.parametrize("form", ["xml", "pdf"])
def test_an_unknown_format_is_not_found(client, form):
    study = bring()
    client.force_login(person("dora", Role.RESEARCHER))
    assert client.get(f"/studies/{study.pk}/export/{form}/").status_code == 404


def run(*arguments):
    out = io.StringIO()
    call_command(*map(str, arguments), stdout=out)
    return out.getvalue()


def test_the_commands_bring_a_file_in_and_out(tmp_path):
    source, target = tmp_path / "human.json", tmp_path / "out.json"
    source.write_text(json.dumps(humanfile.data()), encoding="utf-8")
    output = run("import_human_evaluation", source, "--study", "Abbeys judged")
    assert "Abbeys judged: imported." in output
    assert "responses   30" in output
    again = run("import_human_evaluation", source, "--study", "Abbeys judged")
    assert "nothing was added" in again
    output = run(
        "export_human_evaluation", "abbeys-judged", "--format", "published", "--out", target
    )
    assert json.loads(target.read_text(encoding="utf-8")) == humanfile.data()
    assert f"{target.stat().st_size} bytes" in output


@pytest.mark.parametrize("form", ["json", "csv"])
def test_the_command_writes_our_own_formats(tmp_path, form):
    study, target = judged.judged_study(), tmp_path / "out"
    run("export_human_evaluation", study.pk, "--format", form, "--out", target)
    text = "".join(exporting.FORMATS[form].chunks(study))
    assert target.read_text(encoding="utf-8") == text


def test_a_file_at_fault_is_refused_with_its_places(tmp_path):
    source, data = tmp_path / "human.json", humanfile.data()
    data["quokka-7b"][0]["ModelAnswer_prompt_2_humanEval"] = "Corect"
    del data["wombat-13b"][1]["title"]
    source.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(CommandError) as refused:
        run("import_human_evaluation", source, "--study", "Abbeys judged")
    assert "2 problems" in str(refused.value)
    assert 'is "Corect", not Correct' in str(refused.value)
    assert "model 'wombat-13b', row 2 (question_ID 1): 'title' is missing" in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("import_human_evaluation", "/nowhere/x.json", "--study", "x"), "cannot be read"),
        (("export_human_evaluation", "x", "--format", "csv", "--out", "/tmp/x"), "no study 'x'"),
    ],
)
def test_what_is_not_there_is_named(arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        run(*arguments)
