"""Shots: what is refused in a protocol's file, which examples a record draws, and how they stand in the text."""

import pytest

from datasets.drawing import lot
from generation.prompts import prompting, shots
from generation.prompts.declared import bodies, prompt_problems
from generation.prompts.rendering import Unfit
from protocols.declaration import ProtocolError
from protocols.reading import read_protocol
from tests.generation.knot_templates import EXAMPLES, HEAD, TEXT, example, prompt, record


def read(text):
    return read_protocol(text.encode(), prompt_problems)


FOUR = prompt("b1", 4)
SMALL = HEAD + EXAMPLES + FOUR
ONE, SPARE = example(1), example(1, "implicit")
# What replaces what, and the sentence.
MISTAKES = [
    (FOUR, "{shots}Passage", "Passage", "text: write {shots} once, where the examples stand. The text has it 0 times."),
    (FOUR, "{shots}Passage", "{shots}{shots}Passage", "text: write {shots} once, where the examples stand. The text"),
    (FOUR, "shots = 4", "shots = 0", "text: the prompt has no examples. Leave {shots} out, or set shots to a number"),
    (FOUR, "shots = 4\n", "", "text: the prompt has no examples. Leave {shots} out, or set shots to a number from 1"),
    (FOUR, "shots = 4", "shots = 0", "shot: shot needs shots, a number from 1 to 4."),
    (FOUR, "shots = 4", "shots = 0", "alike: alike needs shots, a number from 1 to 4."),
    (FOUR, "shots = 4", "shots = 5", "shots: write a number from 0 to 4."),
    (FOUR, "shots = 4", "shots = -1", "shots: write a number from 0 to 4."),
    (FOUR, "shots = 4", "shots = true", "shots: this is not a whole number."),
    (FOUR, "Answer: {answer}", "Answer: {gold}", "shot: the shot has {gold}, which is no field of a question. There"),
    (FOUR, "Answer: {answer}", "{shots}", "shot: the shot has {shots}, which is no field of a question"),
    (FOUR, FOUR[FOUR.index("shot = ") :], "", "prompt 'b1-4': shot is missing: write the text of one example."),
    (FOUR, 'alike = "level"', 'alike = "answer"', "alike: 'answer' is no slice."),
    (FOUR, 'alike = "level"', 'alike = "grade"', "alike: 'grade' is no slice."),
    (FOUR, "{shots}Passage: {passage}", "{shots}Passage: {passage}{Shots}", "text: The prompt has {Shots}, which"),
    (FOUR, 'origin = "reconstructed"', 'origin = "ours"\nsecond = "{shots}"', "second: The prompt has {shots}, which"),
    (ONE, 'answer = "tin 1"\n', "", "'simple-1', fields: answer is missing: the shots of prompt 'b1-4' need it."),
    (ONE, 'level = "simple"\n', "", "'simple-1', fields: level is missing: the shots of prompt 'b1-4' need it."),
    (ONE, 'level = "simple"', 'level = "hard"', "'simple-1', fields.level: 'hard' is none of simple, implicit."),
    (ONE, "answer = ", "anwser = ", "'simple-1', fields.anwser: 'anwser' is no field of a record. There are id"),
    (ONE, 'answer = "tin 1"', "answer = 1", "'simple-1', fields.answer: this is not a text."),
    (ONE, 'answer = "tin 1"', 'answer = " "', "'simple-1', fields.answer: the text is empty."),
    (ONE, 'answer = "tin 1"', 'answer = "\\u0007"', "the example: the text has the control character U+0007."),
    (ONE, "[example.fields]", "[example.texts]", "example 'simple-1': fields is missing."),
    (ONE, 'name = "simple-1"', 'name = "simple-2"', "example 'simple-2', name: number 1 has this name already."),
    (SPARE + example(2, "implicit"), SPARE + example(2, "implicit"), "",
     "shots: level 'implicit' has 3 examples, and the prompt draws 4."),
    (EXAMPLES, EXAMPLES, "".join(example(n) for n in range(1, 6)),
     "shots: level 'implicit' has 0 examples, and the prompt draws 4."),
    (EXAMPLES, EXAMPLES, "", "shots: the file has 0 examples, and the prompt draws 4."),
]  # fmt: skip


@pytest.mark.parametrize(("where", "old", "new", "sentence"), MISTAKES)
def test_a_mistake_is_refused_with_its_line(where, old, new, sentence):
    assert old in where
    text = SMALL.replace(where, where.replace(old, new, 1), 1)
    with pytest.raises(ProtocolError) as refused:
        read(text)
    found = [str(problem) for problem in refused.value.problems]
    assert any(sentence in problem for problem in found), found
    assert all(problem.startswith("line ") for problem in found)


def test_four_examples_are_enough_for_four_shots():
    """One to spare, for a record that is an example itself, is not asked for."""
    assert read(SMALL.replace(ONE, "", 1))


def test_a_list_of_an_example_that_is_too_short_is_named():
    listed = HEAD + '\n[[field]]\nname = "names"\ntype = "list"\n'
    text = listed + EXAMPLES + FOUR
    text = text.replace('level = "', 'names = ["a"]\nlevel = "').replace(
        "Answer: {answer}", "Answer: {names.2}"
    )
    with pytest.raises(
        ProtocolError, match=r"fields: names has 1 text, and the prompt shows number 2"
    ):
        read(text)


def test_a_given_text_has_no_shots():
    given = FOUR.replace(
        "origin = ", 'answer = "given"\ngiven = "answer"\nby = "me"\nshows = ["passage"]\norigin = '
    )
    with pytest.raises(ProtocolError, match=r"shots: no model is asked\. Leave it out"):
        read(HEAD + EXAMPLES + given)


# ---------------------------------------------------------------- drawing


DECLARED = read(TEXT)


def of(name, text=TEXT):
    return prompting.parse(bodies(read(text))[name], name)


def names(name, fields, seed=7, key="k", text=TEXT):
    return shots.drawn(of(name, text), DECLARED, fields, key, seed)[0]


def test_more_shots_begin_with_those_of_fewer_and_all_templates_draw_the_same():
    expected = sorted((f"simple-{n}" for n in range(1, 6)), key=lambda name: lot(7, "k", name))[:4]
    for template in ("b1", "b2", "b3", "b4", "b5"):
        assert names(f"{template}-4", record()) == expected
        assert names(f"{template}-bare-4", record()) == expected
        assert names(f"{template}-1", record()) == expected[:1]
        assert names(f"{template}-0", record()) == []


def test_a_record_draws_by_its_key_and_by_the_seed():
    drawn = {tuple(names("b1-4", record(), seed, key)) for seed in (1, 2, 3) for key in "abc"}
    assert len(drawn) > 5


def test_only_examples_of_the_same_level_are_drawn():
    assert {name.split("-")[0] for name in names("b1-4", record(level="implicit"))} == {"implicit"}


def test_an_example_with_the_records_own_question_is_never_drawn():
    own = record(question="Of  what is\nbell simple 3?")
    for seed in range(30):
        assert "simple-3" not in names("b1-4", own, seed)


def test_an_example_without_a_question_is_the_records_own_where_all_that_it_has_is():
    bare = SMALL.replace("Question: {question}\nAnswer: {answer}", "Answer: {answer}")
    for n in range(1, 6):
        bare = bare.replace(f'question = "Of what is bell simple {n}?"\n', "")
    own = record(passage="Bell simple 2 is cast of tin. {question}", answer="tin 2")
    fewer = [names("b1-4", own, seed, text=bare) for seed in range(20)]
    assert not any("simple-2" in drawn for drawn in fewer)
    assert any(
        "simple-2" in names("b1-4", {**own, "answer": "tin"}, s, text=bare) for s in range(20)
    )


@pytest.mark.parametrize(
    ("changed", "there"),
    [
        ({"level": "explicit"}, 0),
        ({"level": "simple", "question": "Of what is bell simple 3?"}, 3),
    ],
)  # fmt: skip
def test_a_record_with_too_few_examples_is_unfit(changed, there):
    text = TEXT.replace(example(5), "")
    with pytest.raises(
        Unfit,
        match=f"examples of level '{changed['level']}' without its own question: {there}; the prompt draws 4",
    ):
        shots.drawn(of("b1-4", text), DECLARED, record(**changed), "k", 7)


# ---------------------------------------------------------------- identity


def test_an_examples_text_is_part_of_the_prompts_that_show_it():
    """A prompt without document does not show the passage, one without examples nothing of them."""
    before, after = (
        bodies(DECLARED),
        bodies(read(TEXT.replace("Bell implicit 2 is", "The bell is"))),
    )
    changed = {name for name in before if before[name]["sha256"] != after[name]["sha256"]}
    assert changed == {f"b{n}-{shots}" for n in range(1, 6) for shots in (1, 4)}


def test_how_many_and_how_alike_are_part_of_a_prompt():
    body = bodies(DECLARED)["b1-4"]
    for other in ({"shots": 3}, {"alike": ""}, {"shot": "{question}"}):
        assert prompting.sha256_of({**body, **other}) != body["sha256"]
