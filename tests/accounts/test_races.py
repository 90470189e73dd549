"""Races: two people who join at once, two admins who remove each other at once."""

import pytest

from accounts import invitations
from accounts.models import Invitation, Person, RoleGrant
from accounts.roles import Role
from leases.clock import now
from leases.refusal import Conflict, Refusal
from tests.factories import PASSWORD, person
from tests.races import at_once, overlapping

pytestmark = [pytest.mark.alone, pytest.mark.django_db(transaction=True)]


def link() -> str:
    olga = Person.objects.filter(username="olga").first() or person("olga", Role.ADMIN)
    return invitations.invite(roles=[Role.JUDGE], by=olga)


def join(token: str, username: str) -> Person:
    return invitations.accept(token, username=username, name="Dora", password=PASSWORD)


def test_of_two_people_who_choose_one_name_the_second_is_refused():
    tokens = [link(), link()]
    refused = overlapping(lambda: join(tokens[0], "dora"), lambda: join(tokens[1], "Dora"))
    assert isinstance(refused, Conflict)
    assert "This name was taken" in refused.message
    assert Person.objects.filter(username__iexact="dora").count() == 1
    assert Invitation.objects.filter(used_by=None).count() == 1


def test_one_link_clicked_twice_lets_one_person_in():
    token = link()
    refused = at_once(*[lambda name=name: join(token, name) for name in ("dora", "emil")])
    assert refused.count(None) == 1
    assert Person.objects.filter(username__in=["dora", "emil"]).count() == 1


def test_a_link_that_is_withdrawn_while_a_person_joins_creates_nobody(monkeypatch):
    token = link()
    opened = invitations.open_invitation

    def opened_then_withdrawn(given):
        invitation = opened(given)
        Invitation.objects.update(withdrawn_at=now())
        return invitation

    monkeypatch.setattr(invitations, "open_invitation", opened_then_withdrawn)
    with pytest.raises(Conflict, match="withdrawn"):
        join(token, "dora")
    assert not Person.objects.filter(username="dora").exists()


@pytest.mark.parametrize("change", ["roles", "sign-in"])
def test_two_admins_who_remove_each_other_leave_one(change):
    olga, omar = person("olga", Role.ADMIN), person("omar", Role.ADMIN)

    def take(other, by):
        if change == "roles":
            invitations.grant(other, roles=[], by=by)
        else:
            invitations.set_active(other, active=False)

    refused = overlapping(lambda: take(omar, olga), lambda: take(olga, omar))
    assert isinstance(refused, Refusal)
    assert "last admin" in refused.message
    assert invitations.has_admin()


def test_a_role_given_twice_at_once_is_given_once():
    olga, dora = person("olga", Role.ADMIN), person("dora")
    roles = [Role.JUDGE, Role.ANNOTATOR]
    click = [lambda: invitations.grant(dora, roles=roles, by=olga)] * 4
    assert at_once(*click) == [None] * 4
    assert RoleGrant.objects.filter(person=dora).count() == 2
