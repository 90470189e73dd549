"""The passages on the annotator's page are in the language of the articles that they were copied from."""

import re

import pytest
from django.urls import reverse

from annotation.models import AskedArticle
from annotation.states import AskedState
from tests.annotation import factories as make
from tests.annotation.captured_cases import TAG, sighting_of
from wikifetch.models import Article, Revision, Wiki

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft():
    """Of a tag in a German article; its first passage is filled in from there."""
    sighting_of(f"Die Mühle wurde 1801 gebaut.{TAG}")
    Wiki.objects.update(base_url="https://de.wikipedia.org/wiki/")
    return make.draft(make.annotator("alice"), within=make.campaign(tags=0))


def languages(client, draft):
    """By passage: of its card, and of each field that has words of it."""
    client.force_login(draft.author)
    place = reverse("annotation:annotate", args=[draft.assignment_id])
    shown = client.get(place).content.decode()
    cards = re.findall(r'class="span-words" dir="\w+" lang="([^"]*)"', shown)
    of_fields = [
        re.findall(
            rf'name="(?:passage_{n}_(?:copied|standalone)|span_{n})" dir="\w+" lang="([^"]*)"',
            shown,
        )
        for n in (1, 2)
    ]
    assert [len(each) for each in of_fields] == [3, 3]
    return [{card, *fields} for card, fields in zip(cards, of_fields, strict=True)]


def asked(draft):
    """A French article that the annotator asked for; its revision's key."""
    wiki = Wiki.objects.create(name="Wikipédia", base_url="https://fr.wikipedia.org/wiki/")
    article = Article.objects.create(wiki=wiki, pageid=1, title="Moulin")
    revision = Revision.objects.create(article=article, revid=1, wikitext="Le moulin.")
    AskedArticle.objects.create(
        annotation=draft, wiki=wiki, title="Moulin", state=AskedState.FETCHED, revision=revision
    )
    return revision.pk


def test_what_was_copied_of_the_tagged_article_has_its_wikis_language(client, draft):
    assert languages(client, draft) == [{"de"}, {""}]


def test_what_was_copied_of_another_article_has_that_ones(client, draft):
    draft.provenance["2"] = [{"revision": asked(draft), "text": "Le moulin."}]
    draft.save()
    assert languages(client, draft) == [{"de"}, {"fr"}]


def test_a_passage_of_two_languages_or_of_an_unknown_article_has_none(client, draft):
    first = draft.provenance["1"][0]
    draft.provenance = {
        "1": [first, {"revision": asked(draft), "text": "Le moulin."}],
        "2": [{"revision": 0, "text": "The mill."}],
    }
    draft.save()
    assert languages(client, draft) == [{""}, {""}]
