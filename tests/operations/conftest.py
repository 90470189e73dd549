import pytest
from django.core.management import call_command

from operations import backups
from tests.factories import person


@pytest.fixture
def data_dir(settings, tmp_path):
    """A DATA_DIR with people's files, and with files that backups leave out."""
    folder = tmp_path / "data"
    for name, text in {
        "files/letter.txt": "Sic.",
        "uploads/dump.export": "<mediawiki/>",
        "files/releases/mills-1.0.json": "[]",
        "notes/mine.txt": "Mine.",
        "secret_key": "a secret",
        "broker/queue/1.msg": "{}",
        "static/app.css": "",
        "running.lock": "",
        "backups/old.txt": "",
        "db.sqlite3-wal": "",
        ".hidden": "",
        "upload.part": "",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    settings.DATA_DIR = folder
    return folder


@pytest.fixture
def backup(data_dir, settings, tmp_path):
    """The path of a backup of two people and three files; its installation is empty now."""
    person("alice")
    person("bob")
    path = backups.make(tmp_path / "kept").path
    call_command("flush", interactive=False, verbosity=0)
    settings.DATA_DIR = tmp_path / "empty"
    settings.DATA_DIR.mkdir()
    return path
