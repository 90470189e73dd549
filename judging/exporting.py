"""Human evaluations on their way out: the published file of an imported study, as it came in."""

import json
from collections.abc import Iterable
from typing import Any

from datasets.contexts import context_1, context_2
from datasets.models import Instance
from generation import prompting
from generation.models import Response
from judging import published
from judging.models import ImportedRow, Study
from judging.published import Answer, Question, Row
from leases.refusal import Refusal

LABEL_OF_VERDICT = {verdict: label for label, verdict in published.VERDICTS.items()}


def published_data(study: Study) -> dict[str, Any]:
    """The published file's data. Raises Refusal for a study whose verdicts did not come from such a file."""
    rows = study.imported_rows.select_related("model", "instance__contradiction")
    answers = _answers_by_row(study)
    found = [_row(row, answers[row.model_id, row.instance_id]) for row in rows]
    if not found:
        raise Refusal(
            f"{study.name} was not imported from the published format. Export it as json or csv."
        )
    return published.build(found)


def published_text(study: Study) -> str:
    """The published file, indented as the release is."""
    return json.dumps(published_data(study), indent=1) + "\n"


def row_of(model: str, instance: Instance, answered: Iterable[tuple[Response, str | None]]) -> Row:
    """What our rows say of one model's answers to one question: each response with its final verdict."""
    pairs = list(answered)
    known = {response.prompt: (response, verdict) for response, verdict in pairs}
    in_order = [known[prompting.find(label).name] for label in published.PROMPTS]
    question = _question(instance, pairs[0][0])
    answers = tuple(
        _answer(label, *both) for label, both in zip(published.PROMPTS, in_order, strict=True)
    )
    return Row(model, question, answers)


def _row(row: ImportedRow, answered: Iterable[tuple[Response, str | None]]) -> Row:
    held = row_of(row.model.model_id, row.instance, answered)
    return Row(held.model, held.question, held.answers, row.kept)


def _answers_by_row(study: Study) -> dict[tuple[int, int], list[tuple[Response, str | None]]]:
    found: dict[tuple[int, int], list[tuple[Response, str | None]]] = {}
    for item in study.items.select_related("response", "resolution"):
        resolution = getattr(item, "resolution", None)
        key = (item.response.model_id, item.response.instance_id)
        verdict = resolution.verdict if resolution else None
        found.setdefault(key, []).append((item.response, verdict))
    return found


def _question(instance: Instance, response: Response) -> Question:
    tag = instance.contradiction
    contexts = response.passages or [context_1(tag), context_2(tag)]
    return Question(
        number=instance.external_number or 0,
        title=tag.title,
        url=tag.url,
        question=instance.question,
        context_1=contexts[0],
        context_2=contexts[1],
        answer_1=instance.answer_1 or "",
        answer_2=instance.answer_2 or "",
        same_passage=tag.same_passage or "",
        type_1=tag.type_1 or "",
        type_2=tag.type_2 or "",
        type_3=tag.type_3 or "",
        type_4=tag.type_4 or "",
    )


def _answer(label: str, response: Response, verdict: str | None) -> Answer:
    return Answer(
        prompt=label,
        sent=response.rendered,
        text=response.text,
        gold=published.GOLD_BETWEEN.join(response.gold),
        label=LABEL_OF_VERDICT[verdict] if verdict else None,
    )
