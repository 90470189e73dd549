"""The zip of a report with scores: its script counts them anew, and says what differs."""

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from accounts.roles import Role
from evaluation.archive import bundles, recompute, recompute_scores
from evaluation.archive.recompute import Findings
from evaluation.frozen import snapshots
from evaluation.frozen.verifying import SAME, verify
from evaluation.rows.hashing import hashed_lines, rows_of
from evaluation.views.files import bundle_file
from generation.models import Response
from tests import conflictbank
from tests.evaluation.factories import exclude
from tests.evaluation.scored import answered, scored_study, usual
from tests.factories import person, stored

pytestmark = pytest.mark.django_db
# Of their lines in format 5.
OF_SCORES = "66cb3c424d87841f16a264bcfcb0fc1865c1e2b9836f4c3ffdf3e5b3e92f699a"


def stopped(prompt: str, n: int) -> str:
    """As usual, and a run that was stopped half way."""
    if prompt == "semantic" and n > 7:
        return "waiting" if n % 2 else "failed"
    return "skipped" if (prompt, n) == ("temporal", 3) else usual(prompt, n)


@pytest.fixture
def study(db):
    run = answered(answers=stopped)
    study = scored_study(run)
    exclude(study, 2)
    return stored(study)


@pytest.fixture
def zipped(study):
    """The zip of its frozen report."""
    snapshot, _ = snapshots.freeze(study, by=person("rita", Role.RESEARCHER))
    return bundle_file(study, snapshot.text, "scored").content


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def test_the_zip_holds_scores_slices_and_the_protocols_file(zipped):
    files = unpacked(zipped)
    manifest = json.loads(files["manifest.json"])
    assert manifest["rows_format"] == 5
    kinds = [json.loads(line)[0] for line in files["rows.jsonl"].splitlines()]
    assert (kinds.count("score"), kinds.count("slice")) == (144, 5 * 12)
    assert files["protocol.toml"] == conflictbank.file_of("conflictbank")
    assert "protocol.toml" in files["README.txt"].decode()


@pytest.mark.both
def test_scores_and_slices_have_the_same_lines_on_every_database(study):
    lines = [line for line in hashed_lines(study) if line[2:7] in (b"score", b"slice")]
    assert lines[0].startswith(b'["score", "conflicts", "')
    assert hashlib.sha256(b"".join(lines)).hexdigest() == OF_SCORES


def test_the_scripts_find_all_numbers_equal(zipped, tmp_path):
    with zipfile.ZipFile(io.BytesIO(zipped)) as packed:
        packed.extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "recompute.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all equal" in done.stdout
    assert int(done.stdout.split(" compared: ")[0].split()[-1]) > 1_500


def test_the_script_names_a_changed_figure(zipped, tmp_path):
    with zipfile.ZipFile(io.BytesIO(zipped)) as packed:
        packed.extractall(tmp_path)
    report = json.loads((tmp_path / "report.json").read_text())
    report["scores"]["tables"][2]["figures"][0]["k"] += 1
    (tmp_path / "report.json").write_text(json.dumps(report))
    done = subprocess.run(
        [sys.executable, "recompute.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "scores.tables[2].figures[0].k: the report has" in done.stdout


def test_verifying_the_zip_compares_every_figure(zipped):
    found = verify(zipped)
    assert (found.wrong, SAME in found.notes) == ([], True)
    assert found.checked > 2_000
    figures = [note for note in found.notes if "figures" in note]
    assert {note.split(" (")[0].rsplit(".", 1)[-1] for note in figures} == {
        "line", "column", "low", "high",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("part", "value"),
    [("k", 99), ("n", 99), ("value", 0.123), ("cluster_low", 0.001), ("states", {"undecided": 9})],
)
def test_a_changed_figure_is_named(study, part, value):
    report = json.loads(snapshots.freeze(study, by=person("rita"))[0].text)
    table = report["scores"]["tables"][1]
    place = next(n for n, one in enumerate(table["figures"]) if one[part] is not None)
    table["figures"][place][part] = value
    findings = Findings()
    rows = b"".join(hashed_lines(study, report))
    recompute.check(report, rows, rows_of(study), findings)
    assert any(
        wrong.startswith(f"scores.tables[1].figures[{place}].{part}") for wrong in findings.wrong
    )


def test_a_response_asked_again_since_changes_the_hash(study):
    snapshot, _ = snapshots.freeze(study, by=person("rita", Role.RESEARCHER))
    assert not snapshots.has_changed(snapshot)
    Response.objects.filter(state="failed").update(state="pending")
    assert snapshots.has_changed(snapshot)


def test_both_scripts_stay_short_enough_to_be_read():
    scripts = [Path(module.__file__).read_text() for module in (recompute, recompute_scores)]
    assert sum(text.count("\n") for text in scripts) <= 600


def test_other_zips_have_none_of_it():
    of_scores = {*bundles.SCORE_SCRIPTS, bundles.PROTOCOL}
    assert len(of_scores) == 7
    assert not of_scores & {*bundles.NAMES}
