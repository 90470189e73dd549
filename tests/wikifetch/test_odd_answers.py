"""A wiki that answers in another shape than MediaWiki's, or for ever: a sentence, never a traceback."""

import json
from contextlib import suppress
from copy import deepcopy
from itertools import count, cycle

import pytest

from tests.factories import stored
from tests.wikifetch.fakewiki import Answer, FakeWiki
from wikifetch import fetch, newfetch
from wikifetch.models import Tag
from wikifetch.source.manners import WikiError
from wikifetch.source.shapes import MOST_IN_VAIN

MISSING = object()
ODD = [MISSING, None, [], {}, [1], {"1": {"pageid": 1}}, "text", "<html>", 7, -7, 1.5, True]
REVISION = {
    "revid": 7,
    "parentid": 6,
    "user": "Alice",
    "comment": "c",
    "timestamp": "2020-05-01T10:00:00Z",
    "sha1": "a",
    "size": 5,
    "slots": {"main": {"contentmodel": "wikitext", "content": "Old."}},
}
PAGE = {"pageid": 1, "ns": 0, "title": "Mill", "lastrevid": 7, "revisions": [REVISION]}
NAMED = PAGE | {"redirects": [{"title": "Template:Dubious"}]}
STEPS = {"normalized": [{"from": "mill", "to": "Mill"}], "redirects": [{"from": "M", "to": "Mill"}]}
ASKED = {
    "about": (
        lambda wiki: wiki.about(),
        {
            "namespaces": {"6": {"id": 6, "name": "File"}},
            "rightsinfo": {"text": "CC BY-SA", "url": "https://licence.example/"},
        },
    ),
    "spellings": (lambda wiki: wiki.spellings(["Mill"]), {"pages": [NAMED]}),
    "list": (lambda wiki: wiki.pages_with(["Mill"]), {"embeddedin": [PAGE]}),
    "titles": (
        lambda wiki: list(wiki.follow_titles(["Mill"])),
        {"pages": [PAGE], "interwiki": [{"title": "de:Mill"}], **STEPS},
    ),
    "pages": (lambda wiki: list(wiki.pages([1])), {"pages": [PAGE]}),
    "page_at": (lambda wiki: wiki.page_at(7), {"pages": [PAGE]}),
    "members": (
        lambda wiki: wiki.members("Category:Mills", with_categories=True, more={}),
        {"categorymembers": [PAGE, {"pageid": 2, "ns": 14, "title": "Category:Old"}]},
    ),
    "standing": (lambda wiki: wiki.standing([7]), {"pages": [PAGE]}),
    "newest": (lambda wiki: wiki.newest_revisions(1, 7), {"pages": [PAGE]}),
    "outlines": (lambda wiki: wiki.outlines(1, 7), {"pages": [PAGE]}),
    "texts": (lambda wiki: wiki.texts([7]), {"pages": [PAGE]}),
    "talk_revisions": (lambda wiki: wiki.talk_revisions(["Mill"]), {"pages": [PAGE]}),
    "talk": (lambda wiki: list(wiki.talk_pages(["Mill"])), {"pages": [PAGE | {"ns": 1}]}),
}


def places(value, path=()):
    """The path of each value in an answer, its own too."""
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        yield from places(item, (*path, key))


def changed(answer, path, odd):
    """The answer with another value at this place."""
    root = {"": deepcopy(answer)}
    *above, last = ("", *path)
    holder = root
    for key in above:
        holder = holder[key]
    if odd is MISSING:
        del holder[last]
    else:
        holder[last] = odd
    return root.get("", {})


def said(query):
    return {"batchcomplete": True, "query": query}


@pytest.mark.parametrize("asked", ASKED)
def test_whatever_is_odd_in_an_answer_is_read_or_refused(asked, monkeypatch):
    ask, query = ASKED[asked]
    usual = said(query)
    with FakeWiki() as wiki:
        client = wiki.client()
        monkeypatch.setattr(client, "ask", lambda *_, **__: usual)
        ask(client)
        for path in places(usual):
            for odd in ODD if path else [{}, {"message": "Not Found"}, {"continue": {"x": "y"}}]:
                answers = iter([changed(usual, path, odd), usual])
                monkeypatch.setattr(client, "ask", lambda *_, given=answers, **__: next(given))
                with suppress(WikiError):
                    ask(client)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"message": "Not Found"}, "it has no “query”"),
        (said({"pages": "none"}), "“pages” is a text, not a list"),
        (said({"pages": [None]}), "“pages” lists nothing, not objects"),
        (said("<html>"), "“query” is a text, not an object"),
        (said({"pages": [PAGE | {"pageid": "1"}]}), "“pageid” is '1', not a number that can be"),
        (said({"pages": [PAGE | {"title": ["Mill"]}]}), "“title” is a list, not a text"),
        (said({"pages": [PAGE | {"revisions": {}}]}), "“revisions” is an object, not a list"),
        ({"continue": "more", **said({})}, "“continue” is a text, not an object"),
        ({"continue": {"rvcontinue": []}, **said({})}, "“continue” holds a list as “rvcontinue”"),
        (said({"pages": {"1": PAGE}}), "MediaWiki is older than 1.26"),
        (said({"pages": {"-1": PAGE}}), "MediaWiki is older than 1.26"),
        ({"query-continue": {"embeddedin": {"eicontinue": "1"}}, "query": {}}, "older than 1.26"),
    ],
)  # fmt: skip
def test_what_is_odd_is_named(answer, message):
    with FakeWiki(Answer(answer)) as wiki, pytest.raises(WikiError, match=message):
        list(wiki.client().pages([1]))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"errors": "down"}, r"refused the request: down \(unknown\)"),
        ({"errors": {"code": "old", "text": "No"}}, r"refused the request: No \(old\)"),
        ({"error": "Forbidden"}, r"refused the request: Forbidden \(unknown\)"),
        ({"error": {"code": ["x"], "info": None}}, r"refused the request"),
        ({"errors": [None], "error": None}, "refused the request"),
    ],
)
def test_an_error_in_another_shape_is_a_refusal(answer, message):
    with FakeWiki(Answer(answer)) as wiki, pytest.raises(WikiError, match=message):
        wiki.client().ask({})


@pytest.mark.parametrize(
    "body",
    [
        "[" * 200_000,
        "1" * 10_000,
        '{"query": ',
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
)
def test_what_no_parser_reads_is_no_data(body):
    with FakeWiki(Answer(body)) as wiki, pytest.raises(WikiError, match="not JSON"):
        wiki.client(max_wait=0).ask({})


def test_a_page_of_which_the_answer_says_nothing_is_not_taken_for_deleted():
    with FakeWiki(Answer(said({"pages": []}))) as wiki:
        (page,) = wiki.client().pages([1])
    assert (page.is_missing, page.problem) == (False, "The wiki gave no revision of this page.")


# ---------------------------------------------------------------- older wikis


def test_a_text_before_there_were_slots_is_read():
    old = {key: value for key, value in REVISION.items() if key != "slots"}
    old |= {"contentformat": "text/x-wiki", "contentmodel": "wikitext", "content": "Old."}
    with FakeWiki(Answer(said({"pages": [PAGE | {"revisions": [old]}]}))) as wiki:
        (page,) = wiki.client().pages([1])
    assert [(seen.revid, seen.text) for seen in page.revisions] == [(7, "Old.")]


# ---------------------------------------------------------------- lists without an end


@pytest.mark.parametrize("tokens", [["a"], ["a", "b"], ["a", "b", "c", "b"]])
@pytest.mark.parametrize("asked", ["spellings", "list", "pages", "outlines", "standing"])
def test_a_continuation_that_comes_again_ends_the_asking(asked, tokens):
    ask, query = ASKED[asked]
    again = cycle(tokens)
    with FakeWiki() as wiki:
        client = wiki.client(per_second=1_000_000)
        wiki._next = lambda: Answer({"continue": {"at": next(again)}, "query": query})
        with pytest.raises(WikiError, match="would do so for ever") as refused:
            ask(client)
        assert len(wiki.asked) <= len(tokens) + 2
    assert not refused.value.retry


@pytest.mark.parametrize("asked", ["spellings", "list", "titles", "pages", "outlines", "standing"])
@pytest.mark.parametrize("brought", ["the same", "nothing", "in turns"])
def test_answers_that_bring_nothing_new_end_the_asking(asked, brought):
    """Though each says another place where the list goes on."""
    ask, query = ASKED[asked]
    queries = {"the same": [query], "nothing": [{}], "in turns": [query, {}, query | {"pages": []}]}
    turns, numbers = cycle(queries[brought]), count()
    with FakeWiki() as wiki:
        client = wiki.client(per_second=1_000_000)
        wiki._next = lambda: Answer({"continue": {"at": next(numbers)}, "query": next(turns)})
        with pytest.raises(WikiError, match="nothing new in 30 answers to a list, and would do so"):
            ask(client)
        assert len(wiki.asked) <= MOST_IN_VAIN + 2


def test_a_long_list_with_some_answers_that_bring_nothing_is_read_to_its_end():
    """As of a wiki that looks through many pages for those that were asked for."""
    answers = [[] if n % MOST_IN_VAIN else [PAGE | {"pageid": n + 1}] for n in range(100)]
    with FakeWiki() as wiki:
        given = iter(
            [
                *(
                    {"continue": {"at": n}, "query": {"embeddedin": a}}
                    for n, a in enumerate(answers)
                ),
                {"query": {}},
            ]
        )
        wiki._next = lambda: Answer(next(given))
        pages = wiki.client(per_second=1_000_000).pages_with(["Mill"])
    assert list(pages) == [1, 31, 61, 91]


@pytest.mark.django_db
@pytest.mark.parametrize("again", [cycle(["a", "b"]), count()])
def test_a_category_whose_list_has_no_end_ends_the_fetch(live, again):
    usual = live._next

    def answer():
        given = usual()
        if live.asked[-1].params.get("list") == "categorymembers":
            given.body["continue"] = {"cmcontinue": next(again)}
        return given

    live._next = answer
    run = newfetch.fetch_of_category("Mills", depth=0)
    assert fetch.carry_out(run.pk)
    run = stored(run)
    assert (run.state, "for ever" in run.error, len(live.asked) < 40) == ("failed", True, True)


# ---------------------------------------------------------------- hidden, or only not there


@pytest.mark.parametrize(
    ("slot", "revision", "no_text"),
    [
        ({"texthidden": True}, {}, "The wiki hides its text."),
        ({"texthidden": True, "content": "For admins."}, {}, "The wiki hides its text."),
        ({}, {"texthidden": True, "slots": None}, "The wiki hides its text."),
        ({"textmissing": True}, {}, "The wiki has lost its text."),
        ({}, {}, "The wiki did not give its text"),
        ({"content": None}, {}, "The wiki did not give its text"),
        ({"texthidden": False}, {}, "The wiki did not give its text"),
        ({"contentmodel": "json", "content": "{}"}, {}, "Its content is json, not wikitext."),
    ],
)  # fmt: skip
def test_only_what_the_wiki_hides_is_called_hidden(slot, revision, no_text):
    shown = REVISION | {"slots": {"main": slot}} | revision
    with FakeWiki(Answer(said({"pages": [PAGE | {"revisions": [shown]}]}))) as wiki:
        ((seen,),) = (page.revisions for page in wiki.client().pages([1]))
    assert (seen.text, seen.no_text.startswith(no_text)) == (None, True)


def test_what_an_account_with_more_rights_is_shown_is_left_out_too():
    seen_by_admins = REVISION | {"userhidden": True, "commenthidden": True, "sha1hidden": True}
    with FakeWiki(Answer(said({"pages": [PAGE | {"revisions": [seen_by_admins]}]}))) as wiki:
        ((seen,),) = (page.revisions for page in wiki.client().pages([1]))
        outlines = wiki.client().outlines(1, 7).revisions
    assert (seen.editor, seen.summary, outlines) == ("", "", ())


@pytest.mark.django_db
def test_a_text_that_does_not_come_is_a_problem_and_takes_nothing_out(live):
    live.size = 1
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    live.edited = {1}
    usual = live._page

    def without_text(n):
        page = json.loads(json.dumps(usual(n)))
        page["revisions"][0]["slots"]["main"].pop("content")
        return page

    live._page = without_text
    run = fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert [problem.problem for problem in run.problems.all()] == [
        "The wiki did not give its text, and did not say why. Fetch it again later."
    ]
    tag = Tag.objects.get()
    assert (tag.state, bool(tag.latest.raw), bool(tag.latest.revision.wikitext)) == (
        "live",
        True,
        True,
    )
