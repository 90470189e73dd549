"""Human evaluations on their way out: whole, in our own format, or as the published file they came in from."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from datasets.models import Instance
from generation import prompting
from generation.models import Response
from judging import published, studyfile
from judging.models import ImportedRow, Study
from judging.published import Answer, Question, Row
from judging.shown import contexts_given
from leases.refusal import NotFoundHere, Refusal

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


@dataclass(frozen=True)
class Format:
    """A way out. `chunks` gives the file's text, and raises Refusal before the first of it."""

    label: str
    suffix: str
    content_type: str
    chunks: Callable[[Study], Iterable[str]]


FORMATS = {
    "json": Format(
        "Everything as JSON", ".json", "application/json; charset=utf-8", studyfile.json_chunks
    ),
    "csv": Format("Everything as CSV", ".csv", "text/csv; charset=utf-8", studyfile.csv_chunks),
    "published": Format(
        "The published format (JSON)",
        "-published.json",
        "application/json; charset=utf-8",
        lambda study: [published_text(study)],
    ),
}


def formats_of(study: Study) -> dict[str, Format]:
    """The ways out of this study, by name."""
    held = study.imported_rows.exists()
    return {name: way for name, way in FORMATS.items() if held or name != "published"}


def format_named(name: str) -> Format:
    """Raises NotFoundHere with the names there are."""
    if name not in FORMATS:
        raise NotFoundHere(f"A study has no export {name!r}. There are: {', '.join(FORMATS)}.")
    return FORMATS[name]


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
    with_texts = study.items.select_related("response__instance__contradiction", "resolution")
    for item in with_texts:
        resolution = getattr(item, "resolution", None)
        key = (item.response.model_id, item.response.instance_id)
        verdict = resolution.verdict if resolution else None
        found.setdefault(key, []).append((item.response, verdict))
    return found


def _question(instance: Instance, response: Response) -> Question:
    tag = instance.contradiction
    contexts = contexts_given(response)
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
