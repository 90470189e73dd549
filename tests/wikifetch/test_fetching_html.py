"""The wiki's own HTML: asked for once with a live fetch, kept, shown, and taken out when the wiki hides the text."""

import re

import pytest
from django.db import IntegrityError, transaction

from leases.clock import in_seconds
from leases.refusal import Refusal
from tests.wikifetch.factories import TAG, export, page, revision, written
from tests.wikifetch.fakewiki import Answer
from tests.wikifetch.livewiki import html_of
from wikifetch import fetch, newfetch, tasks
from wikifetch.models import FetchRun, Revision, RevisionHtml, Sighting, Wiki
from wikifetch.shownarticle import OWN, shown_article
from wikifetch.source.htmls import MOST_WAITED
from wikifetch.source.wiki_client import WikiClient
from wikifetch.wikihtml.html_limits import MOST_OPEN

pytestmark = pytest.mark.django_db

MARKED = '<p id="tagged-block" class="tagged">Mill 1 was built in 1801.'


@pytest.fixture
def live(live):
    live.size = 3
    return live


def fetched(*titles):
    return fetch.finished(newfetch.fetch_of_titles(titles or ["Mill 1", "Mill 2", "Mill 3"]))


def shown(n=1):
    seen = Sighting.objects.select_related("revision__article__wiki", "tag").get(
        revision__revid=2 * n + 1
    )
    return shown_article(seen.revision, seen)


@pytest.mark.both
def test_each_pinned_revision_is_asked_for_once_and_kept(live):
    run = fetched()
    assert live.htmls_asked() == [3, 5, 7]
    assert (run.state, run.pages, run.problems.count()) == ("done", 3, 0)
    assert "built in 1801" in RevisionHtml.objects.get(revision__revid=3).text
    live.asked.clear()
    fetched()
    assert live.htmls_asked() == []


def test_the_tagged_block_is_marked_in_the_wikis_html(live):
    fetched("Mill 1")
    assert shown().html.startswith(MARKED)
    assert "[<i>inconsistent</i>]" in shown().html
    assert shown().origin.startswith("The wiki's own HTML of this revision, as it was on ")


@pytest.mark.parametrize(
    ("html", "why"),
    [
        ("<p>Other words.</p>", "the tagged passage was not found in the wiki's own HTML"),
        ("<p>Mill 1 was built in 1801.</p>" * 2, "or more than once"),
    ],
)
def test_our_own_rendering_is_shown_where_the_block_is_not_there_exactly_once(live, html, why):
    live.html = lambda revid: Answer({"parse": {"revid": revid, "text": html}})
    fetched("Mill 1")
    assert shown().html.startswith(MARKED)
    assert "{{Inconsistent" in shown().html
    assert shown().origin.startswith(OWN)
    assert why in shown().origin


MARK = '<sup class="noprint Inline-Template">[<i>inconsistent</i>]</sup>'
NOTES = '<ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink">^</span> Says 6.@</li></ol>'
ROWS = "<tr><th>A</th></tr><tr><td>Weir 12 m</td></tr>"
LISTS = "<ul><li>The weir.</li><li>The mill.</li></ul>"
AMBOX = '<table class="box-Self-contradictory metadata ambox"><tr><td>This contradicts itself.</td></tr></table>'
# The wikitext and the wiki's HTML, @ for a tag; what is marked for each tag, and which of the tags shown it is.
PLACES = {
    "two in a paragraph": ("One.@ Two.@", "<p>One.@ Two.@</p>", [(["One. Two."], 0), (["One. Two."], 1)]),
    "a paragraph and its note": (
        "One.@ Two.<ref>Says 6.@</ref>",
        f'<p>One.@ Two.<sup class="reference"><a href="#cite_note-1">[1]</a></sup></p>{NOTES}',
        [(["One. Two."], 0), (["Says 6."], 1)],
    ),
    "a list of references": (
        "A.<ref name=a/>\n\n<references>\n<ref name=a>Says 6.@</ref>\n</references>",
        f'<p>A.<sup class="reference"><a href="#cite_note-1">[1]</a></sup></p>{NOTES}',
        [(["Says 6."], 0)],
    ),
    "a note of letters": (
        "A.{{efn|Says 6.@}}",
        f'<p>A.<sup class="reference"><a href="#cite_note-1">[a]</a></sup></p>{NOTES}',
        [(["Says 6."], 0)],
    ),
    "after a table": (
        "{|\n! A\n|-\n| Weir 12 m\n|}\n@\n\nNext.",
        f"<table>{ROWS}</table><p>@</p><p>Next.</p>",
        [(["A", "Weir 12 m"], 0)],
    ),
    "two after a list": (
        "* The weir.\n* The mill.\n@@\n\nNext.",
        f"{LISTS}<p>@@</p><p>Next.</p>",
        [(["The weir.", "The mill."], 0), (["The weir.", "The mill."], 1)],
    ),
    "after the second of two equal lists": (
        "* The weir.\n* The mill.\n\nNext.\n* The weir.\n* The mill.\n@",
        f"{LISTS}<p>Next.</p>{LISTS}<p>@</p>",
        [(["The weir.", "The mill."], 0)],
    ),
    "after a list whose words differ there": (
        "* The weir is 12 {{x}} high\n* The mill\n@",
        "<p>One.</p><ul><li>The weir is 12 m high</li><li>The mill</li></ul><p>@</p>",
        [(["The weir is 12 m high", "The mill"], 0)],
    ),
    "after a gallery": (
        "<gallery>\nA.jpg|The weir\n</gallery>\n@",
        '<ul class="gallery"><li class="gallerybox"><div class="gallerytext">The weir</div></li></ul><p>@</p>',
        [(["The weir"], 0)],
    ),
    "after an image": (
        "[[File:A.jpg|thumb|The weir]]\n@",
        '<figure typeof="mw:File/Thumb"><figcaption>The weir</figcaption></figure><p>@</p>',
        [(["The weir"], 0)],
    ),
    "below a heading": ("== A ==\n@\n\nIt is 12 m.", "<h2>A</h2><p>@</p><p>It is 12 m.</p>", [(["It is 12 m."], 0)]),
    "in an HTML list": (
        "<ul><li>One.</li><li>Two.@</li></ul>\nNext.", "<ul><li>One.</li><li>Two.@</li></ul>Next.", [(["Two."], 0)],
    ),
    "in an HTML table": (
        "<table><tr><th>Weir</th><td>12 m@</td></tr><tr><td>14</td></tr></table>",
        "<table><tr><th>Weir</th><td>12 m@</td></tr><tr><td>14</td></tr></table>",
        [(["Weir12 m"], 0)],
    ),
    "in a quotation": (
        "Before.@\n<blockquote>It is 12 m.@</blockquote>",
        "<p>Before.@</p><blockquote><p>It is 12 m.@</p></blockquote>",
        [(["Before."], 0), (["It is 12 m."], 1)],
    ),
    "in a division": ("A.\n<div>Is 12 m.@</div>\nB.", "<p>A.</p><div>Is 12 m.@</div><p>B.</p>", [(["Is 12 m."], 0)]),
    "in an unknown template": (
        "{{Track listing\n| title1 = A\n| length1 = 3:45@\n}}",
        "<table><tr><td>1.</td><td>A</td><td>3:45@</td></tr></table>",
        [(["1.A3:45"], 0)],
    ),
    "in a section with a banner": (
        "== A ==\n{{Self-contradictory}}\nOne.@",
        f"<h2>A</h2>{AMBOX}<p>One.@</p>",
        [(["One."], 0), (["One."], 1)],
    ),
    "in equal paragraphs": ("Same.@\n\nSame.@", "<p>Same.@</p><p>Same.@</p>", [(["Same."], 0), (["Same."], 1)]),
    "in equal items in one another": (
        "* Same.@\n** Same.@", "<ul><li>Same.@<ul><li>Same.@</li></ul></li></ul>", [(["Same."], 0), (["Same."], 1)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_what_each_tag_speaks_of_is_marked_and_the_tag_told_apart(live, place):
    wikitext, html, expected = PLACES[place]
    live.texts[1] = wikitext.replace("@", TAG)
    live.html = lambda revid: Answer({"parse": {"revid": revid, "text": html.replace("@", MARK)}})
    fetched("Mill 1")
    found = []
    for seen in Sighting.objects.select_related("revision__article__wiki", "tag").order_by(
        "position"
    ):
        article = shown_article(seen.revision, seen)
        assert article.origin.startswith("The wiki's own HTML")
        tags = re.findall(r'<span class="wiki-tag"([^>]*)>', article.html)
        (current,) = (at for at, mark in enumerate(tags) if mark == ' aria-current="true"')
        found.append((marked_words(article.html), current))
    assert found == expected


def marked_words(html):
    """Of each marked element, without the tags and the items and notes in it."""
    elements = re.findall(
        r'<(?:p|li|tr)(?: id="tagged-block")? class="(?:\w+ )?tagged">(.*?)(?=</?(?:li|tr|ul)|</p>)',
        html,
        re.DOTALL,
    )
    plain = (re.sub(r"\[<i>inconsistent</i>\]|\[\d\]|<[^>]+>", "", one) for one in elements)
    return [" ".join(words.split()) for words in plain]


ERROR = {"errors": [{"code": "nosuchrevid", "text": "There is no revision with ID 3."}]}


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (ERROR, "There is no revision with ID 3. (nosuchrevid)"),
        ({"parse": {"revid": 3, "text": "x" * 5 * 1024**2}}, "answer is over 3 MiB"),
        ({"parse": {"revid": 4, "text": "<p>Mill 1 was built in 1801.</p>"}}, "of another revision"),
        ({"parse": {"text": "<p>Mill 1 was built in 1801.</p>"}}, "of another revision"),
        ({"parse": {"revid": 3, "text": {"*": "<p></p>"}}}, "gave no HTML"),
        ({"parse": {"revid": 3, "text": " "}}, "gave no HTML"),
        ({"parse": []}, "gave no HTML"),
        ({"batchcomplete": True}, "gave no HTML"),
        ({"parse": {"revid": 3, "text": "<div>" * (MOST_OPEN + 1)}}, "over 1000 elements"),
    ],
)  # fmt: skip
def test_html_that_a_wiki_does_not_give_is_no_failure_and_is_not_asked_for_again(
    live, body, problem
):
    live.html = lambda revid: Answer(body) if revid == 3 else html_of(revid)
    assert fetched().state == "done"
    kept = RevisionHtml.objects.get(revision__revid=3)
    assert problem in kept.problem
    assert shown(1).origin.startswith(f"{OWN}the wiki did not give its own HTML. ")
    assert shown(2).origin.startswith("The wiki's own HTML")
    live.asked.clear()
    fetched()
    assert live.htmls_asked() == []


@pytest.mark.both
@pytest.mark.parametrize(
    "answer", [Answer("down", 404), Answer("blocked", 403), Answer("<html>", 502)]
)
def test_a_wiki_too_busy_for_html_is_asked_by_a_later_fetch_the_others_first(
    live, settings, answer
):
    live.size, settings.WIKI_MAX_WAIT = 4, 0.1
    titles = [f"Mill {n}" for n in range(1, 5)]
    live.html = lambda revid: answer
    run = fetched(*titles)
    assert (run.state, run.tags_found, {*live.htmls_asked()}) == ("done", 4, {3, 5, 7})
    live.asked.clear()
    live.html = lambda revid: answer if revid == 3 else html_of(revid)
    fetched(*titles)
    assert list(dict.fromkeys(live.htmls_asked())) == [9, 3, 5, 7]
    live.html = html_of
    fetched(*titles)
    assert RevisionHtml.objects.filter(packed__isnull=False).count() == 4


def test_a_wiki_that_says_when_to_come_back_is_asked_for_nothing_until_then(live):
    live.html = lambda revid: Answer("busy", 503, {"Retry-After": "60"})
    run = newfetch.fetch_of_titles(["Mill 1"])
    assert fetch.carry_out(run.pk)
    run.refresh_from_db()
    assert (run.state, run.tags_found, RevisionHtml.objects.count()) == ("waiting", 1, 0)
    assert not fetch.carry_out(run.pk)
    live.html = html_of
    Wiki.objects.update(busy_until=None)
    assert fetch.finished(run).state == "done"
    assert (live.htmls_asked(), shown().html.startswith(MARKED)) == ([3, 3], True)


def test_a_page_whose_html_is_always_too_much_holds_a_fetch_up_for_minutes_at_most(live):
    live.html = lambda revid: Answer("busy", 503, {"Retry-After": "60"})
    run = newfetch.fetch_of_titles(["Mill 1"])
    for _ in range(MOST_WAITED // 60):
        assert fetch.carry_out(run.pk)
        run.refresh_from_db()
        assert run.state == "waiting"
        Wiki.objects.update(busy_until=None)
    run = fetch.finished(run)
    assert (run.state, run.tags_found) == ("done", 1)
    (row,) = RevisionHtml.objects.all()
    assert row.ask_again


def test_it_can_be_switched_off(live, settings):
    fetched("Mill 1")
    settings.WIKI_HTML = False
    assert (shown().origin, "{{Inconsistent" in shown().html) == ("", True)
    fetched("Mill 2")
    assert live.htmls_asked() == [3]


def test_a_run_killed_among_the_html_asks_only_for_what_is_missing(live, monkeypatch):
    def dies(client, revid):
        raise SystemExit

    live.size, html_asked = 2, WikiClient.html_of
    run = newfetch.fetch_of_titles(["Mill 1", "Mill 2"])
    replies = iter([html_asked, dies, html_asked])
    monkeypatch.setattr(WikiClient, "html_of", lambda *given: next(replies)(*given))
    with pytest.raises(SystemExit):
        fetch.carry_out(run.pk)
    assert RevisionHtml.objects.count() == 1
    FetchRun.objects.filter(pk=run.pk).update(lease_until=in_seconds(-1))
    tasks.sweep_fetches()
    assert fetch.finished(run).state == "done"
    assert live.htmls_asked() == [3, 5]
    assert len(live.content_requests()) == 1


def test_the_other_article_comes_with_its_html_in_its_newest_revision_alone(live):
    live.naming[1] = ["Mill 500"]
    fetched("Mill 1")
    assert live.htmls_asked() == [3, 1001]
    other = Revision.objects.get(revid=1001)
    assert shown_article(other).html.startswith("<p>Mill 500 was built")
    live.edited.add(500)
    fetched("Mill 1")
    assert live.htmls_asked() == [3, 1001, 2 * live.LATER + 500]


def test_a_file_brings_no_html_and_a_later_live_fetch_does(live, tmp_path):
    text = f"Mill 1 was built in 1801.{TAG}"
    run = fetch.fetch_xml(written(tmp_path, export(page(1, "Mill 1", revision(3, text)))))
    assert (run.tags_found, RevisionHtml.objects.count()) == (1, 0)
    assert shown().origin == ""
    Wiki.objects.update(base_url=f"{live.address}/wiki/")
    fetched("Mill 1")
    assert shown().html.startswith(MARKED)


def test_what_the_wiki_hides_later_is_taken_out_of_the_html_too(live):
    fetched()
    live.hidden = {3: ["sha1hidden"]}
    fetched()
    assert set(RevisionHtml.objects.values_list("revision__revid", flat=True)) == {5, 7}
    live.asked.clear()
    fetched()
    assert live.htmls_asked() == []


@pytest.mark.both
def test_a_row_holds_html_or_why_there_is_none(live):
    fetched("Mill 1")
    kept = RevisionHtml.objects.all()
    for columns in ({"problem": "None."}, {"packed": None}, {"ask_again": True}):
        with pytest.raises(IntegrityError), transaction.atomic():
            kept.update(**columns)


def test_a_dead_wiki_still_fails_the_run(live):
    live.html = lambda revid: Answer("down", 404)
    live.fails_at = 2
    with pytest.raises(Refusal, match="HTTP 404"):
        fetched()
