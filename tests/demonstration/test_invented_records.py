"""The invented records of ConflictBank: each is whole, and fits what it claims."""

import json

import pytest

from demonstration.examples import CONFLICTBANK
from protocols.declaration import FieldType
from protocols.reading import read_protocol
from protocols.shipped import file_of

DECLARED = read_protocol(file_of("conflictbank"), lambda _: [])
LINES = CONFLICTBANK.paths[0].read_text(encoding="utf-8").splitlines()
RECORDS_READ = [json.loads(line) for line in LINES]
PASSAGES = [name for name, field in DECLARED.fields.items() if field.type == FieldType.PASSAGE]
CLAIMS = [name for name in DECLARED.fields if name.endswith("_claim")]


@pytest.mark.parametrize("record", RECORDS_READ, ids=lambda record: record["question"])
class TestRecord:
    def test_it_has_the_declared_keys_in_their_order(self, record):
        assert list(record) == list(DECLARED.fields)

    def test_its_letters_are_of_what_they_say_and_the_last_option_is_uncertain(self, record):
        for name, field in DECLARED.fields.items():
            if field.type == FieldType.LETTER:
                said = record[field.of]["ABCD".index(record[name])]
                assert said == (record[field.says] if field.says else "uncertain")
        assert len(set(record["options"])) == 4
        assert record["uncertain_option"] == "D"

    def test_each_piece_of_evidence_is_of_some_length_and_names_what_it_supports(self, record):
        for name in PASSAGES:
            assert 60 <= len(record[name].split()) <= 150
            supported = "object" if name == "default_evidence" else "replaced_object"
            assert record[supported] in record[name]

    def test_each_claim_names_subject_and_object_and_the_temporal_one_its_time(self, record):
        for name in CLAIMS:
            claimed = "object" if name == "default_claim" else "replaced_object"
            assert record[name].startswith(record["subject"])
            assert record[claimed] in record[name]
        for time in record["temporal_conflict_time_span"]:
            assert time in record["temporal_conflict_claim"]
            assert time in record["temporal_conflict_evidence"]


def test_together_they_show_what_a_report_counts():
    """Subjects that come twice, every order of the letters, both lengths of a time span, every style of every piece."""
    assert (len(RECORDS_READ), len({record["subject"] for record in RECORDS_READ})) == (12, 8)
    asked = {(record["subject"], record["relation"]) for record in RECORDS_READ}
    assert len(asked) == 12
    assert len({(r["correct_option"], r["replace_option"]) for r in RECORDS_READ}) == 6
    assert {len(record["temporal_conflict_time_span"]) for record in RECORDS_READ} == {1, 2}
    for field in DECLARED.slices.values():
        if field.values:
            assert {record[field.name] for record in RECORDS_READ} == set(field.values)


def test_the_file_is_as_the_program_writes_one():
    written = [json.dumps(record, ensure_ascii=False) for record in RECORDS_READ]
    assert CONFLICTBANK.paths[0].read_text(encoding="utf-8") == "\n".join(written) + "\n"
