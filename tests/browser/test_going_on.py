"""A choice opens the next step where one choice is all, and what leads to a whole annotation: Next, Submit, Back."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation
from tests.annotation import factories as make
from tests.browser.conftest import settled, sign_in
from tests.browser.test_annotate_page import address, choose, stored, wait_until
from tests.browser.test_capturing import PLACES, real_draft

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def opened(open_page, alice):
    """`opened(size, **entries)`: alice's page of a draft with these entries."""

    def at(width=1440, height=900, **entries):
        draft = make.draft(alice, **entries)
        page = open_page(alice, width=width, height=height)
        page.goto(address(draft))
        settled(page)
        return page

    return at


def step_of(page):
    return page.locator("[data-step-link][aria-current]").get_attribute("data-step-link")


def said(page):
    return page.locator("[data-said]")


def option(page, name, value):
    return page.locator(f"[data-field={name}] input[value='{value}']")


def test_a_choice_by_key_opens_the_next_step_and_is_announced(opened):
    page = opened(**make.whole(validity="", same_passage="", confidence=None))
    page.keyboard.press("v")
    expect(page.locator("#step-passages")).to_be_focused()
    expect(said(page)).to_have_text("“Valid” chosen. 2 The two passages (Alt+P goes back)")
    expect(said(page)).to_have_attribute("role", "status")
    page.keyboard.press("d")
    expect(page.locator("[name=statement_1]")).to_be_focused()
    expect(said(page)).to_contain_text("“Different” chosen. 3 What contradicts what")


def test_next_right_after_a_step_that_went_on_by_itself_skips_none(opened):
    page = opened(**make.whole(validity="", same_passage=""))
    option(page, "validity", "Valid").click()
    for way in ("n", "Alt+n", None):
        if way:
            page.keyboard.press(way)
        else:
            page.get_by_role("button", name="Next").click()
        if way == "n":
            expect(said(page)).to_have_text("This step had opened by itself. Next again goes on.")
            expect(page.locator("#step-passages")).to_be_focused()
    assert step_of(page) == "types"
    page.locator("[data-step-link=passages]").click()
    page.keyboard.press("d")
    expect(page.locator("[name=statement_1]")).to_be_focused()
    page.locator("[name=statement_1]").fill("Written here, so Next goes on.")
    page.keyboard.press("Alt+n")
    assert step_of(page) == "types"


def test_a_stand_alone_text_that_is_its_copy_is_one_line_and_one_stop(opened):
    copy = make.WHOLE["passage_1_copied"]
    page = opened(**make.whole(passage_1_standalone=copy))
    page.locator("[data-step-link=passages]").click()
    cell = page.locator("[data-field=passage_1_standalone]")
    same = cell.get_by_role("button", name="Passage 1, stand-alone: same as copied, edit")
    expect(cell.locator("textarea")).to_be_hidden()
    expect(cell.locator("button:visible:not([tabindex='-1'])")).to_have_count(1)
    same.press("Enter")
    expect(cell.locator("textarea")).to_be_focused()
    page.locator("[name=article_1]").focus()
    expect(cell.locator("textarea")).to_be_visible()  # opened, it stays open
    page.reload()
    settled(page)
    expect(same).to_be_visible()
    page.locator("[name=passage_1_copied]").fill("Another copy.")
    expect(cell.locator("textarea")).to_be_visible()


def test_a_choice_stays_where_something_is_missing_and_says_so(opened):
    page = opened()
    page.keyboard.press("v")
    page.keyboard.press("d")
    expect(page.locator("#step-passages")).to_be_visible()
    expect(said(page)).to_contain_text("“Different” chosen. In this step: ")
    expect(said(page)).to_contain_text("missing")


def test_a_choice_can_be_changed_after_it_went_on(opened):
    page = opened(**make.whole(same_passage=""))
    page.keyboard.press("p")
    page.locator("[data-step-link=passages]").click()
    page.keyboard.press("d")
    expect(page.locator("[name=statement_1]")).to_be_focused()
    page.keyboard.press("Alt+p")
    expect(page.locator("#step-passages")).to_be_focused()
    page.keyboard.press("m")
    expect(option(page, "same_passage", "Same")).to_be_checked()
    expect(said(page)).to_contain_text("1 to check")  # the texts differ: it stays
    wait_until(page, "saved")
    assert stored()["same_passage"] == "Same"
    page.locator("[data-step-link=validity]").click()
    page.keyboard.press("i")
    expect(said(page)).to_contain_text("Everything is complete: Ctrl+Enter submits.")
    page.keyboard.press("v")
    expect(page.locator("#step-passages")).to_be_focused()
    wait_until(page, "saved")
    assert stored()["statement_1"] == make.WHOLE["statement_1"]


@pytest.mark.parametrize("what", ["option", "label"])
def test_a_click_goes_on_and_an_arrow_key_does_not(opened, what):
    page = opened(**make.whole(validity=""))
    valid, invalid = (option(page, "validity", value) for value in ("Valid", "Invalid"))
    invalid.focus()
    page.keyboard.press("ArrowLeft")
    expect(valid).to_be_checked()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(valid).to_be_focused()
    expect(valid).to_be_visible()
    if what == "option":
        valid.click()
    else:
        page.locator("[data-field=validity] label").first.click()
    expect(page.locator("#step-passages")).to_be_focused()
    option(page, "modality_1", "table").click()  # one of several entries of its step
    expect(option(page, "modality_1", "table")).to_be_visible()
    option(page, "modality_1", "text").click()
    option(page, "same_passage", "Different").click()
    expect(page.locator("[name=statement_1]")).to_be_focused()


def test_without_shortcuts_nothing_goes_on(opened, alice):
    alice.shortcuts = False
    alice.save()
    page = opened(**make.whole(validity=""))
    option(page, "validity", "Valid").click()
    expect(option(page, "validity", "Valid")).to_be_focused()
    assert step_of(page) == "validity"


def test_the_last_choice_leads_to_what_is_missing_and_next_is_the_main_button_until_then(opened):
    page = opened(**make.whole(confidence=None, statement_2=""))
    following, submit = (
        page.get_by_role("button", name=name, exact=True) for name in ("Next", "Submit")
    )
    main = "button button-primary"
    page.locator("[data-step-link=confidence]").click()
    expect(following).to_have_class(main)
    page.keyboard.press("4")
    expect(page.locator("[name=statement_1]")).to_be_focused()
    expect(submit).to_have_class("button")
    page.locator("[name=statement_2]").fill("It was built in 1801.")
    expect(submit).to_have_class(main)
    expect(following).to_have_class("button")


def test_a_refused_submission_goes_to_the_first_problem(opened, watch):
    watch.expect("status of 400")
    asked = {**make.WHOLE["questions"][0], "answer_2": ""}
    page = opened(height=700, **make.whole(questions=[asked], confidence=None))
    page.keyboard.press("Control+Enter")
    answer = "[name=questions-0-answer_2]"
    expect(page.locator(answer)).to_be_focused()
    for part in ("#error-summary", answer):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    expect(said(page)).to_contain_text("Not submitted yet.")
    expect(page.locator("#error-summary").get_by_role("link")).to_have_count(2)


def test_the_sheet_of_keys_opens_at_its_top(opened):
    page = opened(height=500)
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keys")
    expect(sheet.get_by_role("heading", name="Keys")).to_be_in_viewport()
    assert sheet.evaluate(
        "sheet => [sheet.scrollTop, sheet.scrollHeight > sheet.clientHeight]"
    ) == [0, True]


def test_back_returns_to_the_step_that_was_saved(opened):
    page = opened(**make.whole())
    page.goto("/annotate/")
    page.get_by_role("link", name="Kettle Mill").click()  # its address names a step
    settled(page)
    page.locator("[data-step-link=questions]").click()
    page.locator("[name=qa_comment]").fill("By subtraction.")
    wait_until(page, "saved")
    page.get_by_role("link", name="Your queue").click()
    page.go_back()
    settled(page)
    assert step_of(page) == "questions"
    expect(page.locator("[name=qa_comment]")).to_be_visible()


def test_a_row_that_nobody_has_touched_is_missing_its_sentence_and_nothing_is_red(page, alice):
    sign_in(page, alice)
    page.goto(address(real_draft(PLACES["table row"][0], alice)))
    settled(page)
    page.keyboard.press("v")
    step = page.locator("#step-passages")
    expect(step.locator("[data-missing]")).to_contain_text("Passage 1, stand-alone")
    expect(page.locator(".field-error:not(.span-lost), .field-warning")).to_have_count(0)
    label = page.locator("label[for=id_passage_1_standalone]")
    expect(label).to_contain_text("(required for a table or infobox)")
    expect(page.locator("label[for=id_passage_1_copied]")).to_contain_text("(required)")


def test_what_was_filled_in_is_tinted_and_said_once_a_step_and_nothing_moves(page, alice):
    sign_in(page, alice)
    page.goto(address(real_draft(PLACES["text"][0], alice)))
    settled(page)
    page.keyboard.press("v")
    step = page.locator("#step-passages")
    line = step.locator("[data-filled-line]")
    expect(line).to_be_visible()
    colour = "box => getComputedStyle(box).backgroundColor"
    filled, empty = page.locator("[name=article_1]"), page.locator("[name=passage_2_copied]")
    assert filled.evaluate(colour) != empty.evaluate(colour)
    expect(page.locator("[data-field=article_1] .filled-mark")).to_have_text("Filled in: check it")

    def places():
        return [
            page.locator(f"[name={name}]").bounding_box()["y"]
            for name in ("article_1", "passage_1_copied")
        ]

    before = places()
    page.keyboard.press("j")
    page.keyboard.press("2")
    expect(said(page)).to_contain_text("to passage 2")
    step.get_by_role("button", name="What was filled in is right").click()
    expect(line).to_be_hidden()
    assert places() == before
    wait_until(page, "saved")
    assert Annotation.objects.get().filled == ["type_2", "type_3"]


def test_one_switch_shows_all_definitions(opened):
    page = opened(**make.whole())
    page.locator("[data-step-link=types]").click()
    expect(page.get_by_label("Definitions")).to_have_count(1)
    choose(page, "type_4", make.WHOLE["type_4"][0])
    small = page.locator("#step-types small")
    expect(small.first).to_be_hidden()
    page.get_by_label("Definitions").check()
    for at in (small.first, small.last):
        expect(at).to_be_visible()


def card(page, n):
    return page.locator(f"[data-passage-card='{n}']")


def test_both_passages_with_their_spans_are_in_sight_from_step_3_on(opened):
    page = opened(height=768, width=1366, **make.whole())
    expect(card(page, 1)).to_be_hidden()
    page.locator("[data-step-link=passages]").click()
    expect(card(page, 1)).to_be_hidden()
    for step in ("reason", "types", "questions", "confidence"):
        page.locator(f"[data-step-link={step}]").click()
        for n in (1, 2):
            expect(card(page, n)).to_be_in_viewport(ratio=0.9)
            expect(card(page, n).locator("mark")).to_have_text(make.WHOLE[f"span_{n}"])
            assert card(page, n).locator(".span-words").inner_text() in (
                make.WHOLE[f"passage_{n}_standalone"],
                make.WHOLE[f"passage_{n}_copied"],
            )


def test_a_selection_in_a_card_is_a_span_in_its_own_step_alone(opened):
    page = opened(**make.whole())
    before = page.locator("[name=span_1]").input_value()
    page.locator("[data-step-link=questions]").click()
    expect(card(page, 1).get_by_role("button")).to_be_hidden()
    card(page, 1).locator("mark").dblclick()
    page.wait_for_timeout(100)
    assert page.locator("[name=span_1]").input_value() == before
    assert step_of(page) == "questions"


def test_a_card_says_that_its_passage_has_changed_under_the_span(opened):
    page = opened(**make.whole())
    page.locator("[data-step-link=passages]").click()
    for form in ("copied", "standalone"):
        page.locator(f"[name=passage_1_{form}]").fill("Nobody knows when it was built.")
    page.locator("[data-step-link=questions]").click()
    lost = card(page, 1).locator(".span-lost")
    expect(lost).to_have_text(f"Its span is not in it any more: {make.WHOLE['span_1']}")
    page.locator("[data-step-link=reason]").click()
    page.locator("[name=span_1]").fill("by the moon")  # which was never in it
    expect(lost.locator("span")).to_be_hidden()
    expect(lost).to_contain_text("by the moon")
    expect(card(page, 1).locator("mark")).to_have_count(0)
    expect(card(page, 2).locator(".span-lost")).to_be_hidden()
    wait_until(page, "saved")
    page.reload()
    expect(lost).to_be_visible()


def test_without_script_the_cards_have_what_was_saved(open_page, alice):
    draft = make.draft(alice, **make.whole())
    page = open_page(alice, width=320, java_script_enabled=False)
    page.goto(address(draft))
    for n in (1, 2):
        expect(card(page, n).locator("mark")).to_have_text(make.WHOLE[f"span_{n}"])
        expect(card(page, n).locator(".span-lost")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_last_submission_is_taken_back_by_key_and_what_was_begun_meanwhile_is_saved(
    page, alice
):
    draft = make.draft(alice, within=make.campaign(tags=2), validity="Invalid")
    sign_in(page, alice)
    page.goto(address(draft))
    settled(page)
    page.keyboard.press("Control+Enter")
    expect(said(page)).to_contain_text("Submitted: ")
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    page.locator("[name=valid_comment]").fill("Of the next tag.")
    page.keyboard.press("Escape")
    page.context.set_offline(True)
    page.keyboard.press("u")
    expect(page.locator(".save-state")).to_contain_text("Offline")
    page.context.set_offline(False)
    wait_until(page, "saved")
    page.keyboard.press("u")
    expect(said(page)).to_contain_text("Taken back")
    expect(page).to_have_url(re.compile(f"{address(draft)}$"))
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    assert Annotation.objects.filter(state="draft").count() == 2
    assert Annotation.objects.filter(valid_comment="Of the next tag.").count() == 1
