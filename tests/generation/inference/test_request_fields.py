"""Further fields of a model's requests."""

import json

import pytest

from generation.inference import request_fields
from generation.inference.request_fields import BadFields

TAKEN = [
    ("", {}),
    (" \n", {}),
    ("{}", {}),
    ('{"top_p": 0.9, "top_k": 20, "min_p": 0}', {"top_p": 0.9, "top_k": 20, "min_p": 0}),
    ('{"reasoning_effort": "none"}', {"reasoning_effort": "none"}),
    (
        '{"chat_template_kwargs": {"enable_thinking": false}}',
        {"chat_template_kwargs": {"enable_thinking": False}},
    ),
    ('{"stop": ["\\n", "Ende\\u00e4"]}', {"stop": ["\n", "Endeä"]}),
    ('{"reasoning": {"max_tokens": 100}}', {"reasoning": {"max_tokens": 100}}),
]


@pytest.mark.parametrize(("text", "fields"), TAKEN)
def test_any_field_that_a_service_takes_can_be_set(text, fields):
    assert request_fields.parsed(text) == fields


OURS = [
    "model", "messages", "prompt", "stream", "n", "tools", "logprobs", "top_logprobs", "max_tokens",
    "max_completion_tokens", "max_new_tokens",
]  # fmt: skip


@pytest.mark.parametrize("name", OURS)
def test_a_field_of_the_program_is_refused_by_name(name):
    with pytest.raises(
        BadFields, match=rf"“{name}” is set by the program: it is .*\. Leave it out"
    ):
        request_fields.parsed(json.dumps({"top_p": 1, name: 5}))


REFUSED = [
    ("top_p = 0.9", "Write one JSON object"),
    ('["top_p"]', "Write one JSON object"),
    ("[" * 3000, "Write one JSON object"),
    ("5", "Write one JSON object"),
    ('{"temperature": 1}', "“temperature” has a field of its own"),
    ('{"seed": 1}', "“seed” has a field of its own"),
    ('{"system_message": ""}', "“system_message” has a field of its own"),
    ('{"top_p": null}', "“top_p” has no value. Leave it out"),
    ('{"top_p": 1, "top_p": 2}', "“top_p” is there twice"),
    ('{"a": {"b": 1, "b": 2}}', "“b” is there twice"),
    (f'{{"top_p": {"[" * 700}{"]" * 700}}}', "“top_p” is nested too deeply."),
    ('{"top_p": NaN}', "NaN is no number"),
    ('{"top_p": 1e999}', "“top_p” has a number or a character that cannot be stored"),
    ('{"stop": "a\\u0000"}', "cannot be stored"),
    ('{"stop": "\\ud800"}', "cannot be stored"),
    ('{"": 1}', "A field needs a name"),
    ('{"stop": "' + "x" * 4000 + '"}', "at most 4000 characters"),
]


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_what_cannot_be_set_is_refused_with_what_to_write(text, words):
    with pytest.raises(BadFields, match=words):
        request_fields.parsed(text)
