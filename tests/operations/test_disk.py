"""Disk use: rows by room, files by kind, free space, the last backup."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection

from accounts.models import Person
from accounts.roles import Role
from leases.clock import now
from operations import backups, disk
from tests.factories import person


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("db.sqlite3", "database"),
        ("db.sqlite3-wal", "database"),
        ("uploads", "uploads"),
        ("web.log", "logs"),
        ("broker", "broker"),
    ],
)
def test_kinds_of_files(name, kind):
    assert disk.kind_of(name) == kind


def test_files_are_counted_by_kind_the_largest_first(data_dir):
    (data_dir / "uploads" / "large").write_bytes(b"x" * 5_000)
    (data_dir / "uploads" / "deep").mkdir()
    (data_dir / "uploads" / "deep" / "small").write_bytes(b"x" * 100)
    (data_dir / "link").symlink_to("/usr")
    shares = {share.name: share for share in disk.files(data_dir)}
    assert next(iter(shares)) == "uploads"
    assert shares["uploads"].bytes == 5_100 + len("<mediawiki/>")
    assert shares["uploads"].count == 3
    assert shares["link"].bytes < 100


@pytest.mark.both
@pytest.mark.django_db
def test_rows_are_counted_by_room():
    for n in range(50):
        person(f"alice-{n}")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # What earlier tests left there outlives their rows.
            cursor.execute("UPDATE pg_class SET reltuples = -1 WHERE relname LIKE 'accounts_%'")
            cursor.execute("ANALYZE accounts_person")
    rows = disk.rows()
    accounts = next(share for share in rows.shares if share.name == "accounts")
    assert accounts.count == Person.objects.count() == 50
    assert 0 < accounts.bytes < rows.bytes
    assert rows.shares == sorted(rows.shares, key=lambda share: -share.bytes)


@pytest.mark.both
@pytest.mark.django_db
def test_the_database_is_not_measured_for_every_request(django_assert_num_queries):
    first = disk.rows()
    with django_assert_num_queries(0):
        assert disk.rows() == first


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor == "postgresql", reason="about SQLite")
def test_the_page_says_that_this_sqlite_has_no_table_sizes(monkeypatch, client, data_dir):
    monkeypatch.setattr(disk, "_in_sqlite", dict)
    client.force_login(person("olga", Role.ADMIN))
    page = client.get("/operations/").content.decode()
    assert "cannot say how large each table is" in page


@pytest.mark.django_db
def test_the_page_warns_until_there_is_a_backup(client, data_dir, monkeypatch):
    client.force_login(person("olga", Role.ADMIN))
    assert "No backup has been made" in client.get("/operations/").content.decode()
    at = now()
    record = {"finished_at": at, "file": "/backups/a.backup.zip", "bytes": 2_000_000}
    monkeypatch.setattr(backups, "last_record", lambda: record)
    page = client.get("/operations/").content.decode()
    assert "callout" not in page
    assert "/backups/a.backup.zip" in page
    record["finished_at"] = at - timedelta(days=3)
    assert "Find out why there is no newer one" in client.get("/operations/").content.decode()
