"""Prompts of two turns: the second is sent after the first reply, and what a worker's death between them costs."""

import pytest
from django.urls import reverse

from accounts.roles import Role
from generation import caps, costs, preview, prompt_versions, registry, responses, runs
from generation.asking.runqueue import RunQueue
from generation.call_queues import Settled
from generation.inference import chat
from generation.models import FirstReply
from generation.prompts import authoring, prompting, rendering
from generation.states import ResponseState
from tests.factories import person, signed_in
from tests.generation.factories import answer_all, canals, echo, expire, ripen
from tests.generation.fake_service import Fault, Say

pytestmark = pytest.mark.django_db

GIVEN = {
    "name": "twice",
    "label": "T1",
    "title": "Answer, then check",
    "template": "Answer: {question}",
    "second": "You said “{reply}”. Is that so, given {context2}? {reply}!",
}
FIRST = "Answer: How long is canal 1?"
SECOND = "You said “{0}”. Is that so, given Canal 1 is 6 km long.? {0}!"


@pytest.fixture
def rosa():
    return person("rosa", Role.RESEARCHER)


@pytest.fixture
def made(local, rosa):
    return asked()


def asked(models=None, questions=1):
    row = prompt_versions.add(GIVEN, person(f"author {questions}", Role.RESEARCHER))
    run, _ = runs.create(
        collection=canals(questions), models=models or [echo()], prompts=[row.prompt]
    )
    runs.start(run)
    return run


def claimed(made, holder):
    queue = RunQueue(made)
    [line] = queue.lines("local")
    [call] = queue.claim(line, holder, 60, 1)
    return queue, call


def messages(call):
    return [(one["role"], one["content"]) for one in call["messages"]]


# ---------------------------------------------------------------- pure


def test_the_first_reply_comes_between_pieces_that_are_rendered_already():
    prompt = prompting.parse(authoring.completed(GIVEN, "It"), "it")
    shown = {"question": "Q?", "context_1": "One", "context_2": "Two {reply} {question}"}
    assert rendering.follow_up(prompt, **shown, same=False) == [
        "You said “", "”. Is that so, given Two {reply} {question}? ", "!",
    ]  # fmt: skip
    assert rendering.follow_up(prompting.find("5"), **shown, same=False) is None
    assert prompt.passages == (2,)


def test_the_second_turn_counts_in_the_hash():
    both = authoring.completed(GIVEN, "It")
    assert both["sha256"] != authoring.completed({**GIVEN, "second": ""}, "It")["sha256"]


@pytest.mark.parametrize(
    ("changed", "named"),
    [({"template": "{question} {reply}"}, "{reply}"), ({"second": "{answer}"}, "{answer}")],
)
def test_an_unknown_place_is_refused_by_name(changed, named):
    with pytest.raises(prompting.PromptError) as refused:
        authoring.completed({**GIVEN, **changed}, "It")
    assert f"It has {named}, which is no field" in str(refused.value)


def test_a_service_without_a_chat_gets_both_turns_in_one_text():
    able = chat.Abilities(completions=True)
    assert chat.body("m", {}, "Sure?", able, ("Q", "A"))["prompt"] == "Q\n\nA\n\nSure?"


# ---------------------------------------------------------------- asked


def test_both_turns_are_asked_and_both_replies_kept(fake, made):
    fake.enqueue(Say("5 km"), Say("6 km"))
    assert answer_all(made) == 2
    response = made.responses.get()
    assert (response.state, response.text) == (ResponseState.DONE, "6 km")
    assert response.first_reply.text == "5 km"
    assert messages(fake.calls[0]) == [("user", FIRST)]
    second = [("user", FIRST), ("assistant", "5 km"), ("user", SECOND.format("5 km"))]
    assert messages(fake.calls[1]) == second
    assert response.request == fake.calls[1]
    assert response.first_reply.request == fake.calls[0]
    assert [call.status for call in response.attempt_log.all()] == [200, 200]
    assert made.state == "done"


@pytest.mark.both
def test_a_worker_that_dies_between_the_turns_loses_and_doubles_nothing(fake, made):
    first_answered(made)
    queue, second = claimed(made, "two")  # it dies during the second call
    expire()
    queue.sweep()
    assert made.responses.get().state == ResponseState.PENDING
    queue.settle("two", [Settled(second, "finish", reply=answer("too late", second))])
    fake.enqueue(Say("6 km"))
    answer_all(made)
    assert [len(call["messages"]) for call in fake.calls] == [3]
    assert FirstReply.objects.get().text == "5 km"
    assert made.responses.get().text == "6 km"


def first_answered(made):
    """The first turn is answered, and its worker does nothing more."""
    queue, call = claimed(made, "one")
    queue.settle("one", [Settled(call, "finish", reply=answer("5 km", call))])


def answer(text, call):
    request = Settled(call, "finish").request
    return chat.Reply(text, request, 200, "echo-1", "stop", 3, 2, 5)


@pytest.mark.both
def test_a_first_reply_of_a_worker_that_lost_its_lease_is_not_stored(made):
    queue, call = claimed(made, "one")
    expire()
    queue.sweep()
    queue.settle("one", [Settled(call, "finish", reply=answer("late", call))])
    assert not FirstReply.objects.exists()
    assert made.responses.get().state == ResponseState.PENDING


def test_each_turn_has_all_attempts(fake, made):
    fake.enqueue(*[Fault(500)] * 4, Say("5 km"), *[Fault(500)] * 4, Say("6 km"))
    for _ in range(12):
        answer_all(made)
        ripen()
    response = made.responses.get()
    assert (response.first_reply.text, response.text) == ("5 km", "6 km")


def test_a_second_turn_that_failed_is_asked_again_without_the_first(fake, made):
    fake.enqueue(Say("5 km"), Fault(400), Say("6 km"))
    answer_all(made)
    assert made.responses.get().state == ResponseState.FAILED
    runs.retry_failed(made)
    answer_all(made)
    assert [len(call["messages"]) for call in fake.calls] == [1, 3, 3]
    assert made.responses.get().text == "6 km"


def test_a_first_answer_that_is_withheld_is_the_finding(fake, made):
    fake.enqueue(Say("", finish_reason="content_filter"))
    assert answer_all(made) == 1
    response = made.responses.get()
    assert (response.state, response.finding) == (ResponseState.DONE, chat.FILTERED)
    assert not FirstReply.objects.exists()


def test_a_run_that_was_cancelled_between_the_turns_goes_on_with_the_second(fake, made):
    first_answered(made)
    runs.cancel(made)
    assert responses.progress(made).cancelled == 1
    runs.resume(made)
    answer_all(made)
    assert [len(call["messages"]) for call in fake.calls] == [3]


# ---------------------------------------------------------------- its cost


@pytest.mark.both
def test_a_cap_holds_over_both_turns(fake, local):
    model = echo(max_tokens=10)
    registry.set_prices(model, 1e6, 1e6)
    made = asked([model])
    sent = sum(len(text.encode()) for text in (FIRST, SECOND.format("")))
    caps.set_cap(made, 10_000)
    made.refresh_from_db()
    # The first reply is sent as a turn of its own, and twice in the second text.
    assert made.longest == sent + 3 * 10
    assert costs.most(model, made.longest) == sent + 3 * 10 + costs.TEMPLATE + 10


def test_a_second_turn_without_a_count_costs_no_more_than_was_reserved(fake, local):
    model = echo(max_tokens=10)
    registry.set_prices(model, 1e6, 1e6)
    made = asked([model])
    caps.set_cap(made, 10_000)
    made.refresh_from_db()
    most = costs.most(model, made.longest)
    long = "kilometre " * 10
    message = {"role": "assistant", "content": "6 km"}
    fake.enqueue(Say(long), Fault(200, {"choices": [{"message": message}]}))  # no count
    answer_all(made)
    response = made.responses.get()
    assert (response.first_reply.text, response.text) == (long, "6 km")
    first = response.first_reply.prompt_tokens + response.first_reply.completion_tokens
    assert response.cost == made.cost == first + most


def test_a_preview_counts_the_calls_of_both_turns(local, rosa):
    row = prompt_versions.add(GIVEN, rosa)
    prompts = [row.prompt, prompting.find("4")]
    made, _ = runs.create(collection=canals(3), models=[echo(max_tokens=10)], prompts=prompts)
    shown = preview.run_preview(made)
    assert shown.calls == 9
    fours = made.responses.filter(prompt="both-passages")
    sent = sum(len(each.rendered) for each in fours)
    # Both turns send the first text, and the second one sends the first reply three times.
    sent += 3 * (2 * len(FIRST) + len(SECOND.format("")))
    assert shown.read == round(sent / preview.CHARACTERS_PER_TOKEN + 3 * 3 * 10)


def test_a_preview_is_measured_by_both_turns_of_earlier_responses(fake, local):
    model = echo()
    earlier = asked([model])
    fake.enqueue(Say("5 km"), Say("6 km"))
    answer_all(earlier)
    FirstReply.objects.update(prompt_tokens=10, completion_tokens=2, latency_ms=1000)
    earlier.responses.update(prompt_tokens=30, completion_tokens=4, latency_ms=3000)
    prompts = [prompt_versions.find("twice")]
    made, _ = runs.create(collection=canals(2, name="more"), models=[model], prompts=prompts)
    shown = preview.run_preview(made)
    [one] = shown.rows
    first, second = len(FIRST), len(SECOND.format("5 km"))
    per_token = (2 * first + len("5 km") + second) / 40
    assert one.seen == preview.SeenAnswers(1, per_token, 3, 2.0)
    assert (shown.is_measured, shown.calls, shown.written) == (True, 4, 12)
    own = 2 * (2 * first + len(SECOND.format("")))
    assert one.read == round(own / per_token + 2 * 3 * 3)


def test_a_response_between_its_turns_has_one_call_left(fake, made):
    first_answered(made)
    assert preview.run_preview(made).calls == 1


# ---------------------------------------------------------------- pages


def test_the_page_of_a_response_shows_both_turns(client, fake, made, rosa):
    fake.enqueue(Say("5 km"), Say("6 km"))
    answer_all(made)
    signed_in(client, rosa)
    response = made.responses.get()
    address = reverse("generation:response", args=[made.pk, response.pk])
    text = client.get(address).content.decode()
    for part in (FIRST, "<h3>First reply</h3>", SECOND.format("5 km"), "6 km", "first turn"):
        assert part in text
    assert "None yet" not in text
    assert text.count("<td>answered</td>") == 2


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (Say("", finish_reason="content_filter"), "The first turn ended it"),
        (Fault(400), "None: its call failed"),
    ],
)
def test_the_page_says_that_no_second_turn_comes(client, fake, made, rosa, reply, sentence):
    fake.enqueue(reply)
    address = reverse("generation:response", args=[made.pk, made.responses.get().pk])
    signed_in(client, rosa)
    assert "None yet. The second turn is sent after it." in client.get(address).content.decode()
    answer_all(made)
    text = client.get(address).content.decode()
    assert sentence in text
    assert "None yet" not in text


def test_the_page_of_a_prompt_shows_the_second_turn(client, rosa):
    row = prompt_versions.add(GIVEN, rosa)
    canals(1)
    signed_in(client, rosa)
    text = client.get(f"/prompts/{row.key}/", {"collection": "canals"}).content.decode()
    assert GIVEN["second"] in text
    assert SECOND.format("{reply}") in text
