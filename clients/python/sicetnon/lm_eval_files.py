"""Replies in the files that lm-evaluation-harness writes with --log_samples, for `Client.import_responses`."""

from collections.abc import Iterator
from pathlib import Path

from sicetnon.errors import LogRefused
from sicetnon.lines import json_object, read_lines
from sicetnon.transport import Row

# Their names here.
OPTIONS = {"max_gen_toks": "max_tokens", "until": "stop"}


def responses(samples: str | Path) -> Iterator[Row]:
    """A row for each reply in samples_TASK_DATE.jsonl, next to which is results_DATE.json.

    The task asks lines of a bundle's prompts.jsonl, as the bundle's own does. Raises LogRefused.
    """
    path, number = Path(samples), 0
    task, _, date = path.stem.removeprefix("samples_").rpartition("_")
    beside = path.with_name(f"results_{date}.json")
    if not beside.exists():
        raise LogRefused(f"{beside} is not there. It says which model replied, and how often.")
    results = json_object(beside.read_bytes(), str(beside))
    for number, sample in enumerate(read_lines(path), start=1):
        yield {**_response(sample, f"{path}: line {number}"), "model": results.get("model_name")}
    asked = results.get("n-samples", {}).get(task, {}).get("effective")
    if number != asked:
        raise LogRefused(f"{path} has {number} replies, its results say {asked}. It is cut off.")


def _response(sample: Row, what: str) -> Row:
    match sample:
        case {"doc": {"id": str(row), "prompt_sha256": sha256, "text": written}}:
            known = {"prompt_sha256": sha256}
        case _:
            raise LogRefused(f"{what} is of no row of a release. Run the task in its bundle.")
    match sample:
        case {"arguments": {"gen_args_0": {"arg_0": sent, "arg_1": {**how}, **more}}} if not more:
            named = {OPTIONS.get(str(name), str(name)): of for name, of in how.items()}
            options = {name: of for name, of in named.items() if of not in (None, [])}
        case _:
            raise LogRefused(f"{what} was not generated from a text alone, as judges see it.")
    match sample:
        case {"resps": [[str(text)]]}:
            row_of = {"row": row, "text": text, "options": options}
            return row_of | (known if sent == written else {})
    raise LogRefused(f"{what} has not exactly one reply. Run the task with repeats: 1.")
