import json

import pytest

from evaluation.statistics.tables import Tallies, Tally, lines
from evaluation.statistics.wilson import wilson

VERDICTS = ("incorrect", "partially correct", "correct")


def table(groups, **changes):
    options = {
        "prompts": ["passage-1", "both-passages"],
        "models": ["m"],
        "verdicts": VERDICTS,
        "one_passage": {"passage-1"},
    }
    return lines(Tallies.of_rows(groups), **{**options, **changes})


def line_of(result, prompt="both-passages", part="all", model="m"):
    (found,) = [
        (line, cells)
        for line, cells in result
        if (line["prompt"], line["model"], line["slice"]) == (prompt, model, part)
    ]
    return found


def counts_of(found):
    return {cell["verdict"]: (cell["k"], cell["n"]) for cell in found[1]}


def group(verdict, count, *, prompt="both-passages", reasoning="explicit", same=False, model="m"):
    return Tally(model, prompt, "A", reasoning, same, verdict, count)


def test_slices_add_up():
    result = table([group("correct", 3), group("incorrect", 2, reasoning="implicit")])
    assert counts_of(line_of(result))["correct"] == (3, 5)
    assert counts_of(line_of(result, part="explicit"))["correct"] == (3, 3)
    assert counts_of(line_of(result, part="implicit"))["correct"] == (0, 2)
    slices = [line["slice"] for line, _ in result if line["prompt"] == "both-passages"]
    assert slices == ["all", "explicit", "implicit"]


def test_an_untyped_question_counts_in_all_and_in_a_slice_of_its_own():
    result = table([group("correct", 3), group("correct", 1, reasoning="untyped")])
    assert line_of(result)[0]["total"] == 4
    assert line_of(result, part="explicit")[0]["total"] == 3
    assert line_of(result, part="implicit")[0]["total"] == 0
    assert line_of(result, part="untyped")[0]["total"] == 1


def test_an_unlabelled_response_is_in_no_share_and_shown_separately():
    found = line_of(table([group("correct", 30), group("incorrect", 10), group(None, 8)]))
    assert [found[0][name] for name in ("labelled", "total", "unlabelled")] == [40, 48, 8]
    assert counts_of(found) == {
        "incorrect": (10, 40),
        "partially correct": (0, 40),
        "correct": (30, 40),
        "unlabelled": (8, 48),
    }


def test_prompts_of_one_passage_leave_out_questions_whose_passages_are_the_same():
    rows = [group("correct", 41), group("correct", 7, same=True)]
    one = [Tally(row.model, "passage-1", *list(vars(row).values())[2:]) for row in rows]
    result = table(rows + one)
    assert (line_of(result)[0]["total"], line_of(result)[0]["left_out"]) == (48, 0)
    assert (
        line_of(result, "passage-1")[0]["total"],
        line_of(result, "passage-1")[0]["left_out"],
    ) == (41, 7)


def test_an_empty_cell_has_no_interval():
    _, (cell, *_) = line_of(table([]), "both-passages")
    assert [cell[name] for name in ("k", "n", "low", "high")] == [0, 0, None, None]


def test_a_cell_carries_its_wilson_interval():
    _, cells = line_of(table([group("correct", 30), group("incorrect", 10)]))
    (correct,) = [cell for cell in cells if cell["verdict"] == "correct"]
    assert (correct["low"], correct["high"]) == wilson(30, 40)


def test_order_follows_what_is_asked_for():
    result = table(
        [group("correct", 1, model="b")], models=["b", "a"], prompts=["both-passages", "passage-1"]
    )
    order = [(line["prompt"], line["model"]) for line, _ in result][::3]
    both, one = "both-passages", "passage-1"
    assert order == [(both, "b"), (both, "a"), (one, "b"), (one, "a")]


@pytest.mark.parametrize(
    "stray",
    [
        group("correct", 1, model="other"),
        group("correct", 1, prompt="other"),
        group("maybe", 1),
        group("correct", 1, reasoning="half"),
    ],
)
def test_no_group_is_lost_silently(stray):
    with pytest.raises(ValueError):
        table([stray])


def test_the_published_sample_counted_another_way(study_file):
    """The adjudicated verdicts of the published sample, against a count that knows nothing of tables.py."""
    published = json.loads(
        study_file("wikicontradict/humaneval_sample.json").read_text(encoding="utf-8")
    )
    kinds = {"Explicit": "explicit", "Implicit (reasoning required)": "implicit"}
    groups, expected = [], {}
    for model, rows in published.items():
        for row in rows:
            kind = kinds.get(row["taxonomy-contradictTypeIV"], "untyped")
            same = row["samepassage"] == "Same"
            for n in range(5):
                verdict = row[f"ModelAnswer_prompt_{n}_humanEval"].lower()
                groups.append(Tally(model, str(n + 1), "A", kind, same, verdict, 1))
                if not (n in (1, 2) and same):
                    for part in ("all", kind):
                        key = (str(n + 1), model, part, verdict)
                        expected[key] = expected.get(key, 0) + 1
    result = table(groups, prompts=list("12345"), models=list(published), one_passage={"2", "3"})
    cells = {
        (line["prompt"], line["model"], line["slice"], cell["verdict"]): cell["k"]
        for line, cells in result
        for cell in cells
        if cell["k"]
    }
    assert len(groups) == 250
    assert cells == expected
