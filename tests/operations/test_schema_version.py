"""No program of this version uses a database that a newer version has changed."""

import os
import subprocess
import sys

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from operations.monitoring.health import missing_migrations
from operations.schema_version import UnknownSchema, applied, check_known, check_up_to_date
from tests.operations.places import PARTS, ROOT, former, here, manage, python

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]

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
    """A function that leaves of these rooms' migrations the records of these names alone; undone at the end."""
    recorder = MigrationRecorder(connection)
    before = set(recorder.applied_migrations())

    def only(migrations):
        now = {(room, name) for room, names in migrations.items() for name in names}
        for key in before - now:
            if key[0] in migrations:
                recorder.record_unapplied(*key)
        for key in now - before:
            recorder.record_applied(*key)

    yield only
    after = set(recorder.applied_migrations())
    for key in after - before:
        recorder.record_unapplied(*key)
    for key in before - after:
        recorder.record_applied(*key)


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_one_with_former_migrations_alone_is_refused_with_a_sentence(had, part):
    had({"judging": former()["judging"][part]})
    with pytest.raises(UnknownSchema, match=r"from before judging\.0001_all_tables\. Nothing was"):
        check_known()
    assert missing_migrations() > 0  # what /readyz says


@pytest.mark.parametrize("command", ["manage.py migrate", "bin/first_steps.py --no-demo"])
def test_one_that_is_older_is_refused_by_commands_that_say_what_to_do(had, tmp_path, command):
    had({"judging": former()["judging"][PARTS["some"]]})
    done = python(here(tmp_path), *command.split())
    assert done.returncode == 1
    assert "from before judging.0001_all_tables. Nothing was changed." in done.stderr
    assert "Start commit 04fb733" in done.stderr
    assert "Traceback" not in done.stderr


def test_one_of_04fb733_goes_on_and_leaves_the_former_names_behind(had, tmp_path):
    now = applied("default")
    here_and_then = {room: [*now[room], *former().get(room, [])] for room in now}
    had(here_and_then | {"operations": former()["operations"]})
    check_known()
    done = manage(here(tmp_path), "migrate")
    assert done.returncode == 0, done.stderr
    check_up_to_date()
    assert missing_migrations() == 0
    assert applied("default") == now


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
