"""Populations and tables of scores: literal cases."""

from itertools import product

import pytest

from evaluation.scorers.counting import population_entries, table_entry
from evaluation.statistics.bootstrap import ResamplePlan
from tests.evaluation.scorers.rows import One, asked, known, rows_of

PLAN = ResamplePlan(7, 200)
BY_CAUSE = {
    "name": "by-cause",
    "where": {"setting": "one"},
    "rows": ["model"],
    "columns": ["cause"],
    "cells": ["oar", "car", "mr"],
}


def made(*given, **table):
    return table_entry({**BY_CAUSE, **table}, rows_of(*given), PLAN)


def shown(table) -> dict[tuple, str]:
    """(values of the line, kind and values of the column, measure) -> per cent as shown."""
    return {
        (*table["lines"][one["line"]], *_head(table, one), one["measure"]): _percent(one)
        for one in table["figures"]
    }


def _head(table, one):
    column = table["columns_shown"][one["column"]]
    return column["kind"], *column["values"]


def _percent(one) -> str:
    return "" if one["value"] is None else f"{100 * one['value']:.2f}"


def figure(table, measure, column=0, line=0):
    (one,) = [
        one
        for one in table["figures"]
        if (one["line"], one["column"], one["measure"]) == (line, column, measure)
    ]
    return one


@pytest.mark.parametrize(
    ("size", "labels", "oar", "car", "mr"),
    [
        (120, {"original": 45, "counter": 60, "other": 15}, "37.50", "50.00", "42.86"),
        (7, {"original": 1, "counter": 2, "uncertain": 4}, "14.29", "28.57", "33.33"),
        (4, {"other": 4}, "0.00", "0.00", ""),
        (4, {"undecided": 4}, "0.00", "0.00", ""),
        (2, {"original": 2}, "100.00", "0.00", "100.00"),
    ],
)
def test_ratios_come_from_counts(size, labels, oar, car, mr):
    table = made(*known(range(size)), *asked(labels))
    assert [_percent(one) for one in table["figures"]] == [oar, car, mr]
    assert figure(table, "oar")["n"] == size
    assert figure(table, "mr")["n"] == labels.get("original", 0) + labels.get("counter", 0)


# Right without evidence: 1 to 6; right with the default evidence: 2 to 8. So the population is 2 to 6.
EIGHT = [
    *(One(n, "none", "original" if n <= 6 else "other") for n in range(1, 9)),
    *(One(n, "default", "original" if n >= 2 else "counter") for n in range(1, 9)),
    One(1, "one", "original", "typo"),
    One(2, "one", "original", "typo"),
    One(3, "one", "counter", "typo"),
    One(4, "one", "counter", "typo"),
    One(5, "one", "uncertain", "typo"),
    One(6, "one", "undecided", "typo"),
    One(7, "one", "counter", "typo"),
    One(8, "one", "original", "typo"),
]


def test_the_population_is_right_without_and_with_the_evidence():
    table = made(*EIGHT)
    assert [_percent(one) for one in table["figures"]] == ["20.00", "40.00", "33.33"]
    assert figure(table, "oar")["states"] == {"undecided": 1}
    (entry,) = population_entries(rows_of(*EIGHT))
    assert entry["models"] == [{"model": "llama", "k": 5, "n": 8, "incomplete": 0, "excluded": 0}]


def test_excluded_questions_are_in_no_share_and_are_counted():
    given = [one._replace(excluded=one.item in (3, 8)) for one in EIGHT]
    table = made(*given)
    assert [(one["k"], one["n"]) for one in table["figures"]] == [(1, 4), (1, 4), (1, 2)]
    assert figure(table, "oar")["states"] == {"undecided": 1, "excluded": 1}
    (entry,) = population_entries(rows_of(*given))
    assert entry["models"] == [{"model": "llama", "k": 4, "n": 6, "incomplete": 0, "excluded": 2}]


def test_of_a_run_that_was_stopped_what_is_there_is_counted_and_the_rest_beside_it():
    """Question 4 failed, 6 was not asked, and 5 lacks its answer with the default evidence."""
    changed = {(4, "one"): "failed", (6, "one"): "missing", (5, "default"): "missing"}
    given = [one._replace(label=changed.get(one[:2], one.label)) for one in EIGHT]
    table = made(*given)
    assert [(one["k"], one["n"]) for one in table["figures"]] == [(1, 2), (1, 2), (1, 2)]
    assert figure(table, "mr")["states"] == {"failed": 1, "missing": 1}
    (entry,) = population_entries(rows_of(*given))
    assert entry["models"] == [{"model": "llama", "k": 4, "n": 7, "incomplete": 1, "excluded": 0}]


def test_skipped_responses_count_in_shares_and_stand_beside_them():
    table = made(*known(range(4)), *asked({"original": 1, "skipped": 2, "filtered": 1}))
    assert figure(table, "oar")["n"] == 4
    assert figure(table, "oar")["states"] == {"skipped": 2, "filtered": 1}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([*known([1]), One(1, "one", "other", "typo")], "No response here is original or counter."),
        ([One(1, "one", "original", "typo")], "Nothing here is in the population."),
        ([*known([1]), One(1, "one", "failed", "typo")], "No finished response here."),
    ],
)
def test_what_cannot_be_computed_has_a_reason(given, reason):
    mr = figure(made(*given), "mr")
    assert (mr["value"], mr["reason"]) == (None, reason)
    assert mr["cluster_low"] is None


def test_populations_are_taken_sample_by_sample():
    """The first sample is right on both; the second with the evidence alone."""
    given = [
        *known([1], sample="1"),
        One(1, "none", "other", sample="2"),
        One(1, "default", "original", sample="2"),
        One(1, "one", "counter", "typo", sample="1"),
        One(1, "one", "original", "typo", sample="2"),
    ]
    assert [(one["k"], one["n"]) for one in made(*given)["figures"]] == [(0, 1), (1, 1), (0, 1)]
    by_sample = made(*given, rows=["sample"])
    assert by_sample["lines"] == [["1"], ["2"]]
    assert figure(by_sample, "oar", line=1)["reason"] == "Nothing here is in the population."


def test_each_model_has_its_own_population():
    given = [*known([1, 2]), *known([3], model="gpt"), One(3, "none", "other")]
    given += [
        One(n, "one", "counter", "typo", model=of) for n, of in product((1, 2, 3), ("llama", "gpt"))
    ]
    table = made(*given)
    assert table["lines"] == [["llama"], ["gpt"]]
    assert [figure(table, "car", line=n)["n"] for n in (0, 1)] == [2, 1]


THREE = [
    *known(range(10)),
    *asked({"original": 2, "counter": 8}, "typo"),
    *asked({"original": 3, "counter": 3, "other": 4}, "time"),
    *asked({"original": 1, "counter": 3, "other": 6}, "sense"),
]


def test_the_mean_over_causes_is_of_ratios_and_the_pooled_figure_of_counts():
    table = shown(made(*THREE, mean="cause", pooled="cause"))
    assert table["llama", "value", "typo", "mr"] == "20.00"
    assert table["llama", "value", "time", "mr"] == "50.00"
    assert table["llama", "value", "sense", "mr"] == "25.00"
    assert table["llama", "mean", None, "mr"] == "31.67"
    assert table["llama", "pooled", None, "mr"] == "30.00"  # 6 of 20
    assert table["llama", "pooled", None, "oar"] == "20.00"  # 6 of 30


def test_a_mean_of_an_undefined_ratio_is_undefined():
    table = made(*THREE, *asked({"other": 10}, "none"), mean="cause", pooled="cause")
    columns = [column["kind"] for column in table["columns_shown"]]
    mean, pooled = (figure(table, "mr", columns.index(kind)) for kind in ("mean", "pooled"))
    assert mean["value"] is None
    assert mean["reason"].startswith("Undefined")
    assert (pooled["k"], pooled["n"]) == (6, 20)


def test_differences_are_from_a_named_column_and_of_margins_too():
    given = [one._replace(setting="two") if one.setting == "one" else one for one in THREE]
    given += asked({"original": 5, "counter": 5}, "typo") + asked({"original": 10}, "time")
    where, columns = {"setting": ["one", "two"]}, ["setting", "cause"]
    table = shown(
        made(*given, where=where, columns=columns, mean="cause", pooled="cause", difference="two")
    )
    assert table["llama", "difference", "one", "typo", "mr"] == "30.00"  # 50 less 20
    assert table["llama", "difference", "one", "time", "mr"] == "50.00"
    assert ("llama", "difference", "one", "sense", "mr") not in table
    assert table["llama", "mean", "one", None, "mr"] == "75.00"
    assert table["llama", "mean", "two", None, "mr"] == "31.67"


def test_entropy_is_averaged_where_all_options_were_returned():
    given = [One(n, "one", "original", "typo", number=n / 2) for n in range(3)]
    given.append(One(3, "one", "undecided", "typo"))
    entropy = figure(made(*given, cells=["entropy"]), "entropy")
    assert (entropy["value"], entropy["n"], entropy["k"]) == (0.5, 3, None)
    assert entropy["states"] == {"undecided": 1, "unreturned": 1}


def test_slices_and_the_last_piece_are_axes():
    given = [One(n, "one", "original", "typo", last="default", style="wiki") for n in range(2)]
    given += [One(n, "one", "counter", "typo", last="conflict") for n in range(2, 5)]
    given.append(One(5, "one", "missing", "typo"))
    by_last = made(*given, columns=["last"], cells=["right"])
    assert [one["n"] for one in by_last["figures"]] == [2, 3]
    assert by_last["outside"] == 1
    by_style = shown(made(*given, columns=["style"], cells=["right"]))
    assert by_style == {
        ("llama", "value", "wiki", "right"): "100.00",
        ("llama", "value", "book", "right"): "0.00",
    }


def test_a_table_without_responses_has_no_figures():
    assert made(*known([1]))["figures"] == []


def test_intervals_are_by_cluster_and_by_the_seed():
    table = made(*known(range(20)), *asked({"original": 6, "counter": 12, "other": 2}))
    mr = figure(table, "mr")
    assert mr["clusters"] == 18  # of the other two nothing is counted
    assert 0 < mr["cluster_low"] < mr["value"] < mr["cluster_high"] < 1
    again = made(*known(range(20)), *asked({"original": 6, "counter": 12, "other": 2}))
    assert again == table


def test_a_ratio_from_few_clusters_has_no_interval_by_resampling():
    """Clusters count where they have something of what the ratio is of."""
    few = figure(made(*known(range(20)), *asked({"original": 3, "counter": 4, "other": 13})), "mr")
    assert few["cluster_low"] is None
    assert "Fewer than 8 clusters (7)" in few["cluster_reason"]
    assert few["low"] < few["value"] < few["high"]


def test_a_mean_has_an_interval_where_each_of_its_parts_has():
    given = [*known(range(10)), *asked({"original": 4, "counter": 6}, "typo")]
    given += asked({"original": 3, "counter": 4}, "time")
    table = made(*given, mean="cause")
    mean = figure(table, "mr", 2)
    assert mean["value"] is not None
    assert mean["clusters"] == 7
    assert "Fewer than 8 clusters (7)" in mean["cluster_reason"]


# ---------------------------------------------------------------- texts


def texts(*given: tuple[str | None, float], cause: str = "typo") -> list[One]:
    """Responses by label and F1, each on an item of its own."""
    return [One(n, "one", label, cause, number=f1) for n, (label, f1) in enumerate(given)]


def of_texts(*given, **table):
    return made(*given, cells=["f1", "exact", "accuracy"], **table)


def test_the_mean_of_f1_and_of_exact_matches():
    given = texts(("right", 1), ("wrong", 0.4), ("wrong", 0.75), ("unread", 0), ("refused", 0))
    f1, exact, accuracy = of_texts(*given)["figures"]
    assert (f1["value"], f1["n"], f1["k"]) == (pytest.approx(0.43), 5, None)
    assert (exact["value"], exact["k"], exact["n"]) == (0.2, 1, 5)
    assert {**exact, "measure": ""} == {**accuracy, "measure": ""}
    assert exact["low"] is not None
    assert f1["states"] == exact["states"] == {"unread": 1, "refused": 1}
    assert "without_skipped" not in f1


def test_a_skipped_response_counts_0_and_the_figure_without_it_stands_beside():
    given = texts(("right", 1), ("wrong", 0.5), ("skipped", 0), ("skipped", 0), ("failed", 0))
    f1, exact, _ = of_texts(*given)["figures"]
    assert (f1["value"], f1["n"], f1["without_skipped"]) == (0.375, 4, 0.75)
    assert (exact["k"], exact["n"], exact["without_skipped"]) == (1, 4, 0.5)
    assert f1["states"] == {"skipped": 2, "failed": 1}


@pytest.mark.parametrize("measure", ["entropy", "mr", "skipped"])
def test_what_skipped_responses_do_not_lower_has_no_figure_without_them(measure):
    given = texts(("right", 1), ("skipped", float("nan")))
    [one] = made(*given, cells=[measure])["figures"]
    assert "without_skipped" not in one


def test_where_all_are_skipped_there_is_no_figure_without_them():
    [f1, *_] = of_texts(*texts(("skipped", 0)))["figures"]
    assert (f1["value"], f1["without_skipped"]) == (0, None)


def test_margins_have_a_figure_without_skipped_responses_too():
    given = [
        *texts(("right", 1), ("skipped", 0)),
        *texts(("right", 1), ("wrong", 0), ("wrong", 0), ("skipped", 0), cause="time"),
    ]
    table = of_texts(*given, mean="cause", pooled="cause", difference="typo")
    found = {
        table["columns_shown"][one["column"]]["kind"]: (one["value"], one.get("without_skipped"))
        for one in table["figures"]
        if one["measure"] == "exact" and one["column"] > 1
    }
    assert found == {
        "mean": (0.375, pytest.approx(2 / 3)),  # of 1/2 and 1/4; of 1 and 1/3
        "pooled": (pytest.approx(2 / 6), 0.5),
        "difference": (-0.25, None),
    }


def test_what_a_scorer_does_not_read_is_in_no_count():
    given = [*texts(("right", 1), (None, float("nan"))), *texts((None, float("nan")), cause="time")]
    table = of_texts(*given)
    assert [column["values"] for column in table["columns_shown"]] == [["typo"]]
    assert figure(table, "exact")["n"] == 1
    assert figure(table, "exact")["states"] == {}
    assert table["outside"] == 0


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([("without gold", float("nan"))], "No record here has an answer to compare with."),
        ([("failed", float("nan"))], "No finished response here."),
        ([("unjudged", float("nan"))], "No verdict stands here."),
    ],
)
def test_what_has_no_score_of_texts_has_a_reason(given, reason):
    for one in of_texts(*texts(*given))["figures"]:
        assert (one["value"], one["n"], one["reason"]) == (None, 0, reason)
        assert one["states"] == {given[0][0]: 1}


def test_pooled_over_the_levels_questions_weigh_alike():
    """0.80, 0.40 and 0.20 of 3,887, 1,136 and 510 questions."""
    given = [
        *asked({"right": 3110, "wrong": 777}, style="simple"),
        *asked({"right": 454, "wrong": 682}, first=3887, style="explicit"),
        *asked({"right": 102, "wrong": 408}, first=5023, style="implicit"),
    ]
    by_level = {"columns": ["style"], "cells": ["accuracy"], "mean": "style", "pooled": "style"}
    table = shown(made(*given, **by_level))
    assert [table["llama", "value", level, "accuracy"] for level in ("simple", "explicit", "implicit")] == [
        "80.01", "39.96", "20.00",
    ]  # fmt: skip
    assert table["llama", "pooled", None, "accuracy"] == "66.26"
    assert table["llama", "mean", None, "accuracy"] == "46.66"
