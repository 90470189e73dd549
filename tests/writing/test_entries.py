"""Entries: taken once, saved, handed in, checked by another person, and what they make."""

import json
from functools import partial

import pytest
from django.db import IntegrityError, transaction

from accounts.models import AuditEvent
from datasets.declared.records import parse_declared
from datasets.drawing import SubsetPlan
from datasets.models import Contradiction, Instance
from datasets.records import current, read_draft, record_of, supersede
from datasets.subsets import Query, freeze
from leases.clock import in_seconds
from leases.refusal import NotFoundHere, StaleVersion
from operations.forgetting import forget
from protocols.uses import uses_of
from tests.races import at_once
from tests.writing import factories as make
from tests.writing.factories import ANSWERED, record, refused
from writing import checking, openings, saving, taking
from writing.entry_files import entry_lines
from writing.models import Entry, Writing
from writing.overview import base_lines
from writing.states import EntryState

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def bob():
    return make.annotator("bob")


def replaced(row: Contradiction, **fields) -> Contradiction:
    """The record's next version, as another person made it meanwhile."""
    newer = {**row.fields, **fields}
    draft = read_draft(parse_declared(row.collection.declaration, newer))
    return supersede(contradiction=row, draft=draft)


def newest(weirs):
    return [record_of(row) for row in current(weirs).defer(None)]


# ---------------------------------------------------------------- taking


def test_each_record_goes_to_one_person_in_order(alice, bob):
    writing = make.opened(within=make.collection(record("Old Weir"), record("New Weir")))
    assert make.taken(writing, alice).record.title == "Old Weir"
    assert make.taken(writing, bob).record.title == "New Weir"
    assert taking.take_next(writing, make.annotator("charlie")) is None


def test_what_is_not_begun_is_opened_again(alice):
    writing = make.opened(within=make.collection(record("Old Weir"), record("New Weir")))
    first = make.taken(writing, alice)
    assert make.taken(writing, alice) == first
    make.save(first, answer="1783")
    assert make.taken(writing, alice).record.title == "New Weir"


def test_the_database_takes_no_second_live_entry_for_a_record(alice, bob):
    entry = make.taken(make.opened(), alice)
    copy = {"writing": entry.writing, "record": entry.record, "target": entry.target}
    with pytest.raises(IntegrityError, match="target"), transaction.atomic():
        Entry.objects.create(author=bob, **copy)


def test_nobody_holds_more_than_ten(alice):
    writing = make.opened(within=make.collection(*(record(f"Weir {n}") for n in range(12))))
    for n in range(10):
        make.save(make.taken(writing, alice), answer=str(n))
    assert refused(taking.take_next, writing, alice).startswith("You have 10 entries in progress")


def test_a_closed_form_gives_out_nothing_and_what_is_in_hand_goes_on(alice, bob, olga):
    writing = make.opened(within=make.collection(record("Old Weir"), record("New Weir")))
    entry = make.taken(writing, alice)
    openings.close(writing, olga)
    assert (
        refused(taking.take_next, writing, bob)
        == "This form is closed: nobody takes a further record."
    )
    saving.submit(entry, by=alice, version=0, changes=ANSWERED)
    assert make.checked(entry, bob).made.version == 2
    openings.reopen(Writing.objects.get(), olga)
    assert make.taken(Writing.objects.get(), bob)
    about = "form answers of weirs version 1, for weirs"
    said = list(AuditEvent.objects.filter(kind="writing").values_list("about", flat=True))
    assert said == [f"opened: {about}", f"closed: {about}", f"opened again: {about}"]


def test_a_form_is_open_once_for_a_collection(olga):
    weirs = make.collection()
    first = make.opened(within=weirs)
    assert refused(make.opened, within=weirs) == "This form is open for this collection already."
    openings.close(first, olga)
    make.opened(within=weirs)
    assert refused(openings.reopen, first, olga) == "This form is open for this collection already."


def test_only_a_form_of_its_protocol_can_be_opened():
    assert refused(make.opened, "riddles") == "The protocol of weirs declares no form 'riddles'."


def test_a_form_for_a_subset_gives_out_its_records_alone(alice):
    weirs = make.collection(record("Old Weir"), record("New Weir"))
    drawn = freeze("one", weirs, Query(), SubsetPlan(1, wanted={"": 1}), by=None)
    writing = make.opened(within=weirs, subset=drawn)
    only = Instance.objects.get(subsets=drawn).contradiction
    assert make.taken(writing, alice).record == only
    assert taking.take_next(writing, make.annotator("charlie")) is None


def test_what_is_given_up_goes_to_another_person_and_is_kept(alice, bob):
    writing = make.opened()
    entry = make.taken(writing, alice)
    make.save(entry, answer="1783")
    taking.give_up(entry)
    assert taking.take_next(writing, alice) is None  # it goes on by "Continue"
    his = make.taken(writing, bob)
    assert (
        refused(taking.take_up, entry, alice)
        == "Another person writes this now. What you entered is kept."
    )
    taking.give_up(his)
    taking.take_up(entry, alice)
    assert Entry.objects.get(author=alice).values["answer"] == "1783"


def test_an_abandoned_entry_is_freed_and_kept(alice, bob):
    writing = make.opened()
    entry = make.taken(writing, alice)
    make.save(entry, answer="1783")
    assert taking.sweep_entries() == 0
    Entry.objects.update(lease_until=in_seconds(-1))
    assert taking.sweep_entries() == 1
    assert make.taken(writing, bob).author == bob
    entry.refresh_from_db()
    assert (entry.state, entry.values["answer"]) == (EntryState.GIVEN_UP, "1783")


# ---------------------------------------------------------------- saving


def test_the_older_of_two_tabs_is_told_and_nothing_is_lost(alice):
    entry = make.taken(make.opened(), alice)
    older = taking.own_entry(entry.pk, alice)
    make.save(entry, answer="1783")
    with pytest.raises(StaleVersion) as stale:
        saving.save(older, by=alice, version=0, changes={"answer": "1791"})
    assert stale.value.message.startswith("This entry was saved elsewhere since you opened it")
    sides = stale.value.details
    assert (sides["mine"]["answer"], sides["theirs"]["answer"]) == ("1791", "1783")
    assert (sides["version"], sides["fields"]) == (1, ["answer"])
    assert Entry.objects.get().values["answer"] == "1783"


def test_a_save_that_is_sent_again_makes_no_new_version(alice):
    entry = make.taken(make.opened(), alice)
    make.save(entry, answer="1783")
    saving.save(entry, by=alice, version=0, changes={"answer": "1783"})
    assert Entry.objects.get().version == 1


def test_another_persons_entry_is_not_there(alice, bob):
    entry = make.taken(make.opened(), alice)
    with pytest.raises(NotFoundHere):
        taking.own_entry(entry.pk, bob)


def test_what_is_handed_in_cannot_be_changed(alice):
    entry = make.submitted(make.opened(), alice)
    said = refused(saving.save, entry, by=alice, version=1, changes={"answer": "1791"})
    assert said == "This entry is waiting for a check; it can no longer be changed."


@pytest.mark.parametrize("rationale", ["", "  \n\t "])
def test_a_rationale_of_blanks_is_missing(alice, rationale):
    entry = make.taken(make.opened(), alice)
    changes = {**ANSWERED, "rationale": rationale}
    (gap,) = saving.submit(entry, by=alice, version=0, changes=changes)
    assert gap.label == "Rationale"
    assert Entry.objects.get().state == EntryState.DRAFT
    assert Entry.objects.get().values["answer"] == "1783"


# ---------------------------------------------------------------- rejecting and checking


@pytest.mark.parametrize("reason", ["", " \n "])
def test_a_rejection_needs_a_reason(alice, reason):
    entry = make.taken(make.opened(), alice)
    said = refused(saving.reject, entry, by=alice, version=0, changes={}, reason=reason)
    assert said == "Say why nothing can be written for this record: the person who checks reads it."
    with pytest.raises(IntegrityError, match="reason"), transaction.atomic():
        Entry.objects.update(state=EntryState.REJECTED)


def test_a_long_reason_is_refused_with_the_limit(alice):
    entry = make.taken(make.opened(), alice)
    said = refused(saving.reject, entry, by=alice, version=0, changes={}, reason="x" * 2_001)
    assert said == "The reason has 2,001 characters; at most 2,000 can be kept. Shorten it."


def test_a_rejection_is_checked_too_and_makes_nothing(alice, bob):
    writing = make.opened()
    entry = make.taken(writing, alice)
    saving.reject(entry, by=alice, version=0, changes={"answer": "1783"}, reason="Two weirs.")
    done = make.checked(entry, bob)
    assert (done.state, done.reason, done.made) == (EntryState.CHECKED, "Two weirs.", None)
    assert taking.take_next(writing, make.annotator("charlie")) is None
    assert newest(writing.collection) == [record()]


def test_the_author_cannot_check(alice, bob):
    entry = make.submitted(make.opened(), alice)
    said = "You wrote this yourself: another annotator has to check it."
    assert refused(make.checked, entry, alice) == said
    assert refused(checking.send_back, entry, by=alice, version=1, note="No") == said
    with pytest.raises(IntegrityError, match="checked_by_another"), transaction.atomic():
        Entry.objects.update(checker=alice)


def test_sending_back_needs_a_note_which_its_author_reads(alice, bob):
    entry = make.submitted(make.opened(), alice)
    said = refused(checking.send_back, entry, by=bob, version=1, note="  ")
    assert said == "Say what is to be changed, so that the author can do it."
    checking.send_back(entry, by=bob, version=1, note="Which century?")
    back = taking.own_entry(entry.pk, alice)
    assert (back.state, back.note) == (EntryState.SENT_BACK, "Which century?")
    assert saving.submit(back, by=alice, version=1, changes={**ANSWERED, "answer": "In 1783"}) == []
    assert make.checked(back, bob).made.fields["answer"] == "In 1783"


def test_a_rejection_that_was_sent_back_can_become_an_entry(alice, bob):
    entry = make.taken(make.opened(), alice)
    saving.reject(entry, by=alice, version=0, changes={}, reason="Two weirs.")
    checking.send_back(entry, by=bob, version=0, note="It is one.")
    entry.refresh_from_db()
    assert saving.submit(entry, by=alice, version=0, changes=ANSWERED) == []
    assert (entry.state, entry.reason) == (EntryState.WRITTEN, "")


def test_what_has_changed_since_it_was_opened_is_not_checked(alice, bob):
    entry = make.submitted(make.opened(), alice)
    checking.send_back(entry, by=bob, version=1, note="Which century?")
    entry.refresh_from_db()
    saving.submit(entry, by=alice, version=1, changes={**ANSWERED, "answer": "In 1783"})
    said = refused(checking.check, entry, by=bob, version=1)
    assert said == "This entry has changed since you opened it. Read it again below, then decide."


def test_a_second_click_checks_once(alice, bob):
    entry = make.submitted(make.opened(), alice)
    first = make.checked(entry, bob)
    assert make.checked(entry, bob).made == first.made
    assert refused(make.checked, entry, make.annotator("charlie")) == (
        "This entry is checked; it cannot be changed that way any more."
    )


# ---------------------------------------------------------------- what an entry makes


def test_a_checked_entry_makes_the_next_version_and_old_rows_stay(alice, bob):
    writing = make.opened()
    before = Instance.objects.get()
    made = make.checked(make.submitted(writing, alice), bob).made
    assert (made.version, made.supersedes, made.author) == (2, before.contradiction, alice)
    assert newest(writing.collection) == [record(answer="1783")]
    before.refresh_from_db()
    assert before.contradiction.fields["answer"] == ""
    assert taking.take_next(writing, make.annotator("charlie")) is None


def test_an_entry_that_changes_nothing_of_the_record_is_kept_as_entry(alice, bob):
    writing = make.opened(within=make.collection(record(answer="1783")))
    done = make.checked(make.submitted(writing, alice), bob)
    assert (done.state, done.made) == (EntryState.CHECKED, None)


def test_a_form_that_makes_nothing_keeps_the_entry_alone(alice, bob):
    writing = make.opened("notes")
    done = make.checked(make.submitted(writing, alice, note="Odd."), bob)
    assert (done.values, done.made) == ({"note": "Odd."}, None)


def test_a_record_that_the_protocol_does_not_allow_is_refused_when_it_is_handed_in(alice):
    text = make.TEXT.replace('required = true\nfills = "answer"', 'fills = "question"')
    entry = make.taken(make.opened(within=make.collection(text=text)), alice)
    said = refused(saving.submit, entry, by=alice, version=0, changes={**ANSWERED, "answer": " "})
    assert said.startswith("This makes no record of the protocol: 'question' is empty")
    assert Entry.objects.get().state == EntryState.DRAFT


# ---------------------------------------------------------------- further records of a base


def test_people_write_each_combination_that_a_base_lacks_once(alice, bob):
    writing = make.opened("forms")
    entry = make.taken(writing, alice)
    assert entry.combination == ["supported", "modal"]
    assert entry.values == {"text": "It is unlikely that Old Weir was built in 1783."}
    assert make.taken(writing, bob).combination == ["supported", "negated"]
    assert saving.submit(entry, by=alice, version=0, changes={"text": "It may be of 1783."}) == []
    made = make.checked(entry, bob).made
    assert record_of(made) == record(form="modal", context="It may be of 1783.")
    assert (made.version, made.position) == (1, 1)


def test_a_base_is_complete_with_a_record_for_each_combination(alice, bob):
    writing = make.opened("forms")
    for done in range(1, 6):
        ((line,),) = base_lines(writing)[1:]
        assert (line.done, line.total) == (done, 6)
        make.checked(make.submitted(writing, alice, text=f"Text {done}"), bob)
    combinations, (line,) = base_lines(writing)
    assert (line.done, line.there, len(combinations)) == (6, [True] * 6, 6)
    assert taking.take_next(writing, make.annotator("charlie")) is None


def test_a_record_that_is_there_meanwhile_is_said_when_it_is_handed_in(alice):
    writing = make.opened("forms")
    entry = make.taken(writing, alice)
    make.add(writing.collection, record(form="modal", context="Perhaps."))
    said = refused(saving.submit, entry, by=alice, version=0, changes={"text": "Maybe."})
    assert said.startswith("Somebody has added a record of this base and combination since.")
    assert Entry.objects.get().values == {"text": "Maybe."}


def test_a_record_that_is_there_meanwhile_is_said_when_it_is_checked(alice, bob):
    writing = make.opened("forms")
    entry = make.submitted(writing, alice, text="Maybe.")
    make.add(writing.collection, record(form="modal", context="Perhaps."))
    assert refused(make.checked, entry, bob).startswith("Somebody has added a record of this base")
    assert Entry.objects.get().state == EntryState.WRITTEN


def test_what_a_form_has_made_is_no_record_to_write_for(alice, bob):
    making = 'makes = "record"\nbase = "weir"'
    text = make.TEXT.replace('makes = "nothing"', making) + 'fills = "context"\n'
    writing = make.opened("notes", within=make.collection(text=text))
    made = make.checked(make.submitted(writing, alice, note="Nobody built it."), bob).made
    assert record_of(made) == record(context="Nobody built it.")
    assert taking.take_next(writing, make.annotator("charlie")) is None


# ---------------------------------------------------------------- superseded meanwhile


def test_an_entry_for_a_superseded_record_is_kept_and_carried_by_its_author(alice, bob):
    entry = make.taken(make.opened(), alice)
    newer = replaced(entry.record, context="Old Weir was built in 1791.")
    said = refused(saving.submit, entry, by=alice, version=0, changes=ANSWERED)
    assert said == saving.SUPERSEDED
    assert Entry.objects.get().values["answer"] == "1783"
    saving.carry(entry, by=alice)
    assert entry.record == newer
    assert saving.submit(entry, by=alice, version=1, changes={"answer": "1791"}) == []
    made = make.checked(entry, bob).made
    assert (made.version, made.fields["context"]) == (3, "Old Weir was built in 1791.")


def test_an_entry_whose_record_was_superseded_after_it_was_handed_in_goes_back(alice, bob):
    entry = make.submitted(make.opened(), alice)
    replaced(entry.record, context="Old Weir was built in 1791.")
    assert refused(make.checked, entry, bob) == checking.SUPERSEDED
    checking.send_back(entry, by=bob, version=1, note="There is a newer version.")
    entry.refresh_from_db()
    saving.carry(entry, by=alice)
    assert saving.submit(entry, by=alice, version=1, changes={}) == []
    assert make.checked(entry, bob).made.version == 3


def test_what_waits_for_a_check_is_not_carried(alice):
    entry = make.submitted(make.opened(), alice)
    said = refused(saving.carry, entry, by=alice)
    assert said == "This entry is waiting for a check; it can no longer be changed."


# ---------------------------------------------------------------- the file


def test_the_file_has_all_entries_with_pseudonyms(alice, bob):
    writing = make.opened(within=make.collection(record("Old Weir"), record("New Weir")))
    done = make.checked(make.submitted(writing, alice), bob)
    lost = make.taken(writing, bob)
    saving.reject(lost, by=bob, version=0, changes={}, reason="Two weirs.")
    head, first, second = map(json.loads, entry_lines(writing.collection))
    assert head == {"format": "sic-et-non entries", "version": 1, "collection": "weirs"}
    assert first["record"] == {"id": done.record.external_id, "version": 1, "position": 0}
    assert first["made"] == {"id": done.made.external_id, "version": 2, "position": 0}
    assert (first["author"], first["checker"]) == (alice.pseudonym, bob.pseudonym)
    assert (first["form"], first["state"], first["combination"]) == ("answers", "checked", {})
    assert first["entries"]["answer"] == "1783"
    assert (second["state"], second["reason"], second["made"]) == ("rejected", "Two weirs.", None)


# ---------------------------------------------------------------- races


@pytest.mark.alone
@pytest.mark.django_db(transaction=True)
def test_of_two_who_take_the_same_record_one_gets_it():
    people = [make.annotator("alice"), make.annotator("bob")]
    writing = make.opened()
    results = []

    def take(who):
        results.append(taking.take_next(writing, who))

    assert at_once(*(partial(take, who) for who in people)) == [None, None]
    assert sorted(bool(result) for result in results) == [False, True]
    assert Entry.objects.count() == 1


@pytest.mark.alone
@pytest.mark.django_db(transaction=True)
def test_of_two_who_check_one_entry_one_does():
    alice = make.annotator("alice")
    entry = make.submitted(make.opened(), alice)
    people = [make.annotator("bob"), make.annotator("charlie")]
    told = at_once(*(partial(make.checked, entry, who) for who in people))
    assert sorted(refusal is None for refusal in told) == [False, True]
    assert Contradiction.objects.count() == 2


# ---------------------------------------------------------------- forgetting


def test_forgetting_a_person_keeps_entries_under_the_pseudonym(alice, bob, olga):
    writing = make.opened(within=make.collection(record("Old Weir"), record("New Weir")))
    make.checked(make.submitted(writing, alice), bob)
    waiting = make.submitted(writing, alice)
    forget(alice, by=olga)
    _, first, second = map(json.loads, entry_lines(writing.collection))
    assert (first["author"], second["author"]) == (alice.pseudonym, alice.pseudonym)
    assert make.checked(waiting, bob).made.author == alice


def test_an_opened_form_is_a_use_of_its_protocol(alice):
    writing = make.opened()
    found = uses_of([writing.protocol_id], alice)[writing.protocol_id]
    assert list(map(str, found)) == ["collection weirs", "form answers for weirs"]
