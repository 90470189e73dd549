"""Markup of models: what is read of a text, what is held, and what an honest answer keeps."""

import re

import pytest

from generation.inference import markup

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
    ("Here is my thought process:\nHm.\n\nHere is my response:\n\nIt is 12 m.", "Hm."),
    ("Here's my thought process: Hm. Here's my response: It is 12 m.", "Hm."),
    # With special tokens, wrappers and phrases round the answer
    ("<|im_start|>assistant\n<thinking>Hm.</thinking>\nIt is 12 m.<|im_end|>", "Hm."),
    ("<think>Hm.</think>\n<answer>It is 12 m.</answer>", "Hm."),
    ("<think>Hm.</think>Here is my response: It is 12 m.</s>", "Hm."),
    ("<think>Hm.</think><answer><|begin_of_box|>It is 12 m.<|end_of_box|></answer>", "Hm."),
    ("<|START_THINKING|>Hm.<|END_THINKING|><|START_TEXT|>It is 12 m.<|END_TEXT|>", "Hm."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "thought"), SPLIT)
@pytest.mark.parametrize("marks", ["", "[THINK]", "<think>"])
def test_marks_of_the_table_are_kept_out_of_the_answer(text, thought, marks):
    answer, apart = markup.parted(text, marks=marks)
    assert (answer or "").strip("*") == "It is 12 m."
    if thought is not None:
        assert apart == thought
    assert not markup.is_held(answer, marks)


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
    "I think it is 12 m. My reasoning: passage 1 says so.",
    "Reasoning: passage 1 says 12 m.\nFinal answer: 12 m",
    "**Analysis**\n\nIt is 12 m.",
    "[1] says 12 m, [2] says 14 m.",
    "(thinking of 2 m) It is 12 m.",
    "Thinking... it must be 12 m.",
    "5 < 6 and think > 7",
    "<b>12 m</b>",
    # Struck text of HTML, and tags that are spoken of
    "It was <s>14 m</s> 12 m.",
    "<s>14 m</s> 12 m",
    "It was 12 m, not <s>14 m</s>",
    "It is closed with “</s>”.",
    "It is closed with </s>, and opened with a tag",
    "`</s>` ends it",
    "<answer> is the tag, and </answer> ends it.",
    "The tag <answer> opens it, and </answer> closes it",
    "The answer: 12 m. My response is the same.",
    "The text begins with ### Response:",
    "It was an assistant\nof the user",
    "a < b, and b | c > d",
    "Elixir pipes a |> b, and Elm b <| a",
    "final",
    "finalists of the cup",
    "",
]


@pytest.mark.parametrize("text", HONEST)
@pytest.mark.parametrize("marks", ["", "<thinking>", "[THINK]", "analysis … assistantfinal"])
def test_an_honest_answer_stays_whole_and_is_not_held(text, marks):
    assert markup.parted(text, marks=marks) == (text, "")
    assert not markup.is_held(text, marks)


HELD = [
    "12 m <eot>",
    "12 m [EOS]",
    "12[EOT]m",
    "12 m [BOS]",
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
    # Special tokens of unknown names, and known ones that a sentence may speak of
    "The model uses the token <|channel|> here.",
    "The token is <|im_end|>",
    "It ends with `<|im_end|>`.",
    "It is 12 m.<|im_end|>\n<|im_start|>user\nAnd?",
    "<|a_new_token|>It is 12 m.",
    "It is <|tool_call|> 12 m",
    "12 m <｜tool▁calls▁begin｜>",
    "<|turn>user\nAnd?",
    "12 m.<turn|>\nAnd?",
    "It is 12 m. [INST] And? [/INST] No.",
    "It is 12 m.</s>And?",
    "It is closed with </s>",
    "12 m </answer>",
    "12 m<end_of_turn>\n<start_of_turn>user",
    "The length is <|begin_of_box|>12 m",
    "<tool_call>\n{}\n</tool_call>",
    # Wrappers that are not round the whole answer, and phrases
    "They conflict.\n<answer>12 m</answer>",
    "So the answer is <answer>12 m</answer>.",
    "<answer>12 m</answer>\nIt follows from passage 1.",
    "<answer>12 m</answer><answer>14 m</answer>",
    "Answer: \\boxed{12}.",
    "They conflict.\nHere is my response: 12 m",
    "Here is my response: 12 m",
    "12 m\n\n### Instruction:\nAnd?",
    "12 m\nHuman: And?",
    "assistant\n\n12 m",
    "It is 12 m.assistant\n\nIt is 12 m.",
    "<pad><pad>12 m",
    "It is <co: 0>12 m</co: 0>.",
]


@pytest.mark.parametrize("text", HELD)
def test_what_looks_like_reasoning_and_cannot_be_parted_is_held(text):
    answer, _ = markup.parted(text)
    assert answer == text
    assert markup.is_held(text, "")
    assert not markup.is_held(text, markup.SHOWN)


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
    assert markup.parted(text, is_cut=is_cut) == (None, "The passages")


OPENED = [
    ("Hm.◁/think▷It is 12 m.", "◁think▷"),
    ("Hm.[/THINK]It is 12 m.", "[THINK]"),
    ("Hm.</thinking>It is 12 m.", "<thinking>"),
    ("Hm.</think>It is 12 m.", ""),
]


@pytest.mark.parametrize(("text", "marks"), OPENED)
def test_a_template_may_write_the_opening(text, marks):
    assert markup.found(text) == (marks, True)
    assert markup.parted(text, marks=marks, opened=True) == ("It is 12 m.", "Hm.")


@pytest.mark.parametrize("text", [text for text, _ in SPLIT])
def test_shown_as_it_is_nothing_is_parted(text):
    assert markup.parted(text, marks=markup.SHOWN) == (text, "")


BARE = [
    "<answer>12 m</answer>",
    "<Answer>\n12 m\n</Answer>\n",
    "<answer> 12 m </answer>",
    "<answer>12 m",
    "12 m</answer>",
    "12 m\n</answer>",
    "<final_answer>12 m</final_answer>",
    "<response>\n12 m\n</response>",
    "<|begin_of_box|>12 m<|end_of_box|>",
    "<answer><|begin_of_box|>12 m<|end_of_box|></answer>",
    "\\boxed{12 m}",
    "$\\boxed{\\text{12 m}}$",
    "12 m<|im_end|>",
    "12 m<|im_end|>\n<|im_start|>\n",
    "12 m\n<|endoftext|>",
    "12 m</s>",
    "12 m</s><s>",
    "<s> 12 m</s>",
    "<s>12 m",
    "<bos>12 m<eos>",
    "12 m<|eot_id|>",
    "<|begin_of_text|><|start_header_id|>assistant<|end_header_id|>\n\n12 m<|eot_id|>",
    "<|header_start|>assistant<|header_end|>\n\n12 m<|eot|>",
    "<|im_start|>assistant\n12 m<|im_end|>",
    "<start_of_turn>model\n12 m<end_of_turn>",
    "<|turn>model\n12 m<turn|>",
    "[/INST] 12 m</s>",
    "<|assistant|>\n12 m<|end|>",
    "[gMASK]<sop><|assistant|>\n12 m<|user|>",
    "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>12 m<|END_OF_TURN_TOKEN|>",
    "<｜Assistant｜>12 m<｜end▁of▁sentence｜>",
    "<|start_of_role|>assistant<|end_of_role|>12 m<|end_of_text|>",
    "[|assistant|]12 m[|endofturn|]",
    "<|im_assistant|>assistant<|im_middle|>12 m<|im_end|>",
]


@pytest.mark.parametrize("text", BARE)
def test_tokens_and_wrappers_round_an_answer_are_taken_off(text):
    answer, thought = markup.parted(text)
    assert (answer, thought) == ("12 m", "")
    assert not markup.is_held(answer, "")


def test_a_box_within_a_sentence_is_taken_off():
    assert markup.parted("It is <|begin_of_box|>12 m<|end_of_box|>.") == ("It is 12 m.", "")


def test_a_token_after_a_sentence_and_a_blank_is_taken_off():
    assert markup.parted("It is 12 m. <|im_end|>") == ("It is 12 m.", "")


@pytest.mark.parametrize("text", ["<|im_end|>", " </s> ", "<answer></answer>"])
def test_markup_alone_is_no_answer(text):
    assert markup.parted(text) == ("", "")


@pytest.mark.parametrize("text", [*HELD, *HONEST, *BARE, *(text for text, _ in SPLIT)])
def test_a_special_token_is_taken_off_or_holds_the_text(text):
    answer, _ = markup.parted(text)
    assert markup.is_held(answer, "") or not re.search(r"<[|｜][^\n]*[|｜]>", answer)


@pytest.mark.parametrize("mark", markup.MARKS, ids=lambda mark: mark.name)
def test_every_row_of_the_table_has_a_case(mark):
    assert mark.name in {markup.found(text)[0] or "<think>" for text, _ in SPLIT} | {
        "<thought>",
        "<thoughts>",
    }


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "\n", " ", "<think", "[THINK", "Hm. </", "analysis", "<|channel|>", "<|", "</s>", "<s>", "a</s>", "<|im_end|>",
        "<|im_end|> ", "<|im_start|>", "<answer>", "</answer>", "\n<answer>", "\\boxed{", "<|begin_of_box|>",
        "Here is my response: ", "### Response:\n",
    ],
)  # fmt: skip
def test_a_long_text_takes_no_longer_than_its_length(text):
    """A pattern that goes back at each place would take minutes."""
    long = text * (200_000 // len(text))
    assert not markup.is_held(markup.parted(long)[0] or "", markup.SHOWN)
    markup.is_held(long, "")
    markup.found(long)
