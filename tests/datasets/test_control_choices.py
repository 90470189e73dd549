"""A checked file of Label Studio: its controls are named, its annotators get a collection each."""

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.roles import Role
from datasets.control_choices import (
    import_each_annotator,
    name_controls,
    names_in_collections,
)
from datasets.importers import import_jobs
from datasets.models import Collection, ImportJob
from datasets.records import current, record_of
from leases.refusal import Conflict, Refusal
from tests.datasets import labelstudio
from tests.datasets.labelstudio.make_export import record, seconds
from tests.datasets.labelstudio.test_reading import with_types
from tests.factories import person

EXPORT = (Path(labelstudio.__file__).parent / "export.json").read_text(encoding="utf-8")
RENAMED = EXPORT.replace('"wikitag_label_valid"', '"valid?"').replace('"qa_comment"', '"mood"')

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(tmp_path, settings):
    settings.DATA_DIR = tmp_path
    return tmp_path / "uploads"


@pytest.fixture
def olga():
    return person("olga", Role.ADMIN)


def begun(by, text=EXPORT, *, into="moved", is_confirmed=False, **options):
    return import_jobs.begin(
        file=SimpleUploadedFile("export.json", text.encode()),
        collection_name=into,
        format="label-studio",
        options=options,
        is_confirmed=is_confirmed,
        by=by,
    )


def carried_out(job):
    import_jobs.carry_out(job.pk)
    job.refresh_from_db()
    return job


def records(name):
    return [record_of(row) for row in current(Collection.objects.get(name=name))]


def test_a_check_lists_controls_and_annotators(olga):
    job = carried_out(begun(olga, taken="annotator", annotator="1"))
    assert job.report["annotators"] == {"1": 10, "2": 9}
    assert {one["key"] for one in job.report["controls"]} > {"taxonomy", "question1"}


def test_controls_are_named_after_a_check_that_refused_the_file(olga):
    job = carried_out(begun(olga, RENAMED, taken="annotator", annotator="1"))
    assert (job.state, job.is_refused) == ("checked", True)
    assert "'valid?' (choices, 10 times) is no name of the study" in job.report["problems"][0]
    with pytest.raises(Conflict, match="The file was refused"):
        import_jobs.confirm(job)
    name_controls(job, {"valid?": "wikitag_label_valid", "mood": "qa_comment"})
    assert carried_out(job).report["records"] == 10
    import_jobs.confirm(job)
    assert carried_out(job).state == "done"
    assert records("moved") == [with_types(record(n)) for n in range(1, 11)]


def test_a_file_that_lacks_names_can_be_named_though_nobody_asked_for_a_check(olga, folder):
    job = carried_out(begun(olga, RENAMED, is_confirmed=True))
    assert (job.state, job.is_refused, job.is_confirmed) == ("checked", True, False)
    assert not Collection.everything.exists()
    assert len([*folder.iterdir()]) == 1
    name_controls(job, {"valid?": "wikitag_label_valid"})
    assert carried_out(job).report["records"] == 10


def test_of_two_checks_whose_controls_get_the_same_names_one_is_refused(olga):
    names = {"valid?": "wikitag_label_valid"}
    first = carried_out(begun(olga, RENAMED))
    name_controls(first, names)
    second = carried_out(begun(person("oscar", Role.ADMIN), RENAMED))
    with pytest.raises(Conflict, match="with these choices is under way already"):
        name_controls(second, names)
    second.refresh_from_db()
    assert second.state == "checked"


def test_a_control_without_a_name_is_reported_and_not_in_the_way(olga):
    names = {"valid?": "wikitag_label_valid"}
    job = carried_out(begun(olga, RENAMED, is_confirmed=True, names=names))
    assert job.state == "done"
    [line] = [line for line in job.report["reported"] if "mood" in line]
    assert "results of the control 'mood' (textarea), which the study's form lacks" in line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": {"mood": "moods"}}, "is no key of the published record"),
        ({"names": ["mood"]}, "The option names is an object"),
        ({"names": {"mood": 1}}, "The option names is an object"),
        ({"taken": "all"}, "The option taken is one of"),
        ({"taken": "annotator"}, "Name the annotator"),
    ],
)
def test_options_that_cannot_be_are_refused_at_once(olga, folder, options, message):
    with pytest.raises(Refusal, match=message):
        begun(olga, **options)
    assert not folder.exists()


def test_an_import_that_is_over_has_no_controls_to_name(olga):
    job = carried_out(begun(olga, is_confirmed=True))
    with pytest.raises(Conflict):
        name_controls(job, {})


def test_each_annotator_gets_a_collection(olga, folder, django_capture_on_commit_callbacks):
    job = carried_out(begun(olga))
    with django_capture_on_commit_callbacks(execute=True):
        jobs = import_each_annotator(job, olga)
    job.refresh_from_db()
    assert job.state == "discarded"
    assert [carried_out(each).state for each in jobs] == ["done", "done"]
    assert list(folder.iterdir()) == []
    first, second = (f"moved-annotator-{n}" for n in (1, 2))
    assert records(first) == [with_types(record(n)) for n in range(1, 11)]
    assert records(second) == [with_types(seconds(n)) for n in range(1, 10)]


def test_without_room_for_the_name_no_import_begins(olga):
    job = carried_out(begun(olga, into="a" * 75))
    with pytest.raises(Refusal, match="cannot name a collection"):
        import_each_annotator(job, olga)
    job.refresh_from_db()
    assert (job.state, ImportJob.objects.count()) == ("checked", 1)


def test_the_work_of_one_annotator_is_not_parted(olga):
    [task, *_] = json.loads(EXPORT)
    task["annotations"] = task["annotations"][:1]
    job = carried_out(begun(olga, json.dumps([task])))
    with pytest.raises(Conflict, match="no annotations of several annotators"):
        import_each_annotator(job, olga)


def test_a_file_of_more_annotators_than_are_listed_is_not_parted(olga):
    tasks = json.loads(EXPORT)[:1]
    [made, *_] = tasks[0]["annotations"]
    tasks[0]["annotations"] = [{**made, "completed_by": n} for n in range(201)]
    job = carried_out(begun(olga, json.dumps(tasks)))
    with pytest.raises(Conflict, match="of 200 annotators or more"):
        import_each_annotator(job, olga)
    job.refresh_from_db()
    assert (job.state, ImportJob.objects.count()) == ("checked", 1)


def test_annotators_have_names_that_differ_and_name_nobody():
    assert names_in_collections(["ann@a.example", "1", "p-7kq2mx", "ann@b.example", "חג"]) == {
        "ann@a.example": "2",
        "1": "1",
        "p-7kq2mx": "p-7kq2mx",
        "ann@b.example": "3",
        "חג": "4",
    }
