"""A backup's file: verified to its end, and refused if it is incomplete or another program's."""

import stat
import zipfile

import pytest

from operations.bundle import BadBundle, Bundle
from tests.operations.places import rewritten, written

ROWS = {
    "name": "rows/x",
    "bytes": 0,
    "sha256": "",
    "table": "x",
    "columns": [],
    "rows": 0,
    "checksum": "",
}


def test_what_is_written_is_read(tmp_path):
    path = written(tmp_path / "a.zip", {"files/files/a": b"Sic.", "files/files/b/c": b""})
    bundle = Bundle(path)
    bundle.verify()
    assert b"".join(bundle.pieces(bundle.files[0])) == b"Sic."
    assert [part.bytes for part in bundle.files] == [4, 0]
    bundle.close()


def test_equal_parts_make_equal_files(tmp_path):
    one, other = (written(tmp_path / name, {"files/files/a": b"Sic." * 99}) for name in "ab")
    assert one.read_bytes() == other.read_bytes()


def test_a_file_truncated_anywhere_is_refused(tmp_path):
    path = written(tmp_path / "a.zip", {"files/files/a": bytes(range(256)) * 16})
    whole = path.read_bytes()
    for end in range(0, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:end])
        with pytest.raises(BadBundle, match="its end is missing"):
            Bundle(path)


def test_a_changed_byte_is_detected(tmp_path):
    path = written(tmp_path / "a.zip", {"files/files/a": bytes(range(256)) * 16})
    whole = bytearray(path.read_bytes())
    whole[whole.index(b"files/files/a") + 40] ^= 0xFF
    path.write_bytes(whole)
    bundle = Bundle(path)
    with pytest.raises(BadBundle, match="is damaged: files/files/a"):
        bundle.verify()
    bundle.close()


def test_an_added_part_is_detected(tmp_path):
    path = written(tmp_path / "a.zip", {"files/files/a": b"Sic."})
    with zipfile.ZipFile(path, "a") as more:
        more.writestr("files/files/b", "Et non.")
    bundle = Bundle(path)
    with pytest.raises(BadBundle, match="parts that its manifest names"):
        bundle.verify()
    bundle.close()


def test_another_programs_files_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("Dear all,")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("a.txt", "Dear all,")
    with zipfile.ZipFile(tmp_path / "named.zip", "w") as other:
        other.writestr("manifest.json", '{"name": "an extension"}')
    for name, error in [("a.txt", "or only part of one"), ("other.zip", "it has no manifest"),
                       ("named.zip", "is no backup of Sic et Non"), ("none.zip", "There is no file")]:  # fmt: skip
        with pytest.raises(BadBundle, match=error):
            Bundle(tmp_path / name)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"format_version": 1}, "another version"),
        ({"tables": [{"name": "rows/x"}]}, "cannot be read"),
        ({"tables": [{**ROWS, "last_key": "5"}]}, "cannot be read"),
        ({"tables": [{**ROWS, "name": 5}]}, "cannot be read"),
        ({"tables": [{**ROWS, "last_key": 2**63}]}, "keys that no table has"),
        ({"tables": [{**ROWS, "last_key": -1}]}, "keys that no table has"),
        ({"migrations": {"accounts": 5}}, "cannot be read"),
        ({"files": None}, "cannot be read"),
        ({"files": [{"name": 5, "bytes": 0, "sha256": ""}]}, "cannot be read"),
        ({"files": [{"name": ["files/files/a"], "bytes": 0, "sha256": ""}]}, "cannot be read"),
        ({"files": [{"name": "files/../../x", "bytes": 0, "sha256": ""}]}, "no backup holds"),
    ],
)
def test_a_manifest_that_is_not_understood_is_refused(tmp_path, change, error):
    path = written(tmp_path / "a.zip", {})
    changed = rewritten(path, tmp_path / "b.zip", lambda manifest: manifest.update(change))
    with pytest.raises(BadBundle, match=error):
        Bundle(changed)


def test_an_entry_that_is_a_link_is_refused(tmp_path):
    path = written(tmp_path / "a.zip", {})
    with zipfile.ZipFile(path, "a") as more:
        link = zipfile.ZipInfo("files/uploads/a")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        more.writestr(link, "/etc/passwd")
    with pytest.raises(BadBundle, match="holds links"):
        Bundle(path)


def test_a_manifest_nested_too_deeply_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "deep.zip", "w") as deep:
        deep.writestr("manifest.json", "[" * 100_000)
    with pytest.raises(BadBundle, match="is no backup"):
        Bundle(tmp_path / "deep.zip")


def encrypted(path, name):
    """Let the entry `name` of the ZIP say that it is encrypted."""
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as file:
        content[file.getinfo(name).header_offset + 6] |= 1
    at = content.rindex(b"PK\x01\x02", 0, content.rindex(name.encode()))
    content[at + 8] |= 1
    path.write_bytes(content)


def test_an_encrypted_file_is_refused(tmp_path):
    path = written(tmp_path / "a.zip", {})
    encrypted(path, "manifest.json")
    with pytest.raises(BadBundle, match="is no backup of Sic et Non: it cannot be read"):
        Bundle(path)


def test_an_encrypted_part_is_refused(tmp_path):
    path = written(tmp_path / "a.zip", {"files/files/a": b"Sic."})
    encrypted(path, "files/files/a")
    bundle = Bundle(path)
    with pytest.raises(BadBundle, match="is damaged: files/files/a"):
        bundle.verify()
    bundle.close()


def test_a_manifest_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    path = written(tmp_path / "a.zip", {})
    monkeypatch.setattr("operations.bundle.MOST_MANIFEST", 50)
    with pytest.raises(BadBundle, match=r"its manifest\.json is too large"):
        Bundle(path)
