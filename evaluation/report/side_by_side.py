"""Two reports or rounds next to each other: the shares of a verdict and the judges' agreement, by prompt. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.report import sentences
from evaluation.report.figures import Figure, in_its_words, query, resampled_word
from evaluation.report.sentences import points, share
from evaluation.report.summary import agreement_lines
from evaluation.report.verdict_rows import model_id
from evaluation.shapes.judge_agreement import PromptAgreement
from evaluation.shapes.study_report import Report, ReportPrompt, ReportSubject
from evaluation.shapes.verdict_tables import SLICE_LABELS, VerdictCell, VerdictTable
from evaluation.statistics.tables import ALL

ABSENT = Figure("\N{EN DASH}")


@dataclass(frozen=True)
class ReportSide:
    """A report, or a round: its prompts and models, its table of verdicts, and the agreement by prompt and round.

    `has_rows`: shares lead to their responses, which are listed by today's final verdicts.
    """

    subject: ReportSubject
    table: VerdictTable
    agreement: Sequence[PromptAgreement]
    has_rows: bool = True

    @classmethod
    def of_report(cls, report: Report, *, has_rows: bool = True) -> "ReportSide":
        """A whole report."""
        (table,) = report["tables"]
        agreement = in_its_words(report["agreement"]["prompts"], resampled_word(report))
        return cls(report, table, agreement, has_rows)

    @property
    def n(self) -> int:
        """The responses that its table counts: those with a verdict."""
        return sum(line["labelled"] for line in self.table["lines"] if line["slice"] == ALL)


@dataclass(frozen=True)
class ShareRow:
    """A model's share on a prompt in both reports, and second minus first in points; "" where one lacks it."""

    model: str
    slice: str
    sides: tuple[Figure, Figure]
    difference: str


@dataclass(frozen=True)
class PromptOfTwo:
    """A prompt of either side; `agreement` is the judges', on both sides, in a line for each round."""

    label: str
    title: str
    rows: tuple[ShareRow, ...]
    agreement: tuple[tuple[str, ...], tuple[str, ...]]


def next_to(first: ReportSide, second: ReportSide, verdict: str) -> list[PromptOfTwo]:
    """Every prompt of either side, matched by name, with the models of either, matched by number.

    A model has its name on the first side that has it: names depend on the study's other models.
    """
    both = (first, second)
    prompts = {p["name"]: p for side in (second, first) for p in side.subject["prompts"]}
    return [
        PromptOfTwo(
            prompt["label"],
            prompt["title"],
            tuple(_rows(both, prompt["name"], verdict)),
            (_agreement(first, prompt["name"]), _agreement(second, prompt["name"])),
        )
        for prompt in sorted(prompts.values(), key=lambda prompt: prompt["label"])
    ]


def _named(side: ReportSide, name: str) -> ReportPrompt | None:
    return next((prompt for prompt in side.subject["prompts"] if prompt["name"] == name), None)


def _rows(both: tuple[ReportSide, ReportSide], prompt: str, verdict: str) -> Iterator[ShareRow]:
    cells = [_cells(side, prompt, verdict) for side in both]
    names = {model["id"]: model["name"] for side in both[::-1] for model in side.subject["models"]}
    places = sorted(
        {*cells[0], *cells[1]},
        key=lambda place: (names[place[0]].casefold(), place[0], [*SLICE_LABELS].index(place[1])),
    )
    for model, part in places:
        first, other = (by_place.get((model, part)) for by_place in cells)
        if not ((first and first["n"]) or (other and other["n"])):
            continue
        sides = _figure(both[0], prompt, first), _figure(both[1], prompt, other)
        yield ShareRow(names[model], SLICE_LABELS[part], sides, _difference(first, other))


def _cells(side: ReportSide, name: str, verdict: str) -> dict[tuple[int, str], VerdictCell]:
    """By the model's number and slice."""
    prompt = _named(side, name)
    return {
        (model_id(side.subject, cell["model"]), cell["slice"]): cell
        for cell in side.table["rows"]
        if prompt and (cell["prompt"], cell["verdict"]) == (prompt["label"], verdict)
    }


def _figure(side: ReportSide, prompt: str, cell: VerdictCell | None) -> Figure:
    if cell is None or not cell["n"]:
        return ABSENT
    model = model_id(side.subject, cell["model"])
    chosen = {"prompt": prompt, "model": model, "slice": cell["slice"]}
    has_rows = side.has_rows and cell["k"]
    return Figure(
        f"{cell['k']}/{cell['n']}",
        sentences.cell_ends(cell),
        query=query(of="final", **chosen, verdict=cell["verdict"]) if has_rows else "",
        share=share(cell["k"], cell["n"]),
    )


def _difference(first: VerdictCell | None, other: VerdictCell | None) -> str:
    if not (first and first["n"] and other and other["n"]):
        return ""
    return points(other["k"] / other["n"] - first["k"] / first["n"])


def _agreement(side: ReportSide, name: str) -> tuple[str, ...]:
    prompt = _named(side, name)
    return agreement_lines(side.agreement, prompt["label"]) if prompt else ()
