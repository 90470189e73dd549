"""The frame, forms and disclosures by keyboard alone: where the focus goes, and that nothing holds it."""

import pytest
from playwright.sync_api import expect

from accounts.roles import Role
from tests.annotation import factories as annotating
from tests.browser.conftest import settled, sign_in
from tests.factories import person
from tests.judging import factories as judging
from wikifetch.models import FetchRun

pytestmark = pytest.mark.django_db(transaction=True)


def tab_to(page, locator) -> None:
    """By Tab alone."""
    for _ in range(60):
        if locator.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never reaches {locator}")


# ---------------------------------------------------------------- the navigation


def test_on_a_narrow_screen_the_navigation_opens_from_one_button(open_page):
    page = open_page(person("ada", *Role), width=320)
    page.goto("/")
    header, places = page.locator(".site-header"), page.get_by_role("navigation", name="Main")
    menu = page.get_by_role("button", name="Menu")
    assert header.bounding_box()["height"] < 60
    expect(places).to_be_hidden()
    tab_to(page, menu)
    page.keyboard.press("Enter")
    expect(places.get_by_role("link")).to_have_count(18)
    page.keyboard.press("Tab")
    expect(places.get_by_role("link").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(places).to_be_hidden()
    expect(menu).to_be_focused()


@pytest.mark.parametrize("width", [320, 1280])
def test_the_menus_lead_to_their_pages_without_script(open_page, width):
    page = open_page(person("ada", *Role), width=width, java_script_enabled=False)
    page.goto("/")
    page.get_by_role("button", name="Menu" if width == 320 else "Annotate").press("Enter")
    page.get_by_role("link", name="Campaigns", exact=True).press("Enter")
    page.wait_for_url("**/campaigns/")


def test_at_1280_the_groups_fit_in_one_line_and_open_each_on_its_own(open_page):
    page = open_page(person("ada", *Role), width=1280)
    page.goto("/tags/")
    navigation = page.get_by_role("navigation", name="Main")
    groups = navigation.get_by_role("button")
    assert groups.all_inner_texts() == ["Annotate", "Judge", "Data", "Models", "People"]
    assert page.locator(".site-header").bounding_box()["height"] < 60
    expect(navigation.locator("[aria-current].nav-button")).to_have_text("Data")
    links = navigation.get_by_role("link")
    reached = links.all_inner_texts()
    for group in groups.all():
        tab_to(page, group)
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        opened = group.locator("xpath=following-sibling::*")
        expect(opened.get_by_role("link").first).to_be_focused()
        box, button = opened.bounding_box(), group.bounding_box()
        assert abs(box["x"] - button["x"]) < 2
        assert abs(box["y"] - button["y"] - button["height"]) < 2
        reached += opened.get_by_role("link").all_inner_texts()
        page.keyboard.press("Escape")
        expect(group).to_be_focused()
        expect(opened).to_be_hidden()
    assert len(set(reached)) == len(reached) == 18


def test_few_places_are_all_shown_on_a_narrow_screen_too(open_page):
    page = open_page(person("ada", Role.ANNOTATOR), width=320)
    page.goto("/")
    navigation = page.get_by_role("navigation", name="Main")
    expect(page.get_by_role("button", name="Menu")).to_be_hidden()
    shown = navigation.get_by_role("link").all_inner_texts()
    assert shown == ["Annotate", "Tags", "Collections", "Writing"]
    assert page.evaluate("document.documentElement.scrollWidth") == 320


# ---------------------------------------------------------------- refused forms


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_refused_form_gives_the_focus_to_its_summary(open_page, watch, script):
    watch.expect("status of 422")
    page = open_page(person("ada", Role.ADMIN), java_script_enabled=script)
    page.goto("/people/")
    page.get_by_role("button", name="Create invitation links").press("Enter")
    expect(page.get_by_role("alert")).to_be_focused()


@pytest.mark.parametrize("width", [1440, 320])
def test_a_link_of_the_summary_shows_the_field_with_its_label_and_error(open_page, watch, width):
    watch.expect("status of 400")
    alice = annotating.annotator("alice")
    draft = annotating.draft(alice)
    page = open_page(alice, width=width)
    page.goto(f"/annotate/{draft.assignment_id}/")
    settled(page)
    page.locator("[data-field=validity] input[value=Valid]").check()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#id_passage_2_copied")).to_be_focused()
    page.locator("#id_passage_2_standalone").focus()
    page.get_by_role("link", name="Fill in “Passage 2, as copied”").press("Enter")
    expect(page.get_by_label("Passage 2, as copied")).to_be_focused()
    bar = page.locator(".rail").bounding_box()
    label = page.locator("label[for=id_passage_2_copied]").bounding_box()
    assert label["y"] >= bar["y"] + bar["height"]


# ---------------------------------------------------------------- disclosures


def test_escape_takes_a_question_back_and_turning_elsewhere_too(open_page):
    study = judging.draft()
    page = open_page(person("ada", Role.ADMIN))
    page.goto(f"/studies/{study.pk}/")
    discard = page.locator("summary", has_text="Discard").first
    yes = page.get_by_role("button", name="Yes, discard")
    discard.press("Enter")
    page.keyboard.press("Tab")
    expect(yes).to_be_focused()
    page.keyboard.press("Escape")
    expect(yes).to_be_hidden()
    expect(discard).to_be_focused()
    discard.press("Enter")
    expect(yes).to_be_visible()
    page.keyboard.press("Shift+Tab")
    expect(yes).to_be_hidden()


def test_escape_leaves_the_reason_for_skipping_then_shuts_it(open_page):
    study = judging.open_study()
    alice = judging.judge("alice")
    page = open_page(alice)
    page.goto(f"/judge/{study.pk}/next/")
    page.wait_for_selector("judge-desk[data-ahead]")
    page.keyboard.press("s")
    page.keyboard.type("1 u")
    reason = page.locator("[data-part=reason]")
    expect(reason).to_have_value("1 u")
    page.keyboard.press("Escape")
    expect(page.locator(".judging-skip > summary")).to_be_focused()
    expect(reason).to_be_visible()
    page.keyboard.press("Escape")
    expect(reason).to_be_hidden()
    expect(page.locator(".judging-skip > summary")).to_be_focused()


# ---------------------------------------------------------------- what is fetched anew


def test_a_button_keeps_the_focus_while_its_part_of_the_page_is_fetched_anew(open_page):
    run = FetchRun.objects.create(source="titles", label="Mills", queue=[1], queue_frozen=True)
    page = open_page(person("ada", Role.ADMIN))
    page.goto(f"/fetches/{run.pk}/")
    cancel = page.get_by_role("button", name="Cancel")
    tab_to(page, cancel)
    first = page.locator("#fetch-progress").element_handle()
    page.wait_for_function("part => !part.isConnected", arg=first)
    expect(cancel).to_be_focused()


# ---------------------------------------------------------------- the annotate page


@pytest.fixture
def desk(page):
    """Alice's page of a draft whose evidence is longer than the screen."""
    alice = annotating.annotator("alice")
    draft = annotating.draft(alice)
    revision = draft.sighting.revision
    padding = "A sentence of ten words that says nothing at all.\n\n" * 60
    revision.wikitext = padding + revision.wikitext
    revision.save()
    draft.sighting.position += len(padding)
    draft.sighting.save()
    sign_in(page, alice)
    page.set_viewport_size({"width": 1440, "height": 600})
    page.goto(f"/annotate/{draft.assignment_id}/")
    settled(page)
    return page


def test_t_brings_the_tagged_block_into_view_from_another_tab(desk):
    desk.get_by_role("tab", name="Source").press("Enter")
    desk.keyboard.press("t")
    expect(desk.locator("#tagged-block")).to_be_in_viewport(ratio=0.9)


def test_a_second_skip_link_leads_past_the_evidence(desk):
    desk.keyboard.press("Tab")
    desk.keyboard.press("Tab")
    expect(desk.get_by_role("link", name="Skip to the form")).to_be_focused()
    desk.keyboard.press("Enter")
    desk.keyboard.press("Tab")
    expect(desk.locator("[data-step-link]").first).to_be_focused()


@pytest.mark.parametrize(
    ("wikitext", "sentence"),
    [
        ("{|\n|+ Owners of the mill\n|-\n| Ann\n|}", "Owners of the mill"),
        ("* Built [[File:A.jpg|thumb|A drawing]]in 1801.", "Built in 1801."),
        ("* Built [[File:A.jpg|thumb|A drawing]]in 1801.", "A drawing"),
    ],
    ids=["a table's caption", "an item without its caption", "an item's caption"],
)
def test_a_caption_is_selected_by_keys_apart_from_other_text(open_page, wikitext, sentence):
    alice = annotating.annotator("alice")
    draft = annotating.draft(alice)
    revision = draft.sighting.revision
    revision.wikitext += f"\n\n{wikitext}"
    revision.save()
    page = open_page(alice)
    page.goto(f"/annotate/{draft.assignment_id}/")
    settled(page)
    for _ in range(20):
        page.keyboard.press("j")
        if page.evaluate("String(getSelection())") == sentence:
            return
    pytest.fail("j never comes to the caption")


NAMES = "boxes => boxes.map((box) => box.labels[0].querySelector('span').childNodes[2].data.trim())"


def chosen(page) -> list[str]:
    return page.locator("[data-field=type_1] input:checked").evaluate_all(
        "options => options.map((option) => option.value)"
    )


def test_every_kind_is_one_letter_away_while_its_list_has_the_focus(open_page):
    alice = annotating.annotator("alice")
    page = open_page(alice)
    page.goto(f"/annotate/{annotating.draft(alice).assignment_id}/")
    settled(page)
    page.locator("[data-field=validity] input[value=Valid]").check()
    options = page.locator("[data-field=type_1] input[name=type_1]")
    page.locator("[data-step-link=types]").press("Enter")
    expect(options.first).to_be_focused()
    values = options.evaluate_all("options => options.map((option) => option.value)")
    letters = options.evaluate_all("options => options.map((option) => option.ariaKeyShortcuts)")
    assert len(set(letters)) == len(values) == 17
    for letter in letters:
        page.keyboard.press(letter)
    assert chosen(page) == values
    page.keyboard.press(letters[3])
    expect(options.nth(3)).to_be_focused()
    assert chosen(page) == [*values[:3], *values[4:]]
    by_name = dict(zip(options.evaluate_all(NAMES), letters, strict=True))
    assert [by_name[name] for name in ("Date or time", "Location", "Number")] == ["d", "l", "n"]
    assert [by_name[name] for name in ("Organization", "Person", "Law")] == ["o", "p", "a"]
    page.keyboard.press("Enter")
    types = page.locator("[data-field=type_2] input[name=type_2]")
    expect(types.first).to_be_focused()
    page.keyboard.press("2")
    expect(types.nth(1)).to_be_checked()
    page.keyboard.press("Alt+n")
    expect(page.locator("[name=questions-0-question]")).to_be_focused()


def test_the_kinds_have_no_letters_where_single_keys_are_off(open_page):
    alice = annotating.annotator("alice")
    alice.shortcuts = False
    alice.save()
    page = open_page(alice)
    page.goto(f"/annotate/{annotating.draft(alice).assignment_id}/")
    settled(page)
    page.locator("[data-field=validity] input[value=Valid]").check()
    page.locator("[data-step-link=types]").press("Enter")
    page.keyboard.press("b")
    assert chosen(page) == []
