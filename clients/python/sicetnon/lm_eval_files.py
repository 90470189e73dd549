"""Replies in the files that lm-evaluation-harness writes with --log_samples, for `Client.import_responses`."""

from collections.abc import Iterator
from pathlib import Path

from sicetnon.errors import LogRefused
from sicetnon.lines import LONGEST, json_object, read_lines
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
    model, asked = _said(beside, task)
    for number, sample in enumerate(read_lines(path), start=1):
        yield {**_response(sample, f"{path}: line {number}"), "model": model}
    if number != asked:
        raise LogRefused(f"{path} has {number} replies, its results say {asked}. It is cut off.")


def _said(results: Path, task: str) -> tuple[str, int]:
    """Which model replied, and how often."""
    with results.open("rb") as file:
        match json_object(file.read(LONGEST), str(results)):
            case {"model_name": str(model), "n-samples": {**tasks}} if model:
                match tasks.get(task):
                    case {"effective": int(number)}:
                        return model, number
    raise LogRefused(f"{results} does not say which model replied, and how often to {task}.")


def _response(sample: Row, what: str) -> Row:
    match sample:
        case {
            "resps": [[str(text)]],
            "doc": {"id": str(row), "prompt_sha256": str(sha256), "text": written},
        }:
            known = {"prompt_sha256": sha256}
        case {"resps": [[str()]]}:
            raise LogRefused(f"{what} is of no row of a release. Run the task in its bundle.")
        case _:
            raise LogRefused(f"{what} has not exactly one reply. Run the task with repeats: 1.")
    match sample:
        case {"arguments": {"gen_args_0": {"arg_0": sent, "arg_1": {**how}, **more}}} if not more:
            named = {OPTIONS.get(str(name), str(name)): of for name, of in how.items()}
            options = {name: of for name, of in named.items() if of not in (None, [])}
            row_of = {"row": row, "text": text, "options": options}
            return row_of | (known if sent == written else {})
    raise LogRefused(f"{what} was not generated from a text alone, as judges see it.")
