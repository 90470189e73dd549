"""How many operations an annotation costs, by keyboard alone and by mouse.

An operation is a click, a drag, a key or a chord; a repeated key counts each time. What is typed into a field counts by
its characters, apart from the operations. The same annotation costs 38 operations in the form of the study's paper (one
for each field, a copy and a paste for each passage, an “Add” for each text). There the passages are pasted, and both
titles, stand-alone texts, claims and spans are typed; questions and answers are typed in both, and do not count.
"""

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation
from tests.annotation import factories as make
from tests.annotation.captured_cases import sighting_of
from tests.browser.conftest import sign_in
from tests.browser.test_capturing import TAG, real_draft
from wikifetch.models import Article, Revision

pytestmark = pytest.mark.django_db(transaction=True)

BY_KEYBOARD, BY_MOUSE = 19, 17
TABLE_BY_KEYBOARD = BANNER_BY_KEYBOARD = 22
WORKED = (
    f"== History ==\nThe mill on the Elbe was opened by its owners in 1974.{TAG}\n\n"
    "A stone over the door names 1980 as the year in which the mill opened.\n\nIts wheel is of oak.\n"
)
BROOK = "A brook runs by. Hay is cut in June.\n\n" * 80
FAR = WORKED.replace("\n\nA stone", f"\n\n{BROOK}A stone")
TABLE = (
    "== Lines ==\n{| class=wikitable\n! Line !! Opened !! Length\n|-\n| U1 || 1974 || 3 km\n|-\n"
    f"| U2{TAG} || 1980 || 5 km\n|}}\n\nThe line U2 was opened in 1984 by the mayor.\n"
)
BANNER = "{{contradicts other|Mills of the Elbe}}"
TAGGED = (
    BANNER + "\n\n@The mill on the Elbe was opened by its owners in 1974.\n\nIts wheel is of oak.\n"
)
OTHER = "There are four mills.\n\n@The third of the mills was opened by the mayor in 1980.\n\nAll are of stone.\n"


class Hands:
    """A person at the page, whose operations are counted."""

    def __init__(self, page):
        self.page = page
        self.operations = 0
        self.typed = 0

    def press(self, *keys):
        for key in keys:
            self.operations += 1
            self.page.keyboard.press(key)

    def type(self, text):
        self.typed += len(text)
        self.page.keyboard.type(text)

    def find(self, words, pane="article"):
        """Type the words in the search of this pane, which has the focus, and see that they are found."""
        self.type(words)
        found = self.page.locator(f"#pane-{pane} .article-search output")
        expect(found).to_have_text("1 of 1")

    def click(self, locator):
        self.operations += 1
        locator.click()

    def drag(self, box, text):
        """Select these words in the box with the mouse."""
        self.operations += 1
        x1, y1, x2, y2 = box.evaluate(ENDS_OF, text)
        self.page.mouse.move(x1 + 1, y1)
        self.page.mouse.down()
        self.page.mouse.move(x2, y2, steps=4)
        self.page.mouse.up()


ENDS_OF = """(box, words) => {
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.data.indexOf(words);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(walker.currentNode, at);
    range.setEnd(walker.currentNode, at + words.length);
    const [first, last] = [range.getClientRects()[0], [...range.getClientRects()].at(-1)];
    return [first.left, first.top + first.height / 2, last.right, last.top + last.height / 2];
  }
  throw new Error(`“${words}” is not there`);
}"""


@pytest.fixture
def at_tag(page):
    """`at_tag(text)`: the page of a tag in an article with this text, and the hands that work there."""
    alice = make.annotator("alice")
    sign_in(page, alice)

    def opened(text):
        draft = real_draft(text, alice, title="Elbe Mill")
        page.goto(f"/annotate/{draft.assignment_id}/")
        expect(page.locator("[data-ready]")).to_be_attached()
        return Hands(page)

    return opened


@pytest.fixture
def at_banner(page):
    """`at_banner(text, other)`: the page of a banner that names another article, and the hands that work there."""
    alice = make.annotator("alice")
    sign_in(page, alice)

    def opened(text, other):
        wiki = sighting_of(text, raw=BANNER, title="Elbe Mill").revision.article.wiki
        article = Article.objects.create(wiki=wiki, pageid=1, title="Mills of the Elbe")
        Revision.objects.create(article=article, revid=1, wikitext=other)
        draft = make.draft(alice, within=make.campaign(tags=0))
        page.goto(f"/annotate/{draft.assignment_id}/")
        expect(page.locator("[data-ready]")).to_be_attached()
        return Hands(page)

    return opened


def submitted(page):
    expect(page.get_by_text("Submitted: ")).to_be_visible()
    return Annotation.objects.get(state="submitted")


def typed_there(annotation):
    """The characters of the same annotation in the paper's form."""
    texts = [
        text
        for n in (1, 2)
        for text in (
            getattr(annotation, f"article_{n}"),
            getattr(annotation, f"passage_{n}_standalone")
            or getattr(annotation, f"passage_{n}_copied"),
            getattr(annotation, f"statement_{n}"),
            getattr(annotation, f"span_{n}"),
        )
    ]
    assert all(texts)
    return sum(map(len, texts))


def report(capsys, how, hands, typed, annotation, most):
    there = typed_there(annotation)
    with capsys.disabled():
        print(f"\n{how}: {hands.operations} operations, {typed} characters ({there} there)")
    assert hands.operations <= most
    assert typed <= there / 2


@pytest.mark.parametrize("text", [WORKED, FAR], ids=["near", "far"])
def test_the_worked_example_by_keyboard_alone(at_tag, page, capsys, text):
    hands = at_tag(text)
    hands.press("v", "/")
    hands.find("a stone over")
    hands.press("Enter", "2")
    hands.press("d")  # the choice opens the next step
    hands.type("The mill was opened in 1974.")
    hands.press("Tab")
    hands.type("The mill was opened in 1980.")
    hands.press("Tab")
    hands.type("1974")
    hands.press("Tab")
    hands.type("1980")
    hands.press("Alt+n", "d", "Enter", "1", "Enter")
    typed = hands.typed
    hands.type("When was the mill opened?")
    hands.press("Alt+s", "Alt+s", "Alt+n", "4", "Control+Enter")
    annotation = submitted(page)
    assert annotation.passage_2_copied.startswith("A stone over the door names 1980")
    assert (annotation.span_2, annotation.confidence, len(annotation.taxonomy)) == ("1980", 4, 4)
    report(capsys, "by keyboard", hands, typed, annotation, BY_KEYBOARD)


@pytest.mark.parametrize("words", ["", "a stone"], ids=["near", "far"])
def test_the_worked_example_by_mouse(at_tag, page, capsys, words):
    page.add_init_script("localStorage.setItem('sic-et-non:steps', 'all')")
    hands = at_tag(FAR if words else WORKED)

    def option(field, n):
        return page.locator(f"[data-field={field}] label:has(input[name={field}])").nth(n)

    hands.click(option("validity", 0))
    article = page.locator("#pane-article .article-text")
    if words:
        hands.click(page.locator("#pane-article .article-search input"))
        hands.find(words)
    hands.drag(article, "A stone over the door names 1980 as the year in which the mill opened.")
    hands.click(page.get_by_role("button", name="To passage 2"))
    hands.click(option("same_passage", 1))
    hands.click(page.locator("[name=statement_1]"))
    hands.type("The mill was opened in 1974.")
    hands.click(page.locator("[name=statement_2]"))
    hands.type("The mill was opened in 1980.")
    page.locator(".span-words").last.scroll_into_view_if_needed()
    hands.drag(page.locator(".span-words").first, "1974")
    hands.drag(page.locator(".span-words").last, "1980")
    hands.click(option("type_1", 0))
    hands.click(option("type_4", 0))
    typed = hands.typed
    hands.click(page.locator("[name=questions-0-question]"))
    hands.type("When was the mill opened?")
    hands.click(page.get_by_role("button", name="Answer with the span: 1974"))
    hands.click(page.get_by_role("button", name="Answer with the span: 1980"))
    hands.click(option("confidence", 3))
    hands.click(page.get_by_role("button", name="Submit", exact=True))
    annotation = submitted(page)
    assert (annotation.span_1, annotation.span_2) == ("1974", "1980")
    report(capsys, "by mouse", hands, typed, annotation, BY_MOUSE)


def test_a_tagged_row_of_a_table_by_keyboard_alone(at_tag, page, capsys):
    hands = at_tag(TABLE)
    hands.press("v")
    hands.press("j", "j", "2", "d", "w")
    expect(page.locator("[name=passage_1_standalone]")).to_be_focused()
    hands.press("Alt+n")
    hands.type("Line U2 was opened in 1980.")
    hands.press("Tab")
    hands.type("Line U2 was opened in 1984.")
    hands.press("Tab")
    hands.type("1980")
    hands.press("Tab")
    hands.type("1984")
    hands.press("Alt+n", "d", "Enter", "1", "Enter")
    typed = hands.typed
    hands.type("When was the line U2 opened?")
    hands.press("Alt+s", "Alt+s", "Alt+n", "4", "Control+Enter")
    annotation = submitted(page)
    assert "1980" in annotation.passage_1_standalone
    assert annotation.modality_1 == "table"
    report(capsys, "a row, by keyboard", hands, typed, annotation, TABLE_BY_KEYBOARD)


@pytest.mark.parametrize("between", ["", BROOK], ids=["near", "far"])
def test_a_banner_and_another_article_by_keyboard_alone(at_banner, page, capsys, between):
    hands = at_banner(*(text.replace("@", between) for text in (TAGGED, OTHER)))
    hands.press("v", "/")
    hands.find("the mill on")
    hands.press("Enter", "1", "]", "/")
    hands.find("the third", "other")
    hands.press("Enter", "2", "d")
    hands.type("The mill was opened in 1974.")
    hands.press("Tab")
    hands.type("The mill was opened in 1980.")
    hands.press("Tab")
    hands.type("1974")
    hands.press("Tab")
    hands.type("1980")
    hands.press("Alt+n", "d", "Enter", "1", "Enter")
    typed = hands.typed
    hands.type("When was the mill opened?")
    hands.press("Alt+s", "Alt+s", "Alt+n", "4", "Control+Enter")
    annotation = submitted(page)
    assert annotation.passage_1_copied == "The mill on the Elbe was opened by its owners in 1974."
    assert annotation.passage_2_copied == "The third of the mills was opened by the mayor in 1980."
    assert annotation.article_2 == "Mills of the Elbe"
    report(capsys, "a banner, by keyboard", hands, typed, annotation, BANNER_BY_KEYBOARD)
