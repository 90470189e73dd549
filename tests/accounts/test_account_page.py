"""The page of one's own account."""

import pytest
from django.test import Client

from accounts import invitations
from accounts.browsers import browser_named
from accounts.forms import SettingsForm
from accounts.models import Person, Session
from accounts.roles import Role
from tests.annotation import factories as annotation
from tests.factories import PASSWORD, person
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1"
NEW = "eleven slow otters"


def signed_in(username="bob", agent=FIREFOX):
    client = Client(headers={"User-Agent": agent})
    answer = client.post("/sign-in/", {"username": username, "password": PASSWORD})
    assert answer.status_code == 302
    return client


def is_in(client):
    return client.get("/account/").status_code == 200


@pytest.fixture
def bob():
    return person("bob", Role.JUDGE)


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        (SAFARI, "Safari on iPhone"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0 Safari/537.36",
            "Chrome on Mac",
        ),
        ("python-requests/2.32", ""),
        ("", ""),
    ],
)
def test_a_browser_is_named_as_its_owner_knows_it(user_agent, name):
    assert browser_named(user_agent) == name


def test_every_page_leads_to_ones_own_account(bob):
    client = signed_in()
    assert 'href="/account/"' in client.get("/").content.decode()
    page = client.get("/account/").content.decode()
    assert bob.pseudonym in page
    assert "Firefox on Linux" in page


def test_name_and_shortcuts_are_saved(bob):
    client = signed_in()
    assert client.post("/account/", {"name": "Robert"}).status_code == 302
    bob.refresh_from_db()
    assert (bob.name, bob.shortcuts) == ("Robert", False)
    client.post("/account/", {"name": "Robert", "shortcuts": "on"})
    bob.refresh_from_db()
    assert bob.shortcuts


def test_saving_does_not_overwrite_what_an_admin_changed_meanwhile(bob, monkeypatch):
    client, valid = signed_in(), SettingsForm.is_valid

    def ended_meanwhile(form):
        invitations.set_active(Person.objects.get(pk=bob.pk), active=False)
        return valid(form)

    monkeypatch.setattr(SettingsForm, "is_valid", ended_meanwhile)
    client.post("/account/", {"name": "Robert"})
    bob.refresh_from_db()
    assert (bob.is_active, bob.name) == (False, "Bob")


@pytest.mark.parametrize("switch", ["on", "off"])
def test_the_switch_reaches_the_pages_that_have_single_key_shortcuts(client, switch):
    anna = person("anna", Role.ANNOTATOR, Role.JUDGE)
    draft = annotation.draft(anna, within=annotation.campaign(by=anna, tags=1))
    study = judging.open_study("anna2", "jane")
    judge = study.judges.get(person__username="anna2").person
    for who, path in (
        (anna, f"/annotate/{draft.assignment_id}/"),
        (judge, f"/judge/slots/{judging.slots(study, judge)[0].pk}/"),
    ):
        client.force_login(who)
        client.post(
            "/account/", {"name": "A", "shortcuts": "on"} if switch == "on" else {"name": "A"}
        )
        assert f'data-shortcuts="{switch}"' in client.get(path).content.decode()


def test_an_empty_name_is_refused_and_the_frame_shows_the_stored_one(bob):
    answer = signed_in().post("/account/", {"name": ""})
    assert answer.status_code == 400
    assert ">Bob<" in answer.content.decode()


def test_a_new_password_ends_every_other_session_and_keeps_this_one(bob):
    here, there = signed_in(), signed_in(agent=SAFARI)
    answer = here.post(
        "/account/password/", {"current_password": PASSWORD, "new_password": NEW}, follow=True
    )
    assert "your other sessions and your tokens have ended" in answer.content.decode()
    assert is_in(here)
    assert not is_in(there)
    assert Session.objects.filter(person=bob).count() == 1
    assert Client().login(username="bob", password=NEW)


@pytest.mark.parametrize(
    ("current", "new", "error"),
    [
        ("wrong", NEW, "This is not your current password."),
        (PASSWORD, "short", "too short"),
        (PASSWORD, "password123", "too common"),
        (PASSWORD, "", "required"),
    ],
)
def test_a_refused_password_changes_nothing_and_is_not_repeated(bob, current, new, error):
    here, there = signed_in(), signed_in()
    answer = here.post("/account/password/", {"current_password": current, "new_password": new})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert error in page
    assert PASSWORD not in page
    assert is_in(there)
    assert Client().login(username="bob", password=PASSWORD)


def test_the_current_password_cannot_be_guessed_on_an_open_page(bob):
    client = signed_in()
    answers = [
        client.post("/account/password/", {"current_password": f"{n}", "new_password": NEW})
        for n in range(6)
    ]
    assert [answer.status_code for answer in answers] == [400] * 5 + [429]
    assert int(answers[-1]["Retry-After"]) >= 1


def test_one_other_session_is_ended(bob):
    here, there, elsewhere = signed_in(), signed_in(agent=SAFARI), signed_in(agent="")
    page = here.get("/account/").content.decode()
    assert "Safari on iPhone" in page
    assert "A program or an unknown browser" in page
    handle = page.partition("Safari on iPhone")[2].partition('name="session" value="')[2][:32]
    assert here.post("/account/sessions/end/", {"session": handle}).status_code == 302
    assert (is_in(here), is_in(there), is_in(elsewhere)) == (True, False, True)
    assert here.post("/account/sessions/end/", {"session": handle}).status_code == 404


def test_all_other_sessions_are_ended(bob):
    here, there = signed_in(), signed_in()
    here.post("/account/sessions/end/", {"session": "others"})
    assert (is_in(here), is_in(there)) == (True, False)
    assert "not signed in anywhere else" in here.get("/account/").content.decode()


def test_nobody_ends_the_session_of_somebody_else(bob):
    person("alice")
    theirs = signed_in("alice")
    handle = signed_in("alice").get("/account/").content.decode()
    handle = handle.partition('name="session" value="')[2][:32]
    assert len(handle) == 32
    assert signed_in().post("/account/sessions/end/", {"session": handle}).status_code == 404
    assert is_in(theirs)


def test_the_key_that_opens_a_session_is_on_no_page(bob):
    here = signed_in()
    signed_in(agent=SAFARI)
    page = here.get("/account/").content.decode()
    assert not [row for row in Session.objects.all() if row.session_key in page]


def test_sessions_that_were_ended_by_an_admin_do_not_come_back_with_the_person(bob):
    person("alice", Role.ADMIN)
    client = signed_in()
    invitations.set_active(bob, active=False)
    invitations.set_active(bob, active=True)
    assert not is_in(client)


def test_a_password_by_an_admins_link_ends_all_sessions(bob):
    client = signed_in()
    bob.refresh_from_db()  # signing in ends older links
    Client().post(invitations.password_path(bob), {"password": NEW})
    assert not is_in(client)
    assert Session.objects.filter(person=bob).count() == 1


def test_the_page_is_kept_by_no_cache(bob):
    assert "no-store" in signed_in().get("/account/")["Cache-Control"]
