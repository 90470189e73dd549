"""An import is seen when it is complete, holds the database for a batch at a time, and leaves nothing if it stops."""

import io
from functools import partial

import pytest
from django.db import DatabaseError, connection
from django.test import Client

from accounts.roles import Role
from datasets import records, tasks
from datasets.importers import IMPORTERS, arriving, import_files, undoing
from datasets.models import Collection, Contradiction, Instance
from datasets.readers.json_text import Unreadable
from datasets.records import current
from leases.clock import in_seconds
from leases.refusal import Conflict
from tests.datasets.factories import imported, mills, record, text_of
from tests.factories import person
from tests.races import overlapping

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(arriving, "BATCH", 2)


def titled(*titles):
    return [record(title=title) for title in titles]


def draft(title):
    (parsed,) = IMPORTERS["wikicontradict"].records(io.BytesIO(text_of(record(title=title))))
    return records.Draft(parsed.columns, parsed.slots)


def between_batches(monkeypatch, act, batches=1):
    """Call `act` after so many batches were written."""
    add, written = records.add_contradictions, []

    def added(**batch):
        result = add(**batch)
        written.append(result)
        if len(written) == batches:
            act()
        return result

    monkeypatch.setattr(arriving, "add_contradictions", added)


def nothing():
    return not (
        Collection.everything.exists()
        or Contradiction.objects.exists()
        or Instance.objects.exists()
    )


@pytest.mark.django_db(transaction=True)
def test_nothing_is_in_a_transaction_while_a_file_is_read(monkeypatch):
    seen = []

    class Noting(io.BytesIO):
        def read(self, size=-1):
            seen.append(connection.in_atomic_block)
            return super().read(size)

    monkeypatch.setattr(
        import_files,
        "read_draft",
        lambda parsed: seen.append(connection.in_atomic_block) or records.read_draft(parsed),
    )
    import_files.import_file(
        importer=IMPORTERS["wikicontradict"],
        file=Noting(text_of(record())),
        collection_name="mills",
    )
    assert len(seen) > 2
    assert not any(seen)


@pytest.mark.django_db(transaction=True)
def test_every_batch_is_a_transaction_of_its_own(small_batches, monkeypatch):
    """Another connection, as of another process, writes between two of them."""
    add, depths = records.add_contradictions, []

    def added(**batch):
        assert connection.in_atomic_block
        depths.append(len(batch["drafts"]))
        return add(**batch)

    monkeypatch.setattr(arriving, "add_contradictions", added)
    between = []
    drafts = (
        between.append(connection.in_atomic_block) or records.checked(draft(title))
        for title in "ABCDE"
    )
    arriving.bring(drafts, name="mills")
    assert depths == [2, 2, 1]
    assert not any(between)
    assert Contradiction.objects.count() == 5


def test_an_import_that_is_under_way_is_on_no_page(small_batches, monkeypatch):
    admin = Client()
    admin.force_login(person("alice", Role.ADMIN))
    seen = {}

    def look():
        row = Contradiction.objects.get(title="A")
        waiting = row.collection.name
        seen["pages"] = [
            admin.get(path).status_code
            for path in (
                f"/contradictions/{row.pk}/",
                f"/contradictions/{row.pk}/questions/1/exclusion/",
                f"/collections/{waiting}/",
            )
        ]
        seen["lists"] = [
            waiting in admin.get(path).content.decode()
            for path in ("/collections/", "/api/collections/", "/runs/new/", "/")
        ]

    between_batches(monkeypatch, look)
    imported(*titled("A", "B", "C"))
    assert seen == {"pages": [404] * 3, "lists": [False] * 4}
    assert admin.get("/collections/mills/").status_code == 200


@pytest.mark.parametrize("error", [KeyboardInterrupt, DatabaseError, MemoryError])
def test_an_import_that_stops_leaves_nothing(small_batches, monkeypatch, error):
    def stop():
        raise error

    between_batches(monkeypatch, stop, batches=2)
    with pytest.raises(error):
        imported(*titled("A", "B", "C", "D", "E"))
    assert nothing()


def test_a_file_whose_last_record_is_refused_leaves_nothing_and_is_imported_once_corrected(
    small_batches,
):
    whole = titled("A", "B", "C", "D", "E")
    with pytest.raises(Unreadable, match="1 of 6 records cannot be read"):
        imported(*whole, {"title": "F"})
    assert nothing()
    assert [row.title for row in current(mills(*whole))] == list("ABCDE")


def test_an_import_that_stopped_can_be_run_again_before_its_rows_are_removed(
    small_batches, monkeypatch
):
    monkeypatch.setattr(arriving, "_remove", lambda waiting: None)  # as a kill leaves it
    between_batches(monkeypatch, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        imported(*titled("A", "B", "C"))
    monkeypatch.undo()
    assert not Collection.objects.exists()
    assert [row.title for row in current(mills(*titled("A", "B", "C")))] == list("ABC")


def test_an_import_into_a_collection_that_stops_leaves_it_as_it_was(small_batches, monkeypatch):
    held = mills(*titled("A", "B"))

    def stop():
        raise KeyboardInterrupt

    between_batches(monkeypatch, stop)
    with pytest.raises(KeyboardInterrupt):
        imported(*titled("C", "D", "E"))
    assert [row.title for row in current(held)] == ["A", "B"]
    assert list(Collection.everything.all()) == [held]


def test_what_a_killed_import_left_is_removed_after_its_hold(small_batches, monkeypatch):
    monkeypatch.setattr(arriving, "_remove", lambda waiting: None)  # as a kill leaves it
    between_batches(monkeypatch, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        imported(*titled("A", "B", "C"))
    monkeypatch.undo()
    assert tasks.sweep_imports() == 0
    Collection.everything.update(arriving_until=in_seconds(-1))
    assert tasks.sweep_imports() == 1
    assert nothing()


def test_an_import_whose_hold_ran_out_is_refused_and_leaves_nothing(small_batches, monkeypatch):
    late = partial(Collection.everything.update, arriving_until=in_seconds(-1))
    between_batches(monkeypatch, late)
    with pytest.raises(Conflict, match="stopped for too long"):
        imported(*titled("A", "B", "C"))
    assert nothing()


def test_a_record_that_was_added_in_the_meantime_is_there_once(small_batches, monkeypatch):
    held = mills(*titled("A"))
    add = records.add_contradictions
    between_batches(monkeypatch, lambda: add(collection=held, drafts=[draft("C")]), batches=2)
    report = imported(*titled("B", "C", "D"))
    assert (report.added, report.already_there) == (2, 1)
    assert [row.title for row in current(held)] == ["A", "C", "B", "D"]


def test_an_import_into_a_collection_that_is_removed_in_the_meantime_is_refused(
    small_batches, monkeypatch
):
    held = mills(*titled("A"))

    def undone():
        undoing.hide(key=held.pk, first=0, last=0, is_new=True)

    between_batches(monkeypatch, undone)
    with pytest.raises(Conflict, match="removed in the meantime"):
        imported(*titled("A", "B", "C"))
    assert not Collection.objects.exists()


def test_a_collection_of_that_name_made_in_the_meantime_is_filled(small_batches, monkeypatch):
    between_batches(monkeypatch, lambda: Collection.objects.create(name="mills"), batches=2)
    report = imported(*titled("A", "B", "C"))
    assert report.added == 3
    assert report.collection.contradictions.count() == 3
    assert Collection.everything.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_hold_that_is_renewed_as_it_runs_out_keeps_the_rows():
    """The renewal is in time, and is committed after the sweeper of another connection has looked."""
    waiting = Collection.everything.create(name="~a", arriving_until=in_seconds(-1))
    records.add_contradictions(collection=waiting, drafts=[draft("A")])

    def renew():
        Collection.everything.update(arriving_until=in_seconds(arriving.HOLD))
        records.add_contradictions(collection=waiting, drafts=[draft("B")])

    removed = []
    assert overlapping(renew, lambda: removed.append(arriving.remove_abandoned())) is None
    assert removed == [0]
    assert [row.title for row in current(waiting)] == ["A", "B"]


def test_a_hold_that_was_given_up_is_not_renewed():
    waiting = Collection.everything.create(name="~a", arriving_until=in_seconds(-1))
    assert arriving._given_up(waiting)
    with pytest.raises(Conflict, match="stopped for too long"):
        arriving._hold(waiting)
    assert tasks.sweep_imports() == 1
    assert nothing()
