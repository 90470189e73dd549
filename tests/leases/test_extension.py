"""Extension points: who answers which, and what is refused when the program starts."""

from pathlib import Path

import pytest
from django.utils.module_loading import import_string

from leases.extension import POINTS, ExtensionPoint

DOCS = Path(__file__).parents[2] / "docs" / "developers.md"


def documented() -> dict[str, set[str]]:
    """Point -> the rooms that answer it, from the table in docs/developers.md."""
    section = (
        DOCS.read_text("utf-8").split("## What one room may ask of another")[1].split("\n## ")[0]
    )
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| `")]
    return {
        f"{module.strip(' `').removesuffix('.py').replace('/', '.')}.{name.strip(' `')}": set(
            rooms.replace(",", " ").split()
        )
        for name, module, rooms, _ in rows
    }


def test_the_developers_page_lists_every_point_with_its_providers():
    assert documented() == {name: set(point.providers) for name, point in POINTS.items()}


@pytest.mark.parametrize("name", sorted(POINTS))
def test_a_point_is_held_by_the_variable_that_it_names(name):
    assert import_string(name) is POINTS[name]


@pytest.fixture
def point(monkeypatch):
    monkeypatch.setattr("leases.extension.POINTS", {})
    return ExtensionPoint("leases.example.add")


def test_a_point_returns_what_every_provider_returns_in_their_order(point):
    point.add("datasets", lambda number: number + 1)
    point.add("judging", lambda number: number * 10)
    assert point(2) == [3, 20]


def test_a_point_without_providers_returns_nothing(point):
    assert point(2) == []


def test_a_second_provider_of_one_room_is_refused(point):
    point.add("judging", abs)
    with pytest.raises(
        ValueError, match=r"judging has a provider for leases\.example\.add already"
    ):
        point.add("judging", abs)


def test_a_second_point_of_one_name_is_refused(point):
    with pytest.raises(ValueError, match=r"an extension point leases\.example\.add already"):
        ExtensionPoint("leases.example.add")
