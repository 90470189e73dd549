"""Two reports next to each other: the shares of a verdict and the judges' agreement, prompt by prompt. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.report import sentences
from evaluation.report.figures import Figure, query
from evaluation.report.sentences import points, share
from evaluation.report.shapes import Cell, Prompt, PromptAgreement, Report
from evaluation.report.summary import agreement_words
from evaluation.report.verdicts import SLICE_LABELS, model_id

ABSENT = Figure("\N{EN DASH}")


@dataclass(frozen=True)
class ShareRow:
    """A model's share on a prompt in both reports, and second minus first in points; "" where one lacks it."""

    model: str
    slice: str
    sides: tuple[Figure, Figure]
    difference: str


@dataclass(frozen=True)
class AgreementRow:
    """The responses with two or more first verdicts, and the judges' agreement on them in words, in both reports."""

    n: tuple[int, int]
    words: tuple[str, str]


@dataclass(frozen=True)
class PromptOfTwo:
    """A prompt that either report has."""

    label: str
    title: str
    rows: tuple[ShareRow, ...]
    agreement: AgreementRow


def next_to(first: Report, second: Report, verdict: str) -> list[PromptOfTwo]:
    """Every prompt of either report, matched by its name, with the models of either, matched by their numbers.

    A model has the name of the first report that has it: names depend on which others a report has.
    """
    both = (first, second)
    prompts = {prompt["name"]: prompt for report in (second, first) for prompt in report["prompts"]}
    return [
        PromptOfTwo(
            prompt["label"],
            prompt["title"],
            tuple(_rows(both, prompt["name"], verdict)),
            _agreement(both, prompt["name"]),
        )
        for prompt in sorted(prompts.values(), key=lambda one: one["label"])
    ]


def _named(report: Report, name: str) -> Prompt | None:
    return next((prompt for prompt in report["prompts"] if prompt["name"] == name), None)


def _rows(both: tuple[Report, Report], prompt: str, verdict: str) -> Iterator[ShareRow]:
    cells = [_cells(report, prompt, verdict) for report in both]
    names = {model["id"]: model["name"] for report in both[::-1] for model in report["models"]}
    places = sorted(
        {*cells[0], *cells[1]},
        key=lambda place: (names[place[0]].casefold(), place[0], [*SLICE_LABELS].index(place[1])),
    )
    for model, part in places:
        one, other = (each.get((model, part)) for each in cells)
        if not ((one and one["n"]) or (other and other["n"])):
            continue
        sides = _figure(both[0], prompt, one), _figure(both[1], prompt, other)
        yield ShareRow(names[model], SLICE_LABELS[part], sides, _difference(one, other))


def _cells(report: Report, name: str, verdict: str) -> dict[tuple[int, str], Cell]:
    """By the model's number and slice."""
    (table,) = report["tables"]
    prompt = _named(report, name)
    return {
        (model_id(report, cell["model"]), cell["slice"]): cell
        for cell in table["rows"]
        if prompt and (cell["prompt"], cell["verdict"]) == (prompt["label"], verdict)
    }


def _figure(report: Report, prompt: str, cell: Cell | None) -> Figure:
    if cell is None or not cell["n"]:
        return ABSENT
    chosen = {"prompt": prompt, "model": model_id(report, cell["model"]), "slice": cell["slice"]}
    return Figure(
        f"{cell['k']}/{cell['n']}",
        sentences.cell_ends(cell),
        query=query(of="final", **chosen, verdict=cell["verdict"]) if cell["k"] else "",
        share=share(cell["k"], cell["n"]),
    )


def _difference(one: Cell | None, other: Cell | None) -> str:
    if not (one and one["n"] and other and other["n"]):
        return ""
    return points(other["k"] / other["n"] - one["k"] / one["n"])


def _agreement(both: tuple[Report, Report], name: str) -> AgreementRow:
    one, other = (_agreement_on(report, name) for report in both)
    return AgreementRow(
        (one["n"] if one else 0, other["n"] if other else 0),
        (agreement_words(one), agreement_words(other)),
    )


def _agreement_on(report: Report, name: str) -> PromptAgreement | None:
    prompt = _named(report, name)
    entries = report["agreement"]["prompts"]
    return next((one for one in entries if prompt and one["prompt"] == prompt["label"]), None)
