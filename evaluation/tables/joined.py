"""Two tables next to each other as one: of two reports, or of two rounds of a study. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from evaluation.shapes.judge_agreement import PromptAgreement
from evaluation.shapes.study_report import Report
from evaluation.statistics.tables import ALL
from evaluation.tables.report_words import in_its_words, resampled_word, verdict_labels
from evaluation.tables.scores import score_tables
from evaluation.tables.sentences import agreement_lines
from evaluation.tables.table import NOTHING, Cell, Group, Line, Names, Table, renamed
from evaluation.tables.verdicts import verdict_table
from evaluation.tables.words import DASH, DIFFERENCES, Unit

COLUMNS = (("First",), ("Second",), ("Difference",))
ABSENT = Cell(Unit.TEXT, text=DASH)


@dataclass(frozen=True)
class Side:
    """A report, or of a round as much of one as a table of verdicts reads; its agreement by prompt and round.

    `rows_url` is where its cells lead to their rows, "" where they do not: today's final verdicts are listed.
    """

    report: Report
    agreement: Sequence[PromptAgreement]
    rows_url: str = ""

    @classmethod
    def of_report(cls, report: Report, rows_url: str = "") -> "Side":
        """A whole report."""
        words = resampled_word(report)
        return cls(report, in_its_words(report["agreement"]["prompts"], words), rows_url)

    @property
    def n(self) -> int:
        """The responses that its table of verdicts counts."""
        lines = self.report["tables"][0]["lines"]
        return sum(line["labelled"] for line in lines if line["slice"] == ALL)


def verdicts_of_two(first: Side, second: Side, verdict: str) -> Table:
    """The share of this verdict, for every prompt of either side with the judges' agreement."""
    one, two = (_with_agreement(side, verdict) for side in (first, second))
    table = joined(_led(one, first), _led(_named_as(two, second, first), second))
    return replace(table, groups=tuple(sorted(table.groups, key=lambda group: group.title)))


def scores_of_two(first: Side, second: Side) -> list[Table]:
    """The tables of scores of either."""
    mine = {table.key: _led(table, first) for table in score_tables(first.report)}
    others = {
        table.key: _led(_named_as(table, second, first), second)
        for table in score_tables(second.report)
    }
    either = {**others, **mine}
    return [
        joined(*(of.get(key, replace(either[key], groups=())) for of in (mine, others)))
        for key in {**mine, **others}
    ]


def joined(first: Table, second: Table) -> Table:
    """The lines of either with their cells in both, and second minus first, which is not tested.

    They are matched by group, keys and column. Those without a value on either side are left out.
    """
    places = len(first.columns) > 1 or len(second.columns) > 1
    sides = [_places(table, with_column=places) for table in (first, second)]
    groups = [{group.key: group for group in table.groups} for table in (first, second)]
    return replace(
        first,
        heads=(*first.heads, first.of or "Column") if places else first.heads,
        columns=COLUMNS,
        groups=tuple(
            _group([of.get(key) for of in groups], [of.get(key, {}) for of in sides])
            for key in {**groups[0], **groups[1]}
        ),
        fold="",
        of="",
    )


Places = dict[tuple[str, ...], Cell]


def _places(table: Table, *, with_column: bool) -> dict[str, Places]:
    """The cells of each group, by the keys of the line and the column."""
    found: dict[str, Places] = {}
    for group, line, column, cell in table.cells:
        key = (*line.keys, column) if with_column else line.keys
        found.setdefault(group.key, {})[key] = cell
    return found


def _group(groups: Sequence[Group | None], sides: Sequence[Places]) -> Group:
    either = next(group for group in groups if group)
    firsts = list(dict.fromkeys(key[0] for key in chain(*sides)))
    keys = sorted(dict.fromkeys(chain(*sides)), key=lambda key: firsts.index(key[0]))
    lines = (_line(key, *(_present(side.get(key, ABSENT)) for side in sides)) for key in keys)
    said = zip(("First", "Second"), groups, strict=True)
    return replace(
        either,
        lines=tuple(line for line in lines if any(cell.value is not None for cell in line.cells)),
        sentence=" ".join(f"{which}: {of.sentence}" for which, of in said if of and of.sentence),
        note="",
    )


def _present(cell: Cell) -> Cell:
    return ABSENT if cell.value is None else cell


def _line(key: tuple[str, ...], first: Cell, second: Cell) -> Line:
    unit = DIFFERENCES.get(first.unit)
    if not unit or first.value is None or second.value is None:
        return Line(key, (first, second, NOTHING))
    return Line(key, (first, second, Cell(unit, second.value - first.value)))


def _with_agreement(side: Side, verdict: str) -> Table:
    """Its table of verdicts with this one alone; each group has a prompt's name as its key."""
    label, prompts = verdict_labels(side.report)[verdict], side.report["prompts"]
    table = verdict_table(side.report).with_columns(lambda words: words == label)
    by_label = {group.key: group for group in table.groups}
    groups = (
        replace(
            by_label.get(one["label"], Group("", f"{one['label']}: {one['title']}", ())),
            key=one["name"],
            sentence=_sentence(agreement_lines(side.agreement, one["label"])),
        )
        for one in prompts
    )
    return replace(table, groups=tuple(groups))


def _sentence(parts: Sequence[str]) -> str:
    return f"{'; '.join(part.removesuffix('.') for part in parts) or 'not measured'}."


def _named_as(table: Table, side: Side, first: Side) -> Table:
    """With models named as on the first side, by their numbers: names depend on the study's other models."""
    names = {model["id"]: model["name"] for model in first.report["models"]}
    taken = set(names.values())

    def called(number: int, name: str) -> str:
        return names.get(number) or (f"{name} (no. {number})" if name in taken else name)

    models = {model["name"]: called(model["id"], model["name"]) for model in side.report["models"]}
    return renamed(table, {"Model": Names(models)})


def _led(table: Table, side: Side) -> Table:
    """With whole addresses of rows, or none."""

    def led(cell: Cell) -> Cell:
        rows, whole = (
            side.rows_url and query and side.rows_url + query for query in (cell.rows, cell.whole)
        )
        return replace(cell, rows=rows, whole=whole)

    return table.with_lines(lambda line: replace(line, cells=tuple(map(led, line.cells))))
