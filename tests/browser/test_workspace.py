"""The workspace of the annotate page: the two halves, the tabs, the steps, and what the keys do there."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation
from tests.annotation import factories as make
from tests.annotation.factories import decide
from tests.browser.axe import violations
from tests.browser.conftest import settled, sign_in
from tests.browser.test_annotate_page import (
    address,
    choose,
    fill_whole,
    stored,
    wait_until,
    write_alone,
)
from wikifetch.models import Sighting
from wikifetch.wikitext.finder import find_tags

pytestmark = pytest.mark.django_db(transaction=True)

LONG = "A sentence of ten words that says nothing at all here. " * 40 + "\n\n"
IN_VIEW = """() => {
  const article = document.querySelector('.article-text').getBoundingClientRect();
  const tag = document.querySelector('#tagged-block').getBoundingClientRect();
  return tag.top >= article.top && tag.top < Math.min(article.bottom, window.innerHeight);
}"""
PLACES = {
    "paragraph": "It was built in 1801.@\n\n",
    "table row": "{|\n! Year !! Fact\n" + "|-\n| 1 || x\n" * 60 + "|-\n| 1801@ || built\n|}\n\n",
    "caption": "[[File:A.jpg|thumb|Built in 1801@]]\n\n",
    "infobox": "{{Infobox mill\n| name = Mill\n| built = 1801@\n}}\n\n",
    "list item": "* One\n* Built in 1801@\n\n",
}


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def draft(alice):
    return make.draft(alice)


@pytest.fixture
def desk(page, alice, draft):
    sign_in(page, alice)
    return opened(page, draft)


def opened(page, draft):
    page.goto(address(draft))
    expect(page.locator("[data-ready]")).to_be_attached()
    return page


def draft_over(alice, text):
    """A draft whose article has this text, with the tag at the @."""
    draft = make.draft(alice)
    revision = draft.sighting.revision
    revision.wikitext = text.replace("@", make.RAW)
    revision.save()
    (tag,) = find_tags(revision.wikitext).tags
    Sighting.objects.filter(pk=draft.sighting_id).update(position=tag.position, block=tag.block)
    return draft


def focused(page):
    return page.evaluate("document.activeElement.name || document.activeElement.id")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("width", "height"), [(1366, 768), (320, 640)])
def test_the_tagged_block_is_in_view_wherever_it_is(open_page, alice, place, width, height):
    draft = draft_over(alice, LONG * 10 + PLACES[place] + LONG * 10)
    page = opened(open_page(alice, width=width, height=height), draft)
    if width < 1000:
        page.keyboard.press("t")  # the article is below the fold there
    page.wait_for_function(IN_VIEW)


def test_the_two_halves_fill_the_window_and_scroll_alone(open_page, alice):
    draft = draft_over(alice, LONG * 30 + PLACES["paragraph"])
    page = opened(open_page(alice, width=1366, height=768), draft)
    choose(page, "validity", "Valid")
    page.get_by_role("button", name="All steps").click()
    assert page.evaluate("document.documentElement.scrollHeight") == 768
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_in_viewport()
    page.locator(".desk-scroll").evaluate("box => { box.scrollTop = 1e6; }")
    expect(page.locator("[data-step-link=validity]")).to_be_in_viewport()
    page.wait_for_function(IN_VIEW)


def test_the_border_moves_by_keys_and_stays_where_it_was_put(desk):
    border = desk.get_by_role("separator", name="Width of the evidence")
    before = desk.locator(".desk-form").bounding_box()["width"]
    border.press("ArrowRight")
    border.press("ArrowRight")
    after = desk.locator(".desk-form").bounding_box()["width"]
    assert after < before
    desk.reload()
    settled(desk)
    expect(border).to_have_attribute("aria-valuenow", "54")
    assert desk.locator(".desk-form").bounding_box()["width"] == pytest.approx(after, abs=2)


def test_one_part_of_the_evidence_shows_at_a_time(desk):
    article, source = desk.locator("#pane-article"), desk.locator("#pane-source")
    expect(source).to_be_hidden()
    desk.get_by_role("tab", name="Source").click()
    expect(source).to_be_visible()
    expect(article).to_be_hidden()
    desk.keyboard.press("t")
    expect(article).to_be_visible()
    desk.get_by_role("tab", name="Article", exact=True).press("ArrowRight")
    expect(desk.get_by_role("tab", name="Other article")).to_be_focused()
    desk.keyboard.press("[")
    expect(article).to_be_visible()


def test_wikitext_is_on_the_source_tab_only(desk):
    assert "{{" not in desk.locator("#pane-article").inner_text()


def test_a_search_goes_through_the_article(page, alice):
    sign_in(page, alice)
    text = "It is.@\n\n" + LONG * 20 + "== The '''old''' mill ==\n\nIts wheel. Its old  wheel.\n"
    opened(page, draft_over(alice, text))
    page.keyboard.press("/")
    page.keyboard.type("OLD")
    count = page.locator("#pane-article .article-search output")
    expect(count).to_have_text("1 of 2")
    page.keyboard.press("ArrowDown")
    expect(count).to_have_text("2 of 2")
    assert page.locator("#pane-article .article-text").evaluate("box => box.scrollTop") > 500
    page.get_by_role("searchbox").fill("nowhere (")
    expect(count).to_have_text("not found")
    page.get_by_label("Go to a section").select_option("The old mill")
    expect(page.get_by_role("heading", name="The old mill")).to_be_in_viewport()


def test_one_step_shows_at_a_time_or_all_as_the_person_likes(desk):
    comment = desk.locator("[name=valid_comment]")
    desk.keyboard.press("v")
    expect(desk.locator("#step-passages")).to_be_focused()
    expect(comment).to_be_hidden()
    desk.get_by_role("button", name="All steps").click()
    expect(comment).to_be_visible()
    wait_until(desk, "saved")
    desk.reload()
    settled(desk)
    expect(comment).to_be_visible()
    expect(desk.locator("#step-questions")).to_be_visible()


def test_next_and_back_put_the_focus_where_the_work_begins(desk):
    desk.keyboard.press("v")
    desk.keyboard.press("n")
    desk.keyboard.press("n")
    assert focused(desk) == "statement_1"
    desk.keyboard.press("Alt+n")
    assert focused(desk) == "type_1"
    desk.get_by_role("button", name="Next").click()
    assert focused(desk) == "questions-0-question"
    desk.keyboard.press("Alt+p")
    assert focused(desk) == "type_1"
    desk.locator("[data-step-link=confidence]").click()
    desk.get_by_role("button", name="Next").click()  # from the last step to what is missing
    expect(desk.locator("#step-passages")).to_be_focused()


def test_a_taxonomy_is_filled_by_letters_digits_and_enter(desk):
    desk.keyboard.press("v")
    desk.locator("[data-step-link=types]").click()
    for key in "c112":
        desk.keyboard.press(key)
        desk.keyboard.press("Enter")
    assert focused(desk) == "questions-0-question"
    wait_until(desk, "saved")
    assert [len(stored()[f"type_{n}"]) for n in (1, 2, 3, 4)] == [1, 1, 1, 1]


def test_options_have_keys_in_their_step_only(desk):
    desk.keyboard.press("d")
    desk.keyboard.press("4")
    desk.keyboard.press("v")
    desk.keyboard.press("d")
    desk.locator("[data-step-link=confidence]").click()
    desk.keyboard.press("2")
    wait_until(desk, "saved")
    entries = stored()
    chosen = [entries[name] for name in ("validity", "same_passage", "confidence")]
    assert chosen == ["Valid", "Different", 2]


def test_a_key_that_sends_nothing_says_what_to_do(desk):
    said = desk.locator("[data-said]")
    desk.keyboard.press("1")
    expect(said).to_have_text("Choose “Valid” first.")
    desk.keyboard.press("v")
    expect(said).to_contain_text("“Valid” chosen.")
    desk.keyboard.press("2")
    expect(said).to_have_text("Nothing is selected. Click a sentence of the article, or press j.")
    desk.locator("[data-step-link=reason]").click()
    expect(said).to_have_text("")
    desk.get_by_role("button", name="Take the selection").first.click()
    expect(said).to_have_text("Nothing is selected. Select words in a passage above.")


def test_what_is_missing_is_listed_in_the_order_of_the_fields(desk):
    desk.keyboard.press("v")
    desk.locator("[data-field=modality_2]").get_by_label("Table").check()
    missing = desk.locator("[data-step][data-current] [data-missing]")
    expect(missing).to_have_text(re.compile("Passage 2, stand-alone · Are passage 1"))


def test_the_rail_shows_what_is_missing_and_what_to_check(desk):
    step = desk.locator("[data-step-link=reason]")
    expect(step).to_contain_text("not open")
    desk.keyboard.press("v")
    expect(step).to_contain_text("2 missing")
    desk.locator("[data-step-link=reason]").click()
    expect(desk.get_by_text("Still missing: Passage 1 states that")).to_be_visible()
    desk.locator("[name=statement_1]").fill("It is old.")
    desk.locator("[name=statement_2]").fill("It is new.")
    desk.locator("[name=span_1]").fill("nowhere")
    expect(step).to_contain_text("1 to check")
    warning = desk.locator("[data-field=span_1] .field-warning")
    expect(warning).to_contain_text("The span “nowhere” is not in passage 1.")
    warning.get_by_label("I checked").check()
    expect(step).to_contain_text("complete")
    desk.locator("[name=span_1]").fill("elsewhere")  # another value, to be checked anew
    expect(warning.get_by_label("I checked")).not_to_be_checked()


def test_a_link_to_a_field_shows_its_step(desk, watch):
    watch.expect("status of 400")
    choose(desk, "validity", "Valid")
    desk.get_by_role("button", name="Submit", exact=True).click()
    summary = desk.locator("#error-summary")
    expect(desk.locator("[name=passage_2_copied]")).to_be_focused()  # the first problem
    summary.get_by_role("link", name="Fill in “Question”.").click()
    assert focused(desk) == "questions-0-question"


def test_enter_in_a_line_goes_on_and_posts_nothing(desk):
    desk.keyboard.press("v")
    desk.get_by_label("Title of article A").press("Enter")
    assert focused(desk) == "passage_1_copied"
    expect(desk.locator("[data-ready]")).to_be_attached()


def test_the_help_of_a_field_opens_next_to_it_and_closes_with_escape(desk):
    words = desk.get_by_text("Where you found the reason:")
    expect(words).to_be_hidden()
    desk.get_by_role("button", name="Help: Comment").first.click()
    expect(words).to_be_visible()
    desk.keyboard.press("Escape")
    expect(words).to_be_hidden()


def test_a_tag_is_skipped_from_any_step_by_keys(desk):
    desk.keyboard.press("v")
    desk.keyboard.press("x")
    desk.keyboard.type("I know nothing of mills.")
    desk.get_by_role("button", name="Skip this tag").click()
    expect(desk.get_by_text(re.compile("Skipped: "))).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (320, 640)])
def test_axe_finds_nothing_in_the_tabs_and_in_each_step(open_page, alice, draft, width, height):
    page = opened(open_page(alice, width=width, height=height), draft)
    choose(page, "validity", "Valid")
    for _ in range(5):
        assert violations(page) == []
        page.get_by_role("button", name="Next").click()
        page.get_by_role("tab", selected=True).press("ArrowRight")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# ---------------------------------------------------------------- help with passages, spans and answers

PASSAGE = "It was built in 1801 🏭 by the miller, not in 1820."


def at_claims(desk):
    desk.keyboard.press("v")
    desk.locator("[name=passage_1_copied]").fill(PASSAGE)
    write_alone(desk, 1, "")
    desk.locator("[data-step-link=reason]").click()
    words = desk.get_by_role("group", name="Passage 1: select its contradicted words")
    expect(words).to_have_text(PASSAGE)
    return words


def test_a_span_of_two_pieces_is_selected_by_keys(desk):
    words = at_claims(desk)
    words.focus()
    for key in [*["ArrowRight"] * 4, "Control+Shift+ArrowRight", "s", *["ArrowRight"] * 6, "s"]:
        desk.keyboard.press(key)
    expect(desk.locator("[name=span_1]")).to_have_value("in 1801 … 1820")
    assert words.locator("mark").all_inner_texts() == ["in 1801", "1820"]
    wait_until(desk, "saved")
    assert stored()["span_1_at"] == "13-20 45-49"
    desk.keyboard.press("s")  # once more: out again
    expect(desk.locator("[name=span_1]")).to_have_value("in 1801")


def test_a_span_is_selected_by_mouse_and_is_gone_when_its_passage_changes(desk):
    words = at_claims(desk)
    words.evaluate(
        """words => {
          const range = document.createRange();
          range.setStart(words.firstChild, 16); range.setEnd(words.firstChild, 20);
          getSelection().removeAllRanges(); getSelection().addRange(range);
          words.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
        }"""
    )
    expect(desk.locator("[name=span_1]")).to_have_value("1801")
    desk.locator("[data-step-link=passages]").click()
    desk.locator("[name=passage_1_copied]").fill("It is old.")
    desk.locator("[data-step-link=reason]").click()
    expect(words.locator("mark")).to_have_count(0)
    expect(desk.get_by_text("The span “1801” is not in passage 1.")).to_be_visible()
    wait_until(desk, "saved")
    assert stored()["span_1_at"] == ""


def test_a_copy_is_made_stand_alone_with_names_and_undo(desk):
    desk.keyboard.press("v")
    desk.get_by_label("Title of article A").fill("Kettle Mill (Elbe)")
    desk.locator("[name=passage_1_copied]").fill(PASSAGE)
    text = desk.locator("[name=passage_1_standalone]")
    write_alone(desk, 1, "")
    desk.get_by_role("button", name="Begin with the copy").click()
    expect(text).to_have_value(PASSAGE)
    desk.get_by_role("button", name="Kettle Mill in place of It", exact=True).click()
    expect(text).to_have_value(PASSAGE.replace("It", "Kettle Mill"))
    changes = desk.get_by_label("Changes to the copy of passage 1")
    expect(changes.locator("del")).to_have_text("It")
    expect(changes.locator("ins")).to_have_text("Kettle Mill")
    text.focus()
    desk.keyboard.press("Control+z")
    expect(text).to_have_value(PASSAGE)


def test_a_row_has_a_sentence_to_begin_with_but_is_not_done_by_it_unseen(desk):
    desk.keyboard.press("v")
    desk.get_by_label("Title of article B").fill("Elbe Metro")
    desk.locator("[name=passage_2_copied]").fill("Length of all lines: 14.7 km")
    write_alone(desk, 2, "")
    desk.locator("[data-field=modality_2] input[value=table]").check()
    missing = desk.locator("#step-passages [data-missing]")
    expect(missing).to_contain_text("Passage 2, stand-alone")
    desk.get_by_role("button", name="Begin with a sentence of the row").click()
    expect(desk.locator("[name=passage_2_standalone]")).to_have_value(
        "Elbe Metro. Length of all lines: 14.7 km."
    )


def test_an_answer_is_offered_from_its_span(desk):
    at_claims(desk)
    desk.locator("[name=span_1]").fill("in 1801")
    desk.locator("[data-step-link=questions]").click()
    desk.get_by_role("button", name="Answer with the span: in 1801").click()
    answer = desk.locator("[name=questions-0-answer_1]")
    expect(answer).to_have_value("in 1801")
    expect(answer).to_be_focused()
    expect(desk.locator(".answer-offer button")).to_have_count(0)


def test_keys_write_a_stand_alone_text_take_a_span_as_answer_and_open_help(desk):
    at_claims(desk)
    desk.locator("[name=span_1]").fill("in 1801")
    desk.locator("[data-step-link=reason]").focus()
    first, second = (desk.locator(f"[name=passage_{n}_standalone]") for n in (1, 2))
    for box in (first, second, first):
        desk.keyboard.press("w")
        expect(box).to_be_focused()
        desk.keyboard.press("Escape")
    expect(first).to_have_value(PASSAGE)
    desk.keyboard.press("w")
    desk.keyboard.press("Escape")
    desk.keyboard.press("w")
    desk.keyboard.press("Alt+h")
    expect(desk.get_by_text("The same passage, clear on its own").first).to_be_visible()
    desk.keyboard.press("Alt+h")
    expect(desk.get_by_text("The same passage, clear on its own").first).to_be_hidden()
    desk.locator("[data-step-link=questions]").click()
    expect(desk.get_by_role("button", name="Answer with the span: in 1801")).to_be_visible()
    desk.keyboard.press("Tab")
    desk.keyboard.press("Alt+s")
    expect(desk.locator("[name=questions-0-answer_1]")).to_have_value("in 1801")


# ---------------------------------------------------------------- for every pair of eyes and ears


def controls_in(step) -> list[str]:
    """Role and name of each control of a step, in the order in which a screen reader meets them."""
    lines = (line.strip(" -'") for line in step.aria_snapshot().splitlines())
    named = (re.match(r'(textbox|group|radio|checkbox) "([^"]*)"', line) for line in lines)
    return [f"{match[1]} {match[2]}" for match in named if match]


def test_a_screen_reader_meets_the_fields_of_each_step_in_order_with_names_and_states(desk):
    desk.keyboard.press("v")
    desk.get_by_role("button", name="All steps").click()
    desk.get_by_role("button", name="Passage 1, stand-alone: same as copied, edit").click()
    expect(desk.locator(".span-words")).to_have_count(2)
    steps = {key: desk.locator(f"#step-{key}") for key in ("validity", "passages", "reason")}
    assert controls_in(steps["validity"]) == [
        "group Is this tag valid? (required)",
        "radio Valid",
        "radio Invalid",
        "textbox Comment",
    ]
    needed = "(required for a table or infobox)"
    assert [name for name in controls_in(steps["passages"]) if not name.startswith("radio")] == [
        "textbox Title of article A (required) Filled in: check it",
        "textbox Passage 1, as copied (required) Filled in: check it",
        "group Passage 1 comes from Filled in: check it",
        f"textbox Passage 1, stand-alone {needed} Filled in: check it",
        "textbox Title of article B (required) Filled in: check it",
        "textbox Passage 2, as copied (required)",
        "group Passage 2 comes from",
        f"textbox Passage 2, stand-alone {needed}",
        "group Are passage 1 and passage 2 the same? (required)",
    ]
    assert controls_in(steps["reason"]) == [
        "textbox Passage 1 states that … (required)",
        "textbox However, passage 2 states that … (required)",
        "textbox Contradicted span of passage 1",
        "textbox Contradicted span of passage 2",
    ]
    assert 'radio "Valid" [checked]' in steps["validity"].aria_snapshot()
    assert controls_in(desk.locator("#step-confidence"))[1:] == [f"radio {n}" for n in range(1, 6)]


def test_a_whole_annotation_is_made_at_200_percent_zoom(open_page, alice, draft):
    page = open_page(alice, width=683, height=384, device_scale_factor=2)
    page.add_init_script("localStorage.setItem('sic-et-non:steps', 'all')")
    opened(page, draft)
    fill_whole(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 683
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("Submitted: ")).to_be_visible()


# ---------------------------------------------------------------- what must not change an entry


def test_definitions_are_shown_without_a_change_to_the_field(desk):
    desk.keyboard.press("v")
    desk.locator("[data-step-link=types]").click()
    wait_until(desk, "saved")
    before = stored()
    version = Annotation.objects.get().version
    desk.get_by_label("Definitions").check()
    expect(desk.locator("[data-field=type_1] small").first).to_be_visible()
    desk.wait_for_timeout(1_000)  # longer than a save waits
    assert (stored(), Annotation.objects.get().version) == (before, version)


def test_a_conflict_keeps_the_place_of_the_other_s_span(desk, draft, watch):
    watch.expect("status of 412")
    desk.keyboard.press("v")
    wait_until(desk, "saved")
    other = opened(desk.context.new_page(), draft)
    words = at_claims(other)
    words.focus()
    for key in [*["ArrowRight"] * 5, "s"]:
        other.keyboard.press(key)
    wait_until(other, "saved")
    assert (stored()["span_1"], stored()["span_1_at"]) == ("1801", "16-20")
    other.close()
    desk.locator("[name=valid_comment]").evaluate("box => box.closest('form').dataset.view = 'all'")
    desk.locator("[name=valid_comment]").fill("mine")
    wait_until(desk, "conflict")
    desk.get_by_role("button", name="Save my choices").click()
    wait_until(desk, "saved")
    assert (stored()["span_1"], stored()["span_1_at"]) == ("1801", "16-20")


def test_a_tag_that_is_sent_back_opens_without_the_copy_from_before_its_submission(page, alice):
    sign_in(page, alice)
    draft = make.submitted(alice, entries=make.whole())
    decide(draft, make.admin("olga2"), "send_back", "Look again.")
    key = f"sic-et-non:draft:{draft.pk}"
    copy = {"version": draft.version - 1, "entries": make.whole(statement_1="Older.")}
    page.goto("/annotate/")
    page.evaluate("([key, copy]) => localStorage.setItem(key, JSON.stringify(copy))", [key, copy])
    opened(page, draft)
    wait_until(page, "saved")
    expect(page.locator("[name=statement_1]")).to_have_value(make.WHOLE["statement_1"])


def test_a_key_that_turns_the_tabs_takes_the_focus_along(desk):
    desk.locator("#pane-article .article-text").focus()
    desk.keyboard.press("]")
    expect(desk.get_by_role("tab", selected=True)).to_be_focused()
    desk.keyboard.press("End")
    expect(desk.get_by_role("tab", name="Source")).to_be_focused()
