"""When no admin can sign in any more, a command on the server makes a link."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import Person
from accounts.roles import Role
from tests.factories import PASSWORD, person

pytestmark = pytest.mark.django_db


def output_of(*command: str) -> str:
    output = StringIO()
    call_command(*command, stdout=output, stderr=StringIO())
    return output.getvalue().strip()


def path_of(link: str) -> str:
    return link.removeprefix("http://127.0.0.1:8000")


@pytest.mark.parametrize(
    "lost",
    [
        {"is_active": False},
        {"is_active": False, "forgotten_at": "2026-01-01T00:00:00Z"},
    ],
)
def test_where_no_admin_can_sign_in_a_link_makes_a_new_one(lost):
    olga = person("olga", Role.ADMIN)
    person("dora", Role.ADMIN, is_demonstration=True)
    assert output_of("first_admin_link") == ""
    Person.objects.filter(pk=olga.pk).update(**lost)
    client = Client()
    answer = client.post(
        path_of(output_of("first_admin_link")),
        {"username": "omar", "name": "Omar", "password": PASSWORD},
    )
    assert answer.status_code == 302
    assert client.get("/people/").status_code == 200
    assert output_of("first_admin_link") == ""


def test_an_admin_who_forgot_the_password_sets_a_new_one():
    person("olga", Role.ADMIN)
    client = Client()
    link = path_of(output_of("password_link", "OLGA"))
    assert client.post(link, {"password": "another way to Canossa"}).status_code == 302
    assert client.get("/people/").status_code == 200
    assert client.get(link).status_code == 410


def test_a_link_for_an_unknown_or_locked_person_is_refused_with_what_to_do():
    person("olga", Role.ADMIN, is_active=False)
    with pytest.raises(CommandError, match="Nobody here signs in as 'nobody'"):
        output_of("password_link", "nobody")
    with pytest.raises(CommandError, match="first_admin_link makes a new one"):
        output_of("password_link", "olga")
