"""The annotate page in a real browser: typed text is saved, and the page shows whether it is."""

import re
from contextlib import suppress

import pytest
from django.templatetags.static import static
from django.urls import reverse
from playwright.sync_api import TimeoutError, expect

from accounts.roles import Role
from annotation.models import Annotation, Assignment
from annotation.workflow import saving
from tests.annotation import factories as make
from tests.browser.axe import violations
from tests.browser.conftest import intercept, settled, sign_in
from tests.factories import person
from wikifetch.models import Sighting
from wikifetch.recording import record_htmls
from wikifetch.source.htmls import HtmlAsked

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def draft(alice):
    return make.draft(alice)


@pytest.fixture
def desk(page, alice, draft):
    """Alice's page of the draft, just opened."""
    sign_in(page, alice)
    page.add_init_script("localStorage.setItem('sic-et-non:steps', 'all')")
    page.goto(address(draft))
    settled(page)
    return page


def address(draft):
    return f"/annotate/{draft.assignment_id}/"


def stored():
    return saving.entries_of(Annotation.objects.get())


def state_of(page):
    return page.locator(".save-state")


def wait_until(page, state):
    expect(state_of(page)).to_have_attribute("data-save-state", state)


def choose(page, name, value):
    page.locator(f"[data-field={name}] input[value='{value}']").check()


def write_alone(desk, n, text):
    """The stand-alone text of passage `n`, which is one line while it says the same as its copy."""
    cell = desk.locator(f"[data-field=passage_{n}_standalone]")
    box, same = cell.locator("textarea"), cell.locator(".standalone-same button")
    if not same.is_visible():
        with suppress(TimeoutError):  # it may become one line just now
            return box.fill(text, timeout=1_000)
    same.click()
    return box.fill(text)


def fill_whole(page):
    whole = make.whole()
    choose(page, "validity", "Valid")
    for name, value in whole.items():
        if isinstance(value, str) and name not in ("validity", "same_passage"):
            if name.endswith("_standalone"):
                write_alone(page, name[len("passage_")], value)
            elif not name.startswith("modality") and not name.endswith("_at"):
                page.locator(f"[name={name}]").fill(value)
        elif name.startswith("type_"):
            choose(page, name, value[0])
    choose(page, "same_passage", "Different")
    choose(page, "confidence", "4")
    for column in ("question", "answer_1", "answer_2"):
        page.locator(f"[name=questions-0-{column}]").fill(whole["questions"][0][column])


def test_what_is_typed_is_saved_and_there_after_a_reload(desk):
    expect(state_of(desk)).to_have_text(re.compile(r"Saved \d\d:\d\d"))
    desk.get_by_label("Comment").first.fill("In the edit summary.")
    wait_until(desk, "saved")
    assert stored()["valid_comment"] == "In the edit summary."
    desk.reload()
    settled(desk)
    expect(desk.get_by_label("Comment").first).to_have_value("In the edit summary.")


def test_it_is_never_called_saved_before_the_server_has_answered(desk):
    held = []
    intercept(desk, "**/api/drafts/**", lambda route: held.append(route))
    desk.get_by_label("Comment").first.fill("x")
    expect(state_of(desk)).to_have_text("Unsaved")
    wait_until(desk, "saving")
    assert stored()["valid_comment"] == ""
    held[0].continue_()
    wait_until(desk, "saved")
    assert stored()["valid_comment"] == "x"


def test_a_crash_before_the_save_loses_nothing(desk, draft):
    intercept(desk, "**/api/drafts/**", lambda route: None)  # no answer ever comes
    desk.get_by_label("Comment").first.fill("Just typed.")
    desk.unroute("**/api/drafts/**")
    again = desk.context.new_page()  # as after a crash, without an unload event
    again.goto(address(draft))
    settled(again)
    wait_until(again, "saved")
    assert stored()["valid_comment"] == "Just typed."


def test_a_crash_brings_back_closed_steps_too_each_text_in_its_box(desk, draft):
    intercept(desk, "**/api/drafts/**", lambda route: None)
    choose(desk, "validity", "Valid")
    desk.get_by_label("Passage 1, as copied").fill("Built in 1801.")
    desk.locator("[name=questions-0-question]").fill("When?")
    choose(desk, "validity", "Invalid")
    desk.get_by_label("Comment").first.fill("Since corrected.")
    desk.unroute("**/api/drafts/**")
    again = desk.context.new_page()
    again.goto(address(draft))
    settled(again)
    wait_until(again, "saved")
    results = stored()
    assert (results["validity"], results["valid_comment"]) == ("Invalid", "Since corrected.")
    assert results["passage_1_copied"] == "Built in 1801."
    assert results["questions"][0]["question"] == "When?"


WRONG_CLOCK = """const Real = Date, off = %d * 3_600_000;
Date = class extends Real {
  constructor(...given) { given.length ? super(...given) : super(Real.now() + off); }
  static now() { return Real.now() + off; }
};"""


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_browser_whose_clock_is_wrong_saves_restores_and_submits(page, alice, draft, hours):
    sign_in(page, alice)
    page.add_init_script(WRONG_CLOCK % hours)
    page.goto(address(draft))
    comment = page.get_by_label("Comment").first
    comment.fill("In the edit summary.")
    wait_until(page, "saved")
    page.reload()
    settled(page)
    expect(comment).to_have_value("In the edit summary.")
    choose(page, "validity", "Invalid")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Submitted: ")).to_be_visible()
    assert Annotation.objects.get().seconds_active < 30 * 60  # not an hour


def test_time_without_a_sign_of_life_is_not_counted(page, alice, draft):
    sign_in(page, alice)
    page.clock.install()
    page.goto(address(draft))
    settled(page)
    page.mouse.move(5, 5)
    page.clock.run_for(600_000)
    page.get_by_label("Comment").first.fill("Back from lunch.")
    page.clock.run_for(1_000)
    wait_until(page, "saved")
    row = Annotation.objects.get()
    assert 50 <= row.seconds_active <= 65
    assert row.seconds_by_step == {"validity": row.seconds_active}


def test_an_offline_page_says_so_and_sends_everything_later(desk, watch):
    watch.expect("ERR_INTERNET_DISCONNECTED")
    desk.context.set_offline(True)
    desk.get_by_label("Comment").first.fill("Typed without network.")
    expect(state_of(desk)).to_contain_text("Offline")
    assert stored()["valid_comment"] == ""
    desk.get_by_role("button", name="Submit", exact=True).click()  # stays on the page
    desk.context.set_offline(False)
    wait_until(desk, "saved")
    assert stored()["valid_comment"] == "Typed without network."


def test_steps_two_to_six_show_for_a_valid_tag_and_come_back_filled(desk):
    passage = desk.get_by_label("Passage 1, as copied")
    expect(passage).to_be_hidden()
    choose(desk, "validity", "Valid")
    passage.fill("Built in 1801.")
    choose(desk, "validity", "Invalid")
    expect(passage).to_be_hidden()
    choose(desk, "validity", "Valid")
    expect(passage).to_have_value("Built in 1801.")


def test_a_submission_opens_the_next_tag_and_a_reload_submits_nothing(page, alice):
    draft = make.draft(alice, within=make.campaign(tags=2))
    next_one = Assignment.objects.get(state="free")
    sign_in(page, alice)
    page.goto(address(draft))
    settled(page)
    choose(page, "validity", "Invalid")
    wait_until(page, "saved")
    sent = []
    page.on("request", lambda each: each.resource_type == "document" and sent.append(each.method))
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Submitted: ")).to_be_visible()
    expect(page).to_have_url(re.compile(f"/annotate/{next_one.pk}/$"))
    page.get_by_label("Comment").first.fill("Of the next tag.")
    wait_until(page, "saved")
    page.reload()
    settled(page)
    expect(page.get_by_label("Comment").first).to_have_value("Of the next tag.")
    assert sent == ["POST", "GET"]

    page.go_back()
    expect(page).to_have_url(re.compile(f"{address(draft)}$"))
    assert Annotation.objects.filter(state="submitted").count() == 1
    assert Annotation.objects.count() == 2


def test_an_invalid_tag_is_submitted_without_what_was_typed_for_a_valid_one(desk):
    choose(desk, "validity", "Valid")
    desk.get_by_label("Passage 1, as copied").fill("Built in 1801.")
    choose(desk, "validity", "Invalid")
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_text("Submitted: ")).to_be_visible()
    assert stored()["passage_1_copied"] == ""


def test_the_whole_annotation_is_made_and_submitted_by_keys(desk):
    fill_whole(desk)
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_text("Submitted: ")).to_be_visible()
    assert stored() == make.whole(modality_1="text", modality_2="")


def test_a_refused_submission_shows_a_summary_whose_links_lead_to_the_fields(desk, watch):
    watch.expect("status of 400")
    fill_whole(desk)
    desk.locator("[name=statement_2]").fill("")
    desk.get_by_role("button", name="Submit", exact=True).click()
    summary = desk.locator("#error-summary")
    expect(summary).to_be_visible()
    expect(desk.locator("[name=statement_2]")).to_be_focused()
    expect(desk.locator("[name=statement_1]")).to_have_value(make.WHOLE["statement_1"])
    summary.get_by_role("link").click()
    assert desk.evaluate("document.activeElement.name") == "statement_2"


def test_the_checks_run_while_one_types_also_offline(desk, watch):
    watch.expect("ERR_INTERNET_DISCONNECTED")
    choose(desk, "validity", "Valid")
    wait_until(desk, "saved")
    desk.context.set_offline(True)
    span = desk.get_by_label("Contradicted span of passage 1")
    span.fill("nowhere")
    finding = desk.get_by_text("The span “nowhere” is not in passage 1.")
    expect(finding).to_be_visible()
    wait_until(desk, "offline")
    desk.get_by_label("Passage 1, as copied").fill("It is nowhere.")
    expect(finding).to_be_hidden()
    desk.context.set_offline(False)
    wait_until(desk, "saved")


def test_a_second_tab_is_refused_and_both_texts_are_compared(desk, draft, watch):
    watch.expect("status of 412")
    other = desk.context.new_page()
    other.goto(address(draft))
    settled(other)
    choose(other, "validity", "Invalid")
    other.get_by_label("Comment").first.fill("theirs")
    wait_until(other, "saved")
    other.close()

    desk.get_by_label("Comment").first.fill("mine")
    wait_until(desk, "conflict")
    assert stored()["valid_comment"] == "theirs"
    fields = desk.locator(".conflict-field")
    expect(fields).to_have_count(2)
    # Unchanged fields take the other tab's value; fields changed in both keep this tab's until the person chooses.
    expect(desk.locator("[data-field=validity] input[value=Invalid]")).to_be_checked()
    comment = fields.filter(has_text="Comment")
    expect(comment.get_by_role("button", name="Keep mine")).to_have_attribute(
        "aria-pressed", "true"
    )
    comment.get_by_role("button", name="Take this").click()
    expect(desk.get_by_label("Comment").first).to_have_value("theirs")
    comment.get_by_role("button", name="Keep mine").click()
    desk.get_by_role("button", name="Save my choices").click()
    wait_until(desk, "saved")
    assert (stored()["validity"], stored()["valid_comment"]) == ("Invalid", "mine")


def meet_another_version(page, draft):
    """The draft is saved elsewhere, then here."""
    theirs = {"valid_comment": "theirs"}
    make.save_draft(annotation_id=draft.pk, by=draft.author, version=draft.version, changes=theirs)
    page.get_by_label("Comment").first.fill("mine")
    wait_until(page, "conflict")


def test_two_versions_are_compared_also_without_what_comes_later(page, alice, draft, watch):
    watch.expect("net::ERR_FAILED")
    watch.expect("status of 412")
    sign_in(page, alice)
    page.route("**/aids*.js", lambda route: route.abort())
    page.goto(address(draft))
    expect(page.get_by_text("Part of this page has not loaded.")).to_be_visible()
    meet_another_version(page, draft)
    expect(page.locator(".conflict-field")).to_have_count(1)
    page.get_by_role("button", name="Save my choices").click()
    wait_until(page, "saved")
    assert stored()["valid_comment"] == "mine"


def test_where_the_comparison_does_not_load_the_page_says_so_and_a_reload_brings_it(
    desk, draft, watch
):
    watch.expect("net::ERR_FAILED")
    watch.expect("status of 412")
    intercept(desk, "**/comparison*.js", lambda route: route.abort())
    meet_another_version(desk, draft)
    expect(desk.get_by_role("alert")).to_contain_text("what you enter here is not saved now")
    assert stored()["valid_comment"] == "theirs"
    desk.unroute("**/comparison*.js")
    desk.on("dialog", lambda dialog: dialog.accept())
    desk.reload()
    expect(desk.locator(".conflict-field")).to_have_count(1)
    expect(desk.get_by_label("Comment").first).to_have_value("mine")


def test_a_search_that_has_not_loaded_can_be_tried_again(desk, watch):
    watch.expect("net::ERR_FAILED")
    intercept(desk, "**/article-search*.js", lambda route: route.abort())
    search = desk.locator(".article-search").first
    search.get_by_role("searchbox").fill("qq")
    expect(search).to_contain_text("try again")
    desk.unroute("**/article-search*.js")
    search.get_by_role("searchbox").press("Enter")
    expect(search).to_contain_text("not found")


def test_questions_are_added_and_removed_and_keep_their_order(desk):
    choose(desk, "validity", "Valid")
    desk.locator("[name=questions-0-question]").fill("First?")
    for n, text in ((1, "Second?"), (2, "Third?")):
        desk.get_by_role("button", name="Add a question").click()
        assert desk.evaluate("document.activeElement.name") == f"questions-{n}-question"
        desk.keyboard.type(text)
    desk.get_by_role("button", name="Remove question 2").click()
    wait_until(desk, "saved")
    assert [row["question"] for row in stored()["questions"]] == ["First?", "Third?"]
    for _ in range(8):
        desk.get_by_role("button", name="Add a question").click()
    expect(desk.locator("[data-row]")).to_have_count(10)
    desk.get_by_role("button", name="Add a question").click()
    expect(desk.get_by_text("A tag may have at most 10 questions.")).to_be_visible()
    desk.get_by_role("button", name="Remove question 3").click()
    expect(desk.get_by_text("A tag may have at most 10 questions.")).to_have_count(0)
    expect(desk.locator("[data-row]")).to_have_count(9)
    expect(desk.locator("[name=questions-1-question]")).to_have_value("Third?")


def test_the_sheet_of_keys_is_made_from_the_registry(desk):
    desk.keyboard.press("?")
    sheet = desk.get_by_role("dialog", name="Keys")
    expect(sheet).to_be_visible()
    for words in ("Next step", "guideline of this step", "selection to passage 2", "Submit"):
        expect(sheet).to_contain_text(words)
    desk.keyboard.press("Escape")
    expect(sheet).to_be_hidden()


def test_a_sentence_goes_to_a_passage_without_a_mouse(desk):
    choose(desk, "validity", "Valid")
    desk.keyboard.press("j")
    first = desk.evaluate("document.getSelection().toString()")
    desk.keyboard.press("Shift+J")
    both = desk.evaluate("document.getSelection().toString()")
    assert first
    assert both.startswith(first)
    assert len(both) > len(first)
    desk.keyboard.press("k")
    desk.keyboard.press("1")
    assert " ".join(stored_words(desk)) in " ".join(both.split())


def stored_words(desk):
    return desk.locator("[name=passage_1_copied]").input_value().split()


def test_steps_and_guideline_by_keys(desk):
    choose(desk, "validity", "Valid")
    desk.keyboard.press("n")
    expect(desk.locator("#step-passages")).to_be_focused()
    desk.keyboard.press("g")
    expect(desk.locator("#guideline-passages")).to_be_visible()
    desk.keyboard.press("p")
    expect(desk.locator("#step-validity")).to_be_focused()


def test_no_single_key_acts_in_a_text_field_or_when_switched_off(page, alice, draft):
    alice.shortcuts = False
    alice.save()
    sign_in(page, alice)
    page.goto(address(draft))
    settled(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.get_by_role("button", name="Keys").click()
    expect(page.get_by_role("dialog")).to_contain_text("switched off")
    page.keyboard.press("Escape")
    alice.shortcuts = True
    alice.save()
    page.reload()
    settled(page)
    page.locator("[name=valid_comment]").press_sequentially("njk?")
    expect(page.locator("[name=valid_comment]")).to_have_value("njk?")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_text_selected_in_the_article_goes_to_a_passage_by_one_key_and_back_by_undo(desk):
    choose(desk, "validity", "Valid")
    desk.evaluate(
        """() => {
          const range = document.createRange();
          range.selectNodeContents(document.querySelector('#tagged-block'));
          const chosen = document.getSelection();
          chosen.removeAllRanges(); chosen.addRange(range);
          document.activeElement.blur();
        }"""
    )
    desk.keyboard.press("2")
    passage = desk.get_by_label("Passage 2, as copied")
    expect(passage).to_have_value("The mill was built in 1801. It is square.")
    passage.focus()
    desk.keyboard.press("Control+z")
    expect(passage).to_have_value("")


def test_a_power_is_copied_as_a_power_and_not_as_another_number(desk):
    copied = """async () => {
      const element = document.createElement("p");
      element.innerHTML = '10<sup>3</sup> t<sup class="reference">[1]</sup>, the 2<sup>nd</sup>';
      const range = document.createRange();
      range.selectNodeContents(element);
      return (await import(%s)).copied(range, element).text;
    }"""
    script = static("js/annotation/elements/article-text.js")
    assert desk.evaluate(copied % repr(script)) == "10^3 t, the 2nd"


def test_a_digit_typed_in_a_box_is_a_digit(desk):
    choose(desk, "validity", "Valid")
    box = desk.get_by_label("Passage 2, as copied")
    box.press_sequentially("In 12")
    expect(box).to_have_value("In 12")


def test_the_tagged_block_is_in_view_in_a_long_article(page, alice):
    draft = make.draft(alice)
    revision = draft.sighting.revision
    padding = "A sentence of ten words that says nothing at all.\n\n" * 2_000
    revision.wikitext = padding + revision.wikitext
    revision.save()
    draft.sighting.position += len(padding)
    draft.sighting.save()
    sign_in(page, alice)
    page.goto(address(draft))
    settled(page)
    page.wait_for_function(
        """() => {
          const box = document.querySelector('.article-text').getBoundingClientRect();
          const tag = document.querySelector('#tagged-block').getBoundingClientRect();
          return tag.top >= box.top && tag.top < box.bottom;
        }""",
        timeout=1_000,
    )


WIKIS_HTML = (
    '<div class="mw-parser-output">%s<h2>History</h2><p>The mill was built in 1801<sup class="reference"><a '
    'href="#cite_note-1">[1]</a></sup>.<sup class="noprint Inline-Template">[<i>inconsistent</i>]</sup> It weighs '
    "10<sup>3</sup> t.<img src=x onerror=alert(1)></p>%s</div>"
)


def test_the_block_is_marked_in_view_and_copied_cleanly_from_the_wikis_own_html(page, alice):
    draft = make.draft(alice)
    padding = "<p>A sentence of ten words that says nothing at all.</p>" * 500
    html = WIKIS_HTML % (padding, padding)
    record_htmls([HtmlAsked(draft.sighting.revision_id, html)])
    Sighting.objects.update(
        block_kind="paragraph",
        block_clean="The mill was built in 1801. It weighs 10<sup>3</sup> t.",
    )
    sign_in(page, alice)
    page.goto(address(draft))
    settled(page)
    expect(page.get_by_text("The wiki's own HTML of this revision, as it was on")).to_be_visible()
    expect(page.locator("#tagged-block")).to_be_in_viewport()
    choose(page, "validity", "Valid")
    page.evaluate("document.activeElement.blur()")
    for key in ("j", "Shift+j", "2"):
        page.keyboard.press(key)
    passage = page.get_by_label("Passage 2, as copied")
    expect(passage).to_have_value("The mill was built in 1801. It weighs 10^3 t.")


def test_a_tagged_row_far_down_a_table_is_in_view(page, alice):
    draft = make.draft(alice)
    rows = "".join(f"<tr><td>Mill {n}</td><td>{1700 + n}</td></tr>" for n in range(300))
    html = f"<p>Mills.</p><table class='wikitable'>{rows}</table>"
    record_htmls([HtmlAsked(draft.sighting.revision_id, html)])
    Sighting.objects.update(block_kind="table row", block_clean="| Mill 150 || 1850")
    sign_in(page, alice)
    page.goto(address(draft))
    settled(page)
    expect(page.locator("#tagged-block")).to_have_text("Mill 1501850")
    expect(page.locator("#tagged-block")).to_be_in_viewport()


def test_coming_back_lands_on_the_step(desk, draft):
    choose(desk, "validity", "Valid")
    desk.locator("[name=statement_1]").fill("It was built in 1801.")
    wait_until(desk, "saved")
    desk.goto("/annotate/")
    desk.get_by_role("link", name="Kettle Mill").click()
    expect(desk.locator("[data-step-link=reason]")).to_have_attribute("aria-current", "step")
    expect(desk.locator("#step-reason")).to_be_in_viewport()


def test_the_whole_works_without_script(open_page, alice, draft):
    page = open_page(java_script_enabled=False)
    sign_in(page, alice)
    page.goto(address(draft))
    fill_whole(page)
    page.get_by_role("button", name="Save draft").first.click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("Submitted: ")).to_be_visible()
    assert stored() == make.whole(modality_1="text", modality_2="")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 1440])
def test_the_page_never_scrolls_sideways(open_page, alice, draft, width, dark):
    page = open_page(alice, width=width, dark=dark)
    page.goto(address(draft))
    settled(page)
    choose(page, "validity", "Valid")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_in_all_steps_nor_in_a_review_with_findings(open_page, dark):
    """As they usually are, tests/browser/test_every_page.py looks at them."""
    everyone = person("alice", Role.ANNOTATOR, Role.ADMIN)
    campaign = make.campaign(by=everyone, tags=3)
    review = make.submitted(everyone, within=campaign, entries=make.whole(span_1="in 1802"))
    draft = make.draft(everyone, within=campaign)
    page = open_page(everyone, dark=dark)
    page.goto(address(draft))
    settled(page)
    choose(page, "validity", "Valid")
    assert violations(page) == []
    for path in (reverse("annotation:review", args=make.place_of(review)), "/annotate/progress/"):
        page.goto(path)
        assert violations(page) == []
