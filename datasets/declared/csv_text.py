"""How a CSV file is written: its delimiter, its quotes, the ends of its lines, and its header. Pure."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from datasets.readers.csv_table import DELIMITERS, CsvTable, cells_of
from datasets.schema import Problem, kind_of, text_problems

LINE_ENDS = ("\n", "\r\n", "\r")
BOM = "\ufeff"


@dataclass(frozen=True)
class CsvForm:
    """`fields` has the name of a field for each column of the header, and "" where it has none."""

    header: tuple[str, ...]
    fields: tuple[str, ...]
    delimiter: str = ","
    line_end: str = "\n"
    bom: bool = False
    all_quoted: bool = False

    def text(self, cells: Iterable[object]) -> str:
        """A row, without the end of its line."""
        buffer = io.StringIO()
        quoting: Literal[0, 1] = csv.QUOTE_ALL if self.all_quoted else csv.QUOTE_MINIMAL
        csv.writer(buffer, delimiter=self.delimiter, lineterminator="", quoting=quoting).writerow(
            cells
        )
        return buffer.getvalue()

    @property
    def head(self) -> str:
        """What stands before the first row."""
        return (BOM if self.bom else "") + self.text(self.header)

    def kept(self) -> dict[str, str]:
        """As a collection keeps it of its file: texts alone."""
        return {
            "header": _row(self.header),
            "fields": _row(self.fields),
            "delimiter": self.delimiter,
            "line_end": self.line_end,
            "bom": "yes" if self.bom else "",
            "all_quoted": "yes" if self.all_quoted else "",
        }


def form_in(table: CsvTable, mapped: Mapping[str, str]) -> CsvForm:
    """How the file of the table is written, where its columns are `mapped` to fields."""
    fields = tuple(mapped.get(name, "") for name in table.columns)
    line = table.first_line()
    end = line[len(line.rstrip("\r\n")) :] or "\n"
    form = CsvForm(table.header, fields, table.delimiter, end, line.startswith(BOM))
    quoted = replace(form, all_quoted=True)
    return quoted if table.begins_with(quoted.head + end) else form


def form_of(kept: Mapping[str, str], names: Sequence[str]) -> CsvForm:
    """The inverse of `kept`; where nothing was kept, as the fields of these names would be published."""
    if not kept:
        return CsvForm(tuple(names), tuple(names))
    return CsvForm(
        tuple(cells_of(kept["header"])),
        tuple(cells_of(kept["fields"])),
        kept["delimiter"],
        kept["line_end"],
        kept["bom"] == "yes",
        kept["all_quoted"] == "yes",
    )


def kept_problems(name: str, kept: Mapping[str, object], names: Iterable[str]) -> list[Problem]:
    """Why these texts are no form of a CSV file with the fields of these names."""
    texts = {key: value for key, value in kept.items() if isinstance(value, str)}
    if len(texts) < len(kept):
        wrong = next(key for key in kept if key not in texts)
        return [Problem(f"{name}.{wrong}", f"is {kind_of(kept[wrong])}, not text")]
    problems = [problem for key in texts for problem in text_problems(f"{name}.{key}", texts[key])]
    fields = cells_of(texts["fields"])
    right = {
        "header": len(cells_of(texts["header"])) == len(fields),
        "fields": sorted(filter(None, fields)) == sorted(set(filter(None, fields)) & set(names)),
        "delimiter": texts["delimiter"] in DELIMITERS.values(),
        "line_end": texts["line_end"] in LINE_ENDS,
        "bom": texts["bom"] in ("", "yes"),
        "all_quoted": texts["all_quoted"] in ("", "yes"),
    }
    wrong_keys = [key for key, is_right in right.items() if not is_right]
    return problems or [
        Problem(f"{name}.{key}", "is not what is kept of a CSV file") for key in wrong_keys
    ]


def _row(cells: Iterable[str]) -> str:
    return CsvForm((), ()).text(cells)


KEPT = tuple(CsvForm((), ()).kept())
