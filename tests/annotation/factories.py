"""Rows for the annotation room's tests."""

import copy
import json
from datetime import UTC, datetime
from pathlib import Path

from django.db.models import F

from accounts.roles import Role
from annotation.campaigns import opening
from annotation.campaigns.opening import CampaignDesign, Frame, Limits
from annotation.campaigns.tag_drawing import CampaignPlan
from annotation.fields.checks import check
from annotation.models import Annotation, Assignment, Campaign
from annotation.reviewing import deciding
from annotation.reviewing.deciding import ReviewInput, ReviewNotes
from annotation.reviewing.tags_in_round import InRound
from annotation.workflow import assigning, claiming, saving, submitting
from datasets.models import Collection
from tests.factories import person
from wikifetch.models import Article, Revision, Sighting, Tag, Wiki

WHOLE = json.loads((Path(__file__).parent / "check_cases.json").read_text(encoding="utf-8"))["base"]
NOTHING = {
    **{name: "" if isinstance(value, str) else [] for name, value in WHOLE.items()},
    "confidence": None,
}
NOT_IN_ARTICLE = {f"not_in_article:passage_{n}_copied" for n in (1, 2)}
RAW = "{{Inconsistent|date=May 2021|reason=The year}}"


def whole(**changes):
    """A whole annotation's entries, with changes."""
    return {**copy.deepcopy(WHOLE), **changes}


def nothing(**changes):
    return {**copy.deepcopy(NOTHING), **changes}


def tag(title="Kettle Mill", kind="inconsistent", **sighted):
    """A live tag on a page of its own, seen once."""
    wiki, _ = Wiki.objects.get_or_create(
        base_url="https://wiki.example/wiki/", defaults={"name": "Example"}
    )
    pageid = Article.objects.count() + 1
    article = Article.objects.create(wiki=wiki, pageid=pageid, title=title)
    block = f"The mill was built in 1801.{RAW} It is ''square''."
    revision = Revision.objects.create(
        article=article,
        revid=1000 + pageid,
        timestamp=datetime(2024, 2, 26, tzinfo=UTC),
        wikitext=f"'''{title}''' was finished in 1820.\n\n== History ==\n{block}\n\nThree brothers made it. "
        "By now it has 1,195 panes.\n",
    )
    row = Tag.objects.create(article=article, kind=kind)
    row.latest = Sighting.objects.create(
        tag=row,
        revision=revision,
        position=revision.wikitext.index(RAW),
        kind=kind,
        **{
            "name": "Inconsistent",
            "raw": RAW,
            "date": "May 2021",
            "reason": "The year",
            "section": "History",
            "block": block,
            "block_clean": block.replace(RAW, ""),
            "block_text": "The mill was built in 1801. It is square.",
            **sighted,
        },
    )
    row.save()
    return row


def collection(name="mills"):
    return Collection.objects.get_or_create(name=name)[0]


def campaign(
    *,
    by=None,
    tags=1,
    people=1,
    in_hand=3,
    name="Mills",
    into="mills",
    frame=None,
    plan=None,
    limits=None,
    chosen=(),
    pilot_again=False,
):
    """A campaign over `tags` new tags (on top of those that there are); `plan` and `limits` are keywords of theirs."""
    for _ in range(tags):
        tag()
    opened = opening.open_campaign(
        name=name,
        collection=collection(into),
        design=CampaignDesign(
            frame or Frame(),
            CampaignPlan(**{"people_per_tag": people, **(plan or {})}),
            Limits(**{"most_in_hand": in_hand, **(limits or {})}),
            chosen,
            pilot_again,
        ),
        by=by or admin(),
    )
    # A is whoever claims first; by chance it is anybody.
    opened.assignments.update(lot=F("slot"))
    return opened


def admin(username="olga"):
    return person(username, Role.ADMIN)


def annotator(username="alice"):
    return person(username, Role.ANNOTATOR)


def save_draft(*, annotation_id, by, **sent):
    """A save of a draft that is read first."""
    return saving.save(saving.draft_of(annotation_id, by), by=by, **sent)


def submit(*, annotation_id, by, **sent):
    """A submission of a draft that is read first."""
    return submitting.submit(saving.draft_of(annotation_id, by), by=by, **sent)


def draft(by, *, within=None, **changes) -> Annotation:
    """A draft in `by`'s hands with these entries saved."""
    place = claiming.next_assignment(by=by, campaign=within or campaign())
    annotation = Annotation.objects.get(assignment=place)
    if changes:
        annotation = save_draft(
            annotation_id=annotation.pk, by=by, version=annotation.version, changes=changes
        )
    return annotation


def submitted(by, *, within=None, entries=None) -> Annotation:
    """An annotation that `by` has handed in, with every warning looked at."""
    return handed_in(draft(by, within=within), entries)


def handed_in(begun, entries=None) -> Annotation:
    """The draft, submitted with every warning looked at."""
    entries = entries or whole()
    result = submit(
        annotation_id=begun.pk,
        by=begun.author,
        version=begun.version,
        entries=entries,
        checked=frozenset(finding.key for finding in check(entries)) | NOT_IN_ARTICLE,
    )
    assert result.taken, result.findings
    return result.annotation


def withdraw(assignment_id, campaign):
    """Withdraw one assignment."""
    return assigning.withdraw(campaign, campaign.assignments.filter(pk=assignment_id))


def assignment_of(annotation) -> Assignment:
    return Assignment.objects.get(pk=annotation.assignment_id)


def place_of(annotation) -> InRound:
    """The tag of an annotation in its round."""
    assignment = annotation.assignment
    return InRound(assignment.campaign_id, assignment.round, assignment.tag_id)


def read_by(at, reason="", **more) -> ReviewInput:
    """What a reviewer has read who opens the tag now."""
    return ReviewInput({row.pk: row.version for row in at.submitted}, reason, **more)


def decide(annotation, by, decision="accept", reason="", by_field=None):
    """Accept this annotation of its tag, send it back, or drop its tag."""
    at = place_of(annotation)
    read = read_by(at, reason, notes={annotation.pk: ReviewNotes("", by_field or {})})
    if decision == "send_back":
        return deciding.send_back(at, [annotation.pk], by=by, read=read)
    is_same = True if len(read.versions) > 1 else None
    if decision == "drop":
        return deciding.drop(at, by=by, read=read, is_same=is_same)
    return deciding.accept(at, annotation.pk, by=by, read=read, is_same=is_same)


def two_of_a_tag(*entries, by=None):
    """Annotations of one tag, by alice, bob and so on, with these changes of the entries."""
    within = campaign(people=len(entries), by=by)
    names = ("alice", "bob", "carla", "dora")
    return [
        submitted(annotator(name), within=within, entries=whole(**changes))
        for name, changes in zip(names, entries, strict=False)
    ]


def second_round(annotation) -> Assignment:
    """A free place of the annotation's tag in the main round after a pilot."""
    first = annotation.assignment
    Campaign.objects.filter(pk=first.campaign_id).update(pilot_tags=1, open_round=2)
    return Assignment.objects.create(
        campaign=first.campaign, tag=first.tag, sighting=first.sighting, slot=1, round=2
    )
