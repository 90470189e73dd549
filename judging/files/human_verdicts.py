"""What people decided of a closed study, for programs: a line for each judged item, as JSON Lines.

Only verdicts of people are here: no score by words, and nothing that a judge model said.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Prefetch
from django.db.models.fields.json import KeyTextTransform, KeyTransform

from generation.prompts.bundling import prompts_to_bundle
from judging.models import JudgingSlot, Round, Study, StudyItem
from judging.states import StudyState
from leases.refusal import Conflict

BATCH = 500
# The text of a response made elsewhere, as its reply is stored (generation/elsewhere/lines.py).
_MESSAGE = KeyTransform("message", KeyTransform(0, KeyTransform("choices", "response__reply")))
_CONTENT = KeyTextTransform("content", _MESSAGE)


def human_lines(study: Study) -> Iterator[str]:
    """The lines, in the study's order. Raises Conflict while the study is not closed, and where nobody judges.

    `row` is the id of the line of a release's prompts.jsonl, null for a prompt that no release has. `response_sha256`
    is of the text that was judged; of one made elsewhere of its file's, before reasoning was parted from it. `first`
    has the first verdicts of the round of the final one, by pseudonym.
    """
    if study.state != StudyState.CLOSED or not study.is_judged:
        raise Conflict(
            f"{study.name} gives verdicts of people once it is closed, and if people judge in it."
        )
    return _lines(study)


def _lines(study: Study) -> Iterator[str]:
    rounds = {round_.pk: round_ for round_ in study.rounds.select_related("rubric")}
    bundled = _bundled(study)
    first = JudgingSlot.objects.filter(repeat=1, judgment__first_verdict__isnull=False)
    slots = first.select_related("judge", "judgment").order_by("judge__pseudonym")
    about = "response__instance__"
    related = (f"{about}contradiction", f"{about}exclusion", "response__model", "resolution")
    items = study.items.select_related(*related).prefetch_related(Prefetch("slots", slots))
    items = items.annotate(came_as=_CONTENT)
    light = items.defer("response__request", "response__reply", "response__reasoning")
    for item in light.order_by("position").iterator(chunk_size=BATCH):
        final = getattr(item, "resolution", None)
        last = final.round_id if final else item.round_id
        if last is None:
            continue
        round_ = rounds[last]
        verdicts = _first(item, round_)
        if final or verdicts:
            entry = {
                **_asked(item, bundled),
                "verdict": final.verdict if final else None,
                "resolved": final.how if final else None,
                **_judged(study, round_),
                "first": verdicts,
            }
            yield json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n"


def _bundled(study: Study) -> dict[str, str]:
    """By the key of a version and by its hash: the prompt's name in the bundles of releases."""
    prompts = prompts_to_bundle(study.protocol.declaration if study.protocol else None)
    return {text: prompt.name for prompt in prompts for text in (prompt.name, prompt.sha256)}


def _first(item: StudyItem, round_: Round) -> dict[str, str]:
    seats = [slot for slot in item.slots.all() if slot.round_id == round_.pk]
    given = ((slot.judge, slot.judgment.first_verdict) for slot in seats)
    return {judge.pseudonym: verdict for judge, verdict in given if judge and verdict}


def _judged(study: Study, round_: Round) -> dict[str, Any]:
    rubric = round_.rubric
    named = {"name": rubric.name, "version": rubric.version, "sha256": rubric.sha256}
    return {"study": study.name, "round": round_.n, "rubric": named}


def _asked(item: StudyItem, bundled: Mapping[str, str]) -> dict[str, Any]:
    response, verified = item.response, item.response.prompt_verified
    came_as: str = response.text if verified is None else item.came_as  # type: ignore[attr-defined]
    about, model = response.instance, response.model
    record, exclusion = about.contradiction.external_id, getattr(about, "exclusion", None)
    prompt = bundled.get(response.prompt) or bundled.get(response.prompt_hash)
    return {
        "row": f"{record}:{about.n}:{prompt}" if prompt else None,
        "record": record,
        "question": about.question,
        "excluded": bool(exclusion and exclusion.excluded_by_id),
        "prompt": response.prompt,
        "model": model.model_id,
        "options": model.options,
        "sample": response.sample,
        "prompt_verified": verified,
        "response_sha256": hashlib.sha256(came_as.encode()).hexdigest(),
    }
