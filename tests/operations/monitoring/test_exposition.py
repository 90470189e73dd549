"""Prometheus' text format."""

import pytest

from operations.monitoring.exposition import Gauge, quantile, text


def test_a_gauge_with_and_without_labels():
    plain = Gauge("room_bytes", "Room left.").set(12)
    labelled = Gauge("age_seconds", "Age.").set(1.5, queue="a").set(None, queue="b")
    assert text([plain, labelled]) == (
        "# HELP room_bytes Room left.\n# TYPE room_bytes gauge\nroom_bytes 12\n"
        '# HELP age_seconds Age.\n# TYPE age_seconds gauge\nage_seconds{queue="a"} 1.5\n'
    )


def test_what_a_name_holds_cannot_break_out_of_its_label():
    gauge = Gauge("up", "Up.").set(1, service='a"} 1\nup{service="\\b')
    (line,) = [line for line in text([gauge]).splitlines() if not line.startswith("#")]
    assert line == r'up{service="a\"} 1\nup{service=\"\\b"} 1'


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([], 0.5, None),
        ([7.0], 0.99, 7.0),
        ([1.0, 2.0, 3.0, 4.0], 0.5, 2.0),
        ([1.0, 2.0, 3.0, 4.0], 0.9, 4.0),
        (list(range(1, 101)), 0.99, 99),
        (list(range(1, 101)), 0.0, 1),
    ],
)
def test_quantiles_are_values_that_were_measured(values, share, expected):
    assert quantile(values, share) == expected
