"""The files that run a bundle: they are short, and read a verdict by the rule of judge models here."""

import importlib.util
import sys
from unittest.mock import MagicMock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.machine import prompt
from judging.machine.bundled_harnesses import HARNESSES, bundled_harnesses
from judging.rules import rubric
from protocols.shipped import declaration_of

SCALE = rubric.parse(rubric.content("wikicontradict")).scale
KNOWN = prompt.spellings(SCALE)
PIECES = st.lists(
    st.sampled_from([
        "evaluation:", "Evaluation: ", "EVALUATION:", " correct", "correct", "partially correct", "Partically correct.",
        "particially correct", "incorrect", ".", "\n", "\r\n", " ", "I think", "\u2028", "evaluation: correct",
    ]),
    max_size=8,
).map("".join)  # fmt: skip


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    """The module of the Inspect task, beside its judge prompt; Inspect itself is not installed here."""
    folder = tmp_path_factory.mktemp("inspect")
    [inspect, _] = bundled_harnesses(None)
    for path, content in inspect.files.items():
        (folder / path.rpartition("/")[2]).write_bytes(content)
    names = [
        "inspect_ai",
        *(f"inspect_ai.{part}" for part in ("dataset", "model", "scorer", "solver")),
    ]
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setitem(sys.modules, name, MagicMock())
        spec = importlib.util.spec_from_file_location("task", folder / "wikicontradict.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def test_each_file_has_at_most_60_lines():
    sizes = {path.name: len(path.read_text().splitlines()) for path in HARNESSES.rglob("*.*")
             if "__pycache__" not in path.parts}  # fmt: skip
    assert {name: size for name, size in sizes.items() if size > 60} == {}
    assert len(sizes) >= 2


def test_only_wikicontradict_has_them():
    paths = [path for harness in bundled_harnesses(None) for path in harness.files]
    assert paths == [
        "inspect/wikicontradict.py", "inspect/judge-prompt.json", "lm_eval/wikicontradict.yaml",
        "lm_eval/wikicontradict.py",
    ]  # fmt: skip
    assert bundled_harnesses(declaration_of("knot")) == []


def test_the_task_knows_the_verdicts_and_the_judge_prompt(task):
    assert sorted(task.NAMES[:3]) == sorted(SCALE.keys)
    assert task.KNOWN == KNOWN
    assert task.JUDGE["template"] == prompt.find_prompt().template
    texts = {"{Question}": "Q {LLM response}", "{LLM response}": "R"}
    sent = task.PLACE.sub(lambda at: texts.get(at[0], "a | b"), task.JUDGE["template"])
    expected = prompt.render(
        task.JUDGE["template"], question="Q {LLM response}", gold=["a", "b"], response="R"
    )
    assert sent == expected


@given(reply=PIECES, response=PIECES)
def test_the_task_reads_a_verdict_as_judge_models_here(task, reply, response):
    _, columns, _ = prompt.settled_by(reply, response, KNOWN)
    found = task.verdict_in(task.without_copies(reply, response))
    assert found == (columns["verdict"] or "unparsed")
