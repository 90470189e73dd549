"""Turns at a service: calls in flight, batches, faults of a call and of the service, other turns, dead workers."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count, pairwise

import pytest
from django.db import OperationalError, connection

from datasets import exclusions
from generation import call_queues, registry, responses, runs
from generation.asking import afterwards, places, services, turn
from generation.asking.afterwards import Afterwards
from generation.asking.call_threads import CallThreads
from generation.asking.runqueue import RunQueue
from generation.asking.turn import take_turn
from generation.call_queues import Settled
from generation.inference import chat, client, faults
from generation.models import Attempt, Response, ServiceStatus
from generation.states import ResponseState, RunState
from leases import clock
from tests.factories import person, stored
from tests.generation.factories import answer_all, answer_one, canals, echo, expire, ripen, run
from tests.generation.fake_service import (
    CONTEXT_TOO_LONG,
    FakeService,
    Fault,
    HangUp,
    Late,
    Raw,
    Say,
)

pytestmark = pytest.mark.django_db

DOWN = Fault(503, b"loading")


def claimed(made, holder="dead"):
    """The next response, held by a worker that does nothing more."""
    queue = RunQueue(made)
    (line,) = queue.lines("local")
    (call,) = queue.claim(line, holder, 60, 1)
    return queue, call


# ---------------------------------------------------------------- calls in flight


@pytest.mark.both
def test_as_many_calls_are_in_flight_as_the_setting_allows(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=3)
    made = run(questions=9)

    def release_when_three_have_come():
        with fake.held():
            held.set()
            for _ in range(3):
                fake.arrived.acquire(timeout=20)

    held = threading.Event()
    watch = threading.Thread(target=release_when_three_have_come)
    watch.start()
    held.wait(20)
    assert answer_all(made) == 9
    watch.join()
    assert fake.most_at_once == 3


def test_a_turn_leaves_room_for_calls_of_the_turn_before(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=2)
    made = run(questions=4)
    queue, call = claimed(made, "before")  # its turn has ended, its last call has not
    assert answer_all(made) == 3
    assert fake.most_at_once == 1
    queue.settle("before", [Settled(call, "release")])
    assert answer_all(made) == 1


@pytest.mark.both
def test_one_turn_at_a_time_starts_calls(local):
    made = run(questions=1)
    assert services.begin_turn("local", "another", 60)
    assert answer_all(made) == 0
    services.end_turn("local", "another")
    assert answer_all(made) == 1


@pytest.mark.both
def test_a_turn_that_was_taken_over_starts_no_calls(local, fake, monkeypatch):
    made = run(questions=3)
    monkeypatch.setattr(services, "renew_turn", lambda *_: False)
    answer_all(made)
    assert responses.progress(made).done < 3
    assert responses.progress(made).running == 0


def test_an_error_in_a_look_fails_the_call_and_the_turn_ends(local, fake, monkeypatch):
    def broken(*_):
        raise ValueError

    monkeypatch.setattr(client.Service, "models", broken)
    made = run(questions=1)
    fake.enqueue(HangUp())
    assert answer_all(made) == 1
    assert "(ValueError)" in made.responses.get().error


def test_a_turn_ends_after_its_time_and_hands_over(local):
    made, handed = run(questions=2), []
    assert take_turn("local", [RunQueue(made)], seconds=0, hand_over=lambda: handed.append(1)) == 0
    assert handed
    assert take_turn("local", [RunQueue(made)], hand_over=lambda: handed.append(2)) == 2
    assert handed == [1]


def test_a_worker_that_is_to_stop_ends_its_turn_and_hands_over(local, monkeypatch):
    made, handed = run(questions=2), []
    monkeypatch.setattr(turn, "stopping", threading.Event())
    turn.stopping.set()
    assert take_turn("local", [RunQueue(made)], hand_over=lambda: handed.append(1)) == 0
    assert handed == [1]


def test_calls_keep_the_pace_of_per_minute(fake, settings, monkeypatch):
    settings.INFERENCE_SERVICES = fake.setting("local", per_minute=60)
    seconds = [1000.0]
    monkeypatch.setattr(turn.time, "monotonic", lambda: seconds[0])
    made = run(questions=3)
    began = []
    start = turn._Turn._start

    def started(self):
        """Counted here, as on a busy machine the thread that asks may begin later."""
        flying = self._threads.in_flight
        start(self)
        began.extend([seconds[0]] * (self._threads.in_flight - flying))

    monkeypatch.setattr(turn._Turn, "_start", started)
    monkeypatch.setattr(turn._Turn, "_wait", _waiting_on(seconds, turn._Turn._wait))
    assert answer_all(made) == len(began) == 3
    assert all(later - earlier >= 1.0 for earlier, later in pairwise(began))


def test_the_next_turn_keeps_the_pace_of_the_turn_before(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", per_minute=1, in_flight=1)
    made = run(questions=3)
    for _ in range(2):
        take_turn("local", [RunQueue(made)], seconds=0.5)
    assert len(fake.calls) == 1
    assert 50 < services.until_next_call("local") <= 60


def _waiting_on(seconds, wait):
    def waited(self):
        seconds[0] += 0.25
        wait(self)

    return waited


# ---------------------------------------------------------------- runs in turn


@pytest.mark.both
def test_runs_take_turns(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    collection, model = canals(30), echo()
    long = run(collection=collection, models=[model])
    short = run(collection=collection, models=[model], limit=10)
    order = []

    def note():
        order.append((responses.progress(long).done, responses.progress(short).done))

    take_turn("local", [RunQueue()], stored=note)
    assert stored(short).state == stored(long).state == RunState.DONE
    when_short_was_done = next(done for done, of_short in order if of_short == 10)
    assert when_short_was_done < 30


@pytest.mark.both
def test_a_run_that_is_paused_or_cancelled_is_not_asked(local, fake):
    made = run(questions=2)
    runs.pause(made, "Too dear.")
    assert answer_all(made) == 0
    assert runs.resume(made) == 0
    assert stored(made).reason == ""
    assert answer_all(made) == 2


def test_a_paused_run_that_is_cancelled_no_longer_says_why_it_was_paused(local):
    made = run(questions=2)
    runs.pause(made, "Too dear.")
    made.refresh_from_db()
    runs.cancel(made)
    assert (stored(made).state, stored(made).reason) == (RunState.CANCELLED, "")


SERVED = [
    ({}, False),
    ({"turn_until": timedelta(seconds=5)}, True),
    ({"turn_until": timedelta(seconds=-5), "pauses": 3}, False),
    ({"paused_until": timedelta(seconds=5), "pauses": 1}, True),
    ({"paused_until": timedelta(days=-1), "pauses": 9}, False),
]


@pytest.mark.parametrize(("status", "served"), SERVED)
def test_a_run_is_served_during_a_turn_or_a_pause_and_not_for_ever_after(local, status, served):
    made = run(questions=1)
    times = {
        key: clock.now() + value if isinstance(value, timedelta) else value
        for key, value in status.items()
    }
    ServiceStatus.objects.create(name="local", **times)
    assert places.are_served(made) is served


def test_a_question_that_is_excluded_under_a_run_is_still_asked(local):
    """A run keeps the questions it was made with; who reads its responses leaves the question out."""
    made = run(questions=2)
    asked = made.responses.first().instance
    exclusions.exclude(instance=asked, reason="Ambiguous.", by=person("bob"))
    answer_all(made)
    assert (made.state, responses.progress(made).done) == (RunState.DONE, 2)


def test_a_service_that_answers_for_another_model_is_kept_as_it_says(local, fake):
    made = run(questions=1)
    reply = {"model": "other-2", "choices": [{"message": {"content": "4 km"}}]}
    fake.enqueue(Fault(200, reply))
    answer_all(made)
    row = made.responses.get()
    assert (row.text, row.answered_by, row.request["model"]) == ("4 km", "other-2", "echo-1")


@pytest.mark.parametrize(("looks", "state"), [(None, "failed"), (Fault(503), "pending")])
def test_a_prompt_that_a_proxy_answers_with_503_fails_in_the_end(
    local, fake, monkeypatch, looks, state
):
    """Where the whole service is out, its list of models too, the response waits however long that takes."""
    monkeypatch.setattr(afterwards, "MOST_503", 3)
    fake.always, fake.looks = DOWN, looks
    made = run(questions=1)
    for _ in range(3):
        assert answer_all(made) == 1
        ripen()
    row = made.responses.get()
    assert (row.state, row.attempt_log.count()) == (state, 3)
    assert ("That was the answer to 3 calls. Resume the run" in row.error) == (state == "failed")


# ---------------------------------------------------------------- reasoning


def test_reasoning_is_stored_apart_and_the_whole_reply_with_it(local, fake):
    fake.enqueue(Say("4 km", reasoning="Hm."))
    made = run(questions=1)
    answer_all(made)
    row = made.responses.get()
    assert (row.text, row.reasoning) == ("4 km", "Hm.")
    assert row.reply["choices"][0]["message"]["reasoning_content"] == "Hm."


def test_reasoning_that_used_up_all_tokens_fails_the_response_and_is_kept(local, fake):
    fake.enqueue(Say("<think>Well, ", "length"))
    made = run(questions=1)
    answer_all(made)
    row = made.responses.get()
    assert (row.state, row.text, row.reasoning) == (ResponseState.FAILED, "", "")
    assert "used up its tokens" in row.error
    assert row.reply["choices"][0]["message"]["content"] == "<think>Well, "


def test_a_model_is_asked_as_its_test_found_out(settings):
    with FakeService(has_chat=False) as service:
        settings.INFERENCE_SERVICES = service.setting("local")
        model, _ = registry.add_probed("local", "echo-1")
        made = run(questions=1, models=[model])
        answer_all(made)
    row = made.responses.get()
    assert (row.state, row.request["prompt"]) == (ResponseState.DONE, row.rendered)


# ---------------------------------------------------------------- faults of a call

PASSING = [
    ("cut", HangUp(), None, "broke the connection during the call"),
    ("500", Fault(500), 500, "failed (500): it broke"),
    ("502", Fault(502), 502, "failed (502): it broke"),
    ("empty", Say(""), 200, "empty text"),
    ("not JSON", Raw(b"<html>"), 200, "not JSON"),
    ("a stream", Raw(b'data: {"choices": []}\n\ndata: [DONE]\n\n'), 200, "not JSON"),
    ("half JSON", Raw(b'{"choices": [{"mess'), 200, "not JSON"),
]


@pytest.mark.parametrize(("case", "fault", "status", "words"), PASSING)
def test_a_passing_fault_counts_and_lets_the_response_wait(local, fake, case, fault, status, words):
    made = run(questions=1)
    fake.enqueue(fault)
    answer_all(made)
    row = made.responses.get()
    assert (row.state, row.attempts) == (ResponseState.PENDING, 1)
    assert row.not_before is not None
    assert words in row.error
    assert made.state == RunState.RUNNING
    assert row.attempt_log.get().status == status
    ripen()
    answer_all(made)
    row.refresh_from_db()
    assert (row.state, row.error, made.state) == (ResponseState.DONE, "", RunState.DONE)
    assert [attempt.n for attempt in row.attempt_log.all()] == [1, 2]


def test_a_slow_service_lets_the_response_wait(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", timeout=0.2)
    made = run(questions=1)
    fake.enqueue(Late())
    answer_all(made)
    row = made.responses.get()
    assert row.state == ResponseState.PENDING
    assert "did not answer within 0.2 seconds" in row.error


LASTING = [
    ("context too long", CONTEXT_TOO_LONG, 400, "too long for this model"),
    ("context with 500", Fault(500, CONTEXT_TOO_LONG.body), 500, "too long for this model"),
    ("context with 200", Fault(200, CONTEXT_TOO_LONG.body), 400, "too long for this model"),
    ("refused", Fault(422, {"detail": "no such field"}), 422, "refused the request"),
    ("wrong shape", Raw(b'{"answer": 42}'), 200, "not a chat completion"),
    ("10 MB", Say("long " * 2_000_000), None, "sent more than 1 MB"),
    ("NUL", Say("4\x002"), 200, "no database stores"),
    ("gone", Fault(404, {"error": {"message": "gone"}}), 404, "no such model"),
]


@pytest.mark.parametrize(("case", "fault", "status", "words"), LASTING)
def test_a_lasting_fault_fails_the_response_with_its_reason_at_once(
    local, fake, case, fault, status, words
):
    made = run(questions=2)
    fake.enqueue(fault)
    answer_one(made)
    answer_all(made)
    first, second = made.responses.order_by("order")
    assert (first.state, second.state) == (ResponseState.FAILED, ResponseState.DONE)
    assert words in first.error
    assert first.request["messages"][0]["content"] == first.rendered
    assert first.attempt_log.get().status == status
    assert made.state == RunState.DONE


def test_a_refusal_and_a_filtered_prompt_are_finished_with_their_finding(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    made = run(questions=4)
    withheld = {"choices": [{"message": None, "finish_reason": "SAFETY"}]}
    refusal = {"choices": [{"message": {"content": None, "refusal": "I cannot help with that."}}]}
    stopped = {"error": {"message": "Filtered.", "code": "content_filter"}}
    fake.enqueue(Fault(200, refusal), Fault(400, stopped), Fault(200, withheld))
    answer_all(made)
    rows = made.responses.order_by("order").values_list("state", "finding", "text")
    assert list(rows)[:3] == [
        (ResponseState.DONE, "refused", "I cannot help with that."),
        (ResponseState.DONE, "filtered", ""),
        (ResponseState.DONE, "filtered", ""),
    ]
    assert (made.state, responses.progress(made).failed) == (RunState.DONE, 0)
    assert list(Attempt.objects.order_by("pk").values_list("status", flat=True)) == [
        *(200, 400, 200, 200)
    ]


def test_attempts_are_capped_and_the_reason_says_so(local, fake):
    made = run(questions=1)
    fake.enqueue(*[Say("")] * 9)
    for _ in range(9):
        answer_all(made)
        ripen()
    row = made.responses.get()
    assert len(fake.calls) == call_queues.MAX_ATTEMPTS
    assert row.state == ResponseState.FAILED
    assert (
        row.error
        == "The model answered with an empty text. Asked 5 times. Resume the run to ask again."
    )
    assert [attempt.n for attempt in row.attempt_log.all()] == [1, 2, 3, 4, 5]
    assert made.state == RunState.DONE


def test_a_reply_that_is_broken_off_is_asked_for_again(local, fake):
    """vLLM and SGLang send this with status 200 when the server stops midway."""
    made = run(questions=1)
    fake.enqueue(Say("It is", "abort"), Say("It is 12 m."))
    answer_all(made)
    row = made.responses.get()
    assert (row.state, row.text) == (ResponseState.PENDING, "")
    assert "“abort”" in row.error
    assert row.reply["choices"][0]["message"]["content"] == "It is"
    ripen()
    answer_all(made)
    row.refresh_from_db()
    assert (row.text, row.finding) == ("It is 12 m.", "")


def test_a_reply_that_is_broken_off_each_time_is_a_finding_with_its_word(local, fake):
    broken = run(questions=1)
    fake.enqueue(*[Say("It is", "error")] * call_queues.MAX_ATTEMPTS)
    for _ in range(call_queues.MAX_ATTEMPTS):
        answer_all(broken)
        ripen()
    row = broken.responses.get()
    assert (row.state, row.finding, row.text) == (ResponseState.DONE, chat.ABORTED, "")
    assert (row.finish_reason, row.error) == ("error", "")
    assert row.reply["choices"][0]["message"]["content"] == "It is"
    assert all("“error”" in attempt.error for attempt in row.attempt_log.all())
    assert (row.attempt_log.count(), broken.state) == (call_queues.MAX_ATTEMPTS, RunState.DONE)


def test_a_service_that_breaks_off_every_reply_is_paused(local, fake):
    made = run(questions=8)
    fake.always = Say("It is", "abort")
    answer_all(made)
    assert len(fake.calls) < 8
    assert "“abort”" in ServiceStatus.objects.get(name="local").reason


def test_a_prompt_that_breaks_every_call_fails_in_the_end_and_the_others_do_not(local, fake):
    made = run(questions=4)
    poison = made.responses.order_by("order").first()
    fake.breaks_on = "canal 1?"
    for _ in range(40):
        answer_all(made)
        ripen()
        if made.state == RunState.DONE:
            break
    poison.refresh_from_db()
    assert (poison.state, responses.progress(made).done) == (ResponseState.FAILED, 3)
    assert "broke the connection during the call" in poison.error


def test_an_error_of_our_own_fails_the_response_and_not_the_turn(local, fake, monkeypatch):
    made = run(questions=1)
    monkeypatch.setattr(client.Service, "ask", lambda *_: {}["nothing"])
    answer_all(made)
    assert "failed by an error (KeyError)" in made.responses.get().error


def test_an_answer_that_cannot_be_stored_fails_alone(local, fake, monkeypatch):
    made = run(questions=4)
    monkeypatch.setattr(turn, "BATCH", 0.2)  # several answers in one batch
    monkeypatch.setattr(chat, "_text", lambda value: value or "")
    broken = {"choices": [{"message": {"content": "4 km"}}], "model": "a\ud800"}
    fake.enqueue(Fault(200, broken))
    answer_all(made)
    progress = responses.progress(made)
    assert (made.state, progress.done, progress.failed) == (RunState.DONE, 3, 1)
    failed = made.responses.get(state=ResponseState.FAILED)
    assert "The answer cannot be stored" in failed.error
    assert failed.attempt_log.get().error == failed.error


@pytest.mark.parametrize(
    ("attempts", "asked_for", "seconds"),
    [(1, None, 1), (2, None, 10), (4, None, 300), (9, None, 300), (1, 60, 60), (1, 1e9, 3600)],
)
def test_a_responses_pauses_grow_and_obey_the_service(attempts, asked_for, seconds):
    assert afterwards.pause_after(attempts, asked_for) == seconds


def test_equal_refusals_in_a_row_pause_the_run(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    made = run(questions=9)
    fake.models = ()
    answer_all(made)
    progress = responses.progress(made)
    assert (made.state, progress.failed, progress.waiting) == (RunState.PAUSED, 5, 4)
    assert "5 calls in a row failed alike: The service has no such model" in made.reason
    fake.models = ("echo-1",)
    assert runs.resume(made) == 5
    answer_all(made)
    assert (made.state, responses.progress(made).done) == (RunState.DONE, 9)


def test_prompts_that_are_too_long_pause_nothing(local, fake):
    made = run(questions=9)
    fake.enqueue(*[CONTEXT_TOO_LONG] * 8)
    answer_all(made)
    assert (made.state, responses.progress(made).failed) == (RunState.DONE, 8)


# ---------------------------------------------------------------- faults of the service

OF_THE_SERVICE = [
    ("not ready", DOWN, 503, "not ready (503)"),
    ("busy", Fault(429), 429, "overloaded"),
    ("busy with 200", Fault(200, {"error": {"message": "Slow down", "code": 429}, "choices": None}), 429, "overloaded"),
    ("key", Fault(401, {"error": {"message": "who?"}}), 401, "refused the key"),
    ("moved", Fault(307, b"", headers=(("Location", "http://x/v1"),)), 307, "redirects (307) to http://x/v1"),
]  # fmt: skip


@pytest.mark.parametrize(("case", "fault", "status", "words"), OF_THE_SERVICE)
def test_a_fault_of_the_service_pauses_it_and_costs_no_attempt(
    local, fake, case, fault, status, words
):
    made = run(questions=3)
    fake.enqueue(*[fault] * 2)
    answer_all(made)
    row = ServiceStatus.objects.get()
    assert words in row.reason
    assert row.paused_until is not None
    assert set(made.responses.values_list("state", "attempts")) == {(ResponseState.PENDING, 0)}
    assert {attempt.status for attempt in Attempt.objects.all()} == {status}
    assert answer_all(made) == 0  # paused

    ripen()
    fake._queue.clear()
    answer_all(made)
    assert (made.state, responses.progress(made).done) == (RunState.DONE, 3)
    row.refresh_from_db()
    assert (row.reason, row.pauses, row.paused_until) == ("", 0, None)


def test_a_service_that_is_down_is_paused(fake, settings):
    made_of = fake.setting("local")
    settings.INFERENCE_SERVICES = {"local": {**made_of["local"], "url": "http://127.0.0.1:9/v1"}}
    made = run(questions=3)
    answer_all(made)
    assert "does not answer (Connection refused)" in ServiceStatus.objects.get().reason
    assert set(made.responses.values_list("attempts", flat=True)) == {0}


def test_an_outage_of_an_hour_costs_nothing_and_ends_by_itself(local, fake):
    """By the test's own clock: each pause passes as soon as it has begun."""
    made = run(questions=20)
    fake.always = DOWN
    passed, probes = 0.0, 0
    while passed < 3600:
        probes += answer_all(made)
        row = ServiceStatus.objects.get()
        passed += services.pause_after(row.pauses - 1, None)
        ripen()
    fake.always = None
    assert set(made.responses.values_list("state", "attempts")) == {(ResponseState.PENDING, 0)}
    assert 10 < probes < 30
    answer_all(made)
    assert (made.state, responses.progress(made).done) == (RunState.DONE, 20)
    assert Attempt.objects.count() == probes + 20


@pytest.mark.parametrize("broken", [HangUp(), Fault(502)])
def test_a_cut_call_costs_nothing_when_a_look_shows_that_the_service_is_down(
    local, fake, broken, monkeypatch
):
    monkeypatch.setattr(services, "FIRST_PAUSE", 60.0)  # no probe, on a slow machine either
    made = run(questions=2)
    fake.enqueue(broken, broken)
    fake.looks = Fault(503)
    answer_all(made)
    assert set(made.responses.values_list("state", "attempts")) == {(ResponseState.PENDING, 0)}
    assert ServiceStatus.objects.get().pauses == 1


def test_a_call_whose_thread_begins_during_a_pause_makes_no_second_one(local, fake, monkeypatch):
    monkeypatch.setattr(services, "FIRST_PAUSE", 60.0)
    fake.enqueue(DOWN, DOWN)
    fake.looks = DOWN
    paused, threads = threading.Event(), count()
    pause, asked = Afterwards._pause, CallThreads._asked

    def and_say_so(self, *fault):
        pause(self, *fault)
        paused.set()

    def late(self, *job):
        if next(threads):
            assert paused.wait(10)
        return asked(self, *job)

    monkeypatch.setattr(Afterwards, "_pause", and_say_so)
    monkeypatch.setattr(CallThreads, "_asked", late)
    assert answer_all(run(questions=2)) == 2
    assert ServiceStatus.objects.get().pauses == 1


def test_a_prompt_that_brings_the_service_down_fails_in_the_end(local, fake, monkeypatch):
    """Whenever it is asked, the service is down until the pause is over."""
    made = run(questions=3)
    fake.breaks_on = "canal 1?"
    answer = client.Service.ask

    def ask(*asked):
        try:
            return answer(*asked)
        except faults.CallCut:
            fake.looks = Fault(503)
            raise

    monkeypatch.setattr(client.Service, "ask", ask)
    for _ in range(20):
        answer_all(made)
        ripen()
        fake.looks = None
    RunQueue(made).sweep()
    made.refresh_from_db()
    progress = responses.progress(made)
    assert (made.state, progress.done, progress.failed) == (RunState.DONE, 2, 1)
    assert "canal 1?" in made.responses.get(state=ResponseState.FAILED).rendered


def test_an_outage_behind_a_proxy_costs_no_attempt(local, fake):
    made = run(questions=2)
    fake.always = fake.looks = Fault(502)
    for _ in range(9):
        answer_all(made)
        ripen()
    assert set(made.responses.values_list("state", "attempts")) == {(ResponseState.PENDING, 0)}


def test_the_next_probe_is_another_row(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    made = run(questions=3)
    fake.always = DOWN
    for _ in range(3):
        answer_all(made)
        ServiceStatus.objects.update(paused_until=None)
    prompts = [call["messages"][-1]["content"] for call in fake.calls]
    assert prompts[1] != prompts[2]


ANSWERS = [CONTEXT_TOO_LONG, Fault(422), Say(""), Raw(b'{"answer": 42}')]


@pytest.mark.parametrize("answer", ANSWERS)
def test_each_answer_ends_the_doubt_in_a_service(local, fake, answer):
    made = run(questions=1)
    fake.enqueue(DOWN, answer)
    answer_all(made)
    ripen()
    answer_all(made)
    status = ServiceStatus.objects.get()
    assert (status.pauses, status.reason) == (0, "")


def test_a_late_recovery_does_not_end_a_pause_of_another_turn(local):
    run(questions=1)
    services.begin_turn("local", "first", 60)
    assert services.record("local", "Down.", 1, 60, before=0)
    assert not services.record("local", "", 0, 0, before=0)
    late = afterwards.Afterwards(local)
    assert services.record("local", "Down.", 2, 60, before=1)
    late.catch_up()
    assert 0 < late.seconds_of_pause() <= 60


@pytest.mark.both
def test_answers_in_flight_are_kept_when_the_database_is_out_at_the_hand_over(
    fake, settings, monkeypatch
):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=2)
    made = run(questions=4)
    fake.latency = 0.5

    def out(*_):
        raise OperationalError("the connection is gone")

    monkeypatch.setattr(services, "end_turn", out)
    monkeypatch.setattr(connection, "close_if_unusable_or_obsolete", lambda: None)
    assert take_turn("local", [RunQueue(made)], seconds=0.2) == 2
    assert responses.progress(made).done == 2


def test_a_turn_gives_up_answers_after_a_minute_without_a_database(local, monkeypatch):
    made = run(questions=1)
    monkeypatch.setattr(turn, "KEPT", 0.2)
    monkeypatch.setattr(turn, "LOOK", 0.05)

    def out(*_, **__):
        raise OperationalError("the connection is gone")

    def wake_often(self):
        for ended in self._threads.ended(0.01):
            self._rows.settled.append(self._after.settled(ended))

    monkeypatch.setattr(turn._Turn, "_wait", wake_often)
    monkeypatch.setattr(RunQueue, "settle", out)
    monkeypatch.setattr(RunQueue, "renew", out)
    monkeypatch.setattr(connection, "close_if_unusable_or_obsolete", lambda: None)
    with pytest.raises(OperationalError):
        answer_all(made)


def test_after_a_pause_one_call_finds_out(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=4)
    made = run(questions=8)
    fake.always = DOWN
    answer_all(made)
    before = len(fake.calls)
    ripen()
    answer_all(made)
    assert len(fake.calls) == before + 1


def test_calls_that_fail_in_a_row_pause_the_service(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    made = run(questions=20)
    fake.always = Fault(500)
    answer_all(made)
    assert len(fake.calls) == afterwards.IN_A_ROW
    assert "failed (500)" in ServiceStatus.objects.get().reason


def test_a_short_pause_is_waited_for_in_the_turn(local, fake, monkeypatch):
    monkeypatch.setattr(turn, "WAITED", 10.0)
    monkeypatch.setattr(services, "FIRST_PAUSE", 0.05)
    made = run(questions=2)
    fake.enqueue(DOWN, DOWN)
    answer_all(made)
    assert responses.progress(made).done == 2


REQUESTED = [
    ("999999999", services.LONGEST_REQUESTED),
    ("7", 7.0),
    ("0", services.FIRST_PAUSE),
    ("Sat, 21 Nov 1998 12:00:00 GMT", services.FIRST_PAUSE),
    ("Fri, 31 Dec 9999 23:59:59 GMT", services.LONGEST_REQUESTED),
    ("when it suits", services.FIRST_PAUSE),
]


@pytest.mark.parametrize(("header", "seconds"), REQUESTED)
def test_what_a_service_requests_is_obeyed_within_limits(fake, settings, header, seconds):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    made = run(questions=1)
    fake.enqueue(Fault(429, headers=(("Retry-After", header),)))
    before = clock.now()
    answer_all(made)
    paused = (ServiceStatus.objects.get().paused_until - before).total_seconds()
    assert seconds - 0.1 <= paused < seconds + 60


@pytest.mark.parametrize(("pauses", "seconds"), [(0, 2), (1, 4), (5, 64), (8, 300), (900, 300)])
def test_a_services_pauses_grow(pauses, seconds):
    assert services.pause_after(pauses, None) == seconds


# ---------------------------------------------------------------- cancelled meanwhile


def test_an_answer_under_way_when_its_run_is_cancelled_is_kept(local, fake):
    made = run(questions=2)
    queue, call = claimed(made)
    runs.cancel(made)
    reply = local.ask("echo-1", call.model.options, call.text)
    queue.settle("dead", [Settled(call, "finish", reply=reply)])
    assert responses.progress(made).done == 1
    assert stored(made).state == RunState.CANCELLED


@pytest.mark.both
def test_what_is_set_back_after_its_run_was_cancelled_is_cancelled(local):
    made = run(questions=1)
    queue, call = claimed(made)
    runs.cancel(made)
    queue.settle("dead", [Settled(call, "release")])
    queue.sweep()
    assert responses.progress(made).cancelled == 1


@pytest.mark.both
def test_rows_claimed_ahead_are_not_asked_after_their_run_is_cancelled(fake, settings, monkeypatch):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    monkeypatch.setattr(turn, "RENEW", 0.0)
    made = run(questions=9)
    fake.latency = 0.15
    cancelled_at = []

    def cancel_when_rows_are_ready():
        done = responses.progress(made).done
        if done > 1 and not cancelled_at:
            runs.cancel(made)
            cancelled_at.append(done)

    take_turn("local", [RunQueue(made)], stored=cancel_when_rows_are_ready)
    RunQueue(made).sweep()
    progress = responses.progress(made)
    assert len(fake.calls) == progress.done == cancelled_at[0]
    assert progress.cancelled == 9 - progress.done


@pytest.mark.both
def test_a_ready_row_that_was_lost_is_not_asked(fake, settings, monkeypatch):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    monkeypatch.setattr(turn, "RENEW", 0.0)
    made = run(questions=3)
    lost = made.responses.order_by("order")[1]

    def take_it_away():
        Response.objects.filter(pk=lost.pk).update(lease_holder="another", state="running")

    take_turn("local", [RunQueue(made)], stored=take_it_away)
    assert lost.rendered not in [call["messages"][-1]["content"] for call in fake.calls]
    assert responses.progress(made).done == 2


# ---------------------------------------------------------------- workers that die


@pytest.mark.both
def test_what_a_dead_worker_held_is_asked_again(local, fake):
    made = run(questions=1)
    queue, _ = claimed(made)
    assert answer_all(made) == 0
    assert queue.sweep() == 0
    expire()
    assert queue.sweep() == 1
    answer_all(made)
    assert (responses.progress(made).done, len(fake.calls)) == (1, 1)


@pytest.mark.both
def test_a_response_that_kills_its_workers_fails_in_the_end(local):
    made = run(questions=1)
    for _ in range(call_queues.MAX_ATTEMPTS):
        queue, _ = claimed(made)
        expire()
        queue.sweep()
    made.refresh_from_db()
    row = made.responses.get()
    assert (row.state, made.state) == (ResponseState.FAILED, RunState.DONE)
    assert "The worker stopped while it asked" in row.error


@pytest.mark.both
def test_an_answer_that_comes_after_its_lease_is_not_stored_twice(local, fake):
    made = run(questions=1)
    queue, late = claimed(made, "late")
    reply = local.ask("echo-1", late.model.options, late.text)
    expire()
    queue.sweep()
    answer_all(made)
    queue.settle("late", [Settled(late, "finish", reply=reply)])
    assert Attempt.objects.count() == 1


@pytest.mark.both
def test_leases_are_renewed_while_a_call_lasts(local, fake):
    made = run(questions=1)
    queue, call = claimed(made, "mine")
    Response.objects.update(lease_until=clock.now())
    queue.renew("another", [call.pk], below=6, seconds=8)
    assert queue.held_by_others("local", "x") == 0
    queue.renew("mine", [call.pk], below=6, seconds=8)
    assert queue.held_by_others("local", "x") == 1


@pytest.mark.django_db(transaction=True)
def test_a_service_that_hangs_holds_up_no_other(fake, settings):
    with FakeService() as other, ThreadPoolExecutor(1) as pool:
        settings.INFERENCE_SERVICES = fake.setting("slow", timeout=60) | other.setting("local")
        hanging = run(models=[echo("slow")], questions=2)
        quick = run(models=[echo()], collection=hanging.collection)
        with fake.held():
            held = pool.submit(_turn_at, "slow")
            assert fake.arrived.acquire(timeout=20)
            assert answer_all(quick) == 2
            assert quick.state == RunState.DONE
        assert held.result(20) == 2
    assert stored(hanging).state == RunState.DONE


def _turn_at(name: str) -> int:
    try:
        return take_turn(name, [RunQueue()])
    finally:
        connection.close()
