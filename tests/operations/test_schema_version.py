"""No program of this version uses a database that a newer version has changed."""

import os
import subprocess
import sys

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from operations.health import missing_migrations
from operations.schema_version import UnknownSchema, applied, check_known, check_up_to_date
from tests.operations.places import PARTS, ROOT, here, manage, python, until

pytestmark = pytest.mark.django_db(transaction=True)

SAYS = "was last used by a newer version of Sic et Non: this one does not know judging.0099_later"


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


@pytest.fixture
def had():
    """A function that leaves of a room's migrations the records of these alone; undone at the end."""
    recorder = MigrationRecorder(connection)
    before = set(recorder.applied_migrations())

    def only(room, names):
        for key in before:
            if key[0] == room and key[1] not in names:
                recorder.record_unapplied(*key)

    yield only
    for key in before - set(recorder.applied_migrations()):
        recorder.record_applied(*key)


@pytest.mark.parametrize("last", PARTS)
def test_one_older_than_the_first_migrations_is_refused_with_a_sentence(had, last):
    had("judging", until(last))
    with pytest.raises(UnknownSchema, match=r"from before judging\.0001_all_tables\. Nothing was"):
        check_known()


@pytest.mark.parametrize("command", ["migrate", "first_admin_link"])
def test_one_that_is_older_is_refused_by_commands(had, tmp_path, command):
    had("judging", until(PARTS[1]))
    done = manage(here(tmp_path), command)
    assert done.returncode == 1
    assert "from before judging.0001_all_tables. Nothing was changed." in done.stderr
    assert "Traceback" not in done.stderr


FOLDED = ("accounts", "datasets", "evaluation", "generation", "judging")


@pytest.mark.parametrize("command", ["manage.py migrate", "bin/first_steps.py --no-demo"])
def test_one_that_had_all_that_the_first_migrations_replace_goes_on(had, tmp_path, command):
    """Only their own records are added, also where a start has nothing to do."""
    for room in FOLDED:
        had(room, set(applied("default")[room]) - {"0001_all_tables"})
    done = python(here(tmp_path), *command.split())
    assert done.returncode == 0, done.stderr
    assert "Applying" not in done.stdout
    check_up_to_date()
    assert missing_migrations() == 0


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
