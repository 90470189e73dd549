"""The judge's pages, without script."""

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from generation import prompting
from generation.models import Response
from judging import studies, verdicts
from judging.models import JudgingSlot, Judgment
from tests.factories import stored
from tests.judging import factories as make

pytestmark = [pytest.mark.once, pytest.mark.django_db]


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
    assert "Cut off at the token limit" in page
    assert "The response is empty." in page
    assert "Cut off" not in client.get(url_of("slot", slots[1])).content.decode()


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


def test_the_last_verdict_leads_to_the_overview(client, study, slots):
    answers = [client.post(url_of("slot", slot), {"verdict": "correct"}).url for slot in slots]
    assert answers == [*(url_of("slot", slot) for slot in slots[1:]), f"/judge/{study.pk}/"]


def test_a_double_click_gives_one_verdict(client, slots):
    for _ in range(2):
        assert client.post(url_of("slot", slots[0]), {"verdict": "correct"}).status_code == 302
    assert Judgment.objects.count() == 1
    assert slots[0].events.count() == 1


def test_a_refused_verdict_keeps_the_comment(client, slots):
    answer = client.post(url_of("slot", slots[0]), {"verdict": "", "comment": "Half written"})
    assertContains(answer, "Half written", status_code=400)
    assert "is not a verdict here" in answer.content.decode()


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


def test_undo_with_nothing_to_take_back_says_so(client, study, alice):
    assertContains(client.post(f"/judge/{study.pk}/undo/", follow=True), "no verdict to take back")


def test_handing_in_is_offered_at_the_end_and_closes(client, study, slots):
    assert "Hand in" not in client.get(f"/judge/{study.pk}/").content.decode()
    for slot in slots:
        client.post(url_of("slot", slot), {"verdict": "correct"})
    assert client.get(f"/judge/{study.pk}/next/").url == f"/judge/{study.pk}/"
    assert "Hand in" in client.get(f"/judge/{study.pk}/").content.decode()
    client.post(f"/judge/{study.pk}/hand-in/")
    assertContains(client.get(f"/judge/{study.pk}/"), "You have handed in.")
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


def test_a_judge_who_lost_the_role_is_out(client, slots, alice):
    alice.grants.all().delete()
    assert client.get(url_of("slot", slots[0])).status_code == 403


def test_the_first_showing_is_remembered(client, slots):
    client.get(url_of("slot", slots[0]))
    first = JudgingSlot.objects.get(pk=slots[0].pk).shown_at
    client.get(url_of("slot", slots[0]))
    assert first is not None
    assert JudgingSlot.objects.get(pk=slots[0].pk).shown_at == first
