"""The zip of a report, its script, and what manage.py verify_report makes of files good and bad."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy
import pytest
from django.core.management import CommandError, call_command

from datasets.readers.json_text import Unreadable
from evaluation.archive import bundles
from evaluation.frozen import snapshots
from evaluation.frozen.verifying import (
    CHANGED,
    NOT_COMPUTED,
    NOT_HERE,
    OTHER_SCRIPT,
    SAME,
    UNSEALED,
    verify,
)
from evaluation.rows.hashing import KINDS, digest
from evaluation.sections.study import study_report
from evaluation.shapes.study_report import FORMAT, ROWS_FORMAT
from evaluation.views import files
from judging.files.predictions import import_predictions
from judging.models import Resolution, Study
from leases.refusal import Refusal
from tests.evaluation import frozen
from tests.evaluation.factories import exclude, judged_study, resolve_all
from tests.factories import person
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db

NO_ROWS = {"rows_format": ROWS_FORMAT, "columns": KINDS, "models": []}
OF_NOW = b'{"format": %d}' % FORMAT


def zipped(study):
    text = bundles.text_of(bundles.sealed(study_report(study)))
    return bytes(files.bundle_file(study, text, "x").content)


@pytest.fixture
def study():
    result = judged_study("alice", "bob", "charlie")
    resolve_all(result)
    exclude(result, 1)
    return result


@pytest.fixture
def good(study):
    return zipped(study)


@pytest.fixture
def report(good):
    """The report in the good zip."""
    return json.loads(part(good, bundles.REPORT))


@pytest.fixture
def unpacked(good, tmp_path):
    zipfile.ZipFile(io.BytesIO(good)).extractall(tmp_path)
    return tmp_path


def written(report, folder):
    """The report as a file."""
    path = folder / "report.json"
    path.write_text(json.dumps(report))
    return path


def repacked(data, **changed):
    """The zip with other content of some files, by the name before the dot; None leaves a file out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = changed.get(name.partition(".")[0], old.read(name))
            if content is not None:
                new.writestr(name, content)
    return out.getvalue()


def part(data, name):
    with zipfile.ZipFile(io.BytesIO(data)) as result:
        return result.read(name)


# ---------------------------------------------------------------- the script


def run_python(folder, *arguments):
    """A fresh interpreter in the folder; of packages it finds numpy and no other one."""
    packages, installed = folder / "packages", Path(numpy.__file__).parent.parent
    packages.mkdir(exist_ok=True)
    for name in ("numpy", "numpy.libs"):
        if (installed / name).exists() and not (packages / name).exists():
            (packages / name).symlink_to(installed / name)
    return subprocess.run(
        [sys.executable, "-S", "-s", *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_unpacked_zip_recomputes_its_report_outside_the_project_with_numpy_alone(unpacked):
    for other in ("django", "scipy", "sklearn", "threadpoolctl", "evaluation", "pages"):
        refused = run_python(unpacked, "-c", f"import {other}")
        assert "ModuleNotFoundError" in refused.stderr, other
    done = run_python(unpacked, "recompute.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all equal" in done.stdout
    assert int(done.stdout.split(" compared: ")[0].split()[-1]) > 500
    assert "Not checked: study.seed (1)." in done.stdout.splitlines()


def test_the_script_finds_a_changed_number_and_says_where(unpacked, report):
    report["tables"][0]["rows"][0]["k"] += 1
    written(report, unpacked)
    done = run_python(unpacked, "recompute.py")
    assert done.returncode == 1
    assert "the hash of report.json" in done.stdout
    assert "the report's hash: " in done.stdout
    assert "tables[0].rows[0].k: the report has" in done.stdout


def test_the_same_report_gives_the_same_bytes(study):
    assert zipped(study) == zipped(study)


def test_no_name_and_no_text_is_in_the_zip(good):
    for name in (bundles.REPORT, bundles.ROWS, bundles.MANIFEST):
        content = part(good, name).decode()
        for word in ("alice", "bob", "charlie", "=1+1", "Read again."):
            assert word not in content, (name, word)


# ---------------------------------------------------------------- verifying


def test_a_good_zip_is_as_it_says(good):
    outcome = verify(good)
    assert outcome.wrong == []
    assert SAME in outcome.notes
    assert outcome.checked > 500


def test_what_judge_models_said_is_among_the_rows_and_recomputed():
    study = judged_study()
    import_predictions(study, b"item,reply\n0,evaluation: correct\n1,no idea\n", "Elsewhere")
    data = zipped(study)
    assert part(data, bundles.ROWS).count(b'"judged"') == 1
    outcome = verify(data)
    assert outcome.wrong == []
    assert not any("judge models" in note for note in outcome.notes)


def test_a_zip_of_another_version_is_refused_by_its_format_whatever_else_it_holds(good):
    older = {**json.loads(part(good, bundles.REPORT)), "format": FORMAT - 1}
    data = with_name(repacked(good, report=json.dumps(older).encode()), "recompute/study.py")
    with pytest.raises(Refusal, match=f"has the format {FORMAT - 1}, .* The version that made it"):
        verify(data)


def imported():
    study = judging.draft()
    Study.objects.filter(pk=study.pk).update(is_imported=True)
    return Study.objects.get(pk=study.pk)


@pytest.mark.parametrize(
    "made",
    [
        lambda: judged_study("alice", judges_per_response=1),
        lambda: judging.open_study(),
        lambda: judged_study(choose=lambda who, slot: "correct"),
        lambda: judged_study(choose=lambda who, slot: "correct" if who == "bob" else "incorrect"),
        imported,
    ],
    ids=["one judge", "nothing judged", "one verdict", "never the same", "imported"],
)
def test_any_kind_of_study_recomputes(made):
    assert verify(zipped(made())).wrong == []


def test_a_frozen_report_alone_is_checked_against_itself(study):
    snapshot, _ = snapshots.freeze(study, by=person("rita"))
    outcome = verify(snapshot.text.encode())
    assert outcome.wrong == []
    assert SAME in outcome.notes
    assert NOT_COMPUTED not in outcome.notes


def test_a_report_whose_rows_are_nowhere_says_that_no_number_was_computed(study, report):
    Study.objects.filter(pk=study.pk).update(slug="other")
    outcome = verify(json.dumps(report).encode())
    assert (outcome.checked, outcome.wrong) == (1, [])
    assert NOT_COMPUTED in outcome.notes


def test_a_report_that_was_never_sealed_says_so(study):
    outcome = verify(json.dumps(study_report(study)).encode())
    assert outcome.wrong == []
    assert UNSEALED in outcome.notes


def test_a_study_that_changed_or_is_not_here_is_told(study, good):
    Study.objects.filter(pk=study.pk).update(slug="other")
    assert NOT_HERE in verify(good).notes
    Study.objects.filter(pk=study.pk).update(slug=study.slug)
    Resolution.objects.filter(item__study=study).first().delete()
    outcome = verify(good)
    assert outcome.wrong == []
    assert CHANGED in outcome.notes


def test_a_changed_number_is_found_by_hash_and_by_recomputing(report):
    report["agreement"]["prompts"][0]["pairs"][0]["coefficients"][0]["value"] = 0.5
    outcome = verify(json.dumps(report).encode())
    assert [line.split(": ")[0] for line in outcome.wrong] == [
        "the report's hash",
        "agreement.prompts[0].pairs[0].coefficients[0].value",
    ]


def test_a_number_that_was_changed_and_sealed_again_is_found_by_the_study_here(report):
    line = report["tables"][0]["lines"][0]
    line["left_out"] += 1
    outcome = verify(json.dumps(bundles.sealed(report)).encode())
    assert [line for line in outcome.wrong if "left_out" in line]


def remade(data, **changed):
    """A forger's zip: files changed, and the manifest's hashes with them."""
    manifest = json.loads(part(data, bundles.MANIFEST))
    for name in manifest["files"]:
        content = changed.get(name.partition(".")[0])
        if content is not None:
            manifest["files"][name] = bundles._described(content)
    return repacked(data, manifest=json.dumps(manifest).encode(), **changed)


def test_forged_rows_are_found_by_the_report(good):
    lines = part(good, bundles.ROWS).replace(b'"correct"', b'"incorrect"', 1)
    outcome = verify(remade(good, rows=lines))
    assert any(line.startswith("the hash of the rows: ") for line in outcome.wrong)


def bomb():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in bundles.NAMES:
            content = OF_NOW if name == bundles.REPORT else b"0"
            new.writestr(name, content * (60 * 2**20 if name == bundles.ROWS else 1))
    return out.getvalue()


def with_name(data, name):
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as new:
        new.writestr(name, b"x")
    return out.getvalue()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda z: z[: len(z) // 2], "damaged or cut off"),
        (lambda z: z[:100] + bytes(50) + z[150:], "damaged or cut off"),
        (lambda z: bomb(), "larger than 50 MB"),
        (lambda z: with_name(z, "../../etc/passwd"), "Nothing of it was unpacked"),
        (lambda z: with_name(z, "/tmp/x"), "Nothing of it was unpacked"),
        (lambda z: with_name(z, "rows.jsonl"), "twice"),
        (lambda z: repacked(z, rows=None), "lacks rows.jsonl"),
        (lambda z: repacked(z, rows=b"[2]\n"), "differ from the hashes"),
        (lambda z: repacked(z, recompute=b"import os"), "recompute.py differ"),
        (lambda z: repacked(z, report=OF_NOW), "report.json differ"),
        (lambda z: repacked(z, README=b"?"), "README.txt differ"),
        (lambda z: repacked(z, recompute=None), "lacks recompute.py"),
        (lambda z: with_name(z, "sic_et_non_statistics/more.py"), "Nothing of it was unpacked"),
        (lambda z: repacked(z, manifest=b"[]"), "holds no report"),
        (lambda z: repacked(z, manifest=b'{"format": 99, "files": {}}'), "format 99"),
        (lambda z: remade(z, report=b"{}"), "format None"),
        (lambda z: remade(z, rows=b"[1]\n"), "a part of it is missing"),
        (lambda z: remade(z, rows=b"[" * 100_000 + b"\n"), "a part of it is missing"),
        (lambda z: b"", "empty"),
        (lambda z: b"{", "not JSON"),
        (lambda z: b"[1]", "holds no report"),
        (lambda z: b"\xff\xfe", "not UTF-8"),
        (lambda z: b'{"format": 99}', f"format 99, .* reads format {FORMAT} only"),
        (lambda z: b'{"format": 3}', f"format 3, .* reads format {FORMAT} only"),
        (lambda z: OF_NOW[:-1] + b', "snapshot": {}}', "a part of it is missing"),
        (lambda z: OF_NOW[:-1] + b', "snapshot": []}', "a part of it is missing"),
        (lambda z: b"x" * (50 * 2**20 + 1), "larger than 50 MB"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_refused_with_a_sentence(spoil, words):
    report = bundles.text_of(bundles.sealed(frozen.body()))
    with pytest.raises(Refusal, match=words):
        verify(spoil(bundles.write(report, [b"[]\n"], NO_ROWS)))


def test_any_part_of_a_report_may_be_missing_or_of_another_kind(report):
    for key in ("tables", "agreement", "prompts", "study", "snapshot"):
        for value in (None, 3, "x", [3], {"a": 1}):
            with pytest.raises(Unreadable):
                verify(json.dumps({**report, key: value}).encode())


def test_counts_that_no_study_has_are_found_and_cost_nothing(report):
    report["agreement"]["prompts"][0]["pairs"][0]["table"][0][0] = 10**15
    report["agreement"]["prompts"][1]["pairs"][0]["table"][0][0] = -5
    assert verify(json.dumps(report).encode()).wrong


# ---------------------------------------------------------------- command and page


def test_a_scale_that_no_study_has_costs_nothing(good, report):
    report["verdicts"] = [{"key": f"verdict {n}", "label": ""} for n in range(8_000)]
    with pytest.raises(Unreadable, match="a part of it is missing: 'correct'"):
        verify(remade(good, report=json.dumps(report).encode()))


def test_labels_that_are_no_verdicts_are_found(good, report):
    prompt = report["agreement"]["prompts"][0]
    prompt["labels"] = [*prompt["labels"], *(f"label {n}" for n in range(8_000))]
    (found,) = verify(remade(good, report=json.dumps(report).encode())).wrong[1:]
    assert found.startswith("agreement.prompts[0].labels: ")


def test_verdicts_that_no_study_has_are_found_and_cost_nothing(good):
    kept, *_ = part(good, bundles.ROWS).splitlines()
    row = dict(zip(["kind", *KINDS["verdict"]], json.loads(kept), strict=True))
    lines = [
        json.dumps(
            list({**row, "item": n, "judge": judge, "first_verdict": f"verdict {n}"}.values())
        )
        for n in range(60)
        for judge in "ab"
    ]
    assert verify(remade(good, rows="".join(f"{line}\n" for line in lines).encode())).wrong


def test_a_script_that_is_not_ours_is_named(good):
    assert verify(good).notes.count(OTHER_SCRIPT) == 0
    changed = remade(good, recompute=b"import os")
    assert verify(changed).notes.count(OTHER_SCRIPT) == 1


def test_the_command_says_what_it_compared(good, tmp_path, capsys):
    path = tmp_path / "report.zip"
    path.write_bytes(good)
    call_command("verify_report", str(path))
    assert "all as the report says" in capsys.readouterr().out


def test_the_command_refuses_with_every_difference(tmp_path, report):
    report["tables"][0]["rows"][0]["n"] += 1
    with pytest.raises(CommandError, match=r"is not what it says:\n  the report's hash"):
        call_command("verify_report", str(written(report, tmp_path)))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("verify_report", str(tmp_path / "none.zip"))


def test_the_command_does_not_obey_what_a_file_calls_things(tmp_path, report):
    report["agreement"]["prompts"][0]["pairs"][0]["coefficients"][0]["name"] = "\x1b[2Jgone"
    with pytest.raises(CommandError) as refused:
        call_command("verify_report", written(report, tmp_path))
    assert "\x1b" not in str(refused.value)
    assert r"\x1b[2Jgone" in str(refused.value)


def test_the_script_prints_no_control_character_of_a_file(unpacked, report):
    report["agreement"]["prompts"][0]["pairs"][0]["coefficients"][0]["name"] = "\x1b[2Jgone"
    written(report, unpacked)
    done = run_python(unpacked, "recompute.py")
    assert "\x1b" not in done.stdout
    assert "[2Jgone" in done.stdout


def test_a_frozen_report_has_its_zip_while_the_rows_are_the_same(client, rita, study):
    snapshot, _ = snapshots.freeze(study, by=rita)
    address = f"/reports/snapshots/{snapshot.pk}/report.zip"
    data = client.get(address).content
    assert part(data, bundles.REPORT).decode() == snapshot.text
    assert verify(data).wrong == []
    Resolution.objects.filter(item__study=study).first().delete()
    assert client.get(address).status_code == 409
    assert address not in client.get(f"/reports/snapshots/{snapshot.pk}/").content.decode()


def test_the_hash_of_the_rows_is_the_one_the_report_names(study, good):
    assert digest(study)[0] == json.loads(part(good, bundles.REPORT))["snapshot"]["sha256"]
