"""Which responses of a study a number counts: a choice read from an address, and its query."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Value, When

from datasets.models import SamePassage
from datasets.taxonomy import EXPLICIT, IMPLICIT
from evaluation.counts.final_verdicts import kept_items
from evaluation.counts.first_verdicts import first_judged
from evaluation.counts.machine_verdicts import REPLIES
from evaluation.counts.naming import (
    in_name_order,
    model_names,
    models_of,
    one_passage_prompts,
    prompt_entry,
    prompts_of,
)
from evaluation.rows import scored_choice
from evaluation.statistics import tables
from judging.machine.scope import COUNTED, OWN, by_version, of_half
from judging.models import Holds, JudgingSlot, MachineVerdict, Study, StudyItem
from judging.rules.halves import HALVES
from judging.rules.resolution import CAUSES
from judging.settling import LACKS_VERDICTS
from judging.states import MachineState
from leases.refusal import Refusal

_CONTRADICTION = "response__instance__contradiction__"
FINAL, FIRST, KEPT = "final", "first", "kept"
YES, NO = tables.YES, tables.NO
LABELLED, REPLIED = tables.LABELLED, tables.REPLIED
MOST_WORDS = 200
MODEL = re.compile(r"[0-9]{1,18}")
# What responses can be sorted by, and its words; within one value they are in the study's order.
SORTS = {
    "question": "Article and question",
    "model": "Model",
    "prompt": "Prompt",
    "slice": "Reasoning",
    "verdict": "Final verdict",
    "cause": "Cause of disagreement",
}


@dataclass(frozen=True)
class ResponseChoice:
    """Which responses of a study; an empty part chooses all.

    `of` is the population. "final" leaves out what the table of final verdicts leaves out, "kept" excluded questions
    alone. "first" keeps responses on which `judge_1` gave the first verdict `first_1` and `judge_2` gave `first_2`;
    with `differ` "yes" those on which the two differ. `with_model` and `with_prompt` keep the responses of a paired
    comparison: those whose question has a final verdict on that model's response to that prompt too (an empty one is
    the response's own).

    `judge_model` keeps those that this judge model was asked about. `said` keeps those on which it (or any) gave that
    verdict; "replied" is any reply. `match` "yes" keeps those on which it gave the final verdict, "no" those on which
    it replied otherwise, `either` those to which people or the judge model gave that verdict. `holds` keeps those where
    its reply holds that, `itself` those of the same model as the judge model, `half` those whose cluster is in that
    half. `other` "yes" keeps replies asked by a version of the rubric that no longer counts; without it, choices by
    reply look at the version that counts.

    `judge` keeps those that this judge finished, `cause` those resolved for that cause. `words` keeps those where a
    comment (of that judge, if one is chosen) or the resolution's note has all these words. `round` (its number) keeps,
    among first verdicts and what `judge` finished, those given in it.

    `scored` keeps those with one of these labels or states ("answer=original"), `where` and `tag` those that stand
    there on the axes of tables ("setting=one+piece"), `within` those of a population (scored_choice.py).
    """

    of: str = ""
    prompt: str = ""
    model: str = ""
    slice: str = ""
    verdict: str = ""
    judge_1: str = ""
    judge_2: str = ""
    first_1: str = ""
    first_2: str = ""
    differ: str = ""
    judge_model: str = ""
    said: str = ""
    match: str = ""
    either: str = ""
    with_model: str = ""
    with_prompt: str = ""
    judge: str = ""
    cause: str = ""
    words: str = ""
    round: str = ""
    holds: str = ""
    itself: str = ""
    half: str = ""
    other: str = ""
    sort: str = ""
    scored: str = ""
    where: str = ""
    tag: str = ""
    within: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str], study: Study) -> "ResponseChoice":
        """From a request's query; raises Refusal for a value that no number of the study links to."""
        scale = study.judged_by.scale.keys if study.is_judged else []
        given = {field.name: query.get(field.name, "").strip() for field in fields(cls)}
        allowed = {
            "of": [FINAL, FIRST, KEPT],
            "slice": [*tables.SLICES, tables.UNTYPED],
            "verdict": [*scale, LABELLED, tables.UNLABELLED, tables.INCOMPLETE],
            "differ": [YES, NO],
            "first_1": scale,
            "first_2": scale,
            "said": [*scale, tables.UNPARSED, REPLIED],
            "match": [YES, NO],
            "either": scale,
            "cause": [*CAUSES],
            "holds": Holds.values,
            "itself": [YES],
            "half": [*HALVES],
            "other": [YES],
            "sort": [*SORTS],
        }
        for name, values in allowed.items():
            if given[name] and given[name] not in values:
                raise Refusal(
                    f"{name}={given[name]} is not known. Use one of: {', '.join(values)}."
                )
        for name in ("model", "judge_model", "with_model", "round"):
            if given[name] and not MODEL.fullmatch(given[name]):
                what = "round" if name == "round" else "model"
                raise Refusal(f"A {what} is chosen by its number. Follow the links of the report.")
        if len(given["words"]) > MOST_WORDS:
            raise Refusal(f"Search for at most {MOST_WORDS} characters at once.")
        return cls(**given)


def chosen(study: Study, choice: ResponseChoice) -> QuerySet[StudyItem]:
    """The study's items that the choice keeps, sorted as it says."""
    populations = {FINAL: _counted, KEPT: kept_items}
    items = populations[choice.of](study) if choice.of in populations else study.items.all()
    if choice.prompt:
        items = items.filter(response__prompt=choice.prompt)
    if choice.model:
        items = items.filter(response__model=int(choice.model))
    if choice.with_model or choice.with_prompt:
        items = items.filter(Exists(_paired(study, choice)))
    items = _of_slice(items, choice.slice)
    items = _of_verdict(items, choice.verdict)
    if choice.half:
        items = of_half(items, study, choice.half)
    if choice.judge_model or choice.other or _of_replies(choice):
        items = items.filter(Exists(named(choice, _on_item())))
    if choice.either:
        machine = _machines_of(choice, _on_item()).filter(verdict=choice.either)
        items = items.filter(Q(resolution__verdict=choice.either) | Exists(machine))
    if choice.of == FIRST:
        items = items.filter(Exists(_pairs(study, choice)))
    if choice.cause:
        items = items.filter(resolution__cause=choice.cause)
    if choice.judge or choice.words:
        items = items.filter(_commented(study, choice))
    if choice.scored or choice.where or choice.tag or choice.within:
        where = {**scored_choice.pairs(choice.where), **scored_choice.pairs(choice.tag)}
        labels = scored_choice.pairs(choice.scored)
        found = scored_choice.positions(study, labels, where, choice.within, choice.model)
        items = items.filter(position__in=found)
    return items.order_by(*_order(study, choice.sort), "position")


def _order(study: Study, sort: str) -> list[Any]:
    if sort == "question":
        return [f"{_CONTRADICTION}title", "response__instance__contradiction", "response__instance"]
    places: dict[str, tuple[str, Iterable[object]]] = {
        "model": ("response__model", dict(in_name_order(model_names(models_of(study))))),
        "prompt": ("response__prompt", _by_label(prompts_of(study))),
        "slice": (f"{_CONTRADICTION}type_4", (EXPLICIT, IMPLICIT)),
        "verdict": (
            "resolution__verdict",
            study.judged_by.scale.keys if study.is_judged else (),
        ),
        "cause": ("resolution__cause", CAUSES),
    }
    return [_placed(*places[sort])] if sort else []


def _by_label(prompts: Iterable[str]) -> list[str]:
    return sorted(prompts, key=lambda name: prompt_entry(name)["label"])


def _placed(column: str, values: Iterable[object]) -> Case:
    """The place of the column's value among these; any other comes last."""
    whens = [When(**{column: value}, then=Value(n)) for n, value in enumerate(values)]
    return Case(*whens, default=Value(len(whens)))


def _counted(study: Study) -> QuerySet[StudyItem]:
    """The items that the tables of final verdicts count, labelled or not."""
    one_passage = Q(response__prompt__in=one_passage_prompts())
    same = Q(**{f"{_CONTRADICTION}same_passage": SamePassage.SAME})
    # Not exclude(): in SQL a condition on an absent value is neither true nor false.
    return kept_items(study).filter(
        ~one_passage | ~same | Q(**{f"{_CONTRADICTION}same_passage": None})
    )


def _paired(study: Study, choice: ResponseChoice) -> QuerySet[StudyItem]:
    """The other side's items on the question of one item."""
    model = int(choice.with_model) if choice.with_model else OuterRef("response__model")
    prompt = choice.with_prompt or OuterRef("response__prompt")
    return _counted(study).filter(
        resolution__isnull=False,
        response__instance=OuterRef("response__instance"),
        response__model=model,
        response__prompt=prompt,
    )


def _of_slice(items: QuerySet[StudyItem], part: str) -> QuerySet[StudyItem]:
    column = f"{_CONTRADICTION}type_4"
    value = {tables.EXPLICIT: EXPLICIT, tables.IMPLICIT: IMPLICIT}.get(part)
    if value is not None:
        return items.filter(**{column: value})
    if part == tables.UNTYPED:
        return items.filter(Q(**{column: None}) | ~Q(**{f"{column}__in": [EXPLICIT, IMPLICIT]}))
    return items


def _of_verdict(items: QuerySet[StudyItem], verdict: str) -> QuerySet[StudyItem]:
    if verdict == tables.INCOMPLETE:
        return items.filter(LACKS_VERDICTS, resolution=None)
    if verdict in (LABELLED, tables.UNLABELLED):
        return items.filter(resolution__isnull=verdict == tables.UNLABELLED)
    return items.filter(resolution__verdict=verdict) if verdict else items


def _pairs(study: Study, choice: ResponseChoice) -> QuerySet[Any]:
    """Two judges' slots on one item in one round, as the choice names them."""
    wanted = {
        "round__n": choice.round,
        "judge__pseudonym": choice.judge_1,
        "judgment__first_verdict": choice.first_1,
        "item__slots__judge__pseudonym": choice.judge_2,
        "item__slots__judgment__first_verdict": choice.first_2,
    }
    other = F("item__slots__judgment__first_verdict")
    # In the same filter() as the rest: all conditions are on the same other slot.
    unlike = Q(judgment__first_verdict__lt=other) | Q(judgment__first_verdict__gt=other)
    return first_judged(study).filter(
        unlike if choice.differ == YES else Q(),
        item=OuterRef("pk"),
        item__slots__round=F("round"),
        item__slots__repeat=1,
        item__slots__judgment__first_verdict__isnull=False,
        item__slots__judge__pseudonym__gt=F("judge__pseudonym"),
        **{name: value for name, value in wanted.items() if value},
    )


def _commented(study: Study, choice: ResponseChoice) -> Q:
    """Whether the judge finished one item, and a comment or the resolution's note has all the words."""
    slots = JudgingSlot.objects.filter(
        round__study=study, item=OuterRef("pk"), judgment__first_verdict__isnull=False
    )
    note = Q(resolution__isnull=False)
    if choice.round:
        slots = slots.filter(round__n=int(choice.round))
    if choice.judge:
        slots, note = slots.filter(judge__pseudonym=choice.judge), Q(pk=None)
    for word in choice.words.split():
        slots = slots.filter(judgment__comment__icontains=word)
        note &= Q(resolution__note__icontains=word)
    return Q(Exists(slots)) | note


def _on_item() -> QuerySet[MachineVerdict]:
    return MachineVerdict.objects.filter(item=OuterRef("pk"))


def _of_replies(choice: ResponseChoice) -> bool:
    """Whether the choice is by what judge models replied."""
    return any((choice.said, choice.match, choice.either, choice.holds, choice.itself))


def _machines_of(
    choice: ResponseChoice, asked: QuerySet[MachineVerdict]
) -> QuerySet[MachineVerdict]:
    """What the chosen judge model (or any) was asked; where replies are chosen, by the version that counts."""
    verdicts = by_version(asked)
    if choice.other:
        verdicts = verdicts.filter(~COUNTED, state__in=REPLIES)
    elif _of_replies(choice):
        verdicts = verdicts.filter(COUNTED)
    return verdicts.filter(judge=int(choice.judge_model)) if choice.judge_model else verdicts


def named(choice: ResponseChoice, asked: QuerySet[MachineVerdict]) -> QuerySet[MachineVerdict]:
    """Those of the judge models' verdicts that the choice names; `either` chooses responses, not verdicts."""
    verdicts = _machines_of(choice, asked)
    if choice.said == tables.UNPARSED:
        verdicts = verdicts.filter(state=MachineState.UNPARSED)
    elif choice.said == REPLIED or choice.match:
        verdicts = verdicts.filter(state__in=REPLIES)
    if choice.said not in ("", REPLIED, tables.UNPARSED):
        verdicts = verdicts.filter(verdict=choice.said)
    if choice.holds:
        verdicts = verdicts.filter(holds=choice.holds)
    if choice.itself:
        verdicts = verdicts.filter(OWN, state__in=REPLIES)
    return verdicts.filter(_matching(choice.match)) if choice.match else verdicts


def _matching(match: str) -> Q:
    """Whether the machine's verdict is people's; where either is missing, nothing matches."""
    people = F("item__resolution__verdict")
    if match == YES:
        return Q(verdict=people)
    # Not ~Q(): in SQL a condition on an absent value is neither true nor false.
    absent = Q(verdict=None) | Q(item__resolution=None)
    return absent | Q(verdict__lt=people) | Q(verdict__gt=people)
