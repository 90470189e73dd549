"""Who may still write for a record visits every address, and every link: what others entered for it is not there."""

from collections import defaultdict
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import resolve

from accounts.roles import Role
from tests.crawling import crawl
from tests.factories import person
from tests.test_access_table import rows
from tests.writing import factories as make
from tests.writing.factories import record
from writing import checking, taking

pytestmark = pytest.mark.django_db

MARK = "quartzite"


def world():
    """Entries of bob with the mark: one in progress, one given up, one sent back; ids for the access table."""
    bob, charlie = make.annotator("bob"), make.annotator("charlie")
    writing = make.opened(within=make.collection(*map(record, "abcd"), name="brooks"))
    marked = {"answer": MARK, "rationale": MARK}
    back = make.submitted(writing, bob, **marked)
    checking.send_back(back, by=charlie, version=1, note=MARK)
    given_up = make.taken(writing, bob)
    make.save(given_up, **marked)
    own = make.taken(writing, bob)
    make.save(own, **marked)
    taking.give_up(given_up)
    ids = {"writing": writing.pk, "entry": own.pk, "given_up": given_up.pk, "person": bob.pk}
    return [back.pk, given_up.pk, own.pk], ids


def starts(entries, ids):
    known = defaultdict(int, ids)
    yield from (f"/writing/entries/{key}/check/" for key in entries)
    yield "/collections/brooks/"
    for method, path, _ in rows():
        if method == "GET":
            yield path.format_map(known)


def showing(reader):
    """The views that show the mark to the reader."""
    entries, ids = world()
    client = Client()
    client.force_login(reader)
    texts = dict(crawl(client, starts(entries, ids)))
    assert len(texts) > 40
    return {
        resolve(urlsplit(address).path).view_name
        for address, text in texts.items()
        if MARK in text.lower()
    }


@pytest.mark.parametrize("further", [[], [Role.RESEARCHER], [Role.RESEARCHER, Role.ADMIN]])
def test_what_others_entered_is_nowhere(settings, further):
    settings.INFERENCE_SERVICES = {}
    assert showing(person("alice", Role.ANNOTATOR, *further)) == set()


def test_who_writes_nothing_finds_it(settings):
    """Else the crawl proves nothing."""
    settings.INFERENCE_SERVICES = {}
    olaf = person("olaf", Role.RESEARCHER, Role.ADMIN)
    assert showing(olaf) == {"writing:check", "writing:export", "operations:own_data"}
