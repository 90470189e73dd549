"""Run by the lab's own Python in the folder of a bundle: the Inspect task, with models that answer by a script.

The model replies with its prompt's length; the grader gives the replies of grader.json one after the other.
"""

import importlib.util
import json
from pathlib import Path

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model


def output(text: str) -> ModelOutput:
    made = ModelOutput.from_content("mockllm/model", text)
    # Without a number of tokens Inspect counts them, with a file from the network.
    made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return made


def main() -> None:
    replies = json.loads(Path("grader.json").read_text(encoding="utf-8"))
    sent, judged = [], []

    def reply(messages, tools, choice, config):
        sent.append([[m.role, m.text] for m in messages] + [config.temperature, config.max_tokens])
        return output(f"It has {len(messages[-1].text)} letters.")

    def grade(messages, tools, choice, config):
        judged.append(messages[-1].text)
        return output(replies[len(judged) - 1])

    spec = importlib.util.spec_from_file_location("bundled", "inspect/wikicontradict.py")
    bundled = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bundled)
    roles = {"grader": get_model("mockllm/judge", custom_outputs=grade)}
    common = {
        "log_dir": "logs",
        "display": "none",
        "model": get_model("mockllm/model", custom_outputs=reply),
    }
    [log] = evaluate(bundled.wikicontradict(), model_roles=roles, **common)
    [without] = evaluate(bundled.wikicontradict(), limit=1, **common)
    found = {
        "status": log.status,
        "shares": {score.name: score.metrics["mean"].value for score in log.results.scores},
        "samples": len(log.samples),
        "sent": sent[: len(log.samples)],
        "judged": judged,
        "without a grader": [without.status, str(without.error and without.error.message)],
    }
    Path("inspect.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
