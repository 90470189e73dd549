"""What a judge sees of a protocol's prompts on an example record."""

from judging.rules.example import rubric_blocks
from protocols.checking import all_problems, part_keys
from protocols.reading import read_protocol
from protocols.shipped import declaration_of
from tests.protocols.factories import WHOLE, changed

RECORD = {
    "mill": "water",
    "question": "Who built it?",
    "source": "Bob built it.",
    "options": ["Alice", "Bob"],
    "right": "B",
}


def blocks(text=WHOLE, record=RECORD):
    declaration = read_protocol(text.encode(), all_problems, part_keys())
    return [
        (block.heading, block.text, list(block.facts))
        for block in rubric_blocks(declaration, record)["rubric", "yes-no"]
    ]


def test_a_given_text_is_read_after_what_is_shown_with_it_and_before_the_verdicts():
    text = changed(
        'source = "Alice 2024"\nverdicts',
        'source = "Alice 2024"\nrules = ["Read all.", "Then judge."]\nverdicts',
        WHOLE,
    )
    assert blocks(text) == [
        (
            "What a judge sees of M 3",
            "",
            [
                ("Question", "Does the source answer the question?"),
                ("Text 1", "Who built it?"),
                ("Text to judge", "Bob built it."),
                ("Yes", "It does."),
                ("No", "It does not."),
                ("How to judge", "Read all.\nThen judge."),
            ],
        )
    ]


def test_a_given_text_has_the_label_that_judges_read():
    labelled = changed('by = "Alice"\n', 'by = "Alice"\nlabels = ["Asked", "Letter"]\n', WHOLE)
    [(_, _, facts)] = blocks(labelled)
    assert facts[1:3] == [("Asked", "Who built it?"), ("Letter", "Bob built it.")]


def test_a_response_is_read_before_the_passages_of_its_prompt():
    text = changed("[rubric.criteria.says]", "[rubric.criteria.read]", WHOLE)
    [(heading, _, facts)] = blocks(text)
    assert heading == "What a judge sees of M 2"
    assert facts[:3] == [
        ("Question", "Who built it?"),
        ("Response", "What the model replies."),
        ("Source", "Bob built it."),
    ]


def test_verdicts_without_order_stand_as_they_are_declared():
    text = changed("\n[rubric.criteria.says]", "ordered = false\n\n[rubric.criteria.says]", WHOLE)
    [(_, _, facts)] = blocks(text)
    assert [name for name, _ in facts][-2:] == ["No", "Yes"]


def test_wikicontradicts_rubric_has_a_page_of_its_own():
    assert rubric_blocks(declaration_of("wikicontradict"), {}) == {}
