import pytest

from datasets.identity import canonical, external_id
from datasets.records import current, identity_of
from tests.datasets.factories import annotation, mills, record


def test_the_order_of_keys_is_no_part_of_a_record():
    assert external_id(dict(reversed(record().items()))) == external_id(record())


def test_records_that_differ_in_a_blank_are_two():
    other = record(given=annotation(question1_answer1="1791 "))
    assert external_id(other) != external_id(record())


def test_the_identity_is_the_sha256_of_compact_sorted_utf8_json():
    assert canonical({"b": ["ü"], "a": None}) == '{"a":null,"b":["ü"]}'.encode()
    assert external_id({"b": ["ü"], "a": None}) == (
        "7837d8f130397185fa1b792f4ba3a0ff0ff504cfc6ba5b3b386657c22cf566fe"
    )


@pytest.mark.django_db
def test_a_row_has_the_identity_of_the_record_that_is_exported():
    given = annotation(question10_answer1="x", question2="", taxonomy=[["ü "]], valid_comment="")
    row = current(mills(dict(reversed(record(given=given).items())))).get()
    assert row.external_id == identity_of(row) == external_id(record(given=given))
