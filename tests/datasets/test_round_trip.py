"""Published records, frozen, brought to an empty installation with another database: all files have the same bytes."""

import json
import shutil

import pytest
from django.core.management import call_command

from datasets.models import Collection
from datasets.releasing.freezing import freeze
from datasets.releasing.stored_files import opened
from tests import conflictbank
from tests.datasets.complete import back, file_of, files_of, full
from tests.operations.places import here, python, sqlite_with_tables

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

# Brings in each complete form of the folder, and puts next to it what the collection exports there.
THERE = """
import sys
from pathlib import Path
import django; django.setup()
from protocols.shipped import file_of
from protocols.installed import install
from tests.datasets.complete import back, files_of
install(file_of("conflictbank"), "conflictbank.toml")
for path in sorted(Path(sys.argv[1]).glob("*.json")):
    collection = back(path.read_bytes(), path.stem).collection
    for name, data in files_of(collection).items():
        path.with_suffix("." + name).write_bytes(data)
"""
# Makes the same collection of published records there, and freezes it.
MADE_THERE = """
import shutil, sys
import django; django.setup()
from django.core.management import call_command
from datasets.models import Collection
from datasets.releasing.freezing import freeze, file_of
from datasets.releasing.stored_files import path_of
call_command("import_dataset", "wikicontradict", sys.argv[1], "--collection=there")
release = freeze(collection=Collection.objects.get(name="there"), version="1.0")
shutil.copy(path_of(file_of(release, "complete-json").sha256), sys.argv[2])
"""


@pytest.fixture
def elsewhere(tmp_path, tmp_path_factory):
    """`elsewhere(program, *arguments)`: run in an empty installation on SQLite."""
    tables = sqlite_with_tables(tmp_path_factory.mktemp("tables"))
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    shutil.copy(tables, folder / "db.sqlite3")
    place = {**here(folder), "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3"}

    def run(program: str, *arguments: object) -> None:
        done = python(place, "-c", program, *arguments)
        assert done.returncode == 0, done.stderr

    return run


@pytest.fixture
def files(tmp_path, settings):
    """A folder for files of collections, and a data folder of our own."""
    settings.DATA_DIR = tmp_path / "data"
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


def frozen(collection):
    """The complete form as a release has it."""
    release = freeze(collection=collection, version="1.0")
    with opened(release.files.get(format="complete-json")) as file:
        return file.read()


def test_invented_records_come_out_there_as_here(files, elsewhere):
    collections = [full("mills"), conflictbank.collection(3)]
    for collection in collections:
        (files / f"{collection.name}.json").write_bytes(frozen(collection))
    elsewhere(THERE, files)
    for collection in collections:
        for name, data in files_of(collection).items():
            assert (files / f"{collection.name}.{name}").read_bytes() == data


def test_the_published_records_come_out_there_as_here_and_here_as_there(
    files, elsewhere, study_data
):
    published = study_data / "wikicontradict/wikicontradict.json"
    call_command("import_dataset", "wikicontradict", published, "--collection=here", verbosity=0)
    collection = Collection.objects.get(name="here")
    (files / "here.json").write_bytes(frozen(collection))
    elsewhere(THERE, files)
    for name, data in files_of(collection).items():
        assert (files / f"here.{name}").read_bytes() == data
    elsewhere(MADE_THERE, published, files / "there.json")
    there = (files / "there.json").read_bytes()
    again = back(there, "there").collection
    assert file_of(again) == there == file_of(collection)
    assert json.loads(files_of(again)["wikicontradict-json"]) == json.loads(published.read_bytes())
