"""The words spoken with a service, read and written."""

import json
from datetime import UTC, datetime

import pytest

from generation.inference import chat, faults, markup, service_errors
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


WORDINGS = [
    (chat.Abilities(), {"messages": [{"role": "user", "content": "Q"}], "max_tokens": 9}),
    (
        chat.Abilities(limit=chat.MAX_COMPLETION_TOKENS),
        {"messages": [{"role": "user", "content": "Q"}], "max_completion_tokens": 9},
    ),
    (chat.Abilities(completions=True), {"prompt": "Q", "max_tokens": 9}),
]


@pytest.mark.parametrize(("abilities", "sent"), WORDINGS)
def test_a_request_is_worded_as_the_service_takes_it(abilities, sent):
    options = {"max_tokens": 9, "system_message": None}
    assert chat.body("m", options, "Q", abilities) == {"model": "m", **sent}


PARTED = [
    ("It is 4 km.", False, "It is 4 km.", ""),
    (" 4 km\n", False, " 4 km\n", ""),
    ("<think>\nHm.\n</think>\n\n4 km\n", False, "4 km", "Hm."),
    ("<think>\n\n</think>\n\n4 km", False, "4 km", ""),
    ("Hm.</think>4 km", False, "4 km", "Hm."),
    ("Hm.</think>4 km", True, "4 km", "Hm."),
    ("<think>a</think>b</think>4 km", False, "4 km", "a</think>b"),
    ("<think>a</think>4 km <think>b</think>long", False, "4 km long", "a\n\nb"),
    ("<think>a</think>4 km <think>b", False, None, "a\n\nb"),
    ("<think>Hm", False, None, "Hm"),
    ("Hm", True, None, "Hm"),
    ("<think>Hm", True, None, "Hm"),
    ("5 < 6 and think", False, "5 < 6 and think", ""),
]


@pytest.mark.parametrize(("text", "opened", "answer", "thought"), PARTED)
def test_the_reasoning_is_kept_apart_from_the_answer(text, opened, answer, thought):
    assert markup.parted(text, opened=opened) == (answer, thought)


REASONED = [
    {"content": "4 km", "reasoning_content": " Hm. "},  # vLLM, SGLang, llama.cpp, DeepSeek
    {"content": "4 km", "reasoning": "Hm."},  # Ollama, OpenRouter, later vLLM
    {"content": "<think>Hm.</think>4 km"},
    {"content": "4 km", "reasoning": "Hm.", "reasoning_details": [{"text": "Hm."}]},
]


@pytest.mark.parametrize("message", REASONED)
@pytest.mark.parametrize("opened", [False, True])
def test_reasoning_is_read_from_its_field_or_its_marks(message, opened):
    reply = chat.reply(
        {}, 200, choice(**message), 1, abilities=chat.Abilities(opens_reasoning=opened)
    )
    assert (reply.text, reply.reasoning) == ("4 km", "Hm.")
    assert reply.raw["choices"][0]["message"] == message


@pytest.mark.parametrize(
    ("finish_reason", "kind"), [("length", faults.NoRoom), ("stop", faults.EmptyReply)]
)
@pytest.mark.parametrize("content", ["<think>Hm", None])
def test_reasoning_without_an_answer_is_no_answer_and_is_kept(finish_reason, kind, content):
    answer = choice(finish_reason, content=content, reasoning="Hm.")
    with pytest.raises(kind) as caught:
        chat.reply({}, 200, answer, 1)
    assert caught.value.raw == json.loads(answer)


def test_a_refusal_of_a_model_that_reasons_first_is_a_finding():
    answer = choice(content=None, refusal="No.")
    assert (
        chat.reply({}, 200, answer, 1, abilities=chat.Abilities(opens_reasoning=True)).text == "No."
    )


def test_a_bare_completion_is_read_too():
    answer = completion(choices=[{"text": "42", "finish_reason": "stop"}])
    assert chat.reply({"prompt": "Q"}, 200, answer, 1).text == "42"


@pytest.mark.parametrize("odd", ["\x00", "\ud83d"])
def test_what_no_database_stores_is_replaced_in_the_raw_reply_and_the_reasoning(odd):
    answer = completion(choices=[choice_of(f"Hm{odd}.", "4 km \U0001f600")], note=f"a{odd}b")
    reply = chat.reply({}, 200, answer, 1)
    assert reply.text == "4 km \U0001f600"
    assert (reply.reasoning, reply.raw["note"]) == ("Hm\ufffd.", "a\ufffdb")


def test_a_number_that_is_none_is_null_in_the_raw_reply():
    assert chat.reply({}, 200, completion(score=float("nan")), 1).raw["score"] is None


def choice_of(reasoning, content):
    return {"message": {"content": content, "reasoning": reasoning}, "finish_reason": "stop"}


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
        raw=json.loads(completion()),
    )


def test_a_text_keeps_its_outer_blanks():
    assert chat.reply({}, 200, completion("\n 42 "), 1).text == "\n 42 "


def test_what_a_service_does_not_tell_stays_empty():
    reply = chat.reply({}, 200, completion(usage=None, model=5, id={}), 1)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.answered_by) == (None, None, "")


BAD_REPLIES = [
    (b"", faults.BrokenReply, "not JSON: nothing"),
    (b"<html><title>Bad gateway</title>", faults.BrokenReply, "not JSON: <html>"),
    (b'{"choices": [', faults.BrokenReply, "not JSON"),
    (b"[" * 200_000, faults.BrokenReply, "nested too deeply"),
    (b"[" * 700 + b'"\\u0000"' + b"]" * 700, faults.BrokenReply, "nested too deeply"),
    (b"data: " + b'{"a":' * 100_000 + b"}", faults.BrokenReply, "not JSON"),
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


def choice(finish_reason="stop", **message):
    return completion(choices=[{"finish_reason": finish_reason, "message": message}])


FINDINGS = [
    (choice(content=None, refusal="I cannot help."), "refused", "I cannot help."),
    (choice(content="", refusal="No."), "refused", "No."),
    (choice(content="It is 4 km.", refusal=None), "", "It is 4 km."),
    (choice("content_filter", content=None), "filtered", ""),
    (choice("content_filter", content="It is"), "filtered", "It is"),
]


@pytest.mark.parametrize(("content", "finding", "text"), FINDINGS)
def test_a_refusal_and_a_filtered_answer_are_findings(content, finding, text):
    reply = chat.reply({}, 200, content, 1)
    assert (reply.finding, reply.text) == (finding, text)


@pytest.mark.parametrize("finish_reason", ["\x00", "\ud800"])
def test_what_no_database_stores_is_replaced_in_a_finish_reason(finish_reason):
    with pytest.raises(faults.Aborted) as caught:
        chat.reply({}, 200, choice(finish_reason, content="4 km"), 1)
    assert caught.value.reply.finish_reason == "\ufffd"


STOPPED = [
    (400, {"error": {"message": "The prompt was filtered.", "code": "content_filter"}}),
    (400, {"error": {"message": "No.", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
    (400, {"error": {"message": "The response was filtered due to the prompt triggering Azure …"}}),
    (403, {"error": {"message": "Flagged.", "code": 403, "metadata": {"flagged_input": "Q"}}}),
]
QUOTED = [
    (400, {"error": {"message": "Bad role in 'What is forum moderation?'"}}, faults.Refused),
    (422, {"detail": [{"msg": "bad", "input": "content_filter"}]}, faults.Refused),
    (403, {"error": {"message": "No. Of: content management policy"}}, faults.KeyRefused),
    (400, ["content_filter"], faults.Refused),
]


@pytest.mark.parametrize(("status", "body"), STOPPED)
def test_a_prompt_that_a_filter_stops_differs_from_other_refusals(status, body):
    assert type(service_errors.fault_of(status, json.dumps(body).encode())) is faults.Filtered


@pytest.mark.parametrize(("status", "body", "kind"), QUOTED)
def test_words_of_a_quoted_prompt_make_no_finding(status, body, kind):
    assert type(service_errors.fault_of(status, json.dumps(body).encode())) is kind


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
    {
        "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 `inputs`",
        "error_type": "validation",
    },
    {"error": "Input validation error: `inputs` must have less than 1000 tokens. Given: 9000"},
    {
        "object": "error",
        "message": "The decoder prompt (length 9001) is longer than the maximum model length of 4096.",
    },
    {"error": {"message": "'max_tokens' is too large: 8000. max_model_len is 4096", "code": 400}},
    {"message": "The input (9000 tokens) is longer than the model's context length (4096 tokens)."},
    {"error": {"message": "the request exceeds the available context size, try to increase it"}},
    {
        "error": {
            "message": "You passed 9001 input tokens and requested 250 output tokens. However, …"
        }
    },
    {"error": {"message": "litellm.ContextWindowExceededError: litellm.BadRequestError: Too long"}},
    {
        "error": {
            "message": "litellm.BadRequestError: OpenAIException - This model's maximum context length is 9"
        }
    },
    {"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}},
    {"error": {"message": "Context size has been exceeded.", "type": "server_error", "code": 500}},
    {"error": {"message": "the input length exceeds maximum context length"}},
    {"error": {"message": "The input token count (9001) exceeds the maximum number of tokens."}},
    {
        "message": "Prompt contains 9001 tokens and 0 draft tokens, too large for model with 4096 maximum"
    },
]
NOT_TOO_LONG = [
    {"error": {"message": "Bad role in 'What is the context length of a lease?'"}},
    {"error": {"message": "Unknown field: This model's maximum context length", "type": "x"}},
    {"error": {"message": "no", "param": "context_length_exceeded"}},
    {"detail": [{"msg": "bad", "input": "longer than the maximum model length"}]},
]


@pytest.mark.parametrize("body", NOT_TOO_LONG)
def test_words_of_a_quoted_prompt_are_not_taken_for_its_length(body):
    assert type(service_errors.fault_of(400, json.dumps(body).encode())) is faults.Refused


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize("body", CONTEXT)
def test_a_prompt_that_does_not_fit_differs_from_other_faults(status, body):
    fault = service_errors.fault_of(status, json.dumps(body).encode())
    assert type(fault) is faults.ContextTooLong
    assert not fault.retryable


STATUSES = [
    (400, faults.Refused, False),
    (401, faults.KeyRefused, False),
    (403, faults.KeyRefused, False),
    (404, faults.ModelGone, False),
    (408, faults.ServiceFailed, True),
    (413, faults.ContextTooLong, False),
    (422, faults.Refused, False),
    (429, faults.ServiceBusy, True),
    (500, faults.ServiceFailed, True),
    (502, faults.ServiceFailed, True),
    (503, faults.ServiceUnavailable, True),
    (504, faults.ServiceFailed, True),
    (302, faults.Refused, False),
]


@pytest.mark.parametrize(("status", "kind", "retryable"), STATUSES)
def test_a_status_says_whether_trying_again_can_help(status, kind, retryable):
    fault = service_errors.fault_of(status, b'{"error": {"message": "no"}}')
    assert (type(fault), fault.retryable, fault.status) == (kind, retryable, status)
    assert "no" in fault.sentence


@pytest.mark.parametrize(("words", "end"), [("bad key", "bad key. C"), ("Bad key!", "Bad key! C")])
def test_what_a_service_says_ends_before_the_next_sentence(words, end):
    fault = service_errors.fault_of(401, json.dumps({"error": {"message": words}}).encode())
    assert fault.sentence == f"The service refused the key (401): {end}heck its key_env."


def test_an_error_page_is_shown_as_one_short_line():
    page = b"<html>\n<body>\x1b[31m" + b"long " * 500
    assert "\x1b" not in service_errors.error_text(page)
    assert "\n" not in service_errors.error_text(page)
    assert len(service_errors.error_text(page)) <= 300


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
