"""How far a fetch is, how fast, and for how long."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.wikifetch.factories import TAG, export, mill, written
from wikifetch import fetch
from wikifetch.fetch_progress import duration, progress_line, progress_of_fetch
from wikifetch.models import Article, FetchRun

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def run(**columns):
    given = {"source": "kind", "label": "x", "state": "running", "queue": list(range(1200))}
    return FetchRun(**given | {"cursor": 350, "began_cursor": 50} | columns)


def test_the_rate_counts_from_the_last_start():
    progress = progress_of_fetch(run(began_at=NOW - timedelta(minutes=10)), NOW)
    assert (progress.done, progress.total, progress.per_minute) == (350, 1200, 30)
    assert progress.seconds_left == 850 / 0.5


@pytest.mark.parametrize(
    "columns",
    [
        {"began_at": None},
        {"began_at": NOW - timedelta(seconds=2)},
        {"began_at": NOW + timedelta(hours=1)},  # the clock was put back
        {"began_at": NOW - timedelta(minutes=1), "state": "paused"},
        {"began_at": NOW - timedelta(minutes=1), "cursor": 50},
    ],
)
def test_where_nothing_is_known_nothing_is_shown(columns):
    progress = progress_of_fetch(run(**columns), NOW)
    assert (progress.per_minute, progress.seconds_left) == (None, None)


def test_a_file_has_no_total():
    progress = progress_of_fetch(
        run(source="xml", queue=[], began_at=NOW - timedelta(minutes=1)), NOW
    )
    assert (progress.total, progress.seconds_left, progress.per_minute) == (None, None, 300)


def test_the_histories_and_html_of_the_last_pages_are_counted(tmp_path):
    fetch.fetch_xml(written(tmp_path, export(mill(f"Old.{TAG}"))))
    article = Article.objects.get()
    columns = {"wiki": article.wiki, "queue": [article.pageid], "cursor": 1, "began_at": NOW}
    progress = progress_of_fetch(run(**columns), NOW)
    assert (progress.traced, progress.to_trace) == (0, 1)
    assert (progress.htmls, progress.to_render) == (0, 1)
    assert progress_line(progress) == "1 of 1 pages, histories 0 of 1, HTML 0 of 1"


def test_a_line_says_pages_rate_and_time_left():
    progress = progress_of_fetch(run(began_at=NOW - timedelta(minutes=10)), NOW)
    assert progress_line(progress) == "350 of 1200 pages, 30 a minute, about 28 min left"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "about 1 min"), (1700, "about 28 min"), (5_300, "about 88 min"), (7_300, "about 2 h")],
)
def test_durations_are_whole(seconds, words):
    assert duration(seconds) == words
