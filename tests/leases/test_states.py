"""State tables: what they refuse when declared, and when a row is moved."""

import pytest
from django.db.models import TextChoices

import annotation.states
import generation.states
import judging.states
import wikifetch.states
from leases.refusal import Conflict, NotFoundHere
from leases.states import StateTable
from wikifetch.models import FetchRun
from wikifetch.states import FETCH_RUN

ROOMS = [annotation.states, generation.states, judging.states, wikifetch.states]
TABLES = [table for room in ROOMS for table in vars(room).values() if isinstance(table, StateTable)]


class Light(TextChoices):
    RED = "red"
    GREEN = "green"


def test_a_table_with_an_unknown_state_is_refused():
    with pytest.raises(ValueError, match="amber"):
        StateTable("Light", Light, {"warn": (("amber",), Light.RED)})
    StateTable.tables.pop("Light", None)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_state_but_the_first_is_reached_by_some_move(table):
    first = table.states.values[0]
    reached = {move.target for move in table.parsed.values()}
    assert set(table.states.values) - reached - {first} <= {"imported", "waiting"}


@pytest.mark.django_db
def test_a_refused_move_names_the_state_the_row_is_in():
    run = FetchRun.objects.create(source="xml", label="x", state="done")
    with pytest.raises(Conflict, match="fetch run is done"):
        FETCH_RUN.require(run, "cancel")


@pytest.mark.both
@pytest.mark.django_db
def test_a_move_of_a_row_that_was_removed_meanwhile_is_refused():
    run = FetchRun.objects.create(source="xml", label="x", state="running")
    FetchRun.objects.all().delete()
    with pytest.raises(NotFoundHere, match="fetch run has been removed"):
        FETCH_RUN.require(run, "cancel")


@pytest.mark.both
@pytest.mark.django_db
def test_a_move_acts_on_the_rows_that_may_make_it_and_no_others():
    for state in ("waiting", "running", "done"):
        FetchRun.objects.create(source="xml", label=state, state=state)
    assert FETCH_RUN.move(FetchRun.objects.all(), "cancel") == 2
    assert FetchRun.objects.get(label="done").state == "done"
