"""The door to inference services, against a real socket."""

import subprocess
from pathlib import Path

import pytest
import requests
from django.core.checks import run_checks

from config import environment
from generation.inference import client, faults, service_entries
from operations.names import is_left_out
from tests.generation import fake_service as fakes
from tests.servers import free_port

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


WHOLE = [
    (fakes.Fault(429), faults.ServiceBusy),
    (fakes.Fault(503, b"<html>down for a moment</html>"), faults.ServiceUnavailable),
    (fakes.Fault(401, {"error": {"message": "who?"}}), faults.KeyRefused),
    (fakes.Fault(307, b"", headers=(("Location", "http://127.0.0.1:1/v1"),)), faults.Redirected),
]
PASSING = [
    (fakes.Fault(500), faults.ServiceFailed),
    (fakes.Fault(408), faults.ServiceFailed),
    (fakes.HangUp(), faults.CallCut),
    (fakes.Raw(b"<html>"), faults.BrokenReply),
    (fakes.Say(""), faults.EmptyReply),
]
LASTING = [
    (fakes.Fault(400, {"error": {"message": "bad"}}), faults.Refused),
    (fakes.Fault(404, {"error": {"message": "gone"}}), faults.ModelGone),
    (fakes.Fault(422, {"detail": "unknown field"}), faults.Refused),
    (fakes.CONTEXT_TOO_LONG, faults.ContextTooLong),
    (fakes.Raw(b'{"text": "no choices"}'), faults.WrongShape),
]


@pytest.mark.parametrize(("fault", "kind"), [*WHOLE, *PASSING, *LASTING])
def test_a_call_without_an_answer_is_a_fault_of_its_kind(local, fake, fault, kind):
    fake.enqueue(fault)
    with pytest.raises(kind) as caught:
        local.ask("echo-1", OPTIONS, "Q")
    assert len(fake.calls) == 1
    assert caught.value.latency_ms is not None
    assert caught.value.of_service == (kind in dict(map(reversed, WHOLE)))


def test_a_redirect_is_not_followed(local, fake):
    """What follows the address may be a key, and is not shown."""
    to = f"{fake.url}/chat/completions?key=s3cret"
    fake.enqueue(fakes.Fault(308, b"", headers=(("Location", to),)))
    with pytest.raises(
        faults.Redirected, match=r"redirects \(308\) to http://.* set the url"
    ) as raised:
        local.ask("echo-1", OPTIONS, "Q")
    assert "s3cret" not in raised.value.sentence
    assert len(fake.calls) == 1


def test_a_certificate_that_nobody_trusts_is_named(settings, certificate):
    with fakes.FakeService(certificate=certificate) as fake:
        settings.INFERENCE_SERVICES = fake.setting("local")
        with pytest.raises(
            faults.CertificateWrong, match="certificate of the service local"
        ) as caught:
            client.service("local").ask("echo-1", OPTIONS, "Q")
    assert caught.value.of_service


def test_an_authority_of_ones_own_is_trusted_on_loopback_too_and_by_other_requests(
    settings, certificate, tmp_path, monkeypatch
):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "")
    monkeypatch.setenv("CA_CERTIFICATES_FILE", str(certificate.with_name("public.pem")))
    with fakes.FakeService(certificate=certificate) as fake:
        settings.INFERENCE_SERVICES = fake.setting("local")
        settings.AUTHORITIES = environment.trust_authorities(tmp_path)
        assert client.service("local").ask("echo-1", OPTIONS, "Q").text
        assert requests.get(f"{fake.url}/models", timeout=5).status_code == 200
    assert is_left_out(Path(settings.AUTHORITIES).name)  # of backups
    public = Path(requests.certs.where()).read_text(encoding="utf-8")
    assert public in Path(settings.AUTHORITIES).read_text(encoding="utf-8")


def test_another_fault_of_tls_is_not_one_of_the_certificate(fake, settings):
    url = fake.url.replace("http://", "https://")  # it speaks plain HTTP
    settings.INFERENCE_SERVICES = {"local": {"url": url}}
    with pytest.raises(faults.CallCut):
        client.service("local").ask("echo-1", OPTIONS, "Q")


@pytest.fixture
def certificate(tmp_path):
    """A certificate and its key in one file, signed by itself."""
    file = tmp_path / "certificate.pem"
    public = tmp_path / "public.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", str(file), "-out", str(public)),
        ],
        check=True,
        capture_output=True,
    )
    file.write_text(file.read_text() + public.read_text())
    return file


def test_a_long_pause_that_was_asked_for_is_passed_on(local, fake):
    fake.enqueue(fakes.Fault(429, headers=(("Retry-After", "3600"),)))
    with pytest.raises(faults.ServiceBusy) as caught:
        local.ask("echo-1", OPTIONS, "Q")
    assert caught.value.retry_after == 3600


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
    settings.INFERENCE_SERVICES = {"local": {"url": f"http://127.0.0.1:{free_port()}/v1"}}
    with pytest.raises(
        faults.ServiceDown,
        match=r"local does not answer \(Connection refused\)",
    ):
        client.service("local").ask("echo-1", OPTIONS, "Q")


def test_a_host_that_is_not_there_says_so(settings):
    settings.INFERENCE_SERVICES = {"far": {"url": "http://models.invalid/v1"}}
    with pytest.raises(faults.ServiceDown, match="far does not answer"):
        client.service("far").models()


def test_models_are_listed(local):
    assert local.models() == ["echo-1"]


def test_headers_and_query_parameters_of_the_setting_are_sent_with_each_call(
    fake, settings, monkeypatch
):
    monkeypatch.setenv("AZURE_KEY", "s3cret")
    headers = {"api-key": "$AZURE_KEY", "X-Team": "wiki"}
    settings.INFERENCE_SERVICES = fake.setting(
        "local", headers=headers, query={"api-version": "2024-10-21"}
    )
    client.service("local").ask("echo-1", OPTIONS, "Q")
    assert fake.paths == ["/v1/chat/completions?api-version=2024-10-21"]
    assert (fake.headers[0]["api-key"], fake.headers[0]["X-Team"]) == ("s3cret", "wiki")


def test_a_header_whose_variable_is_not_set_is_named(fake, settings, monkeypatch):
    monkeypatch.delenv("AZURE_KEY", raising=False)
    settings.INFERENCE_SERVICES = fake.setting("local", headers={"api-key": "$AZURE_KEY"})
    assert "its header api-key in the environment variable AZURE_KEY" in client.problem("local")


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


@pytest.mark.parametrize("key", ["s3cret\n", "s3crét", "s3\tcret"])
@pytest.mark.parametrize("option", [{"key_env": "MODEL_KEY"}, {"headers": {"k": "$MODEL_KEY"}}])
def test_a_key_that_no_header_can_hold_is_named_and_not_shown(
    fake, settings, monkeypatch, key, option
):
    monkeypatch.setenv("MODEL_KEY", key)
    settings.INFERENCE_SERVICES = fake.setting("local", **option)
    problem = client.problem("local")
    assert "environment variable MODEL_KEY, which has a line break" in problem
    assert "s3" not in problem


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(local, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    assert local.models() == ["echo-1"]


ENTRIES = [
    ({}, "cannot be read"),
    ({"url": "ftp://x/v1"}, "needs a url"),
    ({"url": "127.0.0.1:8080"}, "needs a url"),
    ({"url": 5}, "needs a url"),
    ({"url": "http://x/v1", "in_flight": 0}, "in_flight as a whole number"),
    ({"url": "http://x/v1", "in_flight": True}, "in_flight as a whole number"),
    ({"url": "http://x/v1", "timeout": "long"}, "timeout as a number"),
    ({"url": "http://x/v1", "timeout": None}, "timeout as a number"),
    ({"url": "http://x/v1", "timeout": 601}, "timeout of at most 600 seconds"),
    ({"url": "http://x/v1", "per_minute": -1}, "per_minute as a number"),
    ({"url": "http://x/v1", "key_env": 5}, "key_env as a variable's name"),
    ({"url": "http://x/v1", "headers": "api-key: x"}, "needs headers as names with texts"),
    ({"url": "http://x/v1", "headers": {"api-key": ""}}, "needs headers as names with texts"),
    ({"url": "http://x/v1", "headers": {"a": "b\r\nHost: x"}}, "needs headers as names with texts"),
    ({"url": "http://x/v1", "query": {"version": 1}}, "needs query as names with texts"),
    ({"url": "http://x/v1", "colour": "red"}, "cannot be read"),
]


@pytest.mark.parametrize(("data", "words"), ENTRIES)
def test_an_entry_that_cannot_be_used_is_refused_with_what_to_write(data, words):
    with pytest.raises(faults.NotConfigured, match=words):
        service_entries.checked_entry("local", data)


def test_the_program_says_at_its_start_which_entry_cannot_be_used(fake, settings):
    settings.INFERENCE_SERVICES = {**fake.setting("local"), "far": {"url": "far.example"}}
    (error,) = [check for check in run_checks() if check.id == "generation.E001"]
    assert "service 'far' needs a url" in error.msg


@pytest.mark.parametrize("name", ["", "a/b", "x" * 61])
def test_a_service_name_can_come_before_a_slash(name):
    with pytest.raises(faults.NotConfigured, match="needs a name"):
        service_entries.checked_entry(name, {"url": "http://x/v1"})


def test_an_unknown_service_is_answered_with_those_there_are(local):
    with pytest.raises(faults.NotConfigured, match=r"no inference service 'far'. Known: local"):
        client.service("far")
