"""Answers that are texts, from responses to the report, its files and its zip: literal cases."""

import csv
import hashlib

import pytest
from django.core.management import call_command
from django.http import QueryDict
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from evaluation.counts.labelled import labels_known, with_label
from evaluation.frozen import snapshots
from evaluation.frozen.verifying import SAME, verify
from evaluation.rows.choice import ResponseChoice, chosen
from evaluation.rows.hashing import hashed_lines
from evaluation.sections.study import study_report
from evaluation.tables.scores import score_tables
from evaluation.views.files import bundle_file
from generation.models import Response
from judging.models import Study
from protocols.installed import install
from tests.evaluation import scored_texts
from tests.factories import person, signed_in, stored

pytestmark = pytest.mark.django_db
# Of the lines of scores, on every database.
OF_SCORES = "4745441e3f3b8d666471d108985d730faa2d6f7f034bef6af1a069a82fd19390"
SKIPPED = {"skipped": 1}


@pytest.fixture
def study(db):
    return scored_texts.study()


@pytest.fixture
def rita(client):
    return signed_in(client, person("rita", Role.RESEARCHER))


def test_the_report_has_what_the_replies_say(study):
    tables = study_report(study)["scores"]["tables"]
    found = {
        (table["name"], *table["lines"][one["line"]], *column["values"], one["measure"]): (
            one["value"] and round(one["value"], 3),
            one["k"],
            one["n"],
            one["states"],
            one.get("without_skipped", "") and round(one["without_skipped"], 3),
        )
        for table in tables
        for one in table["figures"]
        for column in [table["columns_shown"][one["column"]]]
    }
    answers, levels = ("answers", "quokka"), ("levels", "quokka")
    # Right: "Zoë sisters", and "None" where there is no answer. "guild" is none for the last record.
    assert found[*answers, "ask", "f1"] == (0.5, None, 4, SKIPPED, 0.667)
    assert found[*answers, "ask", "exact"] == (0.5, 2, 4, SKIPPED, 0.667)
    assert found[*answers, "ask", "aliases"] == (0.5, 2, 4, SKIPPED, 0.667)
    assert found[*answers, "ask", "memory"] == (0, 0, 2, {"without gold": 2}, "")
    # "the Zoë guild" has F1 0.5; the second has no marker; the last has its alias in it.
    assert found[*answers, "think", "f1"] == (0.375, None, 4, {"unread": 1}, "")
    assert found[*answers, "think", "exact"] == (0.25, 1, 4, {"unread": 1}, "")
    assert found[*answers, "think", "aliases"] == (0.5, 2, 4, {"unread": 1}, "")
    # The level is a slice.
    assert found[*levels, "ask", "simple", "exact"] == (0.5, 1, 2, SKIPPED, 1)
    assert found[*levels, "ask", "explicit", "exact"] == (0.5, 1, 2, {}, "")
    assert found[*levels, "ask", None, "exact"] == (0.5, 2, 4, SKIPPED, 0.667)
    assert found[*levels, "ask", None, "chosen"] == (None, 0, 0, {}, "")
    assert found[*levels, "choose", "explicit", "chosen"] == (0, 0, 1, {"undecided": 1, "failed": 1}, "")  # fmt: skip


@pytest.mark.both
def test_every_figure_leads_to_the_responses_that_it_counts(study):
    compared = 0
    for table in score_tables(study_report(study)):
        for _, _, _, cell in table.cells:
            for query, number in (
                (cell.rows, cell.n if cell.k is None else cell.k),
                (cell.whole, cell.n),
            ):
                if query:
                    choice = ResponseChoice.from_query(QueryDict(query[1:]), study)
                    assert chosen(study, choice).count() == number, query
                    compared += 1
    assert compared > 20


def test_the_page_and_the_tables_for_a_paper_have_the_figure_without_skipped_ones(
    client, rita, study, capsys
):
    page = client.get(f"/reports/{study.pk}/")
    assertContains(page, "without skipped, n = 3: 66.67")
    assertContains(page, "1 skipped")
    assertContains(page, "2 without gold")
    assertContains(page, "The scorer reads no response here.")
    assertNotContains(page, "bits<")
    paper = client.get(f"/reports/{study.pk}/paper/")
    assertContains(paper, "an answer is compared with the right ones by exact match and F1")
    assertContains(paper, "contains a right one as whole words")
    assertContains(paper, "Skipped responses count 0; the figure without them stands beside.")
    full = client.get(f"/reports/{study.pk}/paper/tables.tex", {"form": "full"}).content.decode()
    assert "2/4 50.00" in full
    assert "without skipped, n = 3: 66.67" in full
    call_command("report", study.slug)
    assert "2/4 50.00" in capsys.readouterr().out


def test_the_page_of_rows_shows_how_each_answer_was_read_and_scored(client, rita, study):
    page = client.get(f"/reports/{study.pk}/rows/", {"tag": "way=think"})
    assertContains(page, '<dt>Em</dt><dd dir="auto">wrong, F1 0.50</dd>')
    assertContains(page, '<dt>Answer read</dt><dd dir="auto">the Zoë guild</dd>')
    assertContains(page, '<dt>Answer read</dt><dd dir="auto">an abstention</dd>')
    assertContains(page, '<dt>Em</dt><dd dir="auto">unread</dd>')
    assertContains(page, '<dd dir="auto">without gold</dd>')
    assertNotContains(page, "<dt>Choice</dt>")
    page = client.get(f"/reports/{study.pk}/rows/", {"scored": "em="})
    assertContains(page, "em: any")
    assertContains(page, "8 responses")
    assertContains(page, '<option value="alias=right" dir="auto">alias: right</option>')


def test_the_files_of_figures_and_rows_have_the_scores_of_texts(client, rita, study):
    def rows(name):
        answer = client.get(f"/reports/{study.pk}/{name}.csv")
        return list(csv.DictReader(b"".join(answer.streaming_content).decode().splitlines()))

    shown = {(row["score_em"], row["f1_em"], row["score_choice"]) for row in rows("rows")}
    assert ("wrong", "0.5", "") in shown
    assert ("skipped", "0.0", "") in shown
    assert ("", "", "chosen") in shown
    f1 = next(row for row in rows("scores") if row["part"].startswith("F1"))
    assert (f1["beside"], f1["beside_value"]) == ("without skipped, n = 3:", "0.6666666666666666")
    assert f1["reason"].endswith("1 skipped")


def test_the_zip_counts_all_of_it_anew(study):
    snapshot, _ = snapshots.freeze(study, by=person("rita", Role.RESEARCHER))
    found = verify(bundle_file(study, snapshot.text, "texts").content)
    assert (found.wrong, SAME in found.notes) == ([], True)


@pytest.mark.both
def test_scores_have_the_same_lines_on_every_database(study):
    lines = [line for line in hashed_lines(study) if line[2:7] == b"score"]
    assert len(lines) == 3 * 8 + 4
    assert hashlib.sha256(b"".join(lines)).hexdigest() == OF_SCORES


def test_responses_of_one_label_can_be_drawn(study):
    declaration = study.declaration
    keys = set(Response.objects.filter(state="done").values_list("pk", flat=True))
    assert {"em=wrong", "em=unread", "alias=right", "choice=undecided"} <= {
        *labels_known(declaration)
    }
    texts = {
        label: sorted(
            Response.objects.filter(pk__in=with_label(declaration, keys, label)).values_list(
                "text", flat=True
            )
        )
        for label in ("em=wrong", "em=unread", "choice=other", "memory=right")
    }
    assert texts == {
        "em=wrong": [
            "Answer: Zoë\nAnswer: the Zoë guild\nsurely",
            "So. Answer: 是欧元",
            "guild",
        ],
        "em=unread": ["guild"],
        "choice=other": ["B"],
        "memory=right": [],
    }


def test_a_reply_is_read_as_the_prompt_says_that_was_sent(client, rita, study):
    """A later version of the protocol looks for another marker, also in a study of both."""
    before = study_report(study)["scores"]["tables"]
    later = scored_texts.PROTOCOL.replace('after = "Answer:"', 'after = "So:"')
    row, _ = install(later.replace("version = 1", "version = 2", 1).encode(), "mills.toml")
    Study.objects.filter(pk=study.pk).update(protocol=row)
    study = stored(study)
    assert study.declaration.named("prompt")["think"].values["after"] == "So:"
    assert study_report(study)["scores"]["tables"] == before
    page = client.get(f"/reports/{study.pk}/rows/?where=way%3Dthink")
    assertContains(page, "the Zoë guild")
    keys = set(Response.objects.values_list("pk", flat=True))
    unread = with_label(study.declaration, keys, "em=unread")
    assert [row.text for row in Response.objects.filter(pk__in=unread)] == ["guild"]
