"""The list of tags, filtered by campaign."""

import re

import pytest

from accounts.roles import Role
from tests.annotation.factories import campaign, tag
from tests.factories import person

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def shown(client, query):
    page = client.get(f"/tags/?{query}").content.decode()
    return {int(key) for key in re.findall(r'<a href="(\d+)/"[^>]*>', page)}


def test_tags_in_a_campaign_and_in_none(client):
    client.force_login(person("rosa", Role.RESEARCHER))
    made = campaign(tags=2)
    inside = set(made.assignments.values_list("tag", flat=True))
    outside = tag()
    assert shown(client, f"campaign={made.pk}") == inside
    assert shown(client, "campaign=none") == {outside.pk}
