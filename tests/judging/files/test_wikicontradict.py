"""The published human evaluation file, read and built without a database."""

import json

import pytest

from datasets.readers.json_text import Unreadable
from judging.files import wikicontradict
from tests.judging import humanfile


def refused(data, **options):
    with pytest.raises(Unreadable) as caught:
        wikicontradict.rows_in(data, **options)
    return " ".join([caught.value.message, *caught.value.problems])


def changed(**keys):
    """The file with these keys of the first model's first row set, or taken out where None."""
    data = humanfile.data()
    first = data["quokka-7b"][0]
    first.update(keys)
    data["quokka-7b"][0] = {key: value for key, value in first.items() if value is not None}
    return data


def nulled(*keys):
    """The file with null for these keys of the first model's first row."""
    data = humanfile.data()
    data["quokka-7b"][0].update(dict.fromkeys(keys))
    return data


def test_the_published_file_comes_back_equal(study_file):
    path = study_file("wikicontradict/humaneval_sample.json")
    whole = json.loads(path.read_text(encoding="utf-8"))
    assert wikicontradict.build(wikicontradict.rows_in(whole)) == whole


@pytest.mark.parametrize(
    "data",
    [
        humanfile.data(),
        changed(question1_context1="Other words for one model", title="Abbey the third"),
        changed(ModelAnswer_prompt_0_humanEval=""),
        changed(ModelAnswer_prompt_0_humanEval=None),
        changed(ModelAnswer_prompt_4='=1+1 <script>alert("x")</script>\r\n'),
    ],
)
def test_whatever_is_read_comes_back_equal(data):
    assert wikicontradict.build(wikicontradict.rows_in(data)) == data


def test_a_missing_label_is_no_verdict():
    row, *_ = wikicontradict.rows_in(changed(ModelAnswer_prompt_0_humanEval=None))
    assert [answer.verdict for answer in row.answers[:2]] == [None, "partially correct"]


@pytest.mark.parametrize(
    "key",
    [
        "ModelAnswer_prompt_0_humanEval",
        "ModelAnswer_prompt_2",
        "title",
        "goldAnswer_prompt_4",
        "url",
    ],
)
def test_null_is_empty(key):
    assert wikicontradict.rows_in(nulled(key)) == wikicontradict.rows_in(changed(**{key: ""}))


def test_a_whole_number_may_have_a_point():
    data = changed(question_ID=3.0)
    rows = wikicontradict.rows_in(data)
    assert rows == wikicontradict.rows_in(humanfile.data())
    assert [type(row.question.number) for row in rows] == [int] * 6


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], "contains a list, not an object of models"),
        ({}, "without a model"),
        ({"quokka-7b": []}, "'quokka-7b': has an empty list, not a list of rows"),
        ({"quokka-7b": {}}, "'quokka-7b': has an object, not a list of rows"),
        ({"quokka-7b": ["x"]}, "row 1: is text, not an object"),
        ({" ": [{}]}, "a model's name has 1 to 200 characters"),
        (changed(question1=None), "(question_ID 3): 'question1' is missing"),
        (changed(question1=" "), "'question1' is empty"),
        (changed(question_ID=None), "'question_ID' is missing"),
        (changed(question_ID="3"), "'question_ID' is text, not a whole number"),
        (changed(question_ID=True), "'question_ID' is true or false, not a whole number"),
        (changed(question_ID=0), "'question_ID' is not between 1 and"),
        (changed(question_ID=3.5), "row 1: 'question_ID' is a number, not a whole number"),
        (changed(question_ID=float("inf")), "row 1: 'question_ID' is a number, not a whole number"),
        (nulled("question_ID"), "row 1: 'question_ID' is null, not a whole number"),
        (nulled("question1"), "row 1 (question_ID 3): 'question1' is empty"),
        (
            nulled("modelName"),
            "row 1 (question_ID 3): 'modelName' is '', not 'quokka-7b_annotated'",
        ),
        (changed(modelName=7), "row 1 (question_ID 3): 'modelName' is a number, not text"),
        (changed(title=3), "row 1 (question_ID 3): 'title' is a number, not text"),
        (changed(ModelAnswer_prompt_2=["x"]), "'ModelAnswer_prompt_2' is a list, not text"),
        (changed(ModelAnswer_prompt_2="\0"), "holds a NUL character"),
        (changed(ModelAnswer_prompt_5="x"), "'ModelAnswer_prompt_5' is not a key of this format"),
        (
            changed(ModelAnswer_prompt_2_humanEval="Corect"),
            "row 1 (question_ID 3): 'ModelAnswer_prompt_2_humanEval' is \"Corect\", not Correct or "
            "Partially correct or Incorrect",
        ),
        (changed(samepassage="same"), 'is "same", not Same or Different'),
        (changed(modelName="wombat-13b_annotated"), "not 'quokka-7b_annotated'"),
        (changed(question_ID=1, question1="Was Abbey 1 ever burnt?"), "two rows for question_ID 1"),
        (changed(**{"taxonomy-contradictTypeIV": "Implicit"}), "tables are sliced by it"),
        (
            humanfile.data("quokka-7b", "Quokka-7B "),
            "'quokka-7b' and 'Quokka-7B ' have the same name",
        ),
    ],
)
def test_what_cannot_be_read_is_named_by_model_row_and_key(data, sentence):
    assert sentence in refused(data)


def test_one_question_under_two_numbers_is_refused():
    data = {"quokka-7b": [humanfile.row("quokka-7b", 3), humanfile.row("quokka-7b", 3)]}
    data["quokka-7b"][1]["question_ID"] = 4
    assert "3 and 4 are the same question; give it one number" in refused(data)


def test_a_row_missing_is_named_and_can_be_allowed():
    data = humanfile.data()
    del data["wombat-13b"][1]
    assert "'wombat-13b': has no row for question_ID 1, which other models have" in refused(data)
    assert len(wikicontradict.rows_in(data, allow_missing=True)) == 5


def test_many_problems_are_cut_short():
    data = humanfile.data()
    for row in data["quokka-7b"]:
        row |= {f"key {n}": "" for n in range(150)}
    with pytest.raises(Unreadable) as caught:
        wikicontradict.rows_in(data)
    more = len(data["quokka-7b"]) * 150 - 100
    assert f"{more + 100} problems" in caught.value.message
    assert caught.value.problems[-1] == f"and {more} more problems"


def test_after_100_refused_rows_nothing_more_is_looked_at(monkeypatch):
    looked_at = []
    problems = wikicontradict._row_problems
    monkeypatch.setattr(
        wikicontradict, "_row_problems", lambda *row: looked_at.append(row) or problems(*row)
    )
    with pytest.raises(Unreadable) as caught:
        wikicontradict.rows_in({"quokka-7b": [{}] * 300_001})
    assert len(looked_at) == 100
    assert (
        "the others were not looked at. The last was model 'quokka-7b', row 100"
        in (caught.value.problems[-1])
    )
