"""WikiContradict in lm-evaluation-harness: prompts as written, and whether both gold answers occur in the reply."""

import json
from pathlib import Path

from datasets import Dataset

LINES = Path(__file__).resolve().parent.parent / "data" / "prompts.jsonl"


def load(prompt, **_):
    with LINES.open(encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if not (asked := [line for line in lines if line["prompt"] == prompt]):
        raise ValueError(f"No {prompt!r}, only {sorted({line['prompt'] for line in lines})}.")
    return {"test": Dataset.from_list(asked)}


def both_gold_answers_occur(doc, results):
    if len(doc["gold"]) != 2:
        return {}
    reply, *gold = (" ".join(text.split()).casefold() for text in (results[0], *doc["gold"]))
    return {"both_gold_answers_occur": int(all(answer and answer in reply for answer in gold))}
