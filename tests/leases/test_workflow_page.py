import pytest
from django.core.management import CommandError, call_command
from django.db.models import TextChoices

from leases import workflow_page
from leases.management.commands import state_tables
from leases.states import StateTable


class Door(TextChoices):
    SHUT = "shut", "Shut"
    OPEN = "open", "Wide open"
    GONE = "gone", "Gone"


@pytest.fixture
def table(monkeypatch):
    monkeypatch.setattr(StateTable, "tables", {})
    return StateTable(
        "Door",
        Door,
        {"open": (("shut",), "open", "anyone"), "take": (("shut", "open"), "gone")},
    )


def test_a_row_for_each_state_and_move(table):
    lines = workflow_page.section(table).splitlines()
    assert "| `open` | Wide open |  |" in lines
    assert "| `shut` | Shut | no move leads here |" in lines
    assert "| `gone` | Gone | final |" in lines
    assert "| open | `shut` | `open` | anyone |" in lines
    assert "| take | `shut`, `open` | `gone` |  |" in lines


def test_the_committed_page_is_up_to_date():
    call_command("state_tables", check=True)


def test_a_page_that_is_out_of_date_fails_the_check(tmp_path, monkeypatch):
    monkeypatch.setattr(state_tables, "PAGE", tmp_path / "workflow.md")
    with pytest.raises(CommandError, match="out of date"):
        call_command("state_tables", check=True)
    call_command("state_tables")
    call_command("state_tables", check=True)
    (tmp_path / "workflow.md").write_text("# By hand\n")
    with pytest.raises(CommandError, match="out of date"):
        call_command("state_tables", check=True)


def test_every_room_with_states_is_on_the_page():
    rooms = {room for room, tables in workflow_page.rooms_with_tables() if tables}
    assert {"wikifetch", "annotation", "generation", "judging"} <= rooms
