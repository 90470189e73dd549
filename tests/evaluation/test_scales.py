"""Reports of studies of two and of six verdicts: numbers, pages, files, charts, and two reports next to each other."""

import io
import re
import zipfile
from xml.etree import ElementTree

import pytest
from pytest_django.asserts import assertContains
from sklearn.metrics import cohen_kappa_score

from evaluation.charts.svg import FILLS
from evaluation.frozen import snapshots
from evaluation.paper.latex import latex
from evaluation.report.display import FORMS, read_display
from evaluation.report.drawings import drawings
from evaluation.report.methods import methods_paragraph
from evaluation.sections.study import study_report
from judging import rubric_versions
from judging.files.predictions import import_predictions
from judging.models import Judgment
from tests.evaluation.archive.test_bundles import run_python
from tests.evaluation.factories import INSTANCES, judged_study, resolve_all
from tests.judging import factories as judging
from tests.judging.scales import SCALES, body_of, keys_of, scales

__all__ = ["scales"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scales")]


@pytest.fixture(params=SCALES)
def name(request):
    return request.param


def judged(name, called="Of a scale", start=1):
    """Every verdict in turn; bob differs on every fourth response. A third person and a judge model gave theirs too."""
    keys = keys_of(name)

    def choose(who, slot):
        place = slot.item.position
        return keys[(place + (who == "bob" and place % 4 == 0)) % len(keys)]

    run = judging.run(called)
    abouts = [
        judging.instance(n, **INSTANCES[n % len(INSTANCES)]) for n in range(start, start + 10)
    ]
    judging.responses(run, abouts)
    options = {"drawn_from": run, "name": called, "rubric": rubric_versions.written(name)}
    study = judged_study("alice", "bob", choose=choose, **options)
    resolve_all(study, keys[0])
    labels = [verdict["label"] for verdict in SCALES[name]]
    lines = "".join(f"{n},evaluation: {labels[n % len(labels)]}\n" for n in range(59))
    import_predictions(study, f"item,reply\n{lines}59,I cannot say\n".encode(), "Elsewhere")
    return study


def test_weighted_kappa_follows_the_order_of_the_rubric(name):
    study, keys = judged(name), keys_of(name)
    report = study_report(study)
    (entry, *_) = report["agreement"]["prompts"]
    (pair,) = entry["pairs"]
    assert pair["labels"] == entry["labels"] == keys
    mine, other = {}, {}
    rows = Judgment.objects.filter(slot__item__response__prompt="internal-knowledge")
    for judgment in rows.select_related("slot__judge"):
        of = mine if judgment.slot.judge.pseudonym == pair["judges"][0] else other
        of[judgment.slot.item_id] = keys.index(judgment.first_verdict)
    both = [[given[item] for item in mine] for given in (mine, other)]
    found = {
        one["weights"]: one["value"] for one in pair["coefficients"] if one["name"] == "cohen_kappa"
    }
    assert set(found) == ({"none"} if len(keys) == 2 else {"none", "linear", "quadratic"})
    for weights, value in found.items():
        plain = None if weights == "none" else weights
        assert value == pytest.approx(cohen_kappa_score(*both, weights=plain))


def test_weights_count_steps_of_the_rubric_where_a_prompt_has_part_of_it(client, rita, tmp_path):
    """From useless to good are four steps of six verdicts, from good to excellent one; the numbers are by hand."""
    rubric_versions.written("six")
    body = body_of("six")
    for entry in body["prompts"].values():
        entry["proposed"] = ["excellent", "good", "useless"]
    version = rubric_versions.save(body, newest=1, by=judging.judge("eve"))
    given = {
        "alice": ["useless"] * 3 + ["good"] * 2 + ["excellent"] * 3,
        "bob": ["useless"] * 2 + ["good"] * 5 + ["excellent"],
    }

    def choose(who, slot):
        return given[who][slot.item.position]

    run = judging.finished_run(8, prompts=["both-passages"], models=judging.MODEL_IDS[:1])
    study = judged_study("alice", "bob", choose=choose, drawn_from=run, rubric=version)
    resolve_all(study, "good")
    (pair,) = study_report(study)["agreement"]["prompts"][0]["pairs"]
    assert pair["labels"] == ["useless", "good", "excellent"]
    kappas = [one["value"] for one in pair["coefficients"] if one["name"] == "cohen_kappa"]
    assert kappas == pytest.approx([15 / 23, 7 / 15, 67 / 91])
    frozen, _ = snapshots.freeze(study, by=rita)
    data = client.get(f"/reports/snapshots/{frozen.pk}/report.zip").content
    zipfile.ZipFile(io.BytesIO(data)).extractall(tmp_path)
    done = run_python(tmp_path, "recompute.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_report_has_what_the_rubric_declares_and_compares_its_best_verdict(name):
    report = study_report(judged(name))
    assert report["verdicts"] == SCALES[name]
    assert report["comparisons"]["verdict"] == keys_of(name)[-1]
    (table,) = report["tables"]
    assert {row["verdict"] for row in table["rows"]} == {*keys_of(name)}
    (judge,) = report["judge_models"]
    assert [one["label"] for one in judge["prompts"][0]["classes"]] == keys_of(name)
    assert judge["prompts"][0]["accuracy"]["n"]


def test_another_best_verdict_is_compared_where_one_is_declared(monkeypatch):
    entries = [
        {**entry, **({"best": True} if entry["key"] == "no" else {})} for entry in SCALES["yes-no"]
    ]
    monkeypatch.setitem(SCALES, "yes-no", entries)
    rubric_versions.written("yes-no")
    by = judging.judge("eve")
    version = rubric_versions.save(body_of("yes-no"), newest=1, by=by)
    study = judged("yes-no")
    study.rubric = version
    report = study_report(study)
    assert report["comparisons"]["verdict"] == "no"
    charts = drawings(report)
    assert charts["shares-0"].title.startswith("Not entailed on prompt")


def test_every_page_has_the_labels(name, client, rita):
    study = judged(name)
    labels = [verdict["label"] for verdict in SCALES[name]]
    judge = study.judges.filter(person__isnull=False).first()
    pages = [
        "", "rows/", "disagreements/", "judges/", f"judges/{judge.pk}/", "compare/", "paper/",
        "next-to/", "rows/?said=unparsed", f"rows/?either={keys_of(name)[0]}", "rows/?sort=verdict",
        f"compare/?kind=models&first=both-passages&verdict={keys_of(name)[0]}",
    ]  # fmt: skip
    for page in pages:
        answer = client.get(f"/reports/{study.pk}/{page}")
        for label in labels if page != "paper/" else ():
            assertContains(answer, label)
        assert answer.status_code == 200, page
        assert "orrect</" not in answer.content.decode(), page
    refused = client.get(f"/reports/{study.pk}/rows/?verdict=correct")
    assertContains(refused, f"Use one of: {', '.join(keys_of(name))}", status_code=400)


def test_two_reports_of_one_rubric_stand_next_to_each_other_and_others_are_refused(
    name, client, rita
):
    first, second = judged(name), judged(name, "Once more", 11)
    run = judging.run("of-three")
    judging.responses(run, [judging.instance(21)])
    third = judged_study(drawn_from=run, name="Of three")
    address = f"/reports/{first.pk}/next-to/"
    page = client.get(f"{address}?with=study-{second.pk}&verdict={keys_of(name)[0]}")
    assertContains(page, "Once more")
    assertContains(page, SCALES[name][0]["label"])
    assert "Of three" not in client.get(address).content.decode()
    refused = client.get(f"{address}?with=study-{third.pk}")
    assertContains(
        refused, f"by the rubric wikicontradict, and Of a scale by {name}.", status_code=400
    )


def test_latex_and_methods_name_the_labels(name):
    report = study_report(judged(name))
    sources = [latex(report, read_display({"form": form}, report)) for form in FORMS]
    for verdict in SCALES[name]:
        assert re.search(re.escape(verdict["label"]), sources[-1])
    assert f"The share that is {SCALES[name][-1]['label'].lower()} in n" in sources[0]
    assert methods_paragraph(report)
    assert not re.search("[Cc]orrect\\b", "".join(sources))


def test_a_segment_of_each_verdict_differs_from_the_others_without_its_colour(name):
    charts = drawings(study_report(judged(name)))
    root = ElementTree.fromstring(charts["verdicts-0"].svg)
    svg = "{http://www.w3.org/2000/svg}"
    rects = [rect for rect in root.iter(f"{svg}rect") if rect.get("height") == "14"]
    fills = {rect.get("fill") for rect in rects}
    tones = {verdict.get("tone") for verdict in SCALES[name]} - {None} or {"bad", "good"}
    plain = {FILLS[tone][0] for tone in tones}
    patterns = {f"url(#{one.get('id')})" for one in root.iter(f"{svg}pattern")}
    assert fills == plain | patterns
    assert len(fills) == len(SCALES[name])
    drawn = [path.get("d") for one in root.iter(f"{svg}pattern") for path in one]
    assert len(patterns) == len(SCALES[name]) - len(tones)
    assert set(drawn) <= {"M-2 2L2 -2M0 8L8 0M6 10L10 6"}


def test_the_zip_of_a_frozen_report_recomputes_every_number(name, client, rita, tmp_path):
    frozen, _ = snapshots.freeze(judged(name), by=rita)
    data = client.get(f"/reports/snapshots/{frozen.pk}/report.zip").content
    zipfile.ZipFile(io.BytesIO(data)).extractall(tmp_path)
    done = run_python(tmp_path, "recompute.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all equal" in done.stdout
    page = client.get(f"/reports/snapshots/{frozen.pk}/")
    for verdict in SCALES[name]:
        assertContains(page, verdict["label"])
