"""The rubric as data: what it must hold before a study may use it."""

import copy

import pytest

from judging.rules import rubric
from judging.rules.rubric import GoldAnswer, RubricError

PROMPTS = [
    "internal-knowledge",
    "passage-1",
    "passage-2",
    "both-passages",
    "both-passages-comprehensive",
    "both-passages-swapped",
    "conflict-question",
    "both-passages-revised",
    "conflict-question-revised",
]


@pytest.fixture
def data():
    return rubric.content("wikicontradict")


def test_verdicts_are_declared_from_worst_to_best(data):
    assert rubric.parse(data).scale.keys == ["incorrect", "partially correct", "correct"]


def test_buttons_come_best_first(data):
    assert [verdict.label for verdict in rubric.parse(data).scale.offered] == [
        "Correct",
        "Partially correct",
        "Incorrect",
    ]


def test_every_prompt_has_gold_and_criteria(data):
    assert rubric.gaps(rubric.parse(data), PROMPTS) == []


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("internal-knowledge", [(1, "three"), (2, "two ")]),
        ("passage-1", [(1, "three")]),
        ("passage-2", [(2, "two ")]),
        ("both-passages", [(1, "three"), (2, "two ")]),
        ("both-passages-comprehensive", [(1, "three"), (2, "two ")]),
        ("both-passages-swapped", [(1, "three"), (2, "two ")]),
        ("conflict-question", [(None, "yes"), (1, "three"), (2, "two ")]),
        ("both-passages-revised", [(None, "four")]),
        ("conflict-question-revised", [(None, "no")]),
    ],
)
def test_gold_of_each_prompt(data, prompt, expected):
    asked = rubric.parse(data).prompts[prompt]
    assert rubric.gold_answers(asked, "three", "two ", "four") == tuple(
        GoldAnswer(passage, text) for passage, text in expected
    )


@pytest.mark.parametrize(
    ("prompt", "verdict", "warned"),
    [
        ("internal-knowledge", "partially correct", False),
        ("passage-1", "partially correct", True),
        ("passage-2", "partially correct", True),
        ("both-passages", "partially correct", False),
        ("passage-1", "correct", False),
    ],
)
def test_partially_correct_is_warned_of_but_allowed_on_single_passages(
    data, prompt, verdict, warned
):
    asked = rubric.parse(data).prompts[prompt]
    assert verdict in asked.allowed
    assert (verdict in asked.unusual) is warned


def test_a_fixed_gold_text_needs_no_answer_of_the_instance(data):
    data["prompts"]["passage-1"]["gold"] = [{"source": "text", "text": "no"}]
    asked = rubric.parse(data).prompts["passage-1"]
    assert rubric.gold_answers(asked, None, None) == (GoldAnswer(None, "no"),)


@pytest.mark.parametrize("answer", [None, "", "  \n"])
def test_an_instance_without_the_answer_has_no_gold(data, answer):
    asked = rubric.parse(data).prompts["passage-2"]
    with pytest.raises(RubricError, match="answer 2 is empty"):
        rubric.gold_answers(asked, "three", answer)


def no_gold(data):
    data["prompts"]["both-passages"]["gold"] = []


def no_criteria(data):
    data["prompts"]["both-passages"]["criteria"]["incorrect"] = []


def no_prompt(data):
    del data["prompts"]["both-passages"]


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (no_gold, "no gold answers for the prompt both-passages"),
        (no_criteria, "no criteria for incorrect on the prompt both-passages"),
        (no_prompt, "has nothing on the prompt both-passages"),
    ],
)
def test_gaps_are_named(data, spoil, sentence):
    spoil(data)
    sentences = rubric.gaps(rubric.parse(data), PROMPTS)
    assert len(sentences) == 1
    assert sentence in sentences[0]


def unknown_verdict(data):
    data["prompts"]["passage-1"]["proposed"] = ["excellent"]


def unknown_source(data):
    data["prompts"]["passage-1"]["gold"] = [{"source": "answer_3"}]


def one_verdict(data):
    data["verdicts"] = data["verdicts"][:1]
    data["prompts"] = {}


def proposed_and_warned(data):
    data["prompts"]["passage-1"]["proposed"] = ["correct", "partially correct", "incorrect"]


def wrong_shape(data):
    data["prompts"] = ["internal-knowledge"]


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (unknown_verdict, "unknown verdicts"),
        (unknown_source, "no source of gold"),
        (one_verdict, "needs 2 to 6 verdicts"),
        (proposed_and_warned, "both proposes and warns"),
        (wrong_shape, "not of the expected shape"),
    ],
)
def test_a_broken_rubric_is_refused(data, spoil, sentence):
    spoil(data)
    with pytest.raises(RubricError, match=sentence):
        rubric.parse(data)


def test_an_unknown_rubric_is_refused_with_the_known_ones():
    with pytest.raises(RubricError, match="Known: wikicontradict"):
        rubric.content("../../etc/passwd")


def test_the_digest_ignores_the_order_of_keys_and_sees_a_changed_word(data):
    turned = dict(reversed(list(data.items())))
    changed = copy.deepcopy(data)
    changed["rules"][0] += " Always."
    assert rubric.digest(turned) == rubric.digest(data) != rubric.digest(changed)


def test_criteria_that_the_paper_does_not_give_are_marked_as_ours(data):
    prompts = rubric.parse(data).prompts
    ours = {asked.label for asked in prompts.values() if asked.written_by == "project"}
    assert ours == {"5.2", "5.4"}


def test_revised_gold_that_was_never_written_is_a_gap(data):
    asked = rubric.parse(data).prompts["both-passages-revised"]
    with pytest.raises(RubricError, match="revised answer is empty"):
        rubric.gold_answers(asked, "three", "two")
