"""The responses of a run for reading: a row for each question, a column for each prompt and model; two models compared.

A run has at most runs.MOST_RESPONSES.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, Subquery
from django.db.models.functions import Left

from datasets.models import Instance
from generation import prompt_versions, responses
from generation.excerpts import excerpt, wanted
from generation.inference import chat
from generation.model_pages import whole_name
from generation.models import LONG, LanguageModel, OptionScore, Response, Run
from generation.prompts import controlled
from generation.states import ResponseState
from generation.wordsearch import has_all
from pages.controls import visible
from pages.worddiff import Piece, word_diff

# About how many cells a page has, and the most rows.
CELLS, MOST_ROWS = 300, 25
# Characters of a response that a cell shows, and within which the words found are shown.
SHOWN, SEARCHED = 140, 20_000
# The columns of a response from which its note is made.
NOTED = ("state", "finding", "held", "finish_reason", "prompt_verified")
# Questions on a page that compares two models.
COMPARED = 10

Key = tuple[int, int]  # a row: its question and its sample

# What a response is chosen by besides its state: the words for it, and the condition.
OUTCOMES: Mapping[str, tuple[str, Q]] = {
    chat.REFUSED: ("Declined", Q(finding=chat.REFUSED)),
    chat.FILTERED: ("Withheld by a filter", Q(finding=chat.FILTERED)),
    controlled.SKIPPED: ("Skipped", responses.SKIPPED),
    "again": ("Asked again", responses.ASKED_AGAIN),
    chat.UNDECIDED: ("No likeliest option", Q(finding=chat.UNDECIDED)),
    "held": ("Held: may have markup or reasoning in it", Q(held=True)),
    "unverified": ("Prompt not verified", Q(prompt_verified=False)),
    "cut": ("Cut off at a limit", Q(finish_reason__in=chat.CUT_OFF)),
    chat.ABORTED: ("Broken off", Q(finding=chat.ABORTED)),
    chat.EMPTY: ("Without a text", Q(state=ResponseState.DONE, text="")),
}


@dataclass(frozen=True)
class GridChoice:
    """What a grid is narrowed to; an empty value narrows nothing. `outcome` is a state or a key of OUTCOMES."""

    words: str = ""
    outcome: str = ""
    prompt: str = ""
    model: int | None = None

    @property
    def searched(self) -> bool:
        """Whether words are looked for in the texts."""
        return bool(wanted(self.words))

    def fits(self) -> Q:
        condition = Q()
        if self.outcome:
            by_state = ("", Q(state=self.outcome))
            condition &= OUTCOMES.get(self.outcome, by_state)[1]
        if self.prompt:
            condition &= Q(prompt=self.prompt)
        if self.model:
            condition &= Q(model=self.model)
        return condition & has_all(wanted(self.words))


# ---------------------------------------------------------------- columns


@dataclass(frozen=True)
class GridColumns:
    """What a run asked: its prompts by name in their order, its models by key, each with the words for it.

    `authors` has the keys of those that stand for the author of given texts, by the prompt of these.
    """

    prompts: Mapping[str, str]
    models: Mapping[int, str]
    authors: Mapping[str, int | None] = field(default_factory=dict)

    @property
    def compared(self) -> "GridColumns":
        """Those without given texts, which have one author."""
        authors = self.authors.values()
        return GridColumns(
            {name: words for name, words in self.prompts.items() if name not in self.authors},
            {key: model for key, model in self.models.items() if key not in authors},
        )

    def chosen(self, choice: GridChoice) -> dict[str, dict[int, str]]:
        """The models of each prompt that a grid shows: of a given text its author, of others those that are asked."""
        asked = self.compared.models
        shown = {
            name: {
                key: model
                for key, model in self.models.items()
                if choice.model in (None, key)
                and (key == self.authors[name] if name in self.authors else key in asked)
            }
            for name in self.prompts
            if choice.prompt in ("", name)
        }
        return {name: models for name, models in shown.items() if models}


def columns_of(run: Run) -> GridColumns:
    """The run's prompts, and the models of its responses."""
    known = prompt_versions.known(run.prompts)
    prompts = {
        name: f"{known[name].label}: {known[name].title}" if name in known else name
        for name in run.prompts
    }
    models = LanguageModel.objects.filter(Exists(run.responses.filter(model=OuterRef("pk"))))
    writers = {model.model_id: model.pk for model in models if model.is_author}
    authors = {name: writers.get(prompt.by) for name, prompt in known.items() if prompt.given}
    return GridColumns(prompts, _told_apart(models), authors)


def _told_apart(models: Iterable[LanguageModel]) -> dict[int, str]:
    """The models' names, with the service and options of those that share one."""
    rows = list(models)
    names = [str(model) for model in rows]
    return {
        model.pk: name if names.count(name) == 1 else whole_name(model)
        for model, name in zip(rows, names, strict=True)
    }


# ---------------------------------------------------------------- the grid


@dataclass(frozen=True)
class GridCell:
    """A response. `note` is why it is not simply an answer, `tone` the state whose colour the note has.

    `fits`: whether the filter matches it, or only another cell of its row. `score` is the probability of the option
    where options were scored.
    """

    pk: int
    text: list[Piece]
    note: str
    tone: str
    fits: bool
    score: str = ""


@dataclass(frozen=True)
class GridRow:
    """One question, or one sample of it, with a cell for each column; None where nothing was asked."""

    question: str
    sample: int
    cells: list[GridCell | None]


@dataclass(frozen=True)
class Grid:
    """A page of the grid; `heads` are its prompts, each with the names of its models."""

    heads: list[tuple[str, list[str]]]
    rows: list[GridRow]


def keys_of(run: Run, fits: Q, *, searched: bool = False) -> list[Key]:
    """The rows with a response that fits, in the order of the questions.

    `searched`: `fits` looks for words in texts. Then not for use in a transaction.
    """
    rows = run.responses.filter(fits).order_by().values_list("instance", "sample").distinct()
    if not searched or connection.vendor != "postgresql":
        return sorted(rows)
    with transaction.atomic(), connection.cursor() as cursor:
        # PostgreSQL plans as if a text were searched as fast as two numbers are compared, and leaves it to one process.
        cursor.execute("SET LOCAL cpu_operator_cost = 0.05")
        return sorted(rows)


def rows_on_a_page(columns: GridColumns, choice: GridChoice) -> int:
    shown = sum(map(len, columns.chosen(choice).values()))
    return max(1, min(MOST_ROWS, CELLS // max(1, shown)))


def grid_of(run: Run, columns: GridColumns, choice: GridChoice, keys: Sequence[Key]) -> Grid:
    shown = columns.chosen(choice)
    models = {key for of_prompt in shown.values() for key in of_prompt}
    cells = _cells(run, keys, shown, models, choice)
    asked = Instance.objects.order_by().in_bulk({instance for instance, _ in keys})
    rows = [
        GridRow(
            visible(asked[instance].question),
            sample,
            [cells.get((instance, sample, name, key)) for name in shown for key in shown[name]],
        )
        for instance, sample in keys
    ]
    heads = [(columns.prompts[name], list(shown[name].values())) for name in shown]
    return Grid(heads, rows)


def of_question(run: Run, columns: GridColumns, key: Key) -> list[tuple[str, str, GridCell]]:
    """The responses of one row, each with the words for its prompt and its model."""
    found = grid_of(run, columns, GridChoice(), [key])
    names = ((words, model) for words, models in found.heads for model in models)
    cells = zip(names, found.rows[0].cells, strict=True)
    return [(words, model, cell) for (words, model), cell in cells if cell]


def _cells(
    run: Run, keys: Sequence[Key], prompts: Iterable[str], models: Iterable[int], choice: GridChoice
) -> dict[tuple[int, int, str, int], GridCell]:
    """The cells of these rows by question, sample, prompt and model."""
    words = wanted(choice.words)
    fits = ExpressionWrapper(Q(run=run) & choice.fits(), output_field=BooleanField())
    rows = run.responses.filter(
        instance__in={instance for instance, _ in keys},
        sample__in={sample for _, sample in keys},
        prompt__in=list(prompts),
        model__in=list(models),
    )
    chosen = OptionScore.objects.filter(response=OuterRef("pk"), option=OuterRef("text"))
    mass = Subquery(chosen.order_by().values("mass"))
    read: Any = rows.order_by().values(
        "pk", "instance", "sample", "prompt", "model", "error", *NOTED,
        start=Left("text", SEARCHED if words else SHOWN + 1), fits=fits, mass=mass,
    )  # fmt: skip
    return {
        (row["instance"], row["sample"], row["prompt"], row["model"]): _cell(row, words)
        for row in read
    }


def _cell(row: Mapping[str, Any], words: Sequence[str]) -> GridCell:
    note, tone = note_of(row["start"], **{name: row[name] for name in NOTED})
    start = row["start"]
    text = excerpt(visible(start or row["error"]), words if start else (), SHOWN)
    score = "" if row["mass"] is None else f"{row['mass']:.3f}"
    return GridCell(row["pk"], text, note, tone, bool(row["fits"]), score)


def note_of(text: str, prompt_verified: bool | None, **noted: Any) -> tuple[str, str]:
    """Why a response is not simply an answer, and the state whose colour this has; ("", "") where it is one.

    It gets the columns in NOTED.
    """
    note, tone = _note_of_text(text, **noted)
    if prompt_verified is False:
        return "; ".join(filter(None, (note, OUTCOMES["unverified"][0]))), "warn"
    return note, tone


def _note_of_text(
    text: str, state: str, finding: str, held: bool | None, finish_reason: str
) -> tuple[str, str]:
    if state != ResponseState.DONE:
        return ResponseState(state).label, state
    if finding == chat.ABORTED:
        return f"{OUTCOMES[finding][0]}: {finish_reason}", "warn"
    if finding:
        return OUTCOMES[finding][0], "warn"
    if held:
        return OUTCOMES["held"][0], "warn"
    if finish_reason in chat.CUT_OFF:
        return OUTCOMES["cut"][0], "warn"
    return ("", "") if text else (OUTCOMES[chat.EMPTY][0], "warn")


# ---------------------------------------------------------------- two models


@dataclass(frozen=True)
class ComparedAnswer:
    """What one of two models answered; the words that the other lacks are the pieces of kind "new"."""

    response: Response
    text: list[Piece]
    note: str
    tone: str


@dataclass(frozen=True)
class ComparedPair:
    """The answers of two models to a question, each with the model's name; None where one was not asked."""

    question: str
    gold: list[str]
    sample: int
    answers: list[tuple[str, ComparedAnswer | None]]


def pairs_of(
    run: Run, prompt: str, models: Mapping[int, str], keys: Sequence[Key]
) -> list[ComparedPair]:
    """The answers of both models, given by key with their names, to a prompt about each of these questions."""
    rows = (
        run.responses.filter(
            prompt=prompt,
            model__in=list(models),
            instance__in={instance for instance, _ in keys},
            sample__in={sample for _, sample in keys},
        )
        .select_related("instance")
        .defer(*LONG, "rendered")
        .order_by()
    )
    found = {(row.instance_id, row.sample, row.model_id): row for row in rows}
    return [
        _pair([(name, found.get((*key, model))) for model, name in models.items()]) for key in keys
    ]


def _pair(responses: Sequence[tuple[str, Response | None]]) -> ComparedPair:
    texts = [visible(row.text) if row else "" for _, row in responses]
    answers = [
        (name, _answer(row, text, other) if row else None)
        for (name, row), text, other in zip(responses, texts, texts[::-1], strict=True)
    ]
    first = next(row for _, row in responses if row)
    return ComparedPair(visible(first.instance.question), first.gold, first.sample, answers)


def _answer(row: Response, text: str, other: str) -> ComparedAnswer:
    pieces = [piece for piece in word_diff(other, text) if piece.kind != "gone"]
    noted = {name: getattr(row, name) for name in NOTED}
    return ComparedAnswer(row, pieces, *note_of(text, **noted))
