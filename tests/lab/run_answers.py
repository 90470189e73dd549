"""Run by the lab's own Python next to an unpacked bundle: its Inspect task, with a model that answers by a script.

Each reply is another text, so that a verdict cannot come to another reply unseen.
"""

import importlib.util

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model


def main() -> None:
    replies = 0

    def reply(messages, tools, choice, config):
        nonlocal replies
        replies += 1
        made = ModelOutput.from_content(
            "mockllm/model", f"Reply {replies} to {len(messages[-1].text)} letters."
        )
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    spec = importlib.util.spec_from_file_location("bundled", "bundle/inspect/wikicontradict.py")
    bundled = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bundled)
    model = get_model("mockllm/model", custom_outputs=reply)
    evaluate(bundled.wikicontradict(), model=model, log_dir="logs", display="none", score=False)


if __name__ == "__main__":
    main()
