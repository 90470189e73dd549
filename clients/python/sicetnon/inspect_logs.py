"""Logs of Inspect, by Inspect's own functions: replies out of one, and people's verdicts into a copy of one."""

import hashlib
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from inspect_ai import log as logs
from inspect_ai.scorer import ScoreEdit

from sicetnon.errors import LogRefused
from sicetnon.lines import LONGEST, read_lines
from sicetnon.transport import Row, whole_file

SCORE = "human"
# Bytes of the samples that are in memory, as they are in the log, unless one is larger.
BATCH = 1 << 24
# Of the log are read at a time: 4096 bytes of zeros can be 128 MB of zstd.
BLOCK = 1 << 12
# One file of a sample, or several in a folder.
SAMPLE = re.compile(r"samples/(.+?)_epoch_1(?:\.json|/.+)")
# What a score says besides the verdict.
ABOUT = ("resolved", "round", "rubric", "first", "prompt_verified")
# What is read of a line of human.jsonl.
LINE = {"row", "model", "options", "excluded", "response_sha256", "verdict", "study", *ABOUT}
# What decides a reply besides model and prompt.
SAMPLING = (
    "system_message", "max_tokens", "temperature", "top_p", "top_k", "stop_seqs", "seed", "frequency_penalty",
    "presence_penalty", "logit_bias", "reasoning_effort", "reasoning_tokens", "effort", "verbosity", "extra_body",
)  # fmt: skip


def responses(log: str | Path) -> Iterator[Row]:
    """A row for each sample, for `Client.import_responses`; a few samples at a time are in memory.

    The task asks lines of a bundle's prompts.jsonl, as the bundle's own does. Raises LogRefused.
    """
    path = Path(log)
    header, sizes = _opened(path)
    model = _model(header)
    for sample in _samples(path, sizes):
        output, usage = sample.output, sample.output.usage
        known = {"prompt_sha256": sample.metadata["prompt_sha256"]}
        yield {
            "row": sample.id,
            **model,
            "text": output.completion,
            "raw": output.model_dump(mode="json", exclude_none=True),
            "tokens": usage and {"prompt": usage.input_tokens, "completion": usage.output_tokens},
            "finish_reason": output.stop_reason,
            **(known if _is_as_written(sample, model["options"]) else {}),
        }


def add_human(log: str | Path, verdicts: str | Path, copy: str | Path) -> int:
    """Write a copy of the log with the verdicts of human.jsonl as the score `human`; returns how many it got.

    Verdicts on other models, on excluded questions, and those not decided are left out. Raises LogRefused where a reply
    or its prompt is not what was judged, where there is such a score already, and where no verdict is on the log.
    """
    path, target = Path(log), Path(copy)
    if target.exists():
        raise LogRefused(f"{target} is there already. Name a new file for the copy.")
    if target.suffix != path.suffix:
        raise LogRefused(f"Name a file with {path.suffix} for the copy, not {target}.")
    header, sizes = _opened(path)
    given = _given(verdicts, _model(header))
    found = {}
    for sample in _samples(path, sizes):
        if SCORE in (sample.scores or {}):
            raise LogRefused(f"Sample {sample.id} has a score {SCORE} already. Take another log.")
        if line := given.get(sample.id):
            found[sample.id] = _edit(sample, line)
    if not found:
        raise LogRefused(f"No verdict is on a reply of {path.name}: another release or model.")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    whole = _safely(path, logs.read_eval_log, path)
    for sample in whole.samples:
        if edit := found.get(sample.id):
            edit.provenance.metadata["log_sha256"] = digest
            logs.edit_score(whole, sample.id, SCORE, edit, recompute_metrics=False)
            # People's verdicts come first.
            sample.scores = {SCORE: sample.scores.pop(SCORE), **sample.scores}
    with whole_file(target) as part:
        logs.write_eval_log(whole, part)
    return len(found)


def _safely(path: Path, read: Callable[..., Any], *of: Any, **how: Any) -> Any:
    """What it reads. What a reader raises of a file that is cut off, or no log at all, depends on where it ends."""
    try:
        return read(*of, **how)
    except Exception as error:
        raise LogRefused(f"{path.name} is no whole log of Inspect: {error!r}") from None


def _sizes(path: Path) -> dict[str, int]:
    """How many bytes each part has. What the zip's directory says of them is not believed."""
    with zipfile.ZipFile(path) as zipped:
        return {entry.filename: _unpacked(zipped, entry) for entry in zipped.infolist()}


def _unpacked(zipped: zipfile.ZipFile, entry: zipfile.ZipInfo) -> int:
    """Its bytes; where they are too many, no more of them are read."""
    entry.file_size, size = 1 << 62, 0
    with zipped.open(entry) as part:
        while size <= LONGEST and (block := part.read(BLOCK)):
            size += len(block)
    return size


def _opened(path: Path) -> tuple[Any, dict[str, int]]:
    """The head of a log that can be taken over, and the bytes of each sample by its id."""
    if path.suffix == ".json":
        raise LogRefused(f"{path.name} is one text. Make a log of parts: inspect log convert.")
    parts, samples = _safely(path, _sizes, path), Counter[str]()
    for name, size in parts.items():
        if size > LONGEST:
            raise LogRefused(f"{path.name}: {name} has over {LONGEST} bytes. No more are read.")
        if name.startswith("samples/"):
            samples[SAMPLE.sub(r"\1", name)] += size
    log = _safely(path, logs.read_eval_log, path, header_only=True)
    if log.status != "success" or log.invalidated:
        raise LogRefused(f"{path.name} is {log.status}, or not valid. Run or retry it to its end.")
    if (log.eval.config.epochs or 1) > 1:
        raise LogRefused(f"{path.name} has several epochs. Run it with one: a row has one reply.")
    ids = [*map(str, log.eval.dataset.sample_ids or ())]
    if {*ids} != {*samples}:
        raise LogRefused(f"{path.name} is no whole log of Inspect: its head names other samples.")
    return log, {each: samples[each] for each in ids}


def _model(log: Any) -> Row:
    """Its model with the options."""
    # As Inspect merges them: the task's and the command's come after the model's own, and those of the call last.
    config = logs.effective_generate_config(log).merge(log.plan.config)
    options = config.model_dump(mode="json", include={*SAMPLING}, exclude_none=True)
    for step in log.plan.steps:
        if step.solver == "generate":
            named = {name: step.params.get(name) for name in SAMPLING}
            options |= {name: of for name, of in named.items() if of is not None}
    return {"model": log.eval.model, "options": options}


def _samples(path: Path, sizes: dict[str, int]) -> Iterator[Any]:
    """Each sample of the log, checked; those of BATCH are in memory."""
    parts: Any = {"resolve_attachments": True, "exclude_fields": {"events", "store"}}
    for some in _batches(sizes):
        for sample in _safely(path, logs.read_eval_log_samples_by_id, path, some, **parts):
            if fault := _fault(sample):
                raise LogRefused(f"{path.name}: sample {sample.id} {fault}.")
            yield sample


def _batches(sizes: dict[str, int]) -> Iterator[list[tuple[str, int]]]:
    some: list[tuple[str, int]] = []
    left = BATCH
    for each, size in sizes.items():
        if some and size > left:
            yield some
            some, left = [], BATCH
        some.append((each, 1))
        left -= size
    if some:
        yield some


def _fault(sample: Any) -> str:
    """Why a sample cannot be taken over; "" where it can."""
    replies = [message for message in sample.messages if message.role == "assistant"]
    contents = [message.content for message in sample.messages]
    parts = [part.type for each in contents if not isinstance(each, str) for part in each]
    row = sample.metadata or {}
    if sample.error or sample.limit:
        return "ended with an error or at a limit. Run or retry it to its end"
    if any(each.role == "tool" or getattr(each, "tool_calls", None) for each in sample.messages):
        return "used tools, which judges do not see"
    if other := {*parts} - {"text", "reasoning"}:
        return f"has more than text, which judges do not see: {', '.join(sorted(other))}"
    if len(replies) != 1 or len(sample.output.choices) != 1:
        return "has not exactly one reply"
    if row.get("id") != sample.id or "prompt_sha256" not in row:
        return "is of no row of a release. Run the task in its bundle"
    return ""


def _is_as_written(sample: Any, options: Row) -> bool:
    """Whether the text of its row is all that was sent. No message of the sample is a system message of the options."""
    sent = [(message.role, message.text) for message in sample.messages[:-1]]
    is_alone = not options.get("system_message")
    return bool(is_alone and sent == [("user", sample.metadata.get("text"))])


def _given(path: str | Path, model: Row) -> dict[str, Row]:
    """The lines of human.jsonl on this model, by row."""
    given: dict[str, Row] = {}
    for number, line in enumerate(read_lines(path), start=1):
        texts = (line.get("row") or "", line.get("verdict") or "")
        if not line.keys() >= LINE or not all(isinstance(each, str) for each in texts):
            raise LogRefused(
                f"{path}: line {number} is no verdict. Take human.jsonl of a closed study."
            )
        is_decided = line["row"] and line["verdict"] and not line["excluded"]
        if is_decided and {"model": line["model"], "options": line["options"]} == model:
            if line["row"] in given:
                raise LogRefused(f"{line['row']} was judged twice. Take the verdicts on one run.")
            given[line["row"]] = line
    return given


def _edit(sample: Any, line: Row) -> ScoreEdit:
    """The score from a line, if it is on this reply."""
    digest = hashlib.sha256(sample.output.completion.encode()).hexdigest()
    is_known = _is_as_written(sample, line["options"]) or not line["prompt_verified"]
    if digest != line["response_sha256"] or not is_known:
        raise LogRefused(f"Sample {sample.id} is not what was judged: the log was changed since.")
    provenance = logs.ProvenanceData(
        author=f"Sic et Non, study {line['study']}",
        reason="The verdict of people who judged the reply blind.",
        metadata={"response_sha256": digest},
    )
    about = {name: line[name] for name in ABOUT}
    return ScoreEdit(value=line["verdict"], metadata=about, provenance=provenance)
