"""The navigation: every page that a person's roles open, grouped where there are many."""

import re

import pytest

from accounts.models import RoleGrant
from accounts.roles import Role
from pages.navigation import groups_of, place_of, places_for
from tests.factories import person

pytestmark = pytest.mark.django_db


def groups_for(person, path):
    return groups_of(places_for(person), place_of(path))


GROUPS = {
    "Annotate": ["Annotate", "Campaigns", "Reviews"],
    "Judge": ["Judge", "Resolve", "Studies"],
    "Data": ["Fetch", "Tags", "Collections", "Writing", "Protocols"],
    "Models": ["Models", "Prompts", "Runs"],
    "Results": ["Reports"],
    "People": ["People", "Audit log", "Operations"],
}


def test_many_places_are_grouped_by_what_one_does_there():
    groups = groups_for(person("ada", *Role), "/")
    assert {group.label: [link.label for link in group.links] for group in groups} == GROUPS


def test_few_places_are_links_of_their_own():
    groups = groups_for(person("alice", Role.ANNOTATOR), "/")
    assert [group.label for group in groups] == ["Annotate", "Tags", "Collections", "Writing"]
    assert all(group.single for group in groups)


def test_a_place_and_its_group_know_that_one_is_there():
    groups = groups_for(person("ada", *Role), "/contradictions/7/")
    assert [group.label for group in groups if group.here] == ["Data"]
    assert [link.label for group in groups for link in group.links if link.here] == ["Collections"]


def test_who_gets_or_loses_a_role_has_another_navigation_at_once(client):
    alice = person("alice", Role.ANNOTATOR)
    client.force_login(alice)

    def links():
        page = client.get("/tags/").content.decode()
        return re.findall(
            r'<a href="([^"]+)"(?: aria-current="true")?>', page.partition("</nav>")[0]
        )

    before = links()
    assert before == ["/annotate/", "/tags/", "/collections/", "/writing/"]
    grant = RoleGrant.objects.create(person=alice, role=Role.JUDGE)
    assert links() == ["/annotate/", "/judge/", "/tags/", "/collections/", "/writing/"]
    grant.delete()
    assert links() == before


def test_each_page_says_which_place_it_belongs_to(client):
    client.force_login(person("alice", Role.ANNOTATOR))
    for address in ("/tags/", "/collections/"):
        page = client.get(address).content.decode().partition("</nav>")[0]
        assert re.findall(r'<a href="([^"]+)" aria-current="true">', page) == [address]
