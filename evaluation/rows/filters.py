"""The lists above a page of responses, with what is chosen in each."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.counts.first_verdicts import first_judged
from evaluation.counts.naming import in_name_order, model_names, models_of, prompts_of
from evaluation.rows.choice import LABELLED, SORTS, ResponseChoice
from evaluation.rows.listing import prompt_words
from evaluation.rows.scored_choice import label_entries, tag_entries
from evaluation.shapes.verdict_tables import SLICE_LABELS
from evaluation.statistics import tables
from judging.models import Study
from judging.rules.resolution import CAUSES
from protocols.declaration import WIKICONTRADICT

Entries = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class FilterOption:
    """An entry of a filter's list."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True)
class RowsFilter:
    """A list to choose from: its name in the address, its label, its entries."""

    name: str
    label: str
    options: tuple[FilterOption, ...]


def filter_of(name: str, label: str, every: str, entries: Entries, chosen: str) -> RowsFilter:
    """A list that begins with `every`, unless that is empty: then one entry is always chosen."""
    listed = [("", every), *entries] if every else entries
    return RowsFilter(
        name, label, tuple(FilterOption(value, shown, value == chosen) for value, shown in listed)
    )


def verdicts_of(study: Study) -> Entries:
    """The verdicts of the study's rubric, in the order of the judges' buttons."""
    return [(verdict.key, verdict.label) for verdict in study.judged_by.scale.offered]


def of_responses(study: Study, choice: ResponseChoice) -> list[RowsFilter]:
    """Prompt, model and kind of question; of a protocol with scorers label and prompt tag."""
    models = [(str(pk), name) for pk, name in in_name_order(model_names(models_of(study)))]
    prompts = [(name, prompt_words(name)) for name in prompts_of(study)]
    prompts.sort(key=lambda entry: entry[1].partition(": "))  # by their labels
    return [
        filter_of("prompt", "Prompt", "All", prompts, choice.prompt),
        filter_of("model", "Model", "All", models, choice.model),
        *_of_protocol(study, choice),
    ]


def _of_protocol(study: Study, choice: ResponseChoice) -> list[RowsFilter]:
    declaration = study.declaration
    if declaration.name == WIKICONTRADICT:
        slices = [(part, SLICE_LABELS[part]) for part in (*tables.SLICES[1:], tables.UNTYPED)]
        return [filter_of("slice", "Questions", "All", slices, choice.slice)]
    if not declaration.is_scored:
        return []
    labels, tags = label_entries(declaration), tag_entries(declaration)
    return [
        filter_of("scored", "Score", "All", labels, choice.scored),
        filter_of("tag", "Prompt tag", "All", tags, choice.tag),
    ]


def of_rows(study: Study, choice: ResponseChoice) -> list[RowsFilter]:
    """The lists above the rows of a study."""
    if not study.is_judged:
        return of_responses(study, choice)
    judges = first_judged(study).order_by().values_list("judge__pseudonym", flat=True).distinct()
    final = [
        *verdicts_of(study),
        (LABELLED, "Any final verdict"),
        (tables.UNLABELLED, "No final verdict"),
        (tables.INCOMPLETE, "Closed before all judges came"),
    ]
    return [
        *of_responses(study, choice),
        filter_of("verdict", "Final verdict", "All", final, choice.verdict),
        filter_of("judge", "Judge", "All", [(name, name) for name in sorted(judges)], choice.judge),
        filter_of("cause", "Cause of disagreement", "All", [*CAUSES.items()], choice.cause),
        filter_of("sort", "Sorted by", "The study's order", _sorts(study), choice.sort),
    ]


def _sorts(study: Study) -> Entries:
    """Kinds of reasoning are WikiContradict's."""
    declared = study.declaration.name != WIKICONTRADICT
    return [(name, words) for name, words in SORTS.items() if not (declared and name == "slice")]
