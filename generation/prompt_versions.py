"""The prompts that there are: the study's own files, and the versions that people and files in DATA_DIR add.

A version is used under its key, which no other version ever has once a run has used it. Until then it may be changed
or removed. The study's own are read from their files, and get a row when they are listed or used, as those of
protocols do (protocol_prompts.py).
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from datasets.identity import canonical
from datasets.models import Collection as CollectionRow
from generation import protocol_prompts
from generation.models import PromptVersion
from generation.prompts import authoring, prompting
from generation.prompts.prompting import Prompt, PromptError
from leases.refusal import Conflict, Refusal, StaleVersion
from leases.rows import first_of
from protocols.declaration import WIKICONTRADICT
from protocols.models import Protocol

# The folder in DATA_DIR whose files are read by `manage.py read_prompts`, and at each start.
FOLDER = "prompts"
# More than a prompt with every text at its longest.
LARGEST_FILE = 5_000_000
Origin = PromptVersion.Origin


def known(keys: Collection[str] | None = None) -> dict[str, Prompt]:
    """The prompts with these keys (None: all) that there are, in the order of their labels.

    The study's own alone need no query.
    """
    own = prompting.prompts()
    if keys is None:
        return _in_order([*own.values(), *(row.prompt for row in _others())])
    some = [own[key] for key in own if key in keys]
    if missing := {*keys} - own.keys():
        some += (row.prompt for row in _others().filter(key__in=missing))
    return _in_order(some)


def _others() -> QuerySet[PromptVersion]:
    return PromptVersion.objects.exclude(origin=Origin.PROGRAM)


def _in_order(prompts: list[Prompt]) -> dict[str, Prompt]:
    return {prompt.name: prompt for prompt in prompting.in_order(prompts)}


def find(name_or_label: str) -> Prompt:
    """The prompt of this key or label; raises NotFoundHere with the known ones."""
    some = known([name_or_label])
    if not some:
        protocol_prompts.store()
        some = known()
    return prompting.found(name_or_label, some)


def offered(protocol: Protocol | None) -> dict[str, Prompt]:
    """The prompts for the records of this protocol (None: WikiContradict), in the order of their labels."""
    fitting = protocol_prompts.fitting(protocol)
    return {key: prompt for key, prompt in known().items() if not fitting.problem(prompt)}


def check_fit(collection: CollectionRow, prompts: Sequence[Prompt]) -> None:
    """Raise Refusal for a prompt that cannot be asked over a collection."""
    fitting = protocol_prompts.fitting(collection.protocol)
    for prompt in prompts:
        if problem := fitting.problem(prompt):
            raise Refusal(
                f"Prompt {prompt.label} {problem}. {collection.name} is of {collection.declaration}: choose its "
                "prompts."
            )


def choices(keys: Collection[str]) -> list[tuple[str, str]]:
    """The prompts with these keys as a form offers them: (key, text); those of protocols say where they are from."""
    return [
        (key, f"{prompt.label}: {prompt.title}{_about(prompt)}")
        for key, prompt in known(keys).items()
    ]


def _about(prompt: Prompt) -> str:
    about = [prompt.origin, "given text" if prompt.given else ""]
    return f" ({', '.join(filter(None, about))})" if prompt.origin else ""


def stored() -> QuerySet[PromptVersion]:
    """All versions as rows, with the study's own."""
    store()
    return PromptVersion.objects.select_related("author")


def store() -> list[str]:
    """Give the study's own prompts and those of protocols a row each; returns why some get none."""
    _store_own(prompting.prompts())
    return protocol_prompts.store()


def stored_as(key: str) -> PromptVersion:
    """Raises NotFoundHere."""
    return first_of(stored().filter(key=key), f"There is no prompt {key!r}.")


def newest_of(name: str) -> PromptVersion:
    return PromptVersion.objects.filter(name=name)[0]


def mark_of(row: PromptVersion) -> str:
    """A mark that changes with any text of the version, and with its number."""
    return hashlib.sha256(canonical({"key": row.key, "body": row.body})).hexdigest()


def newer(keys: Collection[str]) -> list[tuple[Prompt, Prompt]]:
    """Those of the prompts with these keys of which there is a newer version, each with the newest."""
    asked = known(keys).values()
    rows = PromptVersion.objects.filter(name__in={prompt.base for prompt in asked})
    newest = {row.name: row for row in rows.order_by("version")}
    return [
        (prompt, newest[prompt.base].prompt)
        for prompt in asked
        if prompt.base in newest and newest[prompt.base].version > prompt.version
    ]


def _store_own(keys: Collection[str]) -> None:
    there = set(PromptVersion.objects.filter(key__in=keys).values_list("key", flat=True))
    if not set(keys) - there:
        return
    PromptVersion.objects.bulk_create(
        (
            PromptVersion(
                key=data["name"], name=data["name"], version=1, label=data["label"], body=data,
                sha256=data["sha256"], origin=Origin.PROGRAM,
            )
            for data in prompting.files().values()
            if data["name"] in keys and data["name"] not in there
        ),
        ignore_conflicts=True,
    )  # fmt: skip


@transaction.atomic
def publish(prompts: Sequence[Prompt]) -> None:
    """A run uses these: from now on they never change. Raises Conflict for one that was changed meanwhile."""
    asked = {prompt.name: prompt for prompt in prompts}
    own = prompting.prompts()
    _store_own(asked.keys() & own.keys())
    rows = PromptVersion.objects.filter(key__in=asked)
    # A person who changes one waits here, or is waited for; those that no one can change any more are not held.
    list(rows.filter(published_at=None).order_by("key").select_for_update().values_list("key"))
    now = {row.key: row.prompt for row in rows.exclude(origin=Origin.PROGRAM)}
    for key, prompt in asked.items():
        if key not in own and now.get(key) != prompt:
            raise Conflict(
                f"Prompt {prompt.label} was changed or removed a moment ago. Read it, then make the run again."
            )
    rows.filter(published_at=None).update(published_at=Now())


# ---------------------------------------------------------------- written


def add(entered: Mapping[str, Any], by: Person) -> PromptVersion:
    """A new prompt's first version. Raises Refusal, and Conflict where its name or label is taken."""
    return _added(_completed(entered, "The prompt"), by)


def _completed(entered: Mapping[str, Any], where: str) -> dict[str, Any]:
    """What authoring.completed makes of a prompt for the protocol "protocol", WikiContradict where it names none."""
    values = {**entered}
    places = protocol_prompts.places_in(str(values.pop("protocol", WIKICONTRADICT)))
    try:
        return authoring.completed(values, where, places)
    except PromptError as error:
        raise Refusal(str(error)) from error


@transaction.atomic
def _added(body: dict[str, Any], by: Person | None) -> PromptVersion:
    own = prompting.prompts()
    _store_own(own)
    protocol_prompts.store()
    # Of two people who add at a time, the second waits here, and sees the first one's name and label.
    list(PromptVersion.objects.filter(key=next(iter(own))).select_for_update().values_list("pk"))
    _check_new(body)
    return _stored(body, 1, by)


def _check_new(body: Mapping[str, Any]) -> None:
    if PromptVersion.objects.filter(name=body["name"]).exists():
        raise Conflict(
            f"There is a prompt {body['name']!r} already. Choose another name, or make a new version of that prompt."
        )
    for prompt in known().values():
        if body["name"] == prompt.label:
            raise Conflict(
                f"Prompt {prompt.name!r} has the label {prompt.label!r} already. Choose another name."
            )
        if body["label"] in (prompt.label, prompt.name):
            raise Conflict(
                f"Prompt {prompt.name!r} has the label {body['label']!r} already. Choose another."
            )


def _stored(body: dict[str, Any], version: int, by: Person | None) -> PromptVersion:
    row, is_new = PromptVersion.objects.get_or_create(
        key=prompting.key_of(body["name"], version),
        defaults={
            "name": body["name"],
            "version": version,
            "label": prompting.label_of(body["label"], version),
            "body": body,
            "sha256": body["sha256"],
            "origin": Origin.PERSON if by else Origin.FILE,
            "protocol": body.get("protocol", WIKICONTRADICT),
            "author": by,
        },
    )
    if not is_new and by is None:
        raise Conflict(f"{row} was saved a moment ago. Run read_prompts again.")
    if not is_new:
        raise StaleVersion(
            f"{row} was saved a moment ago. Your text is below and is not saved yet. Read that one, then save again."
        )
    return row


@transaction.atomic
def save(
    row: PromptVersion, entered: Mapping[str, Any], *, newest: str, by: Person
) -> PromptVersion:
    """What a person makes of this version: the next one, or the newest one changed where no run has used it.

    Returns the newest version where nothing was changed. Raises Refusal, and StaleVersion where the newest version's
    mark is not `newest` any more.
    """
    if more := row.prompt.only_declared:
        raise Refusal(f"Only a protocol's file can declare {more}. Write the new version there.")
    fixed = {"name": row.name, "label": row.body["label"], "protocol": row.protocol}
    body = _completed({**entered, **fixed}, "The prompt")
    # Of two people who save at a time, the second waits here, and is refused.
    list(PromptVersion.objects.filter(name=row.name).select_for_update().values_list("pk"))
    last = newest_of(row.name)
    if mark_of(last) != newest:
        raise StaleVersion(
            f"{last} was saved since you began. Your text is below and is not saved yet. Read it, then save again."
        )
    if _same(last.body, body):
        return last
    if row.pk != last.pk or not may_change(last):
        return _stored(body, last.version + 1, by)
    last.body, last.sha256, last.author = body, body["sha256"], by
    last.save(update_fields=["body", "sha256", "author"])
    return last


def may_change(row: PromptVersion) -> bool:
    """Whether a version may be changed or removed: a person wrote it, and no run has used it."""
    return row.origin == Origin.PERSON and not row.published_at


def _same(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether an author gave the same; the study's own files leave out what is empty."""
    return all((before.get(field) or None) == (after[field] or None) for field in authoring.GIVEN)


def remove(row: PromptVersion) -> None:
    """Remove a version that a person wrote and no run has used. Raises Conflict for another."""
    mine = PromptVersion.objects.filter(pk=row.pk, published_at=None, origin=Origin.PERSON)
    if not mine.delete()[0]:
        raise Conflict(f"{row} stays: a run has used it, or it comes from a file.")


# ---------------------------------------------------------------- files in DATA_DIR


def read_files(folder: Path) -> tuple[list[PromptVersion], list[str]]:
    """Store what is new in the folder's files: a file's new text is the next version of its prompt.

    Returns what was stored, and why files were refused. A refused file keeps no other from being stored.
    """
    rows: list[PromptVersion] = []
    refused: list[str] = []
    for path in sorted(folder.glob("*.json")):
        try:
            rows += filter(None, [_read(path)])
        except Refusal as refusal:
            refused.append(f"{path.name}: {refusal}")
    return rows, refused


@transaction.atomic
def _read(path: Path) -> PromptVersion | None:
    """The version that a file makes; None where its text is stored already. A prompt keeps its first label."""
    body = _completed(_values_in(path), "The prompt")
    # So no two files make versions of one prompt in turns.
    if body["name"] != path.stem:
        raise Refusal(f"the prompt's name is {body['name']!r}. Call the file {body['name']}.json.")
    _store_own(prompting.prompts())
    rows = list(PromptVersion.objects.filter(name=body["name"]))
    if not rows:
        return _added(body, None)
    body["label"] = rows[0].body["label"]
    # The same file makes no further version, even if someone has edited the prompt since.
    before = [row for row in rows if row.origin == Origin.FILE][:1] or rows
    if any(_same(row.body, body) for row in before):
        return None
    return _stored(body, rows[0].version + 1, None)


def _values_in(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise Refusal(f"the file has more than {LARGEST_FILE:,} bytes. No prompt is that long.")
        values = json.loads(data.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise Refusal(f"this is not JSON in UTF-8: {error}.") from error
    if not isinstance(values, dict):
        raise Refusal("this is not a prompt, it has no fields.")
    return values
