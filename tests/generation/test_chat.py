"""The words spoken with a service, read and written."""

import json
from datetime import UTC, datetime

import pytest

from generation import chat, faults
from leases.retry import retry_after

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


def completion(text="42", **changes):
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    data = {
        "id": "chatcmpl-1",
        "model": "echo-1",
        "choices": [choice],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        "system_fingerprint": "fp-1",
    }
    return json.dumps({**data, **changes}).encode()


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        ({}, [{"role": "user", "content": "Q"}]),
        ({"system_message": None}, [{"role": "user", "content": "Q"}]),
        (
            {"system_message": ""},
            [{"role": "system", "content": ""}, {"role": "user", "content": "Q"}],
        ),
    ],
)
def test_the_system_message_is_sent_as_the_model_has_it(options, messages):
    assert chat.body("m", {**options, "seed": 5}, "Q") == {
        "model": "m",
        "messages": messages,
        "seed": 5,
    }


def test_a_reply_is_read_whole():
    request = chat.body("echo-1", chat.DEFAULT_OPTIONS, "Q")
    assert chat.reply(request, 200, completion(), 12) == chat.Reply(
        text="42",
        request=request,
        status=200,
        answered_by="echo-1",
        finish_reason="stop",
        prompt_tokens=7,
        completion_tokens=3,
        latency_ms=12,
        raw={"id": "chatcmpl-1", "system_fingerprint": "fp-1"},
    )


def test_a_text_keeps_its_outer_blanks():
    assert chat.reply({}, 200, completion("\n 42 "), 1).text == "\n 42 "


def test_what_a_service_does_not_tell_stays_empty():
    reply = chat.reply({}, 200, completion(usage=None, model=5, id={}), 1)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.answered_by) == (None, None, "")
    assert reply.raw == {"system_fingerprint": "fp-1"}


BAD_REPLIES = [
    (b"", faults.BrokenReply, "not JSON: nothing"),
    (b"<html><title>Bad gateway</title>", faults.BrokenReply, "not JSON: <html>"),
    (b'{"choices": [', faults.BrokenReply, "not JSON"),
    (b"[]", faults.WrongShape, "not a chat completion"),
    (b'{"choices": []}', faults.WrongShape, "not a chat completion"),
    (b'{"text": "42"}', faults.WrongShape, "not a chat completion"),
    (completion({"a": 1}), faults.WrongShape, "something other than text"),
    (completion(""), faults.EmptyReply, "empty text"),
    (completion(" \n"), faults.EmptyReply, "empty text"),
    (completion(None), faults.EmptyReply, "empty text"),
    (completion("4\x002"), faults.WrongShape, "no database stores"),
    (completion("4\ud8002"), faults.WrongShape, "no database stores"),
    (
        completion(choices=[{"message": {"content": ""}, "finish_reason": "length"}]),
        faults.NoRoom,
        "max_tokens",
    ),
]


@pytest.mark.parametrize(("content", "kind", "words"), BAD_REPLIES)
def test_an_answer_of_another_shape_is_a_fault(content, kind, words):
    with pytest.raises(kind, match=words) as caught:
        chat.reply({}, 200, content, 1)
    assert caught.value.status == 200


CONTEXT = [
    {
        "error": {
            "code": 400,
            "type": "exceed_context_size_error",
            "message": "request exceeds the limit",
        }
    },
    {"error": {"message": "too many tokens", "code": "context_length_exceeded"}},
    {
        "object": "error",
        "message": "This model's maximum context length is 4096 tokens.",
        "code": 400,
    },
    {"message": "The input (9000 tokens) is longer than the model's context length (4096 tokens)."},
]


@pytest.mark.parametrize("body", CONTEXT)
def test_a_prompt_that_does_not_fit_differs_from_other_refusals(body):
    fault = chat.fault(400, json.dumps(body).encode())
    assert type(fault) is faults.ContextTooLong
    assert not fault.retryable


STATUSES = [
    (400, faults.Refused, False),
    (401, faults.Refused, False),
    (404, faults.Refused, False),
    (408, faults.ServiceFailed, True),
    (413, faults.ContextTooLong, False),
    (422, faults.Refused, False),
    (429, faults.ServiceBusy, True),
    (500, faults.ServiceFailed, True),
    (502, faults.ServiceFailed, True),
    (503, faults.ServiceFailed, True),
    (504, faults.ServiceFailed, True),
    (302, faults.Refused, False),
]


@pytest.mark.parametrize(("status", "kind", "retryable"), STATUSES)
def test_a_status_says_whether_trying_again_can_help(status, kind, retryable):
    fault = chat.fault(status, b'{"error": {"message": "no"}}')
    assert (type(fault), fault.retryable, fault.status) == (kind, retryable, status)
    assert "no" in fault.sentence


def test_an_error_page_is_shown_as_one_short_line():
    page = b"<html>\n<body>\x1b[31m" + b"long " * 500
    assert "\x1b" not in chat.error_text(page)
    assert "\n" not in chat.error_text(page)
    assert len(chat.error_text(page)) <= 300


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (b'{"data": [{"id": "b"}, {"id": "a"}, {"id": "a"}]}', ["a", "b"]),
        (b'{"data": []}', []),
    ],
)
def test_a_list_of_models_is_read(content, ids):
    assert chat.model_ids(content, 200) == ids


@pytest.mark.parametrize(
    "content", [b"{}", b'{"data": [{"name": "a"}]}', b'{"data": [{"id": 5}]}', b'["a"]']
)
def test_a_list_of_models_of_another_shape_is_a_fault(content):
    with pytest.raises(faults.WrongShape, match="list of models"):
        chat.model_ids(content, 200)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("Sat, 21 Nov 2026 12:01:30 GMT", 90.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("inf", None),
        ("-3", None),
        ("1e300", None),
        ("1_000", None),
        ("12345678901234", None),
        ("٣", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_a_number_or_a_date(header, seconds):
    assert retry_after(header, NOW) == seconds
