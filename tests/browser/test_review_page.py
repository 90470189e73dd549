"""The review of a tag by keyboard alone, and without script."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Annotation, TagReview
from tests.annotation import factories as make
from tests.browser.axe import violations

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def olga():
    return make.admin("olga")


@pytest.fixture
def pair(olga):
    """Alice and Bob, who differ in a span and in the answers to their question."""
    other = {**make.WHOLE["questions"][0], "answer_1": "1799"}
    return make.two_of_a_tag({}, {"span_1": "1801", "questions": [other]}, by=olga)


@pytest.fixture
def three(olga):
    return make.two_of_a_tag({}, {"span_1": "1801"}, {"validity": "Invalid"}, by=olga)


def address(annotation):
    return reverse("annotation:review", args=make.place_of(annotation))


def tab_to(page, locator) -> None:
    """By Tab alone."""
    for _ in range(150):
        if locator.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never reaches {locator}")


def tick(page, locator) -> None:
    tab_to(page, locator)
    page.keyboard.press("Space")
    expect(locator).to_be_checked()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_merge_by_keyboard_alone(open_page, watch, olga, pair, script):
    watch.expect("status of 400")
    page = open_page(olga, java_script_enabled=script)
    page.goto(reverse("annotation:reviews"))
    link = page.get_by_role("link", name="Kettle Mill")
    tab_to(page, link)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address(pair[0])}")
    tick(page, page.get_by_role("radio", name="Yes"))
    tick(page, page.locator(f"[name=take-span_1][value='{pair[0].pk}']"))
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"[name=take-span_1][value='{pair[1].pk}']")).to_be_checked()
    tick(page, page.get_by_role("checkbox", name="A: Alice"))
    merge = page.get_by_role("button", name="Merge")
    tab_to(page, merge)
    page.keyboard.press("Enter")
    # The question with different answers is not settled: nothing that was entered is lost.
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert")).to_contain_text("has different answers")
    expect(page.get_by_role("checkbox", name="A: Alice")).to_be_checked()
    tick(page, page.locator("[name=question-0]").first)
    tab_to(page, merge)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Merged: ")).to_be_visible()
    made = Annotation.objects.exclude(merged_from=None).distinct().get()
    assert (made.span_1, made.questions.get().answer_1) == ("1801", "1801")
    assert TagReview.objects.get().reviewer == olga


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 320])
def test_three_annotations_are_next_to_one_another_or_below(open_page, olga, three, width, dark):
    page = open_page(olga, width=width, dark=dark)
    page.goto(address(three[0]))
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cells = page.locator("#field-validity .compare-cell")
    expect(cells).to_have_count(3)
    tops = {round(cells.nth(n).bounding_box()["y"]) for n in range(3)}
    assert len(tops) == (1 if width == 1440 else 3)


def test_the_evidence_stays_in_view_next_to_the_comparison(open_page, olga, pair):
    page = open_page(olga)
    page.goto(address(pair[0]))
    page.locator("evidence-panes[data-live]").wait_for()
    page.get_by_role("button", name="Merge").scroll_into_view_if_needed()
    expect(page.get_by_role("tab", name="Article", exact=True)).to_be_in_viewport()
