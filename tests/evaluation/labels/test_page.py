import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluation.forms import LARGEST_BYTES, MOST_ROWS

pytestmark = pytest.mark.usefixtures("rita")

HEAD = "item,rater,label\n"
LABELS = HEAD + "".join(
    f"{n},{who},{'yes' if (n + (who == 'bob') * (n % 4 == 0)) % 2 else 'no'}\n"
    for n in range(40)
    for who in ("alice", "bob")
)
OPTIONS = {"resamples": "200", "seed": "3"}


def sent(client, **fields):
    return client.post("/agreement/", {**OPTIONS, **fields})


def test_pasted_labels_come_back_with_their_agreement(client):
    answer = sent(client, pasted=LABELS)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "Cohen&#x27;s kappa" in page
    assert "0.500" in page
    assert "40 items, 200 resamples, seed 3 (PCG64)" in page
    assert "39,bob,yes" in page


def test_a_file_does_the_same(client):
    file = SimpleUploadedFile("labels.csv", b"\xef\xbb\xbf" + LABELS.encode())
    page = sent(client, file=file).content.decode()
    assert "0.500" in page
    assert "Choose the file again" in page


def test_what_was_left_out_and_what_looks_alike_is_said_above_the_figures(client):
    pasted = HEAD + "1,alice,Yes\n1,bob,yes\n2,alice,no\n2,bob,NA\n3,alice,None\n3,bob,no\n"
    page = sent(client, pasted=pasted).content.decode()
    above = page.split("<h3")[0].split("Coefficient</th>")[0]
    assert "1 rating left out, because the label is missing: 1 NA (line 5)." in above
    assert "count apart; fold them if they are one: &#x27;yes&#x27; and &#x27;Yes&#x27;." in above
    assert "Counted as a label: &#x27;None&#x27;." in above
    folded = sent(client, pasted=pasted, fold="on", missing="none", **{"as": "json"}).json()
    assert (folded["n_labels"], folded["left_out"]) == (4, {"NA": 1, "None": 1})


def test_the_result_as_json_and_as_csv(client):
    as_json = sent(client, pasted=LABELS, **{"as": "json"})
    assert as_json["Content-Disposition"] == 'attachment; filename="agreement.json"'
    assert json.loads(as_json.content)["n_items"] == 40
    as_csv = sent(client, pasted=LABELS, **{"as": "csv"})
    head = b"".join(as_csv.streaming_content).decode("utf-8-sig").splitlines()[0]
    assert head.startswith("rater_1,rater_2,label,coefficient,weights,value")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"pasted": HEAD + "7,alice,maybe\n7,alice,never\n"}, "rater alice labels item 7 twice"),
        ({"pasted": HEAD + "7,,maybe\n"}, "line 2: has no rater"),
        ({"pasted": HEAD + "7,alice,maybe\n", "order": "yes,no"}, "Labels that the order lacks"),
        ({"pasted": HEAD + "7,alice,maybe\n", "seed": "-1"}, "greater than or equal to 0"),
        ({"pasted": HEAD + "7,alice,maybe\n", "resamples": "999999"}, "less than or equal"),
    ],
)
def test_what_is_wrong_is_told_and_what_was_pasted_is_kept(client, fields, message):
    answer = sent(client, **fields)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert message in page
    assert "maybe" in page


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "Paste labels, or choose a file"),
        (
            {"pasted": LABELS, "file": SimpleUploadedFile("a.csv", LABELS.encode())},
            "Leave one of the two out",
        ),
        ({"file": SimpleUploadedFile("a.csv", b"x" * (LARGEST_BYTES + 1))}, "larger than 1 MB"),
        ({"file": SimpleUploadedFile("a.csv", b"item,rater,label\n1,a,\xff\n")}, "not UTF-8"),
        (
            {"pasted": HEAD + "".join(f"{n},a,x\n" for n in range(MOST_ROWS + 1))},
            "more than 20,000 labels",
        ),
        (
            {"pasted": HEAD + "".join(f"{n // 2},r{n % 2},{n % 50}\n" for n in range(5_000))},
            "2 raters and 2,500 items with 50 labels are too many for a page",
        ),
        (
            {"pasted": HEAD + "".join(f"{n},r{n % 19},label {n % 30}\n" for n in range(600))},
            "too many for a page",
        ),
    ],
)
def test_what_a_page_does_not_take(client, fields, message):
    answer = sent(client, **fields)
    assert answer.status_code == 422
    assert message in answer.content.decode()


def test_markup_and_formulas_in_labels_stay_text(client):
    pasted = HEAD + "".join(
        f"{n},{who},{label}\n"
        for n, (first, second) in enumerate([("=1+1", "<b>x"), ("<b>x", "<b>x")] * 10)
        for who, label in (("alice", first), ("<i>bob", second))
    )
    page = sent(client, pasted=pasted).content.decode()
    assert "<b>x" not in page
    assert "<i>bob" not in page
    assert "&lt;b&gt;x" in page
    as_csv = sent(client, pasted=pasted, **{"as": "csv"})
    text = b"".join(as_csv.streaming_content).decode()
    assert "'=1+1" in text
    assert ",=1+1" not in text


def test_the_first_table_is_short_and_the_rest_is_folded(client):
    page = sent(client, pasted=LABELS).content.decode()
    first, rest = page.split('<details class="fold">')
    assert "Krippendorff" in first
    assert "Scott" not in first
    assert "Scott" in rest
    assert "Prevalence" in rest


def test_labels_of_one_rater_are_refused_in_words(client):
    answer = sent(client, pasted=HEAD + "1,alice,yes\n")
    assert answer.status_code == 422
    assert "Fewer than two raters gave labels" in answer.content.decode()
