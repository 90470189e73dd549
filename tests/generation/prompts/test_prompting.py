"""What a model is sent: prompts as data, rendered byte for byte."""

import hashlib
import json
import re

import pytest

from generation.prompts import authoring, prompting, rendering
from leases.refusal import NotFoundHere

LLAMA_3 = (
    "<|begin_of_text|><|start_header_id|>user<|end_header_id|>  {} <|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>"
)

ASKED = {
    "question": "How long is it?",
    "context_1": "It is 3 km long.",
    "context_2": "It is 5 km long.",
}
GIVEN = "Provide a short answer for the following question based on the given context."
CAREFULLY = (
    " Carefully investigate the given context and provide a concise response that reflects the comprehensive view"
    " of the context, even if the answer contains contradictory information reflecting the heterogeneous nature of"
    " the context. "
)

RENDERED = [
    (
        "internal-knowledge",
        "Provide a short answer for the following question based on your internal knowledge.\n\n"
        "Question: How long is it?\n",
    ),
    ("passage-1", f"{GIVEN}\n\nQuestion: How long is it?\nContext: It is 3 km long.\n"),
    ("passage-2", f"{GIVEN}\n\nQuestion: How long is it?\nContext: It is 5 km long.\n"),
    (
        "both-passages",
        f"{GIVEN}\n\nQuestion: How long is it?\nContext: It is 3 km long.\n It is 5 km long.\n",
    ),
    (
        "both-passages-comprehensive",
        f"{GIVEN}{CAREFULLY}\n\nQuestion: How long is it?\nContext: It is 3 km long.\n It is 5 km long.\n",
    ),
]


@pytest.mark.parametrize(("name", "text"), RENDERED)
def test_it_renders_each_prompt(name, text):
    assert rendering.render(prompting.find(name), **ASKED, same=False) == text


@pytest.mark.parametrize("name", ["both-passages", "both-passages-comprehensive"])
def test_a_passage_that_is_the_same_is_given_once(name):
    text = rendering.render(prompting.find(name), **ASKED, same=True)
    assert text.endswith("Context: It is 3 km long.\n")
    assert "5 km" not in text


def test_braces_in_a_passage_stay_what_they_are():
    asked = {
        "question": "What is {context2}?",
        "context_1": "{question} {x}",
        "context_2": "{context1}",
    }
    text = rendering.render(prompting.find("4"), **asked, same=False)
    assert text.endswith("Question: What is {context2}?\nContext: {question} {x}\n {context1}\n")


def test_prompts_come_in_the_order_of_the_papers_numbers():
    assert [(prompt.label, name) for name, prompt in prompting.prompts().items()] == [
        ("1", "internal-knowledge"),
        ("2", "passage-1"),
        ("3", "passage-2"),
        ("4", "both-passages"),
        ("5", "both-passages-comprehensive"),
        ("5.1", "both-passages-swapped"),
        ("5.2", "conflict-question"),
        ("5.3", "both-passages-revised"),
        ("5.4", "conflict-question-revised"),
    ]


def test_a_prompt_is_found_by_name_and_by_label():
    assert prompting.find("both-passages") is prompting.find("4")


def test_the_control_prompts_are_the_papers_words_in_line_breaks_of_our_own(study_file):
    printed = study_file("wikicontradict/prompts/templates_5.1-5.4.txt").read_text("utf-8")
    sections = printed.split("Prompt 5.")[2:]  # the text before is the heading "5.1-5.4"
    printed_words = {f"5.{section[0]}": _words(section[1:]) for section in sections}
    for label, words in printed_words.items():
        prompt = prompting.find(label)
        assert prompt.reconstructed
        prime = "'" if prompt.revised else ""
        first, second = (2, 1) if label == "5.1" else (1, 2)
        ours = (
            prompt.template.replace("{question}", "{Question}")
            .replace(f"{{context{first}}}", f"{{Passage {first}{prime}}} +")
            .replace(f"{{context{second}}}", f"{{Passage {second}{prime}}}")
        )
        assert _words(ours) == words
    assert list(printed_words) == ["5.1", "5.2", "5.3", "5.4"]


def _words(text):
    return " ".join(text.split())


def written(template, second=""):
    given = {"name": "mine", "label": "M", "title": "Mine", "template": template, "second": second}
    return prompting.parse(authoring.completed(given, "It"), "it")


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Passage:\n {context1}\nQ: {question}", "Passage:\n 1\nQ: Q"),
        ("Passage:\n {context2}\nQ: {question}", "Passage:\n 2\nQ: Q"),
        ("Read:\n {context1}\n {context2}\nQ: {question}", "Read:\n 1\nQ: Q"),
        ("Read:\n {context2}\n {context1}\nQ: {question}", "Read:\n 1\nQ: Q"),
        ("{context1}\n {context2} {question}", "1\n 1 Q"),
    ],
)
def test_of_two_passages_that_are_the_same_only_the_second_is_left_out(template, text):
    shown = {"question": "Q", "context_1": "1", "context_2": "2"}
    assert rendering.render(written(template), **shown, same=True) == text


@pytest.mark.parametrize(
    ("template", "second", "pieces"),
    [
        ("{question}", "Now read:\n {context1}\n{reply}?", ["Now read:\n 1\n", "?"]),
        ("{question} {context1}", "Now read:\n {context2}\nSure?", ["Now read:\n 1\nSure?"]),
        ("{question}", "{context1} {reply}\n {context2}\nSure?", ["1 ", "\nSure?"]),
    ],
)
def test_a_second_turn_keeps_its_only_passage(template, second, pieces):
    shown = {"question": "Q", "context_1": "1", "context_2": "2"}
    assert rendering.follow_up(written(template, second), **shown, same=True) == pieces


def test_braces_that_are_no_place_are_kept():
    asked = '{question} Reply as {"answer": "…", "pages": [1]} or {}.'
    shown = {"question": "Q", "context_1": "", "context_2": ""}
    text = rendering.render(written(asked), **shown, same=False)
    assert text == 'Q Reply as {"answer": "…", "pages": [1]} or {}.'


@pytest.mark.parametrize("same", [False, True])
def test_the_swapped_prompt_is_prompt_5_with_its_passages_exchanged(same):
    swapped = rendering.render(prompting.find("5.1"), **ASKED, same=same)
    exchanged = ASKED | {"context_1": ASKED["context_2"], "context_2": ASKED["context_1"]}
    assert swapped == rendering.render(
        prompting.find("5"), **(ASKED if same else exchanged), same=same
    )


def test_revised_passages_give_the_revised_answer():
    assert prompting.gold(
        prompting.find("5.3"), answer_1="3 km", answer_2="5 km", revised_answer="4 km"
    ) == ["4 km"]


def test_an_unknown_prompt_is_answered_with_those_there_are():
    with pytest.raises(
        NotFoundHere, match=r"no prompt '6'. Known: internal-knowledge \(1\), passage-1"
    ):
        prompting.find("6")


@pytest.mark.parametrize(
    ("name", "answers", "gold"),
    [
        ("1", ("3 km ", "5 km"), ["3 km ", "5 km"]),
        ("2", ("3 km", "5 km"), ["3 km"]),
        ("3", ("3 km", "5 km"), ["5 km"]),
        ("4", ("3 km", "5 km"), ["3 km", "5 km"]),
        ("5", ("3 km", None), ["3 km"]),
        ("3", ("3 km", None), []),
        ("5", ("", "5 km"), ["", "5 km"]),
        ("5.1", ("3 km", "5 km"), ["3 km", "5 km"]),
        ("5.2", ("3 km", "5 km"), ["yes", "3 km", "5 km"]),
        ("5.3", ("3 km", "5 km"), []),
        ("5.4", ("3 km", "5 km"), ["no"]),
    ],
)
def test_gold_answers_follow_the_prompt_unstripped(name, answers, gold):
    assert prompting.gold(prompting.find(name), answer_1=answers[0], answer_2=answers[1]) == gold


def test_a_prompt_file_that_was_changed_is_refused():
    data = json.loads((prompting.FOLDER / "passage-1.json").read_bytes())
    data["template"] = data["template"].replace("short", "brief")
    with pytest.raises(prompting.PromptError, match=r"passage-1\.json was changed"):
        prompting.parse(data, "passage-1.json")


@pytest.mark.parametrize("damage", [{"gold": ["answer_3"]}, {"colour": "red"}, {"passages": None}])
def test_a_prompt_file_of_another_shape_is_refused(damage):
    data = json.loads((prompting.FOLDER / "passage-1.json").read_bytes())
    with pytest.raises(prompting.PromptError, match=r"broken\.json"):
        prompting.parse({**data, **damage}, "broken.json")


PLACES = [
    "{context3}", "{Question}", "{ question }", "{answer_1}", "{options[0]}", "{options.1}", "{question.__class__}",
    "{question!r}", "{question:>10}", "{question?}", "{ context1 . x }", "{context 1}", "{context-1}", "{Passage two}",
    "{reply}", "{0}", "{question.}", "{options[ 0 ]}", "{questïon}", "{question\N{ZERO WIDTH SPACE}}",
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_what_looks_like_a_field_and_is_none_is_refused_by_name(place):
    with pytest.raises(prompting.PromptError, match=re.escape(f"It has {place}, which is no")):
        written(f"{{question}} {place}")


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{{",
        "} {",
        '{"answer": 5}',
        "{a b}",
        "{ [1, 2] }",
        "{answer: X}",
        "{x, y}",
        "{\n}",
        "{%s}",
        "{question" + " " * 9_000,
    ],
)
def test_other_braces_of_a_prompt_are_text(text):
    data = json.loads((prompting.FOLDER / "passage-1.json").read_bytes())
    template = f"{data['template']} {text}"
    digest = hashlib.sha256(template.encode()).hexdigest()
    read = prompting.parse({**data, "template": template, "sha256": digest}, "new.json")
    sent = rendering.render(read, question="Q", context_1="1", context_2="2", same=False)
    assert sent.endswith(f" {text}")


def test_every_input_of_the_published_evaluation_is_rendered_byte_for_byte(study_file):
    published = json.loads(study_file("wikicontradict/humaneval_sample.json").read_bytes())
    compared = 0
    for rows in published.values():
        for row in rows:
            for n in (0, 2, 3, 4):  # in ModelInput_prompt_1 the release holds the answer
                assert row[f"ModelInput_prompt_{n}"] in _inputs(row, str(n + 1))
                compared += 1
    assert compared == 200


def _inputs(row, label):
    """What the study sent: the prompt, or the prompt in Llama-3's own markup."""
    text = rendering.render(
        prompting.find(label),
        question=row["question1"],
        context_1=row["question1_context1"],
        context_2=row["question1_context2"],
        same=row["samepassage"] == "Same",
    )
    return text, LLAMA_3.format(text)


def test_gold_equals_the_published_evaluations(study_file):
    published = json.loads(study_file("wikicontradict/humaneval_sample.json").read_bytes())
    row = published["gpt-4"][0]
    for n in range(5):
        gold = prompting.gold(
            prompting.find(str(n + 1)),
            answer_1=row["question1_answer1"],
            answer_2=row["question1_answer2"],
        )
        assert " | ".join(gold) == row[f"goldAnswer_prompt_{n}"]


def test_the_hash_of_a_prompt_with_everything_is_the_one_it_had_before_there_were_protocols():
    asked = {"form": "option", "options": ["A", "B"], "times": 3, "insist": True}
    shots = {"examples": [{"question": "Who?", "answer": "I"}], "second": "{reply}?"}
    digest = prompting.sha256_of({"template": "Q: {question}", **shots, **asked})
    assert digest == "aacab9b90676186504c3f57325263e9e16887b7b666d1097290d066d7b48f292"
