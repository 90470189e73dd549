"""What is wrong with the scorers, populations, measures and tables of a protocol. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from evaluation.scorers import kinds
from evaluation.scorers.kinds import KINDS, labels_of
from evaluation.scorers.options import LONGEST_LABEL
from evaluation.statistics.measures import ENTROPY, EXACT, F1, asked
from evaluation.statistics.validation import BY_RESPONSE, RECORD
from protocols.declaration import (
    AXES,
    LAST,
    ORIGINS,
    PROMPT,
    Declaration,
    DeclarationProblem,
    Entry,
)
from protocols.entry_keys import (
    NAMED,
    TEXT,
    TEXTS,
    Key,
    entry_problems,
    texts_problem,
    value_problem,
)

LABEL = Key(str, longest=LONGEST_LABEL, about="The head of its column.")
TITLED = {
    **NAMED,
    "title": Key(str, is_required=True, longest=120, about="What pages and reports call it."),
}
SCORER = Key(str, is_required=True, about="The scorer whose labels are counted.")
SCORED_LABEL = Key(
    str,
    is_required=True,
    about="A label of the scorer, or a state such as undecided or unread.",
)
IN = Key(str, about="The population whose responses are counted. Without it, all.")
SCORER_KEYS = {
    **NAMED,
    "kind": Key(
        str,
        is_required=True,
        values=tuple(KINDS),
        about="How a response gets its label. option: by the letter of the chosen option. squad: right or wrong by "
        "exact match, with F1, as the SQuAD 2.0 script has them. alias: right where the answer is one of the golds, or "
        "contains one. people: the verdict that stands.",
    ),
}
KEYS: Mapping[str, Mapping[str, Key]] = {
    # Those of all kinds; a scorer has those of its own.
    "scorer": {
        **SCORER_KEYS,
        **{
            name: replace(key, is_required=False)
            for kind in KINDS.values()
            for name, key in kind.keys.items()
        },
    },
    "population": {
        **TITLED,
        "all": Key(
            list,
            is_required=True,
            of=dict,
            about="Conditions on the same model's other responses to the record, sample by sample. All have to hold.",
        ),
    },
    "measure": {
        **TITLED,
        "label": LABEL,
        "share": Key(dict, about="The part of the finished responses that have a label."),
        "mean": Key(dict, about="The mean of what a scorer computes from a response."),
        "ratio": Key(
            list, about="Two shares a and b of one scorer and population: a / (a + b), from counts."
        ),
    },
    "table": {
        **TITLED,
        "origin": Key(
            str, is_required=True, values=tuple(ORIGINS), about="Where the table's layout is from."
        ),
        "where": Key(dict, about="Which responses it counts: axis = a value, or a list of values."),
        "rows": Key(
            list,
            is_required=True,
            about=f"Axes: {', '.join(AXES)}, a prompt tag, or a slice.",
        ),
        "columns": Key(list, is_required=True, about="Axes too, none of them among the rows."),
        "cells": Key(list, is_required=True, about="The measures that stand in each cell."),
        "mean": Key(
            str, about="An axis of the columns: a further column has the mean over its values."
        ),
        "pooled": Key(
            str, about="An axis of the columns: a further column counts its values together."
        ),
        "difference": Key(
            str,
            about="A value of the first axis of the columns: further columns have each other value minus this.",
        ),
    },
    "validation": {
        **TITLED,
        "origin": Key(
            str, is_required=True, values=tuple(ORIGINS), about="Where the comparison is from."
        ),
        "people": Key(str, is_required=True, about="The scorer with people's verdicts."),
        "scorer": Key(
            str, is_required=True, about="The scorer that is compared with it. Both have the label."
        ),
        "label": Key(
            str, is_required=True, about="Its shares over models are compared by correlation."
        ),
        "by": Key(
            str,
            values=(BY_RESPONSE, RECORD),
            about="response: verdict and label of one response, which it is without this key. record: a verdict on a "
            "text of the record, and each model's response to the record.",
        ),
    },
}
CONDITION_KEYS = {
    "tags": Key(dict, is_required=True, about="Prompt tags and their values: of these prompts."),
    "scorer": SCORER,
    "label": Key(str, is_required=True, about="The label that every one of these responses has."),
}
SHARE_KEYS = {"scorer": SCORER, "label": SCORED_LABEL, "in": IN}
MEAN_KEYS = {
    "scorer": SCORER,
    "of": Key(
        str,
        is_required=True,
        values=(ENTROPY, EXACT, F1),
        about="entropy, in bits, of option: over the responses for which all options were returned. exact and f1, of "
        "squad.",
    ),
    "in": IN,
}
TABLES = {
    **KEYS,
    "population.all": CONDITION_KEYS,
    "measure.share": SHARE_KEYS,
    "measure.mean": MEAN_KEYS,
}
Problems = Iterator[DeclarationProblem]


def score_problems(declaration: Declaration) -> list[DeclarationProblem]:
    """All of them; the rules are asked once all keys are right."""
    entries = [(part, entry) for part in KEYS for entry in declaration.entries(part)]
    checks: list[Callable[[str, Entry], list[DeclarationProblem]]] = [
        lambda part, entry: entry_problems(entry, _keys_of(part, entry)),
        lambda _, entry: list(_inner_problems(entry)),
        lambda part, entry: list(_scorer_rules(declaration, entry)) if part == "scorer" else [],
        lambda part, entry: list(RULES[part](declaration, entry)) if part in RULES else [],
        lambda part, entry: list(_cell_rules(declaration, entry)) if part == "table" else [],
    ]
    for check in checks:
        if problems := [problem for part, entry in entries for problem in check(part, entry)]:
            return problems
    return []


def _keys_of(part: str, entry: Entry) -> Mapping[str, Key]:
    kind = entry.values.get("kind")
    if part == "scorer" and isinstance(kind, str) and kind in KINDS:
        return {**SCORER_KEYS, **KINDS[kind].keys}
    return KEYS[part]


def scored_prompts(declaration: Declaration) -> list[Entry]:
    """The prompts whose responses a scorer reads."""
    scorers = declaration.entries("scorer")
    return [
        prompt
        for prompt in declaration.entries("prompt")
        if any(kinds.of(one.values).reads(declaration, one, prompt) for one in scorers)
    ]


def read_prompts(declaration: Declaration, scorer: Entry) -> list[Entry]:
    """The prompts whose responses it reads."""
    kind = kinds.of(scorer.values)
    prompts = declaration.entries("prompt")
    return [prompt for prompt in prompts if kind.reads(declaration, scorer, prompt)]


def tags_of(prompt: Entry) -> Mapping[str, str]:
    found: Mapping[str, str] = prompt.values.get("tags", {})
    return found


def last_words(prompt: Entry) -> list[str]:
    """What is said of each of the fields that it shuffles where that field comes last."""
    found: list[str] = prompt.values.get("last", [])
    return found


def _inner_problems(entry: Entry) -> Problems:
    """Those of the keys in tables within it."""
    given = [("share", SHARE_KEYS, entry.values.get("share"))]
    given += [("mean", MEAN_KEYS, entry.values.get("mean"))] if entry.part == "measure" else []
    given += [
        (f"all.{n}", CONDITION_KEYS, one) for n, one in enumerate(entry.values.get("all", ()), 1)
    ]
    for name, keys, values in given:
        for problem in entry_problems(Entry(name, values), keys) if values is not None else ():
            yield _at(entry, name, problem.key, problem.message)


def _at(entry: Entry, name: str, inner: str, message: str) -> DeclarationProblem:
    """A problem of a table within an entry, on the line on which that begins."""
    problem = entry.problem(message, name.partition(".")[0])
    return replace(problem, key=f"{name}.{inner}" if inner else name)


def _scorer_rules(declaration: Declaration, entry: Entry) -> Problems:
    return kinds.of(entry.values).problems(declaration, entry)


def _population_rules(declaration: Declaration, entry: Entry) -> Problems:
    for n, condition in enumerate(entry.values["all"], 1):
        tags, at = condition["tags"], f"all.{n}"
        if not tags or (problem := texts_problem(tags)):
            yield _at(entry, at, "tags", problem if tags else "name a tag and its value.")
        elif unknown := [name for name in tags if name not in _tags(declaration)]:
            yield _at(entry, at, "tags", f"no prompt has a tag {unknown[0]!r}.")
        elif not any(
            tags.items() <= tags_of(prompt).items()
            for prompt in _prompts_of(declaration, condition["scorer"])
        ):
            yield _at(entry, at, "tags", "no prompt that the scorer reads has these tags.")
        yield from _score_rules(declaration, entry, condition, at)


def _score_rules(
    declaration: Declaration, entry: Entry, given: Mapping[str, Any], at: str
) -> Problems:
    """The scorer, the label or the mean, and the population that a measure or a condition names."""
    scorer = declaration.named("scorer").get(given["scorer"])
    if scorer is None:
        yield _at(entry, at, "scorer", f"there is no scorer {given['scorer']!r}.")
    elif "label" in given:
        labels = labels_of(declaration, scorer)
        if given["label"] not in labels:
            yield _at(entry, at, "label", f"{given['label']!r} is none of {', '.join(labels)}.")
    elif given["of"] not in (means := kinds.of(scorer.values).means):
        has = f"has the mean of {' or '.join(means)}" if means else "has no mean"
        yield _at(entry, at, "of", f"a scorer of kind {scorer.values['kind']} {has}.")
    if "in" in given and given["in"] not in declaration.named("population"):
        yield _at(entry, at, "in", f"there is no population {given['in']!r}.")


def _prompts_of(declaration: Declaration, name: str) -> list[Entry]:
    """Those that the scorer of this name reads; all where there is none."""
    scorer = declaration.named("scorer").get(name)
    return read_prompts(declaration, scorer) if scorer else [*declaration.entries("prompt")]


def _measure_rules(declaration: Declaration, entry: Entry) -> Problems:
    kinds = [kind for kind in ("share", "mean", "ratio") if kind in entry.values]
    if len(kinds) != 1:
        yield entry.problem("a measure is one of share, mean and ratio.", kinds[1] if kinds else "")
    elif kinds != ["ratio"]:
        yield from _score_rules(declaration, entry, entry.values[kinds[0]], kinds[0])
    else:
        yield from _ratio_rules(declaration, entry)


def _ratio_rules(declaration: Declaration, entry: Entry) -> Problems:
    names, measures = entry.values["ratio"], declaration.named("measure")
    if entry.name in names:
        yield entry.problem("this is a ratio of itself. Name two shares.", "ratio")
    elif unknown := [
        name for name in names if "share" not in getattr(measures.get(name), "values", ())
    ]:
        yield entry.problem(f"{unknown[0]!r} is no measure that is a share.", "ratio")
    elif len(names) != 2:
        yield entry.problem("name two shares: a ratio is that of the first to both.", "ratio")
    else:
        first, second = (measures[name].values["share"] for name in names)
        for name in ("scorer", "in"):
            if first.get(name) != second.get(name):
                of = "scorer" if name == "scorer" else "population"
                yield entry.problem(f"{names[0]} and {names[1]} are not of one {of}.", "ratio")
        if first == second:
            yield entry.problem(f"{names[0]} and {names[1]} are the same share.", "ratio")


def _table_rules(declaration: Declaration, entry: Entry) -> Problems:
    values = entry.values
    axes = [*AXES, *_tags(declaration), *declaration.slices]
    for key in ("where", "rows", "columns"):
        for axis in values.get(key, ()):
            if axis not in axes:
                yield entry.problem(f"{axis!r} is no axis. There are {', '.join(axes)}.", key)
            elif key == "columns" and axis in values["rows"]:
                yield entry.problem(f"{axis!r} is among the rows already.", key)
    for name in values["cells"]:
        if name not in declaration.named("measure"):
            yield entry.problem(f"there is no measure {name!r}.", "cells")
    for key in ("mean", "pooled"):
        if values.get(key, values["columns"][0]) not in values["columns"]:
            yield entry.problem(f"{values[key]!r} is none of the table's columns.", key)
    wrong = list(_where_rules(declaration, entry))
    yield from wrong
    if "difference" in values and not wrong:
        known = axis_values(declaration, values["columns"][0], values.get("where", {}))
        if known is not None and values["difference"] not in known:
            message = (
                f"{values['difference']!r} is no value of {values['columns'][0]} in this table."
            )
            yield entry.problem(message, "difference")


def _where_rules(declaration: Declaration, entry: Entry) -> Problems:
    where = entry.values.get("where", {})
    for axis, given in where.items():
        if problem := value_problem(given, TEXTS if isinstance(given, list) else TEXT):
            yield entry.problem(f"{axis}: {problem}", "where")
            return
        known = axis_values(declaration, axis, {})
        unknown = [value for value in listed(given) if known is not None and value not in known]
        if unknown:
            yield entry.problem(f"no prompt or record has {axis} {unknown[0]!r}.", "where")
            return
    if not _fitting(declaration, where):
        yield entry.problem("no prompt fits all of this.", "where")


def _cell_rules(declaration: Declaration, entry: Entry) -> Problems:
    """Each measure's scorer reads a prompt of the table."""
    measures = {name: measure.values for name, measure in declaration.named("measure").items()}
    there = {prompt.name for prompt in _fitting(declaration, entry.values.get("where", {}))}
    for name in entry.values["cells"]:
        prompts = _prompts_of(declaration, asked(measures, name).scorer)
        if there.isdisjoint(prompt.name for prompt in prompts):
            message = f"no prompt that the scorer of {name} reads fits all of this."
            yield entry.problem(message, "where")


def listed(given: str | list[str]) -> list[str]:
    return [given] if isinstance(given, str) else given


def axes_of(declaration: Declaration, prompt: Entry) -> dict[str, str]:
    """Where a prompt stands on the axes that prompts decide; "" for a tag that it has not."""
    return _axes(_tags(declaration), prompt)


def _axes(tags: Iterable[str], prompt: Entry) -> dict[str, str]:
    return {**dict.fromkeys(tags, ""), **tags_of(prompt), PROMPT: prompt.name}


def fits(where: Mapping[str, str | list[str]], axes: Mapping[str, str]) -> bool:
    """Whether what stands there has the values asked for, of the axes that are known of it."""
    return all(axes[axis] in listed(given) for axis, given in where.items() if axis in axes)


def _tags(declaration: Declaration) -> dict[str, list[str]]:
    return tags_with_values(declaration.entries("prompt"))


def tags_with_values(prompts: Iterable[Entry]) -> dict[str, list[str]]:
    """The tags of prompts, each with its values in the order of the prompts."""
    found: dict[str, dict[str, None]] = {}
    for prompt in prompts:
        for name, value in tags_of(prompt).items():
            found.setdefault(name, {})[value] = None
    return {name: list(values) for name, values in found.items()}


def axis_values(
    declaration: Declaration, axis: str, where: Mapping[str, str | list[str]]
) -> list[str] | None:
    """The values of an axis, in their order, in a table of these conditions; None where any text may be one."""
    prompts = _fitting(declaration, where)
    if axis == LAST:
        return list(dict.fromkeys(word for prompt in prompts for word in last_words(prompt)))
    tags = _tags(declaration)
    if axis == PROMPT or axis in tags:
        found = (_axes(tags, prompt)[axis] for prompt in prompts)
        return list(dict.fromkeys(filter(None, found)))
    return list(field.values) or None if (field := declaration.slices.get(axis)) else None


def _fitting(declaration: Declaration, where: Mapping[str, str | list[str]]) -> list[Entry]:
    tags = _tags(declaration)
    prompts = declaration.entries("prompt")
    return [prompt for prompt in prompts if fits(where, _axes(tags, prompt))]


def _validation_rules(declaration: Declaration, entry: Entry) -> Problems:
    """Both scorers are there and of their kinds, have the label, and read what is compared."""
    found: dict[str, Entry] = {}
    for key in ("people", "scorer"):
        name = entry.values[key]
        scorer = declaration.named("scorer").get(name)
        if scorer is None:
            yield entry.problem(f"there is no scorer {name!r}.", key)
        elif (key == "people") != kinds.of(scorer.values).by_people:
            is_one = "is no" if key == "people" else "is a"
            yield entry.problem(f"{name!r} {is_one} scorer of kind people. Name another.", key)
        else:
            found[key] = scorer
            labels = kinds.of(scorer.values).labels(declaration, scorer)
            if labels and (label := entry.values["label"]) not in labels:
                known = ", ".join(labels)
                yield entry.problem(f"{label!r} is no label of {name}, which has {known}.", "label")
    if len(found) == 2 and entry.values.get("by") != RECORD:
        first, second = ({one.name for one in read_prompts(declaration, s)} for s in found.values())
        if not first & second:
            yield entry.problem(
                "people judge no prompt that the scorer reads. Compare by record, or name another.",
                "scorer",
            )


RULES: Mapping[str, Callable[[Declaration, Entry], Problems]] = {
    "population": _population_rules,
    "measure": _measure_rules,
    "table": _table_rules,
    "validation": _validation_rules,
}
