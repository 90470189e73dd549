"""Reports that were frozen before their runs were stored."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from evaluation.frozen import publishing, snapshots
from judging import studies
from judging.published import over_runs
from tests.evaluation.factories import judged_study
from tests.judging.factories import later_run, open_study

pytestmark = pytest.mark.django_db(transaction=True)


def migrate(*targets):
    executor = MigrationExecutor(connection)
    executor.migrate(list(targets) or executor.loader.graph.leaf_nodes())


def test_a_report_of_before_gets_the_runs_of_its_study(rita):
    study = judged_study()
    studies.close_study(study)
    shown = publishing.publish(snapshots.freeze(study, by=rita)[0], by=rita)
    other = open_study("carl", "dora", name="Another", drawn_from=later_run())
    snapshots.freeze(other, by=rita)
    run = shown.runs.get()
    try:
        migrate(("evaluation", "0001_tables"))
    finally:
        migrate()
    shown.refresh_from_db()
    assert list(shown.runs.all()) == [run]
    assert [one.run for one in over_runs([run.pk])] == [run.pk]
