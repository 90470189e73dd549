"""The judge's pages, without script."""

import re

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains, assertRedirects

from generation.models import Response
from generation.prompts import prompting
from judging import pool, progress, studies, verdicts
from judging.models import JudgingSlot, Judgment
from tests.factories import stored
from tests.judging import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def slots(study, alice):
    return make.slots(study, alice)


def url_of(name, slot):
    return reverse(f"judging:{name}", args=[slot.pk])


def test_the_queue_names_what_is_left(client, study, alice):
    page = client.get("/judge/").content.decode()
    assert "Pilot" in page
    assert "Judged or skipped: 0 of 6" in page


def test_without_studies_the_queue_says_what_will_come(client):
    client.force_login(make.judge("dave"))
    assert "Nothing to judge." in client.get("/judge/").content.decode()


def test_next_leads_to_the_first_item_that_waits(client, study, slots):
    verdicts.give(slots[0], "correct")
    answer = client.get(f"/judge/{study.pk}/next/")
    assert answer.url == url_of("slot", slots[1])


def test_the_item_shows_question_gold_passages_response_and_criteria(client, slots):
    both = next(s for s in slots if s.item.response.prompt == "both-passages")
    page = client.get(url_of("slot", both)).content.decode()
    for words in (
        "When was abbey 1 founded?",
        "1101",
        "1201",
        "Abbey 1 was founded in 1101.",
        "Abbey 1 was founded in 1201.",
        "some say.",
        "prefers neither",
        "Prompt 4",
    ):
        assert words in page
    assert page.index("founded in 1101.</div>") < page.index("founded in 1201.</div>")


@pytest.mark.parametrize(
    ("prompt", "shown", "not_shown"),
    [
        ("internal-knowledge", ["gave the model no passage", "1101", "1201"], ["Abbey 1 was"]),
        ("passage-1", ["Abbey 1 was founded in 1101.", "Unusual here"], ["1201"]),
    ],
)
def test_the_item_shows_only_what_its_prompt_has(client, slots, prompt, shown, not_shown):
    slot = next(s for s in slots if s.item.response.prompt == prompt)
    page = client.get(url_of("slot", slot)).content.decode()
    assert all(words in page for words in shown)
    assert not any(words in page for words in not_shown)


def test_a_passage_that_is_the_same_is_shown_once(client):
    run = make.run()
    same = make.instance(1, same_passage="Same")
    make.response(run, same, "both-passages", make.language_model())
    study = make.open_study(drawn_from=run)
    client.force_login(make.judge("alice"))
    [slot] = make.slots(study, make.judge("alice"))
    page = client.get(url_of("slot", slot)).content.decode()
    assert page.count("Abbey 1 was founded in 11") == 1
    assert "Passage 1 and 2, the same" in page
    assert "Abbey 1 was founded in 1201." not in page


def test_the_damage_of_a_prompt_is_an_error_of_the_program_and_not_shown(
    client, slots, monkeypatch
):
    monkeypatch.setattr(prompting, "prompts", lambda: prompting.parse({}, "broken.json"))
    with pytest.raises(prompting.PromptError):
        client.get(url_of("slot", slots[0]))
    client.raise_request_exception = False
    answer = client.get(url_of("slot", slots[0]))
    assert answer.status_code == 500
    assert b"broken.json" not in answer.content


def test_a_reply_cut_off_at_the_limit_says_so(client, slots):
    Response.objects.filter(pk=slots[0].item.response_id).update(finish_reason="length", text=" ")
    page = client.get(url_of("slot", slots[0])).content.decode()
    assert "Cut off at a limit" in page
    assert "The response is empty." in page
    assert "Cut off" not in client.get(url_of("slot", slots[1])).content.decode()


def test_a_checked_answer_is_shown_with_its_check_and_the_reply_below(client, slots):
    row = Response.objects.filter(pk=slots[0].item.response_id)
    row.update(text="5 km", follow_up=["Is “", "” so?"], check_reply="No <b>")
    page = client.get(url_of("slot", slots[0])).content.decode()
    places = [page.index(words) for words in ("5 km\n", "Is “5 km” so?", "No &lt;b&gt;")]
    assert places == sorted(places)
    assert "then asked" not in client.get(url_of("slot", slots[1])).content.decode()
    shown = client.get(reverse("judging:api_slot", args=[slots[0].pk])).json()["response"]
    assert (shown["check"], shown["check_reply"]) == ("Is “5 km” so?", "No <b>")


def test_findings_say_so_and_name_nobody(client, slots):
    rows = Response.objects.filter(pk=slots[0].item.response_id)
    rows.update(finding="filtered", text="", finish_reason="content_filter")
    page = client.get(url_of("slot", slots[0])).content.decode()
    assert "The answer was withheld by a content filter." in page
    assert "The response is empty." not in page
    rows.update(finding="refused", text="I cannot help with that.")
    page = client.get(url_of("slot", slots[0])).content.decode()
    assert "The model declined to answer." in page
    assert "I cannot help with that." in page
    rows.update(finding="aborted", text="", finish_reason="insufficient_system_resource")
    page = client.get(url_of("slot", slots[0])).content.decode()
    assert "The service broke the reply off." in page
    assert "insufficient_system_resource" not in page  # one service's own word


def test_a_skipped_answer_says_so_and_names_nobody(client, slots):
    rows = Response.objects.filter(pk=slots[0].item.response_id)
    rows.update(finding="skipped", text="", askings=3, error="No reply had the asked form.")
    page = client.get(url_of("slot", slots[0])).content.decode()
    assert "The model gave no answer of the asked form." in page
    assert "The response is empty." not in page
    assert "No reply had" not in page


def test_markup_in_a_response_is_text(client, slots):
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    Response.objects.filter(pk=slots[0].item.response_id).update(text=evil)
    page = client.get(url_of("slot", slots[0])).content.decode()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_verdict_is_stored_and_the_next_item_comes(client, study, slots):
    answer = client.post(url_of("slot", slots[0]), {"verdict": "correct", "comment": "Both."})
    assert answer.url == url_of("slot", slots[1])
    judgment = Judgment.objects.get()
    assert (judgment.slot, judgment.verdict, judgment.comment) == (slots[0], "correct", "Both.")


def test_a_second_tab_shows_both_entries_and_keeps_either(client, study, slots):
    url = url_of("slot", slots[0])
    page = client.get(url).content.decode()
    assert '<input type="hidden" name="version" value="0">' in page
    client.post(url, {"verdict": "correct", "comment": "First.", "version": "0"})
    answer = client.post(url, {"verdict": "incorrect", "comment": "Second.", "version": "0"})
    page = answer.content.decode()
    assert answer.status_code == 412
    both = page[page.index("Two entries for one item") : page.index("Store what I chose here")]
    for words in ("Correct", "First.", "Keep what is stored", "Incorrect", "Second."):
        assert words in both
    assert Judgment.objects.get().comment == "First."
    chosen = {"verdict": "incorrect", "comment": "Second.", "version": "1"}
    assert client.post(url, chosen).status_code == 302
    assert (Judgment.objects.get().verdict, slots[0].events.count()) == ("incorrect", 2)


def test_a_skip_from_a_second_tab_shows_both_entries(client, slots):
    client.post(url_of("slot", slots[0]), {"verdict": "correct"})
    answer = client.post(url_of("skip", slots[0]), {"reason": "Cut.", "version": "0"})
    assertContains(answer, "To skip it, undo the verdict first", status_code=412)
    assert Judgment.objects.exists()


def test_a_refused_verdict_keeps_the_comment(client, slots):
    answer = client.post(url_of("slot", slots[0]), {"verdict": "", "comment": "Half written"})
    assertContains(answer, "Half written", status_code=400)
    assertContains(answer, "Choose a verdict.", status_code=400)


def test_a_skip_without_reason_keeps_the_comment(client, slots):
    answer = client.post(url_of("skip", slots[0]), {"reason": "", "comment": "Half written"})
    assertContains(answer, "Half written", status_code=400)


def test_a_skip_with_a_reason_goes_on(client, study, slots):
    answer = client.post(url_of("skip", slots[0]), {"reason": "Cut."})
    assert answer.url == url_of("slot", slots[1])
    page = client.get(f"/judge/{study.pk}/").content.decode()
    assert "1 skipped" in page
    assert "Cut." in page


def test_a_flag_stays_on_the_item_with_what_was_typed(client, slots):
    typed = {"flag_note": "Look.", "comment": "Half a thought", "reason": "Half a reason"}
    page = client.post(url_of("flag", slots[0]), typed).content.decode()
    assert all(text in page for text in typed.values())
    slots[0].refresh_from_db()
    assert (slots[0].flagged, slots[0].flag_note) == (True, "Look.")
    client.post(url_of("flag", slots[0]), {"unflag": "1"})
    assert not stored(slots[0]).flagged


def test_undo_leads_back_to_the_item_with_its_comment(client, study, slots):
    client.post(url_of("slot", slots[0]), {"verdict": "correct", "comment": "A long thought."})
    answer = client.post(f"/judge/{study.pk}/undo/")
    assert answer.url == url_of("slot", slots[0])
    assert "A long thought." in client.get(answer.url).content.decode()
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("page", ["overview", "item"])
def test_the_undo_button_pressed_twice_takes_one_verdict_back(client, study, slots, page):
    for slot in slots[:3]:
        verdicts.give(slot, "correct")
    shown = f"/judge/{study.pk}/" if page == "overview" else f"/judge/slots/{slots[3].pk}/"
    address = re.search(r'action="([^"]*/undo/[^"]*)"', client.get(shown).content.decode())[1]
    for _ in range(2):
        answer = client.post(address)
        assertRedirects(answer, f"/judge/slots/{slots[2].pk}/")
    assert Judgment.objects.count() == 2


def test_undo_with_nothing_to_take_back_says_so(client, study, alice):
    assertContains(client.post(f"/judge/{study.pk}/undo/", follow=True), "no verdict to take back")


def test_undo_at_the_first_item_stays_on_it(client, study, slots):
    answer = client.post(f"/judge/{study.pk}/undo/", {"slot": str(slots[0].pk)}, follow=True)
    assertContains(answer, "no verdict to take back")
    assert answer.redirect_chain[-1][0] == url_of("slot", slots[0])


@pytest.mark.parametrize("slot", ["", "1", "of bob"])
def test_undo_leads_to_no_item_of_anybody_else(client, study, slots, slot):
    if slot == "of bob":
        slot = str(make.slots(study, make.judge("bob"))[0].pk)
    answer = client.post(f"/judge/{study.pk}/undo/", {"slot": slot})
    assert answer.url == f"/judge/{study.pk}/"


@pytest.fixture
def drawn_from_a_pool(client):
    """A pool of 12 responses, one judge each."""
    study = make.open_study("alice", "bob", pairing="pool", judges_per_response=1)
    client.force_login(make.judge("alice"))
    return study


def test_a_judge_draws_from_a_pool_and_each_verdict_leads_to_the_next(client, drawn_from_a_pool):
    overview = f"/judge/{drawn_from_a_pool.pk}/"
    assertContains(client.get(overview), "12 responses can still be drawn")
    assert client.get(f"{overview}next/").url == overview  # reading draws nothing
    answer = client.post(f"{overview}draw/")
    judged = 0
    while "slots" in answer.url:
        answer = client.post(answer.url, {"verdict": "correct"})
        judged += 1
    assert (judged, answer.url) == (12, overview)
    assert Judgment.objects.filter(slot__judge__person__username="alice").count() == 12
    page = client.post(f"{overview}draw/", follow=True)
    assertContains(page, "There is no free response for you now.")


def test_the_list_of_studies_leads_to_drawing_and_then_to_handing_in(client, drawn_from_a_pool):
    def offered():
        page = client.get("/judge/").content.decode()
        return [
            words for words in ("Draw responses", "Continue", "Review and hand in") if words in page
        ]

    alice = make.judge("alice")
    assert offered() == ["Draw responses"]
    pool.draw(alice, drawn_from_a_pool)
    make.give_all(drawn_from_a_pool, "alice")
    assert offered() == ["Draw responses"]
    pool.draw(alice, drawn_from_a_pool)
    assert offered() == ["Continue"]
    make.give_all(drawn_from_a_pool, "alice")
    assert offered() == ["Review and hand in"]


def test_the_items_ahead_of_a_pool_are_drawn_by_posting_only(client, drawn_from_a_pool):
    slot = client.post(f"/judge/{drawn_from_a_pool.pk}/draw/").url
    client.post(slot, {"verdict": "correct"})
    assert client.get(f"{slot}coming/").content.decode().count("<article") == 9
    assert client.post(f"{slot}coming/").content.decode().count("<article") == 10


def test_the_page_of_a_slot_that_another_has_drawn_meanwhile_is_missing(
    client, drawn_from_a_pool, monkeypatch
):
    """Bob draws the item, judges it and takes it back while Alice's verdict is on its way."""
    slot = client.post(f"/judge/{drawn_from_a_pool.pk}/draw/").url
    read = verdicts.slot_of

    def read_then_drawn(who, slot_id):
        slot = read(who, slot_id)
        JudgingSlot.objects.filter(pk=slot.pk).update(judge=bobs)
        theirs = JudgingSlot.objects.get(pk=slot.pk)
        verdicts.give(theirs, "incorrect", comment="What Bob thinks.")
        verdicts.undo(theirs)
        return slot

    bobs = drawn_from_a_pool.judges.get(person=make.judge("bob"))
    monkeypatch.setattr(verdicts, "slot_of", read_then_drawn)
    answer = client.post(slot, {"verdict": "correct", "version": "2"})
    assertNotContains(answer, "What Bob thinks.", status_code=404)
    assert not Judgment.objects.exists()


def test_what_is_open_is_handed_back(client, study, slots):
    client.post(url_of("slot", slots[0]), {"verdict": "correct"})
    page = client.post(f"/judge/{study.pk}/hand-back/", follow=True).content.decode()
    assert "Handed back: 5 responses" in page
    assert "1 judged, 0 skipped, 0 to go." in " ".join(page.split())
    answer = client.post(url_of("slot", slots[1]), {"verdict": "correct"})
    assert answer.status_code == 404
    assert (
        client.post(url_of("slot", slots[0]), {"verdict": "incorrect", "version": "1"}).status_code
        == 302
    )


def test_the_overview_has_a_timesheet(client, study, slots):
    verdicts.give(slots[0], "correct", seconds=36)
    page = " ".join(client.get(f"/judge/{study.pk}/").content.decode().split())
    assert "Your time" in page
    assert '<td class="num">1</td><td class="num">0.01</td>' in page


def test_latest_verdicts_name_their_prompts_next_to_the_pace_of_the_studys_page(
    client, study, slots
):
    for slot, seconds in zip(slots, (1, 1, 1, 1, 6), strict=False):
        verdicts.give(slot, "correct", seconds=seconds)
    page = client.get(f"/judge/{study.pk}/").content.decode()
    named = [f"<td>{prompt.label}</td>" for prompt in prompting.prompts().values()]
    assert sum(map(page.count, named)) == 5
    assert "Your pace: 2 seconds an item" in page
    assert 2 in [judge.seconds for judge, _ in progress.by_judge(study)]


def test_handing_in_is_offered_at_the_end_and_closes(client, study, slots):
    assert "Hand in" not in client.get(f"/judge/{study.pk}/").content.decode()
    for slot in slots:
        client.post(url_of("slot", slot), {"verdict": "correct"})
    assert client.get(f"/judge/{study.pk}/next/").url == f"/judge/{study.pk}/"
    assert "Hand in" in client.get(f"/judge/{study.pk}/").content.decode()
    client.post(f"/judge/{study.pk}/hand-in/")
    said = "You have handed in. Your verdicts can no longer be changed."
    assertContains(client.get(f"/judge/{study.pk}/"), said)
    assert client.post(url_of("slot", slots[0]), {"verdict": "incorrect"}).status_code == 409


def test_a_closed_study_sends_nobody_to_an_item(client, study, alice):
    studies.close_study(study)
    assert client.get(f"/judge/{study.pk}/next/").url == f"/judge/{study.pk}/"


def test_the_items_ahead_are_those_that_wait_in_the_judges_order(client, slots):
    verdicts.give(slots[2], "correct")
    page = client.get(url_of("coming", slots[0])).content.decode()
    ahead = [slot for slot in slots[1:] if str(slot.pk) in page]
    assert [slot.pk for slot in ahead] == [slots[n].pk for n in (1, 3, 4, 5)]
    places = [page.index(str(slot.pk)) for slot in ahead]
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["slot", "skip", "flag"])
def test_it_checks_ownership_when_writing(client, slots, name):
    client.force_login(make.judge("bob"))
    data = {"verdict": "correct", "reason": "No.", "flag_note": "No."}
    assert client.post(url_of(name, slots[0]), data).status_code == 404
    slots[0].refresh_from_db()
    assert (slots[0].state, slots[0].flagged) == ("waiting", False)


def test_the_first_showing_is_remembered(client, slots):
    client.get(url_of("slot", slots[0]))
    first = JudgingSlot.objects.get(pk=slots[0].pk).shown_at
    client.get(url_of("slot", slots[0]))
    assert first is not None
    assert JudgingSlot.objects.get(pk=slots[0].pk).shown_at == first
