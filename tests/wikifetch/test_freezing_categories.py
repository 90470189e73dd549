"""A category is listed a request at a time, in as many turns as it takes, and no request is made twice."""

from itertools import chain

import pytest
from django.db import OperationalError

from leases.clock import in_seconds
from leases.refusal import Refusal
from tests.factories import stored
from tests.wikifetch.fakewiki import Answer, FakeWiki
from wikifetch import fetch, newfetch, tasks
from wikifetch.models import FetchRun, Wiki
from wikifetch.source.answers import Members
from wikifetch.source.categories import CategoryWalk

PLAIN = newfetch.LiveOptions(history=False)
CATEGORIES = ["Mills", "May", "June", "2009"]


@pytest.fixture
def months(live, settings):
    """A category with two below it, one of which has one below it."""
    settings.WIKI_HTML = False
    live.filed = {
        "Category:Mills": [1],
        "Category:May": [2, 3],
        "Category:June": [3, 4],
        "Category:2009": [5],
    }
    live.below = {
        "Category:Mills": ["Category:May", "Category:June"],
        "Category:May": ["Category:2009"],
    }
    return live


def asked(live):
    titles = [each.params["cmtitle"] for each in live.asked if "cmtitle" in each.params]
    return [title.removeprefix("Category:") for title in titles]


def fetch_of_mills(**how):
    return newfetch.fetch_of_category("Mills", depth=2, options=PLAIN, **how)


@pytest.mark.django_db
def test_each_turn_goes_on_where_the_last_one_ended(months):
    run = fetch_of_mills()
    for queue in ([], [1], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5]):
        assert fetch.carry_out(run.pk, seconds=0)
        run.refresh_from_db()
        assert (run.state, run.queue, run.queue_frozen) == ("waiting", queue, False)
    run = fetch.finished(run)
    assert (run.queue, run.tags_found, run.options["walk"]) == ([1, 2, 3, 4, 5], 5, {})
    assert asked(months) == CATEGORIES
    assert sum(1 for each in months.asked if "meta" in each.params) == 1


@pytest.mark.django_db
def test_a_limit_is_kept_over_the_turns(months):
    run = fetch_of_mills(limit=3)
    while fetch.carry_out(run.pk, seconds=0):
        run.refresh_from_db()
    assert (run.state, run.queue, asked(months)) == ("done", [1, 2, 3], CATEGORIES[:2])


@pytest.mark.django_db
def test_a_category_that_was_empty_is_asked_for_again_when_the_run_is_resumed(months):
    run = newfetch.fetch_of_category("Dams", options=PLAIN)
    with pytest.raises(Refusal, match="“Dams” does not exist or holds no article"):
        fetch.finished(run)
    months.filed["Category:Dams"] = [6]
    fetch.resume(run)
    assert fetch.finished(run).queue == [6]


@pytest.mark.django_db
def test_a_wiki_that_is_busy_before_each_category_does_not_end_the_fetch(
    months, settings, monkeypatch
):
    monkeypatch.setattr("wikifetch.source.wiki_api.MOST_HERE", 0)
    settings.WIKI_MAX_WAIT = 100
    busy = Answer("Too many requests", 503, {"Retry-After": "60"})
    months.busy = chain([None] * 4, *([busy, None] for _ in CATEGORIES))
    run = fetch_of_mills()
    waits = 0
    while fetch.carry_out(run.pk) and stored(run).state == "waiting":
        waits += 1
        Wiki.objects.update(busy_until=in_seconds(-1))
    run.refresh_from_db()
    assert (run.state, run.error, waits, run.queue) == ("done", "", 4, [1, 2, 3, 4, 5])


@pytest.mark.django_db
@pytest.mark.parametrize("killed_at", [1, 2, 3, 4])
def test_a_killed_worker_repeats_one_request(months, monkeypatch, killed_at):
    run, keep = fetch_of_mills(), fetch._keep_queue
    parts = []

    def die(run, holder, frozen):
        parts.append(frozen)
        if len(parts) == killed_at + 1:  # the first are the names
            raise OperationalError("The connection was cut.")
        keep(run, holder, frozen)

    monkeypatch.setattr(fetch, "_keep_queue", die)
    with pytest.raises(OperationalError):
        fetch.carry_out(run.pk)
    FetchRun.objects.update(lease_until=in_seconds(-1))
    tasks.sweep_fetches()
    assert fetch.finished(run).queue == [1, 2, 3, 4, 5]
    again = CATEGORIES[killed_at - 1]
    assert asked(months) == [*CATEGORIES[:killed_at], again, *CATEGORIES[killed_at:]]


def test_a_long_category_is_gone_on_with_before_the_next_one():
    walk = CategoryWalk([("Category:Mills", 1)])
    walk = CategoryWalk.from_json(
        walk.after(Members({1: "Mill"}, ["Category:May"], {"cmcontinue": "x|2"})).as_json()
    )
    assert (walk.next, walk.more) == (("Category:Mills", 1), {"cmcontinue": "x|2"})
    walk = walk.after(Members({2: "Dam"}, ["Category:June", "Category:May", "Category:Mills"], {}))
    assert (walk.next, walk.more) == (("Category:May", 0), {})
    walk = walk.after(Members({}, [], {}))
    assert walk.next == ("Category:June", 0)
    assert walk.after(Members({}, [], {})).next is None


def test_what_a_wiki_sends_to_go_on_is_sent_back_whole():
    page = {"pageid": 1, "ns": 0, "title": "Mill"}
    below = {"pageid": 2, "ns": 14, "title": "Category:M\ud800ay"}
    more = {"cmcontinue": "page|4d|1", "continue": "-||", "offset": 5}
    with FakeWiki(
        Answer({"continue": more, "query": {"categorymembers": [below, page]}}),
        Answer({"query": {"categorymembers": []}}),
    ) as wiki:
        first = wiki.client().members("Category:Mills", with_categories=True, more={})
        last = wiki.client().members("Category:Mills", with_categories=True, more=first.more)
    assert (first.pages, first.categories) == ({1: "Mill"}, ["Category:M?ay"])
    assert {key: str(value) for key, value in more.items()}.items() <= wiki.asked[1].params.items()
    assert last == Members({}, [], {})
