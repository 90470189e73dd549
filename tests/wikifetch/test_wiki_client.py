"""The live API, asked with manners: what a wiki may answer, and what then happens."""

import pytest

from tests.wikifetch.fakewiki import SILENCE, TRICKLE, Answer, FakeWiki
from wikifetch.source.answers import TitleResult
from wikifetch.source.livebatches import client_for
from wikifetch.source.manners import Manners, WikiBusy, WikiError, articles_at
from wikifetch.source.wiki_client import WikiClient

HTML = "<html><title>Wikimedia Error</title>Too many requests</html>"
POLICY = (
    "<!DOCTYPE html><style>p { color: red }</style><script>alert(1)</script><h1>Error</h1>\n"
    "<p>Set a user-agent, see <a href=x>https://w.wiki/4wJS</a> &amp; ours.\x00</p><!-- hidden -->"
)
FINE = Answer({"query": {"fine": True}})


def content(pageid, title="Mill", text="Old.", **more):
    revision = {"revid": 7, "parentid": 6, "user": "Alice", "timestamp": "2020-05-01T10:00:00Z"}
    slot = {"contentmodel": "wikitext", "content": text}
    revision |= {"comment": "c", "slots": {"main": slot}}
    return {"pageid": pageid, "ns": 0, "title": title, "revisions": [revision]} | more


# ---------------------------------------------------------------- manners


def test_it_says_who_it_is_asks_for_gzip_and_takes_turns():
    with FakeWiki() as wiki:
        client = wiki.client(per_second=0.5)
        for _ in range(3):
            client.ask({"action": "query"})
    headers = wiki.asked[0].headers
    assert headers["User-Agent"].startswith("SicEtNon/1.2 (alice@example.org) python-requests/")
    assert headers["Accept-Encoding"] == "gzip"
    assert wiki.asked[0].params | {"action": "query"} == {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "errorformat": "plaintext",
        "maxlag": "5",
    }
    assert wiki.waits == [2.0, 2.0]


def test_a_long_query_is_posted():
    with FakeWiki() as wiki:
        wiki.client().ask({"titles": "x" * 1_900})
        wiki.client().ask({"titles": "x" * 2_100})
    assert [(asked.method, len(asked.params["titles"])) for asked in wiki.asked] == [
        ("GET", 1_900),
        ("POST", 2_100),
    ]


@pytest.mark.parametrize("spared", ["", "wiki.invalid"])
def test_the_proxy_that_the_environment_names_is_asked(monkeypatch, spared):
    for name in ("http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with FakeWiki(FINE) as proxy:
        monkeypatch.setenv("http_proxy", proxy.address)
        monkeypatch.setenv("no_proxy", spared)
        address = "http://wiki.invalid"
        manners = Manners("alice@example.org", "1", (address,), per_second=100, max_wait=0)
        client = WikiClient(address, manners, proxy.clock())
        if spared:
            with pytest.raises(WikiError, match="no connection"):
                client.ask({"action": "query"})
        else:
            assert client.ask({"action": "query"}) == FINE.body
    assert [asked.headers["Host"] for asked in proxy.asked] == ([] if spared else ["wiki.invalid"])


def test_titles_and_pages_are_asked_fifty_at_a_time():
    with FakeWiki() as wiki:
        list(wiki.client().follow_titles([f"Mill {n}" for n in range(120)]))
        list(wiki.client().pages(range(1, 121)))
    asked = [asked.params.get("titles") or asked.params["pageids"] for asked in wiki.asked]
    assert [len(names.split("|")) for names in asked] == [50, 50, 20] * 2


# ---------------------------------------------------------------- a busy wiki


def test_one_that_had_too_many_requests_is_asked_more_slowly_also_by_a_new_client():
    too_many = Answer(HTML, 429, {"Retry-After": "4"})
    with FakeWiki(too_many, FINE) as wiki:
        wiki.client().ask({"action": "query"})
        client, wiki.waits = wiki.client(), []
        for _ in range(2):
            client.ask({"action": "query"})
        assert wiki.waits == [pytest.approx(1.98, abs=0.01)]
        for _ in range(100):
            client.ask({"action": "query"})
        assert wiki.waits[-1] == pytest.approx(1, abs=0.01)
        wiki.answers = [too_many] * 2 + [FINE]
        client.ask({"action": "query"})
        client.ask({"action": "query"})
        assert wiki.waits[-1] == 4


@pytest.mark.parametrize(
    ("answer", "wait"),
    [
        (Answer(HTML, 429, {"Retry-After": "7"}), 7.0),
        (Answer(HTML, 429, {"Retry-After": "1.5"}), 1.5),
        (Answer(HTML, 429, {"Retry-After": "Sun, 01 Mar 2026 12:00:08 GMT"}), 8.0),
        (Answer(HTML, 429, {"Retry-After": "Sun, 01 Mar 2020 12:00:00 GMT"}), 0.5),
        # The clock here is an hour slow.
        (
            Answer(
                HTML,
                429,
                {
                    "Retry-After": "Sun, 01 Mar 2026 13:00:15 GMT",
                    "Date": "Sun, 01 Mar 2026 13:00:10 GMT",
                },
            ),
            5.0,
        ),
        (Answer(HTML, 429, {"Retry-After": "Sun, 01 Mar 2026 12:00:09 GMT", "Date": "noon"}), 9.0),
        # A number that no date can hold.
        (Answer(HTML, 429, {"Retry-After": "Sun, 01 Mar 2026 12:00:09 +99999999999999"}), 1.0),
        (Answer(HTML, 429, {"Retry-After": "soon"}), 1.0),
        (Answer(HTML, 429, {"Retry-After": "nan"}), 1.0),
        (Answer(HTML, 429, {"Retry-After": "inf"}), 1.0),
        (Answer(HTML, 429, {"Retry-After": "-30"}), 1.0),
        (Answer(HTML, 503, {"Retry-After": "0"}), 0.5),
        (Answer(HTML, 503), 1.0),
        (Answer(HTML, 502), 1.0),
        (Answer({"errors": [{"code": "maxlag", "text": "lag"}]}, 200, {"Retry-After": "5"}), 5.0),
        (Answer({"error": {"code": "maxlag", "info": "lag"}}, 200, {"Retry-After": "5"}), 5.0),
        (Answer({"errors": [{"code": "ratelimited"}]}), 1.0),
        (Answer({"errors": [{"code": "internal_api_error_DBQueryError"}]}), 1.0),
        (Answer("{ not JSON", 200), 1.0),
        (Answer(HTML, 200), 1.0),
    ],
)
def test_it_waits_as_asked_and_tries_again(answer, wait):
    with FakeWiki(answer, FINE) as wiki:
        result = wiki.client(per_second=1_000_000).ask({"action": "query"})
    assert result == FINE.body
    assert sum(wiki.waits) == pytest.approx(wait, abs=1e-3)
    assert len(wiki.asked) == 2


@pytest.mark.parametrize(("most", "waits"), [(3600, [1, 2, 4]), (5, [1, 2]), (0, [])])
def test_short_waits_grow_and_a_long_one_is_left_to_the_run(most, waits):
    with FakeWiki(Answer(HTML, 503)) as wiki:
        client = wiki.client(max_wait=most, per_second=1_000_000)
        with pytest.raises(WikiBusy, match=r"busy \(HTTP 503\)\. It said") as busy:
            client.ask({})
    assert (busy.value.seconds, busy.value.waited) == (None, sum(waits))
    assert [wait for wait in wiki.waits if wait >= 0.5] == waits


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("11", 11),
        ("60.5", 60.5),
        ("999999999", 999_999_999),
        ("Sun, 01 Mar 2026 12:01:00 GMT", 60),
    ],
)
def test_a_long_wait_is_never_taken_by_the_worker(header, seconds):
    with FakeWiki(Answer(HTML, 429, {"Retry-After": header})) as wiki:
        with pytest.raises(WikiBusy) as busy:
            wiki.client().ask({})
        assert (len(wiki.asked), sum(wiki.waits)) == (1, 0)
    assert busy.value.seconds == seconds


def test_lag_in_an_answer_with_status_200_is_a_wait_too():
    lag = {"errors": [{"code": "maxlag", "text": "Waiting for a database: 60 s lagged"}]}
    refused = pytest.raises(WikiBusy, match=r"busy \(maxlag\)\.$")
    with FakeWiki(Answer(lag, 200, {"Retry-After": "60"})) as wiki, refused as busy:
        wiki.client().ask({})
    assert busy.value.seconds == 60


def test_a_wiki_that_does_not_answer_is_asked_again():
    with FakeWiki(SILENCE, FINE) as wiki:
        assert wiki.client(timeout=0.1).ask({}) == FINE.body


def test_an_answer_that_trickles_in_is_given_up_and_asked_for_again(monkeypatch):
    monkeypatch.setattr("wikifetch.source.wiki_api._MAX_SECONDS", 0.2)
    with FakeWiki(TRICKLE, FINE) as wiki:
        assert wiki.client().ask({}) == FINE.body
        assert len(wiki.asked) == 2


def test_a_wiki_that_is_not_there_is_given_up():
    with FakeWiki() as wiki:
        client = wiki.client(max_wait=5)
    with pytest.raises(WikiError, match="no connection") as refused:
        client.ask({})
    assert refused.value.retry


# ---------------------------------------------------------------- a wiki that says no


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer({"errors": [{"code": "toomanyvalues", "text": "Too many"}]}), "Too many .toomanyvalues"),
        (Answer({"error": {"code": "badvalue", "info": "Bad"}}), "refused the request: Bad .badvalue"),
        (Answer({"error": {"code": "old", "info": "See <a href='/x'>the&nbsp;page</a>"}}), "See the page .old"),
        (Answer(POLICY, 403), "from here .HTTP 403.: .* “Error Set a user-agent, see https://w.wiki/4wJS & ours.”"),
        (Answer({"httpReason": "Forbidden"}, 403), 'It said: “{"httpReason": "Forbidden"}”'),
        (Answer("", 403), "address of this server is blocked.$"),
        (Answer("<p>Private wiki", 401), "asks for a sign-in .HTTP 401.* It said: “Private wiki”"),
        (Answer(HTML, 404), "no API of a wiki at http://.*/w/api.php .HTTP 404"),
        (Answer("Gone.", 410), "was removed .HTTP 410.* It said: “Gone.”"),
        (Answer("I'm a teapot", 418), "answered HTTP 418. Is it the API of a wiki. It said: “I'm a teapot”"),
        (Answer("", 301, {"Location": "http://evil.example/"}), "sends its callers on to 'http://evil"),
        (Answer([1, 2]), "JSON that no MediaWiki API sends"),
    ],
)  # fmt: skip
def test_a_refusal_is_raised_and_not_repeated(answer, message):
    with FakeWiki(answer) as wiki:
        with pytest.raises(WikiError, match=message):
            wiki.client().ask({})
        assert len(wiki.asked) == 1


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (429, r"busy \(HTTP 429: too many requests from here\)"),
        (500, r"busy or broken \(HTTP 500\)"),
        (502, r"busy \(HTTP 502\)"),
        (504, r"busy \(HTTP 504\)"),
        (200, r"other than a wiki's API answers at http://.* \(HTTP 200 .* sign-in"),
    ],
)
def test_a_wiki_that_stays_busy_is_given_up_with_what_it_said(status, why):
    said = f"{why}\\. It said: “Wikimedia Error Too many"
    with FakeWiki(Answer(HTML, status)) as wiki, pytest.raises(WikiError, match=said) as refused:
        wiki.client(max_wait=1).ask({})
    assert refused.value.retry


@pytest.mark.parametrize("body", ["x" * 2_000, "many words " * 500, "<b>" * 5_000 + "x" * 2_000])
def test_what_a_wiki_says_is_shortened(body):
    with FakeWiki(Answer(body, 403)) as wiki, pytest.raises(WikiError) as refused:
        wiki.client().ask({})
    quote = refused.value.message.partition("It said: ")[2]
    assert (len(quote), quote[-2:]) == (302, "…”")


def test_data_that_was_cut_is_no_page():
    with (
        FakeWiki(Answer('{"query": ')) as wiki,
        pytest.raises(WikiBusy, match=r"not JSON\)"),
    ):
        wiki.client(max_wait=1).ask({})


def test_a_long_refusal_is_not_quoted():
    with (
        FakeWiki(Answer("x" * 300_000, 403)) as wiki,
        pytest.raises(WikiError, match=r"server is blocked\.$"),
    ):
        wiki.client().ask({})


def test_an_answer_without_end_is_cut_off():
    body = "x" * 2 * 1024**2
    with FakeWiki(Answer(body)) as wiki, pytest.raises(WikiError, match="over 1 MiB"):
        wiki.client().ask({}, most=1024**2)


# ---------------------------------------------------------------- what it gives


def test_continuation_sends_the_whole_continue_object_back():
    more = {"eicontinue": "10|5", "continue": "-||"}
    with FakeWiki(
        Answer({"continue": more, "query": {"embeddedin": [{"pageid": 1}, {"pageid": 2}]}}),
        Answer({"query": {"embeddedin": [{"pageid": 2}, {"pageid": 3}]}}),
    ) as wiki:
        assert list(wiki.client().pages_with(["Inconsistent"])) == [1, 2, 3]
    assert more.items() <= wiki.asked[1].params.items()
    assert wiki.asked[1].params["eititle"] == "Template:Inconsistent"


def test_a_limit_stops_asking():
    endless = {
        "continue": {"eicontinue": "x"},
        "query": {"embeddedin": [{"pageid": 1}, {"pageid": 2}]},
    }
    with FakeWiki(Answer(endless)) as wiki:
        assert list(wiki.client().pages_with(["Inconsistent"], limit=1)) == [1]
        assert len(wiki.asked) == 1


def test_content_cut_over_several_answers_is_put_together():
    bare = {"pageid": 2, "ns": 0, "title": "Ford"}
    with FakeWiki(
        Answer({"continue": {"rvcontinue": "2"}, "query": {"pages": [content(1), bare]}}),
        Answer(
            {
                "query": {
                    "pages": [{"pageid": 1, "ns": 0, "title": "Mill"}, content(2, "Ford", "Wet.")]
                }
            }
        ),
    ) as wiki:
        pages = list(wiki.client().pages([2, 1]))
    assert [(page.title, [r.text for r in page.revisions]) for page in pages] == [
        ("Ford", ["Wet."]),
        ("Mill", ["Old."]),
    ]


def test_a_revision_comes_with_all_that_is_known_of_it():
    with FakeWiki(Answer({"query": {"pages": [content(1, text="Old.\x00\ud800")]}})) as wiki:
        (page,) = wiki.client().pages([1])
    (revision,) = page.revisions
    assert (revision.revid, revision.parent_revid, revision.editor, revision.summary) == (
        7,
        6,
        "Alice",
        "c",
    )
    assert revision.timestamp.isoformat() == "2020-05-01T10:00:00+00:00"
    assert revision.text == "Old.\ufffd?"


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ({"pageid": 1, "missing": True}, "The wiki has no such page any more."),
        ({"pageid": 1, "ns": 0, "title": "Mill"}, "The wiki gave no revision of this page."),
        ({"pageid": 9, "ns": 0, "title": "Another"}, "The wiki gave no revision of this page."),
    ],
)
def test_a_page_that_is_not_there(page, problem):
    with FakeWiki(Answer({"query": {"pages": [page]}})) as wiki:
        (seen,) = wiki.client().pages([1])
    assert (seen.pageid, seen.problem) == (1, problem)


@pytest.mark.parametrize(
    ("slot", "why"),
    [
        ({"texthidden": True}, "The wiki hides its text."),
        ({"contentmodel": "json", "content": "{}"}, "Its content is json, not wikitext."),
    ],
)
def test_a_revision_whose_text_is_not_to_be_had(slot, why):
    hidden = {"revid": 7, "slots": {"main": slot}}
    with FakeWiki(Answer({"query": {"pages": [content(1, revisions=[hidden])]}})) as wiki:
        ((revision,),) = (page.revisions for page in wiki.client().pages([1]))
    assert (revision.text, revision.no_text, revision.editor) == (None, why, "")


def test_titles_become_page_ids_or_problems():
    pages = [
        {"pageid": 1, "ns": 0, "title": "Mill"},
        {"ns": 0, "title": "Nowhere", "missing": True},
        {"title": "<x>", "invalid": True, "invalidreason": "Bad characters"},
        {"pageid": 5, "ns": 1, "title": "Talk:Mill"},
    ]
    query = {"pages": pages, "interwiki": [{"title": "de:Mühle", "iw": "de"}]}
    titles = ["Mill", "Nowhere", "<x>", "Talk:Mill", "de:Mühle", "A|B"]
    with FakeWiki(Answer({"query": query})) as wiki:
        result = [end for _, end in wiki.client().follow_titles(titles)]
        assert wiki.asked[0].params["titles"] == "Mill|Nowhere|<x>|Talk:Mill|de:Mühle"
    assert result == [
        TitleResult("Mill", 1),
        TitleResult("Nowhere", None, "The wiki has no page of this title."),
        TitleResult("<x>", None, "No valid title: Bad characters"),
        TitleResult(
            "Talk:Mill", None, "Not an article: only pages of the main namespace are fetched."
        ),
        TitleResult(
            "de:Mühle",
            None,
            "It names a page of another wiki. Fetch it from there, without the prefix.",
        ),
        TitleResult("A|B", None, "No title holds a bar (|)."),
    ]


def test_spellings_are_the_templates_and_their_redirects():
    pages = [
        {
            "title": "Template:Inconsistent",
            "pageid": 1,
            "redirects": [{"title": "Template:Contradict-inline"}],
        },
        {"title": "Template:Contradictory inline", "missing": True},
    ]
    with FakeWiki(Answer({"query": {"pages": pages}})) as wiki:
        result = wiki.client().spellings(["Inconsistent", "Contradictory inline"])
    assert (result.targets, result.names) == (
        ("Inconsistent",),
        ("Inconsistent", "Contradict-inline"),
    )


def test_only_talk_pages_that_exist_are_given_under_the_articles_title():
    pages = [content(4, "Talk:Mill", "Ho.", ns=1), {"ns": 1, "title": "Talk:Ford", "missing": True}]
    with FakeWiki(Answer({"query": {"pages": pages}})) as wiki:
        result = list(wiki.client().talk_pages(["Mill", "Ford"]))
    assert [(page.title, page.revisions[0].text) for page in result] == [("Mill", "Ho.")]


# ---------------------------------------------------------------- who may be asked


def test_without_a_contact_nothing_is_asked():
    with FakeWiki() as wiki:
        for contact in ("", "nobody", "  "):
            with pytest.raises(WikiError, match="as the contact first"):
                wiki.client(contact=contact)
        for contact in ("ła@example.org", "a@example.org (me)", "a@example.org \\"):
            with pytest.raises(WikiError, match="no brackets"):
                wiki.client(contact=contact)
        assert wiki.asked == []


@pytest.mark.parametrize(
    "contact", ["alice@example.org", "https://example.org/bot", "Ann, ann@x.org"]
)
def test_a_contact_is_an_address_or_a_page(contact):
    with FakeWiki() as wiki:
        wiki.client(contact=contact).ask({})
        assert f"({contact})" in wiki.asked[0].headers["User-Agent"]


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:1",
        "http://169.254.169.254",
        "file:///etc/passwd",
        "https://en.wikipedia.org.evil.example",
        "https://user@en.wikipedia.org",
        "https://en.wikipedia.org/?x=1",
        "https://en.wikipedia.org/other",
        "https://[::1",
        "https://en.wikipedia.org:8443",
        "en.wikipedia.org",
        "",
    ],
)
def test_only_allowed_wikis_are_asked(address):
    # The last is a slip of the operator's, and no address.
    allowed = ("https://en.wikipedia.org", "en.wikipedia.org")
    manners = Manners("alice@example.org", "1", allowed)
    with pytest.raises(WikiError, match="WIKI_ALLOWED"):
        WikiClient(address, manners)


def test_an_api_that_lies_elsewhere_is_named_itself():
    with FakeWiki() as wiki:
        address = f"{wiki.address}/mediawiki/api.php"
        manners = Manners("alice@example.org", "1", (address,))
        WikiClient(address, manners, wiki.clock()).ask({"action": "query"})
    assert wiki.asked[0].path == "/mediawiki/api.php"
    assert articles_at(address) == f"{wiki.address}/mediawiki/index.php?title="


def test_an_allowed_wiki_may_be_written_with_a_slash_or_in_capitals():
    manners = Manners("alice@example.org", "1", ("https://en.wikipedia.org",))
    for address in ("https://en.wikipedia.org/", "https://EN.wikipedia.org"):
        assert WikiClient(address, manners).api_url == "https://en.wikipedia.org/w/api.php"


# ---------------------------------------------------------------- an account


TOKEN = "eyJ0.s3cret-token"


def test_an_accounts_token_goes_with_each_request_to_its_wiki_alone(tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login bob password other")
    monkeypatch.setenv("NETRC", str(netrc))
    with FakeWiki(FINE) as wiki, FakeWiki(FINE) as other:
        for asked in (wiki, other):
            allowed = (wiki.address, other.address)
            client = asked.client(tokens={f"{wiki.address}/": TOKEN}, allowed=allowed)
            client.ask({"action": "query"})
            client.ask({"titles": "x" * 2_100})
    sent = [(asked.headers["Authorization"], asked.params["assert"]) for asked in wiki.asked]
    assert sent == [(f"Bearer {TOKEN}", "user")] * 2
    assert not any(TOKEN in str(asked.headers) or "assert" in asked.params for asked in other.asked)


def test_a_session_with_an_account_returns_its_cookies():
    with FakeWiki(Answer(FINE.body, 200, {"Set-Cookie": "sessionJwt=abc; Path=/"})) as wiki:
        client = wiki.client(tokens={wiki.address: TOKEN})
        client.ask({})
        client.ask({})
    assert wiki.asked[1].headers["Cookie"] == "sessionJwt=abc"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(f"<p>You sent: Authorization: Bearer {TOKEN}", 403),
        Answer(f"<p>You sent: {TOKEN}", 503),
        Answer(f"<p>You sent: {TOKEN}", 200),
        Answer({"errors": [{"code": "mwoauth-invalid-authorization", "text": f"No {TOKEN}"}]}),
        Answer({"errors": [{"code": TOKEN}]}),
        Answer({"query": {"pages": [{"pageid": TOKEN}]}}),
        SILENCE,
    ],
)
def test_an_accounts_token_is_in_no_message_and_no_log(answer, caplog):
    caplog.set_level("DEBUG")
    with FakeWiki(answer) as wiki:
        client = wiki.client(tokens={wiki.address: TOKEN}, max_wait=0, timeout=0.1)
        with pytest.raises(WikiError) as refused:
            list(client.pages([1]))
        manners = Manners("a@example.org", "1", (), tokens={wiki.address: TOKEN})
    assert "s3cret" not in f"{refused.value.message} {caplog.text} {vars(client)} {manners}"


@pytest.mark.parametrize("code", ["assertuserfailed", "mwoauth-invalid-authorization"])
def test_a_token_that_is_not_taken_is_named(code):
    with (
        FakeWiki(Answer({"errors": [{"code": code, "text": "No."}]})) as wiki,
        pytest.raises(WikiError, match=r"an operator corrects it in WIKI_TOKENS\.$"),
    ):
        wiki.client(tokens={wiki.address: TOKEN}).ask({})


def test_the_operators_token_is_the_one_that_a_fetch_sends(live, settings):
    settings.WIKI_TOKENS = {live.address: TOKEN}
    client_for(live.address).about()
    assert live.asked[0].headers["Authorization"] == f"Bearer {TOKEN}"
