"""Texts in both directions in a browser: the script lays them out as the server does, while one types too."""

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from playwright.sync_api import expect

from tests.annotation import factories as annotating
from tests.browser.conftest import settled
from tests.judging import factories as judging
from tests.pages.test_direction import ARABIC, CASES, HEBREW

pytestmark = pytest.mark.django_db(transaction=True)

TURNED = """async ([script, cases]) => {
  const { turn } = await import(script);
  return cases.map(([text]) => {
    const element = Object.assign(document.createElement("p"), { dir: "auto" });
    turn(element, text);
    return element.dir;
  });
}"""


def test_the_script_says_the_same_as_the_server(page):
    page.goto("/sign-in/")
    script = staticfiles_storage.url("js/shared/dom.js")
    # Without a language: the script leaves a tie as the server has set it.
    assert page.evaluate(TURNED, [script, CASES]) == [
        direction if not language or (direction == "ltr" and language == "he") else "auto"
        for _, language, direction in CASES
    ]


@pytest.mark.parametrize(("language", "reply"), [("he", HEBREW), ("ar", ARABIC), ("en", HEBREW)])
def test_a_reply_that_begins_with_a_latin_name_is_laid_out_from_right_to_left(
    open_page, language, reply
):
    run = judging.finished_run(instances=1, prompts=["both-passages"], models=judging.MODEL_IDS[:1])
    response = run.responses.get()
    run.responses.update(text=f"{reply}\n{reply}\nIt was built in 1890.")
    collection = response.instance.contradiction.collection
    type(collection).objects.update(language=language)
    study = judging.open_study(drawn_from=run)
    alice = judging.judge("alice")
    page = open_page(alice)
    page.goto(f"/judge/{study.pk}/next/")
    text = page.locator(".judging-response .judging-text")
    expect(text).to_have_css("direction", "rtl")
    expect(text).to_have_attribute("lang", "" if language == "en" else language)
    expect(text.locator(".turned")).to_have_css("direction", "ltr")
    # The stop stands at the left end of its line, the name at the right.
    places = text.evaluate(
        """(element, length) => [0, length - 1].map((at) => {
          const range = document.createRange();
          range.setStart(element.firstChild, element.firstChild.data.indexOf("Alder") + at);
          range.setEnd(element.firstChild, element.firstChild.data.indexOf("Alder") + at + 1);
          return range.getBoundingClientRect().left;
        })""",
        len(reply),
    )
    assert places[1] < places[0]


def test_a_field_turns_while_one_types(open_page):
    alice = annotating.annotator("alice")
    page = open_page(alice)
    page.goto(f"/annotate/{annotating.draft(alice).assignment_id}/")
    settled(page)
    box = page.get_by_label("Comment").first
    for text, direction in ((HEBREW, "rtl"), ("It is.", "ltr"), (ARABIC, "rtl")):
        box.fill(text)
        expect(box).to_have_css("direction", direction)
    expect(page.locator(".save-state")).to_have_attribute("data-save-state", "saved")
    page.reload()
    expect(box).to_have_css("direction", "rtl")
