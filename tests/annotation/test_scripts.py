"""The browser's pure logic, run under node: the save state, and the checks."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from annotation.fields.checks import browser_rules
from annotation.fields.matching import answer_key, fold, folded_words
from tests.conftest import require_or_skip

HERE = Path(__file__).parent

AWKWARD = [
    "“Curly” ‘quotes’ and — dashes − of every kind",
    "1,195 and 1,19 and 12,345,678",
    "e\u0301 as two, é as one, ﬁ and ² as they are",
    "İstanbul ΣΑΣ straße",
    "no\u00a0break, thin\u2009space, zero\u200bwidth, soft\u00adhyphen",
    "[12] [a] [note 3] [citation needed] [sic]",
    "the THE a An",
    "21st of Three_underscored हिन्दी 東京 основана",
    "'(\"x\")'.",
    "Thirty-one or one hundred and five, the twenty-first of a thousand",
    "",
]


@pytest.fixture
def node():
    path = shutil.which("node")
    if path is None:
        require_or_skip("No node on this machine", "Install one (Debian: apt-get install nodejs).")
    return path


def run(node, test, **variables):
    done = subprocess.run(
        [node, "--test", str(HERE / test)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **variables},
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def test_the_save_state(node):
    run(node, "draft.test.mjs")


def test_where_sentences_end(node):
    run(node, "sentences.test.mjs")


def test_what_is_copied_and_proposed(node, tmp_path):
    """Options of the types come from the server; suggestion_cases.json drives test_suggesting.py too."""
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(browser_rules()), encoding="utf-8")
    run(node, "capture.test.mjs", RULES=str(path))


def test_where_a_span_is(node):
    run(node, "spans.test.mjs")


def test_what_helps_to_make_a_passage_stand_alone(node):
    run(node, "standalone.test.mjs")


def test_the_browser_s_checks_find_what_the_server_s_find(node, tmp_path):
    """Both read check_cases.json; the steps and the folding's awkward cases come from the server."""
    folded = [[text, fold(text), answer_key(text), folded_words(text)] for text in AWKWARD]
    rules = {**browser_rules(), "folded": folded}
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(rules), encoding="utf-8")
    run(node, "checks.test.mjs", RULES=str(path))
