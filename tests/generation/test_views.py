"""The pages of models, runs and responses."""

import json
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django.asserts import assertContains

from accounts.roles import Role
from datasets.models import Collection
from generation import access, caps, registry, responses, run_pages, runs
from generation.inference import chat, embedded
from generation.models import LanguageModel, Response, Run
from generation.prompts import prompting
from generation.states import RunState
from leases.refusal import Refusal
from tests.factories import person, signed_in, stored
from tests.generation.factories import answer_all, answer_one, canal, canals, echo, run
from tests.generation.fake_service import CONTEXT_TOO_LONG, FakeService, Fault, Say

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(client):
    """An admin, signed in."""
    return signed_in(client, person("alice", Role.ADMIN))


def page(client, name, *args, **query) -> str:
    answer = client.get(reverse(f"generation:{name}", args=args), query)
    assert answer.status_code == 200
    return answer.content.decode()


def answered(made: Run) -> Run:
    answer_all(made)
    return made


# ---------------------------------------------------------------- hidden while judging


@pytest.fixture
def hidden(local, monkeypatch):
    """A run that is hidden from everybody who judges it: here, from alice."""
    made = run()
    hides = {"test": lambda who, runs: {made.pk} if who.username == "alice" else set()}
    monkeypatch.setattr(access.hides_runs, "providers", hides)
    return made


def test_lists_leave_a_hidden_run_out_and_say_so(client, alice, hidden):
    text = page(client, "runs")
    assert "1 run hidden from you while you judge its responses" in text
    assert hidden.name not in text
    assert client.get(reverse("generation:api_runs")).json()["results"] == []


def test_others_see_a_run_that_is_hidden_from_its_judge(client, hidden):
    client.force_login(person("bob", Role.ADMIN))
    assert hidden.name in page(client, "runs")


# ---------------------------------------------------------------- models


def test_an_empty_list_of_models_says_what_to_do(client, alice, settings):
    settings.INFERENCE_SERVICES = {}
    assert "setting INFERENCE_SERVICES" in page(client, "models")


def test_models_are_shown_with_their_options_and_the_embedded_one_as_poor(client, alice, local):
    echo()
    echo(model_id=embedded.SMOLLM2, system_message="")
    text = page(client, "models")
    assert "temperature 0, max tokens 250, no system message" in text
    assert "temperature 0, max tokens 250, empty system message" in text
    assert text.count(">For testing only<") == 1


def test_a_service_that_answers_offers_its_models(client, alice, local):
    text = page(client, "service", "local")
    assert "Answers" in text
    link = f"{reverse('generation:add_model')}?service=local&amp;model_id=echo-1"
    assert link in text


def test_a_service_that_is_down_says_so(client, alice, settings):
    settings.INFERENCE_SERVICES = {"local": {"url": "http://127.0.0.1:9/v1"}}
    text = page(client, "service", "local")
    assert "Does not answer" in text
    assert "Is it running?" in text


def test_an_unknown_service_is_not_found(client, alice, local):
    assert client.get(reverse("generation:service", args=["far"])).status_code == 404


def test_htmx_gets_the_part_of_the_page_only(client, alice, local):
    answer = client.get(
        reverse("generation:service", args=["local"]), headers={"HX-Request": "true"}
    )
    assert "<html" not in answer.content.decode()


ADD = {
    "service": "local",
    "model_id": "echo-1",
    "temperature": "0",
    "max_tokens": "250",
    "seed": "5",
    "system_message": "find out",
}


@pytest.mark.parametrize(
    ("refuses", "choice", "stored", "calls"),
    [
        (False, "find out", "", 1),
        (True, "find out", None, 2),
        (False, "none", None, 1),
        (False, "empty", "", 1),
    ],
)
def test_a_model_is_added_with_the_system_message_it_takes(
    client, alice, settings, refuses, choice, stored, calls
):
    with FakeService(refuses_system=refuses) as fake:
        settings.INFERENCE_SERVICES = fake.setting("local")
        client.post(reverse("generation:add_model"), {**ADD, "system_message": choice})
        assert len([call for call in fake.calls if "logprobs" not in call]) == calls
    model = LanguageModel.objects.get()
    assert model.options == {
        "temperature": 0,
        "max_tokens": 250,
        "seed": 5,
        "system_message": stored,
    }


FURTHER = '{"top_p": 1.0, "chat_template_kwargs": {"enable_thinking": false}, "stop": ["\\n"]}'


def test_further_fields_are_sent_with_each_request_and_tell_models_apart(
    client, alice, local, fake
):
    client.post(reverse("generation:add_model"), ADD)
    answer = client.post(reverse("generation:add_model"), {**ADD, "further": FURTHER}, follow=True)
    assertContains(answer, "chat template kwargs {&quot;enable_thinking&quot;: false}")
    plain, model = LanguageModel.objects.order_by("pk")
    fields = {"top_p": 1, "chat_template_kwargs": {"enable_thinking": False}, "stop": ["\n"]}
    assert model.options == {**plain.options, **fields}
    assert fields.items() <= fake.calls[-1].items()


def test_options_that_nobody_set_are_not_in_the_hash(client, alice, local):
    usual = {"temperature": 0, "max_tokens": 250, "system_message": ""}
    known = "8b514224268f9186c92a885f9c51dbd465aa2d660e613106c049ac50589d52b9"
    assert registry.options_hash(usual) == known
    client.post(reverse("generation:add_model"), {**ADD, "seed": "", "further": " "})
    assert LanguageModel.objects.get().options_hash == known


@pytest.mark.parametrize(
    ("further", "words"),
    [
        ('{"stream": true}', "“stream” is set by the program"),
        ("top_p: 1", "Write one JSON object"),
        ('{"top_k": 20}', "does not take the top_k for this model. Leave it out"),
        ('{"top_k": 20, "min_p": 0.1}', "does not take the top_k and the min_p for this model"),
    ],
)
def test_a_further_field_that_cannot_be_sent_is_named(client, alice, settings, further, words):
    with FakeService(refuses=("top_k", "min_p")) as fake:
        settings.INFERENCE_SERVICES = fake.setting("local")
        answer = client.post(reverse("generation:add_model"), {**ADD, "further": further})
    assertContains(answer, words, status_code=400)
    assert not LanguageModel.objects.exists()


def test_a_field_of_the_program_is_refused_outside_the_form_too(local):
    with pytest.raises(Refusal, match="“stream” is set by the program"):
        registry.add_probed("local", "echo-1", {"max_tokens": 9, "stream": True})


def test_a_model_that_does_not_answer_is_not_added_and_nothing_is_lost(client, alice, local, fake):
    answer = client.post(reverse("generation:add_model"), {**ADD, "model_id": "missing-7b"})
    assert answer.status_code == 400
    text = answer.content.decode()
    assert "no such model or address" in text
    assert 'value="missing-7b"' in text
    assert not LanguageModel.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("service", "far"),
        ("model_id", ""),
        ("model_id", "a\x00b"),
        ("temperature", "nan"),
        ("max_tokens", "0"),
        ("seed", "-1"),
        ("system_message", "shout"),
    ],
)
def test_a_model_form_with_a_bad_field_is_shown_again(client, alice, local, field, value):
    answer = client.post(reverse("generation:add_model"), {**ADD, field: value})
    assertContains(answer, f'href="#id_{field}', status_code=400)
    assert not LanguageModel.objects.exists()


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Say("Yes."), "echo-1 answered in"),
        (Say("<b>x</b>"), "&lt;b&gt;"),
        (
            Say("", "length", reasoning="Hm"),
            "did not answer the test: The model used up its tokens",
        ),
        (Fault(404), "no such model or address"),
    ],
)
def test_a_test_says_what_came_back(client, alice, local, fake, reply, words):
    fake.always = reply
    answer = client.post(reverse("generation:test_model", args=[echo().pk]), follow=True)
    assert words in answer.content.decode()


def test_a_test_finds_out_what_the_service_takes_now(client, alice, settings):
    with FakeService(refuses=("max_tokens",)) as fake:
        settings.INFERENCE_SERVICES = fake.setting("local")
        model = echo()
        assert "not tested" in page(client, "models")
        client.post(reverse("generation:test_model", args=[model.pk]))
    assert "tested: chat, max_completion_tokens" in page(client, "models")
    assert stored(model).options == model.options


# ---------------------------------------------------------------- runs


def test_an_empty_list_of_runs_says_what_to_do(client, alice):
    assert reverse("generation:new_run") in page(client, "runs")


def test_a_run_without_models_sends_to_the_models(client, alice):
    assert reverse("generation:models") in page(client, "new_run")


def asked_for(**changes) -> dict:
    collection = canals(3)
    choice = {
        "collection": collection.pk,
        "language_models": [echo().pk],
        "prompts": ["both-passages"],
        "samples": 1,
    }
    return {**choice, **changes}


def test_a_new_run_is_started_and_carried_out(
    client, alice, local, carry_out, django_capture_on_commit_callbacks
):
    answer = client.post(reverse("generation:new_run"), asked_for(limit=2))
    made = Run.objects.get()
    assert answer.url == reverse("generation:run", args=[made.pk])
    assert (made.created_by, made.state) == (alice, RunState.DRAFT)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("generation:change_run", args=[made.pk, "start"]))
    assert stored(made).state == RunState.RUNNING
    carry_out()
    assert responses.progress(made).done == 2


def test_a_run_shows_its_collections_title_and_marks_a_poor_model_of_an_import(
    client, alice, local
):
    collection = canals(2)
    collection.title = "Canals of the north"
    collection.save()
    made = run(questions=2, collection=collection)
    made.models_asked.add(echo("", f"openai-api/embedded/{embedded.SMOLLM2}"))
    text = page(client, "run", made.pk)
    assert ">For testing only<" in text
    assert "<dt>Questions</dt><dd>2</dd>" in text
    for shown in (text, page(client, "runs")):
        assert "<bdi>Canals of the north</bdi>" in shown


def test_a_form_sent_twice_makes_one_run(client, alice, local):
    """The second time changes nothing, the cap included."""
    registry.set_prices(echo(), 1.0, 1.0)
    form = client.get(reverse("generation:new_run")).context["form"]["form"].value()
    data = asked_for(form=form, cost_cap=5)
    first = client.post(reverse("generation:new_run"), data)
    made = Run.objects.get()
    assert made.cost_cap == 5
    caps.set_cap(made, 7)
    second = client.post(reverse("generation:new_run"), data)
    assert first.url == second.url == reverse("generation:run", args=[Run.objects.get().pk])
    assert stored(made).cost_cap == 7


def test_a_draft_shows_what_it_will_take(client, alice, local):
    """Without earlier answers to its prompts the most that is written is known, and no time."""
    model = echo()
    made = run(questions=3, models=[model], started=False)
    shown = " ".join(page(client, "run", made.pk).split())
    assert "at most 750" in shown
    assert "not known" in shown
    answer_all(run(questions=1, models=[model], collection=canals(1, name="rivers")))
    Response.objects.filter(text__gt="").update(latency_ms=2000)
    shown = " ".join(page(client, "run", made.pk).split())
    assert "about 21" in shown  # the fake counts 7 read and 3 written tokens in each answer
    assert "about 9<" in shown.replace(" <", "<")
    assert "about 3 seconds" in shown  # 3 calls of 2 s, 2 at a time
    assert "1 earlier answer to these prompts" in shown


def test_a_draft_is_tried_from_its_page(
    client, alice, local, carry_out, django_capture_on_commit_callbacks
):
    made = run(questions=9, started=False)
    url = reverse("generation:change_run", args=[made.pk, "try"])
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(url, follow=True)
    assert "Asking: 5 responses." in answer.content.decode()
    assert "Trying a few calls" in answer.content.decode()
    carry_out()
    shown = page(client, "run", made.pk)
    assert "5 earlier answers to these prompts" in shown
    assert "Not started" in shown


def test_a_running_run_shows_its_pace_and_its_latest_answers(client, alice, local):
    made = run(questions=3)
    answer_one(made)
    Response.objects.filter(text__gt="").update(answered_at=Now() - timedelta(seconds=10))
    shown = " ".join(page(client, "run_progress", made.pk).split())
    assert re.search(r"6 responses a minute, 0 tokens a second; about 2\d seconds left\.", shown)
    assert "How long is canal 1?</bdi></a> <span" in shown
    assert "32 words, the last long." in shown


def test_a_latest_answer_without_a_text_says_why(client, alice, local):
    made = run(questions=2)
    answer_one(made)
    Response.objects.filter(text__gt="").update(text="", finding=chat.UNDECIDED)
    assert "None of the options was the likeliest" in page(client, "run_progress", made.pk)


def test_prices_are_set_and_shown(client, alice, local):
    model = echo()
    url = reverse("generation:prices", args=[model.pk])
    assert url in page(client, "models")
    client.post(url, {"price_read": "0.5", "price_written": "12"})
    assert (stored(model).price_read, stored(model).price_written) == (0.5, 12.0)
    assert "0.5 read, 12 written" in page(client, "models")
    client.post(url, {"price_read": "", "price_written": ""})
    assert stored(model).price_read is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"price_read": "1"}, "Enter both prices, or neither."),
        ({"price_read": "-1", "price_written": "1"}, "greater than or equal to 0"),
        ({"price_read": "cheap", "price_written": "1"}, "Enter a number"),
        ({"price_read": "nan", "price_written": "1"}, "Enter a number"),
        ({"price_read": "1e300", "price_written": "1"}, "less than or equal to"),
    ],
)
def test_prices_that_cannot_be_are_refused(client, alice, local, data, words):
    answer = client.post(reverse("generation:prices", args=[echo().pk]), data)
    assertContains(answer, words, status_code=400)


def test_an_imported_model_has_no_prices(client, alice, local):
    model = echo(service="")
    assert client.get(reverse("generation:prices", args=[model.pk])).status_code == 404


def test_a_cap_below_one_call_is_refused_and_no_run_is_made(client, alice, local):
    data = asked_for(cost_cap="0.0001", name="Pilot")
    LanguageModel.objects.update(price_read=1000, price_written=1000)
    answer = client.post(reverse("generation:new_run"), data)
    assertContains(answer, "One call may cost", status_code=400)
    assertContains(answer, 'value="Pilot"', status_code=400)
    assert not Run.objects.exists()


def test_a_run_shows_its_cost_and_its_cap_which_can_be_changed(client, alice, local):
    LanguageModel.objects.filter(pk=echo().pk).update(price_read=1000, price_written=1000)
    client.post(reverse("generation:new_run"), asked_for(cost_cap="5"))
    made = Run.objects.get()
    shown = page(client, "run", made.pk)
    assert "0.0000 of at most 5.0000" in shown
    assert "at most about 0.8" in " ".join(shown.split())
    url = reverse("generation:cap", args=[made.pk])
    client.post(url, {"cost_cap": ""})
    assert "no cap" in page(client, "run", made.pk)
    assertContains(client.post(url, {"cost_cap": "0.1"}), "One call may cost", status_code=400)


def test_a_run_is_paused_by_a_person_and_says_so(client, alice, local):
    made = run(questions=1)
    client.post(reverse("generation:change_run", args=[made.pk, "pause"]))
    assert (stored(made).state, stored(made).reason) == (RunState.PAUSED, "Paused by an admin.")
    again = client.post(reverse("generation:change_run", args=[made.pk, "pause"]))
    assert again.status_code == 409
    resumed = client.post(reverse("generation:change_run", args=[made.pk, "resume"]), follow=True)
    assert "Resumed." in resumed.content.decode()


def test_a_run_that_is_resumed_with_nothing_left_to_ask_says_so(client, alice, local, fake):
    made = answered(run(questions=1))
    Run.objects.filter(pk=made.pk).update(state=RunState.CANCELLED)
    resumed = client.post(reverse("generation:change_run", args=[made.pk, "resume"]), follow=True)
    assert "Nothing was left to ask: the run is done." in resumed.content.decode()
    assert stored(made).state == RunState.DONE


def test_what_failed_is_retried_alone_from_the_page(client, alice, local, fake):
    fake.enqueue(CONTEXT_TOO_LONG)
    made = answered(run(questions=2))
    url = reverse("generation:change_run", args=[made.pk, "retry"])
    assert url in page(client, "run", made.pk)
    shown = client.post(url, follow=True).content.decode()
    assert "Waiting to be asked again: 1 response that had failed." in shown
    assert "Resumed" not in shown
    assert responses.progress(made).waiting == 1


def test_a_run_is_extended_from_its_page(client, alice, local):
    made = answered(run(questions=2))
    other = echo(seed=5)
    url = reverse("generation:extend_run", args=[made.pk])
    assert url in page(client, "run", made.pk)
    form = client.get(url).content.decode()
    assert "seed 5" in form
    assert 'value="both-passages"' not in form
    data = {"language_models": [other.pk], "prompts": ["internal-knowledge"]}
    answer = client.post(url, data, follow=True)
    assert "Added: 6 responses." in answer.content.decode()
    assert client.post(url, data).status_code == 400  # it has them now


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "Choose at least one"),
        ({"prompts": ["5.9"]}, "5.9"),
        ({"prompts": ["both-passages"]}, "both"),
    ],
)
def test_a_run_extended_by_nothing_new_is_refused(client, alice, local, data, words):
    made = run(questions=1)
    answer = client.post(reverse("generation:extend_run", args=[made.pk]), data)
    assertContains(answer, words, status_code=400)


def test_a_new_run_says_what_it_leaves_out(client, alice, local):
    data = asked_for()
    canal(Collection.objects.get(), 4, passage_2_copied="")
    answer = client.post(reverse("generation:new_run"), data, follow=True)
    assert (
        "Left out: 1, both-passages on “How long is canal 4?”: passage 2 is empty"
        in answer.content.decode()
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("collection", "999999"),
        ("language_models", []),
        ("prompts", ["5.9"]),
        ("limit", "0"),
        ("samples", "0"),
    ],
)
def test_a_run_form_with_a_bad_field_is_shown_again(client, alice, local, field, value):
    answer = client.post(reverse("generation:new_run"), {**asked_for(name="Pilot"), field: value})
    assert answer.status_code == 400
    text = answer.content.decode()
    assert f'href="#id_{field}' in text
    assert 'value="Pilot"' in text
    assert not Run.objects.exists()


def test_a_run_without_revised_passages_leads_to_where_they_are_written(client, alice, local):
    data = {**asked_for(), "prompts": [prompting.find("5.3").name]}
    answer = client.post(reverse("generation:new_run"), data)
    assert answer.status_code == 400
    collection = Collection.objects.get()
    assert reverse("datasets:revised", args=[collection.name]) in answer.content.decode()


def test_a_run_shows_its_progress_and_its_failures(client, alice, local, fake):
    fake.enqueue(CONTEXT_TOO_LONG)
    made = answered(run(questions=3))
    text = page(client, "run", made.pk)
    assert "2 of 3" in text
    assert "1 failed: The prompt is too long for this model" in text
    assert "Done, with failures" in text
    assert f"{reverse('generation:responses', args=[made.pk])}?outcome=failed" in text


def test_a_running_run_asks_for_its_progress_and_a_finished_one_loads_anew(client, alice, local):
    made = run(questions=1)
    url = reverse("generation:run_progress", args=[made.pk])
    running = client.get(url)
    assert 'hx-trigger="every 2s"' in running.content.decode()
    assert "HX-Refresh" not in running
    answered(made)
    over = client.get(url)
    assert "hx-trigger" not in over.content.decode()
    assert over["HX-Refresh"] == "true"


def test_a_run_says_what_holds_it_up(client, alice, local, fake, settings):
    made = run(questions=2)
    fake.enqueue(Say(""))
    answer_one(made)
    settings.INFERENCE_SERVICES = {}
    text = page(client, "run", made.pk)
    assert "There is no inference service" in text
    assert "1 waits: The model answered with an empty text." in text


def test_a_run_says_why_its_service_is_paused(client, alice, local, fake):
    made = run(questions=1)
    fake.enqueue(Fault(503, b"loading the model"))
    answer_all(made)
    text = page(client, "run", made.pk)
    assert "local is paused. The service is not ready (503): loading the model" in text
    assert "It is tried again at " in text


def test_a_run_says_why_it_was_paused_and_can_be_resumed(client, alice, local):
    made = run(questions=1)
    runs.pause(made, "The model is gone.")
    text = page(client, "run", made.pk)
    assert "Why the run is paused" in text
    assert "The model is gone." in text
    client.post(reverse("generation:change_run", args=[made.pk, "resume"]))
    assert stored(made).state == RunState.RUNNING


def test_a_run_is_cancelled_midway_and_resumed(
    client, alice, local, carry_out, django_capture_on_commit_callbacks
):
    made = run(questions=3)
    answer_one(made)
    cancelled = client.post(reverse("generation:change_run", args=[made.pk, "cancel"]), follow=True)
    assert "Not asked: 2 responses." in cancelled.content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("generation:change_run", args=[made.pk, "resume"]))
    carry_out()
    assert (stored(made).state, responses.progress(made).done) == (RunState.DONE, 3)


def test_a_second_click_is_refused(client, alice, local):
    made = run()
    url = reverse("generation:change_run", args=[made.pk, "cancel"])
    client.post(url)
    assert client.post(url).status_code == 409


# ---------------------------------------------------------------- responses


def test_a_response_shows_all_that_is_needed_to_ask_again(client, alice, local):
    made = answered(run(questions=1))
    row = made.responses.get()
    text = page(client, "response", made.pk, row.pk)
    for shown in (
        "32 words, the last long.",
        row.prompt_hash,
        "&quot;max_tokens&quot;: 250",
        "fp-1",
        "7 read, 3 written",
    ):
        assert shown in text


def test_a_response_shows_the_reasoning_apart_from_its_text(client, alice, local, fake):
    fake.enqueue(Say("4 km", reasoning="Hm, the second passage."))
    made = answered(run(questions=1))
    shown = page(client, "response", made.pk, made.responses.get().pk)
    assert "Kept apart: no judge is shown it." in shown
    assert "Hm, the second" in shown.split("Reasoning before the answer")[1]
    assert "Hm, the second" not in page(client, "responses", made.pk)


def test_a_response_that_was_cut_off_says_so(client, alice, local, fake):
    fake.enqueue(Say("It is", finish_reason="length"))
    made = answered(run(questions=1))
    assert "Cut off at a limit" in page(client, "response", made.pk, made.responses.get().pk)


def test_the_embedded_models_answers_are_marked(client, alice, settings):
    with FakeService(models=(embedded.SMOLLM2,)) as fake:
        settings.INFERENCE_SERVICES = fake.setting("local")
        made = answered(run(questions=1, models=[echo(model_id=embedded.SMOLLM2)]))
    assert "not suitable for a study" in page(client, "response", made.pk, made.responses.get().pk)
    assert "not suitable for a study" in page(client, "run", made.pk)


def test_a_response_of_another_run_is_not_found(client, alice, local):
    first, second = run(), run(collection=canals(1, name="rivers"))
    url = reverse("generation:response", args=[first.pk, second.responses.get().pk])
    assert client.get(url).status_code == 404


def test_responses_as_csv_guard_formulas(client, alice, local, fake):
    fake.enqueue(Say('=HYPERLINK("http://evil.example")'))
    made = answered(run(questions=1))
    answer = client.get(reverse("generation:responses_csv", args=[made.pk]))
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert lines[0].startswith("instance,question,service,model,prompt,sample,state,text")
    assert "\"'=HYPERLINK" in lines[1]


def test_responses_as_json_hold_the_request(client, alice, local):
    made = answered(run(questions=2))
    data = json.loads(client.get(reverse("generation:api_responses", args=[made.pk])).content)
    assert len(data["results"]) == 2
    assert data["results"][0]["request"]["model"] == "echo-1"
    assert data["results"][0]["gold"] == ["1 km", "6 km"]


def test_lists_of_responses_read_no_whole_replies(client, alice, local):
    made = answered(run(questions=1))
    with CaptureQueriesContext(connection) as asked:
        page(client, "run", made.pk)
        list(run_pages.latest(made))
    assert not [one["sql"] for one in asked if '"generation_response"."reply"' in one["sql"]]


def test_prices_that_a_cap_needs_are_kept_with_a_sentence(client, alice, local):
    model = echo()
    registry.set_prices(model, 1.0, 1.0)
    made = run(models=[model], started=False)
    caps.set_cap(made, 5)
    url = reverse("generation:prices", args=[model.pk])
    assertContains(client.post(url, {}), "remove the run&#x27;s cap first", status_code=400)
