"""People write by a form: by keys, without script, in two tabs, in any script, narrow and wide."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.roles import Role
from tests.browser.conftest import settled, sign_in
from tests.browser.test_every_page import look_at
from tests.factories import person
from tests.writing import factories as make
from tests.writing.factories import record
from writing.models import Entry

pytestmark = pytest.mark.django_db(transaction=True)

ARABIC = "بُنيت الطاحونة بعد الفيضان. " * 20


def saved(page):
    expect(page.locator(".save-state")).to_have_attribute("data-save-state", "saved")


def opened(open_page, who, writing, **options):
    page = open_page(who, **options)
    page.goto(f"/writing/entries/{make.taken(writing, who).pk}/")
    return page


def test_a_form_is_filled_in_and_handed_in_by_keys(open_page):
    alice = make.annotator("alice")
    writing = make.opened(within=make.collection(record("Old Weir"), record("New Weir")))
    page = opened(open_page, alice, writing)
    expect(page.locator("writing-desk[data-ready]")).to_be_attached()
    expect(page.locator("#step-step-2")).to_be_hidden()
    page.keyboard.press("4")  # how sure
    page.get_by_label("Answer (required)", exact=True).press_sequentially("1783")
    expect(page.locator("[data-step-link=step-1]")).to_contain_text("complete")
    page.keyboard.press("Alt+n")
    expect(page.locator("#id_rationale")).to_be_visible()
    expect(page.locator("[data-step-link=step-2]")).to_contain_text("1 missing")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.locator("#id_rationale").press_sequentially("It is written there.")
    saved(page)
    kept = Entry.objects.get().values
    assert (kept["answer"], kept["sure"], kept["level"]) == ("1783", 4, "hard")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("New Weir was built in 1783.")).to_be_visible()
    assert Entry.objects.get(record__title="Old Weir").state == "written"


def test_a_required_tick_that_is_missing_is_named(open_page):
    alice = make.annotator("alice")
    text = make.TEXT.replace('type = "tick"', 'type = "tick"\nrequired = true')
    page = opened(open_page, alice, make.opened(within=make.collection(text=text)))
    expect(page.locator("writing-desk[data-ready]")).to_be_attached()
    page.keyboard.press("n")
    missing = page.locator("#step-step-2 [data-missing]")
    expect(missing).to_have_text("Still missing: Rationale · I looked it up")
    page.get_by_label("I looked it up (required)").check()
    expect(missing).to_have_text("Still missing: Rationale")


def test_what_is_typed_comes_back_after_a_crash(open_page):
    alice = make.annotator("alice")
    page = opened(open_page, alice, make.opened())
    page.get_by_label("Answer (required)", exact=True).fill("1783")
    saved(page)
    page.reload()
    expect(page.get_by_label("Answer (required)", exact=True)).to_have_value("1783")
    expect(page.locator(".save-state")).to_contain_text("Saved")


def test_signed_out_the_page_says_so_and_what_is_typed_waits(open_page, watch):
    watch.expect("401 (Unauthorized)")
    alice = make.annotator("alice")
    page = opened(open_page, alice, make.opened())
    page.context.clear_cookies()
    page.get_by_label("Answer (required)", exact=True).fill("1783")
    expect(page.get_by_text("You are signed out. Sign in in another tab.")).to_be_visible()
    sign_in(page, alice)
    page.context.new_page().goto("/")  # which has a token
    saved(page)
    assert Entry.objects.get().values["answer"] == "1783"


def test_an_offered_phrase_goes_to_the_caret_and_can_be_undone(open_page):
    alice = make.annotator("alice")
    page = opened(open_page, alice, make.opened())
    page.keyboard.press("n")
    box = page.locator("#id_rationale")
    box.fill("So: ")
    page.get_by_role("button", name="Nothing is said of …").click()
    expect(box).to_have_value("So: Nothing is said of ")
    expect(box).to_be_focused()
    page.keyboard.press("Control+z")
    expect(box).to_have_value("So: ")


def test_two_tabs_are_compared_and_nothing_is_lost(open_page):
    alice = make.annotator("alice")
    writing = make.opened()
    first = opened(open_page, alice, writing)
    second = first.context.new_page()
    second.goto(first.url)
    first.get_by_label("Answer (required)", exact=True).fill("1783")
    saved(first)
    second.get_by_label("Answer (required)", exact=True).fill("1791")
    panel = second.locator("[data-conflict]")
    expect(panel).to_contain_text("Nothing was overwritten")
    expect(panel).to_contain_text("1783")
    assert Entry.objects.get().values["answer"] == "1783"
    panel.get_by_role("button", name="Save my choices").click()
    saved(second)
    assert Entry.objects.get().values["answer"] == "1791"


def test_all_of_it_works_without_script(open_page, watch):
    watch.expect("status of 400")
    alice, bob = make.annotator("alice"), make.annotator("bob")
    make.opened()
    page = open_page(alice, java_script_enabled=False, width=320)
    page.goto("/writing/")
    page.get_by_role("button", name="Take the next").click()
    expect(page.get_by_text("The passage says that …")).to_be_visible()
    page.get_by_label("Answer (required)", exact=True).fill("1783")
    page.get_by_label("hard").check()
    page.get_by_role("button", name="Save draft").last.click()
    expect(page.get_by_label("Answer (required)", exact=True)).to_have_value("1783")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("link", name="“Rationale” is missing.")).to_be_visible()
    page.locator("#id_rationale").fill("It is written there.")
    page.get_by_role("button", name="Submit", exact=True).click()
    page = open_page(bob, java_script_enabled=False)
    page.goto("/writing/")
    page.get_by_role("link", name="Old Weir").click()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("it made record no. 1, version 2")).to_be_visible()


def test_a_record_is_rejected_without_script(open_page):
    alice = make.annotator("alice")
    page = opened(open_page, alice, make.opened(), java_script_enabled=False)
    page.get_by_role("button", name="Reject or give up").click()
    page.get_by_label("Why can nothing be written for it?").fill("Two weirs.")
    page.get_by_role("button", name="Reject this record").click()
    page.wait_for_url("**/writing/")
    assert Entry.objects.get().reason == "Two weirs."


def test_the_pages_are_accessible_in_every_width_and_direction(open_page):
    ada, bob = person("ada", *Role), make.annotator("bob")
    weirs = make.collection(*(record(f"Weir {n}", context=ARABIC) for n in range(3)))
    writing = make.opened(within=weirs)
    make.submitted(writing, bob, answer=ARABIC, rationale="x" * 900)
    entry = make.taken(writing, ada)
    make.save(entry, answer="1783", rationale=ARABIC)
    further = make.opened("forms", within=weirs)
    for_check = Entry.objects.get(author=bob)
    names = [
        ("writings",),
        ("new", "weirs"),
        ("writing", writing.pk),
        ("writing", further.pk),
        ("entry", entry.pk),
        ("check", for_check.pk),
    ]
    page = open_page(ada)
    paths = [reverse(f"writing:{name}", args=arguments) for name, *arguments in names]
    wrong = [line for path in paths for line in look_at(page, path)]
    assert not wrong, "\n".join(wrong)
    page.goto(paths[4])
    settled(page)
    of_texts = page.locator(".passage-text, #id_rationale, #id_answer")
    directions = of_texts.evaluate_all("all => all.map((one) => getComputedStyle(one).direction)")
    assert directions == ["rtl", "ltr", "rtl"]
