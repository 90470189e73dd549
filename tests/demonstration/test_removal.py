"""Taking the set out again: all of it, nothing else, and not what others built on it unless they say so."""

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Person
from accounts.roles import Role
from annotation.campaigns import Frame, Plan, next_assignment, open_campaign
from annotation.models import Annotation, Campaign
from datasets.models import Collection
from demonstration.loading import load
from demonstration.removal import remove
from leases.refusal import Conflict
from tests.annotation import factories
from tests.demonstration.test_loading import rows
from tests.factories import person
from wikifetch.models import Tag

pytestmark = pytest.mark.django_db

# Versions of texts, kept whoever used them; and what any sign-in would leave.
KEPT = {"Guideline", "Rubric"}


@pytest.fixture
def alice():
    return person("alice", Role.ADMIN, Role.ANNOTATOR)


def other_than_kept():
    return {kind: count for kind, count in rows().items() if kind not in KEPT}


def test_all_of_it_goes_and_nothing_else(alice):
    factories.tag("Kettle Mill")
    before = other_than_kept()
    load(beside_other_work=True)
    assert other_than_kept() != before
    remove()
    assert other_than_kept() == before


def test_it_can_be_loaded_again_afterwards():
    first = load()
    call_command("remove_demonstration", verbosity=0)
    assert load() == first


def test_a_newcomers_try_at_a_demonstration_tag_goes_with_it(alice):
    load()
    next_assignment(by=alice)
    remove()
    assert not Annotation.objects.exists()
    assert list(Person.objects.all()) == [alice]


@pytest.fixture
def own_campaign(alice):
    load()
    own = Collection.objects.create(name="mine", created_by=alice)
    return open_campaign(name="Mine", collection=own, frame=Frame(limit=3), plan=Plan(), by=alice)


def test_work_built_on_it_is_named_and_nothing_is_removed(own_campaign):
    before = rows()
    with pytest.raises(CommandError, match=r"campaign “Mine”.*--with-work-built-on-it"):
        call_command("remove_demonstration")
    assert rows() == before


def test_work_built_on_it_goes_when_one_says_so(own_campaign):
    call_command("remove_demonstration", "--with-work-built-on-it", verbosity=0)
    assert not Campaign.objects.exists()
    assert not Tag.objects.exists()
    assert [own.name for own in Collection.objects.all()] == ["mine"]


def test_a_row_elsewhere_that_needs_an_invented_person_stops_the_removal():
    load()
    Collection.objects.create(name="mine", created_by=Person.objects.get(username="demo.fenna"))
    before = rows()
    with pytest.raises(Conflict, match="collection “mine”"):
        remove()
    assert rows() == before


def test_where_there_is_none_that_is_said(capsys):
    call_command("remove_demonstration")
    assert capsys.readouterr().out == "There is no demonstration set here.\n"
