"""Whatever is wrong with a backup or a disk: one sentence, nothing written, nothing left behind."""

import errno
import json
import os
import random
import shutil
import struct
import zipfile
from dataclasses import asdict

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from accounts.models import Person
from operations import restoring
from operations.bundle import MANIFEST, BadBundle, Bundle, Writer
from tests.operations.places import a_place, manage, python, rewritten, with_rows, written

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def fails(settings, capsys):
    """The sentence with which the command ends; nothing was written."""

    def run(path, *options):
        with pytest.raises(CommandError) as ended:
            call_command("restore", str(path), *options)
        assert not Person.objects.exists()
        assert {entry.name for entry in settings.DATA_DIR.iterdir()} <= {"running.lock"}
        assert len(str(ended.value).splitlines()) == 1
        return str(ended.value)

    return run


# ------------------------------------------------------------ the file


def a_folder(path):
    path.mkdir()


def a_fifo(path):
    os.mkfifo(path)


def a_loop(path):
    path.symlink_to(path)


def empty(path):
    path.touch()


def below_a_file(path):
    path.parent.joinpath("file").touch()
    path.symlink_to(path.parent / "file" / "a.zip")


def other_compression(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as file:
        file.writestr(MANIFEST, json.dumps({"format": "sic-et-non backup"}))


def manifest_twice(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(MANIFEST, "{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr(MANIFEST, "{}")


def no_json(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(MANIFEST, b"\xff\xfe{")


def unreadable_place(path):
    """An offset of the central directory before the file's start."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(MANIFEST, "{}")
    content = bytearray(path.read_bytes())
    at = content.rindex(b"PK\x05\x06") + 12
    content[at : at + 4] = struct.pack("<L", 2**31)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (a_folder, "is no file"),
        (a_fifo, "is no file"),
        (a_loop, "There is no file|cannot be read"),
        (below_a_file, "There is no file"),
        (empty, "its end is missing"),
        (other_compression, "compressed in another way"),
        (manifest_twice, "holds a part twice"),
        (no_json, "is no backup"),
        (unreadable_place, "is no backup|its end is missing|cannot be read"),
    ],
)
def test_a_file_that_is_no_backup(tmp_path, data_dir, settings, make, sentence):
    path = tmp_path / "a.zip"
    make(path)
    with pytest.raises(CommandError, match=sentence):
        call_command("restore", str(path))


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = written(tmp_path / "a.zip", {})

    def refused(*arguments, **options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(zipfile, "ZipFile", refused)
    with pytest.raises(BadBundle, match="cannot be read: Permission denied"):
        Bundle(path)


def test_no_changed_byte_gives_anything_but_a_sentence(tmp_path):
    path = written(tmp_path / "a.zip", {"files/files/a": b"Sic." * 50})
    whole, chance = path.read_bytes(), random.Random(1)
    for _ in range(600):
        changed = bytearray(whole)
        changed[chance.randrange(len(whole))] = chance.randrange(256)
        path.write_bytes(changed)
        try:
            bundle = Bundle(path)
            bundle.verify()
        except BadBundle:
            continue
        bundle.close()


def test_a_part_that_is_larger_than_it_says_is_not_read(tmp_path, monkeypatch):
    """A bomb: a small file that would be read for hours."""
    path = written(tmp_path / "a.zip", {"files/files/a": bytes(10_000_000)})
    assert path.stat().st_size < 100_000

    def less(manifest):
        manifest["files"][0]["bytes"] = 5

    bundle = Bundle(rewritten(path, tmp_path / "b.zip", less))
    monkeypatch.setattr(Bundle, "pieces", lambda *part: pytest.fail("read"))
    with pytest.raises(BadBundle, match="is damaged"):
        bundle.verify()
    bundle.close()


# ------------------------------------------------------------ the manifest


OF_ANOTHER_TYPE = [None, 5, -1, 2**70, "", "\ud800", "a\x1b[2J", [], [[]], [5], {}, {"a": 5}, True]


def changed(path, to, change):
    """A copy with the same parts under the same names, whatever the manifest says then."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for entry in old.infolist():
            if entry.filename != MANIFEST:
                new.writestr(entry, old.read(entry))
        manifest = json.loads(old.read(MANIFEST))
        change(manifest)
        new.writestr(MANIFEST, json.dumps(manifest))
    return to


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A file and a table, in a backup that no installation signed."""
    rows = {"table": "x.y", "columns": [], "rows": 0, "checksum": "", "last_key": 0}
    path = tmp_path_factory.mktemp("small") / "a.zip"
    with path.open("wb") as file:
        writer = Writer(file)
        parts = [asdict(writer.part(name, [])) for name in ("rows/x.jsonl", "files/files/a")]
        writer.close(
            {"app_version": "0", "made_at": "2026-01-01T00:00:00+00:00", "migrations": {},
             "key": "", "tables": [parts[0] | rows], "files": [parts[1]]},
            lambda manifest: "",
        )  # fmt: skip
    return path


def sentence_of(path):
    """The sentence with which the backup is refused; "" where it is only foreign, as nobody signed it."""
    try:
        bundle, ours = restoring.verified(path)
    except BadBundle as refused:
        return refused.message
    bundle.close()
    assert not ours
    return ""


@pytest.mark.parametrize("value", OF_ANOTHER_TYPE, ids=ascii)
def test_a_field_of_the_manifest_that_is_not_what_it_should_be(small, tmp_path, value):
    read = []
    for field in json.loads(zipfile.ZipFile(small).read(MANIFEST)):
        path = changed(small, tmp_path / "a.zip", lambda found: found.update({field: value}))  # noqa: B023
        if not sentence_of(path):
            read.append(field)
    assert set(read) <= {"key", "signature", "app_version", "migrations", "format_version"}


@pytest.mark.parametrize("value", OF_ANOTHER_TYPE, ids=ascii)
def test_a_field_of_a_part_that_is_not_what_it_should_be(small, tmp_path, value):
    read = []
    for kind in ("tables", "files"):
        for field in json.loads(zipfile.ZipFile(small).read(MANIFEST))[kind][0]:

            def change(found):
                found[kind][0][field] = value  # noqa: B023

            if not sentence_of(changed(small, tmp_path / "a.zip", change)):
                read.append(field)
    assert set(read) <= {"columns", "rows", "checksum", "last_key"}


def test_a_manifest_that_can_just_be_read_gives_a_sentence(small, tmp_path):
    """Each depth around the one at which reading, and then signing, comes to the end of its stack."""
    with zipfile.ZipFile(small) as old:
        start = old.read(MANIFEST).decode().rstrip("}\n ")
    said = set()
    for depth in range(850, 1000):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as new:
            new.writestr(MANIFEST, f'{start}, "x": {"[" * depth}{"]" * depth}}}')
        said.add(sentence_of(tmp_path / "a.zip").rpartition(": ")[2])
    assert said >= {"it cannot be read.", "its manifest is nested too deeply."}


@pytest.mark.both
@pytest.mark.parametrize(
    "migrations", [{}, {"accounts": ["0001_all_tables"]}, {"annotation": []}, {"nobody": []}]
)
def test_a_backup_of_too_few_tables(backup, tmp_path, migrations):
    def change(manifest):
        manifest.update(migrations=migrations, tables=[])

    path = rewritten(backup, tmp_path / "a.zip", change)
    with a_place(tmp_path / "new", with_tables=False) as place:
        done = manage(place, "restore", path)
    assert done.returncode == 1
    assert "CommandError" in done.stderr
    assert "Traceback" not in done.stderr


# ------------------------------------------------------------ rows


DEEP = b"[" * 100_000
PERSON = [
    *(1, "x", None, "alice", "Alice", "P-1", True, False, "2026-01-01T00:00:00+00:00"),
    *(True, None),
]
ROWS = [
    *(b"", b"{", b"5", b"null", b"{}", b"[]", b"[1]", b"\xff", DEEP),
    *([*PERSON[:n], value, *PERSON[n + 1 :]] for n, value in [
        (0, ["a"]), (0, float("inf")), (0, 10**30), (1, None), (2, "soon"), (2, {"a": 1}), (2, 5),
        (3, ["a"]), (4, "\ud800"), (6, "perhaps"), (6, [1]), (8, None), (8, "0000-00-00"), (10, "never"),
    ]),
]  # fmt: skip


@pytest.mark.both
def test_a_row_that_its_table_does_not_take(backup, tmp_path, fails):
    sentences = {
        ascii(row)[:90]: fails(with_rows(backup, tmp_path / "a.zip", "accounts.person", [row]))
        for row in ROWS
    }
    known = (
        "is no row",
        "is not taken by",
        "do not fit together",
        "does not read as it was written",
    )
    assert {row: said for row, said in sentences.items() if not any(k in said for k in known)} == {}


@pytest.mark.both
@pytest.mark.parametrize("where", ["table_of", "sums"])
def test_a_value_that_is_nested_too_deeply_to_be_written_or_compared(
    backup, fails, monkeypatch, where
):
    def deep(*given):
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr(restoring, where, deep)
    assert "do not fit together (maximum recursion depth exceeded)" in fails(backup)


def test_a_line_that_is_too_long_for_a_row(backup, tmp_path, fails, monkeypatch):
    monkeypatch.setattr("operations.bundle.MOST_LINE", 10)
    assert "Line 1 of rows/accounts.person.jsonl" in fails(backup)


# ------------------------------------------------------------ the disk


def test_files_that_do_not_fit_are_refused_before_a_byte_is_written(
    backup, settings, monkeypatch, fails
):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(9, 9, 3))
    assert "has 3 free" in fails(backup)


def test_a_folder_that_cannot_be_written_to(backup, monkeypatch, fails):
    def full(*aliases):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "running.lock")

    monkeypatch.setattr(restoring, "exclusive_access", full)
    assert "Nothing was restored: No space left on device" in fails(backup)


RESTORE_WITH_ROOM = """
import resource, sys
from django.core.management import execute_from_command_line
size = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
execute_from_command_line(["manage.py", "restore", sys.argv[1]])
"""


@pytest.mark.parametrize("size", [0, 100_000, 1_000_000])
def test_a_disk_that_fills_leaves_the_folder_as_empty_as_before(backup, tmp_path, size):
    """At the first byte, while tables are made, later: SQLite's file and its log cannot grow beyond the size."""
    with a_place(tmp_path / "new", with_tables=False) as place:
        done = python(place, "-c", RESTORE_WITH_ROOM, size, backup)
        left = [path.name for path in (tmp_path / "new").rglob("*") if path.is_file()]
        assert done.returncode == 1, done.stdout
        assert "Nothing was restored" in done.stderr
        assert left == ["running.lock"]
        assert manage(place, "restore", backup).returncode == 0


def test_rows_that_are_committed_stay_with_their_files(backup, settings, monkeypatch):
    """In a database that was there before, they cannot be taken back."""

    def full(*arguments, **options):
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(restoring, "bring_up_to_date", full)
    with pytest.raises(CommandError, match=r"Rows and files are restored\. Make room, then run"):
        call_command("restore", str(backup))
    assert Person.objects.count() == 2
    assert (settings.DATA_DIR / "uploads" / "dump.export").exists()
