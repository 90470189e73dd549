"""Whoever has written many rows tells the database's planner, which else plans for tables of a guessed size."""

import json

import pytest

from annotation.models import Assignment
from bench.common import read_pages
from datasets.models import Contradiction
from generation.models import Response
from judging import rounds, rubric_versions
from judging.files.importing import import_human_evaluation
from judging.files.predictions import import_predictions
from judging.machine import control
from judging.models import JudgeCall, JudgingSlot, MachineVerdict, Resolution, StudyItem
from judging.studies import close_study
from tests.annotation import factories as annotation
from tests.datasets.factories import imported, record
from tests.generation import factories as generation
from tests.generation.conftest import fake, local
from tests.judging import factories as judging
from tests.judging import humanfile
from tests.leases.test_planner import known_size
from wikifetch.models import Sighting, Tag

__all__ = ["fake", "local"]
pytestmark = [pytest.mark.both, pytest.mark.django_db]


def fetch(tmp_path):
    read_pages(tmp_path, 3)


def judge_again(_):
    study = judging.open_study()
    close_study(study)
    version = rubric_versions.save(
        study.rubric.body, newest=study.rubric.version, by=study.created_by
    )
    judges = [judging.judge(name) for name in ("carla", "dora")]
    plan = rounds.RoundPlan("Once more.", version, True, judges)
    rounds.judge_again(study, rounds.JudgedAgain(), plan, by=study.created_by)


def import_evaluation(_):
    import_human_evaluation(json.dumps(humanfile.data()).encode(), "Abbeys judged")


def ask_a_judge_model(_):
    control.begin(judging.open_study(), generation.echo())


def read_replies(_):
    import_predictions(judging.open_study(), b"item,reply\n1,evaluation: correct\n", "Elsewhere")


@pytest.mark.parametrize(
    ("write", "models"),
    [
        (fetch, (Tag, Sighting)),
        (lambda _: annotation.campaign(tags=3), (Assignment,)),
        (lambda _: imported(record()), (Contradiction,)),
        (lambda _: generation.run(started=False), (Response,)),
        (lambda _: judging.draft(), (StudyItem,)),
        (lambda _: judging.open_study(), (StudyItem, JudgingSlot)),
        (judge_again, (JudgingSlot,)),
        (import_evaluation, (Contradiction, Response, StudyItem, Resolution)),
        (ask_a_judge_model, (MachineVerdict,)),
        (read_replies, (MachineVerdict, JudgeCall)),
    ],
)
def test_the_planner_learns_of_what_was_written(
    write, models, tmp_path, local, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        write(tmp_path)
    for model in models:
        assert known_size(model) == model._base_manager.count() > 0
