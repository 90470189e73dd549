"""The checks, by the table of cases for server and browser, and on the published annotations."""

import copy
import json
from collections import Counter
from pathlib import Path

import pytest

from annotation.fields.checks import CheckFinding, Level, check, unchecked, value_at
from annotation.fields.number_words import VALUES, with_digits
from tests.annotation.published import entries_of_record

TABLE = json.loads((Path(__file__).parent / "check_cases.json").read_text(encoding="utf-8"))


def entries_of_case(case):
    if "only" in case:
        return case["only"]
    entries = copy.deepcopy(TABLE["base"])
    first = entries["questions"][0]
    entries["questions"] = [dict(first) for _ in range(case.get("times", 1))]
    for path, value in {**case["set"], **case.get("also", {})}.items():
        *way, last = [int(part) if part.isdecimal() else part for part in path.split(".")]
        target = entries
        for part in way:
            target = target[part]
        if isinstance(target, list) and last == len(target):
            target.append(value)
        else:
            target[last] = value
    return entries


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_the_server_finds_what_the_table_says(case):
    findings = [[str(f.level), f.code, f.field] for f in check(entries_of_case(case))]
    assert sorted(findings) == sorted(case["finds"])


@pytest.mark.parametrize(("text", "digits"), TABLE["numbers"])
def test_number_words_are_digits(text, digits):
    assert with_digits(text) == digits


def spelled(number, joined):
    """The number in English words, by division; `joined` comes before the last two digits."""
    names = ["", *VALUES]
    if number < 20:
        return names[number]
    if number < 100:
        return f"{names[18 + number // 10]}-{names[number % 10]}".strip("-")
    size, word = (1000, "thousand") if number >= 1000 else (100, "hundred")
    many, rest = divmod(number, size)
    link = joined if 0 < rest < 100 else " "
    return f"{spelled(many, joined)} {word}{link}{spelled(rest, joined)}".strip()


@pytest.mark.parametrize("joined", [" and ", " "])
def test_every_number_below_a_million_is_read(joined):
    numbers = [*range(1, 1_000), *range(1_000, 1_000_000, 97), 999_999]
    assert [with_digits(spelled(n, joined)) for n in numbers] == [str(n) for n in numbers]


def test_no_warning_fires_on_more_than_a_fifth_of_the_published_annotations(study_data):
    path = study_data / "wikicontradict" / "wikicontradict.json"
    records = json.loads(path.read_text(encoding="utf-8"))
    fired = Counter()
    for record in records:
        findings = check(entries_of_record(record))
        fired.update({f.code for f in findings if f.level == Level.WARN})

    print(f"warnings on {len(records)} published annotations: {dict(fired.most_common())}")
    assert len(records) == 130
    # The counts themselves: a check that goes blind, or grows shrill, shows here.
    assert dict(fired) == {
        "span_not_found": 22,
        "answer_not_found": 15,
        "starts_with_pronoun": 3,
        "same_but_texts_differ": 1,
        "question_names_passage": 1,
    }
    assert max(fired.values()) <= 130 / 5


def warning(field="span_1"):
    return CheckFinding("span_not_found", Level.WARN, field, "…")


def test_a_warning_stays_ticked_while_its_field_says_the_same():
    checked = {"span_not_found:span_1": "in 1801"}
    assert unchecked([warning()], {"span_1": "in 1801"}, checked) == []
    assert unchecked([warning()], {"span_1": "in 1802"}, checked) == [warning()]


def test_a_tick_counts_for_its_own_field_only():
    checked = {"span_not_found:span_1": "x"}
    assert unchecked([warning("span_2")], {"span_2": "x"}, checked) == [warning("span_2")]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("span_1", "x"),
        ("questions-0-answer_1", "1801"),
        ("questions-7-answer_1", None),
        ("questions-x-answer_1", None),
        ("nothing", None),
    ],
)
def test_a_finding_s_field_names_one_value(name, value):
    entries = {"span_1": "x", "questions": [{"answer_1": "1801"}]}
    assert value_at(entries, name) == value
