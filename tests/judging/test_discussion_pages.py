"""The page of a discussion, and where its judges find it."""

import re
from functools import partial

import pytest
from django.utils.html import escape

from accounts.roles import Role
from judging import discussing, rounds, studies, verdicts
from judging.models import Discussion, Remark, Resolution
from judging.rounds import JudgedAgain, RoundPlan
from judging.views import judge as judge_pages
from pages.paging import page_of
from tests.factories import person, signed_in
from tests.judging import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Alice and bob differ on both of its responses."""
    made = make.open_study(
        drawn_from=make.finished_run(instances=1, prompts=["both-passages"]),
        resolved_by="discussion",
    )
    make.hand_in(made, "alice", "correct", comment="Both years.")
    make.hand_in(made, "bob", "incorrect", comment="It prefers one.")
    return made


@pytest.fixture
def alice(client, study):
    return signed_in(client, make.judge("alice"))


def url_of(name):
    return f"/judge/discussions/{discussing.open_for(make.judge(name)).first().pk}/"


def post(client, url, act, version=0, **fields):
    return client.post(url, {"act": act, "version": version, **fields}, follow=True)


def propose(client, url, version=0, **changed):
    fields = {"verdict": "incorrect", "cause": "criteria", "note": "It leans.", **changed}
    return post(client, url, "propose", version, **fields)


def test_the_judges_own_pages_lead_to_it(client, study, alice):
    assert "Discuss" in client.get("/").content.decode()
    assert "Discuss 2 responses" in client.get("/judge/").content.decode()
    page = client.get(f"/judge/{study.pk}/").content.decode()
    assert page.count("To write") == 2
    assert url_of("alice") in page


def test_it_shows_both_verdicts_without_a_name_or_a_model(client, study, alice):
    page = client.get(url_of("alice")).content.decode()
    assert page.index("Both years.") < page.index("It prefers one.")
    names = [*make.MODEL_IDS, make.SERVICE, "secret-run", "bob", "Bob"]
    names += [judge.pseudonym for judge in study.judges.exclude(person=alice)]
    assert [name for name in names if name in page] == []
    assert not re.search(r"9876\d", page)


def test_two_people_agree(client, study, alice):
    url = url_of("alice")
    post(client, url, "remark", remark="It names 1101 first.")
    answer = propose(client, url)
    assert "with your signature" in answer.content.decode()
    page = client.get(url).content.decode()
    assert "You propose" in page
    assert 'value="sign"' not in page
    signed_in(client, make.judge("bob"))
    item = Discussion.objects.exclude(verdict="").get().item
    theirs = f"/judge/discussions/{item.slots.get(judge__person__username='bob').pk}/"
    page = client.get(theirs).content.decode()
    for words in ("The other judge", "It leans.", "It names 1101 first.", "criteria"):
        assert words in page
    answer = post(client, theirs, "sign", 1)
    said = re.search(
        r"On “<bdi[^>]*>(.+?)</bdi>”, to “<bdi[^>]*>(.+?)</bdi>”: Signed by both: this is the final verdict\.",
        answer.content.decode(),
    )
    assert said is not None
    assert said.groups() == (escape(item.response.text), escape(item.response.instance.question))
    assert Resolution.objects.get().verdict == "incorrect"
    page = client.get(theirs).content.decode()
    assert "Signed by both" in page
    assert 'name="act"' not in page


def test_another_tab_gets_412_and_keeps_what_was_typed(client, study, alice):
    url = url_of("alice")
    propose(client, url)
    answer = client.post(
        url,
        {"act": "propose", "version": 0, "verdict": "correct", "cause": "slip", "note": "Mine."},
    )
    page = answer.content.decode()
    assert answer.status_code == 412
    assert "changed since you opened this page" in page
    assert "It leans." in page
    assert ">Mine.</textarea>" in page.replace("\n", "")
    assert 'name="version" value="1"' in page


def test_what_is_missing_is_said_at_the_top_and_the_note_stays(client, study, alice):
    answer = propose(client, url_of("alice"), cause="", note="Typed.")
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "This field is required" in page
    assert "Typed." in page
    answer = post(client, url_of("alice"), "remark", remark=" ")
    assert answer.status_code == 400
    assert "Write what you want to say" in answer.content.decode()


def test_an_unknown_button_does_nothing(client, study, alice):
    answer = post(client, url_of("alice"), "burn")
    assert answer.status_code == 400
    assert set(Discussion.objects.values_list("state", flat=True)) == {"open"}


TYPED = {"verdict": "incorrect", "cause": "criteria", "note": "Half a sentence"}


def shows(page, *texts):
    return all(f">{text}</textarea>" in page.replace("\n", "") for text in texts)


def test_writing_keeps_a_proposal_that_is_half_typed(client, study, alice):
    page = post(client, url_of("alice"), "remark", remark="Look.", **TYPED).content.decode()
    assert shows(page, "Half a sentence", "")
    assert re.search(r'value="incorrect"[^>]*checked', page)
    assert re.search(r'value="criteria"[^>]*checked', page)
    assert ("Written." in page, Remark.objects.get().text) == (True, "Look.")


def test_proposing_keeps_words_to_the_other_that_are_half_typed(client, study, alice):
    page = propose(client, url_of("alice"), remark="Half a").content.decode()
    assert "with your signature" in page
    assert shows(page, "Half a", "It leans.")
    assert not Remark.objects.exists()
    page = propose(client, url_of("alice"), cause="", remark="Half a").content.decode()
    assert shows(page, "Half a")


def test_what_is_proposed_again_is_signed(client, study, alice):
    propose(client, url_of("alice"))
    item = Discussion.objects.get(state="proposed").item
    signed_in(client, make.judge("bob"))
    bobs = f"/judge/discussions/{item.slots.get(judge__person__username='bob').pk}/"
    assert "Signed by both: this is" in propose(client, bobs, version=1).content.decode()
    assert Resolution.objects.exists()


@pytest.mark.parametrize("how", ["left", "removed"])
def test_an_ended_discussion_is_read_only_and_keeps_what_was_typed(client, study, alice, how):
    url, slot = url_of("alice"), discussing.open_for(alice).first()
    client.get(url)
    if how == "left":
        discussing.leave(slot.item.slots.exclude(pk=slot.pk).get())
    else:
        make.judge("bob").grants.all().delete()
    answer = post(client, url, "propose", remark="To bob", **TYPED)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert page.count("This discussion is over") == 1
    assert re.findall(r"<pre[^>]*>(.*?)</pre>", page) == ["To bob", "Half a sentence"]
    answer = client.get(url)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "This discussion is over" in page
    assert ('name="act"' in page, "It prefers one." in page) == (False, True)


def test_what_was_typed_when_a_further_round_opened_is_not_lost(client, study, alice):
    url = url_of("alice")
    client.get(url)
    studies.close_study(study)
    planned = RoundPlan("Clearer", study.rubric, True, [make.judge("dora"), make.judge("emil")])
    rounds.judge_again(study, JudgedAgain(), planned, by=study.created_by)
    answer = post(client, url, "propose", remark="To bob", **TYPED)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "A further round judges this response again" in page
    assert re.findall(r"<pre[^>]*>(.*?)</pre>", page) == ["To bob", "Half a sentence"]
    assert "It prefers one." not in page
    assert client.get(url).status_code == 404
    signed_in(client, make.judge("dora"))
    assert post(client, url, "propose", remark="To bob", **TYPED).status_code == 404


def test_a_long_list_of_discussions_has_pages(client, study, alice, monkeypatch):
    monkeypatch.setattr(judge_pages, "page_of", partial(page_of, per=1))
    page = client.get(f"/judge/{study.pk}/").content.decode()
    assert page.count("To write") == 1
    assert "?page=2" in page


def test_the_next_that_waits_comes_after_it(client, study, alice):
    first, second = discussing.open_for(alice)
    answer = propose(client, f"/judge/discussions/{first.pk}/")
    assert answer.redirect_chain[-1][0] == f"/judge/discussions/{second.pk}/"
    answer = post(client, f"/judge/discussions/{second.pk}/", "leave")
    assert answer.redirect_chain[-1][0] == f"/judge/{study.pk}/"
    assert "A third person decides" in answer.content.decode()


def test_nobody_else_finds_it(client, study):
    url = url_of("alice")
    for name, role, status in (
        ("bob", None, 404),
        ("dora", Role.JUDGE, 404),
        ("ada", Role.ADMIN, 403),
    ):
        signed_in(client, make.judge(name) if role is None else person(name, role))
        assert client.get(url).status_code == status


def test_the_studys_page_says_how_many_are_discussed(client, study):
    studies.close_study(study)
    signed_in(client, person("rita", Role.RESEARCHER))
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "2 wait until both judges have signed one" in page
    assert "The two judges discuss it" in page


def test_a_discussion_is_not_there_before_both_have_handed_in(client):
    made = make.open_study(
        drawn_from=make.finished_run(instances=1, prompts=["both-passages"]),
        resolved_by="discussion",
    )
    make.hand_in(made, "alice", "correct")
    make.give_all(made, "bob", "incorrect")
    alice = signed_in(client, make.judge("alice"))
    assert "To discuss" not in client.get(f"/judge/{made.pk}/").content.decode()
    slot = make.slots(made, alice)[0]
    assert client.get(f"/judge/discussions/{slot.pk}/").status_code == 404
    verdicts.hand_in(make.judge("bob"), made)
    assert client.get(f"/judge/discussions/{slot.pk}/").status_code == 200
