"""Which responses have a score: by label, place on the axes of tables, and population; and what the scores are."""

from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl

import numpy as np

from evaluation.counts.scored import as_sent, scored, speaks
from evaluation.scorers import kinds, people
from evaluation.scorers.language import scored_prompts, tags_of, tags_with_values
from evaluation.statistics.measures import ANY, F1, STATES
from generation.prompts.answers import READING, answer_of
from judging.models import Study, StudyItem
from leases.refusal import Refusal
from protocols.declaration import Declaration

# More positions than this are no list that a database compares with.
MOST = 200_000


def pairs(text: str) -> dict[str, list[str]]:
    """What a part of an address names, as "setting=one+piece&cause=semantic"."""
    found: dict[str, list[str]] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        found.setdefault(name, []).append(value)
    return found


def positions(
    study: Study,
    labels: Mapping[str, list[str]],
    where: Mapping[str, list[str]],
    within: str,
    model: str,
) -> list[int]:
    """Of the responses with one of the labels by each scorer; raises Refusal for what the protocol does not declare."""
    scores = scored(study, [int(model)] if model else None)
    if scores is None:
        return []
    rows = scores.rows
    for given, known in (
        (labels, rows.labels),
        (where, rows.axes),
        ([within] if within else [], rows.populations),
    ):
        if unknown := [name for name in given if name not in known]:
            raise Refusal(f"{unknown[0][:40]} is not known here. Use one of: {', '.join(known)}.")
    kept = rows.fitting(where) & rows.within(within or None)
    for scorer, wanted in labels.items():
        kept &= rows.finished(scorer) if ANY in wanted else rows.labels[scorer].among(wanted)
    found = [
        place for place in scores.columns["position"][np.flatnonzero(kept)] if place is not None
    ]
    if len(found) > MOST:
        raise Refusal("These are too many responses for one list. Choose a model as well.")
    return found


def label_entries(declaration: Declaration) -> list[tuple[str, str]]:
    """Labels and states by scorer, as (value in an address, words)."""
    scorers = declaration.entries("scorer")
    return [
        (f"{scorer.name}={label}", f"{scorer.name}: {label}" if len(scorers) > 1 else label)
        for scorer in scorers
        for label in kinds.labels_of(declaration, scorer)
    ]


def tag_entries(declaration: Declaration) -> list[tuple[str, str]]:
    return [
        (f"{tag}={value}", f"{tag}: {value}")
        for tag, values in tags_with_values(scored_prompts(declaration)).items()
        for value in values
    ]


def scores_of(study: Study, items: Iterable[StudyItem]) -> dict[int, dict[str, str]]:
    """By position: what the scorers say of a response, its prompt's tags, and the order in which passages were drawn.

    A response whose prompt is not scored has none.
    """
    declaration = study.declaration
    shown_items, found = list(items), {}
    prompts = as_sent(declaration, {item.response.prompt for item in shown_items})
    for item in shown_items:
        response, entry = item.response, prompts.get(item.response.prompt)
        if entry is None:
            continue
        record = response.instance.contradiction.fields or {}
        shown = {}
        for scorer in declaration.entries("scorer"):
            kind = kinds.of(scorer.values)
            if not kind.reads(declaration, scorer, entry) or not speaks(study, declaration, scorer):
                continue
            known, how = kind.known(scorer.values, record), entry.values
            said = response.finding, response.text, response.check_reply
            if kind.by_people:
                ended = getattr(item, "resolution", None)
                how, said = {}, people.said("", ended and ended.verdict)
            label, number = kinds.scored(scorer.values, known, how, *said)
            f1 = f", F1 {number:.2f}" if F1 in kind.means and label not in STATES else ""
            shown[scorer.name] = f"{label}{f1}"
        is_read = any(name in entry.values for name in (*READING, "check"))
        if is_read and not response.finding:
            answer = answer_of(response.text, entry.values, response.check_reply)
            shown["answer read"] = "an abstention" if answer.abstained else answer.text
        shown["prompt tags"] = "; ".join(f"{tag}: {value}" for tag, value in tags_of(entry).items())
        drawn = response.drawn or {}
        titles = (declaration.fields[name].title for name in drawn.get("order", ()))
        shown["order"], shown["examples"] = (
            ", then ".join(titles),
            ", ".join(drawn.get("shots", ())),
        )
        found[item.position] = shown
    return found
