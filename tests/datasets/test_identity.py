from datasets.identity import canonical, external_id
from tests.datasets.factories import annotation, record


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
