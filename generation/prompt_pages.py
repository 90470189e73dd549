"""What the pages of prompts show: where a version is used, how it differs from the one before, how it is sent."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count

from accounts.models import Person
from datasets.blinding import shown_to
from datasets.models import Collection
from generation import response_planning
from generation.access import visible_to
from generation.models import PromptVersion, Response, Run
from generation.prompt_forms import FORMS
from generation.prompts import prompting
from generation.prompts.answers import reading_words
from generation.prompts.prompting import Prompt
from generation.response_planning import Rendered
from pages.counting import how_many
from pages.worddiff import Piece, word_diff
from protocols.declaration import ORIGINS


@dataclass(frozen=True)
class ListedPrompt:
    """A version with the runs that use it, as far as the person may see them, and the number of its responses there."""

    row: PromptVersion
    prompt: Prompt
    runs: list[Run]
    responses: int


def in_order(rows: Iterable[PromptVersion]) -> list[PromptVersion]:
    """By label, as everywhere."""
    whole = {row.key: row for row in rows}
    prompts = prompting.in_order(row.prompt for row in whole.values())
    return [whole[prompt.name] for prompt in prompts]


def listed(rows: Iterable[PromptVersion], person: Person) -> list[ListedPrompt]:
    """In the order of the rows."""
    rows = list(rows)
    keys = {row.key for row in rows}
    seen = visible_to(person, Run.objects.only("name", "prompts"))
    runs = [run for run in seen if keys & set(run.prompts)]
    asked = Response.objects.filter(run__in=[run.pk for run in runs], prompt__in=keys).order_by()
    responses = Counter(dict(asked.values_list("prompt").annotate(Count("pk"))))
    return [
        ListedPrompt(
            row, row.prompt, [run for run in runs if row.key in run.prompts], responses[row.key]
        )
        for row in rows
    ]


def changes(row: PromptVersion) -> tuple[PromptVersion, list[Piece]] | None:
    """The version before this one, and what changed in the text since; None for the first."""
    before = PromptVersion.objects.filter(name=row.name, version__lt=row.version).first()
    if before is None:
        return None
    return before, word_diff(whole_text(before.prompt), whole_text(row.prompt))


def whole_text(prompt: Prompt) -> str:
    """The prompt's text with its second turn and its examples."""
    examples = [
        "\n".join(
            [f"Example {number}", *(f"{part}: {text}" for part, text in sorted(example.items()))]
        )
        for number, example in enumerate(prompt.examples, start=1)
    ]
    if drawn := shots(prompt):
        examples += [drawn.about, drawn.shot, *drawn.examples]
    second = ["Check" if prompt.check else "Second turn", prompt.later] if prompt.later else []
    form = [answer(prompt)] if prompt.form or prompt.given or prompt.reading else []
    return "\n\n".join([prompt.template, *second, *form, *examples])


class ShownShots(NamedTuple):
    """How many examples a prompt draws, the text of each, and those that there are, all in words."""

    about: str
    shot: str
    examples: list[str]


def shots(prompt: Prompt) -> ShownShots | None:
    """None where it draws none."""
    if not prompt.shots:
        return None
    alike = f", of the same {prompt.alike}" if prompt.alike else ""
    examples = [
        "\n".join(
            [
                f"Example {one['name']}",
                *(f"{key}: {of}" for key, of in sorted(one["fields"].items())),
            ]
        )
        for one in prompt.drawn_from
    ]
    about = f"Examples drawn for a question: {prompt.shots}{alike}. Each is shown as:"
    return ShownShots(about, prompt.shot, examples)


def answer(prompt: Prompt) -> str:
    """What the answer is, with the options if there are any."""
    if prompt.given:
        *above, given = prompt.shown_as
        shows = ", ".join(
            f"{name} as “{label}”" for name, label in zip(prompt.shows, above, strict=True)
        )
        return (
            f"The field {prompt.given}, by {prompt.by}; no model is asked. Judges see {shows} above it, and it as "
            f"“{given}”"
        )
    options = f": {', '.join(prompt.options)}" if prompt.options else ""
    times = f"; asked for up to {how_many(prompt.times, 'time')}" if prompt.times else ""
    insists = ", at temperature 0 too" if prompt.insist else ""
    reading = f"; scored: {reading_words(prompt.reading)}" if prompt.reading else ""
    return f"{FORMS[prompt.form]}{options}{times}{insists}{reading}"


def origin(prompt: Prompt) -> str:
    """Where its text is from, as "Printed: printed in the paper"; "" of one that a person wrote."""
    words = ORIGINS.get(prompt.mark, "")
    return f"{prompt.mark.capitalize()}: {words.removeprefix('ours: ')}" if words else ""


def rendered(prompt: Prompt, collection: Collection, person: Person) -> Rendered | None:
    """The prompt about the collection's first question that the person may see; None where there is none."""
    questions = shown_to(person, response_planning.instances_of(collection), "contradiction__")
    return next(response_planning.rendered(questions[:1], [prompt]), None)
