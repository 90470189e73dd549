"""Excluding a question: who, why, whether results existed, and what follows from it."""

import csv
import io
import json

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from datasets import exclusions
from datasets.exporters import EXPORTERS
from datasets.models import Exclusion, Instance, PastExclusion
from datasets.records import current
from datasets.releasing.freezing import freeze, released_rows
from datasets.releasing.verifying import sha256_of_rows
from datasets.streaming import streamed
from generation import registry
from generation.models import Response
from leases.refusal import Conflict, Refusal
from tests.datasets.factories import annotation, edited, imported, mills, record
from tests.judging import factories as judging
from tests.races import at_once

pytestmark = [pytest.mark.both, pytest.mark.django_db]

TWO = {
    "question2": "Who built the Old Mill?",
    "question2_answer1": "The abbey",
    "question2_answer2": "The town",
}
WHY = "Both answers can be true."


@pytest.fixture
def question():
    """The first of two questions of the only contradiction."""
    collection = mills(record(given=annotation(**TWO)))
    return Instance.objects.get(contradiction__collection=collection, n=1)


def excluded(question, by, reason=WHY):
    return exclusions.exclude(instance=question, reason=reason, by=by)


def undone(question, by, reason="It is sound now."):
    made = Exclusion.objects.get(instance=question)
    return exclusions.undo(instance=question, exclusion=made.pk, reason=reason, by=by)


def proposed(question):
    exclusions.propose([question], WHY)
    return Exclusion.objects.get(instance=question)


def decided(exclusion, by, *, confirm):
    of = exclusion.instance.contradiction.collection
    return exclusions.decide(of, [exclusion.pk], confirm=confirm, by=by)


def test_an_exclusion_counts_from_then_on_and_until_it_is_undone(question, rosa, olga):
    collection = question.contradiction.collection
    made = excluded(question, rosa)
    assert (made.excluded_by, made.reason, made.after_results) == (rosa, WHY, False)
    assert exclusions.excluded_ids(collection) == [question.pk]
    before = freeze(collection=collection, version="1.0")
    undone(question, olga)
    assert exclusions.excluded_ids(collection) == []
    after = freeze(collection=collection, version="2.0")
    assert [one.left_out.count() for one in (before, after)] == [1, 0]
    past = PastExclusion.objects.get()
    assert (past.how, past.reason, past.note) == ("Undone", WHY, "It is sound now.")
    assert (past.excluded_by, past.excluded_at, past.ended_by) == (rosa, made.excluded_at, olga)
    assert excluded(question, rosa).pk != made.pk


@pytest.mark.parametrize("act", [excluded, undone])
@pytest.mark.parametrize(
    ("reason", "says"),
    [("", "Say why"), (" \r\n ", "Say why"), ("x" * 2_001, "2,001 characters; at most 2,000")],
)
def test_a_reason_is_needed_and_bounded(question, rosa, act, reason, says):
    if act == undone:
        excluded(question, rosa)
    with pytest.raises(Refusal, match=says):
        act(question, rosa, reason)
    assert Exclusion.objects.exists() == (act == undone)


def test_a_second_click_excludes_once_and_a_second_person_is_refused(question, rosa, olga):
    assert excluded(question, rosa) == excluded(question, rosa)
    for by, reason in ((olga, WHY), (rosa, "Another reason.")):
        with pytest.raises(Conflict, match="Someone else has excluded"):
            excluded(question, by, reason)


def test_what_was_undone_or_excluded_anew_is_not_undone_by_an_older_page(question, rosa, olga):
    read = excluded(question, rosa)
    undone(question, rosa)
    for _ in range(2):
        with pytest.raises(Conflict, match="not excluded any more"):
            exclusions.undo(instance=question, exclusion=read.pk, reason="It is sound.", by=olga)
        excluded(question, rosa, "Quite another reason.")


@pytest.mark.django_db(transaction=True)
def test_of_two_who_exclude_at_once_one_is_refused(question, rosa, olga):
    met = at_once(lambda: excluded(question, rosa), lambda: excluded(question, olga, "Other."))
    assert sorted(type(one).__name__ for one in met) == ["Conflict", "NoneType"]
    assert Exclusion.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_who_undo_at_once_one_is_refused(question, rosa, olga):
    excluded(question, rosa)
    met = at_once(lambda: undone(question, rosa), lambda: undone(question, olga))
    assert "Conflict" in [type(one).__name__ for one in met] or PastExclusion.objects.count() == 1
    assert (Exclusion.objects.count(), PastExclusion.objects.count()) == (0, 1)


# ---------------------------------------------------------------- what a closed study proposes


@pytest.mark.parametrize("confirm", [True, False])
def test_one_person_confirms_or_refuses_a_proposal(question, olga, confirm):
    made = proposed(question)
    collection = question.contradiction.collection
    assert exclusions.excluded_ids(collection) == []
    assert decided(made, olga, confirm=confirm) == 1
    assert exclusions.excluded_ids(collection) == ([question.pk] if confirm else [])
    if confirm:
        made.refresh_from_db()
        assert (made.excluded_by, made.reason, made.after_results) == (olga, WHY, False)
    else:
        past = PastExclusion.objects.get()
        assert (past.how, past.ended_by, past.excluded_by) == ("Refused", olga, None)
    assert exclusions.propose([question], WHY) == 0
    with pytest.raises(Conflict, match="Nothing was changed"):
        decided(made, olga, confirm=not confirm)


def test_only_proposals_of_the_collection_are_decided_on(question, rosa, olga):
    made = excluded(question, rosa)
    imported(record(title="Another"), into="others")
    other = proposed(Instance.objects.get(contradiction__collection__name="others", n=1))
    for one in (made, other):
        with pytest.raises(Conflict, match="Nothing was changed"):
            exclusions.decide(mills(), [one.pk], confirm=False, by=olga)
    assert Exclusion.objects.count() == 2


def test_a_proposed_question_can_be_excluded_for_a_reason_of_one_s_own(question, rosa):
    proposed(question)
    made = excluded(question, rosa, "It is ambiguous.")
    assert (Exclusion.objects.get(), made.reason) == (made, "It is ambiguous.")


# ---------------------------------------------------------------- whether results existed


def answered(instance, state="done", given=False):
    model = registry.author("Jo") if given else judging.language_model()
    judging.response(judging.run(), instance, "passage-1", model)
    Response.objects.update(state=state)


@pytest.mark.parametrize("confirmed", [True, False])
@pytest.mark.parametrize(
    ("what", "existed"),
    [
        ({}, True),
        ({"state": "pending"}, False),
        ({"given": True}, False),
        ({"of": "another question"}, False),
        ({"of": "an earlier version"}, True),
    ],
)
def test_results_exist_once_a_model_has_answered_the_question(
    question, rosa, confirmed, what, existed
):
    of, asked = what.get("of"), question
    if of == "another question":
        asked = question.contradiction.instances.get(n=2)
    if of == "an earlier version":
        question = edited(question.contradiction, title="Corrected").instances.get(n=1)
    answered(asked, **{name: value for name, value in what.items() if name != "of"})
    if confirmed:
        decided(proposed(question), rosa, confirm=True)
    else:
        excluded(question, rosa)
    made = Exclusion.objects.get()
    assert made.after_results == existed
    undone(question, rosa)
    assert PastExclusion.objects.get().after_results == existed


@pytest.mark.parametrize(
    "wrong",
    [
        {"excluded_at": Now(), "after_results": True},
        {"excluded_by": "rosa", "after_results": True},
        {"excluded_by": "rosa", "excluded_at": Now()},
    ],
)
def test_the_database_refuses_half_an_exclusion(question, rosa, wrong):
    fields = {name: rosa if value == "rosa" else value for name, value in wrong.items()}
    with (
        pytest.raises(IntegrityError, match="exclusion_is_proposed_or_in_force"),
        transaction.atomic(),
    ):
        Exclusion.objects.create(instance=question, reason="x", **fields)


# ---------------------------------------------------------------- releases and exports


def file_of(rows, format="wikicontradict-json"):
    return "".join(EXPORTERS[format].chunks(rows))


def test_a_new_release_leaves_the_question_out_and_an_old_one_stays(question, rosa):
    collection = question.contradiction.collection
    old = freeze(collection=collection, version="1.0")
    before = file_of(released_rows(old))
    excluded(question, rosa)
    new = freeze(collection=collection, version="1.1")
    assert file_of(released_rows(old)) == before
    (kept,) = json.loads(file_of(released_rows(new)))
    assert "question1" not in kept["annotationResult"]
    assert kept["annotationResult"]["question2"] == TWO["question2"]
    assert [(one.instance, one.reason) for one in new.left_out.all()] == [(question, WHY)]
    assert not old.left_out.exists()
    for release in (old, new):
        exporter = EXPORTERS["wikicontradict-json"]
        assert sha256_of_rows(release, exporter) == release.sha256


def test_a_question_excluded_after_a_release_stays_in_it(question, rosa):
    release = freeze(collection=question.contradiction.collection, version="1.0")
    excluded(question, rosa)
    assert "question1" in file_of(released_rows(release))


def test_a_contradiction_that_loses_all_its_questions_stays_as_a_record(question, rosa):
    other = question.contradiction.instances.get(n=2)
    for one in (question, other):
        excluded(one, rosa)
    imported(record(title="Another"))
    release = freeze(collection=question.contradiction.collection, version="1.0")
    kept, _ = json.loads(file_of(released_rows(release)))
    assert kept["annotationResult"]["paragraphA_information"] == "It was built in 1791."
    assert not any(key.startswith("question") for key in kept["annotationResult"])
    lines = csv.reader(io.StringIO(file_of(released_rows(release), "wikicontradict-csv")))
    assert len(list(lines)) == 2
    again = imported(kept, into="again").collection
    assert again.contradictions.get().validity == "Valid"


def test_only_the_newest_version_s_exclusions_reach_a_release(question, rosa):
    excluded(question, rosa)
    old = question.contradiction
    edited(old, title="Corrected")
    assert exclusions.excluded_ids(old.collection) == []
    assert freeze(collection=old.collection, version="1.0").left_out.count() == 0


def test_a_question_that_is_only_proposed_is_in_every_file(question):
    proposed(question)
    collection = question.contradiction.collection
    without = exclusions.excluded_ids(collection)
    assert "question1" in file_of(streamed(current(collection), without))
