"""Controls of other names than the study's: seen, proposed for, and mapped."""

import copy
import io
import json
import re
from contextlib import suppress

import pytest

from datasets.declared.writing import FileNoted
from datasets.importers.labelstudio_tasks import LabelStudioTasks
from datasets.labelstudio.naming import Control, Found, checked_names
from datasets.labelstudio.reading import Wanted
from datasets.readers.json_text import Unreadable
from datasets.schema import ANNOTATION
from datasets.taxonomy import DIMENSIONS
from leases.refusal import Refusal
from tests.datasets.labelstudio.test_reading import FIRST, JSON, JSON_MIN, SECONDS, read, task

OWN = {
    "wikitag_label_valid": "is it valid?",
    "taxonomy": "types",
    "question1": "Question 1",
    "question1_answer1": "Q1 A1",
    "paragraphA_information": "passage_1_copied",
    "confidence": "sure",
}


def renamed(names, made=None):
    """The task with these controls under other names."""
    made = copy.deepcopy(made or task())
    for one in made["annotations"]:
        for result in one["result"]:
            result["from_name"] = names.get(result["from_name"], result["from_name"])
    return made


def listed(made, names=()):
    """What is noted of the file's controls, whether or not it can be imported."""
    noted, file = FileNoted(), io.BytesIO(json.dumps(made).encode())
    with suppress(Unreadable):
        list(LabelStudioTasks(Wanted(names=dict(names))).records(file, noted))
    return {one["name"]: one for one in noted.controls}


def test_each_control_is_listed_with_its_key_or_a_proposal():
    found = listed([renamed(OWN)])
    assert {name: one["proposed"] for name, one in found.items() if not one["key"]} == {
        theirs: own for own, theirs in OWN.items()
    }
    assert found["question1_answer2"] == {
        "name": "question1_answer2", "kind": "textarea", "n": 1, "key": "question1_answer2", "proposed": "",
        "example": "No",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"start": 3, "end": 5, "text": "a mill", "labels": ["x"]}, "a mill"),
        ({"taxonomy": [["Modality of Context", "Text"]]}, "Modality of Context"),
        ({"choices": ["text"]}, "text"),
        ({}, ""),
    ],
)
def test_the_example_of_a_control_is_its_first_text(value, words):
    control = Control("labels")
    control.note(value)
    assert control.example == words


def test_what_is_named_comes_in_whole():
    names = {theirs: own for own, theirs in OWN.items()}
    assert read([renamed(OWN)], Wanted(names=names)) == ([FIRST], {})
    mapped = listed([renamed(OWN)], names)
    assert all(mapped[theirs]["key"] == own for own, theirs in OWN.items())


def test_names_hold_in_json_min_too():
    rows = [row for row in copy.deepcopy(JSON_MIN) if row.get("annotator") == 2]
    for row in rows:
        row["sure"] = row.pop("confidence")
        row["headline"] = row.pop("title")
    wanted = Wanted(names={"sure": "confidence", "headline": "title"})
    assert read(rows, wanted)[0] == SECONDS
    assert listed(rows)["headline"]["kind"] == ""


@pytest.mark.parametrize("given", [JSON[:1], JSON_MIN[:1]], ids=["JSON", "JSON_MIN"])
def test_data_of_another_name_is_mapped(given):
    made = copy.deepcopy(given[0])
    data = made.get("data", made)
    data["page_title"] = data.pop("title")
    assert listed([made])["page_title"]["proposed"] == ""
    [record], _ = read([made], Wanted(names={"page_title": "title"}))
    assert record["title"] == FIRST["title"]


def test_dimensions_that_have_a_control_each_become_the_taxonomy():
    made = task()
    [one] = made["annotations"]
    paths = FIRST[ANNOTATION]["taxonomy"]
    one["result"] = [each for each in one["result"] if each["from_name"] != "taxonomy"]
    for dimension in DIMENSIONS:
        chosen = [path[1].strip() for path in paths if path[0] == dimension.key]
        if chosen:
            one["result"].append(
                {"from_name": f"kind {dimension.short}", "type": "choices", "value": {"choices": chosen}}
            )  # fmt: skip
    proposed = {
        name: found["proposed"] for name, found in listed([made]).items() if not found["key"]
    }
    assert set(proposed.values()) == {path[0] for path in paths}
    [record], _ = read([made], Wanted(names=proposed))
    assert sorted(record[ANNOTATION]["taxonomy"]) == sorted(paths)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"mood": "moods"}, "'moods', for the control 'mood', is no key of the published record"),
        ({"a": "tag", "b": "tag"}, "The key 'tag' is chosen for 'a' and 'b'. Choose it for one"),
    ],
)
def test_names_that_cannot_be_are_refused(names, message):
    with pytest.raises(Refusal, match=re.escape(message)):
        checked_names(names)


def test_two_controls_that_fit_one_key_are_proposed_for_neither():
    found = Found({name: Control("rating", 1) for name in ("sure", "clear")})
    assert [one["proposed"] for one in found.listed({})] == ["", ""]


def test_a_file_that_is_refused_says_which_names_it_lacks():
    file = io.BytesIO(json.dumps([renamed(OWN)]).encode())
    with pytest.raises(Unreadable) as refused:
        list(LabelStudioTasks().records(file))
    said = (
        "'is it valid?' (choices, 1 time) is no name of the study; it may be 'wikitag_label_valid'"
    )
    assert said in refused.value.problems


def test_two_data_that_stand_for_one_key_are_refused():
    made = task(data=task()["data"] | {"headline": "A"})
    file = io.BytesIO(json.dumps([made]).encode())
    with pytest.raises(Unreadable) as refused:
        list(LabelStudioTasks(Wanted(names={"headline": "title"})).records(file))
    assert "has two keys that stand for the same" in refused.value.problems[-1]


def test_of_a_name_in_each_task_so_many_are_kept():
    made = [
        task([{"from_name": f"odd {n}", "type": "choices", "value": {"choices": ["a"]}}])
        for n in range(300)
    ]
    assert len(listed(made)) == 200
