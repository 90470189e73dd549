"""Run by the lab's own Python: logs that the client refuses, each with what it says; and one that it takes.

Prints what it says of each as JSON.
"""

import hashlib
import json
import zipfile
import zlib
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSampleLimit, read_eval_log, write_eval_log
from inspect_ai.log._log import EvalError
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score
from inspect_ai.solver import generate
from sicetnon import inspect_logs
from sicetnon.errors import LogRefused
from sicetnon.inspect_logs import add_human, responses
from sicetnon.lines import write_lines

ROWS = [
    {"id": f"{record}:1:both-passages", "prompt_sha256": "5" * 64, "text": f"When was {record}?"}
    for record in ("abc", "def")
]


def asked(**how):
    def reply(messages, tools, choice, config):
        made = ModelOutput.from_content("mockllm/model", f"Surely. {messages[-1].text}")
        made.usage = ModelUsage(input_tokens=3, output_tokens=5, total_tokens=8)
        return made

    samples = [Sample(row["text"], id=row["id"], metadata=row) for row in ROWS]
    config = GenerateConfig(temperature=0, max_tokens=250, max_connections=3)
    task = Task(dataset=MemoryDataset(samples), solver=generate(), config=config)
    model = get_model("mockllm/model", custom_outputs=reply, config=GenerateConfig(seed=7))
    [log] = evaluate(task, model=model, log_dir="logs", display="none", **how)
    return Path(log.location.removeprefix("file://"))


def changed(source, change, name="changed.eval"):
    """A copy of the log with one change, made as Inspect makes them."""
    log = read_eval_log(source)
    change(log)
    write_eval_log(log, name)
    return Path(name)


def padded(source, name, number, *, compression=zipfile.ZIP_DEFLATED, is_hidden=False):
    """A copy whose samples have so many spaces behind them; the zip's directory says so, unless they are hidden."""
    with zipfile.ZipFile(source) as log, zipfile.ZipFile(name, "w", compression) as made:
        for part in log.namelist():
            text = log.read(part)
            made.writestr(part, text + b" " * number * part.startswith("samples/"))
            if is_hidden:
                made.getinfo(part).file_size = len(text)
                made.getinfo(part).CRC = zlib.crc32(text)
    return Path(name)


def read_at_once(log):
    """How many samples are read at once."""
    numbers, read = [], inspect_logs.logs.read_eval_log_samples_by_id

    def counted(path, some, **how):
        numbers.append(len(some))
        return read(path, some, **how)

    inspect_logs.logs.read_eval_log_samples_by_id = counted
    list(responses(log))
    inspect_logs.logs.read_eval_log_samples_by_id = read
    return numbers


def of_first(change):
    return lambda log: change(log.samples[0])


def said(do, *arguments):
    try:
        taken = do(*arguments)
        return f"taken: {taken if isinstance(taken, int) else len(list(taken))}"
    except LogRefused as refused:
        return str(refused)


def failed(sample):
    sample.error = EvalError(message="Out of memory", traceback="", traceback_ansi="")


def with_tool(sample):
    sample.messages.insert(1, ChatMessageTool(content="42"))


def with_image(sample):
    sample.messages[0] = ChatMessageUser(content=[ContentImage(image="data:image/png;base64,AA==")])


def of_no_row(sample):
    sample.metadata = {}


def from_elsewhere(log):
    log.samples[0].id = log.eval.dataset.sample_ids[0] = "../../etc/passwd"


def thought(sample):
    text = ContentText(text="In 1801.")
    sample.output = ModelOutput.from_content("m", [ContentReasoning(reasoning="Hm."), text])
    sample.messages[-1] = sample.output.choices[0].message


def replied(sample):
    sample.output = ModelOutput.from_content("m", "No.")


def told(sample):
    sample.messages.insert(0, ChatMessageSystem(content="Be brief."))


def on_reading(log):
    whole = log.read_bytes()
    Path("cut.eval").write_bytes(whole[: len(whole) // 2])
    write_eval_log(read_eval_log(log), "whole.json")
    with Path("zeros.eval").open("wb") as file:
        file.truncate(1 << 30)
    with zipfile.ZipFile("bomb.eval", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("../../samples/x.json", bytes((1 << 26) + 1))
    Path("no log.eval").write_bytes(b"PK")
    changes = {
        "error": lambda whole: setattr(whole, "status", "error"),
        "cancelled": lambda whole: setattr(whole, "status", "cancelled"),
        "not valid": lambda whole: setattr(whole, "invalidated", True),
        "a sample's error": of_first(failed),
        "a sample's limit": of_first(
            lambda sample: setattr(sample, "limit", EvalSampleLimit(type="token", limit=9))
        ),
        "tools": of_first(with_tool),
        "an image": of_first(with_image),
        "two replies": of_first(lambda sample: sample.messages.append(sample.messages[-1])),
        "no row": of_first(of_no_row),
        "another id": from_elsewhere,
        "a sample less": lambda whole: whole.samples.pop(),
        "a name less": lambda whole: whole.eval.dataset.sample_ids.pop(),
        "no names": lambda whole: setattr(whole.eval.dataset, "sample_ids", None),
    }
    padded(log, "hidden.eval", 1 << 26, is_hidden=True)
    padded(log, "93.eval", 1 << 26, is_hidden=True, compression=zipfile.ZIP_ZSTANDARD)
    names = ("cut.eval", "zeros.eval", "bomb.eval", "hidden.eval", "93.eval", "no log.eval")
    found = {name: said(responses, name) for name in (*names, "whole.json")}
    found |= {name: said(responses, changed(log, change)) for name, change in changes.items()}
    return found | {"epochs": said(responses, asked(epochs=2)), "taken": said(responses, log)}


def human(rows, **others):
    """The lines of human.jsonl on these rows."""
    write_lines(
        (
            {
                "row": row["row"], "model": row["model"], "options": row["options"], "excluded": False,
                "response_sha256": hashlib.sha256(row["text"].encode()).hexdigest(), "first": {"A": "correct"},
                "verdict": "correct", "resolved": "single", "round": 1, "rubric": {"name": "r", "version": 1},
                "study": "Pilot", "prompt_verified": True, **others,
            }
            for row in rows
        ),
        "human.jsonl",
    )  # fmt: skip
    return "human.jsonl"


def on_going_back(log):
    rows = list(responses(log))
    before = log.read_bytes()
    scored = changed(
        log,
        of_first(lambda sample: setattr(sample, "scores", {"human": Score(value=1)})),
        "scored.eval",
    )
    other = changed(
        log,
        of_first(replied),
        "other.eval",
    )
    asked_otherwise = changed(log, of_first(told), "told.eval")
    briefed = asked(system_message="Be brief.")
    found = {
        "a score human": said(add_human, scored, human(rows), "copy.eval"),
        "a score human elsewhere": said(add_human, scored, human(rows[1:]), "copy.eval"),
        "another reply": said(add_human, other, human(rows), "copy.eval"),
        "another prompt": said(add_human, asked_otherwise, human(rows), "copy.eval"),
        "a system message": said(add_human, briefed, human(list(responses(briefed))), "copy.eval"),
        "another model": said(add_human, log, human(rows, model="quokka-7b"), "copy.eval"),
        "other options": said(add_human, log, human(rows, options={}), "copy.eval"),
        "another release": said(
            add_human, log, human(rows[:1], row="ghi:1:both-passages"), "copy.eval"
        ),
        "nothing decided": said(add_human, log, human(rows, verdict=None), "copy.eval"),
        "excluded": said(add_human, log, human(rows, excluded=True), "copy.eval"),
        "judged twice": said(add_human, log, human([*rows, *rows]), "copy.eval"),
        "another file": said(add_human, log, write_lines(rows, "human.jsonl"), "copy.eval"),
        "a list for a row": said(add_human, log, human(rows, row=["abc"]), "copy.eval"),
        "a list for a verdict": said(add_human, log, human(rows, verdict=["yes"]), "copy.eval"),
        "onto itself": said(add_human, log, human(rows), log),
        "another kind": said(add_human, log, human(rows), "copy.json"),
    }
    left = sorted(path.name for path in Path().glob("copy*"))
    found["one of two"] = said(add_human, log, human(rows[1:]), "copy.eval")
    copy = read_eval_log("copy.eval")
    scores = [sample.scores for sample in copy.samples]
    return found | {
        "left by refusals": left,
        "original": log.read_bytes() == before,
        "scores": [bool(scores[0]), scores[1]["human"].value],
        "first": [*scores[1]],
    }


def main() -> None:
    log = asked()
    found = {"reading": on_reading(log), "going back": on_going_back(log)}
    found["rows"] = list(responses(log))
    found["at once"] = read_at_once(log)
    found["large at once"] = read_at_once(padded(log, "large.eval", 10_000_000))
    found["thinking"] = next(responses(changed(log, of_first(thought), "thinking.eval")))
    found["told"] = next(responses(changed(log, of_first(told), "told again.eval")))
    found["briefed"] = next(responses(asked(system_message="Be brief.")))
    found["called"] = next(responses(asked(solver=generate(system_message="No.", top_p=0.5))))
    Path("faulty.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
