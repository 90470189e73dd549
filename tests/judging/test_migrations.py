"""Rows of before a migration: taken back to their old columns, and brought forward, they say what they did."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from judging import rounds, rubric_versions, studies
from judging.files.predictions import import_predictions
from judging.machine import control
from judging.models import Judge, JudgePrompt, MachineVerdict
from tests.generation.factories import echo
from tests.judging import factories as make

pytestmark = pytest.mark.django_db(transaction=True)

REPLIES = b"item,reply\n0,evaluation: correct\n1,no idea\n2,evaluation: correct evaluation: incorrect\n3,\n"


@pytest.fixture
def taken_back():
    """A function that leaves the tables as they were before judge prompts and what replies hold; undone at the end."""

    def back():
        MigrationExecutor(connection).migrate([("judging", "0005_add_discussions")])

    yield back
    forward()


def forward():
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def replies():
    rows = MachineVerdict.objects.filter(judge__external="Elsewhere").order_by("item__position")
    return list(rows.values_list("item__position", "state", "holds", "rubric__version"))


def test_machine_verdicts_of_before_get_their_version_kind_and_prompt(taken_back, local):
    study = make.open_study()
    first = study.rubric.version
    import_predictions(study, REPLIES, "Elsewhere")
    asked = control.begin(study, echo())
    template = asked.prompt.template
    studies.close_study(study)
    body = {**study.rubric.body, "title": "Clearer"}
    new = rubric_versions.save(body, newest=first, by=study.created_by)
    planned = rounds.Plan("Why", new, True, [make.judge("dora"), make.judge("emil")])
    rounds.judge_again(study, rounds.Again(numbers=[0]), planned, by=study.created_by)
    before = replies()
    assert [row[2] for row in before] == ["one", "none", "several", "nothing"]
    assert {row[3] for row in before} == {first}
    taken_back()
    forward()
    assert replies() == before
    # What still waits is asked by the round that its response is in now.
    waits = MachineVerdict.objects.filter(judge=asked.pk).order_by("item__position")
    versions = list(waits.values_list("rubric__version", "holds"))
    assert versions[:2] == [(new.version, ""), (first, "")]
    assert Judge.objects.get(pk=asked.pk).prompt.template == template
    assert JudgePrompt.objects.get().version == 1
    assert Judge.objects.get(external="Elsewhere").prompt is None
