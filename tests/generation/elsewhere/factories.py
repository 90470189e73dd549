"""A release of canals, and lines of responses to its rows."""

import io
import json
from typing import Any

from datasets.models import Collection, Instance, Release
from datasets.releasing.freezing import freeze
from generation.elsewhere import importing
from generation.models import Run
from generation.prompts import prompting
from tests.generation.factories import canals

PROMPT = "passage-1"


def released(collection: Collection | None = None, version: str = "1.0") -> Release:
    return freeze(collection=collection or canals(), version=version)


def row_of(instance: Instance, prompt: str = PROMPT) -> str:
    return f"{instance.contradiction.external_id}:{instance.n}:{prompt}"


def instances_of(release: Release) -> list[Instance]:
    rows = Instance.objects.filter(contradiction__collection=release.collection)
    return list(rows.select_related("contradiction").order_by("contradiction__position"))


def line(instance: Instance, **changes: Any) -> dict[str, Any]:
    """A line with the prompt's sha256; a change to None takes a key away."""
    prompt = changes.pop("prompt", PROMPT)
    whole = {
        "row": row_of(instance, prompt),
        "model": "lab/llm-7b",
        "text": f"It is {instance.answer_1} long.",
        "prompt_sha256": prompting.find(prompt).sha256,
    } | changes
    return {key: value for key, value in whole.items() if value is not None}


def file_of(*lines: dict[str, Any] | bytes) -> io.BytesIO:
    data = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines)
    return io.BytesIO(b"\n".join(data))


def brought(release: Release, *lines: dict[str, Any], **options: Any) -> Run:
    """The run of these lines; without any, of one for each question."""
    each = lines or [line(one) for one in instances_of(release)]
    return importing.bring(release, file_of(*each), **options)[0]
