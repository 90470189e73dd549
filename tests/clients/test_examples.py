"""What the docs show of the client runs against a server, with a token alone."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from accounts.roles import Role
from accounts.tokens import issuing
from accounts.tokens.scopes import scopes_of
from annotation.models import Annotation
from annotation.states import AnnotationState
from datasets.models import ReleaseFile
from datasets.releasing.freezing import freeze
from judging import studies
from judging.models import Judgment
from tests.annotation import factories as annotation
from tests.conftest import require_or_skip
from tests.datasets.factories import mills
from tests.evaluation.factories import judged_study, resolve_all
from tests.factories import person
from tests.judging import factories as judging

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients" / "python"
NOTEBOOK = CLIENT / "from_token_to_figure.ipynb"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada(live_server, monkeypatch, tmp_path):
    """There are a tag for her, a response to judge, a closed study and a release."""
    roles = (Role.ANNOTATOR, Role.JUDGE, Role.RESEARCHER)
    ada = person("ada", *roles)
    annotation.campaign(tags=1, people=1)
    closed = judged_study(name="Pilot")
    resolve_all(closed)
    studies.close_study(closed)
    judging.open_study("ada", name="Second", drawn_from=judging.later_run(), judges_per_response=1)
    freeze(collection=mills(), version="1.0")
    text = issuing.make(ada, name="Script", scopes=scopes_of(roles))
    monkeypatch.setenv("SICETNON", live_server.url)
    monkeypatch.setenv("SICETNON_TOKEN", text)
    monkeypatch.chdir(tmp_path)
    return ada


def script():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    [text] = re.findall(r"```python\n(import os\n.*?)```", page, re.DOTALL)
    return text


def test_the_script_of_the_docs(ada, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(CLIENT))
    assert len(script().splitlines()) <= 40
    ran = subprocess.run(
        [sys.executable, "-c", script()], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert ran.stderr == ""
    said = [line.partition(":")[0] for line in ran.stdout.splitlines()]
    files = sorted(path.name for path in tmp_path.iterdir())
    released = sorted(ReleaseFile.objects.values_list("name", flat=True))
    # The run of what she judges is hidden from her.
    assert said[:6] == ["tags", "annotate", "run", "judge", "judged", "report"]
    assert said[6:] == ["release"] * len(files)
    assert files == released
    assert Annotation.objects.get(author=ada).state == AnnotationState.SUBMITTED
    assert Judgment.objects.get(slot__judge__person=ada).comment == "By a script"


def test_the_notebook_makes_a_figure(ada, tmp_path, monkeypatch):
    try:
        import matplotlib
        import pandas  # noqa: F401
    except ImportError:
        require_or_skip("No pandas or Matplotlib", "bin/test installs them.")
    matplotlib.use("agg")
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), str(NOTEBOOK), "exec"), names)
    shares = names["shares"]
    assert list(shares.index) == ["quokka-7b-secret", "wombat-13b-secret"]
    assert shares.sum(axis="columns").round(6).eq(1).all()
    assert (tmp_path / "verdicts.png").stat().st_size > 1000


def test_a_notebook_is_stored_without_outputs():
    """They would hold what somebody's study said."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)
