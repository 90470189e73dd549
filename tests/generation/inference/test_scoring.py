"""Option scores: read from both formats of log-probabilities, asked for, stored and shown."""

import csv
import io
import json
import math

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.roles import Role
from generation import caps, grid, preview, prompt_versions, registry, runs
from generation.asking.runqueue import RunQueue
from generation.call_queues import Settled
from generation.inference import chat, client, faults, probing, scoring
from generation.models import OptionScore, ServiceStatus
from generation.states import ResponseState, RunState
from leases.refusal import Refusal
from tests.factories import person, signed_in
from tests.generation.factories import answer_all, canals, echo, expire
from tests.generation.fake_service import (
    IN_CHAT,
    LEGACY,
    LIKELY,
    LISTED,
    FakeService,
    Fault,
    Raw,
    Say,
    completion,
    first_token,
)  # fmt: skip

OPTIONS = ("A", "B", "C")
BARE = chat.Abilities(scores=scoring.COMPLETIONS, alternatives=20)
TALK = chat.Abilities(scores=scoring.CHAT, alternatives=5)
GIVEN = {
    "name": "letters",
    "label": "L1",
    "title": "Which option",
    "template": "{question}\n(A) {context1}\n(B) {context2}\nAnswer: (",
    "form": "scores",
    "options": list(OPTIONS),
}


def read(likely, shape=LEGACY):
    return chosen(first_token(likely, shape), {} if shape == IN_CHAT else {"prompt": "Q"})


def chosen(say, request):
    request = {"model": "m", **(request or {"messages": []})}
    choice = completion(request, say)["choices"][0]
    text = choice["text"] if "prompt" in request else choice["message"]["content"]
    thought = choice.get("message", {}).get("reasoning_content", "")
    return scoring.choose(choice, text, thought, 200, OPTIONS)


# ---------------------------------------------------------------- read


@pytest.mark.parametrize("shape", [LEGACY, LISTED, IN_CHAT])
def test_the_masses_of_all_tokens_that_are_an_option_are_added_in_each_format(shape):
    option, masses = read({"A": -2.0, " B": -1.0, "(B": -3.0, "\n( B ": -4.0, "BA": -5.0}, shape)
    assert option == "B"
    assert masses["A"] == pytest.approx(math.exp(-2))
    assert masses["B"] == pytest.approx(math.exp(-1) + math.exp(-3) + math.exp(-4))
    assert masses["C"] is None


@pytest.mark.parametrize(
    ("likely", "option"),
    [
        ({"A": -1.0, "B": -1.0}, ""),
        ({"A": -1.2, "B": -1.2, "C": -1.1}, "C"),
        ({"The": -0.1, "a": -3.0, "B)": -4.0}, ""),
        ({"The": -0.1, "B": -12}, ""),  # the last one returned, so A may be likelier
        ({"The": -1, "B": -6, "to": -7}, ""),  # as may several tokens that are A
        ({"The": -1, "B": -6, "to": -7.5}, "B"),
        ({"The": -1, "B": -6, "A": -6.1, "C": -7}, "B"),  # none is missing
        ({"The": -0.1, "B": -2.4}, "B"),  # no other token has so much
        ({"The": 0, "B": -3.4e38}, ""),
        ({"B": 5e-5}, "B"),  # the rounding of a probability of 1
    ],
)
def test_the_likeliest_option_is_chosen_and_none_where_there_is_none(likely, option):
    assert read(likely)[0] == option


def test_tokens_of_the_same_text_are_added_and_a_mass_is_at_most_one():
    tops = [{"token": "A", "logprob": lp} for lp in (0.0, -8.0)]
    say = Say("A", logprobs={"content": [{"top_logprobs": tops}]})
    assert chosen(say, {})[1]["A"] == 1.0


NONE_GIVEN = [
    None, {}, [], "A", {"top_logprobs": []}, {"top_logprobs": None}, {"top_logprobs": [None]}, {"top_logprobs": [{}]},
    {"tokens": ["A"], "token_logprobs": [-0.1]}, {"content": []}, {"content": None}, {"content": [{}]},
    {"content": [{"token": "A", "logprob": -0.1, "top_logprobs": []}]}, {"content": [{"top_logprobs": ["A"]}]},
    {"content": [{"top_logprobs": [{"token": "A"}]}]},
]  # fmt: skip
UNUSABLE = [
    ({"top_logprobs": [{"A": None}]}, "that of “A” is not a number"),
    ({"top_logprobs": [{"A": math.nan}]}, "that of “A” is not a number"),
    ({"top_logprobs": [{"A": math.inf}]}, "that of “A” is not a number"),
    ({"top_logprobs": [{"A": True}]}, "that of “A” is not a number"),
    ({"top_logprobs": [{"A": "-0.1"}]}, "that of “A” is not a number"),
    ({"top_logprobs": [{"A": 0.7}]}, "that of “A” is above 0"),
    ({"content": [{"top_logprobs": [{"token": 5, "logprob": -1}]}]}, "a token is not a text"),
    ({"content": [{"top_logprobs": [{"token": "A", "logprob": -1}] * 2}]}, "“A” is there twice"),
    ({"top_logprobs": [{"A": -0.1, "B": -0.1}]}, "add up to more than 1"),
]


@pytest.mark.parametrize("given", NONE_GIVEN)
def test_a_reply_without_log_probabilities_is_a_fault_with_what_to_do(given):
    with pytest.raises(faults.WrongShape, match=r"has no log-probabilities.* Test the model again"):
        chosen(Say("A", logprobs=given), {"prompt": "Q"})


@pytest.mark.parametrize(("given", "why"), UNUSABLE)
def test_log_probabilities_that_cannot_be_are_a_fault_that_names_them(given, why):
    with pytest.raises(faults.WrongShape, match=f"cannot be used: .*{why}") as fault:
        chosen(Say("A", logprobs=given), {"prompt": "Q"})
    assert not fault.value.retryable


def test_a_token_listed_twice_that_is_no_option_does_not_matter():
    tops = [{"token": "\ufffd", "logprob": -3.0}] * 2 + [{"token": "B", "logprob": -1.0}]
    assert chosen(Say("B", logprobs={"content": [{"top_logprobs": tops}]}), {})[0] == "B"


THOUGHTS = [
    Say(None, "length", reasoning="Okay", logprobs=first_token(LIKELY, IN_CHAT).logprobs),
    Say("", "length", logprobs=first_token(LIKELY, IN_CHAT).logprobs),
    Say("<think>", "length", logprobs=first_token(LIKELY, IN_CHAT).logprobs),
]


@pytest.mark.parametrize("say", THOUGHTS)
def test_a_reply_that_begins_with_reasoning_gives_no_scores(say):
    with pytest.raises(faults.WrongShape, match="The model reasons before it answers"):
        chosen(say, {})


def test_a_chat_whose_likeliest_token_ends_it_is_scored():
    say = Say("", "stop", logprobs=first_token(LIKELY, IN_CHAT).logprobs)
    assert chosen(say, {})[0] == "A"


# ---------------------------------------------------------------- asked


MODEL = {"temperature": 0.7, "max_tokens": 250, "seed": 5, "system_message": None}


def test_a_request_for_scores_asks_for_one_token_at_temperature_0():
    same = {"model": "m", "temperature": 0, "max_tokens": 1, "seed": 5}
    bare = scoring.body("m", MODEL, "Q (", BARE, scored=OPTIONS)
    assert bare == {**same, "prompt": "Q (", "logprobs": 20}
    talk = scoring.body("m", MODEL, "Q (", TALK, scored=OPTIONS)
    messages = [{"role": "user", "content": "Q ("}]
    assert talk == {**same, "messages": messages, "logprobs": True, "top_logprobs": 5}
    renamed = chat.Abilities(limit="max_completion_tokens", scores="chat", alternatives=5)
    assert scoring.body("m", MODEL, "Q", renamed, scored=OPTIONS)["max_completion_tokens"] == 1


CAN = [
    ({"scores": LEGACY}, "", ("completions", 20)),
    ({"scores": LISTED, "alternatives": 5}, "", ("completions", 5)),
    ({"scores": LEGACY, "has_chat": False}, None, ("completions", 20)),
    ({"scores": IN_CHAT}, "", ("chat", 20)),
    ({"scores": IN_CHAT, "refuses": ("max_tokens",)}, "", ("chat", 20)),
    ({"scores": LEGACY}, "Be brief.", ("", 0)),  # which a bare completion has no place for
    ({"scores": IN_CHAT}, "Be brief.", ("chat", 20)),
    ({"scores": LEGACY, "alternatives": 4}, "", ("", 0)),
    ({"scores": IN_CHAT, "answer": lambda _: "Hm.</think>Yes."}, "", ("", 0)),
    ({"scores": ""}, "", ("", 0)),
]


@pytest.mark.parametrize(("fake", "system", "able"), CAN)
def test_a_probe_finds_out_how_a_service_gives_log_probabilities(settings, fake, system, able):
    with FakeService(**fake) as service:
        settings.INFERENCE_SERVICES = service.setting("local")
        options = {"temperature": 0, "max_tokens": 250}
        probe = probing.probe(client.service("local"), "echo-1", options, (system,))
    assert (probe.abilities.scores, probe.abilities.alternatives) == able


@pytest.mark.django_db
def test_a_test_of_a_busy_service_keeps_what_an_earlier_one_found(local, fake):
    fake.scores = LEGACY
    model = echo()
    registry.test(model)
    fake.enqueue(Say("Yes."), Fault(429))
    registry.test(model)
    assert (model.able.scores, model.able.alternatives) == ("completions", 20)
    fake.scores = ""
    registry.test(model)
    assert model.able.scores == ""


@pytest.mark.parametrize("fault", [Fault(403), Raw(b"<html>"), Fault(302), Fault(503)])
def test_a_way_that_fails_for_another_reason_leaves_the_next_one_to_be_tried(local, fake, fault):
    fake.scores = IN_CHAT
    fake.enqueue(Say("Yes."), fault)
    probe = probing.probe(local, "echo-1", {"temperature": 0}, ("",))
    assert (probe.abilities.scores, probe.unseen) == ("chat", ())


@pytest.mark.django_db
def test_what_no_test_has_seen_stays_unknown(local, fake):
    fake.enqueue(Say("Yes."), Fault(429), Fault(429))
    model = echo()
    registry.test(model)
    assert not {"scores", "alternatives"} & set(model.abilities)
    registry.test(model)
    assert model.abilities["scores"] == ""


@pytest.mark.django_db
def test_a_call_that_was_not_sent_does_not_end_the_doubt_of_a_service(local, fake, prompt):
    made = asked(prompt)
    made.models_asked.update(abilities={})
    ServiceStatus.objects.create(name="local", pauses=3, reason="Down.")
    answer_all(made)
    assert not fake.calls
    assert ServiceStatus.objects.get().pauses == 3


def test_a_model_whose_scores_are_not_known_is_not_asked(local, fake):
    with pytest.raises(faults.CannotScore, match="Test the model again"):
        local.ask("echo-1", MODEL, "Q", scored=OPTIONS)
    assert not fake.calls


# ---------------------------------------------------------------- a run


pytest_db = pytest.mark.django_db


@pytest.fixture
def rosa():
    return person("rosa", Role.RESEARCHER)


@pytest.fixture
def prompt(rosa):
    return prompt_versions.add(GIVEN, rosa).prompt


def able(way=LEGACY, **options):
    model = echo(**options)
    model.abilities = vars(TALK if way == IN_CHAT else BARE)
    model.save()
    return model


def asked(prompt, way=LEGACY, questions=1, **options):
    made, _ = runs.create(
        collection=canals(questions), models=[able(way, **options)], prompts=[prompt]
    )
    runs.start(made)
    return made


def scores(response):
    return list(response.option_scores.values_list("option", "mass"))


@pytest_db
@pytest.mark.parametrize("way", [LEGACY, LISTED, IN_CHAT])
def test_the_likeliest_option_is_the_response_and_all_scores_are_stored(local, fake, prompt, way):
    fake.scores = way
    made = asked(prompt, way)
    assert answer_all(made) == 1
    response = made.responses.get()
    assert (response.state, response.text, response.finding) == (ResponseState.DONE, "A", "")
    assert scores(response) == [
        ("A", pytest.approx(math.exp(-0.1))),
        ("B", pytest.approx(math.exp(-2.5) + math.exp(-6))),
        ("C", None),
    ]
    assert response.request == fake.calls[0]
    assert response.reply["choices"][0]["logprobs"]
    assert response.finish_reason == ""  # one token was asked for, so nothing is cut off
    assert made.state == RunState.DONE


@pytest_db
@pytest.mark.parametrize("likely", [{"The": -0.5, "D": -1}, {"A": -1.0, "B": -1.0}])
def test_without_a_likeliest_option_the_response_is_finished_as_undecided(
    local, fake, prompt, likely
):
    fake.scores, fake.likely = LEGACY, likely
    made = asked(prompt)
    answer_all(made)
    response = made.responses.get()
    assert (response.state, response.text, response.finding) == ("done", "", "undecided")
    assert dict(scores(response)) == {
        option: math.exp(likely[option]) if option in likely else None for option in OPTIONS
    }


@pytest_db
def test_an_answer_that_a_filter_withholds_is_that_finding_without_scores(local, fake, prompt):
    made = asked(prompt)
    fake.enqueue(Say("", "content_filter"))
    answer_all(made)
    assert made.responses.get().finding == chat.FILTERED
    assert not OptionScore.objects.exists()


@pytest_db
def test_replies_without_log_probabilities_pause_the_run_and_are_not_retried(local, fake, prompt):
    fake.has_chat = False  # it answers, as if logprobs had not been asked for
    made = asked(prompt, questions=9)
    calls = answer_all(made)
    assert made.state == RunState.PAUSED
    assert "The service's reply has no log-probabilities" in made.reason
    assert calls < 9
    assert not OptionScore.objects.exists()
    failed = made.responses.filter(state=ResponseState.FAILED)
    assert failed.count() == 5
    assert failed[0].reply["choices"]


@pytest_db
def test_nan_in_a_reply_fails_the_response_and_keeps_the_reply(local, fake, prompt):
    made = asked(prompt)
    body = completion({"model": "echo-1", "prompt": ""}, first_token({"A": math.nan}, LEGACY))
    fake.enqueue(Raw(json.dumps(body).encode()))
    answer_all(made)
    response = made.responses.get()
    assert response.state == ResponseState.FAILED
    assert "that of “A” is not a number" in response.error
    assert response.reply["choices"][0]["logprobs"]["top_logprobs"] == [{"A": None}]


@pytest_db
def test_a_worker_that_lost_its_lease_stores_no_scores(local, fake, prompt):
    fake.scores = LEGACY
    made = asked(prompt)
    queue = RunQueue(made)
    [call] = queue.claim(queue.lines("local")[0], "one", 60, 1)
    model = call.model
    reply = local.ask(
        model.model_id, model.options, call.text, model.able, call.before, call.scored
    )
    expire()
    queue.sweep()
    queue.settle("one", [Settled(call, "finish", reply=reply)])
    assert not OptionScore.objects.exists()
    answer_all(made)
    assert OptionScore.objects.count() == 3
    queue.settle("one", [Settled(call, "finish", reply=reply)])
    assert OptionScore.objects.count() == 3


@pytest_db
def test_a_batch_of_scores_is_stored_by_as_many_statements_as_one(
    local, fake, prompt, django_assert_num_queries
):
    fake.scores = LEGACY
    made = asked(prompt, questions=6)
    queue = RunQueue(made)
    calls = queue.claim(queue.lines("local")[0], "one", 60, 6)
    model = calls[0].model
    reply = local.ask(model.model_id, model.options, "Q (", model.able, (), OPTIONS)
    done = [Settled(call, "finish", reply=reply) for call in calls]
    with django_assert_num_queries(7) as one:
        queue.settle("one", done[:1])
    with django_assert_num_queries(len(one)):
        queue.settle("one", done[1:])
    assert OptionScore.objects.count() == 18


@pytest_db
@pytest.mark.parametrize("mass", [-0.1, 1.1, math.inf])
def test_the_database_takes_probabilities_alone(local, prompt, mass):
    response = asked(prompt).responses.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        OptionScore.objects.create(response=response, option="A", mass=mass)


# ---------------------------------------------------------------- refused, previewed


REFUSED = r"Prompt L1 needs the log-probabilities .* echo-1 at local is not tested for them\. Test it again"


@pytest_db
def test_a_model_without_log_probabilities_is_refused_by_name(local, prompt):
    with pytest.raises(Refusal, match=REFUSED):
        runs.create(collection=canals(1), models=[echo()], prompts=[prompt])


@pytest_db
def test_a_run_is_not_extended_to_a_model_or_prompt_that_do_not_go_together(local, prompt):
    made = asked(prompt)
    with pytest.raises(Refusal, match=REFUSED):
        runs.extend(made, [echo(seed=1)], [])
    other, _ = runs.create(
        collection=made.collection, models=[echo()], prompts=[prompt_versions.find("4")]
    )
    other.models_asked.set([echo(seed=2)])
    with pytest.raises(Refusal, match=REFUSED):
        runs.extend(other, [], [prompt])
    runs.extend(made, [], [prompt_versions.find("4")])
    assert made.responses.filter(scored__isnull=True).count() == 1


@pytest_db
def test_a_preview_counts_one_token_for_each_score(local, prompt):
    prompts = [prompt, prompt_versions.find("4")]
    made, _ = runs.create(collection=canals(3), models=[able(max_tokens=10)], prompts=prompts)
    shown = preview.run_preview(made)
    assert (shown.calls, shown.written) == (6, 3 * 1 + 3 * 10)
    assert [(row.scores, row.calls, row.written) for row in shown.rows] == [
        (False, 3, 30), (True, 3, 3),
    ]  # fmt: skip


@pytest_db
def test_a_preview_is_measured_by_scores_for_scores_and_by_texts_for_texts(local, fake, prompt):
    fake.scores = LEGACY
    model, text = able(max_tokens=10), prompt_versions.find("4")
    before, _ = runs.create(collection=canals(1), models=[model], prompts=[prompt, text])
    runs.start(before)
    answer_all(before)
    for scored, tokens, latency in ((True, 1, 100), (False, 7, 900)):
        rows = before.responses.filter(scored__isnull=not scored)
        rows.update(prompt_tokens=20, completion_tokens=tokens, latency_ms=latency)
    made, _ = runs.create(collection=canals(2, name="more"), models=[model], prompts=[prompt, text])
    shown = [(row.written, row.seen.seconds) for row in preview.run_preview(made).rows]
    assert shown == [(2 * 7, 0.9), (2 * 1, 0.1)]


@pytest_db
@pytest.mark.parametrize(("more", "tokens"), [((), 1), (("4",), 250)])
def test_a_cap_reserves_one_token_for_a_call_of_a_run_of_scores_alone(local, prompt, more, tokens):
    model, others = able(), [prompt_versions.find(name) for name in more]
    registry.set_prices(model, 0.0, 1_000_000.0)
    made, _ = runs.create(collection=canals(3), models=[model], prompts=[prompt, *others])
    with pytest.raises(Refusal, match=f"One call may cost {tokens}"):
        caps.set_cap(made, tokens - 0.5)
    caps.set_cap(made, 2 * tokens)
    runs.start(made)
    queue = RunQueue(made)
    (line,) = queue.lines("local")
    assert [call.reserved for call in queue.claim(line, "one", 60, 5)] == [tokens, tokens]


# ---------------------------------------------------------------- seen


@pytest_db
def test_the_page_of_a_response_shows_each_option_and_what_was_not_returned(
    client, local, fake, prompt, rosa
):
    fake.scores = LEGACY
    made = asked(prompt)
    answer_all(made)
    signed_in(client, rosa)
    response = made.responses.get()
    text = client.get(f"/runs/{made.pk}/responses/{response.pk}/").content.decode()
    assert "<caption>" in text
    assert '<td class="num">0.905</td>' in text
    assert "not returned" in text
    assert "Cut off" not in text
    shown = grid.grid_of(
        made, grid.columns_of(made), grid.GridChoice(), [(response.instance_id, 1)]
    )
    assert shown.rows[0].cells[0].score == "0.905"
    assert "0.905" in client.get(f"/runs/{made.pk}/responses/").content.decode()


@pytest_db
def test_the_api_and_the_table_of_responses_have_the_scores(client, local, fake, prompt, rosa):
    fake.scores = LEGACY
    made = asked(prompt)
    runs.extend(made, [], [prompt_versions.find("4")])
    answer_all(made)
    signed_in(client, rosa)
    rows = client.get(f"/api/runs/{made.pk}/responses/").json()["results"]
    a, b = math.exp(-0.1), math.exp(-2.5) + math.exp(-6)
    assert rows[0]["scored"] == ["A", "B", "C"]
    assert [one["mass"] for one in rows[0]["option_scores"]] == [
        pytest.approx(a), pytest.approx(b), None,
    ]  # fmt: skip
    assert rows[1]["option_scores"] == []
    lines = b"".join(client.get(reverse("generation:responses_csv", args=[made.pk]))).decode()
    first, second = csv.DictReader(io.StringIO(lines))
    assert json.loads(first["scores"]) == {"A": pytest.approx(a), "B": pytest.approx(b), "C": None}
    assert second["scores"] == ""
