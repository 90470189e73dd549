"""Marks of reasoning: what is read of a text, what is held, and what an honest answer keeps."""

import pytest

from generation.inference import reasoning

SPLIT = [
    ("<|channel|>analysis<|message|>The passages conflict; pick 12.<|end|><|start|>assistant<|channel|>final"
     "<|message|>It is 12 m.", "The passages conflict; pick 12."),
    ("<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>"
     "It is 12 m.<|return|>", "Hm."),
    ("<|channel|>final<|message|>It is 12 m.", ""),
    ("<|channel|>analysis to=none<|message|>Hm.<|end|>\n<|start|>assistant<|channel|>final <|constrain|>json"
     "<|message|>It is 12 m.", None),
    ("analysisThe passages conflict, I pick 12.assistantfinalIt is 12 m.",
     "The passages conflict, I pick 12."),
    ("analysisWe pick 12.assistantfinal**It is 12 m.**", None),
    ("[THINK]The passages conflict; I pick 12.[/THINK]It is 12 m.",
     "The passages conflict; I pick 12."),
    ("[THINK]Hm.[/THINK]\n\nIt is 12 m.", "Hm."),
    ("<thinking>The passages conflict.</thinking>\nIt is 12 m.", "The passages conflict."),
    ("<thinking>\nHm.\n</thinking>\n\nIt is 12 m.", "Hm."),
    ("<thinking> The passages conflict. </thinking> It is 12 m.", "The passages conflict."),
    ("<thinking>a</thinking>\n<thinking>b</thinking>It is 12 m.", "a\n\nb"),
    ("◁think▷The passages conflict.◁/think▷It is 12 m.", "The passages conflict."),
    ("\n ◁think▷Hm.◁/think▷ It is 12 m.", "Hm."),
    ("<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>It is 12 m.<|END_RESPONSE|>", "Hm."),
    ("<seed:think>Hm.</seed:think>It is 12 m.", "Hm."),
    ("<|channel>thought\nHm.<channel|>It is 12 m.", "Hm."),
    ("<unused94>thought\nHm.<unused95>It is 12 m.", "Hm."),
    ("<|begin_of_thought|>Hm.<|end_of_thought|>\n<|begin_of_solution|>It is 12 m.<|end_of_solution|>",
     "Hm."),
    ("Thinking...\nHm.\n...done thinking.\n\nIt is 12 m.", "Hm."),
    ("<reasoning>Hm.</reasoning>It is 12 m.", "Hm."),
    ("<think>Hm.</think>It is 12 m.", "Hm."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "thought"), SPLIT)
@pytest.mark.parametrize("marks", ["", "[THINK]", "<think>"])
def test_marks_of_the_table_are_kept_out_of_the_answer(text, thought, marks):
    answer, apart = reasoning.parted(text, marks=marks)
    assert (answer or "").strip("*") == "It is 12 m."
    if thought is not None:
        assert apart == thought
    assert not reasoning.is_held(answer, marks)


HONEST = [
    "analysis of both passages gives 12 m.",
    "analysis: it is 12 m.",
    "analysis",
    "Analysis of the two passages shows that it is 12 m.",
    "analysis of the log: the word assistantfinal stands between them.",
    "analyses differ.",
    "The tag <thinking> opens it.",
    "The tag <thinking> opens it and </thinking> closes it.",
    "<thinking> is the tag, and </thinking> ends it.",
    "<thinking> is the name of the tag.",
    "`<thinking>` is a tag.",
    "It is wrapped in <thinking>…</thinking>.",
    "The token [THINK] is one of Mistral's.",
    "It ends with </thinking>.",
    "The closing tag is </reasoning>, not </think >.",
    "Kimi writes ◁think▷ before it thinks.",
    "The model uses the token <|channel|> here.",
    "I think it is 12 m. My reasoning: passage 1 says so.",
    "Reasoning: passage 1 says 12 m.\nFinal answer: 12 m",
    "**Analysis**\n\nIt is 12 m.",
    "[1] says 12 m, [2] says 14 m.",
    "(thinking of 2 m) It is 12 m.",
    "Thinking... it must be 12 m.",
    "5 < 6 and think > 7",
    "<b>12 m</b>",
    "<answer>12 m</answer>",
    "final",
    "finalists of the cup",
    "",
]


@pytest.mark.parametrize("text", HONEST)
@pytest.mark.parametrize("marks", ["", "<thinking>", "[THINK]", "analysis … assistantfinal"])
def test_an_honest_answer_stays_whole_and_is_not_held(text, marks):
    assert reasoning.parted(text, marks=marks) == (text, "")
    assert not reasoning.is_held(text, marks)


HELD = [
    "<my_thoughts>The passages conflict.</my_thoughts>It is 12 m.",
    "<scratchpad>\nHm.\n</scratchpad>\nIt is 12 m.",
    "<Reflection>Hm.</Reflection> It is 12 m.",
    "[REASONING]Hm.[/REASONING]It is 12 m.",
    "{{thinking}}Hm.{{/thinking}}It is 12 m.",
    "◁reasoning▷Hm.◁/reasoning▷It is 12 m.",
    "<|thinking|>Hm.<|/thinking|>It is 12 m.",
    "<|channel|>thoughts<|message|>Hm.",
    "The passages conflict.</thinking>It is 12 m.",
    "The passages conflict.\n[/THINK]\nIt is 12 m.",
    "The passages conflict.◁/think▷It is 12 m.",
    "<thinking>The passages conflict.",
    "<thinking>\nThe passages conflict, so",
    "analysisWe need to pick one",
    "The passages conflict.assistantfinalIt is 12 m.",
    "It is 12 m.<|end|><|start|>assistant<|channel|>final<|message|>It is 12 m.",
]


@pytest.mark.parametrize("text", HELD)
def test_what_looks_like_reasoning_and_cannot_be_parted_is_held(text):
    answer, _ = reasoning.parted(text)
    assert answer == text
    assert reasoning.is_held(text, "")
    assert not reasoning.is_held(text, reasoning.SHOWN)


UNCLOSED = [
    ("[THINK]The passages", False),
    ("◁think▷The passages", False),
    ("<|channel|>analysis<|message|>The passages", False),
    ("<thinking>The passages", True),
    ("analysisThe passages", True),
    ("<think>The passages", False),
]


@pytest.mark.parametrize(("text", "is_cut"), UNCLOSED)
def test_reasoning_without_an_end_is_no_answer(text, is_cut):
    assert reasoning.parted(text, is_cut=is_cut) == (None, "The passages")


OPENED = [
    ("Hm.◁/think▷It is 12 m.", "◁think▷"),
    ("Hm.[/THINK]It is 12 m.", "[THINK]"),
    ("Hm.</thinking>It is 12 m.", "<thinking>"),
    ("Hm.</think>It is 12 m.", ""),
]


@pytest.mark.parametrize(("text", "marks"), OPENED)
def test_a_template_may_write_the_opening(text, marks):
    assert reasoning.found(text) == (marks, True)
    assert reasoning.parted(text, marks=marks, opened=True) == ("It is 12 m.", "Hm.")


@pytest.mark.parametrize("text", [text for text, _ in SPLIT])
def test_shown_as_it_is_nothing_is_parted(text):
    assert reasoning.parted(text, marks=reasoning.SHOWN) == (text, "")


@pytest.mark.parametrize("mark", reasoning.MARKS, ids=lambda mark: mark.name)
def test_every_row_of_the_table_has_a_case(mark):
    assert mark.name in {reasoning.found(text)[0] or "<think>" for text, _ in SPLIT} | {
        "<thought>",
        "<thoughts>",
    }


@pytest.mark.parametrize(
    "text", ["\n", " ", "<think", "[THINK", "Hm. </", "analysis", "<|channel|>"]
)
def test_a_long_text_takes_no_longer_than_its_length(text):
    """A pattern that goes back at each place would take minutes."""
    long = text * (200_000 // len(text))
    assert not reasoning.is_held(reasoning.parted(long)[0] or "", reasoning.SHOWN)
    reasoning.is_held(long, "")
    reasoning.found(long)
