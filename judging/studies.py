"""Making a study, opening it to its judges, closing it."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, fields

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, QuerySet
from django.db.models.functions import Now
from django.utils.text import slugify

from accounts.audit import AuditKind, record
from accounts.models import Person
from accounts.roles import Role
from datasets.drawing import lot
from generation.elsewhere.undoing import hold_runs
from generation.models import LONG, Response, Run
from judging import planning, readiness, warmup
from judging.found_unfit import propose_exclusions
from judging.models import Judge, JudgingSlot, Round, Rubric, Study, StudyItem
from judging.rubric_versions import current
from judging.rules import assignment, rubric, selfnaming
from judging.rules.assignment import AssignmentRules
from judging.rules.resolution import way_problem
from judging.selections import Selection, check_once
from judging.settling import close_slots
from judging.states import STUDY, SlotState, StudyState
from leases.planner import learn_sizes_on_commit
from leases.refusal import Conflict, NotFoundHere, Refusal


@dataclass(frozen=True)
class StudyDesign:
    """How a study is judged: by 0 judges, not at all. `seed` None draws one; `rubric` None takes the current one."""

    judges_per_response: int = 2
    resolved_by: str = Study.ResolvedBy.THIRD_PERSON
    order: str = Study.Order.GROUPED
    pairing: str = Study.Pairing.ROTATION
    double_percent: int = 0
    repeat_percent: int = 0
    without_own: bool = False
    fast_seconds: int = 3
    seed: int | None = None
    rubric: Rubric | None = None

    def rules(self, seed: int) -> AssignmentRules:
        return AssignmentRules(
            per_item=self.judges_per_response,
            seed=seed,
            order=self.order,
            pairing=self.pairing,
            double_percent=self.double_percent,
            repeat_percent=self.repeat_percent,
            without_own=self.without_own,
        )


def new_seed() -> int:
    return secrets.randbelow(2**31)


def create(name: str, selection: Selection, design: StudyDesign, *, by: Person) -> Study:
    """A study in draft over the finished responses of a selection; raises Refusal with what to fix."""
    responses = selection.chosen()
    seed = new_seed() if design.seed is None else design.seed
    check_design(design, seed)
    version = _rubric(design, selection)
    columns = {field.name: getattr(design, field.name) for field in fields(design)}
    try:
        with transaction.atomic():
            hold_runs(response.run_id for response in responses)
            study = Study.objects.create(
                name=name,
                slug=free_slug(name),
                subset=selection.subset,
                protocol=selection.protocol(),
                only_label=selection.label,
                **{**columns, "rubric": version, "seed": seed},
                is_demonstration=all(run.is_demonstration for run in selection.runs),
                created_by=by,
            )
            _add_items(study, responses)
            if version:
                check_ready(version, _responses(study))
    except IntegrityError as error:
        raise Conflict(f"There is a study named {name!r} already. Choose another name.") from error
    return study


def check_design(design: StudyDesign, seed: int) -> None:
    """Raise Refusal for a design that cannot be."""
    if design.judges_per_response:
        problem = way_problem(design.resolved_by, design.judges_per_response)
        problem = problem or assignment.design_problem(design.rules(seed))
    elif design.rubric or design.repeat_percent or design.double_percent:
        problem = (
            "Nobody judges in a study with 0 judges. Leave out its rubric and what is judged twice."
        )
    else:
        problem = ""
    if problem:
        raise Refusal(problem)


def _rubric(design: StudyDesign, selection: Selection) -> Rubric | None:
    """The one that it is judged by; raises Refusal for one of another protocol."""
    if not design.judges_per_response:
        return None
    declaration = selection.declaration()
    version = design.rubric or current(declaration.name)
    if (of := rubric.protocol_of(version.body)) != declaration.name:
        raise Refusal(
            f"The rubric {version} is for prompts of {of}, and these runs asked those of {declaration}. Choose a "
            f"rubric of {declaration.name}."
        )
    return version


def named(name: str) -> Study:
    """The study of that slug, name or number; raises NotFoundHere with the known ones."""
    rows = Study.objects.select_related("rubric")
    study = rows.filter(slug=name).first() or rows.filter(name=name).first()
    if study is None and name.isdecimal():
        study = rows.filter(pk=int(name)).first()
    if study is None:
        known = ", ".join(Study.objects.values_list("slug", flat=True)) or "none yet"
        raise NotFoundHere(f"There is no study {name!r}. Studies: {known}.")
    return study


def free_slug(name: str) -> str:
    """A slug that no other study has."""
    slug = slugify(name)[:100] or "study"
    return f"{slug}-{secrets.token_hex(3)}" if Study.objects.filter(slug=slug).exists() else slug


def would_cost(selection: Selection, design: StudyDesign) -> planning.StudyCost:
    """The hours of reading of a study that is not made yet, in each order; refused as making it is."""
    seed = design.seed or 0
    check_design(design, seed)
    responses, version = selection.chosen(), _rubric(design, selection)
    assert version is not None, "Hours are asked of a study that people judge."
    return planning.cost(responses, rubric.parse(version.body), design.rules(seed))


def _add_items(study: Study, responses: Sequence[Response]) -> None:
    StudyItem.objects.bulk_create(items_of(study, shuffled(study, responses)))
    learn_sizes_on_commit("judging")


def shuffled(study: Study, responses: Sequence[Response]) -> list[Response]:
    """In an order that shows neither by position nor by row id which model wrote a response."""
    return sorted(responses, key=lambda response: lot(study.seed, "item", _name_of(response)))


def items_of(
    study: Study,
    responses: Sequence[Response],
    first: int = 0,
    judged_in: Round | None = None,
) -> list[StudyItem]:
    """The items to store for these responses, in their order, from position `first`."""
    return [
        StudyItem(
            study=study,
            response=response,
            position=place,
            round=judged_in,
            names_its_model=_names_itself(response),
        )
        for place, response in enumerate(responses, first)
    ]


def _instance_name(response: Response) -> str:
    return f"{response.instance.contradiction.external_id}/{response.instance.n}"


def _name_of(response: Response) -> str:
    """A name that is the same in every database with this response, except for the run's number."""
    model = response.model
    parts = (_instance_name(response), response.prompt, model.service, model.model_id)
    return "\x1f".join((*parts, model.options_hash, str(response.sample), str(response.run_id)))


def _names_itself(response: Response) -> bool:
    """Whether the response names its own model (selfnaming.py)."""
    names = selfnaming.names_of((response.model.model_id, response.answered_by))
    said = "\n".join((response.text, response.check_reply or ""))
    found = selfnaming.named_in(said, names, sent=response.all_sent)
    if not found or response.rendered:
        return bool(found)
    # A given text is about what the rest of its record is about. The record is read for the few that name a model.
    record = response.instance.contradiction.fields or {}
    others = "\n".join(str(text) for text in record.values() if text != response.text)
    return bool(selfnaming.named_in(response.text, found, sent=others))


def _responses(study: Study) -> QuerySet[Response]:
    return Response.objects.filter(study_items__study=study).order_by("study_items__position")


def counted(study: Study) -> QuerySet[Response]:
    """Its responses with what check_once compares."""
    return _responses(study).only("run", "model", "instance", "prompt", "sample")


def check_ready(version: Rubric, responses: QuerySet[Response]) -> None:
    """Raise Refusal unless the version has criteria for every prompt, and every response its gold answers."""
    rows = responses.select_related("instance__contradiction")
    rows = rows.defer(*LONG, "instance__contradiction__fields")
    readiness.check(rubric.parse(version.body), list(rows))


def require_draft(study: Study) -> None:
    if study.state != StudyState.DRAFT:
        raise Conflict("This study has been opened: its slots are made.")


@transaction.atomic
def discard(study: Study, *, by: Person) -> None:
    """Remove a study that was never opened, with its warm-up; raises Conflict where it was, or a report was frozen."""
    draft = Study.objects.select_for_update(of=("self",)).filter(pk=study.pk).first()
    if draft is None:
        raise NotFoundHere("This study has been discarded already.")
    require_draft(draft)
    draft.gold_items.all().delete()
    draft.items.all().delete()
    try:
        draft.delete()
    except ProtectedError as error:
        raise Conflict("A report of this study was frozen, so the study is kept.") from error
    record(AuditKind.STUDY, by, f"study {draft.slug}: discarded")


def would_open(study: Study, judges: Sequence[Person]) -> planning.DryRun:
    """What opening the study with these judges would make; refused as opening is. Nothing is stored."""
    _check(study, judges)
    return planning.dry_run(study, planning.by_place(study.judged_items), judges, study.judged_by)


def _check(study: Study, judges: Sequence[Person]) -> None:
    check_ready(study.judged_by, _responses(study))
    check_judges(study, judges)


def check_judges(study: Study, judges: Sequence[Person]) -> None:
    """Raise Refusal for somebody who may not judge in the study."""
    for person in judges:
        if not person.has_role(Role.JUDGE):
            raise Refusal(f"{person} is not a judge. Give them the role, or choose another person.")
    warmup.check_not_seen(study, judges)


@transaction.atomic
def open_study(study: Study, judges: Sequence[Person]) -> None:
    """Fix the responses, give every judge their slots in a blind order; raises Refusal or Conflict.

    A study that nobody judges is closed at once.
    """
    if not study.is_judged:
        _fix(study, judges)
        _check_drawn(study)
        return
    STUDY.require(study, "open", opened_at=Now())
    _check_drawn(study)
    _check(study, judges)
    first = Round.objects.create(study=study, n=1, rubric=study.judged_by)
    study.judged_items.update(round=first)
    seat(first, judges)


def _check_drawn(study: Study) -> None:
    """Collections may have been moved to other versions of their protocol since the study was made."""
    runs = Run.objects.filter(responses__study_items__study=study).distinct()
    study.protocol = Selection(list(runs)).protocol()
    study.save(update_fields=["protocol"])
    check_once(study.declaration, counted(study))


def _fix(study: Study, judges: Sequence[Person]) -> None:
    if judges:
        raise Refusal("Nobody judges in this study. Open it without judges.")
    STUDY.require(study, "fix", opened_at=Now(), closed_at=Now())


def seat(this_round: Round, judges: Sequence[Person]) -> None:
    """Give the judges their slots in a round that has its responses; all other judges are removed."""
    study = this_round.study
    items = planning.by_place(this_round.items.all())
    slots = planning.plan(study, items, judges, this_round.n)
    study.judges.filter(person__isnull=False, removed_at=None).update(removed_at=Now())
    seated: dict[str | None, Judge] = {}
    for person in judges:
        seed = assignment.judge_seed(study.seed, person.pseudonym)
        seated[person.pseudonym], _ = Judge.objects.update_or_create(
            study=study,
            person=person,
            defaults={"removed_at": None},
            create_defaults={"pseudonym": person.pseudonym, "seed": seed},
        )
    draws = _draws(this_round, items)
    rows = [
        JudgingSlot(
            round=this_round,
            item=items[slot.item],
            seat=slot.seat,
            judge=seated.get(slot.judge),
            repeat=slot.repeat,
            order=slot.position,
            draw=slot.position if slot.judge is None else draws[slot.item],
            state=SlotState.WAITING if slot.judge else SlotState.FREE,
        )
        for slot in slots
    ]
    JudgingSlot.objects.bulk_create(rows, batch_size=500)
    learn_sizes_on_commit("judging")


def _draws(this_round: Round, items: dict[str, StudyItem]) -> dict[str, int]:
    """Each response's place in an order that does not show which of them the round added."""
    places = sorted(items, key=int)
    if this_round.n > 1:
        # Places in the study are random for its first round only: what is added later comes last.
        seed = assignment.round_seed(this_round.study.seed, this_round.n)
        places.sort(key=lambda place: lot(seed, "draw", place))
    return {place: drawn for drawn, place in enumerate(places)}


@transaction.atomic
def close_study(study: Study) -> int:
    """End the judging: lock judged slots and withdraw the others; returns how many verdicts were locked."""
    STUDY.require(study, "close", closed_at=Now())
    study.rounds.filter(is_latest=True).update(closed_at=Now())
    locked = close_slots(JudgingSlot.objects.filter(round__study=study), study)
    propose_exclusions(study, study.rubric)
    return locked
