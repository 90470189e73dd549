"""Somebody who may still draw a tag visits every address, and every link on its pages: nothing of others is there."""

import re
from itertools import chain
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import resolve

from accounts.roles import Role
from annotation.models import Seen
from annotation.reviewing.publishing_tags import publish_campaign
from tests.annotation import factories as make
from tests.annotation.blinding.marked import MARK, marked, world
from tests.crawling import changing, crawl, operations
from tests.factories import person
from tests.programs import Program
from tests.test_access_table import rows

pytestmark = pytest.mark.django_db

# Addresses of rows that this world does not have: sign-in links, invitations, a fetch.
ELSEWHERE = re.compile(
    r"{(join|password|guideline|handed_back|import|model|local_model|fetch|writing|entry|entry_to_check|given_up|published_place)}"
)
OTHERS = [role for role in Role if role != Role.ANNOTATOR]
COMBINATIONS = [[], *([role] for role in OTHERS), OTHERS]
# Views that show the mark to those who may see it.
SHOWING = {
    "annotation:api_annotations",
    "annotation:api_file",
    "annotation:review",
    "datasets:api_exclusions",
    "datasets:api_export",
    "datasets:api_questions",
    "datasets:api_record",
    "datasets:api_records",
    "datasets:api_release",
    "datasets:api_release_file",
    "datasets:api_revised",
    "datasets:api_subset_questions",
    "datasets:collection",
    "datasets:contradiction",
    "datasets:deviations",
    "datasets:exclusion",
    "datasets:exclusions",
    "datasets:export",
    "datasets:release",
    "datasets:release_file",
    "datasets:questions",
    "datasets:revised",
    "datasets:revision",
    "datasets:subset",
    "datasets:subset_bundle",
    "evaluation:api_rows",
    "evaluation:disagreements",
    "evaluation:rows",
    "evaluation:rows_csv",
    "generation:api_responses",
    "generation:response",
    "generation:responses",
    "generation:responses_csv",
    "generation:two_models",
    "judging:api_study_export",
    "judging:resolve_item",
    "judging:study",
    "judging:study_export",
    "operations:own_data",
}
# Views that show no more of it than the notes with which annotators ask an admin for help.
NOT_KEPT = {"annotation:assignments", "annotation:campaign_progress"}


def starts(ids):
    """Every address of the access table that is read, with the ids of this world."""
    for method, path, _ in rows():
        if method == "GET" and not ELSEWHERE.search(path):
            yield path.format(**ids)
    yield "/collections/mills/releases/2.0/files/complete-json/"
    yield "/collections/mills/export/complete-json/?excluded=with"
    yield "/api/collections/mills/releases/2.0/"
    yield "/api/collections/mills/releases/2.0/files/complete-json/"
    yield "/api/collections/mills/exports/complete-json/?excluded=with"
    yield "/collections/mills/export/wikicontradict-csv/"
    yield "/collections/mills/?hidden=show"
    for name in (
        "",
        "questions/",
        "revised/",
        "export/complete-json/",
        "?hidden=show",
    ):
        yield f"/collections/copies/{name}"
    for name in ("", "records/", "questions/", "revised/", "exports/complete-json/"):
        yield f"/api/collections/copies/{name}"
    yield "/reports/collections/copies/"


@pytest.mark.parametrize("further", COMBINATIONS, ids=lambda roles: "+".join(roles) or "alone")
def test_nothing_that_others_entered_is_anywhere(settings, further):
    settings.INFERENCE_SERVICES = {}
    alice = person("alice", Role.ANNOTATOR, *further)
    ids = world(alice)
    client, program = Client(), Program(alice)
    client.force_login(alice)
    texts = dict(crawl(client, starts(ids)))
    by_token = dict(crawl(program, operations(starts(ids))))
    sent = [*changing(client, rows(), ids), *changing(program, rows(), ids)]
    for each in (texts, by_token, dict(sent)):
        assert [address for address, text in each.items() if MARK in text.lower()] == []
    assert not Seen.objects.filter(person=alice).exists()
    assert len(texts) > 100
    assert len(by_token) > 30


def test_somebody_who_annotates_nothing_finds_it_on_many_pages_and_this_is_recorded(settings):
    """Else the crawl proves nothing."""
    settings.INFERENCE_SERVICES = {}
    # Not a judge: what judges see of an open study hides the rest.
    olaf = person("olaf", Role.ADJUDICATOR, Role.RESEARCHER, Role.ADMIN)
    ids = world(olaf)
    client = Client()
    client.force_login(olaf)
    showing, keeping = set(), set()
    by_token = crawl(Program(olaf), operations(starts(ids)))
    for address, text in chain(crawl(client, starts(ids)), by_token):
        kept, _ = Seen.objects.filter(person=olaf).delete()
        if MARK in text.lower():
            view = resolve(urlsplit(address).path).view_name
            showing.add(view)
            keeping |= {view} if kept else set()
    assert showing >= SHOWING
    assert showing - keeping <= NOT_KEPT


def test_an_annotator_finds_what_was_accepted_by_links_and_this_is_recorded():
    """The tag can come to nobody any more: until it is opened nothing of others is shown."""
    olga = make.admin("olga")
    pair = make.two_of_a_tag({}, {"span_1": "1801"}, by=olga)
    marked(pair[1])
    pair[1].refresh_from_db()
    make.decide(pair[1], olga)
    publish_campaign(pair[1].assignment.campaign, olga)
    client = Client()
    client.force_login(pair[0].author)
    showing = {}
    for address, text in crawl(client, ["/annotate/progress/"]):
        kept, _ = Seen.objects.filter(person=pair[0].author).delete()
        if MARK in text.lower():
            showing[resolve(urlsplit(address).path).view_name] = kept
    assert showing["annotation:accepted"]
    assert all(showing.values()), showing
