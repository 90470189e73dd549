"""How a researcher wants models and prompts named and ordered in a paper: read from an address's query. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.shapes.study_report import Report
from evaluation.tables.table import Names
from leases.refusal import Refusal

COMPACT, FULL = "compact", "full"
FORMS = {
    COMPACT: "Compact: the share of the best verdict with its interval, a column for each prompt; differences; scores "
    "of judge models",
    FULL: "Full: every verdict, comparison and score as k/n with its interval, and the table of agreement",
}
NAME_LIMIT = 120
LAST = 1_000_000


@dataclass(frozen=True)
class Named:
    """A model or prompt: its `key` in the query, its `name` in the report, its `label` and `place` in the paper.

    `place` is the number that was typed, "" for none. `short`, for little room, is the label if one was typed, else
    the name. `whole` is what the report calls it where there is room.
    """

    key: str
    name: str
    label: str
    place: str
    short: str
    whole: str


@dataclass(frozen=True)
class Display:
    """Which form of tables, and models, prompts and judge models in the order wanted."""

    form: str
    models: tuple[Named, ...]
    prompts: tuple[Named, ...]
    judges: tuple[Named, ...] = ()

    @property
    def legend(self) -> str:
        """What the short names of prompts stand for; empty where none is short."""
        told = [thing.label for thing in self.prompts if thing.short != thing.label]
        return f" Prompts: {'; '.join(told)}." if told else ""

    @property
    def names(self) -> dict[str, Names]:
        """For tables, by what a head names."""
        of_prompts = {thing.name: thing.label for thing in self.prompts}
        whole = {thing.whole: thing.label for thing in self.prompts}
        short = whole | {thing.name: thing.short for thing in self.prompts}
        models = Names({thing.name: thing.label for thing in self.models})
        prompts = Names(short, of_prompts)
        return {
            **dict.fromkeys(("Model", "First model", "Second model"), models),
            **dict.fromkeys(("Prompt", "First prompt", "Second prompt"), prompts),
        }

    @property
    def things(self) -> tuple[Named, ...]:
        """All that has a name."""
        return (*self.models, *self.prompts, *self.judges)


def forms_of(report: Report) -> dict[str, str]:
    """The forms of a report's tables: the compact one shows the best verdict, which verdicts without order lack."""
    return FORMS if report.get("ordered", True) else {FULL: FORMS[FULL]}


def read_display(query: Mapping[str, str], report: Report) -> Display:
    """From a request's query: `form`, `name-KEY` and `place-KEY`, where KEY is model-ID, prompt-NAME or judge-ID.

    What is left out is as the report was frozen with, else named as in the report. What has no place comes last, in the
    report's order. Raises Refusal for an unknown form, a place that is no number, and a name that is too long.
    """
    query = {**report.get("display", {}), **query}
    forms = forms_of(report)
    form = query.get("form", next(iter(forms)))
    if form not in forms:
        raise Refusal(f"{form} is no form of tables. Use {' or '.join(forms)}.")
    models = [(f"model-{model['id']}", model["name"], model["name"]) for model in report["models"]]
    prompts = [
        (f"prompt-{prompt['name']}", prompt["label"], f"{prompt['label']}: {prompt['title']}")
        for prompt in report["prompts"]
    ]
    judges = [
        (f"judge-{judge['id']}", judge["judge"], judge["judge"]) for judge in report["judge_models"]
    ]
    return Display(form, *(_in_order(things, query) for things in (models, prompts, judges)))


def chosen(query: Mapping[str, str], report: Report) -> dict[str, str]:
    """The part of a query that changes anything, to be kept with a report. Raises as read_display."""
    usual, wanted = read_display({}, report), read_display(query, report)
    choice = {"form": wanted.form} if wanted.form != usual.form else {}
    labels = {thing.key: thing.label for thing in usual.things}
    for thing in wanted.things:
        if thing.label != labels[thing.key]:
            choice[f"name-{thing.key}"] = thing.label
        if thing.place:
            choice[f"place-{thing.key}"] = thing.place
    return dict(sorted(choice.items()))


def _in_order(
    things: Iterable[tuple[str, str, str]], query: Mapping[str, str]
) -> tuple[Named, ...]:
    return tuple(sorted((_named(query, *thing) for thing in things), key=_place))


def _named(query: Mapping[str, str], key: str, name: str, usual: str) -> Named:
    label = query.get(f"name-{key}", "").strip() or usual
    if len(label) > NAME_LIMIT and label != usual:
        raise Refusal(
            f"A name in a table has at most {NAME_LIMIT} characters. Shorten {label[:40]}…"
        )
    short = name if label == usual else label
    return Named(key, name, label, query.get(f"place-{key}", "").strip(), short, usual)


def _place(named: Named) -> int:
    if not named.place:
        return LAST
    if not (named.place.isascii() and named.place.isdecimal() and len(named.place) <= 5):
        raise Refusal(
            f"The place of {named.name} is {named.place[:20]!r}. Write a whole number, such as 1."
        )
    return int(named.place)
