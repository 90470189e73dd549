"""The prompts that installed protocols declare, as rows (prompt_versions.py).

They get a row when they are listed or used. A text that a later version of the protocol leaves as it is keeps its key.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from generation.models import PromptVersion
from generation.prompts import declared, prompting
from generation.prompts.places import OF_WIKICONTRADICT, REPLY, SHOTS, Places, places_of
from generation.prompts.prompting import Prompt
from leases.refusal import Conflict, Refusal
from protocols.declaration import WIKICONTRADICT
from protocols.models import Protocol

PROTOCOL = PromptVersion.Origin.PROTOCOL


@transaction.atomic
def store() -> list[str]:
    """Give each prompt of each installed protocol a row; returns why some get none.

    Rows that no run has used, and that no protocol has any more, are removed.
    """
    bodies = [
        body
        for protocol in Protocol.objects.order_by("name", "version")
        for body in declared.bodies(protocol.declaration).values()
    ]
    unused = PromptVersion.objects.filter(origin=PROTOCOL, published_at=None)
    stale = [row.pk for row in unused if row.body not in bodies]
    unused.filter(pk__in=stale).delete()
    rows = _by_name(bodies)
    missing: list[PromptVersion] = []
    for body in bodies:
        mine = rows[body["name"]]
        if not _same(mine, body) and all(row.protocol == body["protocol"] for row in mine):
            mine.insert(0, _row(body, 1 + max((row.version for row in mine), default=0)))
            missing.append(mine[0])
    PromptVersion.objects.bulk_create(missing, ignore_conflicts=True)
    there = _by_name(bodies) if missing else rows
    return [_taken(body) for body in bodies if not _same(there[body["name"]], body)]


def _by_name(bodies: Iterable[Mapping[str, Any]]) -> dict[str, list[PromptVersion]]:
    """All versions of these prompts, people's too, the newest first."""
    rows: dict[str, list[PromptVersion]] = defaultdict(list)
    for row in PromptVersion.objects.filter(name__in={body["name"] for body in bodies}):
        rows[row.name].append(row)
    return rows


def _same(rows: Iterable[PromptVersion], body: Mapping[str, Any]) -> PromptVersion | None:
    """The version with this body, or with the same text: titles may have changed."""
    whose = (PROTOCOL, body["protocol"])
    alike = (row for row in rows if (row.origin, row.protocol) == whose)
    mine = [row for row in alike if declared.is_same(row.body, body)]
    return next((row for row in mine if row.body == body), mine[0] if mine else None)


def _row(body: dict[str, Any], version: int) -> PromptVersion:
    return PromptVersion(
        key=prompting.key_of(body["name"], version),
        name=body["name"],
        version=version,
        label=prompting.label_of(body["label"], version),
        body=body,
        sha256=body["sha256"],
        origin=PROTOCOL,
        protocol=body["protocol"],
    )


def _taken(body: Mapping[str, Any]) -> str:
    return (
        f"Prompt {body['name']} of the protocol {body['protocol']} cannot be used: another prompt has its name or its "
        f"label {body['label']!r}. Give it others in the protocol's next version."
    )


def stored() -> dict[Protocol, dict[str, PromptVersion]]:
    """The rows of each installed version by the prompts' names in it, without the prompts that have none."""
    store()
    installed = Protocol.objects.order_by("name", "version")
    bodies = {protocol: declared.bodies(protocol.declaration) for protocol in installed}
    rows = _by_name(body for of_version in bodies.values() for body in of_version.values())
    return {
        protocol: {
            name: row
            for name, body in of_version.items()
            if (row := _same(rows[body["name"]], body))
        }
        for protocol, of_version in bodies.items()
    }


def of_protocol(protocol: Protocol) -> dict[str, Prompt]:
    """The prompts of this version by their names in it; raises Conflict where one has no row."""
    rows = stored().get(protocol, {})
    for name, body in declared.bodies(protocol.declaration).items():
        if name not in rows:
            raise Conflict(_taken(body))
    return {name: row.prompt for name, row in rows.items()}


def places_in(name: str) -> Places:
    """The places of prompts for this protocol: of its newest version. Raises Refusal where none is installed."""
    if name == WIKICONTRADICT:
        return OF_WIKICONTRADICT
    newest = Protocol.objects.filter(name=name).first()
    if newest is None:
        raise Refusal(f"There is no protocol {name!r} here. Install it first.")
    return places_of(newest.declaration)


@dataclass(frozen=True)
class Fitting:
    """Which prompts can be asked over a collection: its protocol's, with `own` keys, and people's with its places."""

    places: Places
    own: frozenset[str]

    def problem(self, prompt: Prompt) -> str:
        """Why this prompt cannot, as in "is of the protocol knot"; "" where it can."""
        if prompt.protocol != self.places.protocol:
            return f"is of the protocol {prompt.protocol}"
        if prompt.origin and prompt.name not in self.own:
            return f"is of another version of {prompt.protocol}"
        more = (REPLY, SHOTS)
        return self.places.problem(prompt.template + prompt.later, *more).removesuffix(".")


def fitting(protocol: Protocol | None) -> Fitting:
    """That of the collections of a protocol (None: WikiContradict). Raises Conflict where a prompt has no row."""
    if protocol is None:
        return Fitting(OF_WIKICONTRADICT, frozenset())
    own = of_protocol(protocol).values()
    return Fitting(places_of(protocol.declaration), frozenset(prompt.name for prompt in own))
