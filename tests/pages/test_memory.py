"""What is remembered is what would be computed: of pure functions."""

from dataclasses import dataclass

import pytest

from pages.memory import FIGURES, Memory


@dataclass(frozen=True)
class Thing:
    n: int
    name: str = "a"


@pytest.fixture(autouse=True)
def nothing_remembered():
    FIGURES.clear()
    yield
    FIGURES.clear()


def counting():
    calls = []

    @FIGURES.remembers
    def doubled(values, *, plan=None):
        calls.append(1)
        return {"values": [2 * value.n for value in values], "plan": plan}

    return doubled, calls


def test_the_same_arguments_are_computed_once():
    doubled, calls = counting()
    for _ in range(3):
        assert doubled([Thing(1), Thing(2)], plan=Thing(7)) == {"values": [2, 4], "plan": Thing(7)}
    assert len(calls) == 1


@pytest.mark.parametrize(
    "other",
    [
        lambda f: f([Thing(2)]),
        lambda f: f([Thing(1, "b")]),
        lambda f: f([Thing(1), Thing(1)]),
        lambda f: f((Thing(1),)),
        lambda f: f([Thing(True)]),
        lambda f: f([Thing(1)], plan=Thing(1)),
        lambda f: f([]),
    ],
)
def test_any_other_argument_is_computed(other):
    doubled, calls = counting()
    doubled([Thing(1)])
    other(doubled)
    assert len(calls) == 2


def test_a_caller_who_changes_the_result_changes_it_for_nobody():
    doubled, _ = counting()
    doubled([Thing(1)])["values"].append("mine")
    doubled([Thing(1)])["values"].append("mine")
    assert doubled([Thing(1)])["values"] == [2]


def test_two_functions_share_nothing():
    @FIGURES.remembers
    def one(n):
        return n

    @FIGURES.remembers
    def other(n):
        return -n

    assert (one(3), other(3)) == (3, -3)


def test_an_iterator_is_refused_and_an_error_is_not_kept():
    doubled, calls = counting()
    with pytest.raises(TypeError):
        doubled(Thing(n) for n in range(2))
    for _ in range(2):
        with pytest.raises(AttributeError):
            doubled([3])
    assert len(calls) == 2


def test_the_memory_is_bounded_and_what_was_asked_for_longest_ago_goes_first():
    memory = Memory(most=2)
    memory.put(b"1", "one")
    memory.put(b"2", None)
    assert memory.get(b"1") == ("one",)
    memory.put(b"3", "three")
    assert [memory.get(key) for key in (b"1", b"2", b"3")] == [("one",), None, ("three",)]


def test_what_is_heavier_leaves_room_for_less():
    memory = Memory(most=5, weigh=len)
    for key, result in ((b"1", "one"), (b"2", "2"), (b"2", "22"), (b"3", "longer than all")):
        memory.put(key, result)
        kept = [memory.get(key) for key in (b"1", b"2", b"3")]
    assert kept == [None, None, None]
    memory.put(b"1", "one"), memory.put(b"2", "22"), memory.put(b"3", "3")
    assert [memory.get(key) for key in (b"1", b"2", b"3")] == [None, ("22",), ("3",)]
