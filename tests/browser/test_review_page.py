"""The review of a tag by keyboard alone, and without script."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Annotation, Review, TagReview
from annotation.reviewing.publishing_tags import publish_campaign
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
    tick(page, page.locator("[name=take-span_1][value=A]"))
    page.keyboard.press("ArrowDown")
    expect(page.locator("[name=take-span_1][value=B]")).to_be_checked()
    tick(page, page.get_by_role("radio", name="Yes"))
    tick(page, page.get_by_role("checkbox", name="A", exact=True))
    merge = page.get_by_role("button", name="Merge")
    press(page, merge)
    # The question with different answers is not settled: nothing that was entered is lost.
    expect(page.locator("#field-question-0.field-bad")).to_be_focused()
    expect(page.get_by_role("alert").get_by_role("link")).to_contain_text("has different answers")
    expect(page.get_by_role("checkbox", name="A", exact=True)).to_be_checked()
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
    tick(page, page.get_by_role("checkbox", name="B", exact=True))
    # Enter in a box is not a decision, and loses nothing.
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Nothing is decided yet.")
    expect(page.get_by_role("checkbox", name="B", exact=True)).to_be_checked()
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


def test_questions_of_two_annotators_are_taken_by_keyboard_alone(open_page, watch, olga):
    watch.expect("status of 400")
    first = make.WHOLE["questions"][0]
    asked = ({**first, "question": f"In which {unit} was it built?"} for unit in ("year", "decade"))
    three = make.two_of_a_tag({}, *({"questions": [one]} for one in asked), by=olga)
    page = open_page(olga)
    page.goto(address(three[0]))
    year, decade = (
        page.get_by_role("checkbox", name=f"In which {unit} was it built?")
        for unit in ("year", "decade")
    )
    expect(decade.or_(year).and_(page.locator(":checked"))).to_have_count(0)  # nearly the first
    tick(page, year)
    tick(page, page.get_by_role("radio", name="Yes"))
    tick(page, page.get_by_role("checkbox", name="A", exact=True))
    press(page, page.get_by_role("button", name="Merge"))
    # Two of them are nearly the same, and that is said before both are taken.
    expect(page.get_by_role("alert")).to_contain_text("Two questions are nearly the same")
    expect(decade).not_to_be_checked()
    expect(page.get_by_role("checkbox", name="I checked")).to_be_focused()
    tick(page, page.get_by_role("checkbox", name="I checked"))
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
    write(page, of_span.get_by_label("To B"), "Which year?")
    # The links to the page's parts save the way through all fields, and do not hide what they lead to.
    page.keyboard.press("Control+Home")
    page.evaluate("document.activeElement.blur()")
    press(page, page.get_by_role("link", name="Decision"))
    heading = page.get_by_role("heading", name="Decision", exact=True)
    expect(heading).to_be_focused()
    jumps = page.get_by_role("navigation", name="Parts of this page")
    expect(jumps).to_be_in_viewport()
    assert heading.bounding_box()["y"] >= jumps.bounding_box()["y"] + jumps.bounding_box()["height"]
    tick(page, page.get_by_role("checkbox", name="B", exact=True))
    press(page, page.get_by_role("button", name="Send back"))
    expect(page.get_by_text("Sent back B: ")).to_be_visible()
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


def test_the_evidence_and_the_decision_stay_in_view_next_to_the_comparison(open_page, olga, pair):
    page = open_page(olga)
    page.goto(address(pair[0]))
    page.locator("evidence-panes[data-live]").wait_for()
    page.get_by_role("heading", name="Questions").scroll_into_view_if_needed()
    expect(page.get_by_role("tab", name="Article", exact=True)).to_be_in_viewport()
    expect(page.get_by_role("button", name="Merge")).to_be_in_viewport()


def lengthened(annotation) -> None:
    """The tagged block far down in an article of 600 paragraphs."""
    revision = annotation.sighting.revision
    before = "".join(f"Paragraph {n} is about something else.\n\n" for n in range(600))
    revision.wikitext = before + revision.wikitext
    revision.save()
    annotation.sighting.position += len(before)
    annotation.sighting.save()


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_the_article_opens_at_the_tagged_block(open_page, olga, pair, width, height):
    lengthened(pair[0])
    page = open_page(olga, width=width, height=height)
    page.goto(address(pair[0]))
    page.locator("evidence-panes[data-live]").wait_for()
    article = page.locator("#pane-article .article-text")
    assert article.evaluate("box => box.scrollTop") > 1_000
    if width == 390:  # below what is decided on
        article.scroll_into_view_if_needed()
    expect(page.locator("#tagged-block")).to_be_in_viewport()
    assert page.evaluate("window.scrollY") < (1 if width == 1366 else 4_000)


def test_without_script_an_anchor_leads_to_the_tagged_block(open_page, olga, pair):
    lengthened(pair[0])
    page = open_page(olga, width=390, height=844, java_script_enabled=False)
    page.goto(address(pair[0]))
    page.get_by_role("link", name="Tagged block").click()
    expect(page.locator("#tagged-block")).to_be_in_viewport()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1366, 768)])
def test_two_that_differ_in_three_fields_take_1200_pixels(open_page, olga, width, height):
    asked = {**make.WHOLE["questions"][0], "question": "Who or what is there how often?"}
    three = {"span_1": "1801", "confidence": 1, "passage_1_standalone": "It is of 1801."}
    pair = make.two_of_a_tag({}, {**three, "questions": [asked]}, by=olga)
    page = open_page(olga, width=width, height=height)
    page.goto(address(pair[0]))
    expect(page.get_by_role("heading", name="3 fields differ")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") <= 1_200


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_the_decision_covers_nothing_that_has_the_focus(open_page, olga, three, width, height):
    page = open_page(olga, width=width, height=height)
    page.goto(address(three[0]))
    bar = page.locator(".decision")
    expect(bar).to_be_in_viewport(ratio=1)
    assert bar.bounding_box()["height"] < height / 3
    hidden = """bar => {
      const one = document.activeElement;
      const [box, over] = [one.getBoundingClientRect(), bar.getBoundingClientRect()];
      const meets = box.bottom > over.top + 1 && box.top < over.bottom && box.left < over.right;
      return meets && !bar.contains(one) && one.matches("input, summary, a");
    }"""
    for _ in range(60):
        page.keyboard.press("Tab")
        covered = bar.evaluate(hidden)
        assert not covered, page.evaluate("document.activeElement.outerHTML")


def test_a_low_window_is_left_to_what_is_read(open_page, olga, pair):
    """As at 200 % zoom."""
    page = open_page(olga, width=683, height=384)
    page.goto(address(pair[0]))
    expect(page.get_by_role("button", name="Accept")).not_to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 683


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 320])
def test_an_annotator_reads_what_was_accepted_and_answers(open_page, olga, pair, width, dark):
    make.decide(pair[1], olga, "accept", "The span is shorter.")
    publish_campaign(pair[1].assignment.campaign)
    page = open_page(pair[0].author, width=width, dark=dark)
    page.goto(reverse("annotation:annotate", args=[pair[0].assignment_id]))
    page.get_by_role("link", name="See what was accepted").click()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_label("Your answer").fill("I see.")
    page.get_by_role("button", name="Send the answer").click()
    expect(page.get_by_role("heading", name="Your answer")).to_be_visible()
    assert Review.objects.get(annotation=pair[0]).answer == "I see."
