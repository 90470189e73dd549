"""Data responses in JSON and CSV."""

import pytest

from pages.data_responses import csv_response, guarded, json_response


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+49 30", "'+49 30"),
        ("-2", "'-2"),
        ("@sum", "'@sum"),
        ("\t=1", "'\t=1"),
        ("\n=1", "'\n=1"),
        ("＝1+1", "'＝1+1"),
        ("plain", "plain"),
        (-2, -2),
        (None, ""),
    ],
)
def test_no_cell_is_run_as_a_formula(value, cell):
    assert guarded(value) == cell


def test_a_csv_is_streamed_with_its_header_even_without_rows():
    assert b"".join(csv_response(["a", "b"], [], "x.csv")) == b"a,b\n"


def test_a_csv_quotes_what_needs_it():
    body = b"".join(csv_response(["a"], [["x, y"], ['say "no"']], "x.csv"))
    assert body.decode() == 'a\n"x, y"\n"say ""no"""\n'


def test_json_has_no_nan():
    with pytest.raises(ValueError, match="JSON compliant"):
        json_response({"kappa": float("nan")})
