"""Files of labels as people have them, and what is said of those that cannot be counted."""

import io

import pytest

from evaluation.labels.file import MOST_LABELS, read_labels
from evaluation.labels.lines import UnreadableLabels
from evaluation.labels.spelling import wishes_of

HEAD = "item,rater,label\n"


def ratings_of(text, **bounds):
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    return read_labels(io.BytesIO(data), **bounds)


def rows(result):
    """(item number, rater, label) of each label that counts."""
    return [
        (int(item), result.rater_names[rater], result.label_names[label])
        for item, rater, label in zip(result.items, result.raters, result.labels, strict=True)
    ]


def problems(text, **bounds):
    with pytest.raises(UnreadableLabels) as caught:
        ratings_of(text, **bounds)
    return caught.value.problems


TWO = [(0, "alice", "yes"), (0, "bob", "no")]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "1,alice,yes\n1,bob,no\n",
        "item;rater;label\n1;alice;yes\n1;bob;no\n",
        "item\trater\tlabel\n1\talice\tyes\n1\tbob\tno\n",
        "\ufeff" + HEAD + "1,alice,yes\n1,bob,no\n",
        HEAD.replace("\n", "\r\n") + "1,alice,yes\r\n1,bob,no\r\n",
        "\n\n" + HEAD + "\n1,alice,yes\n,,\n  \n1,bob,no\n\n",
        "Label, Item ,RATER,notes\nyes,1,alice,first\n no ,1, bob,\n",
        HEAD + '"1","alice","yes"\n"1","bob","no"',
        "sep=;\nitem;rater;label\n1;alice;yes\n1;bob;no\n",
        "\ufeffsep=;\r\nitem;rater;label\r\n1;alice;yes\r\n1;bob;no\r\n",
        '"sep=|"\nitem|rater|label\n1|alice|yes\n1|bob|no\n',
        "sep=\t\nitem\trater\tlabel\n1\talice\tyes\n1\tbob\tno\n",
        "item,rater,label\r1,alice,yes\r1,bob,no",
        "item,rater,label\r1,alice,yes\r\r1,bob,no\r",
        HEAD + "1,alice,yes\r1,bob,no\r",
    ],
    ids=[
        *["commas", "semicolons", "tabs", "mark", "crlf", "blank", "columns", "quotes"],
        *["sep", "sep mark", "sep bar", "sep tab", "old mac", "old mac blank", "mixed"],
    ],
)
def test_one_content_in_many_spellings(text):
    result = ratings_of(text)
    assert (rows(result), result.clusters, result.notices, result.item_count) == (TWO, None, [], 1)


def test_clusters_are_read_where_there_is_the_column():
    result = ratings_of("item,rater,label,cluster\n1,a,x,Abbey\n2,a,x,Mill\n2,b,x,Mill\n")
    assert result.clusters.tolist() == [0, 1, 1]


def test_a_cell_may_hold_separators_line_breaks_formulas_and_markup():
    result = ratings_of(HEAD + '1,a,"=1+1"\n1,b,"<b>x, y</b>\nz"\n')
    assert result.label_names == ["=1+1", "<b>x, y</b>\nz"]


def test_the_same_label_twice_counts_once_and_is_told():
    result = ratings_of(HEAD + "1,alice,yes\n1,bob,no\n1,alice,yes\n1,alice,yes\n")
    assert rows(result) == TWO
    assert result.notices == ["2 lines (4, 5) repeating a label left out: it counts once."]


def test_two_labels_of_one_rater_for_one_item_are_an_error_with_both_lines():
    assert problems(HEAD + "1,alice,yes\n1,bob,no\n\n1,alice,no\n") == [
        "Lines 2 and 5: rater alice labels item 1 twice, as yes and as no."
    ]


def test_a_line_without_a_label_is_missing_data():
    result = ratings_of(HEAD + "1,alice,yes\n2,alice,\n1,bob,no\n")
    assert rows(result) == TWO
    assert result.notices == ["1 rating left out, because the label is missing: 1 empty (line 3)."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "1,,yes\n", "Line 2 has no rater."),
        (HEAD + ",alice,yes\n", "Line 2 has no item."),
        (HEAD + "1,alice\n", "Line 2 has 2 cells, the header has 3."),
        (HEAD + "1,alice,yes,no\n", "Line 2 has 4 cells, the header has 3."),
        ("item,rater,label,cluster\n1,a,x,\n", "Line 2 has no cluster."),
        (
            "item,rater,label,cluster\n1,a,x,Abbey\n1,b,x,Mill\n",
            "Lines 2 and 3 put item 1 into two clusters.",
        ),
        ("", "The file is empty. Its first line names the columns."),
        ("\n \n", "The file is empty. Its first line names the columns."),
        (
            "item,label\n1,yes\n",
            "The first line has no column rater. It names the columns item, rater, label and perhaps cluster, "
            "separated by comma, semicolon or tab.",
        ),
        (
            "1,alice,yes\n",
            "The first line has no column item and no column rater and no column label. It names the columns item, "
            "rater, label and perhaps cluster, separated by comma, semicolon or tab.",
        ),
        ("item,rater,label,label\n1,a,x,y\n", "The first line names the column label twice."),
        (
            HEAD.encode() + "1,alice,café\n".encode("latin-1"),
            "Line 2 is not UTF-8. Save the file as UTF-8 (CSV UTF-8 in a spreadsheet).",
        ),
        (
            HEAD.encode("utf-16"),
            "Line 1 is not UTF-8. Save the file as UTF-8 (CSV UTF-8 in a spreadsheet).",
        ),
        (HEAD + f"1,alice,{'x' * (1 << 20)}\n", "Line 2 is longer than a megabyte."),
        (
            HEAD + '1,alice,"yes\n' + "1,bob,no\n" * 20_000,
            "cannot be read as CSV: field larger than field limit",
        ),
        (HEAD + '1,alice,"yes"no\n', "Line 2 cannot be read as CSV:"),
        (HEAD + "1,alice,yes\n" * 9 + '1,bob,"yes"no\n', "Line 11 cannot be read as CSV:"),
        (HEAD + '1,alice,"yes', "cannot be read as CSV: unexpected end of data."),
        ("sep=;\n", "The file is empty. Its first line names the columns."),
        ("sep=;\nitem,rater,label\n", "The first line has no column item and no column rater"),
        (HEAD.replace("\n", "\r") + "1,,yes\r", "Line 2 has no rater."),
        (
            HEAD.replace("\n", "\r") + f"1,a,{'x' * (1 << 20)}\r",
            "Line 2 is longer than a megabyte.",
        ),
        ("item,a,b\n1,x,y\n1,x,x\n", "Lines 2 and 3 are both of item 1. A wide file has one line"),
        ("item,a,b\n1,x\n", "Line 2 has 2 cells, the header has 3."),
        ("item,a,b\n,x,y\n", "Line 2 has no item."),
        ("item,a,a\n1,x,y\n", "The first line names the column a twice."),
        ("item,alice\n1,x\n", "The first line has no column rater and no column label."),
        ("alice,bob\nx,y\n", "A wide file names item and a column for each rater, two or more."),
    ],
)
def test_what_cannot_be_counted_is_told_with_its_line(text, expected):
    (problem,) = problems(text)
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
        "3 ratings left out, because the label is missing: 2 NA (lines 3, 7), 1 empty (line 5)."
    ]


def test_an_item_and_a_rater_without_any_label_are_not_counted():
    result = ratings_of(HEAD + "1,a,1\n1,b,2\n2,a,.\n2,c,NA\n")
    assert (result.item_count, result.rater_names, result.label_names) == (
        1,
        ["a", "b"],
        ["1", "2"],
    )


@pytest.mark.parametrize(
    ("given", "wishes", "names", "notice"),
    [
        (
            ["None", "1", "1", "None"],
            {},
            ["None", "1"],
            "'None' counts as a label: 2 rows. If it means that a label is missing, leave it out with "
            '--missing="None".',
        ),
        (
            ["-", "1", "null", "1"],
            {},
            ["-", "1", "null"],
            "'-' and 'null' count as labels: 2 rows. If they mean that a label is missing, leave them out with "
            '--missing="-,null".',
        ),
        (["-", "+"], {"order": "-,+"}, ["-", "+"], None),
        (
            ["Correct", "correct", "wrong", "correct"],
            {},
            ["Correct", "correct", "wrong"],
            "'correct' and 'Correct' are counted as two labels: 3 rows; fold them with --fold case.",
        ),
        (
            ["Correct", "correct", "wrong", "correct"],
            {"fold": ["case"]},
            ["correct", "wrong"],
            "Folded as wished: 'Correct' as 'correct'.",
        ),
        (
            ["CORRECT", "correct", "correct"],
            {"fold": ["case"], "order": "wrong,CORRECT"},
            ["CORRECT"],
            "Folded as wished: 'correct' as 'CORRECT'.",
        ),
        (
            ["1", "1.0", "01", "2"],
            {},
            ["1", "1.0", "01", "2"],
            "'01', '1' and '1.0' are counted as three labels: 3 rows; fold them with --fold numbers.",
        ),
        (["1", "1.0", "+1", "1"], {"fold": ["numbers"]}, ["1"], "'1.0' as '1', '+1' as '1'."),
        (["-0", "0", "0"], {"fold": ["numbers"]}, ["0"], "Folded as wished: '-0' as '0'."),
        (
            ["partially correct", "partially-correct"],
            {},
            ["partially correct", "partially-correct"],
            "are counted as two labels: 2 rows; write them in one way.",
        ),
        (
            ["date;place", "place;date", "Place; date"],
            {},
            ["date;place", "place;date", "Place; date"],
            "'date;place', 'place;date' and 'Place; date' are counted as three labels: 3 rows; write them in one way.",
        ),
        (["a|b", "b|a|b"], {}, ["a|b", "b|a|b"], "'a|b' and 'b|a|b' are counted as two labels"),
        (["a + b", "b+a;"], {}, ["a + b", "b+a;"], "'a + b' and 'b+a;' are counted as two labels"),
        (
            ["C++", "C", "date;place", "date", "A;B", "A;C"],
            {},
            ["C++", "C", "date;place", "date", "A;B", "A;C"],
            None,
        ),
        (["3/5", "5/3"], {}, ["3/5", "5/3"], None),
        (["ja\u200b", "ja"], {}, ["ja\u200b", "ja"], "are counted as two labels: 2 rows; write"),
        (["ＯＫ", "OK"], {}, ["ＯＫ", "OK"], "are counted as two labels: 2 rows; write them"),
        (["İ", "i"], {}, ["İ", "i"], None),
        (["A", "A-", "B", "-1", "1"], {}, ["A", "A-", "B", "-1", "1"], None),
        (
            ["yes", "yes ", "no", "no"],
            {},
            ["yes", "no"],
            "1 label has more than one spelling, which count as one: 'yes'. Blanks around a text",
        ),
        (
            ["caf\u00e9", "cafe\u0301", "bar", "bar"],
            {},
            ["caf\u00e9", "bar"],
            "1 label has more than one spelling, which count as one: 'caf\u00e9'.",
        ),
    ],
)
def test_what_looks_alike_is_named_and_folded_on_wish(given, wishes, names, notice):
    result = labels(*given, **wishes)
    assert result.label_names == names
    if notice is None:
        assert result.notices == []
    else:
        assert notice in "\n".join(result.notices)


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
    assert (
        result.notices[0] == "Read as a wide file, with a column for each rater: 'alice' and 'bob'."
    )


def test_a_wide_file_may_have_clusters():
    result = ratings_of("item,cluster,a,b\n1,Abbey,x,y\n2,Mill,x,x\n")
    assert (result.rater_names, result.clusters.tolist()) == (["a", "b"], [0, 0, 1, 1])


def test_a_column_of_comments_is_no_rater():
    lines = "".join(f"{n},x,remark {n}\n" for n in range(MOST_LABELS + 5))
    (problem,) = problems("item,a,comment\n" + lines)
    assert problem == (
        f"The file has more than {MOST_LABELS} different labels by line 51, column comment. A wide file has columns "
        "for the item, the cluster and the raters only."
    )


@pytest.mark.parametrize(
    ("lines", "notice"),
    [
        (
            "Q1,a,x\nQ2,a,y\nq1,b,x\nq2,b,y\n",
            "No item has two ratings, and their names look alike: 'q1' and 'Q1'; 'q2' and 'Q2'; fold them with "
            "--fold names.",
        ),
        ("1,a,x\n1.0,b,x\n", "look alike: '1' and '1.0'; fold them"),
        ("item 01,a,x\nitem_1,b,x\n", "look alike: 'item 01' and 'item_1'; fold them"),
        (
            "1,a,x\n1,b,x\nQ2,a,x\nq2,b,x\n",
            "2 items have one rating each, and their names look alike: 'q2' and 'Q2'; fold them",
        ),
        (
            "1,a,x\n2,b,x\n",
            "No item has two ratings, and no two names look alike. Items are, for example: '1' by a, '2' by b.",
        ),
        ("1,a,x\n1-11,a,x\n11-1,b,x\n", "no two names look alike"),
        ("Q1,a,x\nq1,a,x\nQ3,a,x\nQ3,b,x\n", None),
        ("Q1,a,x\nQ2,a,x\n", None),
        (
            "Q1,Ann,x\nQ1,ann,x\n",
            "'ann' and 'Ann' are counted as two raters: 2 rows; fold them with --fold names.",
        ),
        ("caf\u00e9,a,x\ncafe\u0301,b,x\n", "1 item name has more than one spelling"),
    ],
)
def test_names_that_look_alike(lines, notice):
    notices = ratings_of(HEAD + lines).notices
    assert (notice is None and notices == []) or any(notice in each for each in notices)


def test_names_that_look_alike_are_one_on_wish():
    text = HEAD + "Q1,Ann,x\nQ2,Ann,y\nq1,bob,x\nq 2,Bob,y\n"
    result = ratings_of(text, wishes=wishes_of("", "", ["names"]))
    assert rows(result) == [(0, "Ann", "x"), (1, "Ann", "y"), (0, "Bob", "x"), (1, "Bob", "y")]
    assert result.item_count == 2


def test_folded_labels_of_one_rater_for_one_item_repeat_each_other():
    text = HEAD + "1,a,Yes\n1,a,yes\n1,b,yes\n"
    assert "labels item 1 twice, as Yes and as yes" in problems(text)[0]
    result = ratings_of(text, wishes=wishes_of("", "", ["case"]))
    assert rows(result) == [(0, "a", "yes"), (0, "b", "yes")]


def test_a_long_file_with_old_line_ends():
    lines = "".join(f"{n // 2},{n % 2},{n % 3}\r" for n in range(200_000))
    result = ratings_of("item,rater,label\r" + lines)
    assert (len(result.labels), result.item_count) == (200_000, 100_000)


def test_ten_problems_are_enough():
    result = problems(HEAD + "1,,x\n" * 500)
    assert (len(result), result[-1]) == (10, "Line 11 has no rater.")


def test_a_column_of_comments_is_no_column_of_labels():
    lines = "".join(f"{n},a,remark {n}\n" for n in range(MOST_LABELS + 5))
    (problem,) = problems(HEAD + lines)
    assert problem.startswith(f"The column label has more than {MOST_LABELS} different labels")


def test_a_bound_on_rows():
    assert len(ratings_of(HEAD + "1,a,x\n2,a,x\n", most_rows=2).items) == 2
    (problem,) = problems(HEAD + "1,a,x\n2,a,x\n3,a,x\n", most_rows=2)
    assert problem == "The file has more than 2 labels. Use manage.py agreement for it."


def test_a_header_alone_is_no_item():
    result = ratings_of(HEAD)
    assert (result.item_count, result.rater_names, result.label_names, len(result.items)) == (
        0,
        [],
        [],
        0,
    )


class Generated(io.RawIOBase):
    """A file of a million labels by two raters, written as it is read and never held whole."""

    def __init__(self, labels):
        self._lines = (f"{n // 2},{n % 2},{n % 3}\n".encode() for n in range(labels))
        self._rest = HEAD.encode()

    def readable(self):
        return True

    def readinto(self, room):
        while len(self._rest) < len(room) and (more := next(self._lines, b"")):
            self._rest += more
        given, self._rest = self._rest[: len(room)], self._rest[len(room) :]
        room[: len(given)] = given
        return len(given)


def test_a_million_rows_are_read_as_they_come():
    result = read_labels(io.BufferedReader(Generated(1_000_000)))
    assert (len(result.labels), result.item_count, result.notices) == (1_000_000, 500_000, [])
    assert result.label_names == ["0", "1", "2"]
