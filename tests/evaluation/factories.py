"""Judged studies for reports, built on the judging room's own."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from django.db.models.functions import Now

from accounts.models import Person
from accounts.roles import Role
from datasets import exclusions
from datasets.taxonomy import EXPLICIT, IMPLICIT
from judging import adjudication, pool, rounds, rubric_versions, settling, studies, verdicts
from judging.models import JudgingSlot, Judgment, JudgmentEvent, Resolution, Rubric, Study
from judging.selections import Selection
from judging.states import SLOT
from tests.factories import person
from tests.judging import factories as judging

# The verdicts of the rubric that comes with the program, worst first.
SCALE = ("incorrect", "partially correct", "correct")
Chooser = Callable[[str, JudgingSlot], str]

# Instance n's reasoning: the third has no type, the fourth's passages are the same.
INSTANCES = (
    {"type_4": EXPLICIT},
    {"type_4": IMPLICIT},
    {"type_4": None},
    {"type_4": EXPLICIT, "same_passage": "Same"},
)


def run_of_all_kinds(prompts=judging.PROMPTS, models=judging.MODEL_IDS):
    """A run over four instances: explicit, implicit, untyped, and explicit with one passage for both answers."""
    asked_in = judging.run()
    abouts = [judging.instance(n, **fields) for n, fields in enumerate(INSTANCES, start=1)]
    judging.responses(asked_in, abouts, prompts, models)
    return asked_in


def mostly_agreeing(who: str, slot: JudgingSlot) -> str:
    """Alice says correct; bob says incorrect of the implicit instance under both passages, else correct."""
    response = slot.item.response
    implicit = response.instance.contradiction.type_4 == IMPLICIT
    if who == "bob" and implicit and response.prompt == "both-passages":
        return "incorrect"
    return "correct"


def judge_all(study: Study, choose: Chooser = mostly_agreeing, *, hand_in: bool = True) -> Study:
    """Every judge judges every slot of theirs in the latest round as `choose` says ("": not at all), and hands in.

    Makes at once the rows that `verdicts.give` makes one by one; tests/evaluation/test_factories.py compares them.
    """
    related = ("judge__person", "item__response__instance__contradiction", "item__response__model")
    slots = JudgingSlot.objects.filter(
        round__study=study, round__is_latest=True, judge__isnull=False
    )
    values = [
        {"slot": slot, "verdict": verdict, "comment": "=1+1"}
        for slot in slots.select_related(*related)
        if (verdict := choose(slot.judge.person.username, slot))
    ]
    judged = slots.filter(pk__in=[each["slot"].pk for each in values])
    assert SLOT.move(judged, "judge", skip_reason="") == len(values)
    Judgment.objects.bulk_create(Judgment(**each, seconds=4) for each in values)
    JudgmentEvent.objects.bulk_create(JudgmentEvent(**each, what="judged") for each in values)
    Rubric.objects.filter(pk=study.rubric_id, locked_at=None).update(locked_at=Now())
    for judge in study.judges.select_related("person") if hand_in else ():
        verdicts.hand_in(judge.person, study)
    return study


def judged_study(*usernames: str, choose: Chooser = mostly_agreeing, **options) -> Study:
    """A study over the run of all kinds that every judge has handed in; disagreements wait."""
    drawn_from = options.pop("drawn_from", None) or run_of_all_kinds()
    return judge_all(judging.open_study(*usernames, drawn_from=drawn_from, **options), choose)


def resolve_all(study: Study, verdict: str = "partially correct") -> None:
    """A third person decides whatever waits."""
    known = Person.objects.filter(username="carol").first()
    third = known or person("carol", Role.ADJUDICATOR)
    for item in settling.unresolved(study):
        adjudication.decide(item, by=third, verdict=verdict, cause="slip", note="Read again.")


def judged_twice(
    prompt: str = "both-passages", again: Sequence[str] = ("dora", "emil"), **options
) -> Study:
    """A closed study of two rounds: `again` judge one prompt's responses again, by a new version of the rubric."""
    study = judged_study(**options)
    resolve_all(study)
    studies.close_study(study)
    admin = study.created_by
    body = {**study.rubric.body, "title": "Clearer criteria"}
    new = rubric_versions.save(body, newest=study.rubric.version, by=admin)
    judges = [judging.judge(name) for name in again]
    plan = rounds.RoundPlan("The criteria left it open.", new, True, judges)
    opened = rounds.judge_again(study, rounds.JudgedAgain(prompts=[prompt]), plan, by=admin)
    slots = JudgingSlot.objects.filter(round=opened).order_by("item__position", "seat")
    # Chance decides the order and the first verdicts. Whatever they are, both rounds agree on some of the responses,
    # and the second has two verdicts: otherwise a share is 0, or kappa has no value, now and then.
    items = list(dict.fromkeys(slots.values_list("item", flat=True)))
    before = dict(Resolution.objects.filter(item__in=items).values_list("item", "verdict"))
    for slot in slots:
        mine = verdicts.slot_of(slot.judge.person, slot.pk)
        given = ("incorrect", before[slot.item_id], "correct")
        verdicts.give(mine, given[items.index(slot.item_id) % 3])
    studies.close_study(study)
    return Study.objects.get(pk=study.pk)


def judged_in_three_rounds() -> Study:
    """A closed study of 20 responses, of which 8 were judged again by one judge and 3 by the other, who was removed;
    then a model was added, with 10 responses and 5 anchors.

    Its second round gives no final verdict: the two differ on all three, and they wait for a third person.
    """
    asked_in = judging.run()
    abouts = [judging.instance(n) for n in range(1, 11)]
    judging.responses(asked_in, abouts, ["both-passages"])
    study = judged_study(drawn_from=asked_in, choose=_in_rounds)
    studies.close_study(study)
    admin, version = study.created_by, study.rubric
    judges = [judging.judge(name) for name in ("dora", "emil")]
    plan = rounds.RoundPlan("Too many disagreements.", version, True, judges)
    rounds.judge_again(study, rounds.JudgedAgain(numbers=range(1, 9)), plan, by=admin)
    judge_all(study, _in_rounds, hand_in=False)
    pool.remove(study, study.judges.get(person__username="emil").pk)
    studies.close_study(study)
    later = judging.run("later-run")
    judging.responses(later, abouts, ["both-passages"], ["later-model"])
    added = rounds.AddedResponses(Selection([later]), 60)
    judges = [judging.judge("fay"), judges[0]]
    plan = replace(plan, reason="A further model.", counts=False, judges=judges)
    rounds.add_responses(study, added, plan, by=admin)
    judge_all(study, _in_rounds)
    studies.close_study(study)
    return Study.objects.get(pk=study.pk)


def _in_rounds(who: str, slot: JudgingSlot) -> str:
    """In the first round bob differs on every third; in the second emil on all of the three that he judges; in the
    third fay on every fifth.
    """
    place = slot.item.position
    if who == "emil" and place > 3:
        return ""
    usual = ("correct", "incorrect")[place % 2]
    other = ("incorrect", "correct")[place % 2]
    differs = {"bob": place % 3 == 0, "emil": True, "fay": place % 5 == 0}
    return other if differs.get(who) else usual


def exclude(study: Study, n: int) -> None:
    """Take the study's instance `n` out."""
    item = study.items.filter(response__instance__contradiction__position=n).first()
    exclusions.exclude(instance=item.response.instance, reason="Ambiguous", by=person("sven"))


def cells(report) -> dict[tuple[str, str, str, str], tuple[int, int]]:
    """(prompt, model, slice, verdict) -> (k, n), of a report's table of final verdicts."""
    (table,) = report["tables"]
    return {
        (row["prompt"], row["model"], row["slice"], row["verdict"]): (row["k"], row["n"])
        for row in table["rows"]
    }
