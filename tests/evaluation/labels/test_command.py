import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.tables import sentences
from tests.evaluation.statistics.test_agreement import FIVE

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
    counts = {"n_items", "n_raters", "n_labels", "n_left_out", "left_out", "notices"}
    assert set(result) == counts | {"labels", "weights", "coefficients", "per_class"}
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


def test_four_ordered_labels_or_more_have_the_headline_of_reports(tmp_path):
    cells = [(i, j) for i, row in enumerate(FIVE) for j, n in enumerate(row) for _ in range(n)]
    lines = "".join(f"{n},{i + 1},{j + 1}\n" for n, (i, j) in enumerate(cells))
    path = tmp_path / "five.csv"
    path.write_text(f"item,a,b\n{lines}", encoding="utf-8")
    brief, every = (
        [line.strip().partition(" (")[0] for line in out.splitlines() if "kappa" in line]
        for out, _ in (printed(path, "--resamples", "0", *more) for more in ((), ("--all",)))
    )
    weighted, plain = (
        "Cohen's kappa with linear weights, a and b, n = 48: 0.748",
        "Cohen's kappa, a and b, n = 48: 0.466",
    )
    assert brief == [weighted, plain]
    assert every[:5] == [
        "Fleiss' kappa with linear weights, all, n = 48: 0.747",
        "Fleiss' kappa, all, n = 48: 0.464",
        weighted,
        plain,
        "Cohen's kappa with quadratic weights, a and b, n = 48: 0.900",
    ]
    assert len(every) == 10
    assert every[5].startswith("kappa on 1, a and b, n = 48: ")


def test_the_table_reads_without_json(file):
    out, _ = printed(file, "--cluster", "item", "--resamples", "0")
    assert out.startswith("40 items, 2 raters, 80 labels: no, yes\n")
    assert "Cohen's kappa, alice and bob, n = 40: 0.500 (" in out


@pytest.mark.parametrize(
    ("text", "options", "kappa", "n", "said"),
    [
        (
            "item,rater,label\n1,a,1\n2,a,1\n3,a,2\n4,a,2\n1,b,1\n2,b,1\n3,b,NA\n4,b,2\n",
            [],
            1.0,
            3,
            "1 rating left out, because the label is missing: 1 NA (line 8).",
        ),
        (
            "item,rater,label\n1,a,1\n2,a,1\n3,a,2\n4,a,2\n1,b,1\n2,b,1\n3,b,None\n4,b,2\n",
            [],
            0.6,
            4,
            "Counted as a label: 'None'.",
        ),
        (
            "item,rater,label\n1,a,1\n2,a,1\n3,a,2\n4,a,2\n1,b,1\n2,b,1\n3,b,None\n4,b,2\n",
            ["--missing", "None"],
            1.0,
            3,
            "1 rating left out",
        ),
        (
            "item,rater,label\n1,a,Yes\n2,a,No\n1,b,yes\n2,b,no\n",
            ["--fold"],
            1.0,
            2,
            "count as one, the second: 'yes' and 'Yes', 'no' and 'No'.",
        ),
        ("item;a;b\n1;0,5;0,5\n2;1,0;1,0\n", [], 1.0, 2, "Decimal commas are read as points"),
    ],
)
def test_what_is_read_is_said_before_the_figure_and_in_the_json(
    file, text, options, kappa, n, said
):
    file.write_text(text, encoding="utf-8")
    out, _ = printed(file, "--resamples", "0", *options)
    assert said in out.split("Cohen's kappa")[0]
    result = json.loads(printed(file, "--json", "--resamples", "0", *options)[0])
    row = sentences.coefficient_of(result["coefficients"], "cohen_kappa")
    assert (row["value"], row["n"]) == (pytest.approx(kappa), n)
    assert any(said in notice for notice in result["notices"])
    assert result["n_left_out"] == sum(result["left_out"].values()) == (1 if n == 3 else 0)


def test_notices_are_beside_the_json_too(file):
    file.write_text(LINES + "0,alice,no,0\n", encoding="utf-8")
    out, errors = printed(file, "--json", "--resamples", "0")
    assert json.loads(out)["n_labels"] == 80
    assert errors == "1 rating repeating a label left out (line 82): it counts once.\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("item,rater\n", [], "no column label"),
        (LINES + "0,alice,yes,0\n", [], "lines 2 and 82: rater alice labels item 0 twice"),
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
