"""Replies in the shapes that services send them."""

import gzip
import json

import pytest

from generation.inference import chat, client, faults, probing
from tests.generation.fake_service import FakeService, Fault, Raw, Say

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def completion(content="It is 12 m.", finish_reason="stop", **message):
    said = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": said, "finish_reason": finish_reason}
    return {"id": "c", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}


def read(body, request=None, **options):
    return chat.reply(request or {}, 200, json.dumps(body).encode(), 1, **options)


def text(words):
    return {"type": "text", "text": words}


def thought(words):
    return {"type": "thinking", "thinking": [text(words)]}


SAID = text("It is 12 m.")
PARTS = [
    ([thought("Two passages differ."), SAID], "Two passages differ."),
    ([{"type": "thinking", "thinking": "Two differ.", "signature": "x"}, SAID], "Two differ."),
    ([{"type": "reasoning", "text": "Two differ."}, SAID], "Two differ."),
    ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Two."}]}, SAID], "Two."),
    ([{"type": "redacted_thinking", "data": "x"}, SAID], ""),
    ([{"type": "reference", "reference_ids": [1]}, SAID], ""),
    ([{"type": "thinking", "thinking": None}, SAID, None, text(None)], ""),
    ([text("It is "), text("12 m.")], ""),
    (["It is ", "12 m."], ""),
    ([{"type": "output_text", "text": "It is 12 m.", "annotations": []}], ""),
    ([{"type": "text", "text": {"value": "It is 12 m.", "annotations": []}}], ""),
    ([{"text": "It is 12 m."}], ""),
    (SAID, ""),
    ([text("<think>Two.</think>It is 12 m.")], "Two."),
]


@pytest.mark.parametrize(("content", "reasoning"), PARTS)
def test_parts_of_a_content_are_text_and_reasoning(content, reasoning):
    reply = read(completion(content))
    assert (reply.text, reply.reasoning) == ("It is 12 m.", reasoning)
    assert reply.raw["choices"][0]["message"]["content"] == content


@pytest.mark.parametrize("content", [[{"type": "refusal", "refusal": "No."}], [None]])
def test_a_part_that_refuses_is_a_refusal(content):
    message = {} if content != [None] else {"refusal": "No."}
    reply = read(completion(content, **message))
    assert (reply.text, reply.finding) == ("No.", chat.REFUSED)


@pytest.mark.parametrize(
    "content", [[{"type": "image_url", "image_url": {}}], [5], 5, [{"type": "text"}]]
)
def test_a_content_that_is_no_text_is_a_fault(content):
    with pytest.raises(faults.WrongShape, match="something other than text"):
        read(completion(content))


APART = [
    {"thinking": "Hm."},
    {"reasoning": {"content": "Hm."}},
    {"reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
    {"reasoning_content": None, "reasoning": "Hm."},
    {"reasoning_content": "Hm.", "thinking_blocks": [{"type": "thinking", "thinking": "Hm."}]},
]


@pytest.mark.parametrize("message", APART)
def test_reasoning_is_found_in_each_field_that_services_use(message):
    reply = read(completion(**message))
    assert (reply.text, reply.reasoning) == ("It is 12 m.", "Hm.")


def test_reasoning_in_a_field_and_a_part_is_kept_once():
    body = completion([thought("Hm."), SAID], reasoning_content="Hm.")
    assert read(body).reasoning == "Hm."


# ---------------------------------------------------------------- nulls

NULLS = [
    {**completion(), "usage": None, "model": None, "id": None, "created": None, "error": None},
    {**completion(), "usage": {"prompt_tokens": None, "completion_tokens": None}},
    completion(finish_reason=None, refusal=None, reasoning=None, tool_calls=None, role=None),
    {"choices": [{"index": None, "message": {"content": "It is 12 m."}, "logprobs": None}]},
    {**completion(), "error": {"message": None, "code": None}},
    {**completion(), "error": {}},
    {**completion(), "error": ""},
    {"choices": [{"text": "It is 12 m.", "message": None}]},
]


@pytest.mark.parametrize("body", NULLS)
def test_null_in_an_optional_place_is_nothing(body):
    request = {"prompt": "Q"} if "text" in body["choices"][0] else {}
    assert read(body, request).text == "It is 12 m."


@pytest.mark.parametrize("choice", [{"message": None, "finish_reason": "stop"}, {"message": {}}])
def test_a_message_that_is_null_is_an_empty_answer(choice):
    with pytest.raises(faults.EmptyReply):
        read({"choices": [choice]})


def test_a_list_of_models_that_is_null_is_empty():
    assert chat.model_ids(b'{"object": "list", "data": null}', 200) == []


# ---------------------------------------------------------------- finish reasons

FILTERS = [
    "content_filter", "CONTENT_FILTER", "contentFilter", "content-filter", "content_filtered", "SAFETY",
    "FinishReason.SAFETY", "FINISH_REASON_PROHIBITED_CONTENT", "content_filter: PROHIBITED_CONTENT", "RECITATION",
    "BLOCKLIST", "SPII", "guardrail_intervened", "ERROR_TOXIC", "sensitive",
]  # fmt: skip


@pytest.mark.parametrize("reason", FILTERS)
@pytest.mark.parametrize(
    "message", [{"message": None}, {"message": {"content": None}}, {}, {"message": {"content": []}}]
)
def test_a_filter_by_any_name_is_a_finding_without_a_message(reason, message):
    reply = read({"choices": [{"finish_reason": reason, **message}]})
    assert (reply.finding, reply.text) == (chat.FILTERED, "")
    assert reply.finish_reason == "content_filter"


@pytest.mark.parametrize("reason", ["refusal", "REFUSAL"])
def test_a_refusal_as_a_finish_reason_is_a_finding(reason):
    assert read({"choices": [{"finish_reason": reason, "message": None}]}).finding == chat.REFUSED


@pytest.mark.parametrize(
    "reason", ["length", "MAX_TOKENS", "FinishReason.MAX_TOKENS", "model_length"]
)
def test_a_cut_by_any_name_is_known(reason):
    assert read(completion("It is", reason)).finish_reason in chat.CUT_OFF
    with pytest.raises(faults.NoRoom):
        read(completion(None, reason))


def test_a_reply_cut_off_as_it_repeats_itself_is_cut_off():
    reply = read(completion("It is", "repetition"))
    assert (reply.text, reply.finish_reason, reply.finding) == ("It is", "repetition", "")
    assert "repetition" in chat.CUT_OFF
    with pytest.raises(faults.NoRoom, match="repeated itself"):
        read(completion("<think>Hm. Hm. Hm.", "repetition"))


# OpenAI and its kin, TGI, Together, Anthropic, Gemini, Cohere, Titan, LM Studio, Baidu; and words for no word.
ENDINGS = [
    "stop", "STOP", "FinishReason.STOP", "eos", "eos_token", "stop_sequence", "end_turn", "COMPLETE", "FINISHED",
    "eosFound", "normal", "FINISH_REASON_UNSPECIFIED", "null",
]  # fmt: skip


@pytest.mark.parametrize("reason", ENDINGS)
def test_known_good_endings_make_an_answer_and_are_kept_as_they_are(reason):
    reply = read(completion(finish_reason=reason))
    assert (reply.text, reply.finish_reason, reply.finding) == ("It is 12 m.", reason, "")


def test_a_blank_finish_reason_is_none():
    reply = read(completion(finish_reason=" "))
    assert (reply.text, reply.finish_reason, reply.finding) == ("It is 12 m.", "", "")


# vLLM and SGLang, llama.cpp's and others' errors, DeepSeek, Zhipu, Anthropic, OpenAI's tools, Cohere, Gemini.
ABORTED = [
    "abort", "error", "insufficient_system_resource", "network_error", "pause_turn", "tool_calls", "USER_CANCEL",
    "OTHER", "safe_stop", "42",
]  # fmt: skip


@pytest.mark.parametrize("reason", ABORTED)
@pytest.mark.parametrize("message", [{"message": {"content": "It is"}}, {"message": None}, {}])
def test_any_other_word_is_a_failed_attempt(reason, message):
    with pytest.raises(faults.Aborted, match=f"“{reason}”") as caught:
        read({"choices": [{"finish_reason": reason, **message}]})
    assert caught.value.retryable
    found = caught.value.reply
    assert (found.text, found.finding, found.finish_reason) == ("", chat.ABORTED, reason)
    assert found.raw["choices"][0]["finish_reason"] == reason


# ---------------------------------------------------------------- errors with status 200


def error(message="No.", **fields):
    return {"error": {"message": message, **fields}}


IN_200 = [
    ({**error("Rate limit reached, retry in 2 s", code=429), "choices": None}, faults.ServiceBusy),
    (error("Rate limit reached", type="rate_limit_error"), faults.ServiceBusy),
    (error("Slow down", code="429"), faults.ServiceBusy),
    (error("Out of it", status="RESOURCE_EXHAUSTED"), faults.ServiceBusy),
    (error("Rate limit reached"), faults.ServiceBusy),
    ({"error": "Too many requests"}, faults.ServiceBusy),
    ({"error": "Model is overloaded", "error_type": "overloaded"}, faults.ServiceUnavailable),
    ({"type": "error", **error("Busy", type="overloaded_error")}, faults.ServiceUnavailable),
    (error("loading", code=503, type="unavailable_error"), faults.ServiceUnavailable),
    (error("Who?", type="invalid_request_error", code="invalid_api_key"), faults.KeyRefused),
    (error("Who?", code=401), faults.KeyRefused),
    (error("Gone", code="model_not_found"), faults.ModelGone),
    (error("Bad", type="invalid_request_error"), faults.Refused),
    (error("Bad", type="BadRequestError", param=None, code=400), faults.Refused),
    ({"object": "error", "message": "Bad", "type": "BadRequestError", "code": 400}, faults.Refused),
    ({"message": "Slow down", "code": 429, "choices": []}, faults.ServiceBusy),
    (error("It broke", code=500), faults.ServiceFailed),
    (error("It broke", code=529), faults.ServiceFailed),
    (error("It broke"), faults.ServiceFailed),
    ({"error": "it broke"}, faults.ServiceFailed),
    (error("the request exceeds the available context size. try increasing it", code=400,
           type="exceed_context_size_error", n_prompt_tokens=14429, n_ctx=8192), faults.ContextTooLong),
    (error("Too long", code="context_length_exceeded"), faults.ContextTooLong),
    (error("Filtered.", code="content_filter"), faults.Filtered),
    ({"choices": [{"error": {"code": 502, "message": "Lost"}, "finish_reason": "error"}]},
     faults.ServiceFailed),
    ({**completion("It is"), **error("Lost", code=429)}, faults.ServiceBusy),
]  # fmt: skip


@pytest.mark.parametrize(("body", "kind"), IN_200)
def test_an_error_with_status_200_takes_the_path_of_its_code(body, kind):
    with pytest.raises(faults.ServiceFault) as caught:
        read(body)
    assert type(caught.value) is kind
    assert caught.value.raw == body
    assert caught.value.status >= 400


@pytest.mark.parametrize("body", [{"text": "42"}, {"choices": []}, {"message": "hello"}, [], 5])
def test_what_names_no_error_is_of_another_shape(body):
    with pytest.raises(faults.WrongShape, match="not a chat completion"):
        read(body)


def test_an_error_in_a_list_of_models_takes_the_path_of_its_code():
    with pytest.raises(faults.KeyRefused):
        chat.model_ids(json.dumps(error("Who?", code=401)).encode(), 200)


def test_a_pause_that_an_error_with_status_200_asks_for_is_obeyed(local, fake):
    fake.enqueue(Fault(200, error(code=429), headers=(("Retry-After", "7"),)))
    with pytest.raises(faults.ServiceBusy) as caught:
        local.ask("echo-1", {}, "Q")
    assert caught.value.retry_after == 7
    assert caught.value.latency_ms is not None


def test_a_filter_that_answers_with_status_200_is_a_finding(local, fake):
    fake.enqueue(Fault(200, error("Filtered.", code="content_filter")))
    assert local.ask("echo-1", {}, "Q").finding == chat.FILTERED


# ---------------------------------------------------------------- packed answers


def packed(body, status=200, cut=None, flip=None):
    content = bytearray(gzip.compress(json.dumps(body).encode()))
    if flip is not None:
        content[flip] ^= 0xFF
    return Fault(status, bytes(content[:cut]), headers=(("Content-Encoding", "gzip"),))


BROKEN = [
    packed(completion(), cut=40),
    packed(completion(), flip=14),
    packed(completion(), flip=0),
    Fault(200, b'{"choices": []}', headers=(("Content-Encoding", "gzip"),)),
    Fault(200, b"no zlib", headers=(("Content-Encoding", "deflate"),)),
]


@pytest.mark.parametrize("answer", BROKEN)
def test_a_packed_answer_that_breaks_is_asked_for_again(local, fake, answer):
    fake.enqueue(answer)
    with pytest.raises(faults.ServiceFault) as caught:
        local.ask("echo-1", {}, "Q")
    assert caught.value.retryable
    assert not caught.value.of_service


def test_a_whole_packed_answer_is_read(local, fake):
    fake.enqueue(packed(completion()))
    assert local.ask("echo-1", {}, "Q").text == "It is 12 m."


def test_a_packed_error_that_breaks_is_known_by_its_status(local, fake):
    fake.enqueue(packed(error(), status=429, flip=0))
    with pytest.raises(faults.ServiceBusy):
        local.ask("echo-1", {}, "Q")


# ---------------------------------------------------------------- streams


def chunk(delta=None, finish_reason=None, **fields):
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"object": "chat.completion.chunk", "model": "m", "choices": [choice], **fields}


def events(*chunks, end="\n\n", done=True, before="data: "):
    lines = [before + json.dumps(each) for each in chunks]
    return end.join([*lines, *(["data: [DONE]"] if done else []), ""]).encode()


TOLD = (
    chunk({"role": "assistant", "content": "", "reasoning_content": None}),
    chunk({"reasoning_content": "Two "}),
    chunk({"reasoning_content": "differ."}),
    chunk({"content": "It is "}),
    chunk({"content": "12 m.", "refusal": None}),
    chunk({}, "stop"),
    {"choices": [], "usage": USAGE},
)
STREAMS = [
    events(*TOLD),
    events(*TOLD, end="\r\n\r\n"),
    events(*TOLD, end="\n"),
    events(*TOLD, before="data:"),
    b": keep-alive\n\n" + events(*TOLD),
    events(*TOLD, before="event: chunk\nid: 1\ndata: "),
    events(*TOLD, done=False),
    b"\xef\xbb\xbf" + events(*TOLD),
    b"\n".join(json.dumps(each).encode() for each in TOLD),
    events(completion(reasoning="Two differ.")),
    events(
        chunk({"content": [thought("Two differ.")]}), chunk({"content": "It is "}),
        chunk({"content": "12 m."}), chunk(None, "stop", usage=USAGE),
    ),
]  # fmt: skip


@pytest.mark.parametrize("content", STREAMS)
def test_a_stream_that_nobody_asked_for_is_read_whole(content):
    reply = chat.reply({}, 200, content, 1)
    assert (reply.text, reply.reasoning) == ("It is 12 m.", "Two differ.")
    assert (reply.finish_reason, reply.answered_by) == ("stop", "m")
    assert (reply.prompt_tokens, reply.completion_tokens) == (10, 5)


def test_a_stream_of_a_bare_completion_is_read_too():
    parts = [{"choices": [{"text": part, "finish_reason": None}]} for part in ("It is ", "12 m.")]
    assert chat.reply({"prompt": "Q"}, 200, events(*parts), 1).text == "It is 12 m."


@pytest.mark.parametrize("mark", ["\u2028", "\x85", "\n\n", "data: "])
def test_a_text_keeps_its_own_line_ends_in_a_stream(mark):
    content = "".join(
        f"data: {json.dumps(each, ensure_ascii=False)}\r\n\r\n"
        for each in (chunk({"content": f"It is{mark}"}), chunk({"content": "12 m."}, "stop"))
    )
    assert chat.reply({}, 200, content.encode(), 1).text == f"It is{mark}12 m."


def test_only_the_first_choice_of_a_stream_is_read():
    other = {"choices": [{"index": 1, "delta": {"content": "No."}}]}
    content = events(chunk({"content": "Yes."}), other, chunk({}, "length"))
    reply = chat.reply({}, 200, content, 1)
    assert (reply.text, reply.finish_reason) == ("Yes.", "length")


CUT = [
    events(chunk({"content": "It is "}), done=False),
    events(*TOLD)[:200],
    events(*TOLD[:4], done=False)[:-6],
    b"data: [DONE]\n\n",
    b"data: \n\n",
]


@pytest.mark.parametrize("content", CUT)
def test_a_stream_that_breaks_off_is_asked_for_again(content):
    with pytest.raises(faults.BrokenReply):
        chat.reply({}, 200, content, 1)


def test_an_error_in_a_stream_takes_the_path_of_its_code():
    content = events(chunk({"content": "It is "}), error("Busy", code=429), done=False)
    with pytest.raises(faults.ServiceBusy):
        chat.reply({}, 200, content, 1)


def test_a_stream_from_a_socket_is_read(local, fake):
    fake.enqueue(Raw(events(*TOLD)))
    assert local.ask("echo-1", {}, "Q").text == "It is 12 m."


# ---------------------------------------------------------------- a test call


@pytest.mark.parametrize(
    "answer", [Fault(200, completion([thought("Two."), SAID])), Raw(events(*TOLD)), Say("Yes.")]
)
def test_a_model_whose_service_answers_in_such_a_shape_can_be_added(settings, answer):
    with FakeService() as fake:
        settings.INFERENCE_SERVICES = fake.setting("local")
        fake.enqueue(answer)
        probe = probing.probe(client.service("local"), "echo-1", {})
    assert "answered in" in probe.remark
    assert probe.abilities == chat.Abilities()
