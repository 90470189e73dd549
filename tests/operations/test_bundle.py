"""A backup's file: verified to its end, and refused if it is incomplete or another program's."""

import zipfile

import pytest

from operations.bundle import BadBundle, Bundle, is_inside
from tests.operations.places import rewritten, written


@pytest.mark.parametrize("name", ["files/a", "files/a/b.txt", "files/a b", "files/ü"])
def test_a_name_inside_of_the_folder_is_taken(name):
    assert is_inside(name)


@pytest.mark.parametrize(
    "name",
    ["", "a", "files", "files/", "/files/a", "files/../a", "files/a/../../b", "files//etc/passwd",
     "files/./a", "rows/a", "files/a\\..\\b", "../files/a", "files/\0"],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_not(name):
    assert not is_inside(name)


def test_what_is_written_is_read(tmp_path):
    path = written(tmp_path / "a.zip", {"files/a": b"Sic.", "files/b/c": b""})
    bundle = Bundle(path)
    bundle.verify()
    assert b"".join(bundle.pieces("files/a")) == b"Sic."
    assert [part.bytes for part in bundle.files] == [4, 0]
    bundle.close()


def test_equal_parts_make_equal_files(tmp_path):
    one, other = (written(tmp_path / name, {"files/a": b"Sic." * 99}) for name in "ab")
    assert one.read_bytes() == other.read_bytes()


def test_a_file_truncated_anywhere_is_refused(tmp_path):
    path = written(tmp_path / "a.zip", {"files/a": bytes(range(256)) * 16})
    whole = path.read_bytes()
    for end in range(0, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:end])
        with pytest.raises(BadBundle, match="its end is missing"):
            Bundle(path)


def test_a_changed_byte_is_detected(tmp_path):
    path = written(tmp_path / "a.zip", {"files/a": bytes(range(256)) * 16})
    whole = bytearray(path.read_bytes())
    whole[whole.index(b"files/a") + 40] ^= 0xFF
    path.write_bytes(whole)
    bundle = Bundle(path)
    with pytest.raises(BadBundle, match="is damaged: files/a"):
        bundle.verify()
    bundle.close()


def test_an_added_part_is_detected(tmp_path):
    path = written(tmp_path / "a.zip", {"files/a": b"Sic."})
    with zipfile.ZipFile(path, "a") as more:
        more.writestr("files/b", "Et non.")
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
        ({"format_version": 2}, "newer version"),
        ({"tables": [{"name": "rows/x"}]}, "cannot be read"),
        ({"files": None}, "cannot be read"),
        ({"files": [{"name": "files/../../x", "bytes": 0, "sha256": ""}]}, "outside"),
    ],
)
def test_a_manifest_that_is_not_understood_is_refused(tmp_path, change, error):
    path = written(tmp_path / "a.zip", {})
    changed = rewritten(path, tmp_path / "b.zip", lambda manifest: manifest.update(change))
    with pytest.raises(BadBundle, match=error):
        Bundle(changed)
