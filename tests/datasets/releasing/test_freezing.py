import hashlib

import pytest

from accounts.roles import Role
from datasets.exporters import EXPORTERS
from datasets.models import Collection
from datasets.records import current
from datasets.releasing.freezing import freeze, release_of, released
from datasets.streaming import streamed
from leases.refusal import Conflict, NotFoundHere, Refusal
from tests.datasets.factories import edited, imported, mills, record
from tests.factories import person

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def file_of(rows):
    return "".join(EXPORTERS["wikicontradict-json"].chunks(streamed(rows))).encode()


def test_a_release_stays_what_it_was_when_the_collection_moves_on():
    alice = person("alice", Role.ADMIN)
    collection = mills(record(title="A"), record(title="B"))
    before = file_of(current(collection))
    release = freeze(collection=collection, version="1.0", notes="First.", by=alice)
    first = current(collection).first()
    edited(first, title="A, corrected")
    imported(record(title="C"))
    assert file_of(released(release)) == before
    assert release.sha256 == hashlib.sha256(before).hexdigest()
    assert (release.created_by, release.notes) == (alice, "First.")
    assert [*release.rows.values_list("position", "contradiction__title")] == [(0, "A"), (1, "B")]
    assert [row.title for row in current(collection)] == ["A, corrected", "B", "C"]


def test_a_version_is_given_once_a_collection():
    freeze(collection=mills(), version="1.0")
    with pytest.raises(Conflict, match=r"Version 1\.0 of mills exists"):
        freeze(collection=mills(), version="1.0")
    freeze(collection=imported(record(), into="others").collection, version="1.0")


@pytest.mark.parametrize("version", ["", " 1.0", "../1", "1/0", ".1", "v" * 41, "1.0\n"])
def test_a_version_that_no_address_can_hold_is_refused(version):
    with pytest.raises(Refusal, match="A version has up to 40"):
        freeze(collection=mills(), version=version)


def test_an_empty_collection_cannot_be_released():
    with pytest.raises(Refusal, match="nothing to release"):
        freeze(collection=Collection.objects.create(name="empty"), version="1.0")


def test_an_unknown_version_is_not_there():
    with pytest.raises(NotFoundHere):
        release_of(mills(), "2.0")
