"""A human evaluation on its way: in short steps, on no page before the last one, and gone if it stops."""

import pytest
from django.db import DatabaseError, connection
from django.test import Client

from accounts.roles import Role
from datasets import tasks
from datasets.importers import arriving
from datasets.models import Collection
from generation.models import LanguageModel, Response, Run
from judging.files import importing
from judging.models import Study, StudyItem
from leases.clock import in_seconds
from leases.refusal import Conflict
from tests.factories import person
from tests.judging import humanfile
from tests.judging.files.test_importing import ROWS, bring

pytestmark = [pytest.mark.both, pytest.mark.django_db]
STEPS = 6  # the beginning, two of questions, two of rows, the last


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    monkeypatch.setattr(importing, "BATCH", 2)
    monkeypatch.setattr(importing, "ROWS", 4)


def kept():
    return {model.__name__: model._base_manager.count() for model in ROWS}


def before_step(monkeypatch, number, act):
    """Call `act` before that step of an import, counted from 1; returns the list of steps begun."""
    step, begun = arriving.ArrivingImport.step, []

    def noted(self):
        begun.append(connection.in_atomic_block)
        if len(begun) == number:
            act()
        return step(self)

    monkeypatch.setattr(arriving.ArrivingImport, "step", noted)
    return begun


@pytest.mark.django_db(transaction=True)
def test_every_step_is_a_transaction_of_its_own(monkeypatch):
    begun = before_step(monkeypatch, 0, None)
    bring(humanfile.data())
    assert begun == [False] * STEPS


def test_an_evaluation_that_is_under_way_is_on_no_page(monkeypatch):
    admin, seen = Client(), {}
    admin.force_login(person("olga", Role.ADMIN))

    def look():
        study, run = Study.everything.get(), Run.everything.get()
        item, response = StudyItem.objects.first(), Response.objects.first()
        pages = (
            f"/studies/{study.pk}/",
            f"/studies/{study.pk}/export/json/",
            f"/reports/{study.pk}/",
            f"/runs/{run.pk}/",
            f"/runs/{run.pk}/responses/",
            f"/runs/{run.pk}/two-models/",
            f"/runs/{run.pk}/responses/{response.pk}/",
            f"/api/runs/{run.pk}/",
            f"/contradictions/{response.instance.contradiction_id}/",
        )
        seen["pages"] = {admin.get(path).status_code for path in pages}
        lists = ("/studies/", "/reports/", "/runs/", "/models/", "/collections/", "/studies/new/",
                 "/api/models/", "/api/runs/", "/")  # fmt: skip
        words = (study.name, run.name, "quokka-7b")
        content = [admin.get(path).content.decode() for path in lists]
        seen["lists"] = [word for word in words for text in content if word in text]
        assert item.study_id == study.pk

    before_step(monkeypatch, STEPS, look)
    report = bring(humanfile.data())
    assert seen == {"pages": {404}, "lists": []}
    assert admin.get(f"/studies/{report.study.pk}/").status_code == 200
    assert "quokka-7b" in admin.get("/models/").content.decode()


@pytest.mark.parametrize("error", [KeyboardInterrupt, DatabaseError, MemoryError])
@pytest.mark.parametrize("number", range(1, STEPS + 1))
def test_an_evaluation_that_stops_leaves_nothing(monkeypatch, number, error):
    def stop():
        raise error

    before_step(monkeypatch, number, stop)
    with pytest.raises(error):
        bring(humanfile.data())
    assert set(kept().values()) == {0}


def test_what_a_killed_import_left_is_removed_after_its_hold(monkeypatch):
    bring(humanfile.data("quokka-7b"), "Earlier")
    before = kept()
    monkeypatch.setattr(arriving, "_remove", lambda waiting: None)  # as a kill leaves it
    before_step(monkeypatch, STEPS, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        bring(humanfile.data())
    monkeypatch.undo()
    assert tasks.sweep_imports() == 0
    assert kept() != before
    Collection.everything.filter(arriving_until__isnull=False).update(arriving_until=in_seconds(-1))
    assert tasks.sweep_imports() == 1
    assert kept() == before  # the model of the earlier one too
    assert [model.model_id for model in LanguageModel.objects.all()] == ["quokka-7b"]


def test_a_study_of_that_name_made_in_the_meantime_is_not_mixed_with(monkeypatch):
    before_step(monkeypatch, STEPS, lambda: bring(humanfile.data("emu-1b")))
    with pytest.raises(Conflict, match="made in the meantime"):
        bring(humanfile.data())
    assert Study.everything.count() == Collection.everything.count() == 1
    assert [model.model_id for model in LanguageModel.objects.all()] == ["emu-1b"]


def test_an_import_whose_hold_ran_out_is_refused(monkeypatch):
    late = in_seconds(-1)
    before_step(monkeypatch, 4, lambda: Collection.everything.update(arriving_until=late))
    with pytest.raises(Conflict, match="stopped for too long"):
        bring(humanfile.data())
    assert set(kept().values()) == {0}
