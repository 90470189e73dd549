"""A run moved by two people, or by a person and a worker, at one instant."""

from uuid import uuid4

import pytest

from generation import runs
from generation.models import Response, Run
from generation.states import ResponseState, RunState
from tests.generation import factories as make
from tests.races import at_once, overlapping

pytestmark = [pytest.mark.both, pytest.mark.alone, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def local(settings):
    """A service that nothing here asks."""
    settings.INFERENCE_SERVICES = {"local": {"url": "http://127.0.0.1:9/v1"}}


def fresh(run):
    return Run.objects.get(pk=run.pk)


def states(run):
    return set(run.responses.values_list("state", flat=True))


def answered(run, *, failed=0):
    """The run, all of its responses answered but the first `failed`, which failed."""
    rows = [*run.responses.order_by("order").values_list("pk", flat=True)]
    Response.objects.filter(pk__in=rows).update(
        state=ResponseState.DONE, text="3 km", text_sha256=""
    )
    Response.objects.filter(pk__in=rows[:failed]).update(state=ResponseState.FAILED, text="")
    return run


@pytest.mark.parametrize("move", [runs.start, runs.try_few, runs.cancel])
def test_of_two_clicks_on_a_button_of_a_draft_the_second_is_refused(move):
    run = make.run(questions=8, started=False)
    assert overlapping(lambda: move(run), lambda: move(fresh(run))).status == 409
    assert run.responses.filter(is_trial=True).count() == (5 if move is runs.try_few else 0)


def test_of_two_clicks_on_resume_the_second_is_refused():
    run = make.run()
    runs.cancel(run)
    first, second = fresh(run), fresh(run)
    assert overlapping(lambda: runs.resume(first), lambda: runs.resume(second)).status == 409
    assert (fresh(run).state, states(run)) == (RunState.RUNNING, {ResponseState.PENDING})


def test_a_form_sent_twice_at_once_makes_one_run():
    collection, model, form = make.canals(), make.echo(), uuid4()

    def send():
        make.run(collection=collection, models=[model], form=form, started=False)

    assert at_once(send, send) == [None, None]
    assert Run.objects.get().responses.count() == 3


def test_a_run_is_not_finished_while_what_failed_is_asked_again():
    run = answered(make.run(), failed=2)
    finish = Run.objects.filter(pk=run.pk)
    assert overlapping(lambda: runs.retry_failed(fresh(run)), lambda: runs.finish(finish)) is None
    assert fresh(run).state == RunState.RUNNING
    assert states(run) == {ResponseState.PENDING, ResponseState.DONE}


def test_what_failed_is_asked_again_in_a_run_that_has_just_finished():
    run = answered(make.run(), failed=2)
    finish = Run.objects.filter(pk=run.pk)
    assert overlapping(lambda: runs.finish(finish), lambda: runs.retry_failed(fresh(run))) is None
    assert fresh(run).state == RunState.RUNNING
    assert states(run) == {ResponseState.PENDING, ResponseState.DONE}


def test_a_run_cancelled_while_a_worker_pauses_it_stays_cancelled():
    run = make.run()
    overlapping(lambda: runs.cancel(run), lambda: runs.pause_by_worker(run.pk, "The key is wrong."))
    assert (fresh(run).state, states(run)) == (RunState.CANCELLED, {ResponseState.CANCELLED})


def test_a_model_added_twice_at_once_is_asked_once():
    run, other = make.run(), make.echo(model_id="echo-2")
    again = overlapping(
        lambda: runs.extend(fresh(run), [other], []), lambda: runs.extend(fresh(run), [other], [])
    )
    assert again.status == 409
    assert run.responses.count() == 6


def test_a_model_added_while_the_run_is_cancelled_is_asked_or_cancelled_with_it():
    run, other = make.run(), make.echo(model_id="echo-2")
    refused = overlapping(
        lambda: runs.cancel(fresh(run)), lambda: runs.extend(fresh(run), [other], [])
    )
    assert refused is None
    assert fresh(run).state == RunState.RUNNING
    by_model = {
        model: set(run.responses.filter(model__model_id=model).values_list("state", flat=True))
        for model in ("echo-1", "echo-2")
    }
    assert by_model == {"echo-1": {ResponseState.CANCELLED}, "echo-2": {ResponseState.PENDING}}
