"""The stored versions of rubrics. The program's file is the first one; admins write further ones in the app.

A version never changes, and a study keeps the one that it was made with.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import structlog
from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Person
from generation import protocol_prompts
from judging.models import Rubric
from judging.rules import declared_rubrics, rubric
from leases.refusal import Refusal, StaleVersion
from leases.rows import first_of
from protocols.declaration import WIKICONTRADICT
from protocols.models import Protocol

PROGRAMS = "wikicontradict"
log = structlog.get_logger(__name__)


class LeftOut(NamedTuple):
    """A declared rubric that cannot be used, and why."""

    protocol: str
    rubric: str
    why: str

    def __str__(self) -> str:
        return f"The rubric {self.rubric} is left out. {self.why}"


def versions(protocol: str | None = None) -> QuerySet[Rubric]:
    """All versions by name, the newest first: those of the program's files and of protocols are stored now.

    Of the protocol of this name, or of all.
    """
    store()
    return stored(protocol)


def store() -> list[LeftOut]:
    """Store the rubrics of the program's files and of installed protocols; returns those of protocols left out."""
    edited = Rubric.objects.exclude(author=None).values_list("name", flat=True)
    for name in {*rubric.names()} - {*edited}:
        try:
            written(name)
        except Refusal as problem:
            log.warning("rubric_left_out", rubric=name, reason=problem.message)
    return _store_declared()


def stored(protocol: str | None = None) -> QuerySet[Rubric]:
    """The same as versions, of those that are stored."""
    rows = Rubric.objects.select_related("author")
    if protocol == WIKICONTRADICT:
        return rows.filter(body__protocol__isnull=True)
    return rows.filter(body__protocol=protocol) if protocol else rows


def version_numbered(pk: int) -> Rubric:
    """Raises NotFoundHere."""
    return first_of(versions().filter(pk=pk), "There is no such version of a rubric.")


def current(protocol: str = WIKICONTRADICT, rows: QuerySet[Rubric] | None = None) -> Rubric:
    """The version that new studies get: the newest by a person. Until there is one, it is the program's file.

    `rows` are the protocol's versions, where they have been read. Raises Refusal where the file cannot be used and no
    version is stored, or the protocol has none.
    """
    rows = versions(protocol) if rows is None else rows
    if protocol != WIKICONTRADICT:
        none = f"The protocol {protocol} has no rubric. Make a study that nobody judges."
        return rows.exclude(author=None).first() or first_of(rows, none)
    rows = rows.filter(name=PROGRAMS)
    return rows.exclude(author=None).first() or rows.first() or written(PROGRAMS)


def written(name: str) -> Rubric:
    """The version of the program's file; a new one is stored when its text has changed. Raises Refusal."""
    try:
        known = rubric.parse(body := rubric.content(name))
    except rubric.RubricError as error:
        raise Refusal(str(error)) from error
    return _stored(known, body, None)


@transaction.atomic
def _store_declared() -> list[LeftOut]:
    """Store the rubrics of installed protocols; returns why some are left out.

    What was stored of one that has changed before any study is removed.
    """
    left_out: list[LeftOut] = []
    bodies = list(_declared_bodies(left_out))
    declared = Rubric.objects.filter(author=None, body__protocol__isnull=False)
    unused = declared.filter(studies=None, rounds=None)
    unused.filter(pk__in=[row.pk for row in unused if row.body not in bodies]).delete()
    there = set(declared.values_list("name", "sha256"))
    for body in bodies:
        if (body["name"], rubric.digest(body)) in there:
            continue
        try:
            _stored(rubric.parse(body), body, None)
        except Refusal as problem:
            left_out.append(LeftOut(body["protocol"], body["name"], problem.message))
    return left_out


def left_out_of(protocol: Protocol) -> list[str]:
    """Why rubrics of this protocol are left out, for those who install it."""
    return [str(one) for one in _store_declared() if one.protocol == protocol.name]


def _declared_bodies(left_out: list[LeftOut]) -> Iterator[dict[str, Any]]:
    """Adds to `left_out` why some have none."""
    for protocol, rows in protocol_prompts.stored().items():
        declaration = protocol.declaration
        for entry in declaration.entries("rubric"):
            judged = declared_rubrics.criteria_of(declaration, entry).keys()
            if lacking := judged - rows.keys():
                names = ", ".join(sorted(lacking))
                why = f"Of its prompts, {names} cannot be used: Models → Prompts says why."
                left_out.append(LeftOut(protocol.name, f"{protocol.name}-{entry.name}", why))
                continue
            prompts = {name: rows[name].prompt for name in judged}
            yield declared_rubrics.body_of(declaration, entry, prompts)


@transaction.atomic
def save(body: Mapping[str, Any], *, newest: int, by: Person) -> Rubric:
    """The version with this text; the stored one where nothing has changed.

    Raises StaleVersion where a version newer than `newest` was saved, and Refusal with what is missing for a prompt.
    """
    try:
        known = rubric.parse(body)
    except rubric.RubricError as error:
        raise Refusal(str(error)) from error
    if problems := rubric.gaps(known, known.prompts):
        raise Refusal(" ".join(problems))
    rows = Rubric.objects.filter(name=known.name).order_by("-version")
    # Of two people who save at once, the second waits here and is refused. It reads again after the wait: a statement
    # that waits for rows does not return rows added meanwhile.
    list(rows.select_for_update().values_list("pk"))
    stored = list(rows.values_list("version", "sha256"))
    same = rubric.digest(body) in {sha256 for _, sha256 in stored}
    if not same and stored and stored[0][0] != newest:
        raise StaleVersion(
            f"Version {stored[0][0]} was saved since you began. Your text is below and is not saved yet. Read that "
            "version, then save again: yours becomes the next one."
        )
    return _stored(known, body, by)


def _stored(known: rubric.ParsedRubric, body: Mapping[str, Any], author: Person | None) -> Rubric:
    newest = Rubric.objects.filter(name=known.name).first()
    if newest and newest.scale.keys != known.scale.keys:
        raise Refusal(
            f"The verdicts of the rubric {known.name} are {', '.join(newest.scale.keys)}, in this order: judgments are "
            "stored under these keys. Other verdicts need a rubric of another name."
        )
    if newest and newest.scale.weights != known.scale.weights:
        raise Refusal(
            f"Kappa by the rubric {known.name} has the weights {newest.scale.weights}, which reports keep. Others need "
            "a rubric of another name."
        )
    number = newest.version + 1 if newest else 1
    row, _ = Rubric.objects.get_or_create(
        name=known.name,
        sha256=rubric.digest(body),
        defaults={"version": number, "body": body, "author": author},
    )
    return row


def unwritten(known: rubric.ParsedRubric, prompts: Sequence[str]) -> list[str]:
    """Those of the prompts on which no study with this rubric can open."""
    return [prompt for prompt in prompts if rubric.gaps(known, [prompt])]
