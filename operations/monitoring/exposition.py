"""Prometheus' text format, version 0.0.4. Pure.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, isnan

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = tuple[tuple[str, str], ...]


@dataclass
class Gauge:
    """One metric with its values by labels, in base units (seconds, bytes)."""

    name: str
    help: str
    values: dict[Labels, float] = field(default_factory=dict)

    def set(self, value: float | None, **labels: str) -> "Gauge":
        """None leaves the value out: an unknown value is not 0."""
        if value is not None:
            self.values[tuple(sorted(labels.items()))] = value
        return self

    def set_each(self, label: str, values: Mapping[str, float | None]) -> "Gauge":
        for name, value in values.items():
            self.set(value, **{label: name})
        return self


def text(gauges: Iterable[Gauge]) -> str:
    return "".join(f"{line}\n" for gauge in gauges for line in _lines(gauge))


def _lines(gauge: Gauge) -> Iterable[str]:
    yield f"# HELP {gauge.name} {_escaped(gauge.help)}"
    yield f"# TYPE {gauge.name} gauge"
    for labels, value in gauge.values.items():
        listed = ",".join(f'{name}="{_quoted(text)}"' for name, text in labels)
        metric = f"{gauge.name}{{{listed}}}" if listed else gauge.name
        yield f"{metric} {_number(value)}"


def _escaped(words: str) -> str:
    return words.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(words: str) -> str:
    return _escaped(words).replace('"', '\\"')


def _number(value: float) -> str:
    if isnan(value):
        return "NaN"
    return repr(round(value, 6)) if isinstance(value, float) else str(value)


def quantile(ordered: Sequence[float], share: float) -> float | None:
    """The smallest value that at least `share` of the ordered values do not exceed; None if there are none."""
    return ordered[max(1, ceil(len(ordered) * share)) - 1] if ordered else None
