"""Reports of scored studies: their pages, their files, the rows that a figure counts."""

import csv
import io
import re
import zipfile

import pytest
from django.http import QueryDict
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from evaluation.counts.judged import COLUMNS
from evaluation.frozen import publishing, snapshots
from evaluation.rows.choice import ResponseChoice, chosen
from evaluation.sections.study import study_report
from evaluation.tables.scores import arranged, score_tables
from judging import studies
from judging.files.predictions import import_predictions
from judging.machine.scope import halves_of
from judging.models import Study
from leases.refusal import Refusal
from protocols.shipped import file_of
from tests import conflictbank
from tests.evaluation.factories import exclude, judge_all
from tests.evaluation.paper.test_latex_widths import set_by_pdflatex
from tests.evaluation.paper.test_paper import check
from tests.evaluation.scored import PROMPTS, answered, judged_study, scored_study, usual
from tests.factories import person, signed_in, stored
from tests.judging import declared
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db
OF_VERDICTS = ("Agreement between judges", "Verdicts by prompt", "Comparisons", "Fleiss", "article")


@pytest.fixture
def rita(client):
    return signed_in(client, person("rita", Role.RESEARCHER))


def test_a_study_that_nobody_judges_or_scores_says_so(client, rita):
    made = judging.draft(judges_per_response=0)
    studies.open_study(made, [])
    page = client.get(f"/reports/{made.pk}/")
    assertContains(page, "not judged by people, and no protocol scores them")
    for words in OF_VERDICTS[:-1]:
        assertNotContains(page, words)
    assert "scores" not in study_report(stored(made))


def test_a_study_that_people_judge_shows_verdicts_and_scores(client, rita):
    study = judged_study()
    page = client.get(f"/reports/{study.pk}/")
    for words in ("Agreement between judges", "Verdicts by prompt", "One conflicting piece"):
        assertContains(page, words)
    for words in ("Explicit", "without a type", "give one passage"):
        assertNotContains(page, words)
    report = study_report(study)
    assert {cell["slice"] for cell in report["tables"][0]["rows"]} == {"all"}
    assert report["agreement"]["measured"]
    rows = client.get(f"/reports/{study.pk}/rows/")
    assertContains(rows, "Final verdict")
    assertContains(rows, "Prompt tag")
    assertNotContains(rows, "Explicit")


def test_a_stopped_run_shows_what_is_missing(client, rita):
    def stopped(prompt, n):
        return "waiting" if prompt == "semantic" and n > 7 else usual(prompt, n)

    study = scored_study(answered(answers=stopped))
    page = client.get(f"/reports/{study.pk}/")
    assertContains(page, "missing")


def test_comparisons_by_reasoning_are_offered_for_wikicontradict_alone(client, rita):
    page = client.get(f"/reports/{judged_study().pk}/compare/")
    assertContains(page, "Two prompts, within each model")
    assertNotContains(page, "Explicit")


def test_a_study_of_given_texts_has_verdicts_and_no_scores(client, rita):
    study = judge_all(declared.open_study("alice", "bob"), lambda who, slot: "yes")
    studies.close_study(study)
    page = client.get(f"/reports/{study.pk}/")
    assertContains(page, "Verdicts by prompt")
    assertContains(page, "from 2 subjects")
    assertNotContains(page, "Scores")
    report = study_report(stored(study))
    assert report["snapshot"]["rows_format"] == 5
    assert not any(prompt["one_passage"] for prompt in report["prompts"])
    assert [prompt["origin"] for prompt in report["prompts"]] == ["ours", "ours"]


@pytest.mark.both
def test_intervals_resample_the_field_that_the_protocol_names(monkeypatch):
    text = file_of("conflictbank").replace(b'cluster = "subject"', b'cluster = "relation"')
    monkeypatch.setattr(conflictbank, "file_of", lambda name: text)
    report = study_report(scored_study())
    assert report["study"]["articles"] == 2
    assert {one["clusters"] for one in report["scores"]["tables"][0]["figures"]} == {2}
    assert report["protocol"]["cluster"] == "relation"
    judged = study_report(judged_study(into="others"))
    assert judged["agreement"]["prompts"][0]["all"][0]["clustered"]["clusters"] == 2


@pytest.fixture
def by_founder(monkeypatch):
    """A judged study, by people and by a judge model, whose intervals resample twelve values of another field."""
    text = file_of("conflictbank").replace(b'cluster = "subject"', b'cluster = "object"')
    monkeypatch.setattr(conflictbank, "file_of", lambda name: text)
    study = judged_study()
    replies = [f"{n},evaluation: {'no' if n % 5 else 'yes'}" for n in range(study.items.count())]
    import_predictions(study, "\n".join(["item,reply", *replies]).encode(), "Elsewhere")
    Study.objects.update(is_demonstration=True)
    return stored(study)


def test_no_page_or_table_of_it_speaks_of_articles(client, rita, by_founder):
    report = f"/reports/{by_founder.pk}/"
    snapshot, _ = snapshots.freeze(by_founder, by=rita)
    publishing.publish(snapshot, by=rita)
    snapshot.refresh_from_db()
    verdicts = "kind=models&first=conflictbank-default&verdict=yes"
    two = f"with=snapshot-{snapshot.pk}"
    judge = by_founder.judges.exclude(person=None).first()
    machine = by_founder.judges.get(person=None)
    pages = {
        report: ("12 objects", "by resampling objects", "On the held-out half of the objects", "All objects",
                 "Whole objects were drawn", "the records are invented"),
        f"{report}compare/?{verdicts}": ("p, by object", "whole objects drawn"),
        f"{report}next-to/?{two}": ("by resampling objects",),
        f"{report}judges/{judge.pk}/": ("by resampling objects",),
        f"{report}judge-models/{machine.pk}/": ("the records are invented",),
        f"{report}rows/?half=held_out": ("Object</dt>",),
        f"{report}paper/tables.tex": ("by resampling objects", "invented records"),
        f"{report}paper/tables.tex?form=compact": ("by resampling objects",),
        f"/reports/snapshots/{snapshot.pk}/": ("Frozen with whole objects",),
        f"/published/{snapshot.pk}/{snapshot.token}/": ("by resampling objects",),
        f"/studies/{by_founder.pk}/": ("the records are invented",),
    }  # fmt: skip
    for address, words in pages.items():
        page = client.get(address)
        assert page.status_code == 200, address
        text = page.content.decode()
        read = re.sub(r"<[^>]*>|class article", "", text)
        assert not re.findall(r".{40}\barticles?\b.{20}", read, re.DOTALL), address
        assert [one for one in words if one not in text] == [], address


@pytest.mark.both
def test_halves_are_of_the_field_that_the_protocol_names(client, rita, by_founder):
    halves = halves_of(by_founder)
    founders = {record["object"] for record in conflictbank.records(12)}
    assert halves.held_out | halves.development == founders
    [judge] = study_report(by_founder)["judge_models"]
    for part in ("held_out", "development"):
        of_half = chosen(by_founder, ResponseChoice(half=part))
        counted = [half["n"] for one in judge["prompts"] for half in one["halves"] if half["half"] == part]  # fmt: skip
        named = {item.response.instance.contradiction.fields["object"] for item in of_half}
        assert named == halves.of(part)
        assert 0 < sum(counted) <= of_half.count()
    file = client.get(f"/reports/{by_founder.pk}/replies.csv").getvalue().decode()
    titles = {record["subject"]: record["object"] for record in conflictbank.records(12)}
    for row in csv.DictReader(file.splitlines()):
        assert (titles[row["title"]] in halves.held_out) == (row["half"] == "held_out")


@pytest.fixture(scope="module")
def scored(kept):
    """The tests above have no use for it, and come before it is there."""
    return scored_study()


@pytest.fixture
def study(scored, db):
    return stored(scored)


def test_the_page_shows_scores_and_no_verdicts(client, rita, study):
    page = client.get(f"/reports/{study.pk}/")
    assertContains(page, "These responses are not judged by people.")
    assertContains(page, "One conflicting piece of evidence (figure 3)")
    assertContains(page, "Printed in the paper.")
    assertContains(page, "CB 1: No evidence (the authors&#x27; program or files)")
    assertContains(page, "33.33")
    assertContains(page, "2 undecided")
    assertContains(page, "mean over cause")
    assertContains(page, "12 subjects")
    assertContains(page, "The order of a record&#x27;s keys is ours")
    for words in OF_VERDICTS:
        assertNotContains(page, words)


def test_columns_by_two_axes_have_heads_over_them_and_margins_stand_with_their_values(study):
    table = table_named(study, "figure-5-shuffled")
    cause = ["misinformation", "mean over cause", "pooled over cause"]
    assert table.over == [
        [("default last", 3), ("conflict last", 3)],
        [(words, 1) for words in cause * 2],
    ]
    assert table.column_words == [
        f"{last} · {one}" for last in ("default last", "conflict last") for one in cause
    ]
    of_both = [cell.n for cell in table.groups[1].lines[0].cells]
    assert of_both[0] == of_both[2] is not None
    assert of_both[1] is None


def test_a_column_named_by_a_number_says_of_what(study):
    report = study_report(study)
    table = {**report["scores"]["tables"][0], "columns": ["shots"]}
    table["columns_shown"] = [
        {"kind": "value", "of": "", "values": ["4"], "parts": [0]},
        {"kind": "difference", "of": "value", "values": ["4"], "parts": [0, 1]},
    ]
    _, columns = arranged({**table, "difference": "0"})
    assert columns == (("shots 4",), ("shots 4 less 0",))


def test_measures_of_a_single_column_stand_side_by_side(study):
    report = study_report(study)
    [table] = [one for one in report["scores"]["tables"] if one["name"] == "figure-3"]
    whole = table_named(study, "figure-3")
    assert [group.key for group in whole.groups] == ["mr", "oar", "car"]
    figures = [one for one in table["figures"] if one["column"] == 0]
    table = {**table, "columns_shown": table["columns_shown"][:1], "figures": figures}
    narrow = {**report, "scores": {**report["scores"], "tables": [table]}}
    [shown] = score_tables(narrow)
    [group] = shown.groups
    assert (shown.column_words, group.title) == (["MR", "OAR", "CAR"], "misinformation (%)")
    at = whole.column_words.index("misinformation")
    assert [line.cells for line in group.lines] == [
        tuple(of.lines[n].cells[at] for of in whole.groups) for n in range(len(group.lines))
    ]
    bits = {"name": "oar", "title": "Entropy", "mean": {"scorer": "answer", "of": "entropy"}}
    table |= {"cells": ["car", "oar"]}
    measures = [one for one in report["scores"]["measures"] if one["name"] == "car"]
    scores = {**report["scores"], "tables": [table], "measures": [*measures, bits]}
    [shown] = score_tables({**narrow, "scores": scores})
    assert [group.key for group in shown.groups] == ["car", "oar"]


def table_named(study, name):
    [table] = [one for one in score_tables(study_report(study)) if one.key == f"scores-{name}"]
    return table


def test_a_mean_says_how_its_interval_came_about_or_why_it_has_none(study):
    def mean(of):
        table = table_named(of, "figure-3")
        [group] = [one for one in table.groups if one.key == "oar"]
        return table.about, group.lines[0].cells[table.column_words.index("mean over cause")]

    about, cell = mean(study)
    assert "Its interval is of the means of all draws." in about
    assert (len(cell.intervals), "No interval" in cell.reason) == (1, False)
    _, cell = mean(scored_study(answered(6, name="Few", into="few"), name="Few"))
    assert cell.intervals == ()
    assert cell.reason.startswith("No interval from 5 subjects. ")
    assert cell.reason.endswith("undecided")


def test_prompts_to_choose_from_are_in_the_order_of_their_labels(client, rita, study):
    page = client.get(f"/reports/{study.pk}/rows/").content.decode()
    listed = re.findall(r">(CB [^<:]+):", page[: page.index("</select>")])
    assert listed == sorted(listed) == ["CB 1", "CB 2", "CB 3m", "CB 3s", "CB 3t", "CB 6m"]


@pytest.mark.both
def test_every_figure_leads_to_the_responses_that_it_counts(study):
    exclude(study, 2)
    compared = 0
    for name in ("figure-3", "figure-5-shuffled", "style-temporal", "uncertainty"):
        table = table_named(study, name)
        for group in table.groups:
            for cell in group.lines[0].cells:
                for query, number in ((cell.rows, cell.k), (cell.whole, cell.n)):
                    if query and number is not None:
                        assert _rows(study, query) == number, (name, query)
                        compared += 1
    assert compared > 40


def _rows(study, query: str) -> int:
    return chosen(study, ResponseChoice.from_query(QueryDict(query[1:]), study)).count()


def _answers(*labels: str) -> int:
    """How many of both models' responses have these labels."""
    return 2 * sum(usual(prompt, n) in labels for prompt in PROMPTS for n in range(12))


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"scored": "answer=original"}, _answers("original")),
        ({"scored": "answer=undecided"}, _answers("undecided")),
        ({"scored": "answer=undecided&answer=other"}, _answers("undecided", "other")),
        ({"tag": "setting=no evidence"}, 24),
        ({"tag": "setting=no evidence", "scored": "answer=other"}, 4),
        ({"tag": "setting=no evidence", "within": "known"}, 20),
        ({"where": "last=conflict last"}, 16),
        ({"where": "default_evidence_category=book"}, 48),
        ({"scored": "answer=uncertain", "tag": "setting=no evidence"}, 0),
    ],
)
def test_rows_are_chosen_by_label_state_tag_and_population(study, query, count):
    assert chosen(study, ResponseChoice.from_query(query, study)).count() == count


@pytest.mark.parametrize(
    "query", [{"scored": "verdict=x"}, {"where": "colour=red"}, {"within": "unknown"}]
)
def test_what_the_protocol_does_not_declare_is_refused(study, query):
    with pytest.raises(Refusal, match="is not known here"):
        chosen(study, ResponseChoice.from_query(query, study))


def test_the_page_of_rows_shows_scores_tags_and_drawn_orders(client, rita, study):
    page = client.get(f"/reports/{study.pk}/rows/", {"tag": "order=shuffled"})
    assertContains(page, "24 responses")
    assertContains(page, "order: shuffled")
    assertContains(page, "Misinformation evidence, then Default evidence")
    assertContains(page, "<dt>Prompt tags</dt>")
    assertContains(page, "<dt>Answer</dt>")
    for words in ("Final", "Cause of disagreement", "Words in comments"):
        assertNotContains(page, words)


def test_rows_as_csv_have_scores_tags_and_drawn_orders(client, rita, study):
    answer = client.get(f"/reports/{study.pk}/rows.csv", {"tag": "order=shuffled"})
    rows = list(csv.DictReader(b"".join(answer.streaming_content).decode().splitlines()))
    assert list(rows[0]) == [*COLUMNS, "score_answer", "tags", "order", "shots", "check_reply"]
    assert len(rows) == 24
    assert {row["score_answer"] for row in rows} == {
        "original",
        "counter",
        "uncertain",
        "undecided",
    }
    assert rows[0]["tags"].startswith("setting: two pieces; cause: misinformation; order: shuffled")
    assert {row["order"].split(", ")[0] for row in rows} == {
        "default_evidence", "misinformation_conflict_evidence_evidence",
    }  # fmt: skip


def test_scores_as_csv_have_a_row_for_each_figure(client, rita, study):
    answer = client.get(f"/reports/{study.pk}/scores.csv")
    text = answer.getvalue().decode("utf-8-sig")
    rows = list(csv.DictReader(text.splitlines()))
    figures = [one for table in study_report(study)["scores"]["tables"] for one in table["figures"]]
    assert len(rows) == len(figures)
    zipped = client.get(f"/reports/{study.pk}/paper/all.zip").getvalue()
    assert text == zipfile.ZipFile(io.BytesIO(zipped)).read(f"{study.slug}-scores.csv").decode(
        "utf-8-sig"
    )
    mean = next(row for row in rows if row["column"] == "mean over cause")
    assert mean["table"] == "One conflicting piece of evidence (figure 3)"
    assert mean["part"].startswith("MR: ")
    assert (mean["unit"], mean["reason"]) == ("score", "No interval from 6 subjects. 6 undecided")


def test_a_frozen_report_is_published_and_packed(client, rita, study):
    snapshot, _ = snapshots.freeze(study, by=rita)
    page = client.get(f"/reports/snapshots/{snapshot.pk}/")
    assertContains(page, "The responses used for these numbers have not changed.")
    assertContains(page, "33.33")
    publishing.publish(snapshot, by=rita)
    address = f"/published/{snapshot.pk}/{stored(snapshot).token}/"
    client.logout()
    page = client.get(address)
    assertContains(page, "not judged by people")
    assertContains(page, "33.33")
    assertNotContains(page, "/rows/")
    folds = re.findall(
        r'<details class="fold"[^>]*>\s*<summary>.*?<div id="([^"]+)"',
        page.content.decode(),
        re.DOTALL,
    )
    contents = page.content.decode().split("</nav>")[0]
    assert [name for name in folds if f'href="#{name}"' not in contents] == []
    for words in OF_VERDICTS:
        assertNotContains(page, words)
    assert client.get(f"{address}scores.csv").status_code == 200


def test_tables_for_a_paper_and_its_methods(client, rita, study):
    page = client.get(f"/reports/{study.pk}/paper/")
    assertContains(page, "They were not judged by people.")
    assertContains(page, "resamples of whole subjects")
    assertContains(page, "(figure 3). Printed in the paper. With 95\\,\\% intervals")
    full = client.get(f"/reports/{study.pk}/paper/tables.tex", {"form": "full"}).content.decode()
    assert "2/6 33.33" in full
    compact = client.get(f"/reports/{study.pk}/paper/tables.tex").content.decode()
    assert "2/6 33.33" in compact
    for text in (full, compact):
        check(text)
    assert full.count(r"\begin{tabular}") + full.count(r"\begin{longtable}") >= 10
    assert "Original answer ratio" in full


def test_latex_sets_every_table_of_scores_within_the_text(client, rita, study, tmp_path):
    text = client.get(f"/reports/{study.pk}/paper/tables.tex", {"form": "full"}).content.decode()
    set_by_pdflatex(text, tmp_path)


def test_the_list_of_reports_counts_no_verdicts_of_it(client, rita, study):
    page = client.get("/reports/")
    assertContains(page, "not judged by people")
    assertNotContains(page, "0 of 144")


def test_two_reports_of_the_protocol_stand_next_to_each_other(client, rita, study):
    def other(prompt, n):
        return "original" if prompt == "temporal" else usual(prompt, n)

    second = scored_study(answered(answers=other, name="Again", into="more"), name="Again")
    snapshot, _ = snapshots.freeze(study, by=rita)
    address = f"/reports/{study.pk}/next-to/"
    page = client.get(address)
    assertContains(page, f'value="study-{second.pk}"')
    assertContains(page, f'value="snapshot-{snapshot.pk}"')
    page = client.get(address, {"with": f"study-{second.pk}"})
    assertContains(page, "+66.67")  # the ratio of one cause: 33.33, and 100
    page = client.get(address, {"with": f"snapshot-{snapshot.pk}"})
    assert re.search(r">\s*0\.00\s*</td>", page.content.decode())
    assert client.get(address, {"with": "study-999"}).status_code == 404
