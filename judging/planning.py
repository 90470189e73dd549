"""Who will judge what in a study that is not open yet: its slots, and what they cost before anybody is asked."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from accounts.models import Person
from datasets.models import Instance
from generation import prompt_versions
from generation.models import Response
from generation.prompts import prompting
from generation.prompts.prompting import Prompt
from judging import readiness
from judging.blinding import read_elsewhere
from judging.models import Discussion, JudgingSlot, Rubric, Study, StudyItem
from judging.presenting import gold_shown, passages_given, question_shown, read_records
from judging.rules import assignment, reading, rubric
from judging.rules.assignment import ORDERS, AssignmentRules, PlannedSlot
from judging.rules.reading import Reading
from judging.settling import HANDED_IN
from judging.states import StudyState
from pages.counting import how_many

JUDGED_BEFORE = (
    "{} of the judges judged responses to some of these questions in another study, and may have read "
    "there how differences were resolved."
)

OF_ONE_AUTHOR = (
    "All texts of this study are by one author, so who wrote them cannot be hidden from its judges. Other people's "
    "verdicts and the results are, until the study is closed."
)
READ_ELSEWHERE = (
    "These judges can read verdicts on the same responses in the report of another study: {}. Once this study is open, "
    "the report is hidden from them, but they may have read it."
)


@dataclass(frozen=True)
class JudgeLoad:
    """What one judge would get."""

    person: Person
    slots: int
    questions: int
    repeats: int
    own: int
    hours: float


@dataclass(frozen=True)
class DryRun:
    """A plan that was made and not stored. `hours` are those of reading by order, all judges together.

    `warnings` are of what its judges may know before.
    """

    responses: int
    questions: int
    slots: int
    by_judges: dict[int, int]
    loads: list[JudgeLoad]
    own: int
    warnings: list[str]
    pairs: list[tuple[Person, Person, int]]
    hours: dict[str, float]


@dataclass(frozen=True)
class StudyCost:
    """What a study would take before its judges are known: the hours of reading by order, all seats together."""

    responses: int
    questions: int
    hours: dict[str, float]


def question_of(item: StudyItem) -> str:
    """A name of the item's question that is the same in every database."""
    instance = item.response.instance
    return f"{instance.contradiction.external_id}/{instance.n}"


def authors_of(items: dict[str, StudyItem]) -> dict[str, frozenset[str]]:
    """By item: the pseudonyms of those who wrote its question, or annotated its contradiction; as on_own_question."""
    names: dict[int, set[str]] = {}
    asked = Instance.objects.filter(pk__in={item.response.instance_id for item in items.values()})
    for key, *people in asked.order_by().values_list(
        "pk",
        "author__pseudonym",
        "contradiction__author__pseudonym",
        "contradiction__annotations__author__pseudonym",
    ):
        names.setdefault(key, set()).update(name for name in people if name)
    return {key: frozenset(names[item.response.instance_id]) for key, item in items.items()}


def by_place(items: QuerySet[StudyItem]) -> dict[str, StudyItem]:
    """The items by their place in their study, with their texts; declared fields are read by read_records."""
    record = "response__instance__contradiction"
    rows = items.select_related(record).defer(f"{record}__fields")
    return {str(item.position): item for item in rows}


def rules_of(study: Study, **changed: object) -> AssignmentRules:
    design = {
        "per_item": study.judges_per_response,
        "seed": study.seed,
        "order": study.order,
        "repeat_percent": study.repeat_percent,
        "double_percent": study.double_percent,
        "pairing": study.pairing,
        "without_own": study.without_own,
    }
    return AssignmentRules(**{**design, **changed})  # type: ignore[arg-type]


def plan(
    study: Study, items: dict[str, StudyItem], judges: Sequence[Person], n: int = 1
) -> list[PlannedSlot]:
    """The slots of the study's round `n`."""
    names = [judge.pseudonym for judge in judges]
    seed = assignment.round_seed(study.seed, n)
    return _plan(items, names, rules_of(study, seed=seed), authors_of(items))


def _plan(
    items: dict[str, StudyItem],
    judges: Sequence[str],
    rules: AssignmentRules,
    authors: Mapping[str, frozenset[str]],
) -> list[PlannedSlot]:
    units = [
        assignment.PlannedItem(key, question_of(item), authors.get(key, frozenset()))
        for key, item in items.items()
    ]
    return assignment.plan(units, judges, rules)


def dry_run(
    study: Study, items: dict[str, StudyItem], judges: Sequence[Person], version: Rubric, n: int = 1
) -> DryRun:
    """What opening round `n` over these items would make; raises AssignmentError as opening does."""
    names, authors = [judge.pseudonym for judge in judges], authors_of(items)
    seed = assignment.round_seed(study.seed, n)
    plans = {
        order: _plan(items, names, rules_of(study, order=order, seed=seed), authors)
        for order in ORDERS
    }
    planned = plans[study.order]
    texts = _texts(rubric.parse(version.body), items)
    seats = Counter(slot.item for slot in planned if slot.repeat == 1)
    loads = [_load(person, planned, items, texts, authors) for person in judges]
    return DryRun(
        responses=len(items),
        questions=len({question_of(item) for item in items.values()}),
        slots=len(planned),
        by_judges=dict(sorted(Counter(seats.values()).items())),
        loads=[load for load in loads if load is not None],
        own=sum(load.own for load in loads if load is not None),
        warnings=warnings(study, [item.response for item in items.values()], judges),
        pairs=_pairs(planned, judges),
        hours={order: _hours(slots, texts) for order, slots in plans.items()},
    )


def warnings(
    study: Study, responses: Collection[Response], people: Collection[Person]
) -> list[str]:
    """What is not hidden from these people, or may have been read by them before, a sentence each."""
    number = judged_before(study, {response.instance_id for response in responses}, people)
    read = read_elsewhere(people, study, responses)
    named = [f"{person} ({_where(studies)})" for person, studies in read.items()]
    is_of_one = len({response.model_id for response in responses}) == 1
    sentences = [
        is_of_one and OF_ONE_AUTHOR,
        number and JUDGED_BEFORE.format(number),
        named and READ_ELSEWHERE.format("; ".join(named)),
    ]
    return [sentence for sentence in sentences if sentence]


def _where(studies: Iterable[tuple[Study, int]]) -> str:
    return ", ".join(f"“{study}”: {how_many(n, 'response')}" for study, n in studies)


def judged_before(study: Study, questions: Collection[int], people: Iterable[Person]) -> int:
    """How many of the people may have read, as judges of another study, how differences over these questions ended.

    They read it in a discussion, or once their round was closed, even if it is open again.
    """
    may_have_read = (
        Q(round__study__state=StudyState.CLOSED)
        | Q(round__is_latest=False)
        | Q(round__reopenings__at__gt=F("judgment__locked_at"))
        | Exists(Discussion.objects.filter(item=OuterRef("item"), round=OuterRef("round")))
    )
    slots = JudgingSlot.objects.filter(
        HANDED_IN, may_have_read, item__response__instance__in=questions
    )
    elsewhere = slots.exclude(round__study=study).filter(judge__person__in=list(people))
    return elsewhere.aggregate(n=Count("judge__person", distinct=True))["n"]


def cost(
    responses: Sequence[Response], known: rubric.ParsedRubric, rules: AssignmentRules
) -> StudyCost:
    """The cost of judging these responses by these rules, repeats left out; raises Refusal as a study does."""
    readiness.check(known, responses)
    responses = [response for response in responses if known.is_judged(response.prompt)]
    items = {str(n): StudyItem(response=row, position=n) for n, row in enumerate(responses)}
    texts = _texts(known, items)
    seats = [str(n) for n in range(max(rules.per_item, 2))]
    # As in a pool: the judges of the first seats, of the second and so on each read all of theirs.
    free = replace(rules, pairing=assignment.POOL, repeat_percent=0, without_own=False)
    plans = {order: _plan(items, seats, replace(free, order=order), {}) for order in ORDERS}
    return StudyCost(
        responses=len(items),
        questions=len({question_of(item) for item in items.values()}),
        hours={order: _hours(slots, texts) for order, slots in plans.items()},
    )


def _texts(known: rubric.ParsedRubric, items: dict[str, StudyItem]) -> dict[str, Reading]:
    prompts = prompt_versions.known({item.response.prompt for item in items.values()})
    read_records([item.response for item in items.values()])
    return {
        key: _reading(item, known, prompting.found(item.response.prompt, prompts))
        for key, item in items.items()
    }


def _reading(item: StudyItem, known: rubric.ParsedRubric, asked: Prompt) -> Reading:
    response = item.response
    gold = gold_shown(response, known.prompts[response.prompt], asked)
    shared = [question_shown(response, asked), *(part.text for part in gold)]
    passages = [passage.text for passage in passages_given(response, asked)]
    return Reading(
        question_of(item),
        reading.words(response.text, response.check_sent, response.check_reply or ""),
        reading.words(*shared, *passages),
    )


def _load(
    person: Person,
    planned: Sequence[PlannedSlot],
    items: dict[str, StudyItem],
    texts: dict[str, Reading],
    authors: Mapping[str, frozenset[str]],
) -> JudgeLoad | None:
    """None in a pool, where a judge has no slots before drawing them."""
    mine = [slot for slot in planned if slot.judge == person.pseudonym]
    if not mine:
        return None
    return JudgeLoad(
        person=person,
        slots=len(mine),
        questions=len({question_of(items[slot.item]) for slot in mine}),
        repeats=sum(slot.repeat > 1 for slot in mine),
        own=sum(person.pseudonym in authors[slot.item] for slot in mine),
        hours=reading.hours(texts[slot.item] for slot in mine),
    )


def _hours(planned: Sequence[PlannedSlot], texts: dict[str, Reading]) -> float:
    """The hours of all judges; in a pool those of all first seats, all second seats and so on."""
    lists: dict[object, list[Reading]] = {}
    for slot in planned:
        lists.setdefault(slot.judge or slot.seat, []).append(texts[slot.item])
    return sum(reading.hours(listed) for listed in lists.values())


def _pairs(
    planned: Sequence[PlannedSlot], judges: Sequence[Person]
) -> list[tuple[Person, Person, int]]:
    """How many responses each two judges would share."""
    seated: dict[str, set[str]] = {}
    for slot in planned:
        if slot.judge:
            seated.setdefault(slot.item, set()).add(slot.judge)
    met = Counter(pair for who in seated.values() for pair in combinations(sorted(who), 2))
    people = {judge.pseudonym: judge for judge in judges}
    return [(people[first], people[second], n) for (first, second), n in sorted(met.items())]
