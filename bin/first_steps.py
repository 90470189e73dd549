"""Prepare the start of the servers: secret, database, demonstration set, the first administrator's link.

All in one process, since loading Django for each step would double the time of a start. The steps are reported
on standard error; only the link goes to standard output.
"""

import argparse
import io
import os
import sys
from pathlib import Path

from prepare import step

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--no-demo", action="store_true")
    no_demo = options.parse_args().no_demo
    write_secret()

    import django
    from django.db import DatabaseError

    django.setup()
    from operations.schema_version import start_only_if_known

    start_only_if_known()
    check_services()
    try:
        migrate()
        read_prompts()
        collect_static_files()
        if not no_demo:
            load_demonstration()
        print(first_admin_link())
    except DatabaseError as error:
        sys.exit(f"The database refused: {error}. See DATABASE_URL and the room on its disk.")


def read_prompts() -> None:
    """Store what is new in DATA_DIR/prompts; a file that is refused keeps nothing from starting."""
    from django.core.management import CommandError, call_command

    try:
        call_command("read_prompts", stdout=sys.stderr)
    except CommandError as refused:
        print(refused, file=sys.stderr)


def write_secret() -> None:
    from config import environment

    if not environment.given("SECRET_KEY"):
        environment.write_secret_key(environment.data_dir(ROOT))


def check_services() -> None:
    """Of Django's checks that of the settings. The others find mistakes in the code, and load every page."""
    from django.core.checks import run_checks

    if wrong := run_checks(tags=["services"]):
        sys.exit(" ".join(error.msg for error in wrong))


def migrate() -> None:
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        with step(f"Bringing the database up to date ({len(plan)} steps)", sys.stderr):
            call_command("migrate", interactive=False, verbosity=0)


def collect_static_files() -> None:
    """Once for each version of them."""
    from django.contrib.staticfiles.storage import staticfiles_storage
    from django.core.management import call_command

    if not staticfiles_storage.is_collected:
        with step("Collecting scripts and styles", sys.stderr):
            call_command("collectstatic", interactive=False, verbosity=0)


def load_demonstration() -> None:
    """Only into an empty database, so as not to mix it with people's own work."""
    from django.core.management import call_command

    from accounts.models import Person
    from datasets.models import Collection

    if not Person.objects.exists() and not Collection.objects.exists():
        with step("Loading the demonstration set", sys.stderr):
            call_command("load_demonstration", verbosity=0)


def first_admin_link() -> str:
    from django.core.management import call_command

    link = io.StringIO()
    call_command("first_admin_link", stdout=link, stderr=io.StringIO())
    return link.getvalue().strip()


main()
