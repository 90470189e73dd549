"""The cells of WikiContradict's table 2 and those of a study. Pure.

Source: Hou et al. 2024, table 2, in per cent to one decimal. The paper does not give its n. Prompts 1, 4 and 5 were
counted over 48 questions: 30 explicit, 17 implicit, one without a type. Prompts 2 and 3 were counted over the 41 whose
passages differ. With these n, every share of the table is a whole number of responses.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.shapes.study_report import Report
from evaluation.shapes.verdict_tables import VerdictCell
from evaluation.statistics.tables import ALL, SLICES

# As the paper abbreviates them, with how the names of the published file begin.
MODELS = {
    "Mistral-7b-inst": "mistral-7b",
    "Mixtral-8x7b-inst": "mixtral-8x7b",
    "Llama-2-70b-chat": "llama-2-70b",
    "Llama-3-70b-inst": "llama-3-70b",
    "GPT-4": "gpt-4",
}
RUBRIC = "wikicontradict"
QUESTIONS = {"all": 48, "explicit": 30, "implicit": 17}
DIFFERENT_PASSAGES = 41

# Prompt -> verdict -> per cent by model, and there by slice (all, explicit, implicit; of prompts 2 and 3 all only).
PERCENT: Mapping[str, Mapping[str, Sequence[float]]] = {
    "1": {
        "correct": (4.2, 6.7, 0.0, 2.1, 0.0, 5.9, 0.0, 0.0, 0.0, 4.2, 0.0, 11.8, 2.1, 0.0, 5.9),
        "partially correct": (
            *(33.3, 23.3, 47.1, 52.1, 43.3, 64.7, 54.2, 43.3, 70.6),
            *(52.1, 46.7, 58.8, 58.3, 53.3, 64.7),
        ),
        "incorrect": (
            *(62.5, 70.0, 52.9, 45.8, 56.7, 29.4, 45.8, 56.7, 29.4),
            *(43.8, 53.3, 29.4, 39.6, 46.7, 29.4),
        ),
    },
    "2": {
        "correct": (92.7, 97.6, 87.8, 95.1, 97.6),
        "incorrect": (7.3, 2.4, 12.2, 4.9, 2.4),
    },
    "3": {
        "correct": (82.9, 92.7, 90.2, 92.7, 87.8),
        "incorrect": (17.1, 7.3, 9.8, 7.3, 12.2),
    },
    "4": {
        "correct": (2.1, 3.3, 0.0, 4.2, 3.3, 5.9, 4.2, 3.3, 5.9, 10.4, 13.3, 5.9, 6.3, 3.3, 11.8),
        "partially correct": (
            *(87.5, 86.7, 88.2, 91.7, 93.3, 88.2, 93.8, 96.7, 88.2),
            *(81.3, 80.0, 82.4, 85.4, 96.7, 64.7),
        ),
        "incorrect": (10.4, 10.0, 11.8, 4.2, 3.3, 5.9, 2.1, 0.0, 5.9, 8.3, 6.7, 11.8, 8.3, 0.0, 23.5),
    },
    "5": {
        "correct": (
            *(20.8, 26.7, 11.8, 14.6, 16.7, 11.8, 22.9, 26.7, 17.6),
            *(43.8, 60.0, 17.6, 10.4, 10.0, 11.8),
        ),
        "partially correct": (
            *(70.8, 63.3, 82.4, 83.3, 83.3, 82.4, 68.8, 63.3, 76.5),
            *(45.8, 26.7, 76.5, 81.3, 90.0, 64.7),
        ),
        "incorrect": (8.3, 10.0, 5.9, 2.1, 0.0, 5.9, 8.3, 10.0, 5.9, 10.4, 13.3, 5.9, 8.3, 0.0, 23.5),
    },
}  # fmt: skip

EQUAL, DIFFERS, ABSENT = "equal", "differs", "not in the study"
FITS, DOES_NOT_FIT = "a part that fits", "a part that does not fit"


@dataclass(frozen=True)
class PaperCell:
    """One cell of the paper: `k` is the whole number of `n` whose share rounds to its `percent`."""

    prompt: str
    model: str
    slice: str
    verdict: str
    percent: float
    n: int

    @property
    def k(self) -> int:
        return round(self.percent * self.n / 100)


@dataclass(frozen=True)
class Match:
    """A cell of the paper and ours, `k` of `n` (None where the study has none), with what comes of it."""

    paper: PaperCell
    model: str
    k: int | None
    n: int | None
    comes_to: str


def applies(report: Report) -> bool:
    """Whether the study was judged by the paper's rubric, in any version."""
    return report["study"]["rubric"].rpartition(" ")[0] == RUBRIC


def paper_cells() -> Iterator[PaperCell]:
    """All 155 cells."""
    for prompt, by_verdict in PERCENT.items():
        for verdict, shares in by_verdict.items():
            slices = SLICES if len(shares) > len(MODELS) else (ALL,)
            places = ((model, part) for model in MODELS for part in slices)
            for (model, part), percent in zip(places, shares, strict=True):
                n = QUESTIONS[part] if len(slices) > 1 else DIFFERENT_PASSAGES
                yield PaperCell(prompt, model, part, verdict, percent, n)


def matches(rows: Iterable[VerdictCell]) -> list[Match]:
    """Every cell of the paper with the cell of a report's table (`rows`) for the same model.

    Where n is the paper's, the two are compared. Where it is smaller, the study may hold a part of the paper's
    questions: then no count of ours can be larger than the paper's.
    """
    ours = {(row["prompt"], row["model"], row["slice"], row["verdict"]): row for row in rows}
    names = {key[1] for key in ours}
    pairs = []
    for cell in paper_cells():
        model = _same_model(cell.model, names)
        row = ours.get((cell.prompt, model, cell.slice, cell.verdict))
        if row is None or not row["n"]:
            pairs.append(Match(cell, model, None, None, ABSENT))
        else:
            pairs.append(
                Match(cell, model, row["k"], row["n"], _comes_to(cell, row["k"], row["n"]))
            )
    return pairs


def _same_model(name: str, names: Iterable[str]) -> str:
    """The study's model whose name begins as the paper's does; "" where there is none, or more than one."""
    alike = [shown for shown in names if shown.lower().startswith(MODELS[name])]
    return alike[0] if len(alike) == 1 else ""


def _comes_to(cell: PaperCell, k: int, n: int) -> str:
    if n == cell.n:
        return EQUAL if k == cell.k else DIFFERS
    fits = n < cell.n and k <= cell.k and n - k <= cell.n - cell.k
    return FITS if fits else DOES_NOT_FIT
