"""Files of releases: written whole or not at all, found damaged, made for earlier releases, and verified."""

import io
import os

import pytest
from django.core.management import CommandError, call_command

from datasets.exporters.export_files import ExportFailed
from datasets.models import Collection, Release, ReleaseFile
from datasets.records import link_same_tag
from datasets.releasing import freezing, stored_files
from datasets.releasing.stored_files import FileDamaged, path_of, store
from leases.refusal import Conflict
from tests.datasets.declared import test_parts
from tests.datasets.factories import imported, mills, record

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def left():
    return sorted(path.name for path in stored_files.folder().rglob("*") if path.is_file())


def frozen(*titles):
    collection = mills(*(record(title=title) for title in titles or ("A", "B")))
    return freezing.freeze(collection=collection, version="1.0")


def test_each_format_is_a_file_with_a_name_of_its_own():
    release = frozen()
    files = list(release.files.all())
    assert [file.name for file in files] == [
        "mills-1.0-records.json",
        "mills-1.0-questions.csv",
        "mills-1.0-complete.json",
        "mills-1.0.zip",
    ]
    for file in files:
        stored_files.check(file)
        assert path_of(file.sha256).stat().st_size == file.bytes
    assert files[0].sha256 == release.sha256


def test_equal_bytes_are_one_file():
    assert store([b"a", b"b"]) == store([b"ab"])
    assert len(left()) == 1


def test_a_failure_while_writing_leaves_nothing():
    def fails():
        yield b"a"
        raise OSError(28, "No space left on device")

    with pytest.raises(ExportFailed, match="Nothing was released"):
        store(fails())
    assert left() == []


@pytest.mark.both
@pytest.mark.parametrize("step", ["store", "_recorded"])
def test_a_freeze_that_is_stopped_leaves_no_release(monkeypatch, step):
    collection = mills(record(title="A"))

    def stops(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(freezing, step, stops)
    with pytest.raises(KeyboardInterrupt):
        freezing.freeze(collection=collection, version="1.0")
    assert not Release.objects.exists()
    assert not ReleaseFile.objects.exists()
    monkeypatch.undo()
    freezing.freeze(collection=collection, version="1.0")
    assert verified() == "mills 1.0: all is as it was frozen\n"


@pytest.mark.both
def test_files_that_no_release_names_are_removed():
    release = frozen()
    now, stopped = store([b"of a freeze that goes on"]), store([b"of a freeze that was stopped"])
    os.utime(path_of(stopped.sha256), (0, 0))
    for file in release.files.all():
        os.utime(path_of(file.sha256), (0, 0))
    assert "Removed: 1 file of freezes that were stopped" in verified()
    path_of(now.sha256).unlink()
    assert left() == sorted(release.files.values_list("sha256", flat=True))


@pytest.mark.both
def test_a_collection_that_changes_meanwhile_is_not_released(monkeypatch):
    collection = mills(record(title="A"))
    written = freezing._written

    def changed(*args):
        imported(record(title="B"))
        return written(*args)

    monkeypatch.setattr(freezing, "_written", changed)
    with pytest.raises(Conflict, match="changed while it was frozen"):
        freezing.freeze(collection=collection, version="1.0")
    assert not Release.objects.exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b"{"),
        lambda path: path.write_bytes(b" " * path.stat().st_size),
    ],
)
def test_a_stored_file_that_is_gone_cut_off_or_changed_is_not_served(damage):
    file = frozen().files.first()
    stored_files.opened(file).close()
    damage(path_of(file.sha256))
    with pytest.raises(FileDamaged, match="is missing or damaged"):
        stored_files.opened(file)


def verified(*args, **options):
    out = io.StringIO()
    try:
        call_command("verify_release", *args, **options, stdout=out)
    except CommandError as error:
        return f"{out.getvalue()}{error}"
    return out.getvalue()


def test_a_file_that_was_changed_by_hand_is_found():
    file = frozen().files.first()
    assert verified() == "mills 1.0: all is as it was frozen\n"
    path = path_of(file.sha256)
    path.write_bytes(b" " * file.bytes)
    assert "mills-1.0-records.json is missing or damaged" in verified("mills", "1.0")


def test_a_link_made_after_the_freeze_does_not_change_the_stored_file():
    release = frozen()
    link_same_tag(*(row.contradiction for row in release.rows.all()))
    said = verified("mills")
    assert "Its rows give another mills-1.0-complete.json now" in said
    assert "Releases that differ" not in said


def test_a_release_of_parts_stays_as_it_was_when_its_collection_goes_on():
    """Its hash is that of the complete form, whose head has what is kept of each part's file, and the description."""
    collection = test_parts.imported(test_parts.dumped(test_parts.pond(1)), "simple").collection
    freezing.freeze(collection=collection, version="1.0")
    test_parts.imported(test_parts.dumped(test_parts.pond(2)), "explicit")
    Collection.objects.update(title="Ponds")
    assert verified() == "ponds 1.0: all is as it was frozen\n"
