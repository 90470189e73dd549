"""A whole study as JSON and as CSV: the responses, every first verdict, every final verdict and how it was reached.

People appear under their pseudonyms. A verdict that its judge can still change is left out; only the state of its slot
is given.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from django.db.models import Prefetch, Q

from datasets.models import Instance
from generation import prompt_versions
from generation.models import RejectedReply, Response
from judging.models import (
    Judge,
    JudgingSlot,
    Judgment,
    MachineVerdict,
    Resolution,
    Round,
    Study,
    StudyItem,
)
from judging.presenting import contexts_given
from judging.states import SlotState
from pages.data_responses import csv_lines

FORMAT, VERSION = "sic-et-non-study", 1
BATCH = 500
CLOSED = (SlotState.LOCKED, SlotState.WITHDRAWN)

ITEM = (
    "item", "collection", "contradiction", "title", "question_number", "external_number", "question",
    "answer_1", "answer_2", "passage_1", "passage_2", "same_passage", "type_1", "type_2", "type_3",
    "type_4", "excluded", "prompt", "prompt_label", "model_service", "model", "model_options", "sample",
    "sent", "response", "names_its_model",
)  # fmt: skip
# What only some responses have; the CSV has these columns where a response of the study does.
SOME = (
    (("first_reply", "sent_second"), Q(first_reply__isnull=False, check_reply=None)),
    (("sent_check", "check_reply"), Q(check_reply__isnull=False)),
    (("option_scores",), Q(option_scores__isnull=False)),
    (("form", "times", "askings", "rejected"), Q(wanted__isnull=False)),
    (("finding",), ~Q(finding="")),
    (("prompt_verified",), Q(prompt_verified__isnull=False)),
    (("drawn_order",), Q(drawn__has_key="order")),
    (("drawn_shots",), Q(drawn__has_key="shots")),
)
VERDICT = (
    "round", "seat", "repeat", "judge", "state", "first_verdict", "comment", "seconds", "flagged",
    "flag_note", "skip_reason",
)  # fmt: skip
FINAL = ("verdict", "round", "how", "resolved_by", "cause", "note")


def json_chunks(study: Study) -> Iterator[str]:
    """The study as one JSON object, item by item."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "study": study_entry(study),
        "rounds": [round_entry(round_) for round_ in _rounds(study)],
        "judges": [_judge_entry(judge) for judge in study.judges.select_related("model")],
    }
    yield _json(head)[:-1] + ', "items": ['
    between = "\n"
    for entry in entries(study):
        yield between + _json(entry)
        between = ",\n"
    yield "\n]}\n"


def csv_chunks(study: Study) -> Iterator[str]:
    """The study as CSV: one line for each slot, and one for each response without slots."""
    responses = Response.objects.filter(study_items__study=study)
    some = (names for names, have in SOME if responses.filter(have).exists())
    columns = [*ITEM, *chain.from_iterable(some)]
    header = [*columns, *VERDICT, *(f"final_{name}" for name in FINAL)]
    return csv_lines(header, (line for entry in entries(study) for line in _lines(entry, columns)))


def entries(study: Study) -> Iterator[dict[str, Any]]:
    """An entry for each item, in the study's order: keys of ITEM, "verdicts" (VERDICT), "final" (FINAL or null).

    Some responses have keys of SOME too: the first reply and the second text of two turns; the
    check and its reply; the probabilities of scored
    options; the asked form, how often it might be asked and was, and the replies without it; the finding of a response
    that is no usual answer; whether the prompt of one made elsewhere is verified; the order of the passages that the
    prompt shuffles; the names of the examples that were drawn.

    "replaced" has the verdicts of rounds that are not final, as FINAL.
    """
    slots = JudgingSlot.objects.select_related("round", "judge", "judgment")
    machine = MachineVerdict.objects.select_related("judge", "rubric").prefetch_related("calls")
    replaced = Resolution.objects.filter(final_for=None).select_related("resolved_by", "round")
    items = (
        study.items.select_related(
            "response__instance__contradiction__collection",
            "response__instance__exclusion",
            "response__model",
            "response__first_reply",
            "resolution__resolved_by",
            "resolution__round",
        )
        .prefetch_related(
            "response__option_scores",
            Prefetch("response__rejected", RejectedReply.objects.only("response", "text")),
            Prefetch("resolutions", replaced.order_by("round__n"), to_attr="replaced"),
            Prefetch("slots", slots.order_by("round__n", "seat", "repeat")),
            Prefetch("machine_verdicts", machine.order_by("judge__pseudonym", "pk")),
        )
        .defer("response__first_reply__request", "response__first_reply__reply")
        .defer("response__instance__contradiction__fields")
        .order_by("position")
    )
    labels: dict[str, str] = {}
    for item in items.iterator(chunk_size=BATCH):
        asked = item.response.prompt
        if asked not in labels:
            labels[asked] = prompt_versions.find(asked).label
        yield {
            **_item_entry(item, labels[asked]),
            "verdicts": [_verdict_entry(slot) for slot in item.slots.all()],
            "final": _final_entry(getattr(item, "resolution", None)),
            "replaced": [_final_entry(old) for old in item.replaced],
            "machine_verdicts": [
                _machine_entry(machine) for machine in item.machine_verdicts.all()
            ],
        }


def study_entry(study: Study) -> dict[str, Any]:
    """The study and its design."""
    rubric = study.rubric
    # Without judges, and of a file, nobody chose how it is judged.
    is_designed = study.is_judged and not study.is_imported
    return {
        "name": study.name,
        "state": study.state,
        "is_imported": study.is_imported,
        "is_demonstration": study.is_demonstration,
        "judges_per_response": None if study.is_imported else study.judges_per_response,
        "resolved_by": study.resolved_by if is_designed else None,
        "order": study.order,
        "pairing": study.pairing if is_designed else None,
        "double_percent": study.double_percent if is_designed else None,
        "repeat_percent": study.repeat_percent if is_designed else None,
        "without_own": study.without_own if is_designed else None,
        "seed": study.seed,
        "subset": study.subset
        and {
            "name": study.subset.name,
            "query": study.subset.query,
            "one_per_tag": study.subset.one_per_tag,
            "frame": study.subset.frame,
            "strata": study.subset.strata,
            "seed": study.subset.seed,
        },
        **({"only_label": study.only_label} if study.only_label else {}),
        "rubric": rubric
        and {"name": rubric.name, "version": rubric.version, "sha256": rubric.sha256},
    }


def _rounds(study: Study) -> Iterable[Round]:
    rows = study.rounds.select_related("rubric").prefetch_related("reopenings")
    return rows.order_by("n")


def round_entry(round_: Round) -> dict[str, Any]:
    """A round, with why and when it was opened, and opened again."""
    return {
        "round": round_.n,
        "rubric": {
            "name": round_.rubric.name,
            "version": round_.rubric.version,
            "sha256": round_.rubric.sha256,
        },
        "reason": round_.reason,
        "counts": round_.counts,
        "could_read": round_.could_read,
        "opened_at": round_.opened_at.isoformat(),
        "closed_at": round_.closed_at.isoformat() if round_.closed_at else None,
        "reopened": [
            {"reason": again.reason, "could_read": again.could_read, "at": again.at.isoformat()}
            for again in round_.reopenings.all()
        ],
    }


def _judge_entry(judge: Judge) -> dict[str, Any]:
    kind = "person" if judge.person_id else "model" if judge.model else "external"
    return {
        "judge": judge.pseudonym,
        "kind": kind,
        "model": judge.model.model_id if judge.model else None,
    }


def _item_entry(item: StudyItem, label: str) -> dict[str, Any]:
    response = item.response
    return {
        "item": item.position,
        **_question_entry(response.instance, response),
        "prompt": response.prompt,
        "prompt_label": label,
        "model_service": response.model.service,
        "model": response.model.model_id,
        "model_options": response.model.options,
        "sample": response.sample,
        "sent": response.rendered,
        **_second_turn(response),
        "response": response.text,
        **_scores(response),
        **_asked_form(response),
        **({"finding": response.finding} if response.finding else {}),
        **_verified(response),
        **{f"drawn_{what}": names for what, names in (response.drawn or {}).items()},
        "names_its_model": item.names_its_model,
    }


def _verified(response: Response) -> dict[str, bool]:
    """Of a response made elsewhere, whether its file has the hash of its prompt."""
    verified = response.prompt_verified
    return {} if verified is None else {"prompt_verified": verified}


def _second_turn(response: Response) -> dict[str, str]:
    """What was sent after the first reply, with that reply or, of a check, the one to it; nothing of one turn."""
    if response.check_reply is not None:
        return {"sent_check": response.check_sent, "check_reply": response.check_reply}
    _, *then = response.sent_texts
    return {"first_reply": response.first_reply.text, "sent_second": then[0]} if then else {}


def _scores(response: Response) -> dict[str, dict[str, float | None]]:
    """The probability of each option that was scored; nothing where the answer is a text."""
    scores = {score.option: score.mass for score in response.option_scores.all()}
    return {"option_scores": scores} if scores else {}


def _asked_form(response: Response) -> dict[str, Any]:
    """The asked form and the replies without it; nothing where any text is an answer."""
    if response.wanted is None:
        return {}
    return {
        "form": response.wanted["form"],
        "times": response.wanted["times"],
        "askings": response.askings,
        "rejected": [reply.text for reply in response.rejected.all()],
    }


def _question_entry(instance: Instance, response: Response) -> dict[str, Any]:
    tag = instance.contradiction
    passage_1, passage_2 = contexts_given(response)
    exclusion = getattr(instance, "exclusion", None)
    return {
        "collection": tag.collection.name,
        "contradiction": tag.external_id,
        "title": tag.title,
        "question_number": instance.n,
        "external_number": instance.external_number,
        "question": instance.question,
        "answer_1": instance.answer_1,
        "answer_2": instance.answer_2,
        "passage_1": passage_1,
        "passage_2": passage_2,
        **{
            name: getattr(tag, name)
            for name in ("same_passage", "type_1", "type_2", "type_3", "type_4")
        },
        "excluded": bool(exclusion and exclusion.excluded_by_id),
    }


def _verdict_entry(slot: JudgingSlot) -> dict[str, Any]:
    closed = slot.state in CLOSED
    judgment: Judgment | None = getattr(slot, "judgment", None) if closed else None
    return {
        "round": slot.round.n,
        "seat": slot.seat,
        "repeat": slot.repeat,
        "judge": slot.judge.pseudonym if slot.judge else None,
        "state": slot.state,
        "first_verdict": judgment.first_verdict if judgment else None,
        "comment": judgment.comment if judgment else "",
        "seconds": judgment.seconds if judgment else None,
        "flagged": slot.flagged if closed else None,
        "flag_note": slot.flag_note if closed else "",
        "skip_reason": slot.skip_reason if closed else "",
    }


def _machine_entry(machine: MachineVerdict) -> dict[str, Any]:
    """A judge model's verdict with the reply that it was read from."""
    last = next(reversed(machine.calls.all()), None)
    return {
        "judge": machine.judge.pseudonym,
        "rubric": str(machine.rubric),
        "state": machine.state,
        "verdict": machine.verdict,
        "holds": machine.holds,
        "reply": last.reply if last else "",
        "spelling": last.spelling if last else "",
    }


def _final_entry(resolution: Resolution | None) -> dict[str, Any] | None:
    if resolution is None:
        return None
    by = resolution.resolved_by
    return {
        "verdict": resolution.verdict,
        "round": resolution.round.n,
        "how": resolution.how,
        "resolved_by": by.pseudonym if by else None,
        "cause": resolution.cause,
        "note": resolution.note,
    }


def _lines(entry: Mapping[str, Any], columns: Iterable[str]) -> Iterator[list[Any]]:
    final = entry["final"] or {}
    item = [_cell(entry.get(name)) for name in columns]
    for verdict in entry["verdicts"] or [{}]:
        given = [_cell(verdict.get(name)) for name in VERDICT]
        yield [*item, *given, *(final.get(name) for name in FINAL)]


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _json(value) if isinstance(value, dict | list) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
