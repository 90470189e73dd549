import io
import re
import zipfile
from html import escape
from xml.etree import ElementTree

import pytest

from evaluation.charts.pictures import drawn
from evaluation.charts.standalone import room, standalone
from evaluation.charts.svg import SANS
from evaluation.report.drawings import drawings
from evaluation.sections.study import study_report
from evaluation.statistics import bootstrap
from tests.evaluation.factories import judged_study

pytestmark = pytest.mark.django_db
SVG = "{http://www.w3.org/2000/svg}"
PNG = b"\x89PNG\r\n\x1a\n"


def test_every_chart_has_a_title_a_description_and_a_table_and_obeys_the_policy():
    result = drawings(study_report(judged_study("alice", "bob", "charlie")))
    assert {"flow", "kappa", "pairs-0", "matrix-0-0", "verdicts-0", "shares-0", "over-time"} <= set(
        result
    )
    ids = []
    for drawing in result.values():
        root = ElementTree.fromstring(drawing.svg)
        named = {child.tag.rpartition("}")[2]: child.text for child in list(root)[:2]}
        assert named["title"]
        assert named["desc"]
        assert drawing.sheet.rows
        assert all(len(row) == len(drawing.sheet.header) for row in drawing.sheet.rows)
        assert not re.search(r"<style|<script|\bstyle=|\bon\w+=|href", drawing.svg)
        ids += re.findall(r' id="([^"]+)"', drawing.svg)
    assert len(ids) == len(set(ids))


def test_a_study_of_two_judges_has_no_heat_map(study):
    assert "pairs-0" not in drawings(study_report(study))


def test_one_judge_has_no_chart_of_kappa():
    assert "kappa" not in drawings(study_report(judged_study("alice", judges_per_response=1)))


def test_a_chart_goes_out_in_every_form(client, rita, study):
    base = f"/reports/{study.pk}/charts/kappa"
    svg = client.get(f"{base}.svg")
    assert svg["Content-Type"].startswith("image/svg+xml")
    assert client.get(f"{base}.png").content.startswith(PNG)
    pdf = client.get(f"{base}.pdf", {"width": "column"})
    assert pdf.content.startswith(b"%PDF-")
    assert pdf["Content-Disposition"].endswith('-kappa-column.pdf"')
    assert client.get(f"{base}.pdf", {"width": "wall"}).status_code == 400
    lines = b"".join(client.get(f"{base}.csv").streaming_content).decode("utf-8-sig").splitlines()
    assert lines[0].startswith("table,part,prompt,column,unit,value")
    assert svg.content.decode().count("(n\xa0=\xa08)") >= 3
    assert len(lines) == 4


def test_the_archive_has_every_file_as_it_is_downloaded_alone(client, rita, study):
    base = f"/reports/{study.pk}"
    answer = client.get(f"{base}/paper/all.zip", {"form": "full", "order": "listed"})
    assert answer["Content-Disposition"].endswith('-paper.zip"')
    zipped = zipfile.ZipFile(io.BytesIO(answer.getvalue()))
    assert zipped.testzip() is None
    alone = {
        "full.tex": "paper/tables.tex?form=full",
        "agreement.csv": "agreement.csv",
        "kappa.csv": "charts/kappa.csv",
        "kappa-column.svg": "charts/kappa.svg?width=column",
        "shares-0.png": "charts/shares-0.png?order=listed",
    }
    for name, path in alone.items():
        assert zipped.read(f"{study.slug}-{name}") == client.get(f"{base}/{path}").getvalue(), name
    [model] = study.items.values_list("response__model", flat=True).distinct()[:1]
    assert client.get(f"{base}/paper/all.zip?place-model-{model}=x").status_code == 400


@pytest.mark.parametrize("name", ["kappa.gif", "none.svg"])
def test_a_chart_that_is_not_there_names_those_that_are(client, rita, name):
    answer = client.get(f"/reports/{judged_study().pk}/charts/{name}")
    assert answer.status_code == 404
    assert "flow, kappa" in answer.content.decode()


@pytest.mark.parametrize("form", ["png", "pdf"])
def test_text_shows_in_a_picture(form):
    svg = drawings(study_report(judged_study()))["flow"].svg
    wordless = re.sub(r"<text.*?</text>", "", svg)
    with_words, without = (len(drawn(one, "column", form, "Flow")) for one in (svg, wordless))
    assert with_words > 2 * without


@pytest.mark.parametrize(("width", "points", "least"), [("column", 240, 240), ("page", 480, 345)])
def test_every_chart_fits_its_width_on_paper_with_text_of_six_points(width, points, least):
    """Of the right width; no text is outside it, or smaller than 6 pt where the page's width is set in 345 pt."""
    report = study_report(judged_study("alice", "bob", "charlie"))
    for drawing in drawings(report, wide=room(width)).values():
        root = ElementTree.fromstring(standalone(drawing.svg, width))
        assert float(root.get("width").removesuffix("pt")) == pytest.approx(points, abs=1)
        a_pixel = least / float(root.get("viewBox").split()[2])
        for text in root.iter(f"{SVG}text"):
            assert float(text.get("font-size")) * a_pixel >= 6
        wide = float(root.find(f"{SVG}svg").get("width"))
        for left, right, line in lines(root, wide):
            assert left >= -1, line
            assert right <= wide + 1, line


def lines(root, wide):
    """Each line of text from where to where, in pixels."""
    for text in root.iter(f"{SVG}text"):
        x, shift = text.get("x"), float(text.get("dx", 0))
        at = float(x[:-1]) * wide / 100 if x.endswith("%") else float(x)
        anchor = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor")]
        for line in (text.text or "", *(span.text for span in text.iter(f"{SVG}tspan"))):
            left = at + shift - anchor * SANS.width(line)
            yield left, left + SANS.width(line), line


@pytest.mark.parametrize("key", ["kappa", "shares-0", "verdicts-0", "over-time", "days"])
def test_a_chart_with_axes_says_what_they_are(key):
    titles = {
        "kappa": "Cohen's kappa",
        "shares-0": "Correct responses, %",
        "verdicts-0": "Share of responses, %",
        "over-time": "Agreement of two judges, %",
        "days": "Verdicts a day, at most 24",
    }
    report = study_report(judged_study())
    report["days"] = [{"day": f"2026-01-0{n}", "verdicts": 8 * n} for n in (1, 2, 3)]
    assert f">{escape(titles[key])}<" in drawings(report)[key].svg


def test_only_a_chart_stands_alone():
    with pytest.raises(ValueError, match="chart"):
        standalone("<svg/>", "page")


def test_agreement_over_time_has_its_chart_with_the_numbers_of_the_table(client, rita, study):
    report = study_report(study)
    drawing = drawings(report)["over-time"]
    parts = [part for prompt in report["agreement"]["prompts"] for part in prompt["over_time"]]
    rows = [dict(zip(drawing.sheet.header, row, strict=True)) for row in drawing.sheet.rows]
    assert [row["k"] for row in rows if row["column"] == "n"] == [part["n"] for part in parts]
    agreed = [row for row in rows if row["column"] == "Agreement"]
    assert [row["value"] for row in agreed] == [part["coefficients"][0]["value"] for part in parts]
    methods = {row["method"] for row in agreed}
    assert methods == {"Wilson"}, "Four articles are too few to resample."
    assert drawing.svg in client.get(f"/reports/{study.pk}/").content.decode()
    assert client.get(f"/reports/{study.pk}/charts/over-time.png").content.startswith(PNG)
    for prompt in report["agreement"]["prompts"]:
        prompt["over_time"] = []
    assert "over-time" not in drawings(report)


def test_the_chart_of_shares_has_the_interval_of_the_table():
    report = study_report(judged_study())
    cell = next(row for row in report["tables"][0]["rows"] if row["verdict"] == "correct")
    cell |= {"cluster_low": 0.25, "cluster_high": 0.75}
    drawing = drawings(report)["shares-0"]
    first, second = (
        dict(zip(drawing.sheet.header, row, strict=True)) for row in drawing.sheet.rows
    )
    assert (first["low"], first["high"], first["method"]) == (0.25, 0.75, bootstrap.METHOD)
    assert 'x1="25.000%"' in drawing.svg
    assert second["method"] == "Wilson"


def test_each_mark_of_the_shares_leads_to_the_responses_that_it_counts(client, rita):
    study = judged_study()
    page = client.get(f"/reports/{study.pk}/").content.decode()
    marks = [mark for drawing in drawings(study_report(study)).values() for mark in drawing.marks]
    assert len(marks) == 6
    for mark in marks:
        address = f"/reports/{study.pk}/rows/{mark.query}"
        assert f'href="{escape(address)}" title="{escape(mark.value)}"' in page
        _, counted = re.search(r": (\d+)/(\d+) ", mark.value).groups()
        assert f"{counted} responses" in client.get(address).content.decode()
