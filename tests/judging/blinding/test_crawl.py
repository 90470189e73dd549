"""Who judges or resolves in an open study visits every address, and every link: no name, verdict or count is there."""

import re
from collections import defaultdict

import pytest
from django.test import Client

from accounts.roles import Role
from judging import verdicts
from judging.models import JudgingSlot
from judging.states import SlotState
from tests.accounts.factories import bearer
from tests.crawling import crawl
from tests.factories import person
from tests.judging.blinding.marked import (
    HIDDEN_FROM_ADJUDICATORS,
    HIDDEN_FROM_JUDGES,
    LOCKED,
    NAMES,
    OF_THE_RECORD,
    SHOWN,
    declared_world,
    world,
)
from tests.test_access_table import rows

# Once: other tests run the queries on both databases.
pytestmark = [pytest.mark.django_db, pytest.mark.once]

FURTHER = [[], [Role.RESEARCHER]]
# What differs between two answers of one page: tokens, times, and the reader's own clock.
CHANGING = re.compile(
    r"""csrf[^>]*value="[^"]*"|<time.*?</time>|nonce-[^\s'";]+|'(X-Request-ID|Expires)': '[^']*'""",
    re.IGNORECASE,
)
# Each visit makes a key, or is itself among what is listed.
OWN = {"/account/", "/account/second-factor/", "/account/tokens/"}


def starts(ids, *more):
    """Every address of the access table that is read; 0 for rows that this world does not have."""
    known = defaultdict(int, ids)
    yield from more
    for method, path, _ in rows():
        if method == "GET":
            yield path.format_map(known)
    yield from ("/api/models/?search=zq", "/reports/?search=zq", "/runs/?search=zq")


def pages_of(reader, ids, *more):
    """What the reader is shown: with a cookie everywhere, and with a token of every scope by each operation."""
    client = Client()
    client.force_login(reader)
    pages = dict(crawl(client, starts(ids, *more)))
    program = Client(headers=bearer(reader))
    operations = [path for path in starts(ids, *more) if path.startswith("/api/")]
    pages |= {f"{path} by token": text for path, text in crawl(program, operations)}
    for study in ("open", "closed"):
        path = f"/api/studies/{ids.get(study, 0)}/next/"
        pages[f"{path} by token"] = program.post(path).content.decode()
    return pages


def leaks(pages, marks):
    return sorted(
        (mark, address)
        for address, text in pages.items()
        for mark in marks
        if mark in text.lower() and mark not in address
    )


@pytest.fixture(autouse=True)
def no_services(settings):
    settings.INFERENCE_SERVICES = {}


@pytest.mark.parametrize("further", FURTHER, ids=["alone", "researcher"])
def test_a_judge_finds_nothing_of_the_others_and_what_they_do_changes_no_page(further):
    """No name, verdict or count; and no cursor or order tells what they do either."""
    alice = person("alice", Role.JUDGE, *further)
    ids = world(alice)
    first = pages_of(alice, ids)  # what is recorded of it is there before the second
    check_judges(first)
    before = pages_of(alice, ids)
    for slot in JudgingSlot.objects.filter(state=SlotState.JUDGED).exclude(judge__person=alice):
        mine = verdicts.slot_of(slot.judge.person, slot.pk)
        if slot.item.position % 2:
            verdicts.undo(mine)
        else:
            verdicts.give(mine, "correct", comment="Changed")
    after = pages_of(alice, ids)
    check_judges(after)
    kept, shown = ({a: CHANGING.sub("", text) for a, text in of.items()} for of in (before, after))
    assert {a for a in kept | shown if kept.get(a) != shown.get(a)} <= OWN


def check_judges(pages):
    assert leaks(pages, HIDDEN_FROM_JUDGES) == []
    assert len(pages) > 100
    shown = {address for address, text in pages.items() if "As zqdiscussed says" in text}
    assert shown
    assert all(address.startswith("/judge/discussions/") for address in shown)


@pytest.mark.parametrize("further", FURTHER, ids=["alone", "researcher"])
def test_an_adjudicator_finds_no_name_and_no_verdict_that_is_not_locked(further):
    adam = person("adam", Role.ADJUDICATOR, *further)
    pages = pages_of(adam, world(adam))
    assert leaks(pages, HIDDEN_FROM_ADJUDICATORS) == []
    shown = {address for address, text in pages.items() if LOCKED in text}
    assert shown
    assert all(re.fullmatch(r"/resolve/items/\d+/", address) for address in shown)


def test_a_researcher_who_neither_judges_nor_resolves_finds_every_name():
    """Else the crawls prove nothing."""
    rita = person("rita", Role.RESEARCHER)
    client = Client()
    missing, ids = set(NAMES), world(rita)
    client.force_login(rita)
    for address, text in crawl(client, starts(ids)):
        missing -= {mark for mark, _ in leaks({address: text}, missing)}
        if not missing:
            return
    assert not missing


@pytest.mark.parametrize("further", FURTHER, ids=["alone", "researcher"])
@pytest.mark.parametrize("role", [Role.JUDGE, Role.ADJUDICATOR])
def test_who_judges_given_texts_finds_neither_their_author_nor_more_of_their_record(role, further):
    alice = person("alice", role, *further)
    ids, further = declared_world(alice)
    pages = pages_of(alice, ids, *further)
    assert leaks(pages, OF_THE_RECORD) == []
    shown = {address for address, text in pages.items() if SHOWN in text}
    assert bool(shown) == (role == Role.JUDGE)
    assert all(re.match(r"/(judge|api/slots|api/studies/\d+/next)/", address) for address in shown)


def test_a_researcher_who_judges_no_given_texts_finds_the_author_and_the_record():
    """Else that crawl proves nothing."""
    rita = person("rita", Role.RESEARCHER)
    client, missing = Client(), {*OF_THE_RECORD}
    ids, further = declared_world(rita)
    client.force_login(rita)
    for address, text in crawl(client, starts(ids, *further)):
        missing -= {mark for mark, _ in leaks({address: text}, missing)}
        if not missing:
            return
    assert not missing
