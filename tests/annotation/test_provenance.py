"""Pieces as a browser sends them, and as anybody else might."""

import json

import pytest

from annotation.evidence.provenance import MOST_PIECES, UNREADABLE, held, holds, read_captured
from annotation.fields.steps import PASSAGE

GOOD = {
    "revision": 3,
    "start": 0,
    "end": 4,
    "sha256": "ab",
    "text": "Mill",
    "title": "A",
    "kind": "text",
}


def pieces(sent):
    return {n: [each.text for each in found] for n, found in sent.pieces.items()}


@pytest.mark.parametrize("given", [{"1": [GOOD], "2": []}, json.dumps({"1": [GOOD], "2": []})])
def test_a_form_sends_text_and_an_autosave_json(given):
    sent = read_captured(given, ["article_1"])
    assert (pieces(sent), sent.filled, sent.notices) == (
        {"1": ["Mill"], "2": []},
        ["article_1"],
        [],
    )


@pytest.mark.parametrize("given", ["", {}, "{}"])
def test_nothing_sent_is_nothing(given):
    sent = read_captured(given, None)
    assert (sent.pieces, sent.filled, sent.notices) == ({}, None, [])


@pytest.mark.parametrize(
    "given",
    [
        "no json",
        "[" * 100_000,
        "x" * 1_048_576,
        json.dumps({"1": [{**GOOD, "text": "x" * 1_048_576}]}),
        {"1": [{**GOOD, "text": "x" * 15_000}] * 40},
        {"1": [GOOD] * (MOST_PIECES + 1)},
        [],
        None,
        7,
        {"3": [GOOD]},
        {"1": GOOD},
        {"1": None},
    ],
    ids=lambda given: repr(given)[:30],
)
def test_another_shape_or_a_megabyte_is_left_out_with_a_notice(given):
    sent = read_captured(given, [])
    assert (sent.pieces, sent.notices) == ({}, [UNREADABLE])


@pytest.mark.parametrize(
    "change",
    [
        {"revision": "3"},
        {"revision": True},
        {"revision": -1},
        {"revision": 10**30},
        {"start": None},
        {"start": 4},
        {"start": 1.5},
        {"end": 10**30},
        {"sha256": 7},
        {"sha256": "a" * 501},
        {"text": ""},
        {"text": 7},
        {"text": "x" * (PASSAGE + 1)},
        {"title": ["<script>"]},
        {"title": "half \ud800 of a letter"},
    ],
    ids=repr,
)
def test_a_bad_piece_is_left_out_and_the_others_are_kept(change):
    sent = read_captured({"1": [GOOD, {**GOOD, **change}, "piece"]}, [])
    assert (pieces(sent), sent.notices) == ({"1": ["Mill"]}, [UNREADABLE])


def test_control_characters_are_taken_out_as_of_the_passage():
    sent = read_captured({"1": [{**GOOD, "text": "a\x00b\ud800\r\nc"}]}, [])
    assert pieces(sent) == {"1": ["ab\nc"]}


@pytest.mark.parametrize("filled", ["article_1", {"a": 1}, [7, None, {}], 7])
def test_filled_fields_are_names_or_nothing(filled):
    assert not read_captured({}, filled).filled


@pytest.mark.parametrize(
    ("passage", "text", "there"),
    [
        ("It was built\n in 1801, here.", "built in  1801", True),
        ("It was built in 1802.", "built in 1801", False),
        ("", "built", False),
        ("שלום עולם 👩‍🚀", "עולם 👩‍🚀", True),
        ("any", " ", False),
    ],
)
def test_a_passage_holds_a_piece_whatever_the_blanks(passage, text, there):
    assert holds(passage, {"text": text}) is there


def test_pieces_are_kept_once_and_not_without_end():
    many = [{"revision": 1, "start": n % 60, "end": 99, "text": "a"} for n in range(120)]
    assert len(held(many, "a")) == MOST_PIECES
    assert len(held(many[:10] * 2, "a")) == 10
