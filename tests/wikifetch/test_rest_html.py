"""A revision's HTML from the REST endpoint where there is one, else by action=parse."""

import pytest

from tests.wikifetch.fakewiki import Answer, FakeWiki
from tests.wikifetch.livewiki import html_of
from wikifetch.source.answers import rest_html
from wikifetch.source.manners import WikiBusy, rest_html_at
from wikifetch.source.shapes import Reply
from wikifetch.source.wiki_client import REST_FAILURES

PARSED = "<p>Mill 3 was built in 1801.<sup>[<i>inconsistent</i>]</sup></p>"
MISSING = {"httpCode": 404, "errorKey": "rest-nonexistent-revision"}
OLD_MISSING = {"httpCode": 404, "messageTranslations": {"en": "The revision (7) does not exist"}}
NO_HANDLER = {"httpCode": 404, "errorKey": "rest-no-match"}
OLD_NO_HANDLER = {
    "httpCode": 404,
    "messageTranslations": {"en": "The requested relative path did not match any known handler"},
}
TOO_LONG = "x" * 4 * 1024**2


def page(revid=7, body="<p>The mill.</p>"):
    about = f"https://wiki.example/wiki/Special:Redirect/revision/{revid}"
    return f'<!DOCTYPE html>\n<html prefix="dc: x" about="{about}"><head></head><body>{body}</body></html>'


@pytest.mark.parametrize(
    ("api", "address"),
    [
        ("https://en.wikipedia.org/w/api.php", "https://en.wikipedia.org/w/rest.php/v1/revision/7/html"),
        ("http://127.0.0.1:80/api.php", "http://127.0.0.1:80/rest.php/v1/revision/7/html"),
    ],
)  # fmt: skip
def test_the_endpoint_is_beside_the_api(api, address):
    assert rest_html_at(api, 7) == address


# What it answers, and whether it is asked about the next revision too.
NOT_GIVEN = {
    "no such revision": (Answer(MISSING, 404), True),
    "no such revision, as MediaWiki 1.39 says it": (Answer(OLD_MISSING, 404), True),
    "a hidden revision": (Answer({"httpCode": 403, "errorKey": "rest-permission-denied"}, 403), True),
    "an error of its parser": (Answer({"httpCode": 500, "message": "Exception"}, 500), True),
    "a page that is too much for it": (Answer({"httpCode": 413}, 413), True),
    "another revision": (Answer(page(8)), True),
    "too long an answer": (Answer(page(7, TOO_LONG)), True),
    "words in an attribute alone": (
        Answer(page(7, """<span typeof="mw:LanguageVariant" data-mw-variant='{}'></span>""")), True,
    ),
    "no endpoint": (Answer("<title>Not Found</title>", 404), False),
    "a MediaWiki without this endpoint": (Answer(NO_HANDLER, 404), False),
    "an older one": (Answer(OLD_NO_HANDLER, 404), False),
    "JSON of something else": (Answer({"error": "none"}, 404), False),
    "a list": (Answer([1], 403), False),
    "a page of something else": (Answer("<!DOCTYPE html><html><p>Welcome</p></html>"), False),
    "HTML of no revision": (Answer('<!DOCTYPE html><html about="/revision/x"><p>a</p></html>'), False),
    "nothing": (Answer(""), False),
    "a sign-in": (Answer("", 302, {"Location": "https://elsewhere.example/"}), False),
    "a fault of the server": (Answer("<h1>Error</h1>", 500), True),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_GIVEN)
def test_what_it_does_not_give_is_parsed_instead(case):
    answer, is_asked_again = NOT_GIVEN[case]
    with FakeWiki(html_of(7)) as wiki:
        client, wiki.rest = wiki.client(), lambda revid: answer
        assert [client.html_of(7), client.html_of(7)] == [PARSED, PARSED]
        assert len(wiki.rest_asked) == 1 + is_asked_again
        assert [asked.params["action"] for asked in wiki.asked] == ["parse", "parse"]


def test_its_html_is_taken_and_asked_for_with_the_same_manners():
    with FakeWiki() as wiki:
        client, wiki.rest = wiki.client(per_second=0.5), lambda revid: Answer(page(revid))
        client.ask({"action": "query"})
        assert [client.html_of(7), client.html_of(8)] == [page(7), page(8)]
        assert (len(wiki.asked), wiki.waits) == (1, [2.0, 2.0])
        (asked, _), ours = wiki.rest_asked, wiki.asked[0]
    assert asked.headers["User-Agent"] == ours.headers["User-Agent"]
    assert (asked.headers["Accept-Encoding"], asked.params) == ("gzip", {})


def test_a_busy_endpoint_is_waited_for():
    answers = [
        Answer("busy", 429, {"Retry-After": "3"}),
        Answer("busy", 503, {"Retry-After": "1.5"}),
        Answer(page()),
    ]
    with FakeWiki() as wiki:
        wiki.rest = lambda revid: answers.pop(0)
        assert wiki.client(per_second=1_000).html_of(7) == page()
        assert [seconds for seconds in wiki.waits if seconds > 1] == [3, 1.5]


def test_one_that_says_when_to_come_back_is_not_passed_over():
    with FakeWiki() as wiki:
        wiki.rest = lambda revid: Answer("busy", 503, {"Retry-After": "60"})
        client = wiki.client()
        with pytest.raises(WikiBusy) as busy:
            client.html_of(7)
    assert (busy.value.seconds, wiki.asked) == (60, [])


@pytest.mark.parametrize("failing", [Answer("<h1>Bad gateway</h1>", 502), Answer("Error", 500)])
def test_one_page_that_is_too_much_for_it_is_parsed_and_the_others_are_not(failing):
    with FakeWiki(html_of(7)) as wiki:
        wiki.rest = lambda revid: failing if revid == 7 else Answer(page(revid))
        client = wiki.client()
        for _ in range(REST_FAILURES):
            assert (client.html_of(7), client.html_of(8)) == (PARSED, page(8))


@pytest.mark.parametrize("failing", [Answer("<h1>Bad gateway</h1>", 502), Answer("Error", 500)])
def test_one_that_fails_for_several_pages_in_a_row_is_asked_no_more(failing):
    with FakeWiki(html_of(7)) as wiki:
        wiki.rest = lambda revid: failing
        client = wiki.client()
        assert [client.html_of(7) for _ in range(REST_FAILURES)] == [PARSED] * REST_FAILURES
        before = len(wiki.rest_asked)
        assert (client.html_of(7), len(wiki.rest_asked)) == (PARSED, before)


def test_an_account_asks_the_endpoint_too_and_its_token_is_kept_from_what_is_stored():
    with FakeWiki() as wiki:
        wiki.rest = lambda revid: Answer(page(7, "<p>a-secret</p>"))
        html = wiki.client(tokens={wiki.address: "a-secret"}).html_of(7)
    assert wiki.rest_asked[0].headers["Authorization"] == "Bearer a-secret"
    assert html == page(7, "<p>(token)</p>")


def test_html_whose_bytes_are_not_utf_8_is_read():
    assert rest_html(Reply(200, page().encode() + b"\xff\x00"), 7).startswith(page())
