"""The paper's table 2 and a study's."""

import json

import pytest
from django.core.management import call_command

from evaluation.compare.wikicontradict_table import (
    ABSENT,
    DIFFERS,
    DOES_NOT_FIT,
    EQUAL,
    FITS,
    matches,
    paper_cells,
)
from evaluation.sections.study import study_report
from evaluation.tables.published import next_to_paper
from evaluation.tables.table import Cell, Group, Line, Table
from evaluation.tables.words import Unit


def row(k, n, **place):
    result = {"prompt": "5", "model": "llama-3-70b-instruct", "slice": "all", "verdict": "correct"}
    return {**result, "k": k, "n": n, **place}


def test_the_paper_has_155_cells_each_a_whole_number_of_responses():
    cells = list(paper_cells())
    assert len(cells) == 155
    # Half a unit of the last place, and a hair: the paper rounds 6.25 up.
    assert all(abs(100 * cell.k / cell.n - cell.percent) <= 0.0501 for cell in cells)


def test_the_cells_of_a_prompt_model_and_slice_add_up():
    sums = {}
    for cell in paper_cells():
        place = (cell.prompt, cell.model, cell.slice)
        sums[place] = sums.get(place, 0) + cell.k
    n = {(cell.prompt, cell.model, cell.slice): cell.n for cell in paper_cells()}
    assert {place for place, k in sums.items() if k != n[place]} == set()


@pytest.mark.parametrize(
    ("k", "n", "comes_to"),
    [
        (21, 48, EQUAL),
        (20, 48, DIFFERS),
        (3, 10, FITS),
        (21, 47, FITS),
        (22, 40, DOES_NOT_FIT),
        (0, 28, DOES_NOT_FIT),  # the paper has 27 others
        (30, 60, DOES_NOT_FIT),
    ],
)
def test_a_cell_is_compared_where_it_can_be(k, n, comes_to):
    (one,) = [one for one in matches([row(k, n)]) if one.comes_to != ABSENT]
    assert (one.paper.k, one.comes_to) == (21, comes_to)


def test_a_model_that_two_names_fit_is_not_guessed():
    rows = [row(21, 48), row(21, 48, model="llama-3-70b-other")]
    assert {one.comes_to for one in matches(rows)} == {ABSENT}


def test_a_cell_without_verdicts_is_absent():
    assert {one.comes_to for one in matches([row(0, 0)])} == {ABSENT}


def test_the_published_sample_is_a_part_of_the_paper_and_every_cell_fits(
    sample, study_file, capsys
):
    data = json.loads(study_file("wikicontradict/humaneval_sample.json").read_bytes())
    assert sample.items.count() == 250 == 5 * 5 * len(data["gpt-4"])
    cells = matches(study_report(sample)["tables"][0]["rows"])
    assert {one.comes_to for one in cells} == {FITS}
    call_command("compare_with_paper", "sample", "--all")
    out = capsys.readouterr().out
    assert "a part that fits: 155" in out
    assert out.count("\n") == 155 + 2


def cell(k, n, verdict="correct", **place):
    return row(k, n, verdict=verdict, **place)


def page_of(*rows):
    verdicts = [{"key": key, "label": key.capitalize()} for key in ("incorrect", "correct")]
    report = {
        "study": {"rubric": "wikicontradict v2"},
        "tables": [{"rows": rows}],
        "verdicts": verdicts,
    }
    return next_to_paper(report, table_of(rows))


def table_of(rows):
    """The study's own, a line for each verdict."""
    lines = [
        Line((one["model"], "All"), (shares(one, "incorrect"), shares(one, "correct")))
        for one in rows
    ]
    columns = (("Incorrect",), ("Correct",))
    return Table("verdicts", "", ("Model", "Questions"), columns, (Group("5", "", tuple(lines)),))


def shares(one, verdict):
    k = one["k"] if one["verdict"] == verdict else one["n"] - one["k"]
    return Cell(Unit.SHARE, k / one["n"], k, one["n"], rows=f"?verdict={verdict}")


def test_a_study_without_the_papers_models_has_no_table_next_to_it():
    assert page_of(cell(1, 2, model="quokka")) is None
    assert page_of() is None


@pytest.mark.parametrize(
    ("k", "n", "mark"), [(21, 48, ""), (20, 48, "differs"), (3, 10, ""), (22, 40, "does not fit")]
)
def test_a_cell_at_odds_with_the_paper_is_marked_in_words(k, n, mark):
    table = page_of(cell(k, n))
    [(group, line, column, one)] = table.cells
    assert (group.title, line.keys) == ("Prompt 5", ("llama-3-70b-instruct", "All"))
    assert (column, one.k, one.n, one.rows) == ("Correct", k, n, "?verdict=correct")
    assert (one.words.beside, one.words.reason) == (("paper 43.8 %",), mark)


def test_the_sentence_counts_all_cells_of_the_paper():
    assert page_of(cell(21, 48), cell(0, 48, "incorrect")).about == (
        "Of 155 cells of the paper: 1 equal, 1 with another count, 153 not in this study."
    )


@pytest.mark.django_db
def test_the_report_of_the_published_sample_shows_the_paper(client, rita, sample):
    page = client.get(f"/reports/{sample.pk}/").content.decode()
    assert "Next to WikiContradict’s table 2" in page
    assert "155 of fewer questions, which fit the paper’s count" in page
