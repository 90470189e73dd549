"""The commands of generation."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from accounts.roles import Role
from datasets.models import Collection, Contradiction
from generation import prompt_versions, responses
from generation.asking.dispatch import ask_service
from generation.management.commands import generate
from generation.models import Run
from generation.states import RunState
from tests.factories import person
from tests.generation.factories import answer_one, canal, canals, echo, ripen, run
from tests.generation.fake_service import CONTEXT_TOO_LONG, Fault

pytestmark = pytest.mark.django_db


def called(*arguments: str) -> tuple[str, str]:
    """(standard output, standard error) of a command."""
    out, err = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(generate, "CHECK_EVERY", 0.0)
    monkeypatch.setattr(generate, "PATIENCE", 0.0)


# ---------------------------------------------------------------- render_prompts


def test_prompts_are_rendered_as_json_lines():
    canals(2)
    out, _ = called("render_prompts", "canals", "--prompt", "passage-1", "--prompt", "4", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["prompt"] for line in lines] == ["passage-1", "both-passages"] * 2
    key = Contradiction.objects.earliest("position").external_id
    assert lines[0] == {
        "instance": f"{key}:1",
        "prompt": "passage-1",
        "text": "Provide a short answer for the following question based on the given context.\n\n"
        "Question: How long is canal 1?\nContext: Canal 1 is 1 km long.\n",
        "gold": ["1 km"],
    }


def test_prompts_are_rendered_for_reading():
    canals(1)
    out, _ = called("render_prompts", "canals", "--prompt", "1")
    assert "internal-knowledge (1)" in out
    assert "Question: How long is canal 1?\n" in out
    assert "gold: 1 km | 6 km" in out


def test_a_question_that_cannot_be_asked_is_named():
    canal(canals(0), 1, passage_2_copied="")
    out, err = called("render_prompts", "canals", "--prompt", "3", "--json")
    assert out == ""
    assert "left out of passage-2: passage 2 is empty" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("rivers", "--prompt", "1"), "no collection 'rivers'"),
        (("canals", "--prompt", "6"), "no prompt '6'"),
        (("canals", "--prompt", "1", "--limit", "0"), "at least 1"),
    ],
)
def test_what_cannot_be_rendered_is_one_line(arguments, words):
    canals(1)
    with pytest.raises(CommandError, match=words):
        called("render_prompts", *arguments)


# ---------------------------------------------------------------- generate


def generated(*more: str) -> tuple[str, str]:
    return called("generate", "canals", "--model", "local/echo-1", *more)


def test_it_asks_from_the_command_itself(local, fake):
    canals(3)
    out, _ = generated("--prompt", "1", "--prompt", "4", "--limit", "2", "--here")
    made = Run.objects.get()
    assert f"Run {made.pk}: canals: echo-1, prompts 1, 4 (4 responses), at /runs/{made.pk}/" in out
    assert out.endswith("4 of 4\nDone: 4 responses.\n")
    assert (made.state, responses.progress(made).done) == (RunState.DONE, 4)


def test_a_prompt_with_examples_is_asked_once_however_often_it_is_named(local, fake):
    canals(1)
    echo()
    shots = [{"question": "How long is it?", "answer": "3 km"}]
    given = {"name": "shots", "label": "N1", "title": "Shots", "template": "{question}"}
    prompt_versions.add({**given, "examples": shots}, person("rosa", Role.RESEARCHER))
    named = ("--prompt", "N1", "--prompt", "shots", "--model", "local/echo-1")
    assert "Done: 1 responses." in called("generate", "canals", *named, "--here")[0]


def test_without_waiting_it_leaves_the_work_to_the_queue(
    local, fake, carry_out, django_capture_on_commit_callbacks
):
    canals(2)
    echo()
    with django_capture_on_commit_callbacks(execute=True):
        generated("--prompt", "4")
    assert fake.calls == []
    carry_out()
    assert responses.progress(Run.objects.get()).done == 2


def test_waiting_ends_when_workers_are_done(local, monkeypatch):
    canals(2)
    echo()

    def a_worker_passes(_seconds):
        ask_service("local")

    monkeypatch.setattr(generate, "PATIENCE", 60.0)
    monkeypatch.setattr(generate.time, "sleep", a_worker_passes)
    out, _ = generated("--prompt", "4", "--wait")
    assert out.endswith("Done: 2 responses.\n")


def test_waiting_for_workers_that_are_not_there_says_so_and_keeps_the_run(local):
    canals(1)
    echo()
    with pytest.raises(
        CommandError, match=r"No worker has started on the run.* It stays in the queue.*--here"
    ):
        generated("--prompt", "4", "--wait")
    assert Run.objects.get().state == RunState.RUNNING


def test_failures_are_named_and_end_it_badly(local, fake):
    canals(2)
    echo()
    fake.enqueue(CONTEXT_TOO_LONG)
    with pytest.raises(
        CommandError, match="1 of 2 responses are stored; 1 failed, 0 were not asked"
    ):
        generated("--prompt", "4", "--here")


def test_interrupted_midway_it_cancels_and_keeps_what_it_has(local, monkeypatch):
    canals(3)
    echo()
    turns = [answer_one]

    def interrupted(_service, queues, **_):
        if not turns:
            raise KeyboardInterrupt
        return turns.pop()(queues[0].run)

    monkeypatch.setattr(generate, "take_turn", interrupted)
    with pytest.raises(CommandError, match=r"Cancelled. Stored responses are kept"):
        generated("--prompt", "4", "--here")
    made = Run.objects.get()
    progress = responses.progress(made)
    assert (made.state, progress.done, progress.cancelled) == (RunState.CANCELLED, 1, 2)


def test_waiting_shows_what_the_run_waits_for(local, fake, monkeypatch):
    canals(2)
    run(collection=Collection.objects.get(), models=[echo()])
    fake.enqueue(Fault(503), Fault(503))

    def time_passes(_seconds):
        ask_service("local")
        passed.append(1)
        if len(passed) > 1:
            ripen()

    passed = []

    monkeypatch.setattr(generate, "PATIENCE", 60.0)
    monkeypatch.setattr(generate.time, "sleep", time_passes)
    out, _ = generated("--prompt", "4", "--wait")
    assert "local is asked for 1 other run or judge in turn." in out
    assert "local is paused. The service is not ready (503)" in out
    assert out.endswith("Done: 2 responses.\n")


def test_waiting_for_a_run_that_workers_pause_ends_with_the_reason(local, fake, monkeypatch):
    canals(9)
    echo()
    fake.models = ()
    monkeypatch.setattr(generate.time, "sleep", lambda _seconds: ask_service("local"))
    monkeypatch.setattr(generate, "PATIENCE", 60.0)
    err = io.StringIO()
    with pytest.raises(CommandError, match="0 of 9 responses are stored"):
        call_command(
            "generate", "canals", "--model", "local/echo-1", "--prompt", "4", "--wait", stderr=err
        )
    assert "The run is paused. 5 calls in a row failed alike" in err.getvalue()


def test_a_model_that_does_not_answer_leaves_no_run(local, fake):
    canals(1)
    fake.always = Fault(404)
    with pytest.raises(CommandError, match="no such model"):
        generated("--prompt", "4", "--here")
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("rivers", "--model", "local/echo-1", "--prompt", "1"), "no collection 'rivers'"),
        (("canals", "--model", "far/echo-1", "--prompt", "1"), "no inference service 'far'"),
        (("canals", "--model", "local/echo-1", "--prompt", "6"), "no prompt '6'"),
        (("canals", "--model", "local/echo-1", "--prompt", "1", "--limit", "0"), "at least 1"),
        (("canals", "--model", "local/echo-1", "--prompt", "1", "--samples", "0"), "one sample"),
    ],
)
def test_what_cannot_be_asked_is_one_line(local, arguments, words):
    canals(1)
    with pytest.raises(CommandError, match=words):
        called("generate", *arguments)
    assert not Run.objects.exists()


@pytest.mark.parametrize("known", [True, False])
def test_a_service_with_an_unusable_entry_is_refused_with_what_to_write(settings, known):
    settings.INFERENCE_SERVICES = {"local": {"url": "far.example"}}
    canals(1)
    if known:
        echo()
    with pytest.raises(CommandError, match="service 'local' needs a url such as http://"):
        generated("--prompt", "4", "--here")
    assert not Run.objects.exists()


# ---------------------------------------------------------------- serve_model


def test_serving_without_weights_is_one_line(settings):
    settings.EMBEDDED_MODEL_PATH = "/nowhere/m.gguf"
    with pytest.raises(CommandError, match=r"EMBEDDED_MODEL_PATH: there is no file"):
        called("serve_model", "--port", "8149")
