"""Prices, costs and caps: the arithmetic, and what runs do with them."""

import pytest

from generation import caps, costs, registry, runs
from generation.asking import turn
from generation.asking.runqueue import RunQueue
from generation.asking.turn import take_turn
from generation.call_queues import Call, Settled
from generation.inference import faults
from generation.inference.chat import Reply
from generation.models import LanguageModel, Response, Run
from generation.states import ResponseState, RunState
from leases.clock import in_seconds
from leases.refusal import Refusal
from tests.factories import stored
from tests.generation.factories import answer_all, echo, expire, ripen, run
from tests.generation.fake_service import CONTEXT_TOO_LONG, Fault, HangUp, Say

pytestmark = pytest.mark.django_db

# ---------------------------------------------------------------- the cost of a call

MODEL = LanguageModel(price_read=2.0, price_written=10.0, options={"max_tokens": 250})
# 7 bytes of prompt, those that a template may add, and all new tokens.
MOST = (7 * 2 + costs.TEMPLATE * 2 + 250 * 10) / 1e6
COUNTED = (100 * 2 + 30 * 10) / 1e6


def reply(read=100, written=30):
    return Reply("4 km", {}, 200, "echo-1", "stop", read, written, 12)


def of(fault, status=None, raw=None):
    made = fault("No.", status=status)
    made.raw = raw
    return made


USAGE = {"usage": {"prompt_tokens": 100, "completion_tokens": 30}}
CALLS = [
    ("finish", reply(), None, COUNTED),
    ("finish", reply(read=None), None, MOST),
    ("fail", None, of(faults.NoRoom, 200, USAGE), COUNTED),
    ("retry", None, of(faults.EmptyReply, 200, {}), MOST),
    ("retry", None, of(faults.CallCut), MOST),
    ("retry", None, of(faults.ServiceFailed, 500), 0.0),
    ("fail", None, of(faults.ContextTooLong, 400), 0.0),
    ("release", None, of(faults.ServiceBusy, 429), 0.0),
    ("release", None, of(faults.ServiceDown), 0.0),
    ("release", None, of(faults.CertificateWrong), 0.0),
    ("release", None, of(faults.NotConfigured), 0.0),
    ("release", None, None, 0.0),
]


@pytest.mark.parametrize(("verb", "answer", "fault", "cost"), CALLS)
def test_a_call_costs_what_was_counted_or_the_most_where_that_is_not_known(
    verb, answer, fault, cost
):
    call = Call(None, 1, 0, MODEL, "Canal 1")
    assert costs.of_call(Settled(call, verb, reply=answer, fault=fault)) == pytest.approx(cost)


def test_a_scored_call_without_a_count_costs_one_new_token():
    call = Call(None, 1, 0, MODEL, "Canal 1", scored=("A", "B"))
    settled = Settled(call, "finish", reply=reply(read=None))
    assert costs.of_call(settled) == pytest.approx(MOST - 249 * 10 / 1e6)


@pytest.mark.parametrize("prices", [(None, None), (0.0, 0.0)])
def test_a_model_without_prices_costs_nothing(prices):
    model = LanguageModel(price_read=prices[0], price_written=prices[1], options={"max_tokens": 9})
    assert costs.of_call(Settled(Call(None, 1, 0, model, "Q"), "finish", reply=reply())) == 0
    assert costs.is_free(model)


@pytest.mark.parametrize(
    ("room", "reserve", "calls"),
    [
        (1, 0.25, 4),
        (0.3, 0.1, 3),
        (0.29, 0.1, 2),
        (0, 0.1, 0),
        (-1, 0.1, -10),
        (1e9, 1e-300, 10**9),
        (1, 0.0, 10**9),
    ],
)
def test_calls_are_counted_within_the_room(room, reserve, calls):
    assert costs.calls_within(room, reserve) == calls


# ---------------------------------------------------------------- runs


def priced(read=1000.0, written=10_000.0, **options):
    """A model whose call the fake counts as 7 tokens read and 3 written."""
    model = echo(**options)
    registry.set_prices(model, read, written)
    return model


ONE = (7 * 1000 + 3 * 10_000) / 1e6


def most(made, model):
    length = max(len(row.rendered.encode()) for row in made.responses.all())
    return costs.most(model, length)


@pytest.mark.both
def test_a_run_adds_up_what_its_calls_cost(local, fake):
    made = run(questions=3, models=[priced()])
    fake.enqueue(CONTEXT_TOO_LONG)
    answer_all(made)
    assert made.cost == pytest.approx(2 * ONE)
    assert sum(row.cost for row in made.responses.all()) == pytest.approx(2 * ONE)


def test_an_answer_asked_for_twice_costs_twice(local, fake):
    made = run(questions=1, models=[priced()])
    fake.enqueue(Say(""))
    answer_all(made)
    ripen()
    answer_all(made)
    assert made.cost == pytest.approx(2 * ONE)


def capped(cap_of_calls, *, questions=6, **options):
    """A run under a cap of so many calls at their most."""
    model = priced()
    made = run(questions=questions, models=[model], started=False, **options)
    caps.set_cap(made, cap_of_calls * most(made, model))
    runs.start(made)
    return stored(made)


@pytest.mark.both
def test_a_cap_holds_with_calls_in_flight(fake, settings):
    """Calls are reserved with the most they may cost, so that no more are open than have room."""
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=5)
    fake.answer = lambda request: "It is 4 km long."
    made = capped(2)
    spent = []
    take_turn("local", [RunQueue(made)], stored=lambda: spent.append(stored(made).cost))
    assert fake.most_at_once <= 2
    assert max(spent) <= made.cost_cap


def test_a_cap_that_is_reached_pauses_the_run_which_goes_on_with_a_higher_one(
    local, fake, monkeypatch
):
    monkeypatch.setattr(turn, "LOOK", 0.05)
    model = priced(written=100.0)
    fake.always = Fault(200, {"choices": [{"message": {"content": "4 km"}}]})  # no count
    made = run(questions=4, models=[model], started=False)
    caps.set_cap(made, 2 * most(made, model))
    runs.start(made)
    answer_all(made)
    answer_all(made)
    assert made.state == RunState.PAUSED
    assert "The cap on its cost is reached" in made.reason
    assert len(fake.calls) == 2
    assert made.cost <= made.cost_cap
    caps.set_cap(made, 5 * most(made, model))
    runs.resume(made)
    answer_all(made)
    assert made.state == RunState.DONE


def test_a_trial_without_room_ends_and_says_so(local, fake, monkeypatch):
    monkeypatch.setattr(turn, "LOOK", 0.05)
    fake.always = Fault(200, {"choices": [{"message": {"content": "4 km"}}]})  # no count
    model = priced()
    made = run(questions=9, models=[model], started=False)
    caps.set_cap(made, 2 * most(made, model))
    runs.try_few(made)
    answer_all(made)
    answer_all(made)
    assert (made.state, len(fake.calls)) == (RunState.DRAFT, 2)
    assert "The cap on its cost is reached" in made.reason


def test_a_run_waits_for_the_room_that_calls_in_flight_may_leave(local):
    """No turn is woken for it, and it is not paused, until they have ended."""
    made = capped(1)
    queue = RunQueue(made)
    (line,) = queue.lines("local")
    (call,) = queue.claim(line, "before", 60, 5)
    assert stored(made).cost == pytest.approx(call.reserved)
    assert queue.lines("local") == []
    assert queue.claim(line, "after", 60, 5) == []
    assert stored(made).state == RunState.RUNNING
    queue.settle("before", [Settled(call, "release")])
    assert stored(made).cost == pytest.approx(0)
    assert queue.lines("local") == [line]


@pytest.mark.both
def test_a_call_whose_worker_died_counts_with_the_most_it_may_cost(local, monkeypatch):
    monkeypatch.setattr(turn, "LOOK", 0.05)
    made = capped(20, questions=1)
    queue = RunQueue(made)
    (line,) = queue.lines("local")
    (call,) = queue.claim(line, "dead", 60, 1)
    expire()
    queue.sweep()
    answer_all(made)
    assert made.state == RunState.DONE
    assert made.cost == pytest.approx(call.reserved + ONE)
    assert made.responses.get().cost == pytest.approx(made.cost)


def test_a_call_that_was_cut_counts_with_the_most_it_may_cost(local, fake):
    made = capped(20, questions=1)
    fake.enqueue(HangUp())
    answer_all(made)
    assert 0 < made.cost <= made.cost_cap / 20


def test_a_price_of_zero_is_no_limit(local):
    model = priced(0.0, 0.0)
    made = run(questions=3, models=[model], started=False)
    caps.set_cap(made, 0.0)
    runs.start(made)
    answer_all(made)
    assert (made.state, made.cost) == (RunState.DONE, 0.0)


def test_a_free_model_goes_on_where_a_dear_one_has_no_room(fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    dear, free = priced(), priced(0.0, 0.0, seed=5)
    made = run(questions=2, models=[dear, free], started=False)
    caps.set_cap(made, most(made, dear))
    Run.objects.filter(pk=made.pk).update(cost=most(made, dear) / 2)
    runs.start(made)
    answer_all(made)
    assert made.responses.filter(model=free, state=ResponseState.DONE).count() == 2
    assert made.responses.filter(model=dear, state=ResponseState.PENDING).count() == 2
    assert made.state == RunState.PAUSED


def test_no_turn_is_woken_for_a_dear_model_while_another_has_room(local):
    dear, free = priced(), priced(0.0, 0.0, seed=5)
    made = run(questions=2, models=[dear, free], started=False)
    caps.set_cap(made, most(made, dear))
    runs.start(made)
    Run.objects.filter(pk=made.pk).update(cost=made.cost + 2 * most(made, dear))
    Response.objects.filter(run=made, model=free).update(not_before=in_seconds(60))
    queue = RunQueue(made)
    assert queue.lines("local") == []
    Response.objects.filter(run=made, model=free).update(state=ResponseState.DONE, text_sha256="")
    assert [line.key[1] for line in queue.lines("local")] == [dear.pk]


def test_a_run_with_calls_in_progress_gets_no_first_cap(local):
    made = run(questions=2, models=[priced()])
    queue = RunQueue(made)
    (line,) = queue.lines("local")
    (call,) = queue.claim(line, "turn", 60, 1)
    with pytest.raises(Refusal, match="Pause the run, wait for its calls, then set the cap"):
        caps.set_cap(made, 100.0)
    queue.settle("turn", [Settled(call, "release")])
    caps.set_cap(made, 100.0)
    (call,) = queue.claim(line, "turn", 60, 1)
    caps.set_cap(made, 200.0)
    assert stored(made).cost == pytest.approx(call.reserved)


@pytest.mark.both
def test_prices_set_during_a_turn_count_from_the_next_claim(local):
    model = echo()
    made = run(questions=2, models=[model])
    queue = RunQueue(made)
    (line,) = queue.lines("local")
    (call,) = queue.claim(line, "turn", 60, 1)
    queue.settle("turn", [Settled(call, "release")])
    registry.set_prices(model, 1000.0, 10_000.0)
    caps.set_cap(made, 100.0)
    (call,) = queue.claim(line, "turn", 60, 1)
    assert call.reserved == pytest.approx(most(made, model))


KEPT = [
    ({}, (None, None), "which needs its prices"),
    ({"max_tokens": None}, (0.0, 1.0), "has no maximum of new tokens"),
]


@pytest.mark.parametrize(("options", "prices", "words"), KEPT)
def test_prices_by_which_a_cap_would_not_hold_are_refused_until_the_run_is_over(
    local, options, prices, words
):
    model = priced(0.0, 0.0, **options)
    made = run(questions=1, models=[model], started=False)
    caps.set_cap(made, 5.0)
    with pytest.raises(Refusal, match=words):
        registry.set_prices(model, *prices)
    runs.cancel(made)
    registry.set_prices(model, *prices)
    with pytest.raises(Refusal):
        runs.resume(made)


def test_the_longest_prompt_of_a_run_that_is_extended_counts(local):
    model = priced()
    made = run(questions=1, prompts=("1",), models=[model], started=False)
    caps.set_cap(made, 1.01 * most(made, model))
    with pytest.raises(Refusal, match="One call may cost"):
        runs.extend(made, [], [runs.prompting.find("5")])
    assert stored(made).prompts == ["internal-knowledge"]


CAPS = [
    (lambda: priced(), 0.000001, "One call may cost"),
    (lambda: priced(), 0.0, "One call may cost"),
    (lambda: echo(), 5.0, "A cap needs the prices of all models. Set those of echo-1"),
    (lambda: priced(max_tokens=None), 5.0, "no maximum of new tokens"),
]


@pytest.mark.parametrize(("model", "cap", "words"), CAPS)
def test_a_cap_that_could_not_hold_is_refused(local, model, cap, words):
    made = run(questions=1, models=[model()], started=False)
    with pytest.raises(Refusal, match=words):
        caps.set_cap(made, cap)
    assert stored(made).cost_cap is None


@pytest.mark.parametrize("questions", [2, 40])
def test_fewer_or_more_responses_than_in_flight_are_asked_once_over_kept_connections(
    fake, settings, caplog, questions
):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=16)
    assert answer_all(run(questions=questions, models=[priced()])) == questions
    assert "Connection pool is full" not in caplog.text
