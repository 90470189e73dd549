"""Label Studio's exports become records: a real export of 1.23.2 (make_export.py), and odd tasks."""

import copy
import io
import json
from collections import Counter
from pathlib import Path

import pytest

from datasets.importers.labelstudio_tasks import LabelStudioTasks
from datasets.labelstudio.configuration import configuration
from datasets.labelstudio.controls import controls, kind_of_control
from datasets.labelstudio.made import tasks_in
from datasets.labelstudio.reading import Taken, TaskReader, Wanted, lines_of, wanted_of
from datasets.labelstudio.tasks import data_of, results_of
from datasets.readers.json_text import Unreadable
from datasets.schema import ANNOTATION, RecordRefused, build
from tests.datasets.labelstudio.make_export import record, seconds

HERE = Path(__file__).parent
JSON, JSON_MIN = (
    json.loads((HERE / name).read_text(encoding="utf-8"))
    for name in ("export.json", "export-min.json")
)
ANN, BEN = (Wanted(Taken.ONE_ANNOTATOR, number) for number in ("1", "2"))


def read(tasks, wanted=None):
    reader = TaskReader(wanted or Wanted())
    found = [one for task in tasks_in(tasks) if (one := reader.record(task))]
    return [build(one.columns, one.slots + one.unused) for one in found], dict(reader.reported)


@pytest.mark.parametrize("export", [JSON, JSON_MIN], ids=["JSON", "JSON_MIN"])
@pytest.mark.parametrize(("wanted", "made", "n"), [(ANN, record, 10), (BEN, seconds, 9)])
def test_each_annotators_work_comes_out_of_a_real_export_whole(export, wanted, made, n):
    assert read(export, wanted)[0] == [with_types(made(task)) for task in range(1, n + 1)]


def with_types(made):
    """As the published record has it: the key of a dimension holds its last option."""
    entries = made[ANNOTATION]
    entries |= {path[0]: path[1] for path in entries.get("taxonomy", ())}
    return made


def test_what_is_not_taken_is_counted():
    assert read(JSON)[1] == {
        "annotations of annotator 1, not taken": 9,
        "cancelled annotations": 3,
        "tasks without an annotation": 2,
    }
    taken, reported = read(JSON, Wanted(Taken.GROUND_TRUTH))
    assert taken == [with_types(seconds(1))]
    assert reported["tasks without the wanted annotation"] == 9
    assert (
        read(JSON, wanted_of("nobody@example.com"))[1]["tasks without the wanted annotation"] == 10
    )


def task(results=None, **more):
    """The first task with the first annotator's annotation alone."""
    made = copy.deepcopy(JSON[0])
    made["annotations"] = made["annotations"][:1]
    if results is not None:
        made["annotations"][0]["result"] += results
    return made | more


def result(name, kind, value):
    return {"from_name": name, "to_name": "wikitag", "type": kind, "value": value}


def with_one(given):
    """The first task with this result instead of the one that it has."""
    made = task([given])
    [one] = made["annotations"]
    one["result"] = [
        each for each in one["result"] if each is given or each["from_name"] != given["from_name"]
    ]
    return made


FIRST = with_types(record(1))
SECONDS = [with_types(seconds(n)) for n in range(1, 10)]


def bare(made):
    return {**made.pop("data"), **made}


def by_address(made):
    made["annotations"][0]["completed_by"] = {"id": 7, "email": "Ann@Example.com"}
    return made


def old(made):
    return {**made, "completions": made.pop("annotations")}


@pytest.mark.parametrize("made", [task(), bare(task()), old(task()), by_address(task())])
def test_tasks_of_other_shapes_are_read(made):
    assert read([made]) == ([FIRST], {})


def test_an_annotator_is_named_by_the_address_too():
    assert read([by_address(task())], wanted_of("ann@example.COM"))[0] == [FIRST]
    assert read([by_address(task())], wanted_of("7"))[0] == [FIRST]


UNBLANKED = {"taxonomy": [["Contradict type I", "(DiscourseLevel) NP-related"]]}


LACKS = "which the study's form lacks"


@pytest.mark.parametrize(
    ("made", "reported"),
    [
        (task(annotations=[], predictions=[{}]), "tasks without an annotation, with predictions alone"),
        (task([result("mood", "choices", {})]), f"results of the control 'mood' (choices), {LACKS}"),
        (task([result("spans", "labels", {"labels": ["a"]})]), f"results of the control 'spans' (labels), {LACKS}"),
        (task([{"type": "relation", "from_id": "a"}]), f"results of the control 'relation', {LACKS}"),
        (task(data=task()["data"] | {"batch": 3}), "data 'batch', not kept"),
    ],
)  # fmt: skip
def test_what_the_study_does_not_know_is_reported(made, reported):
    assert read([made])[1] == {reported: 1}


def test_an_option_gets_back_the_blank_at_its_end():
    [got], reported = read([with_one(result("taxonomy", "taxonomy", UNBLANKED))])
    assert got[ANNOTATION]["Contradict type I"] == "(DiscourseLevel) NP-related "
    assert reported == {"options without the blank at their end, which the taxonomy has": 1}


REFUSED = {
    "not a task": (7, "is a number, not a task"),
    "data": (task(data=[]), "'data' is a list, not an object"),
    "annotations": (task(annotations={"id": 1}), "'annotations' is not a list of annotations"),
    "results": (task(annotations=[{"result": "x"}]), "'result' is text, not a list of results"),
    "a result": (task([4]), "'result' has a number, not a result"),
    "a value": (task([result("question2", "textarea", {"texts": []})]), "'question2' has no value 'text'"),
    "another kind of control": (
        with_one(result("taxonomy", "rectanglelabels", {"x": 1, "rectanglelabels": ["a"]})),
        "'taxonomy' has no value 'taxonomy'",
    ),
    "a text": (task([result("question2", "textarea", {"text": [None]})]), "'question2' holds what is not text"),
    "a branch": (
        with_one(result("taxonomy", "taxonomy", {"taxonomy": [5]})),
        "'taxonomy' entry 1 is not",
    ),
    "three branches": (
        with_one(result("taxonomy", "taxonomy", {"taxonomy": [["a", "b", "c"]]})),
        "'taxonomy' entry 1 is not",
    ),
    "two choices": (
        with_one(result("wikitag_label_valid", "choices", {"choices": ["Valid", "Invalid"]})),
        "'wikitag_label_valid' has 2 choices, not one",
    ),
    "a rating": (
        with_one(result("confidence", "rating", {"rating": True})),
        "'confidence' is true or false, not a rating",
    ),
    "two results for a control": (
        task([result("confidence", "rating", {"rating": 1})]),
        "'confidence' has two results. Keep one in Label Studio",
    ),
    "a missing title": (task(data={"url": ""}), "'title' is missing"),
    "a NUL": (task(data=task()["data"] | {"tag": "a\0"}), "'tag' holds a NUL character"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_task_that_cannot_be_read_says_why(case):
    made, message = REFUSED[case]
    with pytest.raises(RecordRefused, match=message):
        read([made])
    with pytest.raises(Unreadable, match="The task cannot be read"):
        list(LabelStudioTasks().records(io.BytesIO(json.dumps([made]).encode())))


@pytest.mark.parametrize(
    ("given", "wanted", "says"),
    [
        ([task(annotations=[])] * 2, "latest", ["(tasks without an annotation: 2)", "Submit annotations in"]),
        ([task(annotations=[], predictions=[{}])], "latest", ["predictions alone: 1", "predictions, drafts and"]),
        ([task(annotations=[{"was_cancelled": True, "result": []}])], "latest", ["cancelled ones are not. Submit"]),
        (JSON_MIN, "ground-truth", ["ground truth, which JSON_MIN never says", "export JSON, or take the latest"]),
        (JSON, "77", ["Name another annotator, or take the latest annotation."]),
    ],
)  # fmt: skip
def test_a_file_without_a_record_says_what_it_holds_and_what_to_do(given, wanted, says):
    file = io.BytesIO(json.dumps(given).encode())
    with pytest.raises(Unreadable, match="No task gives a record") as refused:
        list(LabelStudioTasks(wanted_of(wanted)).records(file))
    assert all(words in refused.value.message for words in says)


def test_kinds_beyond_a_thousand_are_counted_as_one():
    odd = [task([result(f"odd {n}", "choices", {})]) for n in range(1100)]
    reported = Counter(read([*odd, odd[0]])[1])
    assert len(reported) == 1001
    lines = lines_of(reported)
    assert len(lines) == 31
    assert lines[0].endswith("'odd 0' (choices), which the study's form lacks: 2")
    assert lines[-1] == f"further kinds: {1101 - 31}"


def test_a_task_with_a_million_rows_is_refused_after_a_thousand():
    row = {"id": 1, "annotator": 1, "title": "A"}
    with pytest.raises(RecordRefused, match="'id' is that of over 1000 rows"):
        read([row] * 1_000_000)


class Endless(io.RawIOBase):
    """A list of one task, again and again, made while it is read; `made` counts them."""

    def __init__(self, text):
        self.text, self.made, self.left = text, 0, b"["

    def seekable(self):
        return True

    def seek(self, at, whence=0):
        return 0

    def readable(self):
        return True

    def readinto(self, buffer):
        while len(self.left) < len(buffer):
            self.left += self.text + b","
            self.made += 1
        buffer[:], self.left = self.left[: len(buffer)], self.left[len(buffer) :]
        return len(buffer)


def test_of_a_million_tasks_no_more_is_read_than_the_next():
    file = Endless(json.dumps(task()).encode())
    records = LabelStudioTasks().records(file)
    ahead = []
    for number in range(300):
        next(records)
        ahead.append(file.made - number)
    assert max(ahead[100:]) <= max(ahead[:100]) + 1


def test_a_file_of_another_format_is_not_read_to_its_end():
    file = io.BytesIO(json.dumps([{"id": n, "text": "a" * 9_999} for n in range(200)]).encode())
    with pytest.raises((RecordRefused, StopIteration)):
        LabelStudioTasks().first(file)
    assert file.tell() < len(file.getvalue())


def test_the_configuration_has_the_controls_of_the_study():
    made = configuration(2)
    assert [made.count(f'name="{name}"') for name in controls(2)] == [1] * len(controls(2))
    assert all(kind_of_control(name) for name in controls(2))
    assert '<Choice value="(DiscourseLevel) NP-related " />' in made


def test_a_record_goes_out_and_comes_back():
    made = with_types(seconds(2))
    there = {"data": data_of(made), "annotations": [{"result": results_of(made)}]}
    assert read([there])[0] == [made]
