"""Selections have whole words, in articles and in passages of step 3; Shift and the arrow keys take parts of one."""

import pytest
from playwright.sync_api import expect

from tests.annotation import factories as make
from tests.annotation.captured_cases import TAG
from tests.browser.conftest import settled, sign_in
from tests.browser.test_annotate_page import address, choose, stored, wait_until, write_alone
from tests.browser.test_capturing import copied, real_draft
from tests.browser.test_operations import ENDS_OF

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = (
    f"It opened on the 24th of May.<ref>A</ref>{TAG} It is 12m high.\n\n"
    "== Wheel ==\nThe wheel has ''thirty''-one spokes.\n\n我住在北京大学附近的房子\n\n* שלום עולם טוב\n"
)


def opened(page, text=TEXT):
    alice = make.annotator("alice")
    sign_in(page, alice)
    page.goto(address(real_draft(text, alice)))
    settled(page)
    choose(page, "validity", "Valid")
    page.evaluate("document.activeElement.blur()")
    return page


@pytest.fixture
def desk(page):
    return opened(page)


def article(page):
    return page.locator(".article-text:visible")


def drag(page, box, start, end=None, *, backwards=False):
    """Over the letters from `start` to `end`, which each stand in one text of the box."""
    first, last = (box.evaluate(ENDS_OF, words) for words in (start, end or start))
    places = [(first[0] + 1, first[1]), (last[2] - 1, last[3])]
    (x1, y1), (x2, y2) = reversed(places) if backwards else places
    page.mouse.move(x1, y1)
    page.mouse.down()
    page.mouse.move(x2, y2, steps=4)
    page.mouse.up()


def expect_selected(page, words):
    page.wait_for_function("(words) => String(getSelection()) === words", arg=words)


@pytest.mark.parametrize("backwards", [False, True], ids=["on", "back"])
@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        ("he 24", None, "the 24th"),
        ("m h", None, "12m high"),
        ("hir", None, "thirty"),
        ("大", None, "大学"),
        ("京大", None, "北京大学"),
        ("ום ע", None, "שלום עולם"),
        ("24th", None, "24th"),
        ("high", "whe", "high.\nThe wheel"),
    ],
    ids=["an ordinal", "a unit", "italics", "Chinese", "two words of it", "Hebrew", "no more", "over a heading"],
)  # fmt: skip
def test_a_mouse_selects_whole_words(desk, start, end, words, backwards):
    drag(desk, article(desk), start, end, backwards=backwards)
    expect(desk.get_by_role("button", name="To passage 2")).to_be_visible()
    desk.wait_for_timeout(50)
    desk.keyboard.press("2")
    assert copied(desk, 2) == words.replace("\n", "\nWheel\n")
    is_back = backwards != ("ום" in start)  # from the right is forward there
    direction = "getSelection().direction"  # it grows and shrinks where it was drawn to
    assert desk.evaluate(direction) == ("backward" if is_back else "forward")


def test_a_part_of_a_word_is_selected_by_shift_and_the_arrow_keys(desk):
    drag(desk, article(desk), "12m")
    expect_selected(desk, "12m")
    desk.keyboard.press("Shift+ArrowLeft")
    desk.keyboard.press("2")
    assert copied(desk, 2) == "12"
    desk.keyboard.press("Shift+ArrowLeft")
    desk.get_by_role("button", name="To passage 1").click()
    assert copied(desk, 1).endswith("1")


def test_the_handles_of_a_touch_screen_send_whole_words(open_page):
    desk = opened(open_page(width=390, height=844, has_touch=True, is_mobile=True))
    article(desk).evaluate(
        """(article) => {
          const text = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
          while (text.nextNode()) if (text.currentNode.data.includes("24th")) break;
          const at = text.currentNode.data.indexOf("he 24");
          document.getSelection().setBaseAndExtent(text.currentNode, at, text.currentNode, at + 5);
        }"""
    )
    desk.get_by_role("button", name="To passage 2").tap()
    expect(desk.locator("[name=passage_2_copied]")).to_have_value("the 24th")


def test_nothing_but_a_footnote_mark_sends_nothing(desk):
    drag(desk, article(desk), "[1]")
    expect_selected(desk, "[1]")
    expect(desk.get_by_role("button", name="To passage 2")).to_be_hidden()
    desk.keyboard.press("2")
    assert copied(desk, 2) == ""


# ---------------------------------------------------------------- spans of step 3

PASSAGE = "It opened on the twenty-ninth of May, 12m long."


@pytest.fixture
def words(desk):
    """The passage of step 3."""
    desk.locator("[data-step-link=passages]").click()
    desk.locator("[name=passage_1_copied]").fill(PASSAGE)
    write_alone(desk, 1, "")
    desk.locator("[data-step-link=reason]").click()
    words = desk.get_by_role("group", name="Passage 1: select its contradicted words")
    expect(words).to_have_text(PASSAGE)
    return words


def span(page):
    return page.locator("[name=span_1]")


def test_pieces_of_a_span_that_touch_keep_the_text_between_them(desk, words):
    drag(desk, words, "went")
    expect(span(desk)).to_have_value("twenty")
    drag(desk, words, "int")
    expect(span(desk)).to_have_value("twenty-ninth")
    drag(desk, words, "Ma")
    expect(span(desk)).to_have_value("twenty-ninth … May")
    wait_until(desk, "saved")
    assert stored()["span_1_at"] == "17-29 33-36"


def test_a_part_of_a_word_can_be_a_span_and_its_answer(desk, words):
    drag(desk, words, "2m")
    expect(span(desk)).to_have_value("12m")
    desk.keyboard.press("Shift+ArrowLeft")
    desk.keyboard.press("s")
    expect(span(desk)).to_have_value("12")
    desk.locator("[data-step-link=questions]").click()
    desk.get_by_role("button", name="Answer with the span: 12").click()
    desk.locator("[name=questions-0-answer_2]").fill("wheels")
    expect(desk.locator("[data-field=questions-0-answer_2]")).to_contain_text("I checked")
    expect(desk.locator("[data-field=questions-0-answer_1]")).not_to_contain_text("I checked")


def test_words_that_move_in_their_passage_stay_the_span(desk, words):
    drag(desk, words, "twenty")
    expect(span(desk)).to_have_value("twenty")
    desk.locator("[data-step-link=passages]").click()
    desk.locator("[name=passage_1_copied]").fill(f"So they say. {PASSAGE}")
    desk.locator("[data-step-link=reason]").click()
    expect(words.locator("mark")).to_have_text("twenty")
    wait_until(desk, "saved")
    assert stored()["span_1_at"] == ""


def test_the_arrow_keys_follow_a_text_from_right_to_left(desk, words):
    desk.locator("[data-step-link=passages]").click()
    desk.locator("[name=passage_1_copied]").fill("שלום עולם טוב")
    desk.locator("[data-step-link=reason]").click()
    expect(words).to_have_text("שלום עולם טוב")
    words.focus()
    for key in ("ArrowLeft", "ArrowLeft"):
        desk.keyboard.press(key)
    expect_selected(desk, "עולם")
    desk.keyboard.press("ArrowRight")
    expect_selected(desk, "שלום")
