"""What open studies hide from those who judge or resolve in them: runs, responses, results, reports.

Rooms above ask here; rooms below ask through extension points (apps.py).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.functional import SimpleLazyObject

from accounts.models import Person
from accounts.roles import Role
from datasets.blinding import check_shown, keep_listed, keep_shown
from datasets.models import Collection as CollectionRow
from datasets.models import Contradiction
from generation.models import Response, Run
from judging.models import Judge, JudgingSlot, Resolution, Study, StudyItem
from judging.rules.blindness import hides_study
from judging.states import StudyState
from leases.refusal import NotAllowed, Refusal

# Who may read a study's results or the verdicts that its judges disagree on.
READERS = (Role.ADMIN, Role.RESEARCHER, Role.ADJUDICATOR)
HIDDEN = (
    "You judge or resolve responses of this run in a study that is still open, so its run, responses and results stay "
    "hidden from you until the study is closed."
)
HIDDEN_RECORD = (
    "You judge or resolve texts of this record, or of one in this list, in a study that is still open, so it stays "
    "hidden from you until the study is closed: it shows which text is which."
)


def open_studies_judged_by(person: Person) -> list[int]:
    """The ids of the open studies in which `person` judges: mostly none. The query reads no items.

    Also without a slot: a judge may draw one at any time.
    """
    judges = Judge.objects.filter(person=person, study__state=StudyState.OPEN)
    return list(judges.values_list("study_id", flat=True))


def open_studies_hidden_from(person: Person) -> list[int]:
    """The ids of the open studies that are hidden from `person`, who judges or may resolve in them."""
    judged = set(open_studies_judged_by(person))
    is_admin = person.has_role(Role.ADMIN)
    resolves = person.has_role(Role.ADJUDICATOR)
    if not hides_study(is_open=True, judges=False, resolves=resolves, is_admin=is_admin):
        return sorted(judged)
    return list(Study.objects.filter(state=StudyState.OPEN).values_list("pk", flat=True))


def judged_runs(person: Person, runs: Sequence[Run]) -> set[int]:
    """Those of the runs whose responses are in an open study that is hidden from `person`."""
    return runs_of(open_studies_hidden_from(person)) & {run.pk for run in runs}


def hidden_run_ids(person: Person) -> set[int]:
    """The runs whose pages and responses `person` may not see now."""
    return runs_of(open_studies_hidden_from(person))


def judged_run_ids(person: Person) -> set[int]:
    """The runs of which `person` judges responses in an open study."""
    return runs_of(open_studies_judged_by(person))


def sharing_with_open(person: Person, studies: QuerySet[Study]) -> set[int]:
    """Those of the studies with a run that is hidden from the person as a judge of another study that is open."""
    asked = set(studies.values_list("pk", flat=True))
    judged = open_studies_judged_by(person) if asked else []
    items = StudyItem.objects.filter(study__in=asked).order_by()
    return {
        study
        for open_one in judged
        for study in items.filter(response__run__in=runs_of([open_one]))
        .exclude(study=open_one)
        .values_list("study_id", flat=True)
        .distinct()
    }


def runs_of(studies: Sequence[int]) -> set[int]:
    """The runs with a text that these studies judge, also where they judge it from another run."""
    if not studies:
        return set()
    same = same_texts(Response.objects.filter(study_items__study__in=studies))
    return set(same.values_list(f"{TWIN}run", flat=True).distinct())


# From a response to those of its question's record, in all versions of it, and of other records of the collection.
COLLECTION = "instance__contradiction__collection__contradictions__"
TWIN = f"{COLLECTION}instances__responses__"


def same_texts(responses: QuerySet[Response], **of_twin: object) -> QuerySet[Response]:
    """Each of the responses with each that has the same text, itself too; the lookups of `of_twin` are of the latter.

    The same are texts for one record, in any version of it, to one prompt, with one hash. TWIN leads to the second.
    """
    return responses.order_by().filter(
        **{
            f"{COLLECTION}position": F("instance__contradiction__position"),
            f"{TWIN}prompt": F("prompt"),
            f"{TWIN}text_sha256": F("text_sha256"),
            **{f"{TWIN}{lookup}": value for lookup, value in of_twin.items()},
        }
    )


def hidden_question_ids(person: Person) -> set[int]:
    """The questions whose responses the person judges in open studies: their exclusions are hidden from them.

    A study counts from its opening on, also where the person has no slot.
    """
    studies = Study.objects.filter(state=StudyState.OPEN, judges__person=person)
    items = StudyItem.objects.filter(study__in=list(studies.values_list("pk", flat=True)))
    return set(items.order_by().values_list("response__instance_id", flat=True).distinct())


def results_problem(person: Person, study: Study) -> str | None:
    """Why `person` may not see this study's responses, verdicts or numbers now; None when they may.

    Hidden, too, is a study that shares a run with an open one that is hidden from them.
    """
    return HIDDEN if hidden_results(person, [study]) else None


def hidden_results(person: Person, studies: Sequence[Study]) -> set[int]:
    """The studies whose results are hidden from `person`, as results_problem says."""
    hidden = open_studies_hidden_from(person)
    own = {study.pk for study in studies} & set(hidden)
    runs = runs_of(hidden)
    if not runs:
        return own
    shared = StudyItem.objects.filter(study__in=[study.pk for study in studies])
    shared = shared.filter(response__run__in=runs).order_by()
    return own | set(shared.values_list("study_id", flat=True).distinct())


def read_elsewhere(
    people: Iterable[Person], study: Study, responses: Collection[Response]
) -> dict[Person, list[tuple[Study, int]]]:
    """By person: the other studies in which their role lets them read verdicts on these responses, and on how many."""
    readers = [person for person in people if person.has_role(*READERS)]
    found = _judged_elsewhere(study, responses) if readers else {}
    hidden = {person: hidden_results(person, list(found)) for person in readers}
    read = {
        person: [(study, n) for study, n in found.items() if study.pk not in hidden[person]]
        for person in readers
    }
    return {person: studies for person, studies in read.items() if studies}


def _judged_elsewhere(study: Study, responses: Collection[Response]) -> dict[Study, int]:
    """On how many of the responses other studies have verdicts."""
    texts = {_text_of(response) for response in responses}
    given = JudgingSlot.objects.filter(item=OuterRef("pk"), judgment__isnull=False)
    judged = Q(Exists(given)) | Q(Exists(Resolution.objects.filter(item=OuterRef("pk"))))
    of = "response__instance__contradiction__"
    rows = StudyItem.objects.filter(judged, **{f"{of}collection__in": {key[0] for key in texts}})
    columns = (f"{of}collection", f"{of}position", "response__prompt", "response__text_sha256")
    pairs = rows.exclude(study=study).order_by().values_list("study", *columns)
    counts = Counter(other for other, *key in pairs if tuple(key) in texts)
    return {study: counts[study.pk] for study in Study.objects.filter(pk__in=counts).order_by("pk")}


def _text_of(response: Response) -> tuple[object, ...]:
    """What same_texts knows it by. They are compared in memory, as no statement could name them all."""
    record = response.instance.contradiction
    return record.collection_id, record.position, response.prompt, response.text_sha256


def require_results(person: Person, study: Study) -> None:
    """Raise NotAllowed with the reason while the study's results are hidden from `person`; asks as require_records."""
    if problem := results_problem(person, study):
        raise NotAllowed(problem)
    require_records(person, study)


def require_records(person: Person, study: Study, own: str = "") -> None:
    """Ask first where the study's questions are of records that are hidden from `person` (datasets/blinding.py).

    `own` is judging where the page shows a judge or a third person what presenting.py allows.
    """
    # They are read only if the person may still annotate, or judges texts of records.
    records: Any = SimpleLazyObject(lambda: _records_of(study))
    check_shown(person, records, own)


def hides_records(person: Person, path: str) -> Q | None:
    """For datasets.blinding: the records of which the person judges, or may resolve, responses in an open study.

    Records of a declared protocol alone: they show which of their texts is which. Later versions are hidden too.
    """
    studies = open_studies_hidden_from(person)
    if not studies:
        return None
    items = StudyItem.objects.filter(study__in=studies)
    here = items.filter(response__run__collection=OuterRef("pk"))
    hidden = Q()
    for collection in CollectionRow.objects.filter(Exists(here)).exclude(protocol=None):
        # Not by rows: the places are read once, and not once for each record of a list.
        judged = items.filter(response__run__collection=collection)
        places = judged.values("response__instance__contradiction__position")
        hidden |= Q(**{f"{path}collection": collection, f"{path}position__in": places})
    return hidden or None


def records_problem(person: Person, rows: QuerySet[Contradiction]) -> Refusal | None:
    """For datasets.blinding."""
    hidden = hides_records(person, "")
    return NotAllowed(HIDDEN_RECORD) if hidden and rows.filter(hidden).exists() else None


def keep_records(person: Person, items: QuerySet[StudyItem], opened: str) -> None:
    """Record that the person is shown the items' questions, with what was entered for them."""
    rows = Contradiction.objects.filter(instances__responses__study_items__in=items.order_by())
    keep_shown(person, rows, opened)


def keep_items(person: Person, items: Iterable[StudyItem], opened: str) -> None:
    """The same for items that were read with their questions."""
    keep_listed(person, (item.response.instance.contradiction_id for item in items), opened)


def _records_of(study: Study) -> QuerySet[Contradiction]:
    return Contradiction.objects.filter(instances__responses__study_items__study=study)
