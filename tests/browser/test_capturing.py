"""Passages copied out of real articles: by the cursor, by a selection, and what is known of where they are from."""

import json

import pytest
from playwright.sync_api import expect

from annotation.evidence.article_text import text_and_parts
from annotation.models import Annotation
from tests.annotation import factories as make
from tests.annotation.captured_cases import TAG, sighting_of
from tests.browser.conftest import intercept, settled, sign_in
from tests.browser.test_annotate_page import address, choose, stored, wait_until
from wikifetch.article_html import article_html
from wikifetch.models import Wiki
from wikifetch.source.dump import read_dump

pytestmark = pytest.mark.django_db(transaction=True)

SECTION = "== Spliced ==\n{}\n\n"
# By place: the wikitext with the tag in it; what the tagged unit is copied as; the kind.
PLACES = {
    "text": (
        "Before it.\n\nIt opened in 1974.<ref>A</ref>" + TAG + " It is 14.7 km long.\n\nAfter it.",
        "It opened in 1974. It is 14.7 km long.",
        "text",
    ),
    "table row": (
        '{| class="wikitable"\n! Year !! Line !! Length of all lines\n|-\n'
        "| rowspan=2 | 1974 || U1<ref>A</ref> || 3 km\n|-\n| U2" + TAG + " || 14.7 km\n|}",
        "Year: 1974 | Line: U2 | Length of all lines: 14.7 km",
        "table",
    ),
    "empty cell": (
        '{| class="wikitable"\n! Line !! Opened !! Closed\n|-\n! U1\n| || 1990' + TAG + "\n|}",
        "Line: U1 | Opened: | Closed: 1990",
        "table",
    ),
    "infobox": (
        "{{Infobox railway\n| name = Line\n| open = 1974" + TAG + "\n| close = 1990\n}}",
        "Open: 1974",
        "infobox",
    ),
    "caption": (
        "Before it.\n\n[[File:A.jpg|thumb|The station in 1974." + TAG + "]]\n\nAfter it.",
        "The station in 1974.",
        "other",
    ),
    "list": ("* One.\n* Opened in 1974." + TAG + " It grew.\n* Three.", "Opened in 1974. It grew.", "list"),
    "ref": (
        "It opened in 1974.<ref>So ''A'' says.\n" + TAG + "</ref> It is long.\n\nAfter it.",
        "So A says.",
        "other",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def article_text(study_file):
    """The wikitext of a long real article."""
    for page in read_dump(study_file("wikitext/enwiki_sample.xml.bz2")).pages:
        for revision in page.revisions:
            if len(revision.text) > 60_000:
                return revision.text
    raise AssertionError("the sample has no long article")


def real_draft(wikitext, by, title="Line 1"):
    """A draft of the tag in this wikitext."""
    sighting_of(wikitext, title=title)
    return make.draft(by, within=make.campaign(tags=0))


def opened(page, draft, alice):
    sign_in(page, alice)
    page.goto(address(draft))
    settled(page)
    choose(page, "validity", "Valid")
    page.evaluate("document.activeElement.blur()")
    return page


def spliced(wikitext, section):
    at = wikitext.index("\n==") + 1
    return wikitext[:at] + SECTION.format(section) + wikitext[at:]


def select(page, start, end):
    """A selection from the first `start` to the last `end` in the article, as by a mouse."""
    page.evaluate(
        """([start, end]) => {
          const article = document.querySelector('.article-text');
          const find = (words, last) => {
            const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
            let at = null;
            while (walker.nextNode()) {
              const place = walker.currentNode.data.indexOf(words);
              if (place >= 0 && (last || !at)) at = [walker.currentNode, place];
            }
            return at;
          };
          const [from, a] = find(start, false), [to, b] = find(end, true);
          document.getSelection().setBaseAndExtent(from, a, to, b + end.length);
        }""",
        [start, end],
    )


def copied(page, n=1):
    return page.locator(f"[name=passage_{n}_copied]").input_value()


def focus_of(page):
    return page.evaluate("document.activeElement.className || document.activeElement.nodeName")


@pytest.mark.parametrize("place", PLACES)
def test_the_tagged_unit_of_a_real_article_is_copied_with_its_place(page, article_text, place):
    section, text, kind = PLACES[place]
    alice = make.annotator("alice")
    draft = real_draft(spliced(article_text, section), alice)
    desk = opened(page, draft, alice)
    assert (copied(desk, 1), draft.modality_1) == (text, kind)
    desk.evaluate(
        """() => {
          const block = document.querySelector('#tagged-block');
          const range = document.createRange();
          range.selectNodeContents(block);
          document.getSelection().removeAllRanges();
          document.getSelection().addRange(range);
        }"""
    )
    desk.keyboard.press("2")
    assert copied(desk, 2) == text
    wait_until(desk, "saved")
    saved = Annotation.objects.get()
    assert (saved.passage_2_copied, saved.modality_2, saved.article_2) == (text, kind, "Line 1")
    (piece,) = saved.provenance["2"]
    assert (piece["revid"], piece["section"], piece["kind"]) == (1007, "Spliced", kind)
    article = text_and_parts(article_html(saved.sighting.revision, saved.sighting))
    assert article.sha256 == piece["sha256"]
    assert article.allows(piece["start"], piece["end"], text)
    start, end = piece["wikitext"]
    assert saved.sighting.revision.wikitext[start:end] == saved.sighting.block


def test_the_cursor_goes_on_after_a_passage_was_sent(page, article_text):
    alice = make.annotator("alice")
    section = (
        "One stone.<ref>A</ref> Two mills, of J. Ay.<ref>B</ref><ref>C</ref>"
        + TAG
        + " Three kilns."
    )
    desk = opened(page, real_draft(spliced(article_text, section), alice), alice)
    said = []
    for key, n in (("1", 1), ("2", 2), ("4", 2)):
        desk.keyboard.press("j")
        said.append(desk.evaluate("document.getSelection().toString()"))
        before = focus_of(desk), desk.evaluate("[scrollX, scrollY]")
        desk.keyboard.press(key)
        assert (focus_of(desk), desk.evaluate("[scrollX, scrollY]")) == before
        assert desk.evaluate("document.getSelection().toString()") == said[-1]
        expect(desk.locator("[data-said]")).to_contain_text(f"to passage {n}")
    desk.keyboard.press("4")  # the same once more
    expect(desk.locator("[data-said]")).to_have_text("Passage 2 has this already: “Three kilns.”")
    assert [words.split("[")[0] for words in said] == [
        "One stone.",
        "Two mills, of J. Ay.",
        "Three kilns.",
    ]
    assert (copied(desk, 1), copied(desk, 2)) == (
        "One stone.",
        "Two mills, of J. Ay.\nThree kilns.",
    )
    wait_until(desk, "saved")
    pieces = Annotation.objects.get().provenance
    assert [piece["text"] for piece in pieces["2"]] == ["Two mills, of J. Ay.", "Three kilns."]


def test_a_second_time_replaces_another_key_adds_and_undo_takes_back(page):
    alice = make.annotator("alice")
    desk = opened(page, real_draft(f"It opened in 1974.{TAG} It grew.\n\nIt closed.", alice), alice)
    said = desk.locator("[data-said]")
    select(desk, "It opened", "grew.")
    desk.keyboard.press("2")
    expect(said).to_contain_text("Sent 6 words to passage 2: “It opened")
    select(desk, "It opened", "1974.")  # shortened and taken again
    desk.keyboard.press("2")
    assert copied(desk, 2) == "It opened in 1974."
    expect(said).to_contain_text("Sent 4 words to passage 2, in place of what it held")
    said.get_by_role("button", name="Undo").click()
    assert copied(desk, 2) == "It opened in 1974. It grew."
    expect(said).to_have_text("Undone: passage 2 is as it was.")
    select(desk, "It closed", "closed.")
    desk.keyboard.press("4")
    assert copied(desk, 2) == "It opened in 1974. It grew.\nIt closed."
    expect(said).to_contain_text("Added 2 words to passage 2")
    desk.locator("[name=passage_2_copied]").press_sequentially("!")
    desk.keyboard.press("Escape")
    desk.keyboard.press("u")
    expect(said).to_have_text("Passage 2 has been changed since.")
    assert copied(desk, 2).endswith("closed.!")
    select(desk, "It closed", "closed.")
    desk.get_by_role("button", name="Add to 1").click()
    assert copied(desk, 1).endswith("It grew.\nIt closed.")
    desk.keyboard.press("u")
    assert copied(desk, 1) == "It opened in 1974. It grew."
    wait_until(desk, "saved")
    assert stored()["passage_1_standalone"] == "It opened in 1974. It grew."


# A page translator: each text that it may change is wrapped, and changed.
TRANSLATE = """keep => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  for (const node of nodes) {
    if (!node.data.trim() || node.parentElement.closest(`script, style, textarea, ${keep}`)) continue;
    const font = document.createElement("font");
    font.textContent = node.data.replace(/\\p{L}+/gu, (word) => `${word}ung`);
    node.replaceWith(font);
  }
}"""


@pytest.mark.parametrize("keeps_to_it", [True, False])
def test_a_translated_page_gives_the_article_s_words_or_a_warning(page, watch, keeps_to_it):
    alice = make.annotator("alice")
    desk = opened(page, real_draft(f"It opened in 1974.{TAG} It grew.\n\nIt closed.", alice), alice)
    desk.evaluate(TRANSLATE, "[translate=no]" if keeps_to_it else "none")
    expect(desk.get_by_role("button", name="Submitung", exact=True)).to_have_count(1)
    desk.locator(".article-text p").last.evaluate("last => getSelection().selectAllChildren(last)")
    desk.keyboard.press("2")
    assert copied(desk, 2) == ("It closed." if keeps_to_it else "Itung closedung.")
    warning = desk.locator("#id_passage_2_copied-warning")
    if keeps_to_it:
        wait_until(desk, "saved")
        assert [piece["text"] for piece in Annotation.objects.get().provenance["2"]] == [
            "It closed."
        ]
        expect(warning).to_have_text("")
        return
    words = "Not in the stored revision of “Line 1”: “Itung”, “closedung”."
    expect(warning).to_contain_text(words)
    warning.get_by_label("I checked").check()
    wait_until(desk, "saved")
    desk.reload()
    settled(desk)
    expect(warning).to_contain_text(words)
    watch.expect("status of 400")
    desk.keyboard.press("Control+Enter")
    expect(desk.locator("#error-summary")).to_contain_text(words)


def test_origin_and_types_follow_what_was_sent_and_are_marked_until_touched(page):
    alice = make.annotator("alice")
    draft = real_draft(
        "It opened in 1974." + TAG + "\n\n" + PLACES["infobox"][0].replace(TAG, ""), alice
    )
    desk = opened(page, draft, alice)
    select(desk, "It opened", "1974.")
    desk.keyboard.press("1")
    select(desk, "1974", "1974")  # a part of the value, then the row
    desk.locator("tr", has_text="1990").evaluate(
        "row => document.getSelection().setBaseAndExtent(row, 0, row, row.childNodes.length)"
    )
    desk.keyboard.press("2")
    assert copied(desk, 2) == "Close: 1990"
    wait_until(desk, "saved")
    entries = stored()
    assert (entries["modality_1"], entries["modality_2"]) == ("text", "infobox")
    assert entries["type_2"] == ["Text - Infobox/table"]
    assert entries["type_3"] == ["Within the same article"]
    assert (entries["passage_1_standalone"], entries["passage_2_standalone"]) == (
        "It opened in 1974.",
        "",
    )
    assert [entries[name] for name in ("same_passage", "type_1", "type_4")] == ["", [], []]
    filled = {"modality_1", "modality_2", "type_2", "type_3", "passage_1_standalone"}
    assert filled <= set(Annotation.objects.get().filled)
    cell = desk.locator("[data-field=passage_1_standalone]")
    cell.get_by_role("button", name="same as copied, edit").click()
    expect(cell).to_contain_text("Filled in: check it")
    cell.locator("textarea").press_sequentially(" Indeed.")
    expect(cell).not_to_contain_text("Filled in")
    wait_until(desk, "saved")
    assert "passage_1_standalone" not in Annotation.objects.get().filled
    desk.locator("[data-step-link=types]").click()
    desk.get_by_role("button", name="What was filled in is right").click()
    wait_until(desk, "saved")
    assert not {"type_2", "type_3"} & set(Annotation.objects.get().filled)
    assert {"type_2", "type_3", "passage_1_standalone"} <= set(Annotation.objects.get().touched)


def test_a_part_of_the_filled_in_passage_takes_its_place_and_another_sentence_comes_after(page):
    alice = make.annotator("alice")
    desk = opened(page, real_draft(f"It opened in 1974.{TAG} It grew.\n\nIt closed.", alice), alice)
    assert copied(desk) == "It opened in 1974. It grew."
    expect(desk.locator("[data-field=passage_1_copied]")).to_contain_text("Filled in: check it")
    select(desk, "It grew", "grew.")
    desk.keyboard.press("1")
    assert copied(desk) == "It grew."
    expect(desk.locator("[data-field=passage_1_copied]")).not_to_contain_text("Filled in")
    select(desk, "It closed", "closed.")
    desk.keyboard.press("3")
    assert copied(desk) == "It grew.\nIt closed."
    expect(desk.locator("[name=passage_1_standalone]")).to_have_value("It grew.\nIt closed.")
    wait_until(desk, "saved")
    saved = Annotation.objects.get()
    assert [piece["text"] for piece in saved.provenance["1"]] == ["It grew.", "It closed."]
    assert ("passage_1_copied" in saved.touched, "passage_1_standalone" in saved.filled) == (
        True,
        True,
    )


def test_two_tabs_keep_where_the_text_is_from_that_was_chosen(page, watch):
    watch.expect("status of 412")
    alice = make.annotator("alice")
    draft = real_draft(f"It opened in 1974.{TAG} It grew.\n\nIt closed.", alice)
    desk = opened(page, draft, alice)
    wait_until(desk, "saved")
    other = opened(desk.context.new_page(), draft, alice)
    select(other, "It closed", "closed.")
    other.keyboard.press("2")
    wait_until(other, "saved")
    other.close()
    select(desk, "It grew", "grew.")
    desk.keyboard.press("2")
    wait_until(desk, "conflict")
    compared = desk.locator(".conflict-field", has_text="Passage 2, as copied")
    compared.get_by_role("button", name="Take this").click()
    desk.get_by_role("button", name="Save my choices").click()
    wait_until(desk, "saved")
    saved = Annotation.objects.get()
    assert saved.passage_2_copied == "It closed."
    assert [piece["text"] for piece in saved.provenance["2"]] == ["It closed."]
    # What the app filled in stays so, and follows what was chosen.
    followed = {"modality_2", "passage_2_standalone", "passage_1_copied", "modality_1"}
    assert followed <= set(saved.filled)
    assert not followed & set(saved.touched)
    assert saved.passage_2_standalone == "It closed."


def test_filled_fields_are_marked_and_told_apart_without_script(open_page):
    alice = make.annotator("alice")
    draft = real_draft(f"It opened in 1974.{TAG} It grew.", alice)
    page = open_page(alice, java_script_enabled=False)
    page.goto(address(draft))
    choose(page, "validity", "Valid")
    marked = page.locator("[data-filled]")
    names = {cell.get_attribute("data-field") for cell in marked.all()}
    assert names == {
        "article_1",
        "passage_1_copied",
        "modality_1",
        "passage_1_standalone",
        "article_2",
    }
    page.locator("[name=passage_1_standalone]").fill("Line 1 opened in 1974. It grew.")
    page.get_by_role("button", name="Save draft").first.click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    saved = Annotation.objects.get()
    assert saved.filled == ["article_1", "passage_1_copied", "modality_1", "article_2"]
    assert {"validity", "passage_1_standalone"} <= set(saved.touched)
    assert not set(saved.filled) & set(saved.touched)


def test_undo_takes_the_passage_back_with_what_followed_from_it(page):
    alice = make.annotator("alice")
    desk = opened(page, real_draft("It opened in 1974." + TAG + " It grew.", alice), alice)
    select(desk, "It grew", "grew.")
    desk.keyboard.press("2")
    box = desk.locator("[name=passage_2_copied]")
    box.focus()
    desk.keyboard.press("Control+z")
    expect(box).to_have_value("")
    expect(desk.locator("[name=passage_2_standalone]")).to_have_value("")
    wait_until(desk, "saved")
    assert "2" not in Annotation.objects.get().provenance
    desk.keyboard.press("Control+Shift+z")
    expect(box).to_have_value("It grew.")
    wait_until(desk, "saved")
    assert [piece["text"] for piece in Annotation.objects.get().provenance["2"]] == ["It grew."]


def test_selections_that_no_mouse_makes_neatly(page):
    alice = make.annotator("alice")
    text = (
        "One mill.<ref>A</ref>"
        + TAG
        + " It grew.\n\nTwo <b>kilns</b>.<ref>B</ref>\n\n* שלום 👩‍🚀 Γειά.\n"
    )
    desk = opened(page, real_draft(text, alice), alice)
    select(desk, "It grew", "kilns")  # over two blocks
    desk.keyboard.press("2")
    assert copied(desk, 2) == "It grew.\nTwo kilns"
    desk.locator("[name=passage_2_copied]").fill("")
    desk.keyboard.press("Escape")
    select(desk, "Two", "[2]")  # that ends in a citation mark
    desk.keyboard.press("2")
    assert copied(desk, 2) == "Two kilns."
    select(desk, "שלום", "Γειά")
    desk.keyboard.press("4")
    assert copied(desk, 2) == "Two kilns.\nשלום 👩‍🚀 Γειά"
    wait_until(desk, "saved")
    pieces = Annotation.objects.get().provenance["2"]
    assert [(piece["kind"], piece["text"]) for piece in pieces] == [
        ("text", "Two kilns."),
        ("list", "שלום 👩‍🚀 Γειά"),
    ]
    desk.evaluate(  # from the article into the form
        """() => {
          const last = [...document.querySelectorAll('.article-text li')].at(-1);
          document.getSelection().setBaseAndExtent(last, 0, document.querySelector('form.desk-form'), 3);
        }"""
    )
    desk.keyboard.press("1")
    assert copied(desk, 1).endswith("שלום 👩‍🚀 Γειά.")
    desk.evaluate("document.getSelection().selectAllChildren(document.querySelector('.desk-form'))")
    before = copied(desk, 1)
    desk.keyboard.press("1")
    assert copied(desk, 1) == before


def test_full_storage_and_pasted_html_lose_nothing(page):
    alice = make.annotator("alice")
    title = "<script>alert(1)</script>"
    desk = opened(page, real_draft(f"It opened in 1974.{TAG} It grew.", alice, title=title), alice)
    desk.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('full'); }; }"
    )
    select(desk, "It grew", "grew.")
    desk.keyboard.press("2")
    wait_until(desk, "saved")
    entries = stored()
    assert (entries["passage_2_copied"], entries["article_2"]) == ("It grew.", title)
    box = desk.locator("[name=passage_1_standalone]")
    desk.get_by_role("button", name="Passage 1, stand-alone: same as copied, edit").click()
    box.fill("<p onclick=alert(1)>It <b>grew</b>.</p><script>alert(2)</script>")
    wait_until(desk, "saved")
    desk.reload()
    settled(desk)
    expect(box).to_have_value("<p onclick=alert(1)>It <b>grew</b>.</p><script>alert(2)</script>")


def test_a_crash_brings_back_where_a_passage_is_from(page):
    alice = make.annotator("alice")
    draft = real_draft("It opened in 1974." + TAG + " It grew.", alice)
    desk = opened(page, draft, alice)
    wait_until(desk, "saved")
    intercept(desk, "**/api/drafts/**", lambda route: None)
    select(desk, "It grew", "grew.")
    desk.keyboard.press("2")
    desk.unroute("**/api/drafts/**")
    again = desk.context.new_page()
    again.goto(address(draft))
    settled(again)
    wait_until(again, "saved")
    saved = Annotation.objects.get()
    assert [piece["text"] for piece in saved.provenance["2"]] == ["It grew."]
    assert {"modality_2", "passage_2_standalone"} <= set(saved.filled)


def test_a_form_posted_at_once_has_it_too(page, watch):
    watch.expect("status of 400")
    alice = make.annotator("alice")
    desk = opened(page, real_draft("It opened in 1974." + TAG + " It grew.", alice), alice)
    select(desk, "It grew", "grew.")
    desk.keyboard.press("2")
    sent = json.loads(desk.locator("[name=provenance]").input_value())
    assert [piece["text"] for piece in sent["2"]] == ["It grew."]
    desk.keyboard.press("Control+Enter")
    expect(desk.locator("#error-summary")).to_be_visible()
    assert [piece["text"] for piece in Annotation.objects.get().provenance["2"]] == ["It grew."]


def test_a_passage_is_in_the_language_of_the_article_it_was_copied_from(page):
    alice = make.annotator("alice")
    draft = real_draft("Ein Bach. Das Dach.\n\nIt opened in 1974." + TAG, alice)
    Wiki.objects.update(base_url="https://de.wikipedia.org/wiki/")
    desk = opened(page, draft, alice)
    of_second = desk.locator(
        "[name=passage_2_copied], [name=passage_2_standalone], [name=span_2], [data-passage-card='2'] .span-words"
    )
    languages = "places => places.map(({ lang }) => lang).join()"
    assert of_second.evaluate_all(languages) == ",,,"
    select(desk, "Ein Bach", "Ein Bach")
    desk.keyboard.press("2")
    assert of_second.evaluate_all(languages) == "de,de,de,de"
    desk.locator("#pane-article .article-text").evaluate("article => { article.lang = 'fr'; }")
    select(desk, "Das Dach", "Das Dach")
    desk.keyboard.press("4")
    assert of_second.evaluate_all(languages) == ",,,"
