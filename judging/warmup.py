"""The warm-up: responses with known verdicts, which each judge of a study gets first, with feedback.

They come from a closed study, and are answers to other questions than the study judges, by its prompts. Their verdicts
are in tables of their own, so that no progress, agreement, report or export counts them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, zip_longest

from django.db import transaction
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet

from accounts.models import Person
from datasets.drawing import lot
from datasets.models import Contradiction, Exclusion
from generation.models import Response
from judging import readiness
from judging.blinding import TWIN, hidden_results, same_texts
from judging.models import GoldItem, GoldVerdict, Judge, Rubric, Study, StudyItem
from judging.planning import question_of
from judging.rules import rubric
from judging.states import StudyState
from leases.refusal import Conflict, NotFoundHere, Refusal
from leases.rows import first_of

MOST = 50


def sources(study: Study, person: Person) -> QuerySet[Study]:
    """The closed studies of its rubric whose final verdicts can be gold, and that the person may see now."""
    closed = Study.objects.filter(
        state=StudyState.CLOSED,
        is_demonstration=study.is_demonstration,
        rubric__name=study.judged_by.name,
    ).exclude(pk=study.pk)
    return closed.exclude(pk__in=hidden_results(person, list(closed)))


@transaction.atomic
def draw(study: Study, source: Study | None, number: int) -> None:
    """Give a study in draft so many gold items of the source, in place of those that it has; without a source none.

    The verdicts come in turn, each drawn by the study's seed. Raises Refusal where there are fewer, Conflict once open.
    """
    locked = Study.objects.select_for_update().filter(pk=study.pk).first()
    if locked is None:
        raise NotFoundHere("This study has been discarded.")
    if locked.state != StudyState.DRAFT:
        raise Conflict("This study has been opened: its warm-up does not change any more.")
    found = _found(study, source) if source else []
    if len(found) < number:
        raise Refusal(
            f"{number} are wanted, and the study {source} has {len(found)} that can be used: responses to prompts that "
            "this study judges, with a final verdict that its rubric allows and with the gold answers that it needs. "
            "Their contradictions are not in this study, they are not excluded, and all their studies are closed. Ask "
            "for fewer, or choose another study."
        )
    drawn = sorted(
        found, key=lambda item: lot(study.seed, "gold", question_of(item), str(item.position))
    )
    study.gold_items.all().delete()
    GoldItem.objects.bulk_create(
        GoldItem(
            study=study,
            response=item.response,
            position=place,
            verdict=item.resolution.verdict,
            note=item.resolution.note,
        )
        for place, item in enumerate(_in_turn(drawn)[:number], start=1)
    )


def _found(study: Study, source: Study) -> list[StudyItem]:
    known, awaited = rubric.parse(study.judged_by.body), _still_judged(source)
    possible = (item for item in _possible(study, source) if item.response_id not in awaited)
    return [item for item in possible if _is_allowed(known, item)]


def _still_judged(source: Study) -> set[int]:
    """Those of its responses whose texts studies judge that are not closed, also in another run."""
    unclosed = [state for state in StudyState if state != StudyState.CLOSED]
    judged = Response.objects.filter(study_items__study=source)
    same = same_texts(judged, study_items__study__state__in=unclosed)
    return set(same.values_list("pk", flat=True))


def _possible(study: Study, source: Study) -> QuerySet[StudyItem]:
    """The source's responses with a final verdict on other questions than the study's."""
    # By place, which all versions of a contradiction share.
    about = "response__instance__contradiction__"
    same = {about + name: OuterRef(about + name) for name in ("collection", "position")}
    excluded = Exclusion.objects.filter(instance=OuterRef("response__instance"))
    rows = source.items.filter(
        ~Exists(study.items.filter(**same)),
        ~Exists(excluded.filter(excluded_by__isnull=False)),
        resolution__round__rubric__name=study.judged_by.name,
        response__prompt__in=study.items.order_by().values("response__prompt"),
    )
    return rows.select_related("resolution", about.removesuffix("__")).defer(f"{about}fields")


def _is_allowed(known: rubric.ParsedRubric, item: StudyItem) -> bool:
    return _allows(known, item.response, item.resolution.verdict)


def _allows(known: rubric.ParsedRubric, response: Response, verdict: str) -> bool:
    criteria = known.prompts.get(response.prompt)
    if criteria is None or verdict not in criteria.allowed:
        return False
    try:
        readiness.check(known, [response])
    except Refusal:
        return False
    return True


def check_version(study: Study, version: Rubric) -> None:
    """Raise Refusal where a version does not allow the known verdicts of the study's warm-up."""
    known = rubric.parse(version.body)
    for gold in study.gold_items.select_related("response__instance__contradiction"):
        if not _allows(known, gold.response, gold.verdict):
            raise Refusal(
                f"The study's warm-up has a response to prompt {gold.response.prompt} with the verdict {gold.verdict}, "
                f"which {version} does not allow. Choose another version."
            )


def _in_turn(items: Iterable[StudyItem]) -> list[StudyItem]:
    by_verdict: dict[str, list[StudyItem]] = {}
    for item in items:
        by_verdict.setdefault(item.resolution.verdict, []).append(item)
    in_turn = chain.from_iterable(zip_longest(*by_verdict.values()))
    return [item for item in in_turn if item is not None]


def next_for(person: Person, study: Study) -> int | None:
    """The place (from 1) of the first gold item that this judge has not judged; None after the last."""
    if study.state != StudyState.OPEN:
        return None
    active = Judge.objects.filter(study=study, person=person, removed_at=None)
    done = GoldVerdict.objects.filter(judge__person=person, gold__study=study).values("gold")
    left = GoldItem.objects.filter(Exists(active), study=study).exclude(pk__in=done)
    return left.order_by("position").values_list("position", flat=True).first()


def item_at(study: Study, position: int) -> GoldItem:
    """Raises NotFoundHere."""
    rows = study.gold_items.select_related("response__instance__contradiction")
    return first_of(rows.filter(position=position), "There is no such item in the warm-up.")


def records_of(gold: GoldItem) -> QuerySet[Contradiction]:
    return Contradiction.objects.filter(instances=gold.response.instance_id)


def given(gold: GoldItem, person: Person) -> str:
    """This judge's verdict on the item; empty where there is none yet."""
    mine = gold.verdicts.filter(judge__person=person)
    return mine.values_list("verdict", flat=True).first() or ""


@dataclass(frozen=True)
class WarmUpOutcome:
    """How a judge's warm-up went: of `gold` items `given` have a verdict, `same` of them the known one."""

    gold: int
    given: int
    same: int
    last: datetime | None


def outcome(study: Study, judge: Judge) -> WarmUpOutcome:
    counted = GoldVerdict.objects.filter(judge=judge).aggregate(
        given=Count("pk"), same=Count("pk", filter=Q(verdict=F("gold__verdict"))), last=Max("at")
    )
    return WarmUpOutcome(gold=study.gold_items.count(), **counted)


@transaction.atomic
def give(gold: GoldItem, person: Person, verdict: str) -> None:
    """Store the verdict once: a later one changes nothing. Raises Refusal, or Conflict where nobody judges any more."""
    study = gold.study
    if problem := rubric.parse(study.judged_by.body).prompts[gold.response.prompt].problem(verdict):
        raise Refusal(problem)
    judge = Judge.objects.select_for_update().filter(study=study, person=person).first()
    if judge is None:
        raise NotFoundHere("You have no items in this study.")
    if judge.removed_at or study.state != StudyState.OPEN:
        raise Conflict("This study takes no verdicts of yours any more.")
    GoldVerdict.objects.get_or_create(gold=gold, judge=judge, defaults={"verdict": verdict})


def check_not_seen(study: Study, people: Iterable[Person]) -> None:
    """Raise Refusal for somebody to whom a warm-up shows, or may still show, the verdict on what they judge.

    That is a response of this study in another one's warm-up, or of this one's warm-up in a study that is not closed,
    also with the same text from another run.
    """
    people = list(people)
    judged = same_texts(Response.objects.filter(study_items__study=study)).values(f"{TWIN}pk")
    gold = Judge.objects.filter(person__in=people, study__gold_items__response__in=judged)
    shown = set(gold.values_list("person", flat=True))
    warm_up = Response.objects.filter(pk__in=study.gold_items.order_by().values("response"))
    known = same_texts(warm_up).values(f"{TWIN}pk")
    unfinished = Study.objects.exclude(state=StudyState.CLOSED)
    to_judge = unfinished.filter(items__response__in=known)
    for person in people:
        if person.pk in shown:
            raise Refusal(
                f"{person} is a judge of a study whose warm-up has a response of this one, with its final verdict. "
                "Choose other judges, for a closed study in a further round."
            )
        if to_judge.filter(judges__person=person).exists():
            raise Refusal(
                f"{person} is a judge of a study that is not closed and has a response of this warm-up. Choose another "
                "person, or draw the warm-up again."
            )
