"""The scored responses of a study, read once: finished ones, those that failed, and those that are not there."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db.models import QuerySet
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTextTransform

from datasets.models import Instance
from evaluation.counts.judged import MODEL, Columns, of_each
from evaluation.counts.naming import in_name_order, model_names, models_of
from evaluation.scorers import kinds, people
from evaluation.scorers.counting import ScoreRows, in_order
from evaluation.scorers.language import last_words, scored_prompts, tags_of, tags_with_values
from evaluation.scorers.options import entropy
from evaluation.statistics.chance import Floats
from evaluation.statistics.columns import PIECE, Column, columns, combined
from evaluation.statistics.measures import ENTROPY, FAILED, MISSING
from generation import prompt_versions
from generation.models import LanguageModel, OptionScore, Response
from generation.prompts.answers import READING
from generation.prompts.prompting import VERSION_SUFFIX
from generation.states import ResponseState
from judging.models import Study
from protocols.declaration import LAST, PROMPT, SAMPLE, Declaration, Entry, FieldType
from protocols.declaration import MODEL as BY_MODEL

_READ = ("instance_id", "model_id", "prompt", "sample", "pk", "drawn")
_NAMES = (
    "instance",
    "llm",
    "prompt",
    "sample",
    "response",
    "last",
    "text",
    "check",
    "state",
    "verdict",
    "position",
)
_QUESTION = {
    "collection": "contradiction__collection__name",
    "contradiction": "contradiction__external_id",
    "excluded": "exclusion__after_results",
}


@dataclass(frozen=True, eq=False)
class Scored:
    """Columns of responses, finished or not, and of those that are expected: their model was asked that prompt.

    What has no text, or is not in the study, is failed or missing, and has no position. `prompts` are the protocol's
    names of the prompts, by their keys. `fields` has what records have in those that scores depend on, as text.
    """

    declaration: Declaration
    prompts: Mapping[str, str]
    columns: Columns
    fields: Columns
    rows: ScoreRows

    @property
    def tags(self) -> dict[str, Mapping[str, str]]:
        """Those of each prompt, by its key."""
        entries = self.declaration.named("prompt")
        return {key: tags_of(entries[name]) for key, name in self.prompts.items()}

    @property
    def slices(self) -> Iterator[tuple[str, Column]]:
        return ((name, self.fields[name]) for name in self.declaration.slices)


def scored(study: Study, models: Iterable[int] | None = None) -> Scored | None:
    """Of all models or of these; None where the protocol scores nothing, or no response of the study."""
    declaration = study.declaration
    if not declaration.is_scored:
        return None
    of_study = study.items.order_by().values_list("response__prompt", flat=True).distinct()
    prompts = as_sent(declaration, of_study)
    read = columns(_NAMES, _responses(study, prompts, models))
    if not prompts or not len(read["prompt"].at):
        return None
    # Of a study of one label nothing is expected: what lacks the label was left out.
    whole = dict(read) if study.only_label else _with_expected(read)
    questions, fields = of_questions(declaration, whole["instance"])
    whole |= questions
    whole |= of_each(whole["llm"], MODEL, LanguageModel.objects.filter(pk__in=whole["llm"].values))
    named = {key: entry.name for key, entry in prompts.items()}
    rows = _score_rows(study, declaration, whole, fields, prompts)
    return Scored(declaration, named, whole, fields, rows)


def as_sent(declaration: Declaration, keys: Iterable[str]) -> dict[str, Entry]:
    """The scored prompts of these keys. Where an answer stands in a reply, the version that was sent says."""
    declared = {entry.name: entry for entry in scored_prompts(declaration)}
    names = {key: VERSION_SUFFIX.sub("", key).removeprefix(f"{declaration.name}-") for key in keys}
    entries = {key: declared[name] for key, name in names.items() if name in declared}
    for key, prompt in prompt_versions.known(entries).items():
        values = {name: of for name, of in entries[key].values.items() if name not in READING}
        entries[key] = replace(entries[key], values={**values, **prompt.reading})
    return entries


def _responses(
    study: Study, prompts: Mapping[str, Entry], models: Iterable[int] | None
) -> Iterator[tuple[Any, ...]]:
    """The finished responses of the study, then the unfinished ones of its runs to its models and questions."""
    items = study.items.filter(response__prompt__in=prompts).order_by("position")
    runs = items.order_by().values("response__run")
    others = Response.objects.filter(run__in=runs, prompt__in=prompts).order_by()
    others = others.filter(model__in=items.order_by().values("response__model"))
    if study.subset:
        others = others.filter(instance__in=study.subset.instances.order_by().values("pk"))
    if models is not None:
        items, others = items.filter(response__model__in=models), others.filter(model__in=models)
    finished = (f"response__{name}" for name in (*_READ, "text", "check_reply", "finding"))
    for *values, drawn, text, check, finding, verdict, position in _rows(
        items, *finished, "resolution__verdict", "position"
    ):
        last = _last(prompts[values[2]], drawn)
        yield *values, last, text, check, finding, verdict, position
    if study.only_label:
        return
    failed = (ResponseState.FAILED, ResponseState.CANCELLED)
    for *values, drawn, state in _rows(others.exclude(state=ResponseState.DONE), *_READ, "state"):
        kind = FAILED if state in failed else MISSING
        yield *values, _last(prompts[values[2]], drawn), "", None, kind, None, None


def _rows(rows: QuerySet[Any], *names: str) -> Iterator[Any]:
    return rows.values_list(*names).iterator(chunk_size=PIECE)


def _last(prompt: Entry, drawn: Mapping[str, list[str]] | None) -> str | None:
    """What the prompt says of the field that came last, of those that it shuffles."""
    if not drawn or "order" not in drawn:
        return None
    words = dict(zip(prompt.values["shuffle"], last_words(prompt), strict=False))
    return words.get(drawn["order"][-1])


def _with_expected(read: Columns) -> dict[str, Column]:
    """With a row for each question and sample that a model was asked by one prompt, and has no response to another.

    A prompt is expected of a model that has any response to that prompt and sample.
    """
    asked, units = (
        [read[n] for n in ("llm", "prompt", "sample")],
        [read["llm"], read["sample"], read["instance"]],
    )
    unit, of = combined(*units), combined(*asked)
    side = combined(read["llm"], read["sample"])
    first = np.unique(unit, return_index=True)[1]
    found: list[tuple[Any, Any]] = []
    for kind, example in zip(*np.unique(of, return_index=True), strict=True):
        expected = first[side[first] == side[example]]
        absent = expected[~np.isin(unit[expected], unit[of == kind])]
        found.append((absent, np.full(len(absent), example)))
    absent, example = (np.concatenate(part) for part in zip(*found, strict=True))
    empty: dict[str, Any] = dict.fromkeys(("response", "last", "check", "verdict", "position"))
    empty |= {"text": "", "state": MISSING}
    whole = {}
    for name, column in read.items():
        if name in empty:
            values = [*column.values, empty[name]]
            added = np.full(len(absent), len(column.values))
        else:
            values, added = list(column.values), column.at[example if name == "prompt" else absent]
        whole[name] = Column(values, np.concatenate([column.at, added]))
    return whole


def of_questions(declaration: Declaration, instances: Column) -> tuple[Columns, Columns]:
    """What is known of each question: where it is from; and by field its cluster, its golds and its slices."""
    names = {declaration.item.cluster, *declaration.slices}
    for scorer in declaration.entries("scorer"):
        names |= {*kinds.of(scorer.values).fields(scorer.values)}
    fields = {name: KeyTextTransform(name, "contradiction__fields") for name in sorted(names)}
    where: dict[str, str | Combinable] = {**_QUESTION}
    where |= {f"field {name}": text for name, text in fields.items()}
    found = of_each(instances, where, Instance.objects.filter(pk__in=instances.values))
    return found, {name: found.pop(f"field {name}") for name in fields}


def _score_rows(
    study: Study,
    declaration: Declaration,
    of: Columns,
    fields: Columns,
    prompts: Mapping[str, Entry],
) -> ScoreRows:
    names = model_names(models_of(study))
    entries = scored_prompts(declaration)
    words = list(dict.fromkeys(word for entry in entries for word in last_words(entry)))
    axes = {
        BY_MODEL: in_order(
            of["llm"].mapped(names.__getitem__), [n for _, n in in_name_order(names)]
        ),
        PROMPT: in_order(
            of["prompt"].mapped(lambda key: prompts[key].name), [entry.name for entry in entries]
        ),
        SAMPLE: in_order(of["sample"].mapped(str), [str(n) for n in sorted(of["sample"].values)]),
        LAST: in_order(of["last"], words),
    }
    for tag, values in tags_with_values(declaration.entries("prompt")).items():
        tags = {key: tags_of(entry).get(tag, "") for key, entry in prompts.items()}
        axes[tag] = in_order(of["prompt"].mapped(tags.__getitem__), ["", *values])
    for name, field in declaration.slices.items():
        others = sorted({*filter(None, fields[name].values)} - {*field.values})
        axes[name] = in_order(fields[name], [*field.values, *others])
    scorers = declaration.entries("scorer")
    given = {
        entry.name: labels_in(
            declaration, entry, of, fields, prompts if speaks(study, declaration, entry) else {}
        )
        for entry in scorers
    }
    bits = _entropies(declaration, study, of["response"])
    units = combined(of["llm"], of["sample"], of["instance"])
    return ScoreRows(
        axes=axes,
        unit=np.unique(units, return_inverse=True)[1],
        cluster=fields[declaration.item.cluster].at.astype(np.intp),
        excluded=~of["excluded"].among({None}),
        labels={name: labels for name, (labels, _) in given.items()},
        numbers={
            entry.name: bits if ENTROPY in kinds.of(entry.values).means else given[entry.name][1]
            for entry in scorers
        },
        **{
            f"{part}s": {e.name: e.values for e in declaration.entries(part)}
            for part in ("population", "measure")
        },
    )


def speaks(study: Study, declaration: Declaration, scorer: Entry) -> bool:
    """Whether a scorer says anything in the study: people only by the rubric that judges it."""
    if not kinds.of(scorer.values).by_people:
        return True
    name = f"{declaration.name}-{scorer.values['rubric']}"
    return study.rubric is not None and study.rubric.name == name


def labels_in(
    declaration: Declaration,
    scorer: Entry,
    of: Columns,
    fields: Columns,
    prompts: Mapping[str, Entry],
) -> tuple[Column, Floats]:
    """By a scorer: the label or the state of each response, None of one that it does not read; and its number.

    Equal answers to a question are scored once.
    """
    kind, instances = kinds.of(scorer.values), of["instance"]
    names = kind.fields(scorer.values)
    numbers, first = np.unique(instances.at, return_index=True)
    known = {
        n: kind.known(
            scorer.values,
            {
                name: _value(declaration, name, text)
                for name, text in zip(names, texts, strict=True)
            },
        )
        for n, *texts in zip(
            numbers.tolist(), *(fields[name][first] for name in names), strict=True
        )
    }

    def reading(prompt: str) -> tuple[tuple[str, str], ...] | None:
        entry = prompts.get(prompt)
        if entry is None or not kind.reads(declaration, scorer, entry):
            return None
        read = () if kind.by_people else READING
        return tuple((name, value) for name, value in entry.values.items() if name in read)

    asked = Column.of_numbers(instances.at)
    parts = [asked, of["prompt"].mapped(reading), *_said(kind, of)]
    found, at = np.unique(combined(*parts), return_inverse=True)
    places = np.unravel_index(found, [max(1, len(part.values)) for part in parts])
    values = (Column(part.values, place) for part, place in zip(parts, places, strict=True))
    scores = [
        (None, np.nan) if how is None else kinds.scored(scorer.values, known[n], dict(how), *said)
        for n, how, *said in zip(*values, strict=True)
    ]
    labels = Column([label for label, _ in scores], at).mapped(lambda label: label)
    return labels, np.array([number for _, number in scores])[at]


def _said(kind: kinds.Kind, of: Columns) -> list[Column]:
    """The state of each response, its text and the reply to its check; of people what they said."""
    if not kind.by_people:
        return [of["state"], of["text"], of["check"]]
    given = map(people.said, of["state"], of["verdict"])
    return [Column.of_values(part) for part in zip(*given, strict=True)]


def _value(declaration: Declaration, name: str, text: str | None) -> Any:
    """A field's value from its text in the database, where a list is JSON."""
    is_list = declaration.fields[name].type == FieldType.LIST
    return json.loads(text) if text is not None and is_list else text


def _entropies(declaration: Declaration, study: Study, responses: Column) -> Floats:
    """Of each response in bits, NaN where it is not known; not read where no measure is a mean of it."""
    known: dict[int, float | None] = {}
    means = (entry.values.get("mean", {}) for entry in declaration.entries("measure"))
    if any(mean.get("of") == ENTROPY for mean in means):
        masses: dict[int, list[float | None]] = {}
        rows = OptionScore.objects.filter(response__study_items__study=study).order_by()
        for response, mass in _rows(rows, "response_id", "mass"):
            masses.setdefault(response, []).append(mass)
        known = {response: entropy(of) for response, of in masses.items()}
    found = [known.get(response) for response in responses.values]
    return np.array([np.nan if bits is None else bits for bits in found])[responses.at]
