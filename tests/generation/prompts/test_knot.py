"""The prompts of KNOT: their texts equal what the paper prints, and each says where its answer stands."""

import pytest

from generation.prompts.answers import answer_of
from generation.prompts.declared import bodies
from generation.prompts.prompting import parse
from generation.prompts.shots import drawn
from protocols.shipped import declaration_of
from tests.generation.test_shots import SENT

DECLARED = declaration_of("knot")
BODIES = bodies(DECLARED)
INSTRUCTION = "Instruction: read the given information and answer the corresponding question.\n\n"
OF_LEVEL = {
    level: [
        example.values["fields"]
        for example in DECLARED.entries("example")
        if example.values["fields"]["level"] == level
    ]
    for level in DECLARED.fields["level"].values
}


def literal(text):
    for place, field in {"p": "passage", "q": "question", "a": "answer"}.items():
        for written in (place, place.upper()):
            text = text.replace(f"{{{written}}}", f"{{{field}}}")
    return text.replace("⏎", "\n")


def without_passage(text):
    return text.replace("Passage: {passage}\n", "").replace("Passage: {passage} ", "")


@pytest.mark.parametrize("key", SENT)
@pytest.mark.parametrize("n", range(5))
def test_each_template_is_sent_as_printed_with_none_to_four_examples(key, n):
    head, shot, asked = map(literal, SENT[key])
    body = BODIES[f"{key}-{n}"]
    assert body["template"] == head + "{shots}" * bool(n) + asked
    assert (body["shots"], body["shot"]) == (n, shot if n else "")
    assert (body["origin"], body["tags"]) == (
        "reconstructed", {"technique": "passage", "shots": str(n)},
    )  # fmt: skip
    if n < 2:
        closed = BODIES[f"{key}-{n}-closed"]
        assert closed["template"] == without_passage(body["template"])
        assert closed["shot"] == without_passage(body["shot"])
        assert "passage}" not in closed["template"] + closed["shot"]


def test_opinion_and_attribution_are_ours():
    opinion = 'Bob said "{passage}"\nQ: {question} Answer in Bob\'s opinion.\nA:'
    attribution = "{passage}\nQ: {question} Answer based on the given text.\nA:"
    for name, asked in (("opinion", opinion), ("attribution", attribution)):
        assert BODIES[f"{name}-0"]["template"] == INSTRUCTION + asked
        assert BODIES[f"{name}-1"]["template"] == f"{INSTRUCTION}{{shots}}{asked}"
        assert BODIES[f"{name}-1"]["shot"] == f"{asked} {{answer}}\n\n"
        assert BODIES[f"{name}-1"]["origin"] == "ours"


@pytest.mark.parametrize(
    ("prompt", "reply", "answer"),
    [
        ("b1-1", " Porto\nQuestion: Where is", "Porto"),
        ("b3-0", "\n\nPorto.</s>\nUSER:", "Porto.</s>"),
        ("b5-4", "Porto\n<human>:", "Porto"),
        ("opinion-1", "Porto\nQ:", "Porto"),
        ("b2-1", "It stands in a port. Answer: Braga\nAnswer: Porto\nThat is all.", "Porto"),
        ("b4-0-closed", "Answer: Porto", "Porto"),
        ("b4-1", "Porto", None),
        ("b2-0", "The passage says Porto. Answer:", None),
    ],
)
def test_the_answer_is_the_first_line_where_the_template_has_the_mark(prompt, reply, answer):
    read = answer_of(reply, BODIES[prompt])
    assert (read.text, read.unread) == (answer or "", answer is None)


@pytest.mark.parametrize("level", OF_LEVEL)
def test_ten_examples_of_each_level_are_invented_and_drawn_within_it(level):
    examples = OF_LEVEL[level]
    assert len(examples) == len({one["question"] for one in examples}) == 10
    prompt = parse(BODIES["b1-4"], "here")
    record = {"level": level, "question": "Who?", "passage": "", "answer": ""}
    names, text = drawn(prompt, DECLARED, record, "key", seed=5)
    assert len(names) == 4
    assert {name.rpartition("-")[2] for name in names} == {level}
    assert text.count("Passage: ") == text.count("\nAnswer: ") == 4


def test_only_simple_examples_have_their_answer_in_the_passage():
    for level, examples in OF_LEVEL.items():
        found = [one["answer"].removeprefix("the ") in one["passage"] for one in examples]
        assert found == [level == "simple"] * 10
