"""A run from its making to its end, against the fake service."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Person
from datasets import exclusions
from datasets.models import Instance, RevisedPassage
from generation import registry, response_planning, responses, runs
from generation.asking.dispatch import ask_service, wake
from generation.models import Attempt, LanguageModel, Response, Run
from generation.prompts import prompting
from generation.states import ResponseState, RunState
from generation.tasks import sweep_calls
from leases.refusal import Conflict, Refusal
from tests.factories import person, stored
from tests.generation.factories import answer_all, answer_one, canal, canals, echo, run
from tests.generation.fake_service import CONTEXT_TOO_LONG, Fault

pytestmark = pytest.mark.django_db

BOTH = (
    "Provide a short answer for the following question based on the given context.\n\n"
    "Question: How long is canal 1?\nContext: Canal 1 is 1 km long.\n Canal 1 is 6 km long.\n"
)


# ---------------------------------------------------------------- made


@pytest.mark.both
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
    assert [one.problem for one in left_out] == [response_planning.NOT_REVISED]


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


@pytest.mark.both
def test_superseded_and_excluded_questions_are_not_asked(local):
    collection = canals(3)
    first, second, _ = response_planning.instances_of(collection)
    exclusions.exclude(instance=first, reason="Ambiguous.", by=person("bob"))
    exclusions.propose([second], "Too easy.")
    assert [one.question for one in response_planning.instances_of(collection)] == [
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


@pytest.mark.both
def test_the_same_form_makes_one_run(local):
    form, collection = uuid4(), canals(2)
    asked = {"collection": collection, "models": [echo()], "prompts": [prompting.find("4")]}
    first, _ = runs.create(**asked, form=form)
    assert runs.create(**asked, form=form) == (first, [])
    assert runs.create(**asked, form=uuid4())[0] != first
    assert responses.progress(first).total == 2


# ---------------------------------------------------------------- tried


@pytest.mark.both
def test_a_trial_asks_five_of_each_model_and_the_run_waits_again(local, fake):
    models = [echo(), echo(seed=5)]
    made = run(questions=12, models=models, started=False)
    assert runs.try_few(made) == 10
    assert answer_all(made) == 10
    assert made.state == RunState.DRAFT
    for model in models:
        tried = made.responses.filter(model=model, state=ResponseState.DONE)
        asked = [int(row.instance.question.split()[-1][:-1]) for row in tried.order_by("order")]
        assert asked == [1, 3, 5, 8, 10]
    runs.start(made)
    assert answer_all(made) == 14
    assert (made.state, len(fake.calls)) == (RunState.DONE, 24)


def test_a_trial_of_fewer_responses_asks_them_all(local):
    made = run(questions=2, started=False)
    assert runs.try_few(made) == 2
    answer_all(made)
    assert (made.state, responses.progress(made).done) == (RunState.DRAFT, 2)
    runs.start(made)
    sweep_calls()
    assert stored(made).state == RunState.DONE


def test_a_trial_whose_calls_fail_ends_too(local, fake):
    fake.always = Fault(404)
    made = run(questions=9, started=False)
    runs.try_few(made)
    for _ in range(3):
        answer_all(made)
    assert made.state == RunState.DRAFT
    assert responses.progress(made).failed == 5


def test_a_trial_that_is_cancelled_asks_no_more(local):
    made = run(questions=9, started=False)
    runs.try_few(made)
    runs.cancel(made)
    assert answer_all(made) == 0
    assert responses.progress(made).cancelled == 9


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.TRYING, RunState.DONE])
def test_only_a_run_that_has_not_started_is_tried(local, state):
    made = run(questions=1)
    Run.objects.filter(pk=made.pk).update(state=state)
    with pytest.raises(Conflict):
        runs.try_few(stored(made))


# ---------------------------------------------------------------- extended


@pytest.mark.both
def test_a_run_gets_further_models_and_prompts_and_asks_only_for_those(local, fake):
    made = run(questions=2, prompts=("4",), samples=2)
    answer_all(made)
    assert made.state == RunState.DONE
    other = echo(seed=5)
    assert runs.extend(made, [other], [prompting.find("1")]) == (2 * 2 * 3, [])
    made.refresh_from_db()
    assert (made.state, made.finished_at) == (RunState.RUNNING, None)
    assert made.prompts == ["both-passages", "internal-knowledge"]
    assert answer_all(made) == 12
    assert (made.state, len(fake.calls)) == (RunState.DONE, 4 + 12)
    combinations = made.responses.order_by().values_list("model", "prompt").distinct()
    assert len(combinations) == 4
    orders = list(made.responses.order_by("pk").values_list("order", flat=True))
    assert orders == sorted(set(orders))
    with pytest.raises(Conflict, match="has these models and prompts already"):
        runs.extend(made, [other], [])


def test_a_question_dropped_under_a_run_gets_no_further_prompts(local):
    made = run(questions=2)
    exclude(made.responses.first().instance)
    assert runs.extend(made, [], [prompting.find("1")])[0] == 1
    exclude(made.responses.filter(prompt="internal-knowledge").get().instance)
    with pytest.raises(Refusal, match="questions were changed or excluded"):
        runs.extend(made, [], [prompting.find("2")])


def exclude(instance):
    bob = Person.objects.filter(username="bob").first() or person("bob")
    exclusions.exclude(instance=instance, reason="Ambiguous.", by=bob)


STATES = [
    (RunState.DRAFT, RunState.DRAFT),
    (RunState.RUNNING, RunState.RUNNING),
    (RunState.PAUSED, RunState.PAUSED),
    (RunState.CANCELLED, RunState.RUNNING),
]


@pytest.mark.parametrize(("before", "after"), STATES)
def test_only_a_run_that_was_over_goes_on_when_it_is_extended(local, before, after):
    made = run(questions=1)
    Run.objects.filter(pk=made.pk).update(state=before)
    if before == RunState.CANCELLED:
        responses.cancel_waiting(made)
    runs.extend(made, [], [prompting.find("1")])
    assert stored(made).state == after
    assert responses.progress(made).cancelled == (before == RunState.CANCELLED)


def test_an_imported_run_is_not_extended(local):
    made = run(questions=1)
    Run.objects.filter(pk=made.pk).update(state=RunState.IMPORTED)
    with pytest.raises(Refusal, match="was imported"):
        runs.extend(made, [], [prompting.find("1")])


def test_a_new_prompt_for_a_model_whose_service_is_gone_is_refused(local, settings):
    made = run(questions=1)
    settings.INFERENCE_SERVICES = {}
    with pytest.raises(Refusal, match="no inference service"):
        runs.extend(made, [], [prompting.find("1")])


# ---------------------------------------------------------------- what failed alone


def test_what_failed_is_asked_again_alone(local, fake):
    made = run(questions=3)
    fake.enqueue(CONTEXT_TOO_LONG)
    answer_one(made)
    runs.cancel(made)
    assert runs.retry_failed(made) == 1
    answer_all(made)
    progress = responses.progress(made)
    assert (progress.done, progress.cancelled, made.state) == (1, 2, RunState.DONE)
    with pytest.raises(Conflict, match="has failed"):
        runs.retry_failed(made)


@pytest.mark.both
def test_what_failed_is_asked_again_while_the_run_goes_on(local, fake):
    made = run(questions=2)
    fake.enqueue(CONTEXT_TOO_LONG)
    answer_one(made)
    assert runs.retry_failed(made) == 1
    answer_all(made)
    assert (made.state, responses.progress(made).done) == (RunState.DONE, 2)


@pytest.mark.both
def test_a_run_whose_last_response_waits_again_is_not_finished(local, monkeypatch):
    """Between the look at its responses and the change of its state, a person asks one of them again."""
    made = run(questions=1)
    Response.objects.filter(run=made).update(state=ResponseState.FAILED)
    select = runs.QuerySet.select_for_update

    def after_a_retry(rows, **options):
        monkeypatch.setattr(runs.QuerySet, "select_for_update", select)
        responses.ask_failed_again(made)
        return select(rows, **options)

    monkeypatch.setattr(runs.QuerySet, "select_for_update", after_a_retry)
    runs.finish(Run.objects.filter(pk=made.pk))
    assert stored(made).state == RunState.RUNNING


# ---------------------------------------------------------------- carried out


def test_each_response_is_stored_as_it_comes(local, fake):
    made = run(questions=2)
    assert answer_one(made) == 1
    assert responses.progress(made).done == 1
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


@pytest.mark.both
def test_questions_are_asked_in_order(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    answer_all(run(questions=3))
    asked = [call["messages"][0]["content"].split("?")[0][-7:] for call in fake.calls]
    assert asked == ["canal 1", "canal 2", "canal 3"]


@pytest.mark.both
def test_tasks_carry_a_run_to_its_end(local, fake, carry_out, django_capture_on_commit_callbacks):
    made = run(questions=4, prompts=("1", "4"))
    with django_capture_on_commit_callbacks(execute=True):
        wake()
    assert carry_out() == 1
    assert stored(made).state == RunState.DONE
    assert len(fake.calls) == 8


def test_a_message_for_a_service_that_is_gone_leaves_its_responses_waiting(local, settings):
    made = run(questions=1)
    settings.INFERENCE_SERVICES = {}
    ask_service("local")
    assert responses.progress(made).waiting == 1


def test_the_worker_that_sweeps_needs_no_key_of_a_service(
    fake, settings, monkeypatch, carry_out, django_capture_on_commit_callbacks
):
    monkeypatch.setenv("MODEL_KEY", "s3cret")
    settings.INFERENCE_SERVICES = fake.setting("local", key_env="MODEL_KEY")
    made = run(questions=1)
    with monkeypatch.context() as elsewhere, django_capture_on_commit_callbacks(execute=True):
        elsewhere.delenv("MODEL_KEY")
        sweep_calls()
    assert carry_out() == 1
    assert stored(made).state == RunState.DONE


def test_a_missing_key_leaves_responses_waiting(fake, settings, monkeypatch):
    monkeypatch.setenv("MODEL_KEY", "s3cret")
    settings.INFERENCE_SERVICES = fake.setting("local", key_env="MODEL_KEY")
    made = run(questions=1)
    monkeypatch.delenv("MODEL_KEY")
    assert not answer_all(made)
    assert responses.progress(made).waiting == 1
    assert fake.calls == []


# ---------------------------------------------------------------- cancelled, resumed


def test_a_cancelled_run_asks_nothing_more_and_keeps_what_it_has(local, fake):
    made = run(questions=3)
    answer_one(made)
    assert runs.cancel(made) == 2
    answer_all(made)
    progress = responses.progress(made)
    assert (progress.done, progress.cancelled) == (1, 2)
    assert len(fake.calls) == 1


@pytest.mark.both
def test_a_cancelled_run_can_be_resumed_to_its_end(local, fake):
    made = run(questions=3)
    answer_one(made)
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
    assert Attempt.objects.count() == 3


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


@pytest.mark.both
def test_the_sweeper_sends_a_message_for_what_a_lost_one_left(
    local, fake, carry_out, django_capture_on_commit_callbacks
):
    made = run(questions=2)
    with django_capture_on_commit_callbacks(execute=True):
        sweep_calls()
    carry_out()
    assert stored(made).state == RunState.DONE


def test_the_sweeper_is_quiet_when_nothing_waits(
    local, carry_out, django_capture_on_commit_callbacks
):
    run(questions=1, started=False)
    with django_capture_on_commit_callbacks() as callbacks:
        sweep_calls()
    assert callbacks == []


# ---------------------------------------------------------------- models


@pytest.mark.both
def test_the_same_options_are_the_same_model(local):
    assert echo(temperature=0.0) == echo(temperature=0)
    assert echo() != echo(seed=5)


def test_a_model_by_its_name_is_tested_and_added_once(local, fake):
    added = registry.named("local/echo-1")
    assert added.options == {"temperature": 0, "max_tokens": 250, "system_message": ""}
    asked = len(fake.calls)
    assert registry.named("local/echo-1") == added
    assert len(fake.calls) == asked


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


@pytest.mark.both
def test_a_run_is_moved_by_conditions_that_are_checked_again_after_a_wait(local):
    """PostgreSQL checks those of a subquery once: a run cancelled meanwhile would be moved all the same."""
    made = run(questions=1)
    with CaptureQueriesContext(connection) as asked:
        runs.pause(made, "Enough.")
        runs.resume(made)
        runs.pause_by_worker(made.pk, "Enough.")
        Response.objects.update(state=ResponseState.DONE, text_sha256="")
        runs.finish(Run.everything.filter(pk=made.pk))
    assert stored(made).state == RunState.DONE
    moves = [one["sql"] for one in asked if one["sql"].startswith('UPDATE "generation_run"')]
    assert len(moves) >= 4
    assert not [sql for sql in moves if " IN (SELECT" in sql or "JOIN" in sql]
