"""Loading the set: through the real fetch, form, review and publication, all of it or nothing, once."""

from collections import Counter

import pytest
from django.apps import apps
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from django.test import override_settings

from accounts.models import Person
from accounts.roles import Role
from annotation.campaigns import next_assignment
from annotation.entries import entries_of
from annotation.models import Annotation, Assignment, Campaign
from annotation.states import AnnotationState
from datasets.models import Collection
from demonstration import loading
from demonstration.annotations import given
from demonstration.loading import DemonstrationFrame, load
from leases.refusal import Refusal
from tests.annotation import factories
from tests.factories import person
from wikifetch.models import FetchRun, Tag, TalkPage
from wikifetch.states import FetchState

pytestmark = pytest.mark.django_db


def rows():
    """How many rows there are of each kind, those that Django keeps for itself aside."""
    models = [
        model
        for model in apps.get_models()
        if model._meta.app_label not in ("auth", "contenttypes")
    ]
    return {model.__name__: model._default_manager.count() for model in models}


def test_the_articles_came_through_the_fetcher():
    loaded = load()
    run = FetchRun.objects.get()
    assert (run.state, run.problems.count()) == (FetchState.DONE, 0)
    assert (run.tags_found, loaded.tags) == (24, 24)
    assert TalkPage.objects.exclude(wikitext="").count() == 5


INTRODUCED = [
    # The bot's later edit, which dated the tag, did not add it; nor did the repair of vandalism.
    ("Corvay Head Lighthouse", "{{Inconsistent|date=March 2019", "Plain Margin", "do not agree"),
    ("Weirgate Bridge", "{{inconsistent}}", "203.0.113.80", "where does 212 come from"),
    # The banner was bundled with another one in the edit that added it.
    ("PS Maud Tarrant", "{{Contradicts other", "Thistledown77", "47 in the article"),
]


def test_each_tag_knows_who_added_it_and_why():
    load()
    for title, raw, editor, summary in INTRODUCED:
        tag = Tag.objects.get(article__title=title, latest__raw__startswith=raw)
        assert tag.introduced_by == editor
        assert summary in tag.introduced_summary


def test_every_annotation_went_through_form_and_review():
    loaded = load()
    states = Counter(Annotation.objects.values_list("state", flat=True))
    waiting = sum(each.review is None for each in given())
    accepted = sum(bool(each.review and each.review["decision"] == "accept") for each in given())
    assert states == {
        AnnotationState.PUBLISHED: accepted,
        AnnotationState.SUBMITTED: waiting,
        AnnotationState.DROPPED: len(given()) - accepted - waiting,
    }
    assert loaded.records == accepted
    assert not Annotation.objects.filter(draft_revisions=None).exists()


def test_what_was_entered_is_what_is_stored():
    load()
    for each in given():
        stored = Annotation.objects.get(
            author__username=f"demo.{each.person}",
            sighting__raw=each.tag,
            sighting__revision__article__title=each.title,
        )
        assert each.entries.items() <= entries_of(stored).items()


def test_everything_is_marked_and_nobody_invented_can_sign_in():
    load()
    assert Collection.objects.get().is_demonstration
    assert Campaign.objects.get().is_demonstration
    for invented in Person.objects.all():
        assert invented.is_demonstration
        assert not invented.has_usable_password()
        assert authenticate(username=invented.username, password="") is None


def test_a_newcomer_finds_something_to_annotate():
    load()
    alice = person("alice", Role.ANNOTATOR)
    first, second = next_assignment(by=alice), next_assignment(by=alice)
    assert first.tag != second.tag
    assert next_assignment(by=alice) is None
    assert not Annotation.objects.filter(sighting=first.sighting, state="published").exists()


def test_loading_again_changes_nothing(capsys):
    call_command("load_demonstration")
    before = rows()
    call_command("load_demonstration")
    assert rows() == before
    first, second = capsys.readouterr().out.splitlines()
    assert first.removeprefix("Loaded: ") == second.removeprefix("Loaded before: ")


def test_work_of_ones_own_is_left_alone_unless_one_says_otherwise():
    own = factories.tag()
    with pytest.raises(CommandError, match=r"1 articles.*--beside-other-work"):
        call_command("load_demonstration")
    assert not Collection.objects.exists()
    call_command("load_demonstration", "--beside-other-work", verbosity=0)
    assert not Assignment.objects.filter(tag=own).exists()
    assert own not in DemonstrationFrame().tags()


def test_a_collection_of_the_same_name_is_not_taken_over():
    Collection.objects.create(name="demonstration", title="Mine")
    with pytest.raises(CommandError, match="Rename it"):
        call_command("load_demonstration", "--beside-other-work")
    assert not Person.objects.exists()


def test_a_failure_midway_leaves_nothing(monkeypatch):
    before = rows()
    first, *others = given()
    broken = [first, *(each for each in others if each.review)]
    broken[-1] = type(first)(**{**vars(broken[-1]), "tag": "{{No such tag}}"})
    monkeypatch.setattr(loading, "given", lambda: broken)
    with pytest.raises(Refusal, match=r"no free place for the tag \{\{No such tag"):
        load()
    assert rows() == before


@override_settings(WIKI_CONTACT="", INFERENCE_SERVICES={})
def test_it_needs_neither_a_network_nor_a_model():
    assert load().articles == 8
