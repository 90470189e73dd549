"""The steps from tags to tables, counted from rows."""

from collections.abc import Iterable

import numpy as np
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Annotation, Assignment, Campaign
from annotation.states import DONE, AnnotationState, AssignmentState
from datasets.models import Contradiction, Instance, SamePassage, Validity
from datasets.records import newest
from evaluation.counts.final_verdicts import kept
from evaluation.counts.first_verdicts import first_judged
from evaluation.counts.judged import Judged
from evaluation.counts.naming import one_passage_prompts
from evaluation.shapes.study_report import NO_CRITERIA, FlowStep, ReportFlow, StepChange
from evaluation.statistics.columns import Column, counted
from generation.models import Response
from generation.states import ResponseState
from judging.settling import incomplete
from protocols.declaration import WIKICONTRADICT
from wikifetch.models import Tag

# Waiting for review, or accepted and not published; a merged one is published as part of another.
IN_REVIEW = (AnnotationState.SUBMITTED, AnnotationState.ACCEPTED, AnnotationState.MERGED)
# What the flow of a declared collection counts.
RECORD = "record"
FROM_FILE = "The questions were imported from a file: what came before it is not known here."
FROM_COLLECTION = "The questions come from no campaign of this installation, so the way begins at their collection."


def step(
    key: str,
    label: str,
    n: int,
    unit: str,
    lost: Iterable[tuple[int, str]] = (),
    gained: Iterable[tuple[int, str]] = (),
) -> FlowStep:
    """`n` of `unit` (in the singular) are left; `lost` and `gained` are (how many, why) since the step before."""
    before, more = _changes(lost), _changes(gained)
    return {"key": key, "label": label, "n": n, "unit": unit, "lost": before, "gained": more}


def _changes(given: Iterable[tuple[int, str]]) -> list[StepChange]:
    return [{"n": n, "reason": reason} for n, reason in given if n]


def study_flow(judged: Judged) -> ReportFlow:
    """Where the study's responses come from and which of them are in its tables; no steps without responses."""
    collections = set(judged.items["collection_id"].values)
    if not collections:
        return {"begins": "", "note": "", "steps": []}
    before = _campaign_steps(collections)
    unit = "contradiction" if judged.study.declaration.name == WIKICONTRADICT else RECORD
    steps = [*before, *_question_steps(collections, unit, bool(before)), *_response_steps(judged)]
    note = ""
    if not before:
        note = FROM_FILE if judged.study.is_imported else FROM_COLLECTION
    return {"begins": "campaign" if before else "collection", "note": note, "steps": steps}


# ---------------------------------------------------------------- tags


def _campaign_steps(collections: set[int]) -> list[FlowStep]:
    """From the tags seen to those with a published annotation; none where no campaign fed the collections."""
    campaigns = list(Campaign.objects.filter(collection__in=collections))
    published = Annotation.objects.filter(contradiction__collection__in=collections)
    if not campaigns or not published.exists():
        return []
    places = Assignment.objects.filter(campaign__in=campaigns).exclude(
        state=AssignmentState.RESERVE
    )
    drawn = Tag.objects.filter(pk__in=places.values("tag"))
    came = drawn.filter(
        pk__in=Annotation.objects.filter(assignment__campaign__in=campaigns, state__in=DONE).values(
            "sighting__tag"
        )
    )
    done = drawn.filter(pk__in=published.values("sighting__tag"))
    waiting = places.filter(state__in=[AssignmentState.FREE, AssignmentState.HELD])
    missing, not_published = drawn.exclude(pk__in=came), came.exclude(pk__in=done)
    in_progress = missing.filter(pk__in=waiting.values("tag")).count()
    reviewed = not_published.filter(
        sightings__annotations__assignment__campaign__in=campaigns,
        sightings__annotations__state__in=IN_REVIEW,
    )
    in_review = reviewed.distinct().count()
    n_drawn, n_came, n_done = drawn.count(), came.count(), came.filter(pk__in=done).count()
    not_annotated = [
        (in_progress, "waiting or in progress"),
        (missing.count() - in_progress, "skipped or withdrawn"),
    ]
    left = [
        (in_review, "waiting for review or publishing"),
        (not_published.count() - in_review, "ambiguous"),
    ]
    return [
        *_frame(campaigns, n_drawn),
        step("annotated", "Annotated", n_came, "tag", not_annotated),
        step("published", "Accepted and published", n_done, "tag", left),
    ]


def _frame(campaigns: list[Campaign], drawn: int) -> list[FlowStep]:
    """The tags known when the campaign was opened, and those it drew."""
    if len(campaigns) > 1:
        return [step("campaign", "In the campaigns", drawn, "tag")]
    (campaign,) = campaigns
    seen = Tag.objects.filter(first_seen_at__lte=campaign.frame_date).count()
    if not drawn <= campaign.frame_size <= seen:  # tags removed since: the frame cannot be counted
        return [step("campaign", "In the campaign", drawn, "tag")]
    lost = [
        (seen - campaign.frame_size, "did not fit the campaign's query"),
        (campaign.frame_size - drawn, "fitted and were not drawn"),
    ]
    return [
        step("seen", "Tags seen", seen, "tag"),
        step("campaign", "In the campaign", drawn, "tag", lost),
    ]


# ---------------------------------------------------------------- questions


def _question_steps(collections: set[int], unit: str, after_campaign: bool) -> list[FlowStep]:
    current = Contradiction.objects.filter(newest(), collection__in=collections)
    n = current.count()
    elsewhere = n - _from_annotations(current) if after_campaign else 0
    gained = [(elsewhere, "imported or entered otherwise")]
    first = step("contradictions", "In the collection", n, unit, gained=gained)
    if unit == RECORD:  # has one question, and no form that can call it invalid
        return [first]
    valid = current.filter(validity=Validity.VALID)
    questions = Instance.objects.filter(contradiction__in=valid)
    n_valid = valid.count()
    lost = [(valid.filter(instances=None).count(), f"{unit}s without a question")]
    return [
        first,
        step("valid", "Valid", n_valid, unit, [(n - n_valid, "invalid")]),
        step("questions", "Questions", questions.count(), "question", lost),
    ]


def _from_annotations(current: QuerySet[Contradiction]) -> int:
    """How many of them were published here, in this version or an earlier one; an edit keeps the position."""
    published = Annotation.objects.filter(contradiction__isnull=False).values("contradiction")
    made_here = set(
        Contradiction.objects.filter(
            pk__in=published, collection__in=current.order_by().values("collection")
        ).values_list("collection_id", "position")
    )
    return sum(place in made_here for place in current.values_list("collection_id", "position"))


# ---------------------------------------------------------------- responses


def _response_steps(judged: Judged) -> list[FlowStep]:
    # The keys themselves, which are few: of a subquery PostgreSQL expects many, and reads whole tables.
    responses = Response.objects.filter(run__in=judged.items["run"].values).order_by()
    collections = responses.values_list("instance__contradiction__collection", flat=True).distinct()
    of_collections = Instance.objects.filter(contradiction__collection__in=list(collections))
    asked = Count("instance", distinct=True)
    now = Count("instance", filter=_current_and_valid("instance__"), distinct=True)
    n_asked, n_now = responses.aggregate(asked=asked, now=now).values()
    valid_now = of_collections.filter(_current_and_valid()).count()
    lost = [(valid_now - n_now, "not chosen for the run")]
    gained = [(n_asked - n_now, "asked in an earlier version")]
    total, items = responses.count(), len(judged.items["item"].at)
    done = responses.filter(state=ResponseState.DONE).count()
    chosen = int(judged.items["response_state"].among({ResponseState.DONE}).sum())
    not_in_study = [
        (total - done - (items - chosen), "not finished"),
        (done - chosen, _not_chosen(judged.study.only_label)),
    ]
    return [
        step("asked", "Asked of models", n_asked, "question", lost, gained),
        step("responses", "Responses", total, "response"),
        step("study", "In the study", items, "response", not_in_study),
        *(_judged_steps(judged, items) if judged.study.is_judged else ()),
    ]


def _not_chosen(label: str) -> str:
    only = f", which has only those with {label.replace('=', ' ')}" if label else ""
    return f"not chosen for the study{only}"


def _current_and_valid(path: str = "") -> Q:
    """Rows whose question is of the newest version of a valid contradiction."""
    to = f"{path}contradiction__"
    return newest(to) & Q(**{f"{to}validity": Validity.VALID})


def _judged_steps(judged: Judged, items: int) -> list[FlowStep]:
    """From the study's responses to those in its tables of final verdicts."""
    study, columns = judged.study, judged.items
    final = ~columns["final_verdict"].among({None})
    n_final = int(final.sum())
    steps, short = [], 0
    if not study.is_imported:
        with_first = np.unique(judged.first.at)
        asked = int(judged.asked.sum())
        lost = [
            (items - asked, NO_CRITERIA),
            (asked - len(with_first), "without a verdict that was handed in"),
        ]
        steps.append(step("judged", "Judged", len(with_first), "response", lost))
        items = len(with_first)
        if not final[with_first].all():
            first = Exists(first_judged(study).filter(item=OuterRef("pk")))
            short = incomplete(study).filter(first).count()
    why = "without a verdict in the file" if study.is_imported else "without a final verdict"
    not_final = [(short, "judged by fewer than asked"), (items - n_final - short, why)]
    counts = kept(columns)
    excluded = columns["why_excluded"][final & ~counts]
    same = columns["same_passage"].among({SamePassage.SAME})
    one_passage = columns["prompt"].among(one_passage_prompts(columns["prompt"].values))
    left_out = int((final & counts & same & one_passage).sum())
    lost = [*_exclusions(excluded), (left_out, "to prompts that give one of two equal passages")]
    in_tables = n_final - len(excluded.at) - left_out
    return [
        *steps,
        step("final", "With a final verdict", n_final, "response", not_final),
        step("tables", "In the tables", in_tables, "response", lost),
    ]


def _exclusions(reasons: Column) -> list[tuple[int, str]]:
    """Responses to excluded questions by the reason that was given, the commonest first."""
    in_order = sorted(counted(reasons), key=lambda group: (-group[1], group[0]))
    return [(count, f"excluded with their question: {why.strip()[:80]}") for why, count in in_order]
