"""No program of this version uses a database that a newer version has changed."""

import os
import subprocess
import sys

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from operations.schema_version import UnknownSchema, check_known
from tests.operations.places import ROOT, here, manage

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]

SAYS = "was last used by another version of Sic et Non: this one does not know judging.0099_later"


@pytest.fixture
def newer():
    recorder = MigrationRecorder(connection)
    recorder.record_applied("judging", "0099_later")
    yield
    recorder.record_unapplied("judging", "0099_later")


def test_a_database_that_is_known_passes():
    check_known()


def test_a_newer_one_is_refused_with_a_sentence(newer):
    with pytest.raises(UnknownSchema, match=SAYS):
        check_known()


def test_a_command_refuses_before_it_does_anything(newer, tmp_path):
    done = manage(here(tmp_path), "first_admin_link")
    assert (done.returncode, done.stdout) == (1, "")
    assert SAYS in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("gunicorn config.wsgi --bind 127.0.0.1:0 --threads 2 --no-control-socket", 3),
        ("celery --app config --quiet worker --queues work --pool threads --concurrency 1", 1),
        ("celery --app config --quiet beat", 1),
    ],
)
def test_web_worker_and_scheduler_refuse_to_start(newer, tmp_path, program, status):
    done = subprocess.run(
        [sys.executable, "-m", *program.split()],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **here(tmp_path),
             "CELERY_BROKER_URL": "filesystem://localhost"},
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    assert SAYS in done.stderr


def test_a_command_that_needs_no_database_does_not_ask_it(tmp_path):
    done = manage({**here(tmp_path), "DATABASE_URL": "postgres://nobody@127.0.0.1:9/none"}, "check")
    assert done.returncode == 0, done.stderr
