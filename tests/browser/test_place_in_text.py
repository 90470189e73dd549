"""One place in the text: search, the list of sections, a click and the sentence cursor go on from each other."""

import pytest
from playwright.sync_api import expect

from tests.annotation import factories as make
from tests.annotation.captured_cases import TAG, sighting_of
from tests.browser.conftest import settled, sign_in
from tests.browser.test_annotate_page import address, choose
from tests.browser.test_capturing import copied, real_draft

pytestmark = pytest.mark.django_db(transaction=True)

INFOBOX = "{{Infobox railway\n| name = Line\n| open = 1974\n| close = 1990\n}}\n"
TEXT = (
    f"{INFOBOX}The line opened in 1974.{TAG} It is long.\n\n"
    "== Route ==\nIt begins at the mill.<ref>A</ref> It ends at the kiln, where the wheel is.\n\n"
    "[[File:A.jpg|thumb|The kiln by night.]]\n\n"
    "{| class=wikitable\n! Stop !! Opened\n|-\n| Mill || 1980\n|}\n\n"
    "== Trains ==\n* The first train is blue.\n* The last train runs at 12 o'clock.\n"
)


def opened(page, text=TEXT, **options):
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


def selected(page):
    return " ".join(page.evaluate("String(getSelection())").split())


def pressed(page, *keys):
    """What is selected after these keys."""
    for key in keys:
        page.keyboard.press(key)
    return selected(page)


def search(page, words, count):
    page.keyboard.press("/")
    page.keyboard.type(words)
    expect(page.locator(".article-search:visible output")).to_have_text(count)


def click(page, words, **options):
    """A click in the middle of these words of the article that is shown."""
    x, y = page.locator(".article-text:visible").evaluate(MIDDLE_OF, words)
    page.mouse.click(x, y, **options)


MIDDLE_OF = """(article, words) => {
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.data.indexOf(words);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(walker.currentNode, at);
    range.setEnd(walker.currentNode, at + words.length);
    range.startContainer.parentElement.scrollIntoView({ block: "center" });
    const { left, width, top, height } = range.getClientRects()[0];
    return [left + width / 2, top + height / 2];
  }
  throw new Error(`“${words}” is not there`);
}"""


def test_the_cursor_opens_at_the_tagged_block_and_passes_an_infobox_by(desk):
    assert pressed(desk, "j") == "The line opened in 1974."
    assert pressed(desk, "k") == "The line opened in 1974."
    assert pressed(desk, "j", "j") == "It begins at the mill."
    assert pressed(desk, "k", "k", "k", "k") == "The line opened in 1974."


def test_a_sentence_is_found_by_its_words_and_taken(desk):
    search(desk, "wheel", "1 of 1")
    desk.keyboard.press("Enter")
    sentence = "It ends at the kiln, where the wheel is."
    assert selected(desk) == sentence
    expect(desk.locator("#pane-article .article-text")).to_be_focused()
    desk.keyboard.press("2")
    assert copied(desk, 2) == sentence
    assert pressed(desk, "k") == "It begins at the mill."


def test_the_search_begins_where_one_is_and_enter_goes_on_to_the_next(desk):
    search(desk, "1974", "1 of 2")  # in the infobox, since one knows the tagged block
    desk.keyboard.press("Enter")
    assert "1974" in selected(desk)
    assert pressed(desk, "j").startswith("Close")  # who is in an infobox goes through it
    search(desk, "mill", "1 of 2")
    desk.keyboard.press("Enter")
    assert selected(desk) == "It begins at the mill."
    assert pressed(desk, "/", "Enter") == "Mill 1980"
    assert pressed(desk, "/", "Enter") == "It begins at the mill."
    assert pressed(desk, "/", "ArrowDown", "ArrowDown", "ArrowUp", "Enter") == "Mill 1980"


def test_escape_leaves_the_search_and_keeps_the_place(desk):
    search(desk, "wheel", "1 of 1")
    desk.keyboard.press("Escape")
    expect(desk.locator("#pane-article .article-text")).to_be_focused()
    assert selected(desk) == ""
    assert pressed(desk, "j") == "It ends at the kiln, where the wheel is."
    search(desk, "the mill", "1 of 1")
    assert pressed(desk, "Escape", "k") == "It begins at the mill."


def test_a_section_is_where_the_cursor_goes_on(desk):
    sections = desk.get_by_label("Go to a section")
    sections.select_option("Trains")
    expect(desk.locator("#pane-article .article-text")).to_be_focused()
    assert pressed(desk, "j") == "The first train is blue."
    sections.select_option("Trains")  # the same again, from elsewhere
    assert pressed(desk, "k") == "Mill 1980"
    sections.select_option("Infobox")
    assert pressed(desk, "j") == "Name Line"
    sections.focus()
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("ArrowDown")
    expect(sections).to_be_focused()
    assert pressed(desk, "Escape", "j") == "It begins at the mill."


def test_t_goes_back_to_the_tag(desk):
    search(desk, "wheel", "1 of 1")
    assert pressed(desk, "Enter", "t", "j") == "The line opened in 1974."


def test_a_click_on_a_sentence_selects_it_and_another_takes_that_back(desk):
    click(desk, "kiln, where")
    sentence = "It ends at the kiln, where the wheel is."
    assert selected(desk) == sentence
    expect(desk.get_by_role("button", name="To passage 2")).to_be_visible()
    click(desk, "ends at")
    assert selected(desk) == ""
    assert pressed(desk, "j") == sentence
    click(desk, "kiln", click_count=2)  # as anywhere, a word
    assert selected(desk) == "kiln"
    assert pressed(desk, "k") == sentence
    click(desk, "begins")
    assert pressed(desk, "Shift+j") == f"It begins at the mill.[1] {sentence}"


def test_words_of_the_cursors_sentence_can_be_selected_by_mouse(desk):
    search(desk, "wheel", "1 of 1")
    desk.keyboard.press("Enter")
    box = desk.locator(".article-text:visible")
    (x1, y1), (x2, y2) = (box.evaluate(MIDDLE_OF, words) for words in ("kiln", "wheel"))
    desk.mouse.move(x1, y1)
    desk.mouse.down()
    desk.mouse.move(x2, y2, steps=4)
    desk.mouse.up()
    desk.wait_for_function("() => String(getSelection()) === 'kiln, where the wheel'")


def test_each_article_has_its_own_place(desk):
    other = "<p>Its first sentence.</p><p>The owl sleeps. The wheel turns.</p>"
    desk.evaluate(
        """(html) => {
          const article = document.createElement('div');
          article.className = 'article-text prose';
          article.tabIndex = 0;
          article.innerHTML = html;
          const pane = document.querySelector('#pane-other');
          pane.append(article);
          document.querySelector('evidence-panes').addTools(pane);
        }""",
        other,
    )
    search(desk, "wheel", "1 of 1")
    desk.keyboard.press("Enter")
    assert pressed(desk, "]", "j") == "Its first sentence."
    search(desk, "wheel", "1 of 1")
    assert pressed(desk, "Enter") == "The wheel turns."
    assert pressed(desk, "k") == "The owl sleeps."
    assert pressed(desk, "[", "k") == "It begins at the mill."
    assert pressed(desk, "]", "j") == "The wheel turns."


def test_a_sentence_far_down_a_long_paragraph_comes_into_view(page):
    long = " ".join(f"Sentence {n} of many says nothing." for n in range(900))
    desk = opened(page, f"It opened in 1974.{TAG}\n\n{long}\n")
    search(desk, "Sentence 800", "1 of 1")
    desk.keyboard.press("Enter")
    for _ in range(25):
        desk.keyboard.press("j")
    assert selected(desk) == "Sentence 825 of many says nothing."
    box = desk.locator(".article-text:visible").bounding_box()
    top, bottom = desk.evaluate(
        "(({ top, bottom }) => [top, bottom])(getSelection().getRangeAt(0).getBoundingClientRect())"
    )
    assert box["y"] <= top
    assert bottom <= box["y"] + box["height"]


# ---------------------------------------------------------------- search words of every kind


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("the mill. it ends", "It begins at the mill."),
        ("1974. It", "The line opened in 1974."),
        ("by  night", "The kiln by night."),
        ("mill 1980", "Mill 1980"),
        ("o’clock", "The last train runs at 12 o'clock."),
        ("route", "It begins at the mill."),
        ("(", ""),
        ("nowhere", ""),
    ],
    ids=[
        "over a footnote",
        "over a tag",
        "in a caption",
        "over two cells",
        "another sign",
        "in a heading",
        "a sign",
        "nowhere",
    ],
)
def test_words_are_found_where_a_reader_sees_them(desk, words, sentence):
    search(desk, words, "1 of 1" if sentence else "not found")
    desk.keyboard.press("Enter")
    assert selected(desk) == sentence
    if not sentence:
        count = desk.locator(".article-search:visible output")
        for typed, shown in (("mill", "1 of 2"), ("mill nowhere", "not found")):
            desk.get_by_role("searchbox").fill(typed)
            expect(count).to_have_text(shown)
        expect(desk.get_by_role("searchbox")).to_be_focused()
        assert pressed(desk, "Escape", "j") == "The line opened in 1974."  # where one was


def test_words_that_occur_500_times(page):
    many = "\n\n".join(f"Mill {n} has a wheel." for n in range(500))
    desk = opened(page, f"It opened in 1974.{TAG}\n\n{many}\n")
    search(desk, "wheel", "1 of 500")
    desk.keyboard.press("ArrowUp")
    expect(desk.locator(".article-search:visible output")).to_have_text("500 of 500")
    assert pressed(desk, "Enter") == "Mill 499 has a wheel."
    assert pressed(desk, "/", "Enter") == "Mill 0 has a wheel."


# ---------------------------------------------------------------- clicks of every kind


def test_a_click_on_a_footnote_is_one_on_its_sentence(desk):
    click(desk, "[1]")
    assert selected(desk) == "It begins at the mill."


def test_a_click_on_a_tables_head_or_cell_selects_its_row(desk):
    click(desk, "Stop")
    assert selected(desk) == "Stop Opened"
    desk.keyboard.press("2")
    assert copied(desk, 2) == "Stop | Opened"
    click(desk, "1980")
    assert selected(desk) == "Mill 1980"


def test_a_click_on_a_picture_selects_its_caption_and_one_on_a_heading_nothing(desk):
    click(desk, "kiln by")
    assert selected(desk) == "The kiln by night."
    click(desk, "Trains")
    assert selected(desk) == ""
    assert pressed(desk, "j") == "The first train is blue."


def test_a_click_beside_the_text_selects_nothing(desk):
    box = desk.locator(".article-text:visible").bounding_box()
    desk.mouse.click(box["x"] + 4, box["y"] + box["height"] - 4)
    assert selected(desk) == ""


def test_a_tap_on_a_touch_screen_selects_a_sentence(open_page):
    desk = opened(open_page(width=390, height=844, has_touch=True, is_mobile=True))
    x, y = desk.locator(".article-text:visible").evaluate(MIDDLE_OF, "first train")
    desk.touchscreen.tap(x, y)
    desk.wait_for_function("() => String(getSelection()) === 'The first train is blue.'")
    desk.get_by_role("button", name="To passage 2").tap()
    expect(desk.locator("[name=passage_2_copied]")).to_have_value("The first train is blue.")


# ---------------------------------------------------------------- without script


LONG = f"{'A sentence of ten words that says nothing at all.' * 20}\n\n" * 40


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_the_page_of_the_next_tag_opens_at_the_tagged_block(open_page, script, width):
    alice = make.annotator("alice")
    text = f"{LONG}The mill opened in 1974.{TAG}\n\n{LONG}"
    sighting_of(text)
    make.campaign(tags=0)
    page = open_page(alice, width=width, java_script_enabled=script)
    page.goto("/annotate/")
    page.get_by_role("button", name="Get the next tag").click()
    block = page.locator("#tagged-block")
    expect(block).to_contain_text("The mill opened in 1974.")
    expect(block).to_be_in_viewport()
    above = page.locator(".article-text p").first
    assert above.inner_text().startswith("A sentence of ten words")  # the text keeps its order
    if script:
        settled(page)
        if width == 1440:  # the article scrolls, and nothing else
            scrolled = (
                "[scrollY, document.body.scrollTop, document.querySelector('.desk').scrollTop]"
            )
            assert page.evaluate(scrolled) == [0, 0, 0]
    else:
        page.goto(page.url.partition("#")[0])
        expect(block).not_to_be_in_viewport()
        page.get_by_role("link", name="To the tagged block").click()
        expect(block).to_be_in_viewport()
