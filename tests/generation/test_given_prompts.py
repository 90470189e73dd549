"""Given texts: of the record, by an author, for people to judge; no model is asked for them."""

import pytest
from django.core.management import call_command

from datasets import exclusions
from generation import caps, preview, protocol_prompts, registry, responses, runs
from generation.models import LanguageModel, Response, Run
from generation.states import ResponseState, RunState
from leases.refusal import Conflict, Refusal
from tests.conflictbank import collection, file_of_records, imported, record
from tests.factories import person, stored
from tests.generation.factories import able, answer_all, echo
from tests.generation.test_protocol_prompts import mine

pytestmark = pytest.mark.django_db

AUTHOR = "LLaMA-3-70B-Instruct"


def made(of, *names, models=(), **more) -> Run:
    prompts = protocol_prompts.of_protocol(of.protocol)
    whole = [prompts[name] for name in names]
    return runs.create(collection=of, models=models, prompts=whole, **more)[0]


def extended(run, *names, models=()) -> int:
    prompts = protocol_prompts.of_protocol(run.collection.protocol)
    return runs.extend(run, models, [prompts[name] for name in names])[0]


def test_a_run_of_given_texts_needs_no_model_and_is_finished_when_it_is_made():
    run = made(collection(2), "entails-default", "contradicts-semantic", samples=3)
    assert (run.state, run.seed) == (RunState.DONE, None)
    assert stored(run).finished_at
    assert not run.models_asked.exists()
    rows = list(run.responses.order_by("order").select_related("instance__contradiction"))
    assert len(rows) == 4
    for row in rows[::2]:
        assert row.text == row.instance.contradiction.fields["default_evidence"]
    assert {(row.state, row.rendered, row.answered_at, row.cost) for row in rows} == {
        ("done", "", None, 0)
    }
    author = LanguageModel.objects.get()
    assert (author.service, author.model_id, author.options) == ("", AUTHOR, {"given": True})
    made(run.collection, "entails-default")
    assert LanguageModel.objects.get() == author


def test_a_run_that_also_asks_a_model_waits_for_it(local, fake):
    run = made(collection(2), "no-evidence", "entails-default", models=[able()], samples=2)
    assert run.state == RunState.DRAFT
    progress = responses.progress(run)
    assert (progress.waiting, progress.done) == (4, 2)
    [row] = preview.run_preview(run).rows
    assert row.calls == 4
    assert [str(model) for model in run.models_asked.all()] == ["echo-1"]


def test_a_prompt_that_asks_needs_a_model():
    with pytest.raises(Refusal, match="Choose at least one model"):
        made(collection(1), "no-evidence", "entails-default")


def test_a_model_that_is_chosen_for_given_texts_alone_is_not_asked(local):
    run = made(collection(1), "entails-default", models=[able()])
    assert run.state == RunState.DONE
    assert not run.models_asked.exists()
    assert "echo-1" not in run.name


@pytest.mark.parametrize("field", ["default_evidence", "default_claim"])
def test_an_empty_text_is_left_out_with_the_reason(field):
    of = imported(file_of_records(record(1), record(2, **{field: " "}))).collection
    prompts = protocol_prompts.of_protocol(of.protocol)
    run, left_out = runs.create(collection=of, models=[], prompts=[prompts["entails-default"]])
    assert run.responses.count() == 1
    title = "Default evidence" if field == "default_evidence" else "Default claim"
    assert [row.problem for row in left_out] == [f"{title} is empty"]


def test_nothing_but_empty_texts_is_no_run():
    of = imported(file_of_records(record(1, default_evidence=""))).collection
    with pytest.raises(Refusal, match="There is nothing to ask"):
        made(of, "entails-default")


# ---------------------------------------------------------------- going on


def test_a_finished_run_takes_further_given_texts_and_stays_finished():
    run = made(collection(2), "entails-default")
    finished = stored(run).finished_at
    assert extended(run, "entails-temporal") == 2
    assert (stored(run).state, stored(run).finished_at) == (RunState.DONE, finished)
    with pytest.raises(Conflict, match="has these models and prompts already"):
        extended(run, "entails-temporal")


def test_a_finished_run_goes_on_where_a_model_is_to_be_asked(local):
    run = made(collection(2), "entails-default")
    with pytest.raises(Refusal, match="Choose at least one model"):
        extended(run, "no-evidence")
    assert extended(run, "no-evidence", "entails-semantic", models=[able()]) == 4
    assert stored(run).state == RunState.RUNNING
    assert responses.progress(run).waiting == 2
    assert extended(run, models=[able(seed=5)]) == 2  # the given texts have their one author


def test_a_cancelled_run_stays_so_where_only_given_texts_are_added(local):
    run = made(collection(1), "no-evidence", "entails-default", models=[able()])
    assert runs.cancel(run) == 1
    assert extended(run, "entails-semantic") == 1
    assert stored(run).state == RunState.CANCELLED
    assert Response.objects.filter(run=run, state=ResponseState.DONE).count() == 2


def test_given_texts_are_neither_resumed_nor_retried():
    run = made(collection(2), "entails-default")
    with pytest.raises(Conflict, match="Every response of this run has its text"):
        runs.resume(run)
    with pytest.raises(Conflict, match="No response of this run has failed"):
        runs.retry_failed(run)
    assert responses.progress(run).done == 2


def test_a_question_that_was_excluded_since_gets_no_further_text():
    run = made(collection(2), "entails-default")
    asked = run.responses.first().instance
    exclusions.exclude(instance=asked, reason="Odd.", by=person("bob"))
    assert extended(run, "entails-temporal") == 1


def test_a_cap_asks_for_no_price_of_an_author_and_reserves_one_token(local):
    model = able()
    registry.set_prices(model, 0.0, 1_000_000.0)
    model.refresh_from_db()
    run = made(collection(1), "no-evidence", "entails-default", models=[model])
    caps.set_cap(run, 1.0)
    assert caps.most_of_call(stored(run), model) == 1.0


def test_a_mixed_run_is_started_asked_and_finished(local, fake):
    of = collection(2)
    prompts = [protocol_prompts.of_protocol(of.protocol)["entails-default"], mine()]
    run, _ = runs.create(collection=of, models=[echo()], prompts=prompts)
    runs.start(run)
    assert answer_all(run) == 2
    assert run.state == RunState.DONE
    assert responses.progress(run).done == 4


def test_the_command_makes_such_a_run_without_a_model(capsys):
    of = collection(2)
    call_command("generate", of.name, "--prompt", "CB H1d", "--prompt", "CB H1d", "--wait")
    assert "Done: 2 responses." in capsys.readouterr().out
    call_command("render_prompts", of.name, "--prompt", "CB H1d", "--limit", "1")
    assert "given: Quillmere Abbey 1 was founded by" in capsys.readouterr().out
