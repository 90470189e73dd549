"""Studies for programs: for a judge what the page Judge shows, for researchers and admins what theirs do."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.roles import Role
from accounts.throttles import counted
from accounts.tokens.scopes import Scope
from judging import blinding, listed_studies, progress, queues
from judging.files import exporting
from judging.listed_studies import JudgedStudy, ListedStudy
from judging.models import Study
from judging.progress import SlotCounts
from judging.states import StudyState
from judging.views.studies import study_file
from judging.views.study_page import RoundRow, rounds_of
from leases.rows import first_of
from pages.rest.lists import rows_page
from pages.rest.operations import operation
from pages.rest.parameters import choice

READERS = (Role.ADMIN, Role.RESEARCHER)
NONE = "There is no such study."
MEDIA = tuple(dict.fromkeys(kind.content_type for kind in exporting.FORMATS.values()))


class SlotCountsOut(serializers.Serializer[SlotCounts]):
    """Of verdicts. `waiting` have neither a verdict nor a reason for skipping."""

    judged = serializers.IntegerField()
    skipped = serializers.IntegerField()
    waiting = serializers.IntegerField()
    total = serializers.IntegerField()


class JudgedStudyOut(serializers.Serializer[JudgedStudy]):
    """`judged`: "response" or "text". `free` of them can still be drawn, `discussed` wait for the judge's word."""

    id = serializers.IntegerField(source="study.pk")
    name = serializers.CharField(source="study.name")
    state = serializers.ChoiceField(StudyState.choices, source="study.state")
    is_demonstration = serializers.BooleanField(source="study.is_demonstration")
    judged = serializers.CharField()
    progress = SlotCountsOut()
    handed_in = serializers.BooleanField(source="progress.handed_in")
    free = serializers.IntegerField()
    discussed = serializers.IntegerField()


class ListedStudyOut(serializers.Serializer[ListedStudy]):
    """`progress` is null while who judges is hidden from the reader."""

    id = serializers.IntegerField(source="study.pk")
    name = serializers.CharField(source="study.name")
    slug = serializers.CharField(source="study.slug")
    state = serializers.ChoiceField(StudyState.choices, source="study.state")
    is_demonstration = serializers.BooleanField(source="study.is_demonstration")
    is_imported = serializers.BooleanField(source="study.is_imported")
    judges_per_response = serializers.IntegerField(source="study.judges_per_response")
    responses = serializers.IntegerField()
    progress = SlotCountsOut(allow_null=True)
    created_at = serializers.DateTimeField(source="study.created_at")


class JudgeOut(serializers.Serializer[Any]):
    pseudonym = serializers.CharField()
    progress = SlotCountsOut()


class RoundOut(serializers.Serializer[RoundRow]):
    """`responses` are those that it judges, `final` the final verdicts that are its own."""

    n = serializers.IntegerField(source="round.n")
    rubric = serializers.CharField(source="round.rubric")
    reason = serializers.CharField(source="round.reason")
    opened_at = serializers.DateTimeField(source="round.opened_at")
    closed_at = serializers.DateTimeField(source="round.closed_at", allow_null=True)
    progress = SlotCountsOut(source="counts")
    responses = serializers.IntegerField()
    final = serializers.IntegerField()


class FinalOut(serializers.Serializer[Any]):
    """How many responses have a final verdict, and what the others wait for."""

    total = serializers.IntegerField()
    settled = serializers.IntegerField()
    unresolved = serializers.IntegerField()
    discussed = serializers.IntegerField()
    waiting = serializers.IntegerField()


class StudyOut(ListedStudyOut):
    """`judges` is null while who judges is hidden from the reader, `final` and `rounds` while results are; `hidden`
    says why. They are null too in a draft, and where nobody judges.
    """

    rubric = serializers.CharField(allow_null=True, source="study.rubric")
    resolved_by = serializers.CharField(source="study.resolved_by")
    pairing = serializers.CharField(source="study.pairing")
    order = serializers.CharField(source="study.order")
    seed = serializers.IntegerField(source="study.seed")
    hidden = serializers.CharField(allow_blank=True)
    judges = JudgeOut(many=True, allow_null=True)
    final = FinalOut(allow_null=True)
    rounds = RoundOut(many=True, allow_null=True)


# A row of a page whose studies were read at once.
class JudgedStudyRow(JudgedStudyOut):
    def to_representation(self, study: Any) -> Any:
        return super().to_representation(self.context[study.pk])


class ListedStudyRow(ListedStudyOut):
    def to_representation(self, study: Any) -> Any:
        return super().to_representation(self.context[study.pk])


def _by_key(listed: Iterable[JudgedStudy | ListedStudy]) -> dict[Any, Any]:
    return {row.study.pk: row for row in listed}


@operation("GET", scope=Scope.JUDGE, roles=(Role.JUDGE,), answers=JudgedStudyRow, listed=True)
def studies_mine(request: Request) -> Response:
    """The studies that the person judges, newest first, as the page Judge shows them."""
    person = person_of(request)
    return rows_page(
        request,
        queues.studies_of(person),
        JudgedStudyRow,
        order=("-pk",),
        context=lambda page: _by_key(listed_studies.of_judge(person, page)),
    )


@operation("GET", scope=Scope.JUDGE, roles=(Role.JUDGE,), answers=JudgedStudyOut, refusals=(409,))
def studies_mine_read(request: Request, study_id: int) -> JudgedStudy:
    """A study that the person judges."""
    person = person_of(request)
    [shown] = listed_studies.of_judge(person, [queues.study_of(person, study_id)])
    return shown


@operation(
    "GET",
    scope=Scope.READ,
    roles=READERS,
    answers=ListedStudyRow,
    listed=True,
    parameters=(choice("state", StudyState, "state"),),
)
def studies_list(request: Request) -> Response:
    """All studies, newest first."""
    person = person_of(request)
    return rows_page(
        request,
        Study.objects.all(),
        ListedStudyRow,
        order=("-pk",),
        context=lambda page: _by_key(listed_studies.of_reader(person, page)),
    )


@operation("GET", scope=Scope.READ, roles=READERS, answers=StudyOut, refusals=(409,))
def studies_read(request: Request, study_id: int) -> dict[str, Any]:
    """A study with its judges, final verdicts and rounds, as its page shows them."""
    person = person_of(request)
    study = first_of(Study.objects.filter(pk=study_id).select_related("rubric"), NONE)
    [shown] = listed_studies.of_reader(person, [study])
    hidden = blinding.results_problem(person, study)
    if hidden is None:
        blinding.require_records(person, study)
    is_begun = study.is_judged and study.state != StudyState.DRAFT
    has_judges = is_begun and not study.is_imported and shown.progress is not None
    has_results = is_begun and hidden is None
    return {
        **vars(shown),
        "hidden": hidden or "",
        "judges": _judges(study) if has_judges else None,
        "final": progress.responses_settled(study) if has_results else None,
        "rounds": rounds_of(study) if has_results else None,
    }


def _judges(study: Study) -> list[dict[str, Any]]:
    rows = progress.by_judge(study)
    return [{"pseudonym": judge.pseudonym, "progress": counts} for judge, counts in rows]


@operation("GET", scope=Scope.EXPORT, roles=READERS, media=MEDIA, refusals=(409,))
@counted("downloads")
def studies_export(request: Request, study_id: int, form: str) -> HttpResponseBase:
    """The study with its responses and verdicts: `json`, `csv`, `published` where it came from such a file, or `human`:
    the verdicts of people, once it is closed.
    """
    study = first_of(Study.objects.filter(pk=study_id).select_related("rubric"), NONE)
    return study_file(request, study, form)
