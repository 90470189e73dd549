"""Files of labels as people have them, and what is said of those that cannot be counted."""

import io

import pytest

from evaluation.labels.file import MOST_LABELS, UnreadableLabels, read_labels

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
    ],
    ids=["commas", "semicolons", "tabs", "mark", "crlf", "blank", "columns", "quotes"],
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
    assert result.notices == ["1 line (3) without a label left out."]


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
        (HEAD + "1,alice,yes\r1,bob,no\r", "cannot be read as CSV:"),
    ],
)
def test_what_cannot_be_counted_is_told_with_its_line(text, expected):
    (problem,) = problems(text)
    assert expected in problem


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
