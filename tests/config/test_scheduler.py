"""The scheduler keeps nothing on the disk: Celery's default reads pickles there, which execute what they hold."""

import shelve
from datetime import timedelta
from pathlib import Path

from celery.apps.beat import Beat

from config.celery import app


class Planted:
    """Writes a file when its pickle is read."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.write_text, (self.path, "executed")


def test_a_planted_pickle_is_not_read_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place, trace = str(tmp_path / "scheduler"), tmp_path / "trace"
    with shelve.open(place) as planted:
        planted["entries"] = Planted(trace)
    before = [(path.name, path.read_bytes()) for path in sorted(tmp_path.iterdir())]
    beat = Beat(app=app, schedule=place)
    service = beat.Service(app=app, scheduler_cls=beat.scheduler_cls, schedule_filename=place)
    assert set(app.conf.beat_schedule) <= set(service.scheduler.schedule)
    service.sync()
    assert not trace.exists()
    assert [(path.name, path.read_bytes()) for path in sorted(tmp_path.iterdir())] == before


def test_every_task_is_sent_within_an_hour_of_the_start():
    """Because the last times are not kept: a laptop may run for no longer."""
    intervals = [entry["schedule"] for entry in app.conf.beat_schedule.values()]
    assert intervals
    assert max(intervals) <= timedelta(hours=1).total_seconds()


def test_messages_that_come_every_few_seconds_do_not_pile_up():
    for name, entry in app.conf.beat_schedule.items():
        if entry["schedule"] < 10:
            assert entry["schedule"] < entry.get("options", {}).get("expires", 0), name
