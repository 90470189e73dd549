"""The files with which Inspect and lm-evaluation-harness run the bundle of a release of WikiContradict. Pure.

They are in the folder harnesses, since they import what is not installed here.
"""

from pathlib import Path

from datasets.releasing.bundle.asked import Harness
from judging.machine.prompt import FOLDER, WIKICONTRADICT
from protocols.declaration import Declaration

HARNESSES = Path(__file__).resolve().parents[2] / "harnesses"
_INSPECT = """\
pip install inspect-ai==0.3.285
inspect eval inspect/wikicontradict.py --model MODEL --model-role 'grader={model: JUDGE, temperature: 0}' \\
    -T prompt=both-passages"""
_LM_EVAL = """\
pip install "lm-eval[hf]==0.4.13"
lm_eval run --model hf --model_args pretrained=MODEL --include_path lm_eval --tasks wikicontradict \\
    --metadata '{"prompt": "both-passages"}' --log_samples --output_path replies"""


def bundled_harnesses(declaration: Declaration | None) -> list[Harness]:
    """None for the bundle of another protocol: the judge prompt and the gold answers are WikiContradict's."""
    return [] if declaration else [_inspect(), _lm_eval()]


def _inspect() -> Harness:
    judge_prompt = (FOLDER / f"{WIKICONTRADICT}.json").read_bytes()
    return Harness(
        "Inspect",
        "Sends one prompt of each question as it is written, at temperature 0, with at most 250 tokens. The model in "
        "the role `grader` judges each reply with the judge prompt of the paper; you choose it, there is no other. "
        "Its verdict is what follows its last `evaluation:`; a reply without one is unparsed. The log has each "
        "verdict as 0 or 1 under its own name.",
        _INSPECT,
        {**_files("inspect", "wikicontradict.py"), "inspect/judge-prompt.json": judge_prompt},
    )


def _lm_eval() -> Harness:
    return Harness(
        "lm-evaluation-harness",
        "Sends the same and keeps the replies. It has no judge: `both_gold_answers_occur` is the share of replies in "
        "which both gold answers occur as they are written, whatever the case of letters; a prompt with one gold "
        "answer has no such number. That is not the paper's measure: a reply in other words has none, and one that "
        "prefers an answer has both.",
        _LM_EVAL,
        _files("lm_eval", "wikicontradict.yaml", "wikicontradict.py"),
    )


def _files(folder: str, *names: str) -> dict[str, bytes]:
    return {f"{folder}/{name}": (HARNESSES / folder / name).read_bytes() for name in names}
