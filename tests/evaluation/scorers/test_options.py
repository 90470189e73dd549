"""The scorer of options: which label a response has, and how sure its model was."""

import pytest

from evaluation.scorers import kinds
from evaluation.scorers.options import AMBIGUOUS, OTHER, entropy, label_of

LETTERS = {"original": "B", "counter": "A", "uncertain": "D"}


@pytest.mark.parametrize(
    ("text", "letters", "label"),
    [
        ("B", LETTERS, "original"),
        ("A", LETTERS, "counter"),
        ("D", LETTERS, "uncertain"),
        ("C", LETTERS, OTHER),
        ("b", LETTERS, OTHER),
        ("", LETTERS, OTHER),
        ("A", {**LETTERS, "original": "A"}, AMBIGUOUS),
        ("B", {**LETTERS, "original": "A"}, OTHER),
        ("B", {**LETTERS, "counter": None}, "original"),
    ],
)
def test_the_label_whose_letter_was_chosen(text, letters, label):
    assert label_of(text, letters) == label


@pytest.mark.parametrize(
    ("text", "state", "label"),
    [
        ("A", "", "supports"),
        ("C", "", "neither"),
        ("B", "", OTHER),
        ("", "undecided", "undecided"),
    ],
)
def test_options_mean_the_same_in_each_record_whatever_it_holds(text, state, label):
    scorer = {"kind": "option", "options": {"supports": "A", "neither": "C"}}
    kind = kinds.of(scorer)
    assert list(kind.fields(scorer)) == []
    known = kind.known(scorer, {})
    assert kinds.scored(scorer, known, {}, state, text)[0] == label


@pytest.mark.parametrize(
    ("masses", "bits"),
    [
        ([0.25] * 4, 2.0),
        ([0.1] * 4, 2.0),  # what other tokens have is left out
        ([0.5, 0.5, 0.0, 0.0], 1.0),
        ([0.9, 0.0, 0.0, 0.0], 0.0),
        ([0.4, 0.2, 0.1, 0.1], 1.75),
        ([0.4, 0.2, 0.1, None], None),
        ([None] * 4, None),
        ([0.0] * 4, None),
        ([], None),
    ],
)
def test_entropy_is_in_bits_and_of_options_that_were_all_returned(masses, bits):
    assert entropy(masses) == bits
