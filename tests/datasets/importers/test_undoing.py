"""Undoing an import: its records are gone at once and for good, and nobody else's; none of them while one is used."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from structlog.testing import capture_logs

from accounts.models import Person
from accounts.roles import Role
from datasets import exclusions, revisions, subsets, tasks
from datasets.drawing import SubsetPlan
from datasets.importers import import_jobs
from datasets.models import Collection, Contradiction, Exclusion, ImportJob, Instance, Subset
from datasets.records import current
from datasets.releasing import freeze_jobs
from datasets.releasing.freezing import freeze
from datasets.subsets import Query
from generation import runs
from generation.models import Response, Run
from generation.prompts import prompting
from leases.clock import in_seconds
from leases.refusal import Conflict, NotFoundHere
from tests.datasets.factories import edited, imported, record, text_of
from tests.factories import person
from tests.generation.factories import echo
from tests.races import overlapping

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def folder(tmp_path, settings):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def service(settings):
    settings.INFERENCE_SERVICES = {"local": {"url": "http://127.0.0.1:9/v1"}}


def admin(name):
    return Person.objects.filter(username=name).first() or person(name, Role.ADMIN)


def by_job(*titles, into="mills"):
    """The finished import of records with these titles."""
    job = import_jobs.begin(
        file=SimpleUploadedFile("mills.json", text_of(*(record(title=title) for title in titles))),
        collection_name=into,
        format="wikicontradict",
        by=admin("olga"),
    )
    import_jobs.carry_out(job.pk)
    job.refresh_from_db()
    assert job.state == "done", job.error
    return job


def undone(job):
    import_jobs.undo(job, job.created_by)
    job.refresh_from_db()
    return job


def titles(name="mills"):
    return [row.title for row in current(Collection.objects.get(name=name))]


def test_what_an_import_made_is_gone_and_a_sweep_removes_it():
    job = by_job("A", "B")
    assert undone(job).state == "undone"
    assert not Collection.objects.exists()
    assert Contradiction.objects.count() == 2  # where nobody sees them
    tasks.sweep_imports()
    assert not Collection.everything.exists()
    assert not Contradiction.objects.exists()
    assert by_job("A").report["added"] == 1


def test_others_records_stay_where_they_are():
    imported(record(title="A"))
    first, second = by_job("A", "B", "C"), by_job("C", "D")
    assert (first.report["already_there"], second.report["already_there"]) == (1, 1)
    undone(first)
    assert titles() == ["A", "D"]
    third = by_job("B")
    undone(second)
    assert titles() == ["A", "B"]
    undone(third)
    tasks.sweep_imports()
    assert titles() == ["A"]
    assert Contradiction.objects.count() == 1


def test_an_import_does_not_undo_the_records_of_one_that_came_after_it_was_undone():
    kept, gone = by_job("A"), by_job("B")
    undone(gone)
    by_job("C")
    import_jobs.undo(gone, gone.created_by)
    assert titles() == ["A", "C"]
    assert kept.made["is_new"]


def test_a_collection_that_was_made_anew_is_not_the_imports():
    job = by_job("A")
    Instance.objects.all().delete()
    Contradiction.objects.all().delete()
    Collection.objects.all().delete()
    imported(record(title="B"))
    undone(job)
    assert titles() == ["B"]


def test_a_collection_with_which_somebody_works_stays(settings):
    job = by_job("A")
    Subset.objects.create(collection=Collection.objects.get(), name="None yet", seed=1, frame=1)
    undone(job)
    assert titles() == []


def test_an_import_that_added_nothing_has_nothing_to_undo():
    by_job("A")
    with pytest.raises(Conflict, match="This import added no record"):
        undone(by_job("A"))


def excluded(question):
    return exclusions.exclude(instance=question, reason="No mill.", by=admin("oscar"))


def revised(question):
    first = revisions.originals(question).passage_1
    texts = revisions.Texts(first, first, "1791")
    return revisions.write(instance=question, texts=texts, by=admin("oscar"))


def drawn(question):
    return subsets.freeze("All", question.contradiction.collection, Query(), SubsetPlan(7), by=None)


def run_over(question):
    return runs.create(
        collection=question.contradiction.collection,
        models=[echo()],
        prompts=[prompting.prompts()["passage-1"]],
    )


def released(question):
    return freeze(collection=question.contradiction.collection, version="1.0")


def begun_to_freeze(question):
    collection = question.contradiction.collection
    return freeze_jobs.begin(collection=collection, version="1.0", notes="", by=admin("oscar"))


@pytest.mark.parametrize(
    ("use", "named"),
    [
        (excluded, "1 exclusion"),
        (revised, "1 revised passage"),
        (drawn, "1 subset"),
        (run_over, "2 responses"),
        (released, "release 1.0"),
        (begun_to_freeze, "1 freeze under way"),
        (lambda question: edited(question.contradiction, title="A again"), "1 later version"),
    ],
)
def test_an_import_whose_records_are_used_is_not_undone(service, use, named):
    job = by_job("A", "B")
    use(Instance.objects.earliest("pk"))
    before = Contradiction.objects.count()
    with pytest.raises(Conflict, match=f"records of this import are used: {named}. Undo those"):
        undone(job)
    job.refresh_from_db()
    assert job.state == "done"
    assert Collection.objects.get().contradictions.count() == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("use", [excluded, revised, drawn, released, begun_to_freeze])
def test_who_uses_a_record_while_it_is_undone_finds_it_gone(use):
    job, question = by_job("A"), Instance.objects.select_related("contradiction__collection").get()
    refusal = overlapping(
        lambda: import_jobs.undo(ImportJob.objects.get(), job.created_by), lambda: use(question)
    )
    assert isinstance(refusal, NotFoundHere)
    tasks.sweep_imports()
    assert not Contradiction.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("others", [[], ["B"]], ids=["the collection went too", "others stay"])
def test_a_run_is_not_made_over_records_that_are_undone_meanwhile(service, others):
    if others:
        by_job(*others)
    job, question = by_job("A"), Instance.objects.select_related("contradiction__collection").last()
    refusal = overlapping(lambda: import_jobs.undo(job, job.created_by), lambda: run_over(question))
    # On SQLite one waits for the other, and then reads what is left.
    assert refusal or others
    asked = Response.objects.values_list("instance__contradiction__title", flat=True)
    assert [*asked] == ([] if refusal else others)
    assert Run.objects.count() == len(asked)
    tasks.sweep_imports()
    assert Contradiction.objects.count() == len(others)


@pytest.mark.django_db(transaction=True)
def test_records_that_cannot_be_removed_are_in_no_other_imports_way(service):
    by_job("A")
    run_over(Instance.objects.get())
    hidden = Collection.everything.create(name="~a", arriving_until=in_seconds(-1))
    Contradiction.objects.update(collection=hidden)
    with capture_logs() as logs:
        assert [tasks.sweep_imports() for _ in range(2)] == [0, 0]
    assert [line["event"] for line in logs] == ["rows_not_removed"]  # once
    assert by_job("B").state == "done"
    Response.objects.all().delete()
    assert tasks.sweep_imports() == 1
    assert titles() == ["B"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("use", [excluded, drawn, run_over])
def test_an_import_is_not_undone_while_somebody_begins_to_use_it(service, use):
    job, question = by_job("A"), Instance.objects.select_related("contradiction__collection").get()
    refusal = overlapping(lambda: use(question), lambda: import_jobs.undo(job, job.created_by))
    assert isinstance(refusal, Conflict)
    assert titles() == ["A"]
    assert sum(model.objects.count() for model in (Exclusion, Subset, Run)) == 1
