"""The prompts of the hypothetical statements: their texts equal what the paper prints, and each says how it is read."""

import pytest

from generation.prompts.answers import answer_of
from generation.prompts.declared import bodies
from generation.prompts.prompting import Form
from protocols.shipped import declaration_of

BODIES = bodies(declaration_of("hypotheticals"))
BASIC = {
    "1": (
        "Text:“{context}”⏎⏎Question: “{question}”. Shortest possible answer please.⏎⏎If the question cannot be "
        "answered with a single span from the text, return “None”"
    ),
    "2": (
        "Text:“{context}”⏎⏎Question: “{question}”⏎⏎Important! The answer should be an exact span extracted from the "
        "text. Important! Give the shortest possible answer. If the question cannot be answered with one span from the "
        "text - return “None” (and nothing else). Answer:"
    ),
    "3": (
        "Extract from the following context the minimal span word for word that best answers the question. The answer "
        "should be the shortest possible. Give the answer in the format as follows:⏎⏎Answer: …⏎⏎If the answer is not "
        'in the context, the answer should be "None".⏎⏎Text:“{context}”⏎⏎Question: “{question}”⏎⏎Answer:'
    ),
}
PHRASINGS = {
    "1": (
        "Read the text and answer the question below.⏎⏎Please, ignore your own world knowledge and answer the question "
        "based on the text only!"
    ),
    "2": (
        "Review the provided text and address the question that comes afterward.⏎⏎Ensure that your response is solely "
        "rooted in the information within the text, disregarding your parametric knowledge."
    ),
    "3": (
        "Read the passage and respond to the question that follows.⏎⏎Please, do not rely on your personal background "
        "knowledge; provide your answer solely based on the information presented in the text."
    ),
    "4": (
        "Examine the text and reply to the question posed below.⏎⏎Your answer should be exclusively informed by the "
        "content of the text, without taking into account any prior knowledge or experiences."
    ),
}
# The basic prompts with the phrasings that the paper has for a model.
INSTRUCTED = ("1-1", "2-1", "1-2", "2-2", "2-3", "3-2", "3-4")
CHAINS = ("1-1", "2-1", "1-2", "2-3", "3-2", "3-3")
CHECK = "Does the text contain evidence for the answer “{reply}”? Answer yes or no."
MODES = {"controlled": (Form.SPAN, 15), "uncontrolled": (Form.TEXT, None)}


def instructed(pair):
    basic, phrasing = pair.split("-")
    return f"{PHRASINGS[phrasing]}⏎⏎{BASIC[basic]}"


SENT = {
    **{f"basic-{n}-{mode}": (BASIC[n], "basic", "reconstructed") for n in BASIC for mode in MODES},
    **{
        f"instructed-{pair}-{mode}": (instructed(pair), "instructed", "reconstructed")
        for pair in INSTRUCTED
        for mode in MODES
    },
    **{
        f"two-step-{pair}-{mode}": (instructed(pair), "two-step", "ours")
        for pair in INSTRUCTED
        for mode in MODES
    },
    **{f"two-step-{n}": (BASIC[n], "two-step without instruction", "ours") for n in BASIC},
    **{
        f"chain-{pair}": (
            f'{instructed(pair)}⏎⏎End with a line "Answer: …".⏎Let’s think step by step.',
            "chain of thought",
            "ours",
        )
        for pair in CHAINS
    },
    "closed-book": (
        "Question: “{question}”. Shortest possible answer please.",
        "closed book",
        "ours",
    ),
}


@pytest.mark.parametrize("name", SENT)
def test_each_prompt_is_sent_as_printed_and_read_by_its_mode(name):
    text, technique, origin = SENT[name]
    body = BODIES[name]
    assert body["template"] == text.replace("⏎", "\n")
    assert (body["tags"]["technique"], body["origin"]) == (technique, origin)
    assert (body["form"], body["times"]) == MODES[body["tags"]["mode"]]
    assert body["check"] == (CHECK if technique.startswith("two-step") else "")
    assert (body["second"], body["after"], body["extract"], body["abstain"]) == (
        "", "Answer:" if technique == "chain of thought" else "", "", "None",
    )  # fmt: skip


def test_there_is_no_other_prompt():
    assert list(BODIES) == list(SENT)


@pytest.mark.parametrize(
    ("prompt", "reply", "answer", "is_abstention"),
    [
        ("basic-1-uncontrolled", "women’s rights", "women’s rights", False),
        ("basic-1-uncontrolled", "None", "", True),
        ("basic-1-uncontrolled", "none", "none", False),
        ("basic-2-uncontrolled", "Nonetheless", "", True),
        ("basic-3-uncontrolled", "Answer: None", "Answer: None", False),
        ("chain-3-3", "It says so.\nAnswer: women’s rights", "women’s rights", False),
        ("chain-1-1", "The text has an if. Answer: None", "", True),
        ("chain-1-1", "women’s rights", None, False),
    ],
)
def test_what_a_reply_answers(prompt, reply, answer, is_abstention):
    read = answer_of(reply, BODIES[prompt])
    assert (read.text, read.unread) == (answer or "", answer is None)
    assert read.abstained is is_abstention
