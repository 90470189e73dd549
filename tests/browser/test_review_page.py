"""The review of a tag by keyboard alone, and without script."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Annotation, Review, TagReview
from annotation.states import AnnotationState
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


def press(page, locator) -> None:
    """By Tab and Enter."""
    tab_to(page, locator)
    page.keyboard.press("Enter")


def write(page, locator, text) -> None:
    tab_to(page, locator)
    page.keyboard.type(text)


def states(*annotations):
    return [
        Annotation.objects.values_list("state", flat=True).get(pk=each.pk) for each in annotations
    ]


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_merge_by_keyboard_alone(open_page, watch, olga, pair, script):
    watch.expect("status of 400")
    page = open_page(olga, java_script_enabled=script)
    page.goto(reverse("annotation:reviews"))
    press(page, page.get_by_role("link", name="Kettle Mill"))
    page.wait_for_url(f"**{address(pair[0])}")
    tick(page, page.get_by_role("radio", name="Yes"))
    tick(page, page.locator(f"[name=take-span_1][value='{pair[0].pk}']"))
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"[name=take-span_1][value='{pair[1].pk}']")).to_be_checked()
    tick(page, page.get_by_role("checkbox", name="A: Alice"))
    merge = page.get_by_role("button", name="Merge")
    press(page, merge)
    # The question with different answers is not settled: nothing that was entered is lost.
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert")).to_contain_text("has different answers")
    expect(page.get_by_role("checkbox", name="A: Alice")).to_be_checked()
    tick(page, page.locator("[name=question-0]").first)
    press(page, merge)
    expect(page.get_by_text("Merged: ")).to_be_visible()
    made = Annotation.objects.exclude(merged_from=None).distinct().get()
    assert (made.span_1, made.questions.get().answer_1) == ("1801", "1801")
    assert TagReview.objects.get().reviewer == olga


def test_one_is_accepted_and_the_decision_taken_back_by_keyboard_alone(
    open_page, watch, olga, pair
):
    watch.expect("status of 400")
    page = open_page(olga)
    page.goto(address(pair[0]))
    tick(page, page.get_by_role("radio", name="Yes"))
    tick(page, page.get_by_role("checkbox", name="B: Bob"))
    # Enter in a box is not a decision, and loses nothing.
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Nothing is decided yet.")
    expect(page.get_by_role("checkbox", name="B: Bob")).to_be_checked()
    press(page, page.get_by_role("button", name="Accept"))
    expect(page.get_by_text("One accepted: ")).to_be_visible()
    assert states(*pair) == [AnnotationState.UNUSED, AnnotationState.ACCEPTED]
    press(page, page.get_by_role("link", name="Decided 1"))
    press(page, page.get_by_role("link", name="Kettle Mill"))
    press(page, page.locator("summary", has_text="Take back this decision"))
    press(page, page.get_by_role("button", name="Yes, take back this decision"))
    expect(page.get_by_text("The decision is taken back.")).to_be_visible()
    expect(page.get_by_role("button", name="Accept")).to_be_visible()
    assert states(*pair) == [AnnotationState.SUBMITTED] * 2
    assert TagReview.objects.get().taken_back_by == olga


def test_questions_of_two_annotators_are_taken_by_keyboard_alone(open_page, olga):
    first = make.WHOLE["questions"][0]
    asked = ({**first, "question": f"In which {unit} was it built?"} for unit in ("year", "decade"))
    three = make.two_of_a_tag({}, *({"questions": [one]} for one in asked), by=olga)
    page = open_page(olga)
    page.goto(address(three[0]))
    tick(page, page.get_by_role("radio", name="Yes"))
    decade = page.get_by_role("checkbox", name="In which decade was it built?")
    tab_to(page, decade)
    page.keyboard.press("Space")
    expect(decade).not_to_be_checked()
    tick(page, page.get_by_role("checkbox", name="A: Alice"))
    press(page, page.get_by_role("button", name="Merge"))
    expect(page.get_by_text("Merged: ")).to_be_visible()
    made = Annotation.objects.exclude(merged_from=None).distinct().get()
    authors = [one.joined_from.get().annotation.author for one in made.questions.all()]
    assert authors == [each.author for each in three[:2]]


def test_one_is_sent_back_with_a_note_on_a_field_by_keyboard_alone(open_page, olga, pair):
    page = open_page(olga)
    page.goto(address(pair[0]))
    of_span = page.locator("#field-span_1")
    press(page, of_span.locator("summary"))
    write(page, of_span.get_by_label("Bob"), "Which year?")
    # The links to the page's parts save the way through all fields, and do not hide what they lead to.
    page.keyboard.press("Control+Home")
    page.evaluate("document.activeElement.blur()")
    press(page, page.get_by_role("link", name="Decision"))
    heading = page.get_by_role("heading", name="3. Decision")
    expect(heading).to_be_focused()
    jumps = page.get_by_role("navigation", name="Parts of this page")
    expect(jumps).to_be_in_viewport()
    assert heading.bounding_box()["y"] >= jumps.bounding_box()["y"] + jumps.bounding_box()["height"]
    tick(page, page.get_by_role("checkbox", name="B: Bob"))
    press(page, page.get_by_role("button", name="Send back"))
    expect(page.get_by_text("Sent back to Bob")).to_be_visible()
    assert states(*pair) == [AnnotationState.SUBMITTED, AnnotationState.SENT_BACK]
    assert Review.objects.get().notes_by_field == {"span_1": "Which year?"}


def test_a_tag_is_dropped_as_ambiguous_with_a_reason_by_keyboard_alone(open_page, olga, pair):
    page = open_page(olga)
    page.goto(address(pair[0]))
    tick(page, page.get_by_role("radio", name="Yes"))
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="No", exact=True)).to_be_checked()
    write(page, page.get_by_role("textbox", name="Reason"), "Two mills share the name.")
    press(page, page.get_by_role("button", name="Ambiguous"))
    expect(page.get_by_text("Ambiguous: ")).to_be_visible()
    made = TagReview.objects.get()
    assert (made.decision, made.reason) == ("drop", "Two mills share the name.")
    assert made.is_same is False


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
