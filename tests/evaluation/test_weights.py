"""A study of five ordered verdicts: each form of its report has kappa with linear weights, and the unweighted one."""

import io
import json
import zipfile

import pytest

from evaluation.frozen import snapshots
from evaluation.management.commands.report import in_lines
from evaluation.paper.latex import latex
from evaluation.report.display import COMPACT, FULL, read_display
from evaluation.report.drawings import drawings
from evaluation.report.methods import methods_paragraph
from evaluation.sections.study import study_report
from evaluation.tables.all_tables import sheet
from judging import rubric_versions
from leases.refusal import Refusal
from tests.evaluation.archive.test_bundles import run_python
from tests.evaluation.factories import judged_study, resolve_all
from tests.evaluation.statistics.test_agreement import FIVE
from tests.judging import factories as judging
from tests.judging.scales import SCALES, body_of, scales

__all__ = ["scales"]

pytestmark = pytest.mark.django_db

KEYS = ("worst", "bad", "fair", "good", "best")
CELLS = [(i, j) for i, row in enumerate(FIVE) for j, n in enumerate(row) for _ in range(n)]


@pytest.fixture(autouse=True)
def five(monkeypatch, request):
    entries = [{"key": key, "label": key.capitalize()} for key in KEYS]
    monkeypatch.setitem(SCALES, "five", entries)
    request.getfixturevalue("scales")


def judged(*who, name="Of five", run="of-five", instances=48, **options):
    """Alice's verdicts are the rows of the table FIVE, those of all others its columns."""
    asked = judging.run(run)
    start = judging.Instance.objects.count() + 1
    abouts = [judging.instance(n) for n in range(start, start + instances)]
    judging.responses(asked, abouts, ["both-passages"], judging.MODEL_IDS[:1])

    def choose(username, slot):
        return KEYS[CELLS[slot.item.position % 48][username != "alice"]]

    options = {"rubric": rubric_versions.written("five"), **options}
    options |= {"drawn_from": asked, "name": name}
    study = judged_study(*(who or ("alice", "bob")), choose=choose, **options)
    resolve_all(study, "fair")
    return study


def test_every_form_names_the_weights_and_has_the_unweighted_beside():
    report = study_report(judged())
    assert report["weights"] == "linear"
    charts = drawings(report)
    sources = {
        form: latex(report, read_display({"form": form}, report)) for form in (COMPACT, FULL)
    }
    for form, *words in (
        ("\n".join(in_lines(report)), "Cohen's kappa with linear weights is 0.748 (95 % ", ", unweighted 0.466."),
        (methods_paragraph(report), "Cohen's kappa with linear weights is 0.75 (", ", unweighted 0.47 on prompt"),
        (charts["kappa"].svg, "Cohen's kappa with linear weights on first verdicts", "), unweighted 0.466"),
        (sources[COMPACT], "Cohen's kappa, linear weights & 0.748 ", "unweighted 0.466"),
        (sources[FULL], "Kappa, linear weights & ", "& 0.748 ", "unweighted 0.466"),
        (json.dumps(report["agreement"]["prompts"][0]["pairs"][0]), '"weights": "linear", "method": "closed form'),
    ):  # fmt: skip
        for part in words:
            assert part.replace("'", "&#x27;") in form or part in form, part
    header, [row] = charts["kappa"].sheet
    shown = dict(zip(header, row, strict=True))
    assert (round(shown["value"], 3), shown["beside"]) == (0.748, "unweighted")
    assert round(shown["beside_value"], 3) == 0.466
    header, rows = sheet(report, "agreement")
    kappas = {row[header.index("column")] for row in rows if "kappa" in row[header.index("column")]}
    assert kappas >= {"cohen_kappa linear", "cohen_kappa", "cohen_kappa quadratic"}
    header, rows = charts["over-time"].sheet
    assert {row[header.index("column")] for row in rows} == {
        "n",
        "Agreement",
        "Fleiss' kappa, linear weights",
        "Krippendorff's alpha, ordinal",
    }


def test_every_page_has_both(client, rita):
    study, other = judged(), judged(name="Again", run="again")
    frozen, _ = snapshots.freeze(study, by=rita)
    judge = study.judges.get(person__username="alice")
    of_table = (
        "Kappa, linear weights",
        "0.748",
        "unweighted 0.466",
        "Krippendorff&#x27;s alpha, ordinal",
    )
    in_words = "Cohen&#x27;s kappa with linear weights 0.75 ("
    for page, *words in (
        (f"/reports/{study.pk}/", *of_table, in_words, "Fleiss&#x27; kappa, linear weights"),
        (f"/reports/snapshots/{frozen.pk}/", *of_table, in_words),
        (f"/reports/{study.pk}/judges/{judge.pk}/", *of_table[:3]),
        (f"/reports/{study.pk}/next-to/?with=study-{other.pk}", in_words, ", unweighted 0.47, n = 48"),
    ):  # fmt: skip
        shown = client.get(page).content.decode()
        for part in words:
            assert part in shown, (page, part)


def test_the_zip_recomputes_both_and_finds_another_headline(client, rita, tmp_path):
    frozen, _ = snapshots.freeze(judged(), by=rita)
    data = client.get(f"/reports/snapshots/{frozen.pk}/report.zip").content
    zipfile.ZipFile(io.BytesIO(data)).extractall(tmp_path)
    done = run_python(tmp_path, "recompute.py")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    del report["weights"]
    (tmp_path / "report.json").write_text(json.dumps(report), encoding="utf-8")
    done = run_python(tmp_path, "recompute.py")
    assert "pairs[0].coefficients: the report has" in done.stdout


def test_over_changing_pairs_it_is_fleiss_kappa_and_ordinal_alpha():
    report = study_report(judged("alice", "bob", "charlie", instances=24))
    (line,) = [line for line in in_lines(report) if "no single Cohen's kappa" in line]
    assert "Fleiss' kappa with linear weights is 0." in line
    assert "Krippendorff's alpha, ordinal is 0." in line
    assert line.count(", unweighted 0.") == line.count(", nominal 0.") == 1
    words = methods_paragraph(report)
    assert "Krippendorff's alpha, ordinal is 0." in words
    assert ", nominal 0." in words
    heat = drawings(report)["pairs-0"]
    assert heat.title.startswith("Kappa with linear weights of each two judges")
    assert all("unweighted" in row[heat.sheet.header.index("beside")] for row in heat.sheet.rows)


def test_a_rubric_says_quadratic_and_keeps_it():
    rubric_versions.written("five")
    admin, body = judging.judge("eve"), {**body_of("five"), "title": "Other words"}
    with pytest.raises(Refusal, match="has the weights linear, which reports keep"):
        rubric_versions.save({**body, "weights": "quadratic"}, newest=1, by=admin)
    squares = {**body, "name": "of squares", "weights": "quadratic"}
    version = rubric_versions.save(squares, newest=0, by=admin)
    report = study_report(judged(rubric=version, instances=24))
    assert report["weights"] == "quadratic"
    assert "Cohen's kappa with quadratic weights is" in methods_paragraph(report)
