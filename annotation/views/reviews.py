"""A reviewer's pages: the list of tags, and one tag with all its annotations."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from annotation.blinding.gate import check_annotations, show_annotations
from annotation.blinding.hiding import hidden_from
from annotation.fields.entries import FIELDS
from annotation.fields.form_input import number_in, plain
from annotation.models import Annotation, Campaign, TagReview
from annotation.monitoring.assignment_list import begun_campaigns
from annotation.reviewing import deciding
from annotation.reviewing.combining import Merge, about
from annotation.reviewing.deciding import ReviewInput, ReviewNotes
from annotation.reviewing.merging import FieldSources
from annotation.reviewing.ready_tags import ready_tags
from annotation.reviewing.review_page import ReviewPage
from annotation.reviewing.tags_in_round import (
    InRound,
    decided,
    tag_in_round,
    to_review,
    waiting_for,
)
from annotation.workflow import undoing
from leases.refusal import NotFoundHere, Refusal
from pages.paging import page_of

ANSWERS = {"yes": True, "no": False}
UNKNOWN = -1  # no annotation's key: a letter that is not to be decided any more


@require_GET
@roles_required(Role.ADMIN)
def reviews(request: HttpRequest) -> HttpResponse:
    """Tags to review, ready ones first, or those that are decided; of one campaign if it is named."""
    person = person_of(request)
    wanted = number_in(request.GET.get("campaign", ""))
    campaign = Campaign.objects.filter(pk=wanted).first() if wanted else None
    shows_decided = request.GET.get("show") == "decided"
    lists: dict[str, QuerySet[Any]] = {
        "waiting": to_review(campaign),
        "decided": decided(campaign),
    }
    theirs = {
        name: hidden_from(person, Annotation.objects.filter(sighting__tag__in=rows.values("tag")))
        for name, rows in lists.items()
    }
    listed = "decided" if shows_decided else "waiting"
    if request.GET.get("hidden") == "show":
        check_annotations(person, theirs[listed])
    hidden = {name: rows.order_by().values("sighting__tag") for name, rows in theirs.items()}
    shown = {name: rows.exclude(tag__in=hidden[name]) for name, rows in lists.items()}
    page = page_of(request, shown[listed])
    context = {
        "page": page,
        "tags": [] if shows_decided else ready_tags(page.object_list, person),
        "shows_decided": shows_decided,
        "campaign": campaign,
        "campaigns": begun_campaigns(),
        "counts": {name: rows.count() for name, rows in shown.items()},
        "hidden": hidden[listed].distinct().count(),
    }
    return render(request, "annotation/reviews.html", context)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def review(request: HttpRequest, campaign_id: int, round: int, tag_id: int) -> HttpResponse:
    at = InRound(campaign_id, round, tag_id)
    tag = tag_in_round(at)
    show_annotations(person_of(request), at.annotations, request.path)
    if request.method == "GET":
        return opened(request, at)
    try:
        done = decide(request.POST, at, person_of(request))
    except Refusal as refusal:
        if isinstance(refusal, NotFoundHere):
            raise
        return opened(request, at, refusal)
    following = waiting_for(person_of(request)).first()
    # Both may be of one article, whose title heads the page.
    then = " This is the next tag to review." if following else ""
    messages.success(request, f"{done}: {tag.tag}.{then}")
    if following is None:
        return redirect("annotation:reviews")
    keys = (following["campaign"], following["round"], following["tag"])
    return redirect("annotation:review", *keys)


def opened(request: HttpRequest, at: InRound, refusal: Refusal | None = None) -> HttpResponse:
    """The page; what it shows can be taken back no more. What comes in while it is made is not on it."""
    undoing.opened(at.submitted)
    return shown(request, at, refusal)


@require_POST
@roles_required(Role.ADMIN)
def take_back(request: HttpRequest, review_id: int) -> HttpResponse:
    kept = deciding.take_back(review_id, by=person_of(request))
    messages.success(request, "The decision is taken back. The annotations wait for review again.")
    return redirect("annotation:review", kept.campaign_id, kept.round, kept.tag_id)


def decide(posted: QueryDict, at: InRound, by: Person) -> str:
    """Carry out the decision that the form asks for; what it was, in words."""
    letters = at.letters
    keys = {letters[row.assignment_id]: row.pk for row in at.submitted if row.assignment_id}
    read, verb = read_from(posted, keys), posted.get("decision", "")
    is_same = ANSWERS.get(posted.get("same", ""))
    chosen = [keys.get(letter, UNKNOWN) for letter in posted.getlist("chosen")]
    alone = list(read.versions) if len(read.versions) == 1 else []
    if not verb:
        raise Refusal("Nothing is decided yet. Press one of the buttons under Decision.")
    if verb == "send_back":
        sent = deciding.send_back(at, chosen or alone, by=by, read=read)
        which = ", ".join(letters[row.assignment_id] for row in sent if row.assignment_id)
        return "Sent back" if len(keys) == 1 else f"Sent back {which}"
    if verb == "drop":
        kept = deciding.drop(at, by=by, read=read, is_same=is_same)
    elif verb == "two":
        require_no(is_same)
        kept = deciding.accept_two(at, chosen or list(read.versions), by=by, read=read)
    elif verb in ("accept", "merge"):
        one = only(chosen or alone)
        if verb == "accept":
            kept = deciding.accept(at, one, by=by, read=read, is_same=is_same)
        else:
            require_yes(is_same)
            kept = deciding.merge(at, merge_from(posted, one, keys), by=by, read=read)
    else:
        raise NotFoundHere("There is no such decision.")
    return TagReview.Decision(kept.decision).label


def only(chosen: list[int]) -> int:
    if len(chosen) != 1:
        raise about(
            "chosen",
            "Choose one annotation: the one to accept, or the one that a merge begins with.",
        )
    return chosen[0]


def require_yes(is_same: bool | None) -> None:
    if not is_same:
        raise about(
            "same",
            "A merge is of annotations that describe the same contradiction. Answer that question with yes.",
        )


def require_no(is_same: bool | None) -> None:
    if is_same is not False:
        raise about(
            "same",
            "Two contradictions were found only if the annotations do not describe the same one. Answer that question "
            "with no.",
        )


def read_from(posted: QueryDict, keys: Mapping[str, int]) -> ReviewInput:
    """Versions, notes and reason of the form: version-A, note-A, note-A-FIELD, reason, withdraw.

    `keys`: letter -> annotation.
    """
    versions: dict[int, int] = {}
    whole: dict[int, str] = {}
    by_field: dict[int, dict[str, str]] = {}
    for name, value in posted.items():
        kind, _, rest = name.partition("-")
        letter, _, field = rest.partition("-")
        annotation = keys.get(letter, UNKNOWN)
        if kind == "version":
            version = number_in(str(value))
            versions[annotation] = -1 if version is None else version
        elif kind == "note" and field:
            by_field.setdefault(annotation, {})[plain(field)] = str(value)
        elif kind == "note":
            whole[annotation] = str(value)
    notes = {
        key: ReviewNotes(whole.get(key, ""), by_field.get(key, {})) for key in {*whole, *by_field}
    }
    return ReviewInput(versions, posted.get("reason", ""), notes, withdraw="withdraw" in posted)


def merge_from(posted: QueryDict, base: int, keys: Mapping[str, int]) -> Merge:
    """take-FIELD names the annotation of a field, question-INDEX the wording; the rest is taken from `base`."""
    fields = {
        name: keys.get(letter, UNKNOWN)
        for name in FIELDS
        if (letter := posted.get(f"take-{name}", ""))
    }
    questions: Mapping[int, list[str]] = {
        index: [wording_of(value, keys) for value in posted.getlist(name)]
        for name in posted
        if (index := number_in(name.removeprefix("question-"))) is not None
    }
    return Merge(FieldSources(base, fields), questions, frozenset(posted.getlist("checked")))


def wording_of(value: str, keys: Mapping[str, int]) -> str:
    """A wording's key as joining.py has it: the page says A-1 for the first question of A."""
    letter, dash, n = value.partition("-")
    return f"{keys.get(letter, UNKNOWN)}-{n}" if dash else value


def shown(request: HttpRequest, at: InRound, refusal: Refusal | None = None) -> HttpResponse:
    desk = ReviewPage(tag_in_round(at), person_of(request), request.POST, refusal)
    context: dict[str, Any] = desk.context(request.GET.get("other", ""))
    status = refusal.status if refusal else 200
    return render(request, "annotation/review.html", context, status=status)
