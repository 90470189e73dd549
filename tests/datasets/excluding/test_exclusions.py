"""Excluding a question: two people, one decision, and what follows from it."""

import csv
import io
import json

import pytest

from accounts.roles import Role
from datasets.excluding import exclusions
from datasets.exporters import EXPORTERS
from datasets.models import Exclusion, Instance, PastExclusion
from datasets.records import current
from datasets.releasing.freezing import freeze, released_rows
from datasets.releasing.verifying import sha256_of_rows
from datasets.streaming import streamed
from leases.refusal import Conflict, NotAllowed, Refusal
from tests.datasets.factories import annotation, edited, imported, mills, record
from tests.factories import person
from tests.races import at_once, overlapping

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


def propose(question, by, reason=WHY):
    return exclusions.propose(instance=question, reason=reason, by=by)


def excluded(question, rosa, olga):
    made = propose(question, rosa)
    return exclusions.second(instance=question, proposal=made.pk, by=olga)


def acts(question, proposal):
    """By the button's name, what it does to this proposal."""
    about = {"instance": question, "proposal": proposal}
    return {
        "second": lambda by: exclusions.second(**about, by=by),
        "decline": lambda by: exclusions.decline(**about, note="It is sound.", by=by),
        "withdraw": lambda by: exclusions.withdraw(**about, by=by),
    }


def test_an_exclusion_counts_when_a_second_person_has_agreed(question, rosa, olga):
    made = propose(question, rosa)
    assert exclusions.excluded_ids(question.contradiction.collection) == []
    exclusions.second(instance=question, proposal=made.pk, by=olga)
    made.refresh_from_db()
    assert (made.proposed_by, made.seconded_by, made.reason) == (rosa, olga, WHY)
    assert made.seconded_at >= made.created_at
    assert exclusions.excluded_ids(question.contradiction.collection) == [question.pk]


# What each person may do to rosa's proposal in each standing: None if it is allowed.
@pytest.mark.parametrize(
    ("standing", "who", "act", "met"),
    [
        ("open", "olga", "second", None),
        ("open", "olga", "decline", None),
        ("open", "olga", "withdraw", (NotAllowed, "Another person proposed this")),
        ("open", "rosa", "second", (NotAllowed, "You proposed this yourself")),
        ("open", "rosa", "decline", (NotAllowed, "You proposed this yourself")),
        ("open", "rosa", "withdraw", None),
        ("seconded", "carl", "second", (Conflict, "has agreed")),
        ("seconded", "carl", "decline", (Conflict, "has agreed")),
        ("seconded", "rosa", "withdraw", (Conflict, "has agreed")),
        ("declined", "carl", "second", (Conflict, "no longer there")),
        ("declined", "carl", "decline", (Conflict, "no longer there")),
        ("declined", "rosa", "withdraw", (Conflict, "no longer there")),
        ("withdrawn", "olga", "second", (Conflict, "no longer there")),
        # A second click on what one has done oneself meets what the first one did.
        ("seconded", "olga", "second", None),
        ("declined", "olga", "decline", None),
        ("withdrawn", "rosa", "withdraw", None),
    ],
)
def test_who_may_do_what(question, rosa, olga, standing, who, act, met):
    made = propose(question, rosa)
    do = acts(question, made.pk)
    before = {"seconded": "second", "declined": "decline", "withdrawn": "withdraw"}.get(standing)
    if before:
        do[before](rosa if before == "withdraw" else olga)
    somebody = {"rosa": rosa, "olga": olga}.get(who) or person(who, Role.RESEARCHER)
    rows = list(Exclusion.objects.values()), list(PastExclusion.objects.values())
    if met:
        with pytest.raises(met[0], match=met[1]):
            do[act](somebody)
    else:
        do[act](somebody)
    if met or before:
        assert rows == (list(Exclusion.objects.values()), list(PastExclusion.objects.values()))


@pytest.mark.parametrize(
    ("reason", "says"),
    [("", "Say why"), (" \r\n ", "Say why"), ("x" * 2_001, "2,001 characters; at most 2,000")],
)
def test_a_reason_is_needed_and_bounded(question, rosa, reason, says):
    with pytest.raises(Refusal, match=says):
        propose(question, rosa, reason)
    assert not Exclusion.objects.exists()


def test_a_decline_needs_its_reason(question, rosa, olga):
    made = propose(question, rosa)
    with pytest.raises(Refusal, match="Say why you decline"):
        exclusions.decline(instance=question, proposal=made.pk, note=" ", by=olga)


def test_a_declined_proposal_is_kept_and_can_be_proposed_again(question, rosa, olga):
    made = propose(question, rosa)
    acts(question, made.pk)["decline"](olga)
    past = PastExclusion.objects.get()
    assert (past.reason, past.note, past.how) == (WHY, "It is sound.", "declined")
    assert (past.proposed_by, past.ended_by, past.proposed_at) == (rosa, olga, made.created_at)
    again = propose(question, rosa, "Both answers are true: it was rebuilt.")
    assert again.pk != made.pk


def test_nobody_agrees_to_a_reason_that_they_have_not_read(question, rosa, olga):
    read = propose(question, rosa)
    acts(question, read.pk)["withdraw"](rosa)
    propose(question, rosa, "Quite another reason.")
    with pytest.raises(Conflict):
        exclusions.second(instance=question, proposal=read.pk, by=olga)
    assert Exclusion.objects.get().seconded_by is None


def test_a_second_click_proposes_once_and_a_second_person_is_refused(question, rosa, olga):
    assert propose(question, rosa) == propose(question, rosa)
    with pytest.raises(Conflict, match="Someone else has proposed"):
        propose(question, olga)
    with pytest.raises(Conflict, match="Someone else has proposed"):
        propose(question, rosa, "Another reason.")


@pytest.mark.django_db(transaction=True)
def test_of_two_who_propose_at_once_one_is_refused(question, rosa, olga):
    met = at_once(lambda: propose(question, rosa), lambda: propose(question, olga, "Other."))
    assert sorted(type(one).__name__ for one in met) == ["Conflict", "NoneType"]
    assert Exclusion.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("first", "then"), [("second", "withdraw"), ("withdraw", "second")])
def test_agreeing_and_withdrawing_at_once_end_in_one_of_the_two(question, rosa, olga, first, then):
    do = acts(question, propose(question, rosa).pk)
    by = {"second": olga, "withdraw": rosa}
    met = overlapping(lambda: do[first](by[first]), lambda: do[then](by[then]))
    assert isinstance(met, Conflict)
    assert Exclusion.objects.count() + PastExclusion.objects.count() == 1
    assert Exclusion.objects.filter(seconded_by=olga).exists() == (first == "second")


# ---------------------------------------------------------------- releases and exports


def file_of(rows, format="wikicontradict-json"):
    return "".join(EXPORTERS[format].chunks(rows))


def test_a_new_release_leaves_the_question_out_and_an_old_one_stays(question, rosa, olga):
    collection = question.contradiction.collection
    old = freeze(collection=collection, version="1.0")
    before = file_of(released_rows(old))
    excluded(question, rosa, olga)
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


def test_a_question_excluded_after_a_release_stays_in_it(question, rosa, olga):
    release = freeze(collection=question.contradiction.collection, version="1.0")
    excluded(question, rosa, olga)
    assert "question1" in file_of(released_rows(release))


def test_a_contradiction_that_loses_all_its_questions_stays_as_a_record(question, rosa, olga):
    other = question.contradiction.instances.get(n=2)
    for one in (question, other):
        excluded(one, rosa, olga)
    imported(record(title="Another"))
    release = freeze(collection=question.contradiction.collection, version="1.0")
    kept, _ = json.loads(file_of(released_rows(release)))
    assert kept["annotationResult"]["paragraphA_information"] == "It was built in 1791."
    assert not any(key.startswith("question") for key in kept["annotationResult"])
    lines = csv.reader(io.StringIO(file_of(released_rows(release), "wikicontradict-csv")))
    assert len(list(lines)) == 2
    again = imported(kept, into="again").collection
    assert again.contradictions.get().validity == "Valid"


def test_only_the_newest_version_s_exclusions_reach_a_release(question, rosa, olga):
    excluded(question, rosa, olga)
    old = question.contradiction
    edited(old, title="Corrected")
    assert exclusions.excluded_ids(old.collection) == []
    assert freeze(collection=old.collection, version="1.0").left_out.count() == 0


def test_a_question_that_is_only_proposed_is_in_every_file(question, rosa):
    propose(question, rosa)
    collection = question.contradiction.collection
    without = exclusions.excluded_ids(collection)
    assert "question1" in file_of(streamed(current(collection), without))
