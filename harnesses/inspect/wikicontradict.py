"""WikiContradict in Inspect: prompts as written, replies judged by a model with the judge prompt of the paper."""

import json
import re
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Score, mean, scorer
from inspect_ai.solver import generate

HERE = Path(__file__).resolve().parent
JUDGE = json.loads((HERE / "judge-prompt.json").read_text(encoding="utf-8"))
PLACE = re.compile(r"\{Question\}|\{Answer1\} \| \{Answer2\}|\{LLM response\}")
MARK = re.compile("evaluation:", re.IGNORECASE)
NAMES = ("correct", "partially correct", "incorrect", "unparsed")
KNOWN = {**JUDGE["misspelt"], **{verdict: verdict for verdict in NAMES[:3]}}


@task
def wikicontradict(prompt="both-passages"):
    with (HERE.parent / "data" / "prompts.jsonl").open(encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if not (asked := [line for line in lines if line["prompt"] == prompt]):
        raise ValueError(f"No {prompt!r}, only {sorted({line['prompt'] for line in lines})}.")
    samples = [Sample(x["text"], target=x["gold"], id=x["id"], metadata=x) for x in asked]
    options = GenerateConfig(temperature=0, max_tokens=250)
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=judged(), config=options)


@scorer(metrics={name: [mean()] for name in NAMES})
def judged():
    async def score(state, target):
        question, response = state.metadata["question"], state.output.completion
        texts = {"{Question}": question, "{LLM response}": response}
        asked = PLACE.sub(lambda at: texts.get(at[0], " | ".join(target)), JUDGE["template"])
        reply = (await get_model(role="grader", required=True).generate(asked)).completion
        found = verdict_in(without_copies(reply, response))
        # As numbers: of verdicts given as text the mean would be 0.
        value = {name: int(name == found) for name in NAMES}
        return Score(value=value, answer=response, explanation=reply)

    return score


def verdict_in(reply):
    line = (MARK.split(reply)[-1].splitlines() or [""])[0] if MARK.search(reply) else ""
    return KNOWN.get(" ".join(line.split()).removesuffix(".").rstrip().lower(), "unparsed")


def without_copies(reply, response):
    """A response that says "evaluation: correct" is no verdict on itself; a bare verdict may be the judge's own."""
    marked = sorted((x.strip() for x in response.splitlines() if MARK.search(x)), key=len)[::-1]
    bare = [f"evaluation: {words}{stop}" for words in KNOWN for stop in ("", ".")]
    for part in [response.strip(), *marked] if marked else ():
        if not any(words.startswith(" ".join(part.split()).lower()) for words in bare):
            reply = reply.replace(part, " ")
    return reply
