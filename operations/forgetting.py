"""Forget a person: delete what identifies them, keep what they entered under the pseudonym.

Every foreign key to a person has a decision here; a test fails for one without.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import structlog
from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.invitations import check_not_last_admin, withdraw_invitations_of
from accounts.leaving import open_work
from accounts.models import Invitation, Person
from accounts.roles import Role
from annotation.models import Annotation
from datasets.models import Contradiction
from datasets.releasing.forgotten_names import hashes_of
from datasets.releasing.withholding import NAMED, withhold
from judging.models import Study
from leases.refusal import Conflict, NotFoundHere
from operations.in_words import ROWS
from operations.mentions import (
    OF_STUDY,
    Mention,
    Mentions,
    hidden_studies,
    mentions,
    rename,
    replace,
    words_for,
)
from operations.serialization import SerializedTable
from wikifetch.models import FetchRun
from writing.models import Entry

log = structlog.get_logger(__name__)


class Fate(StrEnum):
    """What happens to a row that points at the person."""

    GOES = "deleted"
    STAYS = "kept under the pseudonym"
    CLEARED = "kept, without what was noted of the person"


DECISIONS = {
    **dict.fromkeys((
        "accounts.rolegrant.person", "accounts.session.person", "accounts.identity.person",
        "accounts.secondfactor.person", "accounts.apitoken.person", "accounts.keptanswer.person",
    ), Fate.GOES),
    "accounts.invitation.used_by": Fate.CLEARED,
    **dict.fromkeys((
        "accounts.rolegrant.granted_by", "accounts.invitation.created_by", "accounts.auditevent.by",
        "accounts.auditevent.person",
    ), Fate.STAYS),
    "wikifetch.fetchrun.started_by": Fate.CLEARED,
    **dict.fromkeys((
        "protocols.protocol.installed_by",
        "datasets.collection.created_by", "datasets.contradiction.author", "datasets.instance.author",
        "datasets.revisedpassage.author", "datasets.revisedpassage.checker", "datasets.subset.created_by",
        "datasets.exclusion.excluded_by", "datasets.pastexclusion.excluded_by", "datasets.pastexclusion.ended_by",
        "datasets.release.created_by", "datasets.freezejob.started_by", "datasets.erratum.added_by",
        "datasets.importjob.created_by",
        "annotation.guideline.author", "annotation.campaign.created_by",
        "annotation.campaignperson.person", "annotation.assignment.person", "annotation.annotation.author",
        "annotation.review.reviewer", "annotation.seen.person", "annotation.tagreview.reviewer",
        "annotation.tagreview.taken_back_by", "generation.promptversion.author", "generation.run.created_by",
        "judging.rubric.author", "judging.judgeprompt.author", "judging.study.created_by",
        "judging.round.opened_by", "judging.reopening.by", "judging.judge.person", "judging.resolution.resolved_by",
        "writing.writing.opened_by", "writing.entry.author", "writing.entry.checker",
        "evaluation.reportsnapshot.created_by", "evaluation.reportsnapshot.published_by",
        "evaluation.withdrawnreport.withdrawn_by", "datasets.release.files_deleted_by",
        "datasets.publication.published_by", "datasets.publication.withdrawn_by",
    ), Fate.STAYS),
}  # fmt: skip
# Rows that the person entered and that point at them through another row.
ENTERED = {
    "annotation.question": "annotation__author",
    "annotation.askedarticle": "annotation__author",
    "annotation.draftrevision": "annotation__author",
    # With their answer to the reviewer's note.
    "annotation.review": "annotation__author",
    "judging.discussion": "proposed_by__person",
    "judging.goldverdict": "judge__person",
    "judging.judgingslot": "judge__person",
    "judging.judgment": "slot__judge__person",
    "judging.judgmentevent": "slot__judge__person",
    "judging.remark": "judge__person",
}
# Rows whose words may be about a record: the path from the record to the person.
ABOUT_RECORDS = (
    "author", "instances__revised_passages__author", "instances__revised_passages__checker",
    "instances__exclusion__excluded_by", "instances__past_exclusions__excluded_by",
    "instances__past_exclusions__ended_by",
    "entries__author", "entries__checker",
    "instances__responses__study_items__slots__judge__person",
    "instances__responses__study_items__resolutions__resolved_by",
)  # fmt: skip
# Other people's rows, and rows that give access.
NOT_THEIR_DATA = {
    "accounts.session.person",
    "accounts.secondfactor.person",
    "accounts.apitoken.person",
    "accounts.keptanswer.person",
    "accounts.invitation.used_by",
}


@dataclass(frozen=True)
class Holding:
    """Rows of one kind that point at the person."""

    key: str
    rows: QuerySet[Any]
    fate: Fate

    @property
    def what(self) -> str:
        return ROWS[self.key]


def holdings(person: Person) -> Iterator[Holding]:
    for key, fate in DECISIONS.items():
        label, _, field = key.rpartition(".")
        model = apps.get_model(label)
        yield Holding(key, model._base_manager.filter(**{field: person}), fate)


def to_forget(username: str) -> Person:
    """The person of that name. Raises NotFoundHere, or Conflict if they cannot be forgotten."""
    person = Person.objects.filter(username__iexact=username).first()
    if person is None:
        raise NotFoundHere(
            f"Nobody here signs in as {username!r}. The page People lists everybody."
        )
    check_forgettable(person)
    return person


def check_forgettable(person: Person) -> None:
    if person.forgotten_at:
        raise Conflict("This person has been forgotten already.")
    if person.is_demonstration:
        raise Conflict(
            "This is an invented person of the demonstration set. python manage.py remove_demonstration takes it out."
        )


@transaction.atomic
def forget(
    person: Person,
    *,
    by: Person | None = None,
    replacing: Collection[str] = (),
    withholding: Collection[str] = (),
    renaming: Collection[str] = (),
    handing: Mapping[str, str] | None = None,
) -> None:
    """Delete all that identifies the person, and their access. Raises Conflict, or Refusal for the last admin.

    handing: to whom their open work goes, by its key; what is not in it others can take.

    replacing: keys of the mentions (mentions.py) in which the pseudonym takes the place of the name. withholding: keys
    of those in comments of released records, whose releases are given out no more. renaming: keys of those that are a
    name in addresses, which gets the one that is offered.
    """
    person = Person.objects.select_for_update().get(pk=person.pk)
    check_forgettable(person)
    if person.has_role(Role.ADMIN):
        check_not_last_admin(person)
    work = open_work.held_by(person, None)
    open_work.settle(
        work, dict.fromkeys([row.key for row in work], open_work.RETURN) | dict(handing or {}), by
    )
    hashes = hashes_of({person.name, person.username, *words_for(person).certain})
    if replacing or withholding or renaming:
        _treat(person, by, set(replacing), set(withholding), set(renaming))
    for holding in holdings(person):
        if holding.fate == Fate.GOES:
            holding.rows.delete()
    Invitation.objects.filter(used_by=person).update(note="")
    _clear_contact(person)
    withdraw_invitations_of(person)
    person.set_unusable_password()
    Person.objects.filter(pk=person.pk).update(
        username=person.pseudonym,
        name=person.pseudonym,
        password=person.password,
        last_login=None,
        shortcuts=True,
        is_active=False,
        forgotten_at=Now(),
        name_hashes=hashes,
    )
    record(AuditKind.FORGETTING, by, person=person)
    log.info("person_forgotten", pseudonym=person.pseudonym)


def _treat(
    person: Person,
    by: Person | None,
    replacing: set[str],
    withholding: set[str],
    renaming: set[str],
) -> None:
    found = mentions(person, by)
    chosen = [mention for mention in found.open if mention.key in replacing]
    comments = [mention for mention in released_comments(found) if mention.key in withholding]
    named = [one for one in found.fixed if one.can_be_renamed and one.key in renaming]
    if [len(chosen), len(comments), len(named)] != [
        len(replacing), len(withholding), len(renaming),
    ]:  # fmt: skip
        raise Conflict(
            "Texts that you ticked were changed meanwhile. Nothing was done: go back, reload the page, and look again."
        )
    replace(chosen, found.words, person.pseudonym)
    rename(named, found.words, person.pseudonym)
    keys = {mention.pk for mention in comments}
    withhold(Contradiction.objects.filter(pk__in=keys), NAMED, by)


def released_comments(found: Mentions) -> list[Mention]:
    """The comments of released records that name the person: their releases can be withheld, not changed."""
    return [mention for mention in found.fixed if mention.is_released_comment]


def _clear_contact(person: Person) -> None:
    """Delete the contact address of their fetches, also of those started on the command line."""
    with_contact = FetchRun.objects.filter(started_by=person).exclude(contact="")
    addresses = set(with_contact.values_list("contact", flat=True))
    own = Q(started_by=person) | Q(started_by=None, contact__in=addresses)
    FetchRun.objects.filter(own).update(contact="")


# ------------------------------------------------------------ their own data


def own_data(person: Person, reader: Person | None = None) -> Iterator[str]:
    """Everything that the person entered and that is known about them, as pieces of one JSON text.

    With a reader without verdicts and reports of studies that are open, or whose results are hidden from the reader.
    """
    yield "{\n"
    yield f'"about": {dumped(about(person))}'
    for name, rows in own_rows(person, reader):
        yield f",\n{dumped(name)}: ["
        comma = "\n"
        table = SerializedTable(rows.model)
        for row in table.rows(rows.db, rows):
            yield comma + dumped(dict(zip(table.columns, row, strict=True)))
            comma = ",\n"
        yield "\n]"
    yield "\n}\n"


def records_in_data_of(person: Person) -> QuerySet[Contradiction]:
    """The records that something in the person's data may be about."""
    found = Q()
    for path in ABOUT_RECORDS:
        found |= Q(pk__in=Contradiction.objects.filter(**{path: person}).order_by().values("pk"))
    return Contradiction.objects.filter(found)


def annotations_in_data_of(person: Person) -> QuerySet[Annotation]:
    """The annotations that the person entered or reviewed."""
    reviewed = Annotation.objects.filter(reviews__reviewer=person).order_by()
    return Annotation.objects.filter(Q(author=person) | Q(pk__in=reviewed.values("pk")))


def entries_in_data_of(person: Person) -> QuerySet[Entry]:
    """What the person wrote by forms of protocols, or checked."""
    return Entry.objects.filter(Q(author=person) | Q(checker=person))


def about(person: Person) -> dict[str, Any]:
    return {
        "made_by": f"Sic et Non {settings.VERSION}",
        "username": person.username,
        "name": person.name,
        "pseudonym": person.pseudonym,
        "joined_at": person.joined_at.isoformat(),
        "last_login": person.last_login.isoformat() if person.last_login else None,
        "roles": sorted(person.roles),
    }


def own_rows(person: Person, reader: Person | None) -> Iterator[tuple[str, QuerySet[Any]]]:
    """By "table (column)", the rows that the person made."""
    studies = set(Study.objects.values_list("pk", flat=True)) if reader else set()
    # The admin who exports the data may be the other judge of such a study.
    hidden = hidden_studies(studies, reader)
    for holding in holdings(person):
        if holding.key not in NOT_THEIR_DATA:
            label, _, field = holding.key.rpartition(".")
            yield f"{label} ({field})", _without(hidden, label, holding.rows)
    for label, path in ENTERED.items():
        rows = apps.get_model(label)._base_manager.filter(**{path: person})
        yield label, _without(hidden, label, rows)


def _without(studies: set[int], label: str, rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.exclude(**{f"{OF_STUDY[label]}__in": studies}) if label in OF_STUDY else rows


def dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)
