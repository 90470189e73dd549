"""A session that ends while a person works: they see why, and what they typed is not lost."""

import re
from html import unescape

import pytest
from django.test import Client

from accounts import invitations
from accounts.roles import Role
from tests.annotation import factories as annotation
from tests.factories import PASSWORD, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def anna(client):
    anna = person("anna", Role.ANNOTATOR)
    client.force_login(anna)
    return anna


@pytest.fixture
def draft(anna):
    return annotation.draft(anna, within=annotation.campaign(by=anna, tags=1))


def save(client, draft):
    return client.patch(
        f"/api/drafts/{draft.pk}/",
        {"entries": {}},
        "application/json",
        headers={"If-Match": f'"{draft.version}"'},
    )


def no_longer_let_in(anna):
    invitations.set_active(anna, active=False)


def without_the_role(anna):
    invitations.grant(anna, roles=[Role.RESEARCHER], by=None)


def with_another_password(anna):
    anna.set_password("eleven slow otters")
    anna.save()


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        (no_longer_let_in, 401, "not_authenticated"),
        (without_the_role, 403, "role_missing"),
        (with_another_password, 401, "not_authenticated"),
    ],
)
def test_the_next_save_of_an_open_page_is_refused_with_the_reason(
    client, anna, draft, change, status, code
):
    assert save(client, draft).status_code == 200
    change(anna)
    answer = save(client, draft)
    assert answer.status_code == status
    assert answer.json()["code"] == code


def test_a_new_secret_key_ends_sessions_and_password_links_with_a_message(client, anna, settings):
    link = invitations.password_path(anna)
    token = invitations.invite(roles=[Role.JUDGE], by=anna)
    settings.SECRET_KEY = "another" * 10
    answer = client.get("/annotate/", follow=True)
    assert answer.redirect_chain[0][0] == "/sign-in/?next=%2Fannotate%2F&ended=yes"
    assert "Your session has ended" in answer.content.decode()
    answer = client.get(link)
    assert answer.status_code == 410
    assert "Ask an admin for a new one" in answer.content.decode()
    assert client.get(invitations.invitation_path(token)).status_code == 200
    answer = client.post("/sign-in/", {"username": "anna", "password": PASSWORD})
    assert answer["Location"] == "/"


def test_a_form_that_is_sent_too_late_is_shown_again(client, anna, draft):
    page = f"/annotate/{draft.assignment_id}/"
    no_longer_let_in(anna)
    answer = client.post(
        page,
        {
            "action": "submit",
            "valid_comment": "In the <b>edit</b> summary.",
            "new_password": "otters",
        },
    )
    assert answer.status_code == 403
    text = answer.content.decode()
    assert "You are signed out, so nothing was changed" in text
    assert "In the &lt;b&gt;edit&lt;/b&gt; summary.</textarea>" in text
    assert "otters" not in text
    assert "submit" not in text
    answer = client.post("/sign-in/", {"username": "anna", "password": PASSWORD})
    assert "An admin has ended your access here." in answer.content.decode()


def test_a_form_that_is_sent_too_late_can_be_sent_again(anna, draft, settings):
    page, here = f"/annotate/{draft.assignment_id}/", settings.BASE_URL.partition("//")[2]
    client = Client(enforce_csrf_checks=True, headers={"host": here})
    sent = {"action": "save", "version": "0", "valid_comment": "In the\r\n<b>edit</b> summary."}
    for answer in (
        client.post(page, sent),
        client.post(page, {**sent, "csrfmiddlewaretoken": "x"}),
    ):
        assert answer.status_code == 403  # no token; the same of a form from before a new sign-in
    fields = dict(
        re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', answer.content.decode())
    )
    client.force_login(anna)
    again = {name: unescape(text) for name, text in fields.items()}
    assert client.post(page, again).status_code == 302
    draft.refresh_from_db()
    assert draft.valid_comment == "In the\n<b>edit</b> summary."


@pytest.mark.parametrize("secret", ["new_password", "code"])
def test_a_form_with_a_secret_is_not_kept_to_be_sent_again(client, anna, draft, secret):
    client.logout()
    answer = client.post(f"/annotate/{draft.assignment_id}/", {"note": "Words.", secret: "otters"})
    assert "Words." in answer.content.decode()
    assert "otters" not in answer.content.decode()
    assert "Send it again" not in answer.content.decode()


def test_a_form_that_is_sent_without_the_role_is_shown_again(client, anna, draft):
    without_the_role(anna)
    answer = client.post(f"/annotate/{draft.assignment_id}/", {"valid_comment": "In the summary."})
    assert answer.status_code == 403
    assert "Nothing was changed." in answer.content.decode()
    assert "In the summary.</textarea>" in answer.content.decode()


def test_a_button_that_is_pressed_too_late_leads_back_to_its_page(client, anna):
    no_longer_let_in(anna)
    answer = client.post("/annotate/next/", headers={"referer": "http://testserver/annotate/?a=1"})
    assert answer["Location"] == "/sign-in/?next=%2Fannotate%2F%3Fa%3D1&ended=unsent"
    assert "so your last action was not done" in client.get(answer["Location"]).content.decode()


def test_what_another_site_sends_is_shown_to_nobody(client, anna, draft):
    answer = Client(enforce_csrf_checks=True).post(
        f"/annotate/{draft.assignment_id}/",
        {"valid_comment": "Call this number"},
        headers={"origin": "https://evil.example"},
    )
    assert answer.status_code == 403
    assert "Call this number" not in answer.content.decode()


@pytest.mark.parametrize("referer", ["", "https://evil.example/annotate/", "not an address"])
def test_signing_in_does_not_lead_to_another_site(client, anna, referer):
    no_longer_let_in(anna)
    answer = client.post("/annotate/next/", headers={"referer": referer} if referer else {})
    assert answer["Location"].startswith("/sign-in/?next=%2F&")


def test_a_visitor_without_a_session_does_not_read_that_one_ended():
    answer = Client().get("/annotate/", follow=True)
    assert "has ended" not in answer.content.decode()


def test_a_fragment_of_a_page_sends_the_whole_page_to_sign_in():
    answer = Client().get("/runs/1/progress/", headers={"HX-Request": "true"})
    assert answer["HX-Redirect"].startswith("/sign-in/?next=")
    assert answer.content == b""
