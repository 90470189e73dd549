"""A protocol's prompts as they are sent, on an example record."""

import pytest

from generation.prompts.declared import prompt_problems
from generation.prompts.example import prompt_blocks
from protocols.reading import read_protocol
from protocols.shipped import declaration_of
from tests.protocols.factories import TEXT, changed

RECORD = {
    "mill": "water",
    "question": "Who built it?",
    "source": "Bob {question} built it.",
    "options": ["Alice", "Bob"],
    "right": "B",
}
EXAMPLES = "".join(
    f'\n[[example]]\nname = "{name}"\n[example.fields]\nquestion = "{name}?"\nmill = "water"\n'
    for name in ("one", "two")
)
PROMPT = """
[[prompt]]
name = "asked"
label = "M 1"
title = "Asked"
origin = "ours"
text = "{source}\\n{question}"
"""


def blocks(prompt=PROMPT, record=RECORD, more=""):
    text = TEXT + more + prompt
    declaration = read_protocol(text.encode(), prompt_problems)
    [found] = prompt_blocks(declaration, record).values()
    return [(block.heading, block.text) for block in found]


def test_what_is_sent_has_the_record_in_its_places_once():
    assert blocks() == [("Sent", "Bob {question} built it.\nWho built it?")]


def test_both_turns_are_shown():
    assert blocks(f'{PROMPT}second = "You said {{reply}}. {{question}}"\n') == [
        ("Sent", "Bob {question} built it.\nWho built it?"),
        ("Sent after the reply", "You said {reply}. Who built it?"),
    ]


def test_a_turn_that_checks_is_shown():
    checked = changed(
        'text = "{source}\\n{question}"', 'text = "{source} {question}"\nanswer = "text"', PROMPT
    )
    found = blocks(f'{checked}check = "Is {{reply}} right? {{question}}"\n')
    assert found[1] == ("Sent after the reply, to check it", "Is {reply} right? Who built it?")


def test_examples_are_drawn_and_named():
    shots = 'shots = 2\nshot = "Q: {question}\\n"\n'
    prompt = changed("{source}\\n{question}", "{shots}Q: {question}", PROMPT) + shots
    [(heading, text)] = blocks(prompt, more=EXAMPLES)
    assert heading.startswith("Sent, with ")
    assert sorted(heading.removeprefix("Sent, with ").split(", ")) == ["one", "two"]
    assert text.endswith("Q: Who built it?")
    assert text.count("Q: ") == 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"options": ["Alice"]}, "options has 1 text, and the prompt shows number 2."),
        ({"options": ["A", "B", "C"]}, None),
    ],
)
def test_a_record_that_does_not_fit_says_why(change, sentence):
    prompt = changed("{source}\\n{question}", "{question} {options.2}", PROMPT)
    [(heading, text)] = blocks(prompt, {**RECORD, **change})
    assert (heading, text) == ("Not sent", sentence) if sentence else heading == "Sent"


def test_a_given_text_is_shown_with_its_author():
    given = changed('text = "{source}\\n{question}"', 'text = "Is it so?"', PROMPT)
    given += 'answer = "given"\ngiven = "source"\nby = "Alice"\nshows = ["question"]\n'
    assert blocks(given) == [("Given, by Alice", "Bob {question} built it.")]


def test_wikicontradicts_prompts_have_a_page_of_their_own():
    assert prompt_blocks(declaration_of("wikicontradict"), {}) == {}
