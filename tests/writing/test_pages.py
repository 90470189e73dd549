"""The pages by which people write, check and oversee, without script."""

import json

import pytest

from accounts.roles import Role
from accounts.tokens.scopes import Scope
from tests.factories import person, signed_in
from tests.programs import Program
from tests.writing import factories as make
from tests.writing.factories import ANSWERED, record
from tests.writing.test_entries import replaced
from writing import saving
from writing.models import Entry, Writing

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(client):
    return signed_in(client, make.annotator("alice"))


def text_of(answer):
    return answer.content.decode()


def post(client, entry, action="save", version=None, **fields):
    data = {"version": entry.version if version is None else version, "action": action, **fields}
    return client.post(f"/writing/entries/{entry.pk}/", data)


def test_an_admin_opens_a_form_and_an_annotator_finds_it(client, alice, olga):
    make.collection()
    signed_in(client, olga)
    assert "Answer the question" in text_of(client.get("/writing/new/weirs/"))
    assert "/writing/new/weirs/" in text_of(client.get("/writing/"))
    client.post("/writing/new/weirs/", {"form": "answers"})
    signed_in(client, alice)
    assert "1 left for you" in text_of(client.get("/writing/"))
    answer = client.post(f"/writing/{Writing.objects.get().pk}/take/", follow=True)
    page = text_of(answer)
    assert "Old Weir was built in 1783." in page  # the record
    assert "Answer by the passage alone." in page
    assert "The passage says that …" in page


def test_a_form_that_is_open_already_is_refused_on_its_page(client, olga):
    make.opened(within=make.collection())
    signed_in(client, olga)
    answer = client.post("/writing/new/weirs/", {"form": "answers"})
    assert answer.status_code == 400
    assert "This form is open for this collection already." in text_of(answer)


def test_a_collection_whose_protocol_has_no_form_says_so(client, olga):
    make.collection(text=make.TEXT[: make.TEXT.index("[[form]]")])
    signed_in(client, olga)
    answer = client.get("/writing/new/weirs/")
    assert "The protocol of weirs declares no form." in text_of(answer)


def test_a_draft_is_saved_by_its_button_and_comes_back(client, alice):
    entry = make.taken(make.opened(), alice)
    given = {"answer": "1783", "kind": ["name", "date"], "level": "hard", "sure": "4", "seen": "on"}
    assert post(client, entry, **given).status_code == 302
    assert Entry.objects.get().values == {
        "answer": "1783", "aliases": "", "sure": 4, "rationale": "", "kind": ["name", "date"], "level": "hard",
        "seen": True,
    }  # fmt: skip
    page = text_of(client.get(f"/writing/entries/{entry.pk}/"))
    assert 'value="1783"' in page


def test_what_is_missing_is_named_and_the_rest_is_saved(client, alice):
    entry = make.taken(make.opened(), alice)
    answer = post(client, entry, "submit", answer="1783", rationale=" \n ")
    assert answer.status_code == 400
    page = text_of(answer)
    assert "Not submitted yet." in page
    assert '<a href="#id_rationale">“Rationale” is missing.</a>' in page
    assert Entry.objects.get().values["answer"] == "1783"


def test_a_rationale_of_20_000_characters_is_refused_with_the_limit_and_stays_in_the_form(client, alice):  # fmt: skip
    entry = make.taken(make.opened(), alice)
    answer = post(client, entry, "submit", **{**ANSWERED, "rationale": "x" * 20_000})
    assert answer.status_code == 400
    page = text_of(answer)
    assert "“Rationale” has 20,000 characters; at most 10,000 can be kept. Shorten it." in page
    assert "x" * 20_000 in page
    assert Entry.objects.get().version == 0


@pytest.mark.parametrize("forged", [{"level": "impossible"}, {"kind": ["date", "place"]}, {"sure": "6"}])  # fmt: skip
def test_a_choice_outside_its_options_is_refused(client, alice, forged):
    entry = make.taken(make.opened(), alice)
    answer = post(client, entry, "submit", **ANSWERED, **forged)
    assert answer.status_code == 400
    assert "has no such option, only " in text_of(answer)
    assert Entry.objects.get().version == 0


def test_what_the_combination_fills_cannot_be_forged(client, alice):
    entry = make.taken(make.opened("forms"), alice)
    forged = {"mood": "negated", "condition": "contradicting"}
    post(client, entry, "submit_stop", text="It may be.", **forged)
    assert Entry.objects.get().values == {"text": "It may be."}
    assert Entry.objects.get().combination == ["supported", "modal"]


def test_a_rejection_without_reason_is_refused_and_keeps_the_form(client, alice):
    entry = make.taken(make.opened(), alice)
    answer = post(client, entry, "reject", answer="1783", reason="  ")
    assert answer.status_code == 400
    assert "Say why nothing can be written for this record" in text_of(answer)
    assert 'value="1783"' in text_of(answer)
    post(client, Entry.objects.get(), "reject", answer="1783", reason="Two weirs.")
    assert Entry.objects.get().state == "rejected"


def test_the_older_tab_sees_both_texts_and_overwrites_nothing(client, alice):
    entry = make.taken(make.opened(), alice)
    post(client, entry, answer="1783")
    answer = post(client, entry, version=0, answer="1791")
    assert answer.status_code == 412
    page = text_of(answer)
    assert "Nothing was overwritten" in page
    assert '<pre dir="auto" lang="" translate="no">1791</pre>' in page
    assert '<pre dir="auto" lang="" translate="no">1783</pre>' in page
    assert 'name="version" value="1"' in page
    assert Entry.objects.get().values["answer"] == "1783"


def test_what_is_typed_into_a_page_whose_entry_is_handed_in_is_shown_to_copy(client, alice):
    entry = make.submitted(make.opened(), alice)
    answer = post(client, entry, version=0, answer="Typed since")
    assert answer.status_code == 409
    assert "it can no longer be changed." in text_of(answer)
    assert "Typed since" in text_of(answer)


def test_a_superseded_record_is_told_and_the_entry_carried(client, alice):
    entry = make.taken(make.opened(), alice)
    replaced(entry.record, context="It was built in 1791.")
    answer = post(client, entry, "submit", **ANSWERED)
    assert answer.status_code == 409
    assert "The record has a newer version since you took it." in text_of(answer)
    assert "Carry to the newest version" in text_of(answer)
    post(client, Entry.objects.get(), "carry", **ANSWERED)
    page = text_of(client.get(f"/writing/entries/{entry.pk}/"))
    assert "It was built in 1791." in page
    assert 'value="1783"' in page


def test_after_a_submission_the_next_record_opens(client, alice):
    writing = make.opened(within=make.collection(record("Old Weir"), record("New Weir")))
    entry = make.taken(writing, alice)
    answer = post(client, entry, "submit", **ANSWERED)
    following = Entry.objects.get(record__title="New Weir")
    assert answer["Location"] == f"/writing/entries/{following.pk}/"
    make.save(following, answer="1800")
    answer = post(client, Entry.objects.get(pk=following.pk), "submit_stop", **ANSWERED)
    assert answer["Location"] == "/writing/"


def test_what_is_given_up_can_be_continued_from_the_list(client, alice):
    entry = make.taken(make.opened(), alice)
    post(client, entry, "give_up", answer="1783")
    assert "Given up" in text_of(client.get("/writing/"))
    client.post(f"/writing/entries/{entry.pk}/take-up/")
    assert Entry.objects.get().state == "draft"


def test_another_person_checks_next_to_the_record(client):
    alice = make.annotator("alice")
    entry = make.submitted(make.opened(), alice)
    signed_in(client, make.annotator("bob"))
    assert f"/writing/entries/{entry.pk}/check/" in text_of(client.get("/writing/"))
    address = f"/writing/entries/{entry.pk}/check/"
    page = text_of(client.get(address))
    assert "Old Weir was built in 1783." in page
    assert ANSWERED["rationale"] in page
    answer = client.post(address, {"version": 1, "act": "send_back", "note": " "})
    assert answer.status_code == 400
    assert "Say what is to be changed" in text_of(answer)
    client.post(address, {"version": 1, "act": "send_back", "note": "Which century?"})
    signed_in(client, alice)
    assert "Which century?" in text_of(client.get("/writing/"))
    assert "Which century?" in text_of(client.get(f"/writing/entries/{entry.pk}/"))


def test_the_note_of_who_checks_later_is_shown_to_copy(client):
    entry = make.submitted(make.opened(), make.annotator("alice"))
    bob = make.annotator("bob")
    given = {"version": 1, "act": "send_back"}
    signed_in(client, make.annotator("charlie"))
    client.post(f"/writing/entries/{entry.pk}/check/", {**given, "note": "Which century?"})
    signed_in(client, bob)
    answer = client.post(f"/writing/entries/{entry.pk}/check/", {**given, "note": "Name a source."})
    assert answer.status_code == 403
    assert "Another person may have decided about this entry" in text_of(answer)
    assert "Name a source." in text_of(answer)


def test_a_check_says_what_it_made(client):
    entry = make.submitted(make.opened(), make.annotator("alice"))
    signed_in(client, make.annotator("bob"))
    given = {"version": 1, "act": "check"}
    answer = client.post(f"/writing/entries/{entry.pk}/check/", given, follow=True)
    assert "Checked: Old Weir. It made record no. 1, version 2." in text_of(answer)


def test_after_a_check_the_next_of_the_form_opens(client):
    writing = make.opened(within=make.collection(record("Old Weir"), record("New Weir")))
    alice = make.annotator("alice")
    first, second = make.submitted(writing, alice), make.submitted(writing, alice)
    signed_in(client, make.annotator("bob"))
    given = {"version": 1, "act": "check"}
    answer = client.post(f"/writing/entries/{first.pk}/check/", given)
    assert answer["Location"] == f"/writing/entries/{second.pk}/check/"
    back = {"version": 1, "act": "send_back", "note": "Which century?"}
    assert client.post(f"/writing/entries/{second.pk}/check/", back)["Location"] == "/writing/"


@pytest.mark.both
def test_the_overview_has_the_counts_and_what_each_base_has(client, olga):
    writing = make.opened("forms")
    entry = make.submitted(writing, make.annotator("alice"), text="It may be.")
    make.checked(entry, make.annotator("bob"))
    signed_in(client, olga)
    page = text_of(client.get(f"/writing/{writing.pk}/"))
    assert "2 of 6" in page
    assert "0 of 1 bases are complete" in page
    assert "supported · negated" in page


def test_the_file_is_linked_from_the_collection(client, olga):
    writing = make.opened()
    make.checked(make.submitted(writing, make.annotator("alice")), make.annotator("bob"))
    rosa = person("rosa", Role.RESEARCHER)
    signed_in(client, rosa)
    address = "/writing/collections/weirs/entries.jsonl"
    assert address in text_of(client.get("/collections/weirs/"))
    answer = client.get(address)
    lines = b"".join(answer).decode().splitlines()
    assert [json.loads(line).get("state") for line in lines] == [None, "checked"]


def test_the_autosave_stores_and_tells_of_a_newer_version_of_the_record(client, alice):
    entry = make.taken(make.opened(), alice)
    address = f"/api/entries/{entry.pk}/"
    options = {"content_type": "application/json", "headers": {"If-Match": '"0"'}}
    answer = client.patch(address, {"entries": {"answer": "1783"}}, **options)
    assert (answer.status_code, answer.json()["version"], answer.json()["notices"]) == (200, 1, [])
    assert client.patch(address, {"entries": {"answer": "1791"}}, **options).status_code == 412
    replaced(entry.record, context="New.")
    again = {**options, "headers": {"If-Match": '"1"'}}
    answer = client.patch(address, {"entries": {"answer": "1791"}}, **again)
    assert answer.json()["notices"] == [saving.SUPERSEDED]
    answer = client.patch(address, {"entries": {"level": "none"}}, **again)
    assert answer.json()["error"].startswith("Not saved: “Level” has no such option, only ")


def test_a_program_saves_its_person_s_own_entry_from_the_version_that_it_names(alice):
    entry = make.taken(make.opened(), alice)
    address, body = f"/api/entries/{entry.pk}/", {"entries": {"answer": "1783"}}
    program = Program(alice)
    assert program.send("PATCH", address, body).status_code == 428
    saved = program.send("PATCH", address, body, if_match='"0"')
    assert (saved.status_code, saved["ETag"]) == (200, '"1"')
    wrong = program.send("PATCH", address, {"entries": {"odd": "x"}}, if_match='"1"')
    assert (wrong.status_code, [*wrong.json()["fields"]]) == (400, ["odd"])
    other = Program(make.annotator("bob"))
    assert other.send("PATCH", address, body, if_match='"1"').status_code == 404
    reading = Program(alice, Scope.READ).send("PATCH", address, body, if_match='"1"')
    assert (reading.status_code, reading.json()["code"]) == (403, "scope_missing")


def test_an_annotator_who_may_still_write_reads_no_entries_of_others(client, olga):
    writing = make.opened(within=make.collection(record("Old Weir"), record("New Weir")))
    bob = make.annotator("bob")
    draft = make.taken(writing, bob)
    make.save(draft, answer="hidden")
    signed_in(client, person("ada", Role.ANNOTATOR, Role.ADMIN, Role.RESEARCHER))
    for address in (
        f"/writing/entries/{draft.pk}/check/",
        "/writing/collections/weirs/entries.jsonl",
        f"/people/{bob.pk}/data.json",
    ):
        answer = client.get(address)
        assert answer.status_code == 403, address
        assert "You may still write for the same record." in text_of(answer)
    client.post(f"/writing/{writing.pk}/close/")
    assert client.get(f"/writing/entries/{draft.pk}/check/").status_code == 200
    assert client.get(f"/writing/entries/{draft.pk}/").status_code == 404
