"""The door to inference services, against a real socket."""

import queue
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.checks import run_checks

from generation import chat, client, faults
from tests.generation import fake_service as fakes

OPTIONS = {"temperature": 0, "max_tokens": 250}


def test_it_brings_an_answer_with_all_that_is_needed_to_ask_again(local, fake):
    reply = local.ask("echo-1", OPTIONS, "How long is it?")
    assert reply.text == "4 words, the last it?"
    assert reply.request == fake.calls[0]
    assert reply.request == {
        "model": "echo-1",
        "messages": [{"role": "user", "content": "How long is it?"}],
        "temperature": 0,
        "max_tokens": 250,
    }
    assert (reply.answered_by, reply.prompt_tokens, reply.completion_tokens) == ("echo-1", 7, 3)
    assert (reply.finish_reason, reply.status) == ("stop", 200)
    assert reply.latency_ms >= 0


BRIEF = [
    fakes.Fault(500),
    fakes.Fault(503, b"<html>down for a moment</html>"),
    fakes.Fault(429, headers=(("Retry-After", "0"),)),
    fakes.Fault(408),
    fakes.HangUp(),
]


@pytest.mark.parametrize("fault", BRIEF)
def test_a_brief_fault_is_tried_again(local, fake, fault):
    fake.enqueue(fault, fault, fakes.Say("42"))
    assert local.ask("echo-1", OPTIONS, "Q").text == "42"
    assert len(fake.calls) == 3


def test_a_fault_that_stays_is_raised_after_three_tries(local, fake):
    fake.enqueue(*[fakes.Fault(500)] * 4)
    with pytest.raises(faults.ServiceFailed, match=r"failed \(500\): it broke") as caught:
        local.ask("echo-1", OPTIONS, "Q")
    assert caught.value.status == 500
    assert caught.value.latency_ms is not None
    assert len(fake.calls) == 3


LASTING = [
    (fakes.Fault(400, {"error": {"message": "bad"}}), faults.Refused),
    (fakes.Fault(401, {"error": {"message": "who?"}}), faults.Refused),
    (fakes.Fault(404, {"error": {"message": "gone"}}), faults.Refused),
    (fakes.Fault(422, {"detail": "unknown field"}), faults.Refused),
    (fakes.Fault(307, b"", headers=(("Location", "http://127.0.0.1:1/v1"),)), faults.Refused),
    (fakes.CONTEXT_TOO_LONG, faults.ContextTooLong),
    (fakes.Raw(b'{"text": "no choices"}'), faults.WrongShape),
    (fakes.Raw(b"<html>"), faults.BrokenReply),
    (fakes.Say(""), faults.EmptyReply),
    (fakes.Fault(429, headers=(("Retry-After", "3600"),)), faults.ServiceBusy),
]


@pytest.mark.parametrize(("fault", "kind"), LASTING)
def test_what_seconds_cannot_fix_is_asked_once(local, fake, fault, kind):
    fake.enqueue(fault)
    with pytest.raises(kind):
        local.ask("echo-1", OPTIONS, "Q")
    assert len(fake.calls) == 1


def test_a_long_pause_that_was_asked_for_is_passed_on(local, fake):
    fake.enqueue(fakes.Fault(429, headers=(("Retry-After", "3600"),)))
    with pytest.raises(faults.ServiceBusy) as caught:
        local.ask("echo-1", OPTIONS, "Q")
    assert caught.value.retry_after == 3600


def test_a_service_is_paused_for_an_hour_at_most(local, fake, monkeypatch):
    local.pause_for(1e300)
    with local.turn() as mine:
        assert not mine
    later = time.monotonic() + client.LONGEST_PAUSE
    monkeypatch.setattr(client.time, "monotonic", lambda: later)
    with local.turn() as mine:
        assert mine


def test_a_slow_service_is_given_up_after_its_timeout(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", timeout=0.2)
    fake.enqueue(fakes.Late())
    with pytest.raises(faults.ServiceSlow, match=r"did not answer within 0.2 seconds") as caught:
        client.service("local").ask("echo-1", OPTIONS, "Q")
    assert caught.value.retryable
    assert len(fake.calls) == 1


def test_an_answer_that_trickles_in_is_given_up_after_the_timeout_too(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", timeout=0.2)
    fake.enqueue(fakes.Trickle())
    with pytest.raises(faults.ServiceSlow, match=r"did not answer within 0.2 seconds"):
        client.service("local").ask("echo-1", OPTIONS, "Q")
    assert client.service("local").ask("echo-1", OPTIONS, "Q").text


def test_an_answer_without_end_is_refused(local, fake, monkeypatch):
    monkeypatch.setattr(client, "MOST_BYTES", 1000)
    fake.enqueue(fakes.Say("long " * 1000))
    with pytest.raises(faults.WrongShape, match="sent more than"):
        local.ask("echo-1", OPTIONS, "Q")


def test_a_service_that_is_down_says_so(settings):
    settings.INFERENCE_SERVICES = {"local": {"url": f"http://127.0.0.1:{unused_port()}/v1"}}
    with pytest.raises(
        faults.ServiceDown,
        match=r"local does not answer, or broke the connection \(Connection refused\)",
    ):
        client.service("local").ask("echo-1", OPTIONS, "Q")


def test_a_host_that_is_not_there_says_so(settings):
    settings.INFERENCE_SERVICES = {"far": {"url": "http://models.invalid/v1"}}
    with pytest.raises(faults.ServiceDown, match="far does not answer"):
        client.service("far").models()


def test_models_are_listed(local):
    assert local.models() == ["echo-1"]


@pytest.mark.parametrize(("refuses", "system_message"), [(False, ""), (True, None)])
def test_a_probe_finds_out_whether_an_empty_system_message_is_taken(
    settings, refuses, system_message
):
    with fakes.FakeService(refuses_system=refuses) as fake:
        settings.INFERENCE_SERVICES = fake.setting("local")
        probe = client.service("local").probe("echo-1")
    assert probe.system_message == system_message
    assert isinstance(probe.reply, chat.Reply)


def test_the_key_is_read_from_its_variable(fake, settings, monkeypatch):
    monkeypatch.setenv("MODEL_KEY", "s3cret")
    settings.INFERENCE_SERVICES = fake.setting("local", key_env="MODEL_KEY")
    client.service("local").ask("echo-1", OPTIONS, "Q")
    assert fake.keys == ["Bearer s3cret"]


def test_a_key_that_is_not_set_is_named_and_nothing_is_asked(fake, settings, monkeypatch):
    monkeypatch.delenv("MODEL_KEY", raising=False)
    settings.INFERENCE_SERVICES = fake.setting("local", key_env="MODEL_KEY")
    with pytest.raises(faults.NotConfigured, match="environment variable MODEL_KEY"):
        client.service("local").ask("echo-1", OPTIONS, "Q")
    assert fake.calls == []


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(local, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{unused_port()}")
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{unused_port()}")
    assert local.models() == ["echo-1"]


def test_no_more_calls_are_in_flight_than_the_setting_allows(local, fake):
    refused = queue.Queue()

    def call():
        with local.turn() as mine:
            if mine:
                local.ask("echo-1", OPTIONS, "Q")
            else:
                refused.put(True)

    with ThreadPoolExecutor(5) as pool, fake.held():
        calls = [pool.submit(call) for _ in range(5)]
        for _ in range(3):
            refused.get(timeout=5)
        for _ in range(2):
            assert fake.arrived.acquire(timeout=5)
    for one in calls:
        one.result(5)
    assert fake.most_at_once == 2
    assert len(fake.calls) == 2


def test_a_resting_service_gives_no_turn(local):
    local.pause_for(60)
    with local.turn() as mine:
        assert not mine


def test_calls_keep_the_pace_of_per_minute(fake, settings, monkeypatch):
    waited = []
    monkeypatch.setattr(client.time, "sleep", waited.append)
    settings.INFERENCE_SERVICES = fake.setting("local", per_minute=60)
    service = client.service("local")
    for _ in range(3):
        with service.turn():
            pass
    assert [round(seconds) for seconds in waited] == [0, 1, 2]


ENTRIES = [
    ({}, "cannot be read"),
    ({"url": "ftp://x/v1"}, "needs a url"),
    ({"url": "127.0.0.1:8080"}, "needs a url"),
    ({"url": 5}, "needs a url"),
    ({"url": "http://x/v1", "in_flight": 0}, "in_flight as a whole number"),
    ({"url": "http://x/v1", "in_flight": True}, "in_flight as a whole number"),
    ({"url": "http://x/v1", "timeout": "long"}, "timeout as a number"),
    ({"url": "http://x/v1", "timeout": None}, "timeout as a number"),
    ({"url": "http://x/v1", "per_minute": -1}, "per_minute as a number"),
    ({"url": "http://x/v1", "key_env": 5}, "key_env as a variable's name"),
    ({"url": "http://x/v1", "colour": "red"}, "cannot be read"),
]


@pytest.mark.parametrize(("data", "words"), ENTRIES)
def test_an_entry_that_cannot_be_used_is_refused_with_what_to_write(data, words):
    with pytest.raises(faults.NotConfigured, match=words):
        client.entry("local", data)


def test_the_program_says_at_its_start_which_entry_cannot_be_used(fake, settings):
    settings.INFERENCE_SERVICES = {**fake.setting("local"), "far": {"url": "far.example"}}
    (error,) = [check for check in run_checks() if check.id == "generation.E001"]
    assert "service 'far' needs a url" in error.msg


@pytest.mark.parametrize("name", ["", "a/b", "x" * 61])
def test_a_service_name_can_come_before_a_slash(name):
    with pytest.raises(faults.NotConfigured, match="needs a name"):
        client.entry(name, {"url": "http://x/v1"})


def test_an_unknown_service_is_answered_with_those_there_are(local):
    with pytest.raises(faults.NotConfigured, match=r"no inference service 'far'. Known: local"):
        client.service("far")


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
