"""The names that a restore writes are those that a backup of ours can hold."""

import pytest

from operations.names import KEPT, LEFT_OUT, are_kept, is_kept, is_left_out


@pytest.mark.parametrize(
    "name",
    ["files/files/a", "files/uploads/a/b.txt", "files/files/a b", "files/files/ü", "files/uploads/.a"],
)  # fmt: skip
def test_a_name_below_a_known_folder_is_taken(name):
    assert is_kept(name)


@pytest.mark.parametrize(
    "name",
    ["", "a", "files", "files/", "files/uploads", "files/uploads/", "/files/uploads/a", "/etc/passwd",
     "files/../a", "files/uploads/../../b", "files/uploads/..", "files//etc/passwd", "files//uploads/a",
     "files/uploads//a", "files/./uploads/a", "files/uploads/./a", "rows/uploads/a", "../files/uploads/a",
     "files/uploads/a\\..\\b", "files/uploads\\a", "files/uploads/\0", "files/uploads/\ud800", "files/Uploads/a",
     "files/cron.d/a", "files/scheduler.db/a", "files/.ssh/authorized_keys", 5, None, ["files/uploads/a"]],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_not(name):
    assert not is_kept(name)


@pytest.mark.parametrize("name", [*LEFT_OUT, "db.sqlite3", "db.sqlite3-wal", ".hidden", "a.lock"])
def test_a_name_that_backups_leave_out_is_not(name):
    assert is_left_out(name)
    assert not is_kept(f"files/{name}")
    assert not is_kept(f"files/{name}/a")


def test_no_folder_is_both_kept_and_left_out():
    assert not any(map(is_left_out, KEPT))


@pytest.mark.parametrize(
    "names",
    [["files/uploads/a", "files/uploads/a"], ["files/uploads/a", "files/uploads/a/b"], ["files/uploads/a", "x"]],
)  # fmt: skip
def test_names_that_write_one_place_twice_are_not(names):
    assert not are_kept(names)


def test_names_with_equal_beginnings_are_taken():
    assert are_kept(["files/uploads/a", "files/uploads/ab", "files/files/a"])
