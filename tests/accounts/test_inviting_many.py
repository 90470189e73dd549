"""An admin invites people, a line each: the links are shown once. A wrong line is named, and nobody is invited."""

import csv
import io
import re
from html import unescape
from urllib.parse import unquote

import pytest
from pytest_django.asserts import assertContains

from accounts import invitations
from accounts.invited_lines import MOST_LINES
from accounts.models import AuditEvent, Invitation, Person
from accounts.roles import Role
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(client):
    return signed_in(client, person("olga", Role.ADMIN))


def invite(client, *lines, roles=()):
    return client.post("/invitations/", {"people": "\r\n".join(lines), "roles": roles})


def links(page):
    return re.findall(r'value="([^"]+/join/[^"]+)"', page.content.decode())


def file_of(page):
    """The rows of the file that the page holds."""
    (address,) = re.findall(r'href="(data:text/csv[^"]+)" download', page.content.decode())
    text = unquote(unescape(address).partition(",")[2])
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))


def test_each_line_is_a_person_with_a_link_and_roles(client, olga):
    page = invite(
        client,
        "Ada Byron, annotator, Judge",
        "",
        "bob@lab.example",
        "Miller, Carla; judge; researcher",
        "Dora\tadmin",
        roles=["adjudicator"],
    )
    kept = {row.note: row.roles for row in Invitation.objects.all()}
    assert kept == {
        "Ada Byron": ["annotator", "judge"],
        "bob@lab.example": ["adjudicator"],
        "Miller, Carla": ["judge", "researcher"],
        "Dora": ["admin"],
    }
    header, *rows = file_of(page)
    assert header == ["for", "roles", "link"]
    assert rows[0][:2] == ["Ada Byron", "annotator, judge"]
    assert [row[2] for row in rows] == links(page)
    client.logout()
    joining = {"username": "carla", "name": "Carla", "password": "seven quiet herons"}
    assert client.post(links(page)[2].removeprefix("http://testserver"), joining).status_code == 302
    assert Person.objects.get(username="carla").roles == {Role.JUDGE, Role.RESEARCHER}


def test_the_links_are_shown_once_and_never_stored(client, olga):
    page = invite(client, "Ada, judge", "Bob, judge")
    tokens = [link.rstrip("/").rsplit("/", 1)[1] for link in links(page)]
    assert len(tokens) == 2
    later = client.get("/people/").content.decode()
    stored = str([list(model.objects.values()) for model in (Invitation, AuditEvent)])
    for token in tokens:
        assert token not in later
        assert token not in stored
    assert "Ada, as judge" in re.sub(r"<[^>]+>", "", later)
    assert "no-store" in page["Cache-Control"]


def test_each_invitation_is_in_the_audit_log_without_a_name(client, olga):
    invite(client, "Ada, annotator, judge", "Bob, admin")
    logged = AuditEvent.objects.filter(kind="link", by=olga).order_by("pk")
    assert [event.about for event in logged] == [
        "invitation as annotator, judge",
        "invitation as admin",
    ]


@pytest.mark.parametrize(
    ("lines", "roles", "expected"),
    [
        (["Ada, judge", "Bob, jugde"], [], "Line 2: There is no role “jugde”. The roles are"),
        (["Ada, judge", "", "ADA, annotator"], [], "Line 3: “ADA” is in line 1 too."),
        (["Ada"], [], "Line 1: Write a role after the name, or tick the roles of such lines."),
        ([", judge"], [], "Line 1: Write a name or a mail address before the roles."),
        (["x" * 121 + ", judge"], [], "Line 1: A name has up to 120 characters; this one has 121."),
        (["Bob"], ["judge"], "Line 1: There is a person or an open invitation “Bob” already."),
        (["olga, judge"], [], "Line 1: There is a person or an open invitation “olga” already."),
        (["Ilse, judge"], [], "Line 1: There is a person or an open invitation “Ilse” already."),
        ([f"Ada {n}, judge" for n in range(500)], [], "These are 500 lines; invite up to 200"),
        (["", " "], ["judge"], "This field is required."),
        (["Ada, judge"], ["king"], "king is not one of the available choices."),
        ([f"Ada {n}, king" for n in range(50)], [], "And 30 more problems."),
    ],
)
def test_a_wrong_line_is_named_and_nobody_is_invited(client, olga, lines, roles, expected):
    person("bob", Role.JUDGE)
    invitations.invite(roles=[Role.JUDGE], by=olga, note="Ilse")
    page = invite(client, *lines, roles=roles)
    assertContains(page, expected, status_code=422)
    assertContains(page, "error-summary", status_code=422)
    assert Invitation.objects.get().note == "Ilse"
    typed = re.search(r"<textarea[^>]*>\s*(.*?)</textarea>", page.content.decode(), re.DOTALL)
    assert unescape(typed[1]).split() == " ".join(lines).split()


@pytest.mark.both
def test_as_many_as_fit_are_invited_at_once(client, olga):
    page = invite(client, *(f"Ada {n}, judge" for n in range(MOST_LINES)))
    assert len({*links(page)}) == MOST_LINES == Invitation.objects.count()


def test_a_withdrawn_or_used_invitation_does_not_keep_its_name(client, olga):
    invite(client, "Ada, judge")
    invitations.withdraw(Invitation.objects.get().pk, by=olga)
    assert len(links(invite(client, "Ada, judge"))) == 1


@pytest.mark.parametrize("name", ['=HYPERLINK("https://x.example")', "+49 30", "-1", "@SUM(A1)"])
def test_a_name_that_a_spreadsheet_would_run_is_text_in_the_file(client, olga, name):
    page = invite(client, f"{name}; judge")
    assert file_of(page)[1][0] == f"'{name}"
    assert Invitation.objects.get().note == name
