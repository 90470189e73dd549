"""Records of a protocol come in as they are, and the file comes out as it was."""

import pytest

from tests import conflictbank
from tests.conflictbank import records

pytestmark = pytest.mark.django_db


def test_each_record_is_kept_whole_with_what_lists_show():
    collection = conflictbank.collection(3)
    rows = list(collection.contradictions.order_by("position"))
    assert [row.fields for row in rows] == records(3)
    assert [row.title for row in rows] == [one["subject"] for one in records(3)]
    assert [row.instances.get().question for row in rows] == [one["question"] for one in records(3)]
    assert {row.validity for row in rows} == {"Valid"}
