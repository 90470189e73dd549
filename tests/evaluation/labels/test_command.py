import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.report import sentences

LINES = "item,rater,label,cluster\n" + "".join(
    f"{n},{who},{'yes' if (n + (who == 'bob') * (n % 4 == 0)) % 2 else 'no'},{n % 10}\n"
    for n in range(40)
    for who in ("alice", "bob")
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(LINES, encoding="utf-8")
    return path


def printed(*args):
    out, errors = StringIO(), StringIO()
    call_command("agreement", *map(str, args), stdout=out, stderr=errors)
    return out.getvalue(), errors.getvalue()


def test_json_holds_these_keys_and_nothing_else(file):
    result = json.loads(printed(file, "--json", "--resamples", "200")[0])
    assert set(result) == {"n_items", "n_raters", "n_labels", "labels", "coefficients", "per_class"}
    assert result["labels"] == ["no", "yes"]
    kappa = sentences.coefficient_of(result["coefficients"], "cohen_kappa")
    assert kappa["pair"] == ["alice", "bob"]
    assert "10 clusters, 200 resamples, seed 0" in kappa["method"]


def test_the_order_makes_the_weighted_coefficients(file):
    result = json.loads(
        printed(file, "--json", "--order", "no, yes, maybe", "--resamples", "200")[0]
    )
    assert result["labels"] == ["no", "yes", "maybe"]
    assert all(
        row["value"] is not None
        for row in result["coefficients"]
        if row["weights"] != "none" or row["name"] == "krippendorff_alpha_ordinal"
    )


def test_the_table_reads_without_json(file):
    out, _ = printed(file, "--cluster", "item", "--resamples", "0")
    assert out.startswith("40 items, 2 raters, 80 labels: no, yes\n")
    assert "Cohen's kappa, alice and bob, n = 40: 0.500 (" in out


def test_notices_stay_out_of_the_json(file):
    file.write_text(LINES + "0,alice,no,0\n", encoding="utf-8")
    out, errors = printed(file, "--json", "--resamples", "0")
    assert json.loads(out)["n_labels"] == 80
    assert errors == "1 line (82) repeating a label left out: it counts once.\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("item,rater\n", [], "no column label"),
        (LINES + "0,alice,yes,0\n", [], "Lines 2 and 82: rater alice labels item 0 twice"),
        (LINES, ["--order", "no"], "Labels that the order lacks: yes"),
        (LINES, ["--seed", "-4"], "whole number, 0 or above"),
        (LINES, ["--resamples", "7"], "lies between 100 and"),
    ],
)
def test_bad_input_ends_with_a_sentence(file, text, options, message):
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match=message):
        printed(file, *options)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        printed(tmp_path / "nothing.csv")
