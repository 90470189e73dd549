"""A run from its making to its end, against the fake service."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from datasets.models import Exclusion, Instance, RevisedPassage
from generation import client, dispatch, planning, prompting, registry, responses, runs
from generation.faults import EmptyReply
from generation.models import Attempt, LanguageModel, Response, Run
from generation.states import ResponseState, RunState
from generation.tasks import generate_response, sweep_responses, wake
from leases.refusal import Conflict, Refusal
from tests.factories import person, stored
from tests.generation.factories import canal, canals, echo, run
from tests.generation.fake_service import CONTEXT_TOO_LONG, Fault, HangUp, Late, Raw, Say

pytestmark = pytest.mark.django_db

BOTH = (
    "Provide a short answer for the following question based on the given context.\n\n"
    "Question: How long is canal 1?\nContext: Canal 1 is 1 km long.\n Canal 1 is 6 km long.\n"
)


def answer_all(made: Run) -> None:
    """Ask until nothing more may be asked now."""
    while runs.answer_next("local", made):
        pass
    made.refresh_from_db()


def ripen(made: Run) -> None:
    """Let the pauses after faults be over."""
    Response.objects.filter(run=made).update(not_before=None)


# ---------------------------------------------------------------- made


def test_a_run_holds_each_question_prompt_model_and_sample_by_question(local):
    made = run(
        questions=2, prompts=("1", "4"), models=[echo(), echo(seed=5)], samples=2, started=False
    )
    rows = list(Response.objects.filter(run=made).order_by("order"))
    assert len(rows) == 2 * 2 * 2 * 2
    assert [row.instance.question for row in rows] == ["How long is canal 1?"] * 8 + [
        "How long is canal 2?"
    ] * 8
    assert [row.order for row in rows] == list(range(16))
    assert {row.state for row in rows} == {ResponseState.PENDING}
    assert made.prompts == ["internal-knowledge", "both-passages"]
    first_of_4 = next(row for row in rows if row.prompt == "both-passages")
    assert first_of_4.rendered == BOTH
    assert first_of_4.gold == ["1 km", "6 km"]


def revised(instance, **fields):
    """Passages that agree, written by alice and checked by bob."""
    values = {
        "passage_1": "Canal 1 is 4 km long.",
        "passage_2": "It takes an hour to walk the 4 km of canal 1.",
        "answer": "4 km",
        "author": person("alice"),
        "checker": person("bob"),
        "state": RevisedPassage.State.CHECKED,
    }
    return RevisedPassage.objects.create(instance=instance, **{**values, **fields})


def test_revised_passages_are_asked_about_and_kept_with_the_response(local):
    collection = canals(2)
    instance = Instance.objects.get(question="How long is canal 1?")
    kept = revised(instance)
    made, left_out = runs.create(
        collection=collection, models=[echo()], prompts=[prompting.find("5.3")]
    )
    (row,) = Response.objects.filter(run=made)
    assert row.rendered.endswith(f"Context: {kept.passage_1}\n {kept.passage_2}\n")
    assert (row.passages, row.gold) == ([kept.passage_1, kept.passage_2], ["4 km"])
    assert [one.problem for one in left_out] == [planning.NOT_REVISED]


def test_a_run_on_revised_passages_is_refused_where_nobody_has_checked_any(local):
    collection = canals(2)
    revised(Instance.objects.first(), checker=None, state=RevisedPassage.State.PROPOSED)
    with pytest.raises(Refusal, match=r"Prompt 5\.4 shows passages revised so that they agree"):
        runs.create(
            collection=collection,
            models=[echo()],
            prompts=[prompting.find("5"), prompting.find("5.4")],
        )
    assert not Run.objects.exists()


def test_the_stand_alone_passage_is_asked_and_the_copied_one_where_it_is_missing(local):
    made = run(questions=1, prompts=("2", "3"))
    texts = Response.objects.filter(run=made).order_by("order").values_list("rendered", flat=True)
    assert "Context: Canal 1 is 1 km long.\n" in texts[0]
    assert "Context: Canal 1 is 6 km long.\n" in texts[1]


def test_a_limit_counts_questions(local):
    assert responses.progress(run(questions=3, prompts=("1", "4"), limit=2)).total == 4


def test_a_prompt_whose_passage_is_empty_is_left_out_and_named(local):
    collection = canals(1)
    canal(collection, 2, passage_2_copied=" ")
    made, left_out = runs.create(
        collection=collection, models=[echo()], prompts=list(map(prompting.find, ("2", "3", "4")))
    )
    assert responses.progress(made).total == 4
    assert [(one.prompt.label, one.problem) for one in left_out] == [
        ("3", "passage 2 is empty"),
        ("4", "passage 2 is empty"),
    ]


def test_superseded_and_excluded_questions_are_not_asked(local):
    collection = canals(3)
    first, second, _ = planning.instances_of(collection)
    alice, bob = person("alice"), person("bob")
    Exclusion.objects.create(
        instance=first, reason="Ambiguous.", proposed_by=alice, seconded_by=bob
    )
    Exclusion.objects.create(instance=second, reason="Too easy.", proposed_by=alice)
    assert [one.question for one in planning.instances_of(collection)] == [
        "How long is canal 2?",
        "How long is canal 3?",
    ]


REFUSED = [
    ({"models": []}, "at least one model"),
    ({"samples": 0}, "at least one sample"),
    ({"limit": 0}, "at least 1"),
    ({"questions": 0}, "nothing to ask: canals has no question"),
]


@pytest.mark.parametrize(("options", "words"), REFUSED)
def test_a_run_of_nothing_is_refused(local, options, words):
    with pytest.raises(Refusal, match=words):
        run(**options)
    assert not Run.objects.exists()


def test_a_model_without_service_is_refused(local):
    with pytest.raises(Refusal, match="no service to ask"):
        run(models=[LanguageModel.objects.create(model_id="gpt-4", options_hash="0" * 64)])


def test_a_service_that_is_not_configured_is_refused(local):
    with pytest.raises(Refusal, match=r"no inference service 'far'. Known: local"):
        run(models=[echo(service="far")])


# ---------------------------------------------------------------- carried out


def test_each_response_is_stored_as_it_comes(local, fake):
    made = run(questions=2)
    assert runs.answer_next("local", made)
    assert responses.progress(made).done == 1
    made.refresh_from_db()
    assert made.state == RunState.RUNNING
    answer_all(made)
    assert responses.progress(made).done == 2
    assert (made.state, made.finished_at is not None) == (RunState.DONE, True)


def test_all_that_is_needed_to_ask_again_is_stored(local, fake):
    made = run(questions=1)
    answer_all(made)
    row = made.responses.get()
    assert row.request == fake.calls[0]
    assert row.request == {
        "model": "echo-1",
        "messages": [{"role": "user", "content": BOTH}],
        "temperature": 0,
        "max_tokens": 250,
    }
    assert row.text == "32 words, the last long."
    assert (row.answered_by, row.finish_reason) == ("echo-1", "stop")
    assert (row.prompt_tokens, row.completion_tokens) == (7, 3)
    assert row.reply["system_fingerprint"] == "fp-1"
    assert (row.lease_holder, row.lease_until) == ("", None)
    (attempt,) = row.attempt_log.all()
    assert (attempt.n, attempt.status, attempt.error) == (1, 200, "")


def test_questions_are_asked_in_order(local, fake):
    answer_all(run(questions=3))
    asked = [call["messages"][0]["content"].split("?")[0][-7:] for call in fake.calls]
    assert asked == ["canal 1", "canal 2", "canal 3"]


def test_tasks_carry_a_run_to_its_end(local, fake, carry_out, django_capture_on_commit_callbacks):
    made = run(questions=4, prompts=("1", "4"))
    with django_capture_on_commit_callbacks(execute=True):
        wake()
    # Two chains (in_flight), each message passing the turn on, and one last look of each.
    assert carry_out() == 8 + 2
    assert stored(made).state == RunState.DONE
    assert len(fake.calls) == 8


def test_a_message_for_a_service_that_is_gone_leaves_its_responses_waiting(local, settings):
    made = run(questions=1)
    settings.INFERENCE_SERVICES = {}
    generate_response("local")
    assert responses.progress(made).waiting == 1


def test_a_missing_key_leaves_responses_waiting(fake, settings, monkeypatch):
    monkeypatch.setenv("MODEL_KEY", "s3cret")
    settings.INFERENCE_SERVICES = fake.setting("local", key_env="MODEL_KEY")
    made = run(questions=1)
    monkeypatch.delenv("MODEL_KEY")
    assert not runs.answer_next("local")
    assert responses.progress(made).waiting == 1
    assert fake.calls == []


# ---------------------------------------------------------------- faults

PASSING = [
    ("down", HangUp(), None, "does not answer, or broke the connection"),
    ("500", Fault(500), 500, "failed (500): it broke"),
    ("empty", Say(""), 200, "empty text"),
    ("not JSON", Raw(b"<html>"), 200, "not JSON"),
    ("busy", Fault(429, headers=(("Retry-After", "0"),)), 429, "overloaded"),
]
FAULTS_BEFORE_RAISING = 3


@pytest.mark.parametrize(("case", "fault", "status", "words"), PASSING)
def test_a_passing_fault_lets_the_response_wait(local, fake, case, fault, status, words):
    made = run(questions=1)
    fake.enqueue(*[fault] * (1 if status == 200 else FAULTS_BEFORE_RAISING))
    answer_all(made)
    row = made.responses.get()
    assert row.state == ResponseState.PENDING
    assert row.not_before is not None
    assert words in row.error
    assert made.state == RunState.RUNNING
    attempt = row.attempt_log.get()
    assert attempt.status == status
    ripen(made)
    answer_all(made)
    row.refresh_from_db()
    assert (row.state, row.error, made.state) == (ResponseState.DONE, "", RunState.DONE)
    assert row.attempt_log.count() == 2


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
    ("refused", Fault(422, {"detail": "no such field"}), 422, "refused the request"),
    ("wrong shape", Raw(b'{"answer": 42}'), 200, "not a chat completion"),
]


@pytest.mark.parametrize(("case", "fault", "status", "words"), LASTING)
def test_a_lasting_fault_fails_the_response_with_its_reason_at_once(
    local, fake, case, fault, status, words
):
    made = run(questions=2)
    fake.enqueue(fault)
    answer_all(made)
    first, second = made.responses.order_by("order")
    assert (first.state, second.state) == (ResponseState.FAILED, ResponseState.DONE)
    assert words in first.error
    assert first.request["messages"][0]["content"] == first.rendered
    assert first.attempt_log.get().status == status
    assert made.state == RunState.DONE


def test_attempts_are_capped_and_the_reason_says_so(local, fake):
    made = run(questions=1)
    fake.enqueue(*[Say("")] * 9)
    for _ in range(9):
        answer_all(made)
        ripen(made)
    row = made.responses.get()
    assert len(fake.calls) == dispatch.MAX_ATTEMPTS
    assert row.state == ResponseState.FAILED
    assert (
        row.error
        == "The model answered with an empty text. Asked 5 times. Resume the run to ask again."
    )
    assert [attempt.n for attempt in row.attempt_log.all()] == [1, 2, 3, 4, 5]
    assert made.state == RunState.DONE


def test_a_service_that_is_down_is_left_alone_so_that_no_attempts_are_wasted(
    local, fake, monkeypatch
):
    monkeypatch.setattr(client, "OUTAGE_PAUSE", 60.0)
    made = run(questions=3)
    fake.enqueue(*[HangUp()] * FAULTS_BEFORE_RAISING)
    answer_all(made)
    assert sorted(made.responses.values_list("attempts", flat=True)) == [0, 0, 1]


@pytest.mark.parametrize(
    ("attempts", "asked_for", "seconds"),
    [(1, None, 10), (2, None, 30), (4, None, 300), (9, None, 300), (1, 60, 60), (1, 1e9, 3600)],
)
def test_pauses_grow_and_obey_the_service(attempts, asked_for, seconds):
    assert dispatch.pause_after(attempts, asked_for) == seconds


# ---------------------------------------------------------------- cancelled, resumed


def test_a_cancelled_run_asks_nothing_more_and_keeps_what_it_has(local, fake):
    made = run(questions=3)
    runs.answer_next("local", made)
    assert runs.cancel(made) == 2
    answer_all(made)
    progress = responses.progress(made)
    assert (progress.done, progress.cancelled) == (1, 2)
    assert len(fake.calls) == 1


def test_an_answer_under_way_when_its_run_is_cancelled_is_kept(local, fake):
    made = run(questions=2)
    held = responses.Queue(made).claim(local.entry, "worker")
    runs.cancel(made)
    reply = local.ask("echo-1", held.model.options, held.rendered)
    assert responses.Queue().store(held, "worker", reply)
    assert responses.progress(made).done == 1
    assert stored(made).state == RunState.CANCELLED


def test_a_fault_under_way_when_its_run_is_cancelled_cancels(local, fake):
    made = run(questions=1)
    held = responses.Queue(made).claim(local.entry, "worker")
    runs.cancel(made)
    responses.Queue().set_back(held, "worker", EmptyReply("Nothing.", status=200))
    assert responses.progress(made).cancelled == 1


def test_a_cancelled_run_can_be_resumed_to_its_end(local, fake):
    made = run(questions=3)
    runs.answer_next("local", made)
    runs.cancel(made)
    assert runs.resume(made) == 2
    answer_all(made)
    assert (responses.progress(made).done, made.state) == (3, RunState.DONE)


def test_resuming_a_done_run_asks_what_failed_anew(local, fake):
    made = run(questions=2)
    fake.enqueue(CONTEXT_TOO_LONG)
    answer_all(made)
    assert runs.resume(made) == 1
    answer_all(made)
    progress = responses.progress(made)
    assert (progress.done, progress.failed) == (2, 0)
    assert made.responses.order_by("order").first().attempt_log.count() == 2


def test_a_run_that_has_everything_cannot_be_resumed(local):
    made = run(questions=1)
    answer_all(made)
    with pytest.raises(Conflict, match="nothing to ask again"):
        runs.resume(made)
    assert stored(made).state == RunState.DONE


def test_a_run_is_started_once(local):
    made = run(questions=1)
    with pytest.raises(Conflict, match="This run is running"):
        runs.start(made)


# ---------------------------------------------------------------- workers that die


def expire(made: Run) -> None:
    held = Response.objects.filter(run=made, state=ResponseState.RUNNING)
    held.update(lease_until=Now() - timedelta(seconds=1))


def test_what_a_dead_worker_held_is_asked_again(local, fake):
    made = run(questions=1)
    responses.Queue(made).claim(local.entry, "dead")
    assert not runs.answer_next("local", made)
    assert runs.sweep() == 0
    expire(made)
    assert runs.sweep() == 1
    answer_all(made)
    assert (responses.progress(made).done, len(fake.calls)) == (1, 1)


def test_a_response_that_kills_its_workers_fails_in_the_end(local):
    made = run(questions=1)
    for _ in range(dispatch.MAX_ATTEMPTS):
        responses.Queue(made).claim(local.entry, "dead")
        expire(made)
        runs.sweep()
    made.refresh_from_db()
    row = made.responses.get()
    assert (row.state, made.state) == (ResponseState.FAILED, RunState.DONE)
    assert "The worker stopped while it asked" in row.error


def test_an_answer_that_comes_after_its_lease_is_not_stored_twice(local, fake):
    made = run(questions=1)
    late = responses.Queue(made).claim(local.entry, "late")
    reply = local.ask("echo-1", late.model.options, late.rendered)
    expire(made)
    runs.sweep()
    answer_all(made)
    assert not responses.Queue().store(late, "late", reply)
    assert Attempt.objects.count() == 1


def test_the_sweeper_sends_a_message_for_what_a_lost_one_left(
    local, fake, carry_out, django_capture_on_commit_callbacks
):
    made = run(questions=2)
    with django_capture_on_commit_callbacks(execute=True):
        sweep_responses()
    carry_out()
    assert stored(made).state == RunState.DONE


def test_the_sweeper_is_quiet_when_nothing_waits(
    local, carry_out, django_capture_on_commit_callbacks
):
    run(questions=1, started=False)
    with django_capture_on_commit_callbacks() as callbacks:
        sweep_responses()
    assert callbacks == []


# ---------------------------------------------------------------- models


def test_the_same_options_are_the_same_model(local):
    assert echo(temperature=0.0) == echo(temperature=0)
    assert echo() != echo(seed=5)


def test_a_model_by_its_name_is_tested_and_added_once(local, fake):
    added = registry.named("local/echo-1")
    assert added.options == {"temperature": 0, "max_tokens": 250, "system_message": ""}
    assert registry.named("local/echo-1") == added
    assert len(fake.calls) == 1


def test_a_model_with_several_sets_of_options_is_named_by_its_key(local):
    plain, seeded = echo(), echo(seed=5)
    with pytest.raises(Refusal, match=rf"local/echo-1#{plain.pk}, local/echo-1#{seeded.pk}"):
        registry.named("local/echo-1")
    assert registry.named(f"local/echo-1#{seeded.pk}") == seeded


NAMES = [
    ("echo-1", "Write SERVICE/MODEL"),
    ("local/", "Write SERVICE/MODEL"),
    ("far/echo-1", "no inference service 'far'"),
    ("local/other", "no such model or address"),
    ("local/echo-1#9", "no model 'local/echo-1#9'"),
]


@pytest.mark.parametrize(("name", "words"), NAMES)
def test_a_name_of_no_model_says_what_is_wrong(local, name, words):
    with pytest.raises(Refusal, match=words):
        registry.named(name)
