"""Responses that give their own model away."""

import pytest

from judging.rules.selfnaming import named_in, names_of


@pytest.mark.parametrize(
    ("model_id", "text", "sent", "expected"),
    [
        ("gpt-4-turbo-2024-04-09", "As ChatGPT, I cannot know.", "", ["ChatGPT"]),
        ("gpt-4-turbo-2024-04-09", "I am GPT-4.", "", ["GPT"]),
        ("gpt-4-turbo-2024-04-09", "I was trained by openai", "", ["OpenAI"]),
        ("meta/llama-3-70b-instruct", "I'm Llama 3, made by Meta AI.", "", ["Meta AI", "Llama"]),
        (
            "local/SmolLM2-135M-Instruct",
            "I am SmolLM2-135M-Instruct.",
            "",
            ["SmolLM2-135M-Instruct", "SmolLM"],
        ),
        ("mixtral-8x7b-instruct-v0-1", "Mistral says so", "", ["Mistral"]),
        ("phi-3", "His philosophy", "", []),
        ("philosopher-7b", "Phi is a letter", "", []),
        ("falcon-40b", "The falcons were two", "", []),
        ("falcon-40b", "The falcon was seen", "Was the falcon seen?", []),
        ("gpt-4", "1983", "", []),
        ("gpt-4", "", "", []),
    ],
)
def test_named_in(model_id, text, sent, expected):
    assert named_in(text, names_of([model_id]), sent=sent) == expected


def test_a_model_id_with_signs_is_taken_literally():
    assert named_in("I am my(model+", names_of(["my(model+"])) == ["my(model+"]
