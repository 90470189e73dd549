"""A file of responses becomes a run over a release: all of it or nothing."""

import json

import pytest
from django.db import DatabaseError

from accounts.roles import Role
from datasets import exclusions
from datasets.importers import arriving
from datasets.models import Collection
from datasets.readers.json_text import Unreadable
from datasets.releasing.bundle.writing import Bundle
from datasets.releasing.members import open_member
from generation import registry
from generation.elsewhere import importing, undoing
from generation.elsewhere.importing import bring, check
from generation.models import LanguageModel, Response, Run
from generation.prompts import prompting
from generation.response_planning import instances_of as asked_of
from generation.response_planning import rendered
from generation.states import ResponseState, RunState
from leases.refusal import Conflict, Refusal
from tests import conflictbank
from tests.factories import person, stored
from tests.generation.elsewhere.factories import (
    PROMPT,
    brought,
    file_of,
    instances_of,
    line,
    released,
)
from tests.generation.factories import canal, canals, echo

pytestmark = pytest.mark.django_db


def refused(release, *lines):
    """The problems for which a file is neither checked nor brought; nothing is stored."""
    with pytest.raises(Unreadable) as checked:
        check(release, file_of(*lines))
    with pytest.raises(Unreadable) as error:
        bring(release, file_of(*lines))
    assert error.value.problems == checked.value.problems
    assert not Run.everything.exists()
    assert not Response.objects.exists()
    assert not LanguageModel.objects.exists()
    assert not Collection.everything.filter(arriving_until__isnull=False).exists()
    return error.value.problems


@pytest.mark.both
def test_the_responses_are_stored_with_the_prompts_that_were_sent():
    release = released()
    first, second, _ = instances_of(release)
    options = {"temperature": 0.0, "max_tokens": 60}
    alice = person("alice", Role.ADMIN)
    more = {"raw": {"id": 7}, "tokens": {"prompt": 30, "completion": 4}, "finish_reason": "length"}
    lines = (
        line(first, options=options, **more),
        line(first, prompt="both-passages", options=options),
        line(second),
    )
    run, report = bring(release, file_of(*lines), name="Lab", by=alice)
    run = stored(run)
    assert (run.name, run.state, run.release, run.collection) == (
        "Lab", RunState.IMPORTED, release, release.collection,
    )  # fmt: skip
    assert (run.created_by, run.prompts) == (alice, [PROMPT, "both-passages"])
    one, two, three = run.responses.all()
    sent = {
        (row.instance.pk, row.prompt.name): row
        for row in rendered(
            asked_of(release.collection), [prompting.find(name) for name in run.prompts]
        )
    }
    for row in (one, two, three):
        assert row.rendered == sent[row.instance_id, row.prompt].text
        assert row.gold == sent[row.instance_id, row.prompt].gold
        assert row.prompt_verified
        assert row.state == ResponseState.DONE
    assert (one.text, one.prompt_tokens, one.completion_tokens) == ("It is 1 km long.", 30, 4)
    assert (one.finish_reason, one.reply["raw"]) == ("length", {"id": 7})
    assert one.model == two.model != three.model
    assert (one.model.service, one.model.options) == ("", {"temperature": 0, "max_tokens": 60})
    assert {*run.models_asked.all()} == {one.model, three.model}
    assert check(release, file_of(*lines)) == {**report, "earlier_runs": [run.pk]}
    assert report == {
        "responses": 3,
        "questions": 2,
        "prompts": ["both-passages", PROMPT],
        "models": [
            {"model": "lab/llm-7b", "options": one.model.options, "responses": 2},
            {"model": "lab/llm-7b", "options": {}, "responses": 1},
        ],
        "not_verified": 0,
        "without_sha256": 0,
        "other_sha256": 0,
        "held": 0,
        "empty": 0,
        "aborted": 0,
        "earlier_runs": [],
    }


@pytest.mark.both
def test_a_check_stores_nothing():
    release = released()
    check(release, file_of(line(instances_of(release)[0])))
    assert not LanguageModel.objects.exists()
    assert not Run.everything.exists()


@pytest.mark.parametrize("sha256", [None, "0" * 64, "no hash", "../../etc/passwd"])
def test_a_prompt_whose_hash_is_not_known_is_marked(sha256):
    release = released()
    first, second, _ = instances_of(release)
    run, report = bring(release, file_of(line(first, prompt_sha256=sha256), line(second)))
    assert report["not_verified"] == 1
    assert report["other_sha256" if sha256 else "without_sha256"] == 1
    one, two = run.responses.all()
    assert (one.prompt_verified, one.prompt_hash, one.rendered) == (False, "", "")
    assert (two.prompt_verified, two.prompt_hash) == (True, prompting.find(PROMPT).sha256)


@pytest.mark.parametrize(
    ("text", "reason", "finding"),
    [("", "stop", "empty"), (" \n", None, "empty"), ("", "content_filter", "filtered"),
     ("I will not.", "refusal", "refused"), ("It is", "abort", "aborted"), ("", "error", "aborted")],
)  # fmt: skip
def test_a_reply_without_an_answer_is_a_finding(text, reason, finding):
    release = released()
    run = brought(release, line(instances_of(release)[0], text=text, finish_reason=reason))
    row = run.responses.get()
    assert row.finding == finding
    assert row.text == ("" if finding == "aborted" else text)
    assert row.reply["choices"][0]["message"]["content"] == text
    assert row.finish_reason == (reason or "")


@pytest.mark.parametrize(
    ("text", "reason", "read", "held"),
    [("<answer>5 km.</answer>", "stop", "5 km.", False), ("5 km.<|im_end|>", "content_filter", "5 km.", False),
     ("5 <|a|> km.", None, "5 <|a|> km.", True), ("5 <|a|> km.", "content_filter", "5 <|a|> km.", True)],
)  # fmt: skip
def test_markup_is_taken_off_or_holds_a_response(text, reason, read, held):
    release = released()
    run = brought(release, line(instances_of(release)[0], text=text, finish_reason=reason))
    row = run.responses.get()
    assert (row.text, row.held) == (read, held)
    assert row.reply["choices"][0]["message"]["content"] == text


def test_reasoning_is_parted_and_doubt_holds_a_response():
    release = released()
    first, second, third = instances_of(release)
    run, report = bring(
        release,
        file_of(
            line(first, text="<think>Hm.</think>5 km."),
            line(second, text="<my_thoughts>Hm.</my_thoughts>5 km."),
            line(third, text="<think>Hm, and no end"),
        ),
    )
    rows = run.responses.values_list("text", "reasoning", "held")
    assert [*rows] == [
        ("5 km.", "Hm.", False),
        ("<my_thoughts>Hm.</my_thoughts>5 km.", "", True),
        ("<think>Hm, and no end", "", True),
    ]
    assert report["held"] == 2
    registry.choose_marks(run.models_asked.get(), "as it is", False)
    assert not run.responses.filter(held=True).exists()
    assert run.responses.first().text == "<think>Hm.</think>5 km."


def test_a_row_that_the_release_lacks_is_refused():
    release = released()
    first, *_ = instances_of(release)
    other = instances_of(released(canals(name="others")))[0]
    whole = line(first)
    wrong = [
        line(other)["row"],
        whole["row"].replace(":1:", ":2:"),
        whole["row"].replace(":1:", ":١:"),
        whole["row"].replace(PROMPT, "both-passages-revised"),
        whole["row"].replace(PROMPT, "no-prompt"),
        "../../etc/passwd",
        "::",
    ]
    problems = refused(release, whole, *(whole | {"row": row} for row in wrong))
    assert [problem.partition(":")[0] for problem in problems] == [f"line {n}" for n in range(2, 9)]
    assert all("canals 1.0 has no row" in problem for problem in problems)


def test_a_record_that_came_after_the_release_is_none_of_it():
    release = released()
    new = canal(release.collection, 9)
    assert "has no row" in refused(release, line(new))[0]


@pytest.mark.both
def test_a_model_has_one_response_to_a_row():
    release = released()
    first, second, _ = instances_of(release)
    hot = {"temperature": 1}
    lines = [line(first), line(second), line(first, options=hot), line(first, options={})]
    [problem] = refused(release, *lines)
    assert problem.startswith("line 4: the model has a response to the row")
    assert problem.endswith("in line 1 already")
    assert brought(release, *lines[:3]).responses.count() == 3


def exclude(instance, reason):
    olga = person(f"olga-{instance.pk}", Role.ADMIN)
    exclusions.exclude(instance=instance, reason=reason, by=olga)


def test_responses_to_an_excluded_question_are_refused():
    collection = canals()
    out, later, kept = asked_of(collection)
    exclude(out, "Unclear.")
    release = released(collection)
    exclude(later, "Doubtful.")
    problems = refused(release, line(out), line(later), line(kept))
    assert "leaves out: Unclear." in problems[0]
    assert "excluded after the release" in problems[1]
    assert len(problems) == 2


def test_all_problems_are_named_with_their_lines():
    release = released()
    first, *_ = instances_of(release)
    problems = refused(release, line(first), b"{", line(first), line(first) | {"row": "a:1:b"})
    assert [problem.partition(":")[0] for problem in problems] == ["line 2", "line 3", "line 4"]


@pytest.mark.parametrize(("what", "most"), [("MOST_RESPONSES", 2), ("MOST_MODELS", 1)])
def test_a_file_of_more_than_a_run_can_have_is_refused(what, most, monkeypatch):
    monkeypatch.setattr(importing, what, most)
    release = released()
    lines = [line(one, options={"seed": n % 2}) for n, one in enumerate(instances_of(release))]
    [problem] = refused(release, *lines)
    assert "a run has at most" in problem


@pytest.mark.parametrize("name", ["x" * 121, "a\x07b", "a\nb"])
def test_a_name_that_no_run_can_have_is_refused(name):
    release = released()
    with pytest.raises(Refusal, match="name has at most 120"):
        brought(release, name=name)


def test_a_model_named_as_one_of_a_service_is_another_model():
    asked = echo(model_id="lab/llm-7b")
    release = released()
    run = brought(release, line(instances_of(release)[0], options=asked.options))
    made = run.models_asked.get()
    assert made != asked
    assert made.source == "imported"


def test_every_file_makes_a_run_of_its_own():
    release = released()
    assert brought(release) != brought(release)
    assert LanguageModel.objects.count() == 1


@pytest.fixture
def small_steps(monkeypatch):
    monkeypatch.setattr(arriving, "BATCH", 1)


def test_a_run_is_seen_when_all_its_responses_are_there(small_steps, monkeypatch):
    release, seen = released(), []
    store = importing._store

    def noting(run, *rest):
        store(run, *rest)
        seen.append((Run.objects.count(), Run.everything.count(), registry.seen().count()))

    monkeypatch.setattr(importing, "_store", noting)
    brought(release)
    assert seen == [(0, 1, 0)] * 3
    assert Run.objects.count() == registry.seen().count() == 1
    assert [*Collection.everything.all()] == [release.collection]


def test_an_import_that_is_killed_halfway_leaves_nothing(small_steps, monkeypatch):
    release = released()
    monkeypatch.setattr(arriving, "_remove", lambda waiting: None)
    monkeypatch.setattr(importing, "_show", lambda *_: (_ for _ in ()).throw(DatabaseError))
    with pytest.raises(DatabaseError):
        brought(release)
    monkeypatch.undo()
    assert Response.objects.count() == 3
    assert not Run.objects.exists()
    Collection.everything.filter(arriving_until__isnull=False).update(
        arriving_until=arriving.LONG_AGO
    )
    assert arriving.remove_abandoned() == 1
    assert not Response.objects.exists()
    assert not Run.everything.exists()
    assert not LanguageModel.objects.exists()


def test_an_undone_import_leaves_nothing_and_other_runs_stay():
    release = released()
    run, other = brought(release), brought(release)
    undoing.hide(run.pk)
    assert [*Run.objects.all()] == [other]
    arriving.remove_abandoned()
    assert [*Run.everything.all()] == [other]
    assert Response.objects.count() == 3
    assert registry.seen().get() == other.models_asked.get()
    undoing.hide(run.pk)
    with pytest.raises(Conflict, match="undone a moment ago"):
        undoing.hold_runs([run.pk, other.pk])


@pytest.mark.parametrize("declared", [False, True])
def test_every_line_of_the_bundle_takes_a_response(declared):
    release = released(conflictbank.collection(4) if declared else canals())
    bundle = release.files.get(format=Bundle.name)
    with open_member(bundle, "data/prompts.jsonl") as file:
        rows = [json.loads(text) for text in file]
    assert len(rows) > 10
    lines = [
        {"row": row["id"], "model": "m", "text": "A", "prompt_sha256": row["prompt_sha256"]}
        for row in rows
    ]
    run = brought(release, *lines)
    made = run.responses.order_by("order").values_list("rendered", "prompt_verified")
    assert [*made] == [(row["text"], True) for row in rows]
