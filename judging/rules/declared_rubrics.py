"""The rubrics that a protocol declares: what is wrong with one, and its text as rubrics are stored. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from generation.prompts.prompting import Prompt
from judging.rules.verdict_scale import (
    FEWEST,
    FEWEST_WEIGHTED,
    LINEAR,
    MOST,
    QUADRATIC,
    TONES,
    VerdictScale,
    declared_scale,
)
from protocols.declaration import Declaration, DeclarationProblem, Entry
from protocols.entry_keys import (
    NAMED,
    TABLE,
    Key,
    entry_problems,
    value_problem,
)

LONGEST_NAME = 80  # of a stored rubric
MOST_TEXT = 5_000
LINES = Key(list, longest=MOST_TEXT)
KEYS = {
    **NAMED,
    "title": Key(str, is_required=True, about="What pages and reports call it."),
    "source": Key(
        str,
        is_required=True,
        longest=MOST_TEXT,
        about="Where the question and its criteria are from.",
    ),
    "verdicts": Key(
        list,
        is_required=True,
        of=dict,
        about=f"The {FEWEST} to {MOST} verdicts, from worst to best.",
    ),
    "ordered": Key(
        bool,
        about="False: the verdicts have no order. Kappa is unweighted, and none has a tone or is best.",
    ),
    "weights": Key(
        str,
        values=(LINEAR, QUADRATIC),
        about=f"Of the kappa that reports put forward, for {FEWEST_WEIGHTED} or more verdicts with an order. Without "
        "it linear; fewer are compared unweighted.",
    ),
    "excludes": Key(
        str,
        about="A verdict: where it stands on a given text once the study is closed, the record is proposed for "
        "exclusion.",
    ),
    "rules": Key(list, longest=MOST_TEXT, about="Sentences that judges read for all prompts."),
    "every": Key(
        dict,
        about="A table `[rubric.every]`: the sentences of each verdict, for all prompts that a model is asked and "
        "that have no criteria of their own.",
    ),
    "criteria": Key(
        dict,
        about="For each prompt that is judged a table `[rubric.criteria.PROMPT]`: the sentences of each verdict.",
    ),
}
VERDICT_KEYS = {
    "key": Key(str, is_required=True, about="What is stored and counted."),
    "label": Key(str, is_required=True, about="What judges read."),
    "tone": Key(
        str,
        values=TONES,
        about="Its colour. Without it the last verdict is good, the first bad, any between middling.",
    ),
    "best": Key(bool, about="True: reports compare by this verdict. Without it, by the last."),
}
TABLES = {"rubric": KEYS, "rubric.verdicts": VERDICT_KEYS}


def rubric_problems(declaration: Declaration) -> list[DeclarationProblem]:
    """What is wrong with the rubrics of a protocol."""
    return [
        problem
        for entry in declaration.entries("rubric")
        for problem in entry_problems(entry, KEYS) or _rules(declaration, entry)
    ]


def _rules(declaration: Declaration, entry: Entry) -> Iterator[DeclarationProblem]:
    longest = LONGEST_NAME - len(declaration.name) - 1
    if len(entry.name) > longest:
        yield entry.problem(f"the name has more than {longest} characters. Shorten it.", "name")
    if problem := _scale_problem(entry):
        yield entry.problem(problem, "verdicts")
        return
    verdicts = scale_of(entry).keys
    if (verdict := entry.values.get("excludes", verdicts[0])) not in verdicts:
        yield entry.problem(_unknown(verdict, verdicts), "excludes")
    if not criteria_of(declaration, entry):
        yield entry.problem("no prompt has criteria. Write [rubric.criteria.PROMPT].")
    places = {"every": entry.values["every"]} if "every" in entry.values else {}
    for prompt, lines in entry.values.get("criteria", {}).items():
        places[f"criteria.{prompt}"] = lines
        if prompt not in declaration.named("prompt"):
            yield entry.problem(f"{prompt!r} is no prompt of this protocol.", f"criteria.{prompt}")
    for place, lines in places.items():
        if not lines or value_problem(lines, TABLE):
            yield entry.problem("write the criteria of each verdict.", place)
        else:
            yield from _criteria_problems(entry, place, lines, verdicts)


def criteria_of(declaration: Declaration, entry: Entry) -> dict[str, Any]:
    """The criteria of each prompt that the rubric judges: its own, or those of every prompt that a model is asked."""
    every = entry.values.get("every")
    prompts = declaration.entries("prompt") if every is not None else ()
    asked = {prompt.name: every for prompt in prompts if "given" not in prompt.values}
    return {**asked, **entry.values.get("criteria", {})}


def _scale_problem(entry: Entry) -> str:
    verdicts = entry.values["verdicts"]
    for number, verdict in enumerate(verdicts, start=1):
        for problem in entry_problems(Entry("verdict", verdict, number), VERDICT_KEYS):
            return str(problem)
    try:
        scale_of(entry)
    except ValueError as error:
        return str(error)
    return ""


def scale_of(entry: Entry) -> VerdictScale:
    """That of a rubric's table; raises ValueError with what is wrong."""
    given = entry.values
    return declared_scale(given["verdicts"], given.get("ordered", True), given.get("weights", ""))


def _unknown(verdict: str, verdicts: list[str]) -> str:
    return f"{verdict!r} is no verdict. There are {', '.join(verdicts)}."


def _criteria_problems(
    entry: Entry, place: str, lines: Mapping[str, Any], verdicts: list[str]
) -> Iterator[DeclarationProblem]:
    for verdict, texts in lines.items():
        if verdict not in verdicts:
            yield entry.problem(_unknown(verdict, verdicts), f"{place}.{verdict}")
        elif problem := value_problem(texts, LINES):
            yield entry.problem(problem, f"{place}.{verdict}")


def body_of(
    declaration: Declaration, entry: Entry, prompts: Mapping[str, Prompt]
) -> dict[str, Any]:
    """The text of a declared rubric (rubric.py). `prompts` are those of the protocol by the names in its file.

    A prompt takes the verdicts that it has criteria for.
    """
    given = entry.values
    keys = [verdict["key"] for verdict in given["verdicts"]]
    return {
        "name": f"{declaration.name}-{entry.name}",
        "protocol": declaration.name,
        "title": given["title"],
        "source": given["source"],
        "verdicts": given["verdicts"],
        **({} if given.get("ordered", True) else {"ordered": False}),
        **{key: given[key] for key in ("weights", "excludes") if key in given},
        "rules": given.get("rules", []),
        "prompts": {
            prompts[name].name: {
                "label": prompts[name].label,
                "title": prompts[name].title,
                "written_by": "protocol",
                "gold": [],
                "proposed": [key for key in reversed(keys) if key in criteria],
                "unusual": {},
                "criteria": criteria,
            }
            for name, criteria in criteria_of(declaration, entry).items()
        },
    }
