"""Making a study, opening it to its judges, closing it."""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.text import slugify

from accounts.models import Person
from accounts.roles import Role
from generation.models import LanguageModel, Response, Run
from generation.states import ResponseState
from judging.models import Judge, JudgingSlot, Round, Rubric, Study, StudyItem
from judging.presenting import gold_shown
from judging.rules import assignment, rubric, selfnaming
from judging.rules.assignment import lot
from judging.rules.resolution import way_problem
from judging.settling import close_slots
from judging.states import STUDY, SlotState
from leases.refusal import Conflict, NotFoundHere, Refusal


@dataclass(frozen=True)
class Selection:
    """Which responses a study draws: those of the runs to these prompts and by these models; empty means all."""

    runs: Collection[Run]
    prompts: Collection[str] = ()
    models: Collection[LanguageModel] = ()

    def responses(self) -> QuerySet[Response]:
        chosen = Response.objects.filter(run__in=self.runs)
        if self.prompts:
            chosen = chosen.filter(prompt__in=self.prompts)
        return chosen.filter(model__in=self.models) if self.models else chosen

    def done(self) -> QuerySet[Response]:
        return self.responses().filter(state=ResponseState.DONE)

    def left_out(self) -> int:
        """How many selected responses have no text yet, and are left out."""
        return self.responses().exclude(state=ResponseState.DONE).count()


@dataclass(frozen=True)
class Design:
    """How a study judges. `seed` None draws one."""

    judges_per_response: int = 2
    resolved_by: str = Study.ResolvedBy.THIRD_PERSON
    order: str = Study.Order.GROUPED
    repeat_percent: int = 0
    seed: int | None = None
    rubric: str = "wikicontradict"


def new_seed() -> int:
    return secrets.randbelow(2**31)


def create(name: str, selection: Selection, design: Design, *, by: Person) -> Study:
    """A study in draft over the finished responses of a selection; raises Refusal with what to fix."""
    responses = list(selection.done().select_related("instance__contradiction", "model"))
    if not responses:
        raise Refusal(
            "No finished response matches. Choose runs with finished responses, or other prompts and models."
        )
    if problem := way_problem(design.resolved_by, design.judges_per_response):
        raise Refusal(problem)
    if problem := assignment.repeats_problem(design.repeat_percent):
        raise Refusal(problem)
    seed = new_seed() if design.seed is None else design.seed
    try:
        with transaction.atomic():
            study = Study.objects.create(
                name=name,
                slug=free_slug(name),
                **{**asdict(design), "rubric": current_rubric(design.rubric), "seed": seed},
                is_demonstration=all(run.is_demonstration for run in selection.runs),
                created_by=by,
            )
            _add_items(study, responses)
            check_ready(study)
    except IntegrityError as error:
        raise Conflict(f"There is a study named {name!r} already. Choose another name.") from error
    return study


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


def current_rubric(name: str) -> Rubric:
    """The stored version of a rubric of this project; a new version is stored when its text has changed."""
    try:
        body = rubric.content(name)
        rubric.parse(body)
    except rubric.RubricError as error:
        raise Refusal(str(error)) from error
    sha256 = rubric.digest(body)
    versions = Rubric.objects.filter(name=name)
    if same := versions.filter(sha256=sha256).first():
        return same
    newest = versions.order_by("-version").first()
    return Rubric.objects.create(
        name=name, version=newest.version + 1 if newest else 1, body=body, sha256=sha256
    )


def _add_items(study: Study, responses: Sequence[Response]) -> None:
    # Shuffled, so that neither position nor row id shows which model wrote a response.
    shuffled = sorted(responses, key=lambda response: lot(study.seed, "item", _name_of(response)))
    StudyItem.objects.bulk_create(items_of(study, shuffled))


def items_of(study: Study, responses: Sequence[Response], first: int = 0) -> list[StudyItem]:
    """The items to store for these responses, in their order, from position `first`."""
    return [
        StudyItem(
            study=study, response=response, position=place, names_its_model=_names_itself(response)
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
    ids = (response.model.model_id, response.answered_by)
    return bool(
        selfnaming.named_in(response.text, selfnaming.names_of(ids), sent=response.rendered)
    )


def check_ready(study: Study) -> None:
    """Raise Refusal unless every prompt has criteria and every response its gold answers."""
    known = rubric.parse(study.rubric.body)
    items = study.items.select_related("response__instance__contradiction")
    prompts = set(items.values_list("response__prompt", flat=True))
    problems = rubric.gaps(known, prompts)
    for item in () if problems else items:
        instance = item.response.instance
        try:
            gold_shown(item.response, known.prompts[item.response.prompt])
        except rubric.RubricError as error:
            problems.append(
                f"{instance.contradiction.title}, question {instance.n} (prompt {item.response.prompt}): {error}"
            )
    if problems:
        more = f" And {len(problems) - 5} more." if len(problems) > 5 else ""
        raise Refusal("Gold answers or criteria are missing. " + " ".join(problems[:5]) + more)


@transaction.atomic
def open_study(study: Study, judges: Sequence[Person]) -> Round:
    """Fix the responses, give every judge their slots in a blind order; raises Refusal or Conflict."""
    STUDY.require(study, "open", opened_at=Now())
    check_ready(study)
    for person in judges:
        if not person.has_role(Role.JUDGE):
            raise Refusal(f"{person} is not a judge. Give them the role, or choose another person.")
    slots = _planned(study, judges)
    this_round = Round.objects.create(study=study, n=1)
    seated = {
        person.pseudonym: Judge.objects.create(
            study=study,
            person=person,
            pseudonym=person.pseudonym,
            seed=assignment.judge_seed(study.seed, person.pseudonym),
        )
        for person in judges
    }
    items = {str(item.position): item for item in study.items.all()}
    seats: dict[str, list[str]] = {}
    rows = []
    for slot in slots:
        seated_here = seats.setdefault(slot.item, [])
        if slot.repeat == 1:
            seated_here.append(slot.judge)
        rows.append(
            JudgingSlot(
                round=this_round,
                item=items[slot.item],
                seat=seated_here.index(slot.judge) + 1,
                judge=seated[slot.judge],
                repeat=slot.repeat,
                order=slot.position,
                state=SlotState.WAITING,
            )
        )
    JudgingSlot.objects.bulk_create(rows, batch_size=500)
    return this_round


def _planned(study: Study, judges: Sequence[Person]) -> list[assignment.PlannedSlot]:
    items = [
        assignment.Item(str(item.position), _instance_name(item.response))
        for item in study.items.select_related("response__instance__contradiction")
    ]
    return assignment.plan(
        items,
        [person.pseudonym for person in judges],
        per_item=study.judges_per_response,
        seed=study.seed,
        order=study.order,
        repeat_percent=study.repeat_percent,
    )


@transaction.atomic
def close_study(study: Study) -> int:
    """End the judging: lock judged slots and withdraw the others; returns how many verdicts were locked."""
    STUDY.require(study, "close", closed_at=Now())
    return close_slots(JudgingSlot.objects.filter(round__study=study), study)


def composition(study: Study) -> dict[str, Any]:
    """What the study judges: {"prompts": [criteria …], "models": [...], "instances": n}."""
    items = study.items.all()
    known = rubric.parse(study.rubric.body)
    prompts = set(items.values_list("response__prompt", flat=True))
    models = LanguageModel.objects.filter(responses__study_items__study=study).distinct()
    return {
        "prompts": [criteria for name, criteria in known.prompts.items() if name in prompts],
        "models": list(models),
        "instances": items.values("response__instance").distinct().count(),
    }
