"""The tab of other articles: asking for one during the work, waiting for it, and copying from it."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation, AskedArticle
from annotation.workflow import asked_articles
from tests.annotation import factories as make
from tests.browser.axe import violations
from tests.browser.conftest import sign_in
from tests.browser.test_annotate_page import address, wait_until
from tests.wikifetch.livewiki import LiveWiki

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def live(settings):
    with LiveWiki(5) as wiki:
        settings.WIKI_ALLOWED = [wiki.address]
        settings.WIKI_CONTACT = "alice@example.org"
        settings.WIKI_REQUESTS_PER_SECOND = 1_000_000
        yield wiki


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def draft(alice):
    return make.draft(alice, validity="Valid")


@pytest.fixture
def desk(page, alice, draft, live):
    sign_in(page, alice)
    return opened(page, draft)


def opened(page, draft):
    page.goto(address(draft))
    expect(page.locator("[data-ready]")).to_be_attached()
    page.get_by_role("tab", name="Other article").click()
    return page


def fetch_all():
    for row in AskedArticle.objects.filter(state="asked"):
        asked_articles.fetch_asked(row.pk)


def ask(page, text):
    page.get_by_label("Title or address", exact=True).fill(text)
    page.get_by_role("button", name="Get the article").click()


def shown(page):
    return page.locator("#pane-other .article-text")


def test_it_is_asked_for_awaited_shown_and_copied_from(desk, live):
    desk.locator("[name=valid_comment]").evaluate("box => { box.value = 'typed'; }")
    ask(desk, f"{live.address}/wiki/Mill_3")
    expect(desk.locator("[data-waiting]")).to_contain_text("Fetching “Mill 3”")
    expect(desk.get_by_label("Title or address", exact=True)).to_have_value("")
    fetch_all()
    expect(shown(desk)).to_contain_text("Mill 3 was built in 1801.")
    expect(desk.locator("[data-waiting]")).to_have_count(0)
    expect(desk.locator("[name=valid_comment]")).to_have_value("typed")
    expect(desk.locator("#pane-other .article-search")).to_be_visible()
    shown(desk).focus()
    desk.keyboard.press("j")
    desk.keyboard.press("2")
    expect(desk.locator("[name=passage_2_copied]")).to_have_value(re.compile("Mill 3 was built"))
    desk.get_by_role("tab", name="Other article").focus()
    wait_until(desk, "saved")
    (piece,) = Annotation.objects.get().provenance["2"]
    assert (piece["revid"], piece["title"]) == (7, "Mill 3")


def test_enter_asks_and_saves_nothing_else(desk, live):
    desk.get_by_label("Title or address", exact=True).fill(f"{live.address}/wiki/Mill_1")
    desk.keyboard.press("Enter")
    expect(desk.locator("[data-waiting]")).to_be_visible()
    assert desk.url.endswith("/")


def test_a_refusal_says_why_and_keeps_what_was_typed(desk, watch):
    watch.expect("status of 400")
    ask(desk, "javascript:alert(1)")
    expect(desk.locator("#pane-other .field-error")).to_contain_text(
        "not the address of an article"
    )
    expect(desk.get_by_label("Title or address", exact=True)).to_have_value("javascript:alert(1)")


def test_without_network_it_says_that_nothing_was_asked(desk, watch):
    watch.expect("ERR_INTERNET_DISCONNECTED")
    desk.context.set_offline(True)
    ask(desk, "Mill")
    expect(desk.locator("#pane-other .field-error")).to_contain_text("nothing was asked for")
    desk.context.set_offline(False)


def test_signed_out_it_says_how_to_go_on(desk, watch):
    watch.expect("403 (Forbidden)")
    desk.context.clear_cookies()
    ask(desk, "Mill")
    expect(desk.locator("#pane-other .field-error")).to_contain_text("Sign in in another tab. Then")


def test_one_of_several_is_chosen_and_what_is_read_keeps_its_selection(desk, live):
    for n in (1, 2):
        ask(desk, f"{live.address}/wiki/Mill_{n}")
        expect(desk.locator("[data-waiting]")).to_be_visible()
        fetch_all()
        expect(shown(desk)).to_contain_text(f"Mill {n} was built")
    desk.get_by_role("link", name="Mill 1").click()
    expect(shown(desk)).to_contain_text("Mill 1 was built")
    expect(shown(desk)).to_be_focused()


@pytest.mark.parametrize("width", [1440, 320])
@pytest.mark.parametrize("dark", [False, True])
def test_everyone_can_use_it(open_page, alice, draft, live, width, dark):
    for text in ("Mill_1", "Mill_2", "No_mill"):
        row = asked_articles.ask_for(draft, f"{live.address}/wiki/{text}", alice)
        asked_articles.fetch_asked(row.pk)
    asked_articles.ask_for(draft, f"{live.address}/wiki/Mill_4", alice)
    page = opened(open_page(alice, width=width, height=768, dark=dark), draft)
    expect(page.locator("#pane-other .field-error")).to_contain_text("no page of this title")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_without_script_the_form_is_saved_and_the_page_shows_it(open_page, alice, draft, live):
    page = open_page(alice, java_script_enabled=False)
    page.goto(address(draft))
    page.locator("[name=valid_comment]").fill("Kept")
    ask(page, f"{live.address}/wiki/Mill_3")
    expect(page.locator("[data-waiting]")).to_contain_text("Fetching “Mill 3”")
    expect(page.locator("[name=valid_comment]")).to_have_value("Kept")
    fetch_all()
    page.get_by_role("button", name="Save and look again").click()
    expect(shown(page)).to_contain_text("Mill 3 was built")


def test_its_address_opens_the_tab_and_the_form_works(page, alice, draft, live):
    sign_in(page, alice)
    page.goto(f"{address(draft)}#pane-other")
    expect(page.locator("[data-ready]")).to_be_attached()
    expect(page.get_by_label("Title or address", exact=True)).to_be_visible()
    expect(page.locator(".step[data-current]")).to_have_count(1)
