"""What facts about an installation mean."""

import pytest

from operations.monitoring import findings
from operations.monitoring.findings import State

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


@pytest.mark.parametrize(
    ("silence", "uptime", "state", "is_trouble", "words"),
    [
        (3.0, HOUR, State.OK, False, "is running (last report 3 s ago)"),
        (44.0, HOUR, State.OK, False, "44 s ago"),
        (46.0, HOUR, State.FAIL, True, "last reported 46 seconds ago"),
        (3 * HOUR, HOUR, State.FAIL, True, "3 hours ago"),
        (None, HOUR, State.FAIL, True, "never reported"),
        # Just started: not ready, and nobody is alarmed.
        (None, 5.0, State.FAIL, False, "never reported"),
        (2 * DAY, 5.0, State.FAIL, False, "2 days ago"),
    ],
)
def test_a_process_is_there_while_it_beats(silence, uptime, state, is_trouble, words):
    finding = findings.of_process("work", silence, uptime)
    assert (finding.state, finding.is_trouble) == (state, is_trouble)
    assert words in finding.sentence
    assert ("start it again" in finding.remedy) == (state == State.FAIL)


@pytest.mark.parametrize(
    ("free", "state", "words"),
    [
        (50 * 1024**3, State.OK, "50.0 GB free"),
        (1024**3, State.OK, "1.0 GB free"),
        (1024**3 - 1, State.WARN, "nearly full: 1023 MB"),
        (256 * 1024**2 - 1, State.FAIL, "is full: 255 MB"),
        (0, State.FAIL, "0 MB"),
    ],
)
def test_room_on_the_disk(free, state, words):
    finding = findings.of_disk(free)
    assert finding.state == state
    assert words in finding.sentence


@pytest.mark.parametrize(
    ("age", "state", "words"),
    [
        (None, State.WARN, "No backup is known"),
        (2 * HOUR, State.OK, "2 hours old"),
        (9 * DAY, State.WARN, "9 days old"),
    ],
)
def test_a_backup_that_is_missing_or_old_warns_and_raises_no_banner(age, state, words):
    finding = findings.of_backup(age)
    assert (finding.state, finding.is_trouble) == (state, False)
    assert words in finding.sentence


def test_a_service_that_has_just_been_started_alarms_nobody():
    young, old = findings.of_services({"embedded": 20.0, "lab": 5 * MINUTE})
    assert (young.state, young.is_trouble) == (State.WARN, False)
    assert (old.state, old.is_trouble) == (State.WARN, True)
    assert old.sentence == "The inference service lab has not answered for 5 minutes."


def test_missing_migrations_are_counted():
    assert findings.of_migrations(0).state == State.OK
    assert findings.of_migrations(1).sentence == "The database lacks 1 migration."
    assert "manage.py migrate" in findings.of_migrations(2).remedy


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 seconds"), (1.0, "1 second"), (119.0, "119 seconds"), (120.0, "2 minutes")],
)
def test_spans_in_words(seconds, words):
    assert findings.ago(seconds) == words
