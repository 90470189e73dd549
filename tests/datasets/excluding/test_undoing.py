"""Undoing an exclusion: by two, as it was made, and what follows from it."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from accounts.roles import Role
from datasets.excluding import exclusions, undoing
from datasets.models import Exclusion, Instance, PastExclusion, ReleaseExclusion, Undoing
from datasets.releasing.freezing import freeze
from leases.refusal import Conflict, NotAllowed, Refusal
from tests.datasets.excluding.test_exclusions import TWO, WHY, excluded
from tests.datasets.factories import annotation, mills, record
from tests.factories import person
from tests.races import at_once, overlapping

pytestmark = pytest.mark.django_db

WHY_NOT = "The source was corrected since."


@pytest.fixture
def question():
    collection = mills(record(given=annotation(**TWO)))
    return Instance.objects.get(contradiction__collection=collection, n=1)


@pytest.fixture
def exclusion(question, rosa, olga):
    return excluded(question, rosa, olga)


def propose(exclusion, by, reason=WHY_NOT):
    about = {"instance": exclusion.instance, "proposal": exclusion.pk}
    return undoing.propose(**about, reason=reason, by=by)


def acts(row):
    about = {"instance": row.instance, "undoing": row.pk}
    return {
        "agree": lambda by: undoing.agree(**about, by=by),
        "decline": lambda by: undoing.decline(**about, note="It was not.", by=by),
        "withdraw": lambda by: undoing.withdraw(**about, by=by),
    }


@pytest.mark.both
def test_an_undone_exclusion_lets_the_question_count_again(question, exclusion, rosa, olga):
    collection = question.contradiction.collection
    before = freeze(collection=collection, version="1.0")
    row = propose(exclusion, olga)
    assert exclusions.excluded_ids(collection) == [question.pk]
    undoing.agree(instance=question, undoing=row.pk, said="The tables.", by=rosa)
    assert exclusions.excluded_ids(collection) == []
    after = freeze(collection=collection, version="2.0")
    left_out = [ReleaseExclusion.objects.filter(release=one).count() for one in (before, after)]
    assert left_out == [1, 0]
    past = PastExclusion.objects.get()
    assert (past.how, past.reason, past.note) == ("undone", WHY, WHY_NOT)
    assert (past.proposed_by, past.seconded_by) == (rosa, olga)
    assert (past.undoing_by, past.ended_by) == (olga, rosa)
    assert Undoing.objects.get().seen["agreed"]["said"] == "The tables."


@pytest.mark.parametrize(
    ("standing", "who", "act", "met"),
    [
        ("open", "carl", "agree", None),
        ("open", "carl", "decline", None),
        ("open", "rosa", "withdraw", None),
        ("open", "rosa", "agree", (NotAllowed, "You proposed this yourself")),
        ("open", "rosa", "decline", (NotAllowed, "You proposed this yourself")),
        ("open", "carl", "withdraw", (NotAllowed, "Another person proposed this")),
        ("agreed", "rosa", "withdraw", (Conflict, "no longer there")),
        ("agreed", "carl", "decline", (Conflict, "no longer there")),
        ("declined", "carl", "agree", (Conflict, "no longer there")),
        ("declined", "rosa", "withdraw", (Conflict, "no longer there")),
        ("withdrawn", "carl", "agree", (Conflict, "no longer there")),
        # A second click meets what the first one did.
        ("agreed", "olga", "agree", None),
        ("declined", "olga", "decline", None),
        ("withdrawn", "rosa", "withdraw", None),
    ],
)
def test_who_may_do_what(exclusion, rosa, olga, standing, who, act, met):
    do = acts(propose(exclusion, rosa))
    before = {"agreed": "agree", "declined": "decline", "withdrawn": "withdraw"}.get(standing)
    if before:
        do[before](rosa if before == "withdraw" else olga)
    somebody = {"rosa": rosa, "olga": olga}.get(who) or person(who, Role.RESEARCHER)
    rows = list(Undoing.objects.values()), list(PastExclusion.objects.values())
    if met:
        with pytest.raises(met[0], match=met[1]):
            do[act](somebody)
    else:
        do[act](somebody)
    if met or before:
        assert rows == (list(Undoing.objects.values()), list(PastExclusion.objects.values()))


def test_a_declined_undoing_leaves_the_question_excluded_and_is_kept(
    question, exclusion, rosa, olga
):
    acts(propose(exclusion, rosa))["decline"](olga)
    row = undoing.ended_undoings(question).get()
    assert (row.reason, row.note, row.ended_by) == (WHY_NOT, "It was not.", olga)
    assert Exclusion.objects.get().seconded_by == olga
    assert propose(exclusion, rosa).pk != row.pk


@pytest.mark.parametrize(
    ("reason", "says"), [(" \r\n", "Say why"), ("x" * 2_001, "2,001 characters; at most 2,000")]
)
def test_a_reason_is_needed_and_bounded(exclusion, rosa, reason, says):
    with pytest.raises(Refusal, match=says):
        propose(exclusion, rosa, reason)


def test_a_decline_needs_its_reason(question, exclusion, rosa, olga):
    row = propose(exclusion, rosa)
    with pytest.raises(Refusal, match="Say why you decline"):
        undoing.decline(instance=question, undoing=row.pk, note=" ", by=olga)


def test_only_what_is_in_force_is_undone(question, rosa, olga):
    made = exclusions.propose(instance=question, reason=WHY, by=rosa)
    with pytest.raises(Conflict, match="not excluded"):
        propose(made, olga)


def test_nobody_agrees_to_a_reason_that_they_have_not_read(exclusion, rosa, olga):
    read = propose(exclusion, rosa)
    acts(read)["withdraw"](rosa)
    propose(exclusion, rosa, "Quite another reason.")
    with pytest.raises(Conflict, match="no longer there"):
        acts(read)["agree"](olga)
    assert Exclusion.objects.exists()


@pytest.mark.both
def test_a_second_click_proposes_once_and_a_second_person_is_refused(exclusion, rosa, olga):
    assert propose(exclusion, rosa) == propose(exclusion, rosa)
    with pytest.raises(Conflict, match="Someone else has proposed"):
        propose(exclusion, olga)


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_of_two_who_propose_at_once_one_is_refused(exclusion, rosa, olga):
    met = at_once(lambda: propose(exclusion, rosa), lambda: propose(exclusion, olga, "Other."))
    assert sorted(type(one).__name__ for one in met) == ["Conflict", "NoneType"]


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("first", "then"), [("agree", "withdraw"), ("withdraw", "agree")])
def test_agreeing_and_withdrawing_at_once_end_in_one_of_the_two(exclusion, rosa, olga, first, then):
    do, by = acts(propose(exclusion, rosa)), {"agree": olga, "withdraw": rosa}
    met = overlapping(lambda: do[first](by[first]), lambda: do[then](by[then]))
    assert isinstance(met, Conflict)
    assert Exclusion.objects.exists() == (first == "withdraw")


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_two_who_agree_at_once_undo_it_once(exclusion, rosa, olga):
    do = acts(propose(exclusion, rosa))
    carl = person("carl", Role.RESEARCHER)
    met = at_once(lambda: do["agree"](olga), lambda: do["agree"](carl))
    assert sorted(type(one).__name__ for one in met) == ["Conflict", "NoneType"]
    assert PastExclusion.objects.count() == 1


NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.both
@pytest.mark.parametrize(
    ("wrong", "constraint"),
    [
        ({"state": "agreed", "ended_by": "rosa", "ended_at": NOW}, "undoing_ended_by_another"),
        ({"state": "agreed", "ended_by": "olga"}, "undoing_has_its_end"),
        ({"state": "proposed", "ended_at": NOW}, "undoing_has_its_end"),
    ],
)
def test_the_database_refuses_an_undoing_that_cannot_be(question, rosa, olga, wrong, constraint):
    people = {"rosa": rosa, "olga": olga}
    fields = {name: people.get(value, value) for name, value in wrong.items()}
    about = {"instance": question, "exclusion": 1, "reason": "x", "proposed_by": rosa}
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Undoing.objects.create(**about, **fields)


@pytest.mark.both
@pytest.mark.parametrize(
    ("wrong", "constraint"),
    [
        ({"seconded_by": None, "seconded_at": None}, "undone_exclusion_was_in_force"),
        ({"undoing_by": None}, "exclusion_undone_by_two"),
        ({"undoing_by": "olga"}, "exclusion_undone_by_two"),
    ],
)
def test_the_database_refuses_an_undone_exclusion_that_cannot_be(
    exclusion, rosa, olga, wrong, constraint
):
    about = {"instance": exclusion.instance, "proposal": 1, "reason": "x", "how": "undone"}
    made = {"proposed_by": rosa, "proposed_at": NOW, "seconded_by": olga, "seconded_at": NOW}
    right = {**about, **made, "undoing_by": rosa, "ended_by": olga}
    fields = {name: olga if value == "olga" else value for name, value in wrong.items()}
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        PastExclusion.objects.create(**{**right, **fields})
