"""Data responses in JSON and CSV."""

import pytest
from django.http import StreamingHttpResponse
from django.test import RequestFactory

from pages.data_responses import csv_response, guarded, json_response, mark_csv

ASKED = RequestFactory().get("/x.csv")


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
    assert b"".join(csv_response(ASKED, ["a", "b"], [], "x.csv")) == b"\xef\xbb\xbfa,b\n"


def test_a_csv_quotes_what_needs_it():
    body = b"".join(csv_response(ASKED, ["a"], [["x, y"], ['say "no"']], "x.csv", is_data=True))
    assert body.decode() == 'a\n"x, y"\n"say ""no"""\n'


@pytest.mark.parametrize("stored", [b"a,b\n", b"\xef\xbb\xbfa,b\n", b""])
def test_a_stored_file_gets_one_mark_and_loses_what_is_said_of_its_bytes(stored):
    response = StreamingHttpResponse(iter([stored]), content_type="text/csv")
    response["ETag"] = response["Content-Length"] = "1"
    mark_csv(RequestFactory().get("/x.csv?for=excel"), response, is_data=True)
    assert b"".join(response) == b"\xef\xbb\xbf" + stored.removeprefix(b"\xef\xbb\xbf")
    assert not {"ETag", "Content-Length"} & {*response.headers}


def test_json_has_no_nan():
    with pytest.raises(ValueError, match="JSON compliant"):
        json_response({"kappa": float("nan")})
