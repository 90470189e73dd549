"""Files of labels as people have them, and what is said of those that cannot be counted."""

import io

import pytest

from datasets.readers.json_text import Unreadable
from evaluation.labels.file import MOST_LABELS, read_labels
from evaluation.labels.spelling import alike, wishes_of

HEAD = "item,rater,label\n"


def ratings_of(text, **bounds):
    return read_labels(io.BytesIO(text.encode()), **bounds)


def rows(result):
    """(item number, rater, label) of each label that counts."""
    return [
        (int(item), result.rater_names[rater], result.label_names[label])
        for item, rater, label in zip(result.items, result.raters, result.labels, strict=True)
    ]


def problems(text, **bounds):
    with pytest.raises(Unreadable) as caught:
        ratings_of(text, **bounds)
    return caught.value.message.splitlines()


TWO = [(0, "alice", "yes"), (0, "bob", "no")]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "1,alice,yes\n1,bob,no\n",
        "Label, Item ,RATER,notes\nyes,1,alice,first\n no ,1, bob,\n",
        "item,alice,bob\n1,yes,no\n",
    ],
    ids=["long", "columns", "wide"],
)
def test_the_header_says_what_the_file_is(text):
    result = ratings_of(text)
    assert (rows(result), result.clusters, result.item_count) == (TWO, None, 1)


def test_clusters_are_read_where_there_is_the_column():
    result = ratings_of("item,rater,label,cluster\n1,a,x,Abbey\n2,a,x,Mill\n2,b,x,Mill\n")
    assert result.clusters.tolist() == [0, 1, 1]


def test_a_cell_may_hold_separators_line_breaks_formulas_and_markup():
    result = ratings_of(HEAD + '1,a,"=1+1"\n1,b,"<b>x, y</b>\nz"\n')
    assert result.label_names == ["=1+1", "<b>x, y</b>\nz"]


def test_the_same_label_twice_counts_once_and_is_told():
    result = ratings_of(HEAD + "1,alice,yes\n1,bob,no\n1,alice,yes\n1,alice,yes\n")
    assert rows(result) == TWO
    assert result.notices == ["2 ratings repeating a label left out (line 4, 5): it counts once."]


def test_two_labels_of_one_rater_for_one_item_are_an_error_with_both_lines():
    assert problems(HEAD + "1,alice,yes\n1,bob,no\n\n1,alice,no\n") == [
        "lines 2 and 5: rater alice labels item 1 twice, as yes and as no"
    ]


def test_a_line_without_a_label_is_missing_data():
    result = ratings_of(HEAD + "1,alice,yes\n2,alice,\n1,bob,no\n")
    assert rows(result) == TWO
    assert result.notices == ["1 rating left out, because the label is missing: 1 empty (line 3)."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "1,,yes\n", "line 2: has no rater"),
        (HEAD + ",alice,yes\n", "line 2: has no item"),
        ("item,a,b\n,x,y\n", "line 2: has no item"),
        ("item,rater,label,cluster\n1,a,x,\n", "line 2: has no cluster"),
        (
            "item,rater,label,cluster\n1,a,x,Abbey\n1,b,x,Mill\n",
            "lines 2 and 3: item 1 is in two clusters",
        ),
        ("item,a,b\n1,x,y\n1,x,x\n", "lines 2 and 3: rater b labels item 1 twice, as y and as x"),
        (
            "item,label\n1,yes\n",
            "The first line has no column rater. It names the columns item, rater, label and perhaps cluster,",
        ),
        ("1,a,x\n2,a,y\n", "has no column item and no column rater and no column label."),
        ("item,alice\n1,x\n", "The first line has no column rater and no column label."),
        ("alice,bob\nx,y\n", "A wide file names item and a column for each rater, two or more."),
        ("Item,item,rater,label\n1,1,a,x\n", "The columns 1, 2 are all called “item”."),
    ],
)
def test_what_cannot_be_counted_is_told_with_its_line(text, expected):
    [problem] = problems(text)
    assert expected in problem


def labels(*given, **wishes):
    """A file in which two raters give these labels by turns, as read with these wishes."""
    lines = "".join(f"{n // 2},{'ab'[n % 2]},{label}\n" for n, label in enumerate(given))
    options = {"order": "", "missing": "", **wishes}
    return read_labels(io.BytesIO((HEAD + lines).encode()), wishes_of(**options))


@pytest.mark.parametrize(
    ("given", "wishes", "names", "left_out"),
    [
        (["1", "NA", "2", "na"], {}, ["1", "2"], {"NA": 1, "na": 1}),
        (
            ["x", "N/A", "NaN", "nan", " ", "y"],
            {},
            ["x", "y"],
            {"N/A": 1, "NaN": 1, "nan": 1, "": 1},
        ),
        (["1", ".", "2.5", "."], {}, ["1", "2.5"], {".": 2}),
        (["1", ".", "None", "2"], {}, ["1", "None", "2"], {".": 1}),
        (["x", ".", "y", "."], {}, ["x", ".", "y"], {}),
        ([".", "."], {}, ["."], {}),
        (["1", "None", "null", "-"], {}, ["1", "None", "null", "-"], {}),
        (["1", "None", "null", "-"], {"missing": "none, -"}, ["1", "null"], {"None": 1, "-": 1}),
        (["yes", "NA", "no", "N/A"], {"order": "yes,no,NA"}, ["yes", "NA", "no"], {"N/A": 1}),
        (["1", ".", "2", "."], {"order": ".,1,2"}, ["1", ".", "2"], {}),
        (["nano", "none of these"], {}, ["nano", "none of these"], {}),
    ],
)
def test_what_is_a_missing_label(given, wishes, names, left_out):
    result = labels(*given, **wishes)
    assert (result.label_names, result.left_out) == (names, left_out)
    assert len(result.labels) == len(given) - sum(left_out.values())


def test_left_out_ratings_are_counted_by_their_spelling_with_their_lines():
    assert labels("1", "NA", "2", "", "1", "NA").notices == [
        "3 ratings left out, because the label is missing: 2 NA (line 3, 7), 1 empty (line 5)."
    ]


def test_an_item_and_a_rater_without_any_label_are_not_counted():
    result = ratings_of(HEAD + "1,a,1\n1,b,2\n2,a,.\n2,c,NA\n")
    assert (result.item_count, result.rater_names, result.label_names) == (
        1,
        ["a", "b"],
        ["1", "2"],
    )


@pytest.mark.parametrize(
    ("counts", "preferred", "stands"),
    [
        ({"Correct": 1, "correct": 2, "wrong": 1}, (), {"Correct": "correct"}),
        ({"a": 1, "A": 1}, (), {"a": "A"}),
        ({"correct": 2}, ("wrong", "CORRECT"), {"correct": "CORRECT"}),
        ({"1": 2, "1.0": 1, "01": 1, "+1": 1, "2": 1}, (), {"1.0": "1", "01": "1", "+1": "1"}),
        ({"-0": 1, "0": 2}, (), {"-0": "0"}),
        ({"10": 1, "100": 1, "1e1": 1, ".5": 1, "0.50": 2}, (), {".5": "0.50"}),
        ({"partly  correct": 1, "Partly correct": 2}, (), {"partly  correct": "Partly correct"}),
        # Apart stay what may be two things.
        ({"1 11": 1, "11 1": 1, "111": 1, "item 1": 1, "item1": 1, "item_1": 1}, (), {}),
        ({"date;place": 1, "place;date": 1, "A": 1, "A-": 1, "-1": 1, "1": 1, "3/5": 1}, (), {}),
        ({"İ": 1, "i": 1, "ОК": 1, "OK": 1}, (), {}),
    ],
)
def test_what_looks_alike_has_one_that_stands_for_it(counts, preferred, stands):
    assert alike(counts, preferred) == stands


@pytest.mark.parametrize(
    ("given", "wishes", "names", "notices"),
    [
        (
            ["None", "1", "-", "None"],
            {},
            ["None", "1", "-"],
            ["Counted as a label: 'None', '-'. Declare as missing what means that there is none."],
        ),
        (["-", "+"], {"order": "-,+"}, ["-", "+"], []),
        (
            ["Correct", "correct", "wrong", "correct"],
            {},
            ["Correct", "correct", "wrong"],
            [
                "Labels that look alike count apart; fold them if they are one: 'Correct' and 'correct'."
            ],
        ),
        (
            ["Correct", "correct", "wrong", "correct"],
            {"fold": True},
            ["correct", "wrong"],
            ["Labels that look alike count as one, the second: 'Correct' and 'correct'."],
        ),
        (
            ["CORRECT", "correct", "correct"],
            {"fold": True, "order": "wrong,CORRECT"},
            ["CORRECT"],
            ["Labels that look alike count as one, the second: 'correct' and 'CORRECT'."],
        ),
        (["yes", "yes ", "caf\u00e9", "cafe\u0301"], {}, ["yes", "caf\u00e9"], []),
    ],
)
def test_what_was_seen_is_said_and_folded_on_wish(given, wishes, names, notices):
    result = labels(*given, **wishes)
    assert (result.label_names, result.notices) == (names, notices)


def test_items_and_raters_fold_too():
    text = HEAD + "Q1,Ann,x\nQ2,Ann,y\nq1,bob,x\nq2,Bob,y\n"
    apart = ratings_of(text)
    assert (apart.item_count, apart.rater_names) == (4, ["Ann", "bob", "Bob"])
    assert apart.notices == [
        "Raters that look alike count apart; fold them if they are one: 'bob' and 'Bob'.",
        "Items that look alike count apart; fold them if they are one: 'q1' and 'Q1', 'q2' and 'Q2'.",
    ]
    result = ratings_of(text, wishes=wishes_of("", "", fold=True))
    assert rows(result) == [(0, "Ann", "x"), (1, "Ann", "y"), (0, "Bob", "x"), (1, "Bob", "y")]
    assert result.item_count == 2


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("item;rater;label\n1;a;0,5\n1;b;1,0\n2;a;2\n", ["0.5", "1.0", "2"]),
        ("item\trater\tlabel\n1\ta\t-0,5\n1\tb\t+1,25\n", ["-0.5", "+1.25"]),
        ("item;rater;label\n1;a;0,5\n1;b;0.5\n", ["0.5"]),
        ("item;rater;label\n1;a;0,5\n1;b;NA\n2;a;.\n", ["0.5"]),
        ("item;rater;label\n1;a;0,5\n1;b;yes, partly\n", ["0,5", "yes, partly"]),
        ("item;rater;label\n1;a;1.000,5\n1;b;2,5\n", ["1.000,5", "2,5"]),
        ('item,rater,label\n1,a,"0,5"\n1,b,"1,0"\n', ["0,5", "1,0"]),
    ],
)
def test_decimal_commas_where_all_labels_are_numbers(text, names):
    result = ratings_of(text)
    assert result.label_names == names
    assert any("Decimal commas" in notice for notice in result.notices) == (
        "," not in "".join(names)
    )


WIDE = [(0, "alice", "x"), (0, "bob", "y"), (1, "alice", "x"), (2, "bob", "x")]


@pytest.mark.parametrize(
    "text",
    [
        "item,alice,bob\n1,x,y\n2,x,\n3,NA,x\n",
        "alice;Item;bob\nx;1;y\nx;2;\nNA;3;x\n",
        ",alice,bob\n0,x,y\n1,x,\n2,,x\n",
        "id\talice\tbob\n1\tx\ty\n\n2\tx\t\n3\t\tx\n",
        "item,alice,bob,\n1,x,y,\n2,x,,\n3,,x,\n",
    ],
    ids=["commas", "item second", "row names", "id and tabs", "empty column"],
)
def test_a_wide_file_has_a_column_for_each_rater(text):
    result = ratings_of(text)
    assert (rows(result), result.item_count, sum(result.left_out.values())) == (WIDE, 3, 2)
    assert result.notices[0] == "Read as a wide file, with a column for each rater: 'alice', 'bob'."


def test_a_wide_file_may_have_clusters():
    result = ratings_of("item,cluster,a,b\n1,Abbey,x,y\n2,Mill,x,x\n")
    assert (result.rater_names, result.clusters.tolist()) == (["a", "b"], [0, 0, 1, 1])


@pytest.mark.parametrize(
    ("head", "line", "column"),
    [("item,a,comment\n", "{n},x,remark {n}\n", "comment"), (HEAD, "{n},a,remark {n}\n", "label")],
)
def test_a_column_of_remarks_is_no_column_of_labels(head, line, column):
    [problem] = problems(head + "".join(line.format(n=n) for n in range(MOST_LABELS + 5)))
    assert f", column {column}: there are more than {MOST_LABELS} different labels." in problem


def test_missing_labels_are_not_counted_as_different_ones():
    missing = "a,b,\nb,b,NA\nc,b,n/a\nd,b,NaN\n"
    text = HEAD + missing + "".join(f"{n},a,{n}\n" for n in range(MOST_LABELS))
    assert len(ratings_of(text).label_names) == MOST_LABELS
    [problem] = problems(text + "z,a,z\n")
    assert problem.startswith(f"Line {MOST_LABELS + 6}, column label: there are more than")


def test_folded_labels_of_one_rater_for_one_item_repeat_each_other():
    text = HEAD + "1,a,Yes\n1,a,yes\n1,b,yes\n"
    assert "labels item 1 twice, as Yes and as yes" in problems(text)[0]
    result = ratings_of(text, wishes=wishes_of("", "", fold=True))
    assert rows(result) == [(0, "a", "yes"), (0, "b", "yes")]


def test_all_problems_come_together():
    assert problems(HEAD + "1,,x\n2,a\n,a,x\n") == [
        "line 3: has 2 cells, and the header has 3: write a cell for each column, and in quotation marks what holds a "
        "comma",
        "line 4: has no item",
        "line 2: has no rater",
    ]


def test_ten_problems_are_enough():
    result = problems(HEAD + "1,,x\n" * 500)
    assert (len(result), result[-1]) == (10, "line 11: has no rater")


def test_a_bound_on_rows():
    assert len(ratings_of(HEAD + "1,a,x\n2,a,x\n3,a,\n", most_rows=2).items) == 2
    (problem,) = problems(HEAD + "1,a,x\n2,a,x\n3,a,x\n", most_rows=2)
    assert problem == "The file has more than 2 labels. Use manage.py agreement for it."


def test_a_file_of_many_rows(tmp_path):
    path = tmp_path / "labels.csv"
    with path.open("w") as file:
        file.write(HEAD)
        file.writelines(f"{n // 2},{n % 2},{n % 3}\n" for n in range(200_000))
    with path.open("rb") as file:
        result = read_labels(file)
    assert (len(result.labels), result.item_count, result.notices) == (200_000, 100_000, [])
    assert result.label_names == ["0", "1", "2"]
