"""All charts and tables of a report in one zip, each as it is downloaded alone, and its methods in words."""

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping

from evaluation.archive.bundles import NO_TIME
from evaluation.charts.pictures import FORMS, drawn
from evaluation.charts.standalone import PAGE, WIDTHS, room
from evaluation.paper.chart_includes import chart_name, includes
from evaluation.paper.latex import latex
from evaluation.report.display import forms_of, read_display
from evaluation.report.drawings import drawings
from evaluation.report.methods import methods_paragraph
from evaluation.shapes.study_report import Report
from evaluation.tables.all_tables import files_of, sheet
from evaluation.tables.sheet import Sheet
from pages.data_responses import MARK, csv_lines


def archive(report: Report, stem: str, query: Mapping[str, str]) -> Iterator[bytes]:
    """The zip in pieces: pictures take most of the time, and are drawn on the way.

    `query` names and orders as the page *In a paper* does. Raises Refusal as `read_display`, before the first piece.
    """
    tables = {
        form: latex(report, read_display({**query, "form": form}, report))
        for form in forms_of(report)
    }
    return _zipped(_files(report, stem, tables, query.get("order", "")))


def _files(
    report: Report, stem: str, tables: Mapping[str, str], order: str
) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file; in one folder, where LaTeX finds the pictures."""
    charts = {width: drawings(report, order, room(width)) for width in WIDTHS}
    for form, text in tables.items():
        yield f"{stem}-{form}.tex", text.encode()
    yield f"{stem}-figures.tex", includes(report, charts[PAGE].values(), stem).encode()
    yield f"{stem}-methods.txt", f"{methods_paragraph(report)}\n".encode()
    for name in files_of(report):
        if (rows := sheet(report, name)).rows:
            yield f"{stem}-{name}.csv", _csv(rows)
    for key, chart in charts[PAGE].items():
        yield chart_name(stem, key, "csv", PAGE), _csv(chart.sheet)
    for width, of_width in charts.items():
        for key, chart in of_width.items():
            for form in FORMS:
                content = drawn(chart.svg, width, form, chart.title)
                yield chart_name(stem, key, form, width), content


def _csv(sheet: Sheet) -> bytes:
    return "".join([MARK, *csv_lines(*sheet)]).encode()


class _Pieces(io.RawIOBase):
    """What was written since it was last taken."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._written.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        taken, self._written = b"".join(self._written), []
        return taken


def _zipped(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    pieces = _Pieces()
    with zipfile.ZipFile(pieces, "w", zipfile.ZIP_DEFLATED) as archived:
        for name, content in files:
            entry = zipfile.ZipInfo(name, NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archived.writestr(entry, content)
            yield pieces.take()
    yield pieces.take()
