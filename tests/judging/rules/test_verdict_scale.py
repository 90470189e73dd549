"""What a rubric says of its verdicts: their order, tones and which is best."""

import pytest

from judging.rules.verdict_scale import declared_scale, headline_weights


def entries(*keys, **more):
    return [{"key": key, "label": key.capitalize(), **more.get(key, {})} for key in keys]


def labelled(*labels):
    keys = ("no", "yes")
    return [{"key": key, "label": label} for key, label in zip(keys, labels, strict=True)]


@pytest.mark.parametrize(
    ("given", "best", "tones"),
    [
        (entries("no", "yes"), "yes", ["bad", "good"]),
        (entries("no", "in part", "yes"), "yes", ["bad", "middling", "good"]),
        (entries(*"abcdef"), "f", ["bad", *["middling"] * 4, "good"]),
        (
            entries("low", "right", "high", right={"best": True, "tone": "good"}, high={"tone": "bad"}),
            "right",
            ["bad", "good", "bad"],
        ),
        (entries("1", "2 b", **{"1": {"tone": "middling"}}), "2 b", ["middling", "good"]),
    ],
)  # fmt: skip
def test_the_order_says_what_is_not_declared(given, best, tones):
    scale = declared_scale(given)
    assert scale.best == best
    assert [verdict.tone for verdict in scale.verdicts] == tones
    assert scale.keys == [entry["key"] for entry in given]
    assert scale[best].label == best.capitalize()
    assert [verdict.key for verdict in scale.offered] == scale.keys[::-1]


def test_verdicts_without_an_order_are_neutral_and_none_is_best():
    scale = declared_scale(entries("b", "a", "c"), is_ordered=False)
    assert not scale.is_ordered
    assert scale.best == ""
    assert {verdict.tone for verdict in scale.verdicts} == {"neutral"}
    assert [verdict.key for verdict in scale.offered] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("labels", "is_ordered", "wanted", "weights"),
    [
        (2, True, "", "none"), (3, True, "", "none"), (4, True, "", "linear"), (6, True, "quadratic", "quadratic"),
        (4, True, "linear", "linear"), (4, False, "", "none"), (3, True, "quadratic", "none"),
    ],
)  # fmt: skip
def test_four_ordered_verdicts_are_compared_by_linear_weights_unless_others_are_wanted(
    labels, is_ordered, wanted, weights
):
    assert headline_weights(labels, is_ordered=is_ordered, wanted=wanted) == weights


@pytest.mark.parametrize(("keys", "is_ordered"), [("abc", True), ("abcd", False)])
def test_weights_that_would_not_be_used_are_refused(keys, is_ordered):
    with pytest.raises(ValueError, match="Weights are for 4 or more verdicts with an order"):
        declared_scale(entries(*keys), is_ordered, "linear")


@pytest.mark.parametrize("more", [{"tone": "good"}, {"best": True}, {"tone": "neutral"}])
def test_verdicts_without_an_order_declare_none(more):
    with pytest.raises(ValueError, match="have no tone, and none is best"):
        declared_scale(entries("no", "yes", yes=more), is_ordered=False)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([*entries("yes")], "needs 2 to 6 verdicts"),
        (entries("yes", "yes"), "each named once"),
        (entries(*"abcdefg"), "needs 2 to 6 verdicts"),
        (entries("no", "yes", no={"best": True}, yes={"best": True}), "one best verdict"),
        (entries("no", "yes", yes={"tone": "blue"}), "'blue' is not a tone"),
        (entries("no", "incomplete"), "is none of: .*incomplete"),
        (entries("no", "x" * 21), "has 1 to 20 characters"),
        (entries("no", ""), "has 1 to 20 characters"),
        (entries("no", "Yes"), "has 1 to 20 characters"),
        (entries("no", "a  b"), "has 1 to 20 characters"),
        (entries("no", " a"), "has 1 to 20 characters"),
        (entries("no", "a-b"), "has 1 to 20 characters"),
        (entries("no", "é"), "has 1 to 20 characters"),
        (entries("no", "a\n"), "has 1 to 20 characters"),
        (labelled("No", "Yes "), "without spaces at its ends"),
        (labelled("No", ""), "A label has 1 to 40 characters"),
        (labelled("No", "x" * 41), "A label has 1 to 40 characters"),
        (labelled("Right", "RIGHT"), "the same label"),
        (labelled("Right", "Right."), "the same label"),
        (labelled("Yes", "Right"), "“Yes” is the key of another verdict"),
    ],
)
def test_a_scale_that_cannot_be_shown_or_stored_is_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        declared_scale(given)
