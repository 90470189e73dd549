"""Run by the lab's own Python: what Inspect's reader finds in a copy with verdicts, as JSON."""

import json
import sys

from inspect_ai.log import read_eval_log


def main() -> None:
    copy, original = map(read_eval_log, sys.argv[1:])
    found = [
        {
            "row": sample.id,
            "reply": sample.output.completion,
            "scores": {
                name: score.model_dump(mode="json") for name, score in sample.scores.items()
            },
            "is_new": before.scores in (None, {}),
        }
        for sample, before in zip(copy.samples, original.samples, strict=True)
    ]
    print(json.dumps({"status": copy.status, "samples": found}))


if __name__ == "__main__":
    main()
