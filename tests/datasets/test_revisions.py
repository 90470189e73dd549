"""Passages revised so that they agree: written by one person, checked by another."""

import pytest

from accounts.roles import Role
from datasets import revisions
from datasets.models import Contradiction, Instance, RevisedPassage
from datasets.revisions import Texts
from leases.refusal import Conflict, NotAllowed, Refusal
from tests.datasets.factories import annotation, edited, mills, record
from tests.factories import person
from tests.races import at_once, overlapping

pytestmark = pytest.mark.django_db

AGREED = Texts("The Old Mill was built in 1803.", "Begun in 1803, the Old Mill ", "1803")


@pytest.fixture
def question():
    return Instance.objects.get(contradiction__collection=mills())


def written(question, by, texts=AGREED):
    return revisions.write(instance=question, texts=texts, by=by)


def acts(question, revision):
    """By the button's name, what it does to this revision."""
    about = {"instance": question, "revision": revision}
    return {
        "accept": lambda by: revisions.accept(**about, by=by),
        "reject": lambda by: revisions.reject(**about, note="It still says 1791.", by=by),
        "withdraw": lambda by: revisions.withdraw(**about, by=by),
    }


def test_what_a_second_person_accepts_is_what_a_run_may_ask_about(question, anna, olga):
    made = written(question, anna)
    assert made.state == "proposed"
    acts(question, made.pk)["accept"](olga)
    made.refresh_from_db()
    assert (made.state, made.author, made.checker) == ("checked", anna, olga)
    assert (made.passage_1, made.passage_2, made.answer) == AGREED
    assert made.decided_at >= made.created_at


# What each may do to anna's passages, as they stand: the state they end in, or what the person meets.
@pytest.mark.parametrize(
    ("standing", "who", "act", "ends"),
    [
        ("proposed", "olga", "accept", "checked"),
        ("proposed", "olga", "reject", "rejected"),
        ("proposed", "anna", "withdraw", "withdrawn"),
        ("proposed", "anna", "accept", (NotAllowed, "You wrote these yourself")),
        ("proposed", "anna", "reject", (NotAllowed, "You wrote these yourself")),
        ("proposed", "olga", "withdraw", (NotAllowed, "Another person wrote these")),
        ("checked", "carl", "accept", (Conflict, "is checked")),
        ("checked", "carl", "reject", (Conflict, "is checked")),
        ("checked", "anna", "withdraw", (Conflict, "is checked")),
        ("rejected", "carl", "accept", (Conflict, "is rejected")),
        ("rejected", "anna", "withdraw", (Conflict, "is rejected")),
        ("withdrawn", "olga", "accept", (Conflict, "is withdrawn")),
        ("withdrawn", "olga", "reject", (Conflict, "is withdrawn")),
        # A second click meets what the first one did.
        ("checked", "olga", "accept", "checked"),
        ("rejected", "olga", "reject", "rejected"),
        ("withdrawn", "anna", "withdraw", "withdrawn"),
    ],
)
def test_who_may_do_what(question, anna, olga, standing, who, act, ends):
    made = written(question, anna)
    do = acts(question, made.pk)
    before = {"checked": "accept", "rejected": "reject", "withdrawn": "withdraw"}.get(standing)
    if before:
        do[before](anna if before == "withdraw" else olga)
    row = RevisedPassage.objects.values().get()
    somebody = {"anna": anna, "olga": olga}.get(who) or person(who, Role.RESEARCHER)
    if isinstance(ends, str):
        do[act](somebody)
        assert RevisedPassage.objects.get().state == ends
    else:
        with pytest.raises(ends[0], match=ends[1]):
            do[act](somebody)
    if before or not isinstance(ends, str):
        assert RevisedPassage.objects.values().get() == row


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (Texts(" ", "Begun in 1803.", "1803"), "A passage is empty"),
        (Texts("Built in 1803.", "\r\n", "1803"), "A passage is empty"),
        (Texts("Built in 1803.", "Begun in 1803.", " "), "Give the one answer"),
        (
            Texts("The Old Mill was built in 1791.", "Begun in 1803, the Old Mill ", "1791"),
            "Nothing was changed",
        ),
        (Texts("x" * 20_001, "Begun in 1803.", "1803"), "passage 1 has 20,001 characters"),
        (Texts("Built.", "x" * 20_001, "1803"), "passage 2 has 20,001 characters"),
        (Texts("Built.", "Begun in 1803.", "x" * 1_001), "answer has 1,001 characters"),
    ],
)
def test_texts_that_no_model_can_be_asked_about_are_refused(question, anna, texts, says):
    with pytest.raises(Refusal, match=says):
        written(question, anna, texts)
    assert not RevisedPassage.objects.exists()


def test_a_rejection_says_what_is_wrong(question, anna, olga):
    made = written(question, anna)
    with pytest.raises(Refusal, match="Say what is wrong"):
        revisions.reject(instance=question, revision=made.pk, note=" ", by=olga)


def test_where_both_answers_come_from_one_passage_it_is_written_once(anna):
    same = record(given=annotation(wikitag_label_samepassage="Same"))
    question = Instance.objects.get(contradiction__collection=mills(same))
    made = written(question, anna, Texts("Built in 1803.", "", "1803"))
    assert (made.passage_1, made.passage_2) == ("Built in 1803.", "Built in 1803.")
    assert len(revisions.diffs(made, question)) == 1


def test_the_difference_is_shown_word_by_word(question, anna):
    first, second = revisions.diffs(written(question, anna), question)
    assert [piece for piece in first if piece.kind != "same"] == [
        ("gone", "1791"),
        ("new", "1803"),
    ]
    assert {piece.kind for piece in second} == {"same"}


@pytest.mark.both
def test_a_later_revision_replaces_the_checked_one_only_when_it_is_accepted(question, anna, olga):
    first = written(question, anna)
    acts(question, first.pk)["accept"](olga)
    better = written(question, anna, AGREED._replace(answer="In 1803"))
    first.refresh_from_db()
    assert first.state == "checked"
    acts(question, better.pk)["accept"](olga)
    states = {row.pk: row.state for row in RevisedPassage.objects.all()}
    assert states == {first.pk: "replaced", better.pk: "checked"}


@pytest.mark.both
def test_one_revision_waits_at_a_time_and_a_second_click_makes_no_other(question, anna, olga):
    assert written(question, anna) == written(question, anna)
    for by, texts in ((olga, AGREED), (anna, AGREED._replace(answer="Other"))):
        with pytest.raises(Conflict, match="wait for a check already"):
            written(question, by, texts)


def test_nothing_is_written_for_a_version_that_no_run_asks_about(question, anna):
    old = question.contradiction
    edited(old, title="Corrected")
    with pytest.raises(Conflict, match="A newer version"):
        written(question, anna)
    assert Contradiction.objects.count() == 2


def test_the_form_begins_with_the_latest_or_with_the_originals(question, anna, olga):
    originals = Texts("The Old Mill was built in 1791.", "Begun in 1803, the Old Mill ")
    assert revisions.starting_from(question) == originals
    acts(question, written(question, anna).pk)["reject"](olga)
    assert revisions.starting_from(question) == AGREED
    assert revisions.starting_from(question, afresh=True) == originals


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_of_two_who_submit_at_once_one_is_refused(question, anna, olga):
    met = at_once(
        lambda: written(question, anna),
        lambda: written(question, olga, AGREED._replace(answer="x")),
    )
    assert sorted(type(one).__name__ for one in met) == ["Conflict", "NoneType"]
    assert RevisedPassage.objects.count() == 1


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("first", "then"), [("accept", "withdraw"), ("withdraw", "accept")])
def test_accepting_and_withdrawing_at_once_end_in_one_of_the_two(question, anna, olga, first, then):
    do = acts(question, written(question, anna).pk)
    by = {"accept": olga, "withdraw": anna}
    met = overlapping(lambda: do[first](by[first]), lambda: do[then](by[then]))
    assert isinstance(met, Conflict)
    assert (
        RevisedPassage.objects.get().state == {"accept": "checked", "withdraw": "withdrawn"}[first]
    )
