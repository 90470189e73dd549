"""Who judges or resolves in an open study visits every address, and every link.

No verdict of others is there, no name of a hidden run, and no text together with its model, run or author.
"""

import re
from collections import defaultdict

import pytest
from django.test import Client

from accounts.roles import Role
from judging import verdicts
from judging.models import JudgingSlot
from judging.states import SlotState
from tests.accounts.factories import bearer
from tests.crawling import changing, crawl
from tests.factories import person
from tests.judging.blinding.marked import (
    AUTHORS,
    HIDDEN_FROM_ADJUDICATORS,
    HIDDEN_FROM_JUDGES,
    JUDGE,
    LOCKED,
    OF_THE_RECORD,
    RUN,
    SHOWN,
    TEXTS,
    TOKENS,
    WORDS,
    declared_world,
    world,
)
from tests.test_access_table import rows

pytestmark = pytest.mark.django_db

FURTHER = {
    role: [[], *([further] for further in Role if further not in (role, *left_out))]
    # Who judges too finds what a judge finds, who may have each further role.
    for role, *left_out in ((Role.JUDGE,), (Role.ADJUDICATOR, Role.ADMIN, Role.JUDGE))
}
# What differs between two answers of one page: tokens, cursors, times, and the reader's own clock.
CHANGING = re.compile(
    r"""csrf[^>]*value="[^"]*"|<time.*?</time>|nonce-[^\s'";]+"""
    r"""|cursor=[^\s'"&]*|'(X-Request-ID|Expires|ETag)': '[^']*'""",
    re.IGNORECASE,
)
JUDGING = re.compile(r"(POST |PUT )?/(judge|api/slots|api/studies/[^/]+/next)/")
# All prompts of all protocols have such pages; those of one prompt are among the starts.
PROMPTS = re.compile(r"/prompts/[^/]+/")
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


def both_worlds(reader):
    """The ids of responses and of given texts, and further addresses."""
    ids, (of_given, further) = world(reader), declared_world(reader)
    given = (path.format_map(defaultdict(int, of_given)) for _, path, _ in rows() if "{" in path)
    return ids, [*further, *given]


def pages_of(reader, ids, *more):
    """What the reader is shown: with a cookie everywhere, and with a token of every scope by each operation."""
    client = Client()
    client.force_login(reader)
    pages = dict(crawl(client, starts(ids, *more), PROMPTS))
    program = Client(headers=bearer(reader))
    operations = [path for path in starts(ids, *more) if path.startswith("/api/")]
    pages |= {f"{path} by token": text for path, text in crawl(program, operations)}
    pages |= changing(program, rows(), ids)
    for study in ("open", "closed"):
        path = f"/api/studies/{ids.get(study, 0)}/next/"
        pages[f"{path} by token"] = program.post(path).content.decode()
    return pages


def names(further):
    return " ".join(further) or "alone"


def addresses(pages, words):
    return {address for address, text in pages.items() if words in text}


def leaks(pages, marks):
    return sorted(
        (mark, address)
        for address, text in pages.items()
        for mark in marks
        if mark in text.lower() and mark not in address
    )


def told(pages):
    """The pages and files that give a text, or what it is known by, together with its model, run or author."""
    return sorted(
        {address for _, address in leaks(pages, TEXTS)} & {a for _, a in leaks(pages, AUTHORS)}
    )


@pytest.fixture(autouse=True)
def no_services(settings):
    settings.INFERENCE_SERVICES = {}


@pytest.mark.parametrize("further", FURTHER[Role.JUDGE], ids=names)
def test_a_judge_finds_no_text_with_its_author_and_nothing_of_the_others(further):
    alice = person("alice", Role.JUDGE, *further)
    ids, more = both_worlds(alice)
    pages = pages_of(alice, ids, *more)
    check_judges(pages, further)
    if further in ([], [Role.RESEARCHER]):
        check_that_nothing_changes(alice, ids)


def check_judges(pages, further=()):
    # Admins add and remove judges, and see who they are.
    hidden = {*HIDDEN_FROM_JUDGES, *OF_THE_RECORD} - ({JUDGE} if Role.ADMIN in further else set())
    assert leaks(pages, hidden) == []
    assert told(pages) == []
    assert len(pages) > 100
    discussed = addresses(pages, "As zqdiscussed says")
    assert discussed
    assert all(address.startswith("/judge/discussions/") for address in discussed)
    for mark in (WORDS, SHOWN):
        assert addresses(pages, mark)
        assert all(JUDGING.match(address) for address in addresses(pages, mark))


def check_that_nothing_changes(alice, ids):
    """What the others do changes none of her pages: no count or order tells it (cursors are drawn anew each time)."""
    before = pages_of(alice, ids)
    for slot in JudgingSlot.objects.filter(state=SlotState.JUDGED).exclude(judge__person=alice):
        mine = verdicts.slot_of(slot.judge.person, slot.pk)
        if slot.item.position % 2 or slot.round.study.protocol_id:
            verdicts.undo(mine)
        else:
            verdicts.give(mine, "correct", comment="Changed")
    after = pages_of(alice, ids)
    check_judges(after)
    kept, shown = ({a: CHANGING.sub("", text) for a, text in of.items()} for of in (before, after))
    differ = {a for a in kept | shown if kept.get(a) != shown.get(a)}
    assert {a for a in differ if "cursor=" not in a} <= OWN


@pytest.mark.parametrize("further", FURTHER[Role.ADJUDICATOR], ids=names)
def test_a_third_person_finds_no_text_with_its_author_and_no_verdict_that_is_not_locked(further):
    adam = person("adam", Role.ADJUDICATOR, *further)
    ids, more = both_worlds(adam)
    pages = pages_of(adam, ids, *more)
    assert leaks(pages, {*HIDDEN_FROM_ADJUDICATORS, *OF_THE_RECORD}) == []
    assert told(pages) == []
    for mark in (LOCKED, WORDS):
        assert addresses(pages, mark)
        assert all(re.fullmatch(r"/resolve/items/\d+/", one) for one in addresses(pages, mark))
    assert not addresses(pages, SHOWN)


def test_a_researcher_who_neither_judges_nor_resolves_finds_everything():
    """Else the crawls prove nothing."""
    rita = person("rita", Role.RESEARCHER)
    ids, more = both_worlds(rita)
    # A run's files give its responses by all of these; no page has the others.
    of_texts = {TEXTS[0], SHOWN, "739104600", "7.3131", str(TOKENS), "2031-07-19"}
    client, missing = Client(), {RUN, JUDGE, *OF_THE_RECORD, *of_texts}
    client.force_login(rita)
    for address, text in crawl(client, starts(ids, *more)):
        page = {address: text}
        missing -= {
            mark for mark, _ in leaks(page, missing - {*TEXTS} if not told(page) else missing)
        }
        if not missing:
            return
    assert not missing
