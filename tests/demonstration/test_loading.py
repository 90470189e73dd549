"""Loading the set: all of it or nothing, only once, and not next to other work without an option."""

from dataclasses import replace

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from accounts.models import Person
from datasets.models import Collection
from demonstration import loading
from demonstration.annotations import given
from demonstration.loading import load
from leases.refusal import Refusal
from tests.annotation import factories

pytestmark = pytest.mark.django_db


def rows():
    """The number of rows of each kind, without Django's own."""
    models = [m for m in apps.get_models() if m._meta.app_label not in ("auth", "contenttypes")]
    return {model.__name__: model._default_manager.count() for model in models}


def test_a_database_with_other_work_is_refused_without_the_option():
    factories.tag()
    with pytest.raises(CommandError, match=r"1 articles.*--beside-other-work"):
        call_command("load_demonstration")
    assert not Collection.objects.exists()


@pytest.mark.parametrize(
    "name", ["demonstration", "demonstration-left", "demonstration-judge", "demonstration-import"]
)
def test_a_collection_of_the_same_name_is_not_taken_over(name):
    Collection.objects.create(name=name, title="Mine")
    with pytest.raises(CommandError, match="Rename it"):
        call_command("load_demonstration", "--beside-other-work")
    assert not Person.objects.exists()


def test_a_failure_midway_leaves_nothing(monkeypatch):
    before = rows()
    (at, pair), (_, [other, _]), *_ = given().items()
    broken = {at: pair, "": [replace(other, tag="{{No such tag}}")]}
    monkeypatch.setattr(loading, "given", lambda: broken)
    with pytest.raises(Refusal, match=r"no free assignment for the tag \{\{No such tag"):
        load()
    assert rows() == before
