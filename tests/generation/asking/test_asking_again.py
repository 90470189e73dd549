"""Prompts with an asked form: asked again until a reply has it, every reply kept, and skipped after the last."""

import csv
import json

import pytest

from accounts.roles import Role
from generation import caps, costs, preview, registry, responses, runs
from generation.asking.runqueue import HELD_BEFORE, RunQueue
from generation.call_queues import Settled
from generation.inference import chat, markup
from generation.models import RejectedReply
from generation.prompts import controlled
from generation.states import ResponseState, RunState
from tests.factories import person, signed_in
from tests.generation.factories import answer_all, answer_one, echo, expire, ripen, run, spanned
from tests.generation.fake_service import Fault, Say

pytestmark = pytest.mark.django_db

NOT_SPANS = ("It is long", "About 1 km", "I do not know")


def warm(**options):
    return echo(temperature=1, **options)


def asked(model=None, *, questions=1, **prompt):
    return run(questions=questions, prompts=(spanned(**prompt),), models=[model or warm()])


@pytest.fixture
def made(local):
    return asked()


def rejected(response):
    return list(response.rejected.values_list("n", "text"))


def claimed(made, holder):
    queue = RunQueue(made)
    [line] = queue.lines("local")
    [call] = queue.claim(line, holder, 60, 1)
    return queue, call


def answer(text, call):
    return chat.Reply(text, Settled(call, "finish").request, 200, "echo-1", "stop", 3, 2, 5)


# ---------------------------------------------------------------- asked again, finished, skipped


@pytest.mark.both
def test_a_reply_of_the_form_is_the_response_and_those_before_are_kept(fake, made):
    fake.enqueue(Say("It is long"), Say("About 1 km", reasoning="Hm."), Say("1 km"))
    assert answer_all(made) == 3
    response = made.responses.get()
    assert (response.state, response.text, response.finding) == (ResponseState.DONE, "1 km", "")
    assert (response.askings, response.attempts, response.error) == (3, 1, "")
    assert rejected(response) == [(1, "It is long"), (2, "About 1 km")]
    second = response.rejected.get(n=2)
    assert (second.request, second.reasoning) == (fake.calls[1], "Hm.")
    assert second.reply["choices"][0]["message"]["content"] == "About 1 km"
    assert None not in (second.latency_ms, second.prompt_tokens, second.answered_at)
    assert [call.status for call in response.attempt_log.all()] == [200] * 3
    assert fake.calls[0] == fake.calls[2]
    assert made.state == RunState.DONE


def test_after_the_last_reply_that_is_none_the_response_is_skipped(fake, made):
    fake.enqueue(*map(Say, NOT_SPANS))
    assert answer_all(made) == 3
    response = made.responses.get()
    assert (response.state, response.finding) == (ResponseState.DONE, controlled.SKIPPED)
    assert (response.text, response.askings) == ("", 3)
    assert response.error == "No reply had the asked form. Times asked: 3."
    assert [text for _, text in rejected(response)] == list(NOT_SPANS)
    assert response.get_finding_display() == "The model gave no answer of the asked form."
    assert (made.state, answer_all(made)) == (RunState.DONE, 0)


def test_of_the_last_reply_that_is_none_nothing_is_the_response_s(fake, made):
    fake.enqueue(Say("Long"), Say("Wide"), Say("Deep", "length", reasoning="Hm."))
    answer_all(made)
    response = made.responses.get()
    assert (response.finding, response.finish_reason, response.reasoning) == ("skipped", "", "")
    last = response.rejected.get(n=3)
    assert (last.finish_reason, last.reasoning) == ("length", "Hm.")


def test_an_empty_reply_is_off_the_form_and_one_without_room_is_a_failure(fake, made):
    fake.enqueue(Say(""), Say("1 km"))
    assert answer_all(made) == 2
    response = made.responses.get()
    assert (response.text, response.askings, rejected(response)) == ("1 km", 2, [(1, "")])
    other = run(collection=made.collection, prompts=("span",), models=[warm()])
    fake.enqueue(Say("", "length"))
    answer_all(other)
    assert other.responses.get().state == ResponseState.FAILED


def test_after_empty_replies_alone_the_response_is_skipped(fake, made):
    fake.answer = lambda request: ""
    assert answer_all(made) == 3
    assert made.responses.get().finding == controlled.SKIPPED
    assert made.state == RunState.DONE


def test_an_empty_first_reply_of_two_turns_fails_as_everywhere(fake, local):
    made = asked(second="{reply}?")
    fake.enqueue(Say(""))
    answer_all(made)
    assert "empty text" in made.responses.get().error


def test_what_may_be_reasoning_is_sent_in_no_second_text(fake, local):
    made = asked(second="{reply}?")
    fake.enqueue(Say("<my_thoughts>A river.</my_thoughts>\n1 km"))
    assert answer_all(made) == 1
    response = made.responses.get()
    assert (response.state, response.error) == (ResponseState.FAILED, HELD_BEFORE)
    assert "my_thoughts" in str(response.reply)
    registry.choose_marks(response.model, markup.SHOWN, False)
    runs.resume(made)
    fake.enqueue(Say("<my_thoughts>A river.</my_thoughts>\n1 km"), Say("1 km"))
    answer_all(made)
    response.refresh_from_db()
    assert (response.state, response.text) == (ResponseState.DONE, "1 km")


@pytest.mark.parametrize(
    ("options", "prompt", "times"),
    [
        ({"temperature": 0}, {}, 1),
        ({"temperature": 0}, {"insist": True}, 3),
        ({"temperature": 0.5}, {}, 3),
        ({"temperature": 0.5, "top_k": 1}, {}, 1),
    ],
)
def test_where_replies_would_be_alike_one_is_enough(fake, local, options, prompt, times):
    made = asked(echo(**options), **prompt)
    fake.answer = lambda request: "Long"
    assert answer_all(made) == times
    response = made.responses.get()
    assert (response.finding, response.askings) == (controlled.SKIPPED, times)
    assert ("asked once" in response.error) is (times == 1)


def test_a_seed_grows_with_each_asking(fake, local):
    made = asked(warm(seed=7))
    fake.answer = lambda request: "Long"
    answer_all(made)
    assert [call["seed"] for call in fake.calls] == [7, 8, 9]
    response = made.responses.get()
    assert [each.request["seed"] for each in response.rejected.all()] == [7, 8, 9]
    assert response.request["seed"] == 9


def test_responses_with_and_without_a_form_are_settled_together(fake, local):
    made = run(questions=2, prompts=("4", spanned()), models=[warm()])
    fake.answer = lambda request: "1 km"
    answer_all(made)
    found = made.responses.order_by("order").values_list("prompt", "text", "finding", "askings")
    free = ("both-passages", "1 km", "", None)
    # The second canal is 2 km long.
    assert list(found) == [free, ("span", "1 km", "", 1), free, ("span", "", "skipped", 3)]


def test_an_option_is_asked_for_again(fake, local):
    made = asked(form="option", options=["A", "B"])
    fake.enqueue(Say("Perhaps A"), Say("(A)."))
    assert answer_all(made) == 2
    assert made.responses.get().text == "(A)."


def test_a_span_is_one_of_the_passages_that_the_model_was_shown(local):
    passages = ["Canal 1 is 1 km long.", "Canal 1 is 6 km long."]
    swapped = run(questions=1, prompts=(spanned(template="{question} {context2} {context1}"),))
    assert swapped.responses.get().wanted["of"] == passages[::-1]


def test_an_answer_that_is_declined_is_the_finding_without_asking_again(fake, made):
    fake.enqueue(Say("It is long"), Say("", finish_reason="content_filter"))
    assert answer_all(made) == 2
    response = made.responses.get()
    assert (response.finding, response.askings) == (chat.FILTERED, 2)


# ---------------------------------------------------------------- faults between askings


def test_a_failure_between_two_askings_loses_none_of_them(fake, made):
    fake.enqueue(Say("Long"), *[Fault(500)] * 4, Say("Wide"), *[Fault(500)] * 4, Say("1 km"))
    for _ in range(12):
        answer_all(made)
        ripen()
    response = made.responses.get()
    assert (response.text, response.askings) == ("1 km", 3)
    assert rejected(response) == [(1, "Long"), (2, "Wide")]


def test_replies_off_the_form_pause_neither_service_nor_run(fake, local):
    made = asked(questions=12, times=15)
    fake.answer = lambda request: "Long"
    answer_all(made)
    assert len(fake.calls) == 12 * 15
    assert (made.state, made.reason) == (RunState.DONE, "")
    assert made.responses.filter(finding=controlled.SKIPPED, askings=15).count() == 12


def test_an_asking_that_failed_is_asked_again_where_it_was(fake, made):
    fake.enqueue(Say("Long"), Fault(400), Say("Wide"), Say("1 km"))
    answer_all(made)
    assert made.responses.get().state == ResponseState.FAILED
    runs.retry_failed(made)
    answer_all(made)
    response = made.responses.get()
    assert (response.text, response.askings) == ("1 km", 3)
    assert rejected(response) == [(1, "Long"), (2, "Wide")]


def test_a_worker_that_dies_between_two_askings_loses_and_doubles_nothing(fake, made):
    queue, first = claimed(made, "one")
    queue.settle("one", [Settled(first, "finish", reply=answer("Long", first))])
    queue, second = claimed(made, "two")  # it dies during the second call
    expire()
    queue.sweep()
    queue.settle("two", [Settled(second, "finish", reply=answer("Late", second))])
    assert RejectedReply.objects.count() == 1
    fake.enqueue(Say("Wide"), Say("1 km"))
    answer_all(made)
    response = made.responses.get()
    assert rejected(response) == [(1, "Long"), (2, "Wide")]
    assert (response.text, response.askings) == ("1 km", 3)


@pytest.mark.parametrize("verb", ["cancel", "pause"])
def test_what_was_stopped_during_an_asking_goes_on_with_the_next(fake, made, verb):
    queue, call = claimed(made, "one")
    runs.cancel(made) if verb == "cancel" else runs.pause(made, "Paused by an admin.")
    queue.settle("one", [Settled(call, "finish", reply=answer("Long", call))])
    runs.cancel_late()
    made.refresh_from_db()
    assert responses.progress(made).cancelled == (verb == "cancel")
    assert answer_all(made) == 0
    runs.resume(made)
    fake.enqueue(Say("1 km"))
    answer_all(made)
    response = made.responses.get()
    assert (response.text, response.askings) == ("1 km", 2)
    assert rejected(response) == [(1, "Long")]


def test_tried_responses_are_asked_again_before_the_trial_ends(fake, local):
    made = run(questions=6, prompts=(spanned(),), models=[warm()], started=False)
    runs.try_few(made)
    fake.answer = lambda request: "Long"
    answer_all(made)
    assert made.state == RunState.DRAFT
    assert len(fake.calls) == 15
    assert made.responses.filter(finding=controlled.SKIPPED).count() == 5


# ---------------------------------------------------------------- two turns, cost


def test_of_two_turns_the_second_reply_has_the_form(fake, local):
    made = asked(second="So, in short? You said “{reply}”.")
    fake.enqueue(Say("Let me see"), Say("Long"), Say("1 km"))
    assert answer_all(made) == 3
    response = made.responses.get()
    assert (response.text, response.first_reply.text) == ("1 km", "Let me see")
    assert rejected(response) == [(1, "Long")]
    assert [len(call["messages"]) for call in fake.calls] == [1, 3, 3]


def test_each_asking_is_paid(fake, local):
    model = warm(max_tokens=10)
    registry.set_prices(model, 1e6, 1e6)
    made = asked(model)
    fake.enqueue(*map(Say, NOT_SPANS))
    answer_all(made)
    response = made.responses.get()
    tokens = sum(each.prompt_tokens + each.completion_tokens for each in response.rejected.all())
    assert response.cost == made.cost == tokens


def test_a_cap_holds_between_askings(fake, local):
    model = warm(max_tokens=10)
    registry.set_prices(model, 1e6, 1e6)
    made = asked(model)
    caps.set_cap(made, 10_000)
    made.refresh_from_db()
    one = costs.most(model, made.longest)
    caps.set_cap(made, one + 1)
    fake.enqueue(*map(Say, NOT_SPANS))
    assert answer_all(made) == 1
    assert made.state == RunState.PAUSED
    caps.set_cap(made, 3 * one)
    runs.resume(made)
    answer_all(made)
    assert made.responses.get().finding == controlled.SKIPPED


@pytest.mark.parametrize(
    ("model", "prompt", "least", "most"),
    [
        (warm, {}, 6, 2 * 3 + 4 * 1),
        (echo, {}, 6, 6),  # greedy: each is asked once
        (echo, {"insist": True}, 6, 10),
        (warm, {"second": "{reply}?"}, 8, 2 * 4 + 4),
    ],
)
def test_a_preview_counts_the_most_calls(local, model, prompt, least, most):
    prompts = (spanned(**prompt), "4", "5")
    made = run(questions=2, prompts=prompts, models=[model(max_tokens=10)], started=False)
    shown = preview.run_preview(made)
    assert (shown.least, shown.calls, shown.written) == (least, most, 10 * most)


def test_a_preview_leaves_out_the_calls_that_were_made(fake, made):
    before = preview.run_preview(made)
    queue, call = claimed(made, "one")
    queue.settle("one", [Settled(call, "finish", reply=answer("Long", call))])
    after = preview.run_preview(made)
    assert (before.calls, after.least, after.calls) == (3, 1, 2)
    assert after.read == pytest.approx(before.read * 2 / 3, abs=1)


def test_a_preview_leaves_out_a_second_turn_that_was_asked_with_all_that_it_sent(local):
    made = asked(second="You say “{reply}”. Copy it.")
    for text in ("Let me see", "Long"):
        before = preview.run_preview(made)
        queue, call = claimed(made, "one")
        queue.settle("one", [Settled(call, "finish", reply=answer(text, call))])
    after = preview.run_preview(made)
    assert (before.calls, after.calls) == (3, 2)
    assert after.read == pytest.approx(before.read * 2 / 3, abs=1)


# ---------------------------------------------------------------- seen


@pytest.fixture
def shown(client, fake, local):
    """A run with a response asked again, one skipped and one of the form at once; its reader is signed in."""
    signed_in(client, person("rosa", Role.RESEARCHER))
    made = asked(questions=3)
    fake.enqueue(
        Say("<i>Long</i>", reasoning="Hm."), Say("1 km"), *map(Say, NOT_SPANS), Say("None")
    )
    for _ in range(3):
        answer_one(made)
    return made


def text_of(client, address):
    return " ".join(client.get(address).content.decode().split())


def test_the_page_of_a_response_lists_its_askings(client, shown):
    first, second, third = shown.responses.order_by("order")
    text = text_of(client, f"/runs/{shown.pk}/responses/{first.pk}/")
    for part in ("&lt;i&gt;Long", "Asking 1", "Reasoning before reply 1", "asked 2 of at most 3"):
        assert part in text
    text = text_of(client, f"/runs/{shown.pk}/responses/{second.pk}/")
    for part in (*NOT_SPANS, "The model gave no answer of the asked form.", "Times asked: 3."):
        assert part in text
    text = text_of(client, f"/runs/{shown.pk}/responses/{third.pk}/")
    assert "Replies without the asked form" not in text


def test_grid_and_progress_count_and_find_them(client, shown):
    for address in (f"/runs/{shown.pk}/", f"/runs/{shown.pk}/responses/"):
        text = text_of(client, address)
        assert ">2 asked again</a>" in text
        assert ">1 skipped</a>" in text
    text = text_of(client, f"/runs/{shown.pk}/responses/?outcome=skipped")
    assert "How long is canal 2?" in text
    assert "How long is canal 1?" not in text
    assert "Skipped</span>" in text
    text = text_of(client, f"/runs/{shown.pk}/responses/?outcome=again")
    assert "How long is canal 1?" in text
    assert "How long is canal 3?" not in text


def test_a_run_without_forms_shows_no_counts(client, fake, local):
    signed_in(client, person("rosa", Role.RESEARCHER))
    made = run(questions=1)
    answer_all(made)
    assert "asked again" not in text_of(client, f"/runs/{made.pk}/")


def test_api_and_file_have_the_finding_and_each_reply_without_the_form(client, shown):
    rows = client.get(f"/api/runs/{shown.pk}/responses/").json()["results"]
    found = [("", 2), ("skipped", 3), ("", 1)]
    assert [(row["finding"], row["askings"]) for row in rows] == found
    texts = [
        list(one.rejected.values_list("text", flat=True)) for one in shown.responses.order_by("pk")
    ]
    assert list(map(len, texts)) == [1, 3, 0]
    assert [[one["text"] for one in row["rejected"]] for row in rows] == texts
    assert rows[1]["wanted"]["form"] == "span"
    assert rows[1]["rejected"][2]["request"] == shown.responses.get(pk=rows[1]["id"]).request
    progress = client.get(f"/api/runs/{shown.pk}/").json()["progress"]
    assert (progress["done"], progress["asked_again"], progress["skipped"]) == (3, 2, 1)
    lines = client.get(f"/runs/{shown.pk}/responses.csv").getvalue().decode("utf-8-sig")
    cells = [
        ("span", "3", *map(str, pair), json.dumps(some) if some else "")
        for pair, some in zip(found, texts, strict=True)
    ]
    names = ("form", "times", "finding", "askings", "rejected")
    assert [
        tuple(row[name] for name in names) for row in csv.DictReader(lines.splitlines())
    ] == cells


def test_the_preview_says_the_most_calls(client, local):
    signed_in(client, person("rosa", Role.RESEARCHER))
    made = run(questions=2, prompts=(spanned(),), models=[warm()], started=False)
    text = text_of(client, f"/runs/{made.pk}/")
    assert '<td class="num">2 to 6</td>' in text
    assert "cost are those of the most calls" in text
