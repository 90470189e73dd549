"""The form logic, on another form: it must not depend on field names."""

import pytest

from annotation.fields.steps import STEPS
from annotation.fields.walker import (
    Field,
    FieldKind,
    FormStep,
    Need,
    counted,
    kept,
    next_step,
    standings,
)

PETS = Field(
    "pets",
    "Pets",
    FieldKind.ROWS,
    required=True,
    at_most=3,
    fields=(
        Field("name", "Name", FieldKind.LINE, required=True),
        Field("age", "Age", FieldKind.LINE),
    ),
)
FORM = (
    FormStep(
        "start",
        1,
        "Start",
        "Start",
        "a",
        (
            Field("has", "Has pets", FieldKind.ONE, required=True),
            Field("note", "Note", FieldKind.TEXT),
        ),
    ),
    FormStep("pets", 2, "Pets", "Pets", "b", (PETS,), Need("has", "yes")),
    FormStep(
        "end", 3, "End", "End", "c", (Field("stars", "Stars", FieldKind.RATING, required=True),)
    ),
)


@pytest.mark.parametrize(
    ("entries", "missing"),
    [
        ({}, ["has", "stars"]),
        ({"has": " "}, ["has", "stars"]),
        ({"has": "no", "stars": 1}, []),
        ({"has": "yes", "stars": 1}, ["pets-0-name"]),
        ({"has": "yes", "stars": 1, "pets": []}, ["pets-0-name"]),
        ({"has": "yes", "stars": 1, "pets": [{"name": "", "age": "3"}]}, ["pets-0-name"]),
        ({"has": "yes", "stars": 1, "pets": [{"name": "Ada", "age": ""}]}, []),
        ({"has": "yes", "stars": 1, "pets": [{}, {"name": "Ada"}, {"age": "3"}]}, ["pets-2-name"]),
    ],
)
def test_what_is_missing_is_named_as_the_form_posts_it(entries, missing):
    assert [gap.name for at in standings(FORM, entries) for gap in at.missing] == missing


@pytest.mark.parametrize(
    ("entries", "key"),
    [
        ({}, "start"),
        ({"has": "no"}, "end"),
        ({"has": "yes"}, "pets"),
        ({"has": "yes", "pets": [{"name": "Ada"}]}, "end"),
        ({"has": "no", "stars": 5}, None),
    ],
)
def test_the_next_step_is_the_first_open_one_with_a_gap(entries, key):
    step = next_step(FORM, entries)
    assert (step.key if step else None) == key


def test_a_closed_step_is_neither_complete_nor_missing_anything():
    closed = standings(FORM, {"has": "no", "pets": [{"name": "Ada"}]})[1]
    assert (closed.open, closed.complete, closed.begun, closed.missing) == (False, False, True, ())


def test_what_is_kept_leaves_out_closed_steps_and_empty_rows():
    entries = {"has": "yes", "note": "n", "pets": [{"name": ""}, {"name": "Ada"}], "stars": 2}
    assert kept(FORM, entries) == {**entries, "pets": [{"name": "Ada"}]}
    assert kept(FORM, {**entries, "has": "no"}) == {**entries, "has": "no", "pets": []}


def test_counted_entries_keep_empty_rows():
    entries = {"has": "yes", "pets": [{"name": ""}, {"name": "Ada"}]}
    assert counted(FORM, entries)["pets"] == entries["pets"]


def test_the_six_steps_are_numbered_and_all_but_the_first_need_a_valid_tag():
    assert [step.number for step in STEPS] == [1, 2, 3, 4, 5, 6]
    assert [step.needs for step in STEPS] == [None] + [Need("validity", "Valid")] * 5


def test_no_field_of_the_six_steps_occurs_twice():
    names = [field.name for step in STEPS for field in step.fields]
    assert len(names) == len(set(names))
