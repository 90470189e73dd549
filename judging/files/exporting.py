"""Exports of a study: as JSON or CSV with everything, or in the published format that it was imported from."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from datasets.models import Instance
from generation.models import Response
from generation.prompts import prompting
from judging.files import studyfile, wikicontradict
from judging.files.human_verdicts import human_lines
from judging.files.wikicontradict import PublishedAnswer, PublishedQuestion, PublishedRow
from judging.models import Study
from judging.presenting import contexts_given
from judging.states import StudyState
from leases.refusal import NotFoundHere, Refusal

LABEL_OF_VERDICT = {verdict: label for label, verdict in wikicontradict.VERDICTS.items()}


def published_data(study: Study) -> dict[str, Any]:
    """The published file's data. Raises Refusal for a study whose verdicts did not come from such a file."""
    rows = study.imported_rows.select_related("model", "instance__contradiction")
    answers = _answers_by_row(study)
    records = [
        replace(
            row_of(row.model.model_id, row.instance, answers[row.model_id, row.instance_id]),
            kept=row.kept,
        )
        for row in rows
    ]
    if not records:
        raise Refusal(
            f"{study.name} was not imported from the published format. Export it as json or csv."
        )
    return wikicontradict.build(records)


def published_text(study: Study) -> str:
    """The published file, indented as the release is."""
    return json.dumps(published_data(study), indent=1) + "\n"


@dataclass(frozen=True)
class StudyFormat:
    """An export format. `chunks` yields the file's text; it raises Refusal before the first chunk."""

    label: str
    suffix: str
    content_type: str
    holds: str
    leaves_out: str
    chunks: Callable[[Study], Iterable[str]]


_LEFT_OUT = "verdicts that a judge may still change, and people's names: judges have pseudonyms."
FORMATS = {
    "json": StudyFormat(
        "The whole study (JSON)",
        "-study.json",
        "application/json; charset=utf-8",
        "Each response with what the model was sent and what it answered, every first verdict with its comment and "
        "time, the final verdict and how it was reached, and the verdicts of judge models.",
        _LEFT_OUT,
        studyfile.json_chunks,
    ),
    "csv": StudyFormat(
        "The whole study (CSV)",
        "-study.csv",
        "text/csv; charset=utf-8",
        "The same in one line for each first verdict; cells that a spreadsheet would run as formulas are guarded.",
        _LEFT_OUT,
        studyfile.csv_chunks,
    ),
    "human": StudyFormat(
        "Verdicts of people (JSON Lines)",
        "-human.jsonl",
        "application/jsonlines",
        "One line for each judged response of a closed study: the row of the release, the final verdict and how it was "
        "reached, the rubric, and the first verdicts. The client writes them into a copy of a log of Inspect.",
        "comments, scores by words, what judge models said, and people's names: judges have pseudonyms.",
        human_lines,
    ),
    "published": StudyFormat(
        "The published format (JSON)",
        "-published.json",
        "application/json; charset=utf-8",
        "Questions, answers of models and final verdicts, as WikiContradict's human evaluation was published.",
        "first verdicts, comments, and what the published file has no key for.",
        lambda study: [published_text(study)],
    ),
}


def formats_of(study: Study) -> dict[str, StudyFormat]:
    """The formats that this study can be exported to, by name."""
    has = {
        "published": study.imported_rows.exists(),
        "human": study.is_judged and study.state == StudyState.CLOSED,
    }
    return {name: kind for name, kind in FORMATS.items() if has.get(name, True)}


def format_named(name: str) -> StudyFormat:
    """The format of this name; raises NotFoundHere with the known names."""
    if name not in FORMATS:
        raise NotFoundHere(f"A study has no export {name!r}. There are: {', '.join(FORMATS)}.")
    return FORMATS[name]


def row_of(
    model: str, instance: Instance, answered: Iterable[tuple[Response, str | None]]
) -> PublishedRow:
    """One model's answers to one question from our rows: each response with its final verdict."""
    pairs = list(answered)
    known = {response.prompt: (response, verdict) for response, verdict in pairs}
    in_order = [known[prompting.find(label).name] for label in wikicontradict.PROMPTS]
    question = _question(instance, pairs[0][0])
    answers = tuple(
        _answer(label, *both) for label, both in zip(wikicontradict.PROMPTS, in_order, strict=True)
    )
    return PublishedRow(model, question, answers)


def _answers_by_row(study: Study) -> dict[tuple[int, int], list[tuple[Response, str | None]]]:
    answers: dict[tuple[int, int], list[tuple[Response, str | None]]] = {}
    with_texts = study.items.select_related("response__instance__contradiction", "resolution")
    for item in with_texts:
        resolution = getattr(item, "resolution", None)
        key = (item.response.model_id, item.response.instance_id)
        verdict = resolution.verdict if resolution else None
        answers.setdefault(key, []).append((item.response, verdict))
    return answers


def _question(instance: Instance, response: Response) -> PublishedQuestion:
    tag = instance.contradiction
    contexts = contexts_given(response)
    return PublishedQuestion(
        number=instance.external_number or 0,
        title=tag.title,
        url=tag.url,
        question=instance.question,
        context_1=contexts[0],
        context_2=contexts[1],
        answer_1=instance.answer_1 or "",
        answer_2=instance.answer_2 or "",
        **{
            name: getattr(tag, name) or ""
            for name in ("same_passage", "type_1", "type_2", "type_3", "type_4")
        },
    )


def _answer(label: str, response: Response, verdict: str | None) -> PublishedAnswer:
    return PublishedAnswer(
        prompt=label,
        sent=response.rendered,
        text=response.text,
        gold=wikicontradict.GOLD_BETWEEN.join(response.gold),
        label=LABEL_OF_VERDICT[verdict] if verdict else None,
    )
