"""The judging page in a real browser: keys, speed, undo, a network that fails, a reload."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from judging import rubric_versions, verdicts
from judging.models import JudgingSlot, Judgment
from tests.browser.conftest import intercept, sign_in
from tests.judging import declared
from tests.judging import factories as make

pytestmark = pytest.mark.django_db(transaction=True)

KEYS = {"1": "correct", "2": "partially correct", "3": "incorrect"}


@pytest.fixture
def study():
    return make.open_study(drawn_from=make.finished_run(instances=5))


@pytest.fixture
def alice(study):
    return make.judge("alice")


@pytest.fixture
def slots(study, alice):
    return make.slots(study, alice)


@pytest.fixture
def desk(page, study, alice, slots):
    """The page at the first item, with the next ones prefetched."""
    sign_in(page, alice)
    page.goto(f"/judge/{study.pk}/next/")
    page.wait_for_selector('judge-desk[data-ahead="20"]')
    return page


def shown(page) -> str:
    return page.locator("article[data-slot]").get_attribute("data-slot")


def wait_for(page, slot) -> None:
    page.wait_for_selector(f'article[data-slot="{slot.pk}"]')


def wait_until_saved(page) -> None:
    page.wait_for_selector('#judging-state[data-state="saved"]')


def wait_until_refused(page) -> None:
    """The last entry of an item was not stored: the page says only that."""
    page.wait_for_selector('#judging-state[data-state="unsaved"]')
    words = page.locator("#judging-state").inner_text()
    assert words == "Not saved: 1 entry. The reason is shown below."


def stored():
    return {str(slot): verdict for slot, verdict in Judgment.objects.values_list("slot", "verdict")}


def test_twenty_quick_keys_are_twenty_verdicts_on_the_right_items(desk, slots):
    keys = ["1", "2", "3", "1", "1"] * 4
    for key in keys:
        desk.keyboard.press(key)
    wait_until_saved(desk)
    assert stored() == {str(slot.pk): KEYS[key] for slot, key in zip(slots, keys, strict=False)}
    assert shown(desk) == str(slots[20].pk)
    assert desk.locator(".progress-words").inner_text() == "Judged or skipped: 20 of 30"
    assert all(slot.events.count() == 1 for slot in slots[:20])


def press_at_once(page, choice) -> None:
    """Both presses of a double click, where the first one is."""
    choice.scroll_into_view_if_needed()
    box = choice.bounding_box()
    page.mouse.dblclick(box["x"] + 5, box["y"] + 5)


def test_a_double_click_is_one_verdict(desk, slots):
    press_at_once(desk, desk.get_by_role("button", name="Incorrect"))
    wait_for(desk, slots[1])
    expect(desk.locator(".judging-question")).to_be_focused()
    desk.keyboard.press("Enter")
    expect(desk.locator("#judging-state")).to_contain_text("Give a verdict first.")
    wait_until_saved(desk)
    assert stored() == {str(slots[0].pk): "incorrect"}
    desk.keyboard.press("1")
    expect(desk.locator("#judging-state")).to_contain_text("Item 2: Correct.")
    desk.keyboard.press("2")
    wait_until_saved(desk)
    press_at_once(desk, desk.get_by_role("button", name="Undo"))
    wait_for(desk, slots[2])
    wait_until_saved(desk)
    assert stored() == {str(slots[0].pk): "incorrect", str(slots[1].pk): "correct"}


def test_a_double_tap_is_one_verdict(open_page, study, alice, slots):
    page = open_page(alice, width=400, height=2400, has_touch=True)
    page.goto(f"/judge/slots/{slots[0].pk}/")
    page.wait_for_selector('judge-desk[data-ahead="20"]')
    choice = page.get_by_role("button", name="Incorrect")
    choice.scroll_into_view_if_needed()
    box = choice.bounding_box()
    for _ in range(2):
        page.touchscreen.tap(box["x"] + 5, box["y"] + 5)
    wait_until_saved(page)
    assert stored() == {str(slots[0].pk): "incorrect"}


# A key and a tap that began when the page was loaded, so before the item that is shown came.
EARLY_PRESSES = """choice => {
  const early = (target, event) => {
    Object.defineProperty(event, "timeStamp", { value: 0 });
    target.dispatchEvent(event);
  };
  const said = { bubbles: true, cancelable: true };
  early(document.body, new KeyboardEvent("keydown", { key: "3", ...said }));
  early(choice, new PointerEvent("pointerdown", { pointerId: 7, ...said }));
  choice.dispatchEvent(new PointerEvent("click", { pointerId: 7, detail: 1, ...said }));
}"""


def test_a_press_from_before_the_item_was_shown_counts_for_nothing(desk, slots):
    desk.keyboard.press("1")
    wait_for(desk, slots[1])
    desk.get_by_role("button", name="Incorrect").evaluate(EARLY_PRESSES)
    assert shown(desk) == str(slots[1].pk)
    desk.keyboard.press("2")
    wait_until_saved(desk)
    assert stored() == {str(slots[0].pk): "correct", str(slots[1].pk): "partially correct"}


# From a key's press to the frame after the next item is in the page.
STOPWATCH = """
window.taken = [];
const slot = () => document.querySelector("article[data-slot]")?.dataset.slot;
let pressed = 0, last = slot();
addEventListener("keydown", () => { pressed = performance.now(); }, true);
new MutationObserver(() => {
  if (slot() === last) return;
  last = slot();
  const began = pressed;
  requestAnimationFrame(() => setTimeout(() => window.taken.push(performance.now() - began)));
}).observe(document.body, { childList: true, subtree: true, attributes: true });
"""


def test_with_300_ms_of_latency_the_next_item_waits_for_no_answer(desk, slots):
    """Prints how long one waits for the next item (pytest -s)."""
    slow = {"offline": False, "latency": 300, "downloadThroughput": -1, "uploadThroughput": -1}
    desk.context.new_cdp_session(desk).send("Network.emulateNetworkConditions", slow)
    desk.evaluate(STOPWATCH)
    keys = ["1", "2", "3", "1", "1"] * 4
    for n, key in enumerate(keys, 1):
        desk.keyboard.press(key)
        desk.wait_for_function(f"() => window.taken.length >= {n}")
        assert shown(desk) == str(slots[n].pk)
    taken = sorted(desk.evaluate("window.taken"))
    assert len(stored()) < len(keys), "the answers of the server were not late"
    wait_until_saved(desk)
    assert stored() == {str(slot.pk): KEYS[key] for slot, key in zip(slots, keys, strict=False)}
    print(
        f"next item after {taken[10]:.0f} ms (median), {taken[18]:.0f} ms (p95), n = {len(taken)}"
    )


def test_the_next_item_comes_before_the_server_has_answered(desk, slots):
    held, answering = [], []
    intercept(desk, "**/verdict/", lambda r: r.continue_() if answering else held.append(r))
    for _ in range(10):
        desk.keyboard.press("1")
    assert shown(desk) == str(slots[10].pk)
    assert stored() == {}
    answering.append(True)
    held[0].continue_()
    wait_until_saved(desk)
    assert set(stored()) == {str(slot.pk) for slot in slots[:10]}


def test_the_address_follows_and_a_reload_lands_on_the_item(desk, slots):
    desk.keyboard.press("1")
    wait_for(desk, slots[1])
    wait_until_saved(desk)
    assert desk.url.endswith(f"/judge/slots/{slots[1].pk}/")
    desk.reload()
    assert shown(desk) == str(slots[1].pk)


def test_undo_takes_back_the_last_ten(desk, slots):
    for _ in range(10):
        desk.keyboard.press("3")
    for _ in range(10):
        desk.keyboard.press("u")
    wait_until_saved(desk)
    assert stored() == {}
    assert shown(desk) == str(slots[0].pk)
    desk.keyboard.press("1")
    wait_for(desk, slots[1])
    wait_until_saved(desk)
    assert stored() == {str(slots[0].pk): "correct"}


def test_undo_reaches_verdicts_from_before_a_reload(desk, slots):
    desk.keyboard.press("c")
    desk.keyboard.type("A long thought.")
    desk.keyboard.press("Escape")
    desk.keyboard.press("2")
    wait_for(desk, slots[1])
    wait_until_saved(desk)
    desk.reload()
    desk.keyboard.press("u")
    wait_for(desk, slots[0])
    assert desk.get_by_label("Comment").input_value() == "A long thought."
    assert stored() == {}


def test_the_time_before_an_undo_is_counted_too(page, study, alice, slots):
    sign_in(page, alice)
    page.clock.install()
    page.goto(f"/judge/{study.pk}/next/")
    page.wait_for_selector('judge-desk[data-ahead="20"]')
    page.clock.run_for(40_000)
    for key, at in (("1", slots[1]), ("u", slots[0]), ("2", slots[1])):
        page.keyboard.press(key)
        wait_for(page, at)
    wait_until_saved(page)
    assert Judgment.objects.get().seconds >= 40


def test_undo_at_the_first_item_stays_on_the_page(desk, slots):
    desk.get_by_label("Comment").fill("Half a thought")
    desk.locator("h1").click()
    desk.keyboard.press("u")
    assert "no verdict to take back" in desk.locator("#judging-state").inner_text()
    assert shown(desk) == str(slots[0].pk)
    assert desk.get_by_label("Comment").input_value() == "Half a thought"


def second_tab(desk, slots):
    """In the other tab the first item has a verdict; this one was opened before and gives another, with a comment."""
    verdicts.give(slots[0], "correct", comment="First.")
    desk.keyboard.press("c")
    desk.keyboard.type("Second.")
    desk.keyboard.press("Escape")
    desk.keyboard.press("3")
    wait_for(desk, slots[1])
    both = desk.locator('[data-part="both"]')
    both.locator("h2").wait_for()
    wait_until_refused(desk)
    return both


def test_two_tabs_show_both_verdicts_and_this_ones_can_be_stored(desk, watch, slots):
    watch.expect("412 (Precondition Failed)")
    both = second_tab(desk, slots)
    for words in ("Correct", "First.", "Incorrect", "Second."):
        assert words in both.inner_text()
    assert stored() == {str(slots[0].pk): "correct"}
    desk.reload()
    assert "Second." in both.inner_text()  # a reload loses neither
    wait_until_refused(desk)
    both.get_by_role("button", name="Store what I chose here").click()
    both.wait_for(state="hidden")
    wait_until_saved(desk)
    assert stored() == {str(slots[0].pk): "incorrect"}


def test_two_tabs_show_both_verdicts_and_the_stored_one_can_be_kept(desk, watch, slots):
    watch.expect("412 (Precondition Failed)")
    both = second_tab(desk, slots)
    both.get_by_role("button", name="Keep what is stored").click()
    both.wait_for(state="hidden")
    assert stored() == {str(slots[0].pk): "correct"}
    desk.keyboard.press("2")  # goes on
    wait_for(desk, slots[2])
    wait_until_saved(desk)
    assert stored()[str(slots[1].pk)] == "partially correct"


def test_who_signs_in_next_in_a_tab_sees_nothing_of_the_one_before(desk, watch, study, slots):
    watch.expect("412 (Precondition Failed)")
    watch.expect("net::ERR_FAILED")
    second_tab(desk, slots)
    intercept(desk, "**/verdict/", lambda route: route.abort())
    desk.keyboard.press("1")
    desk.wait_for_selector('#judging-state[data-state="unreachable"]')
    wait_for(desk, slots[2])
    desk.get_by_label("Comment").fill("What Alice thinks.")
    bob = study.judges.get(person=make.judge("bob"))
    bob.slots.all().delete()
    JudgingSlot.objects.filter(pk=slots[2].pk).update(judge=bob)
    desk.on("dialog", lambda dialog: dialog.accept())
    sign_in(desk, bob.person)
    desk.goto(f"/judge/slots/{slots[2].pk}/")
    assert desk.locator('[data-part="both"]').is_hidden()
    assert desk.get_by_label("Comment").input_value() == ""
    assert desk.locator("#judging-state").inner_text() == ""
    assert stored() == {str(slots[0].pk): "correct"}


def test_two_tabs_without_script(open_page, watch, study, alice, slots):
    watch.expect("412 (Precondition Failed)")
    page = open_page(alice, java_script_enabled=False)
    page.goto(f"/judge/slots/{slots[0].pk}/")
    verdicts.give(slots[0], "correct", comment="First.")
    page.get_by_role("button", name="Incorrect").click()
    assert "Two entries for one item" in page.locator(".judging-both").inner_text()
    page.get_by_role("button", name="Store what I chose here").click()
    assert page.url.endswith(f"/judge/slots/{slots[1].pk}/")
    assert stored() == {str(slots[0].pk): "incorrect"}


def test_keys_do_nothing_while_a_text_field_has_the_focus(desk, slots):
    desk.get_by_label("Comment").click()
    desk.keyboard.type("123 u? csf")
    assert shown(desk) == str(slots[0].pk)
    assert desk.get_by_label("Comment").input_value() == "123 u? csf"
    assert not desk.locator("dialog").is_visible()
    assert JudgingSlot.objects.filter(state="judged").count() == 0


def test_a_comment_goes_with_its_verdict(desk, slots):
    desk.keyboard.press("c")
    desk.keyboard.type("Leans to the second.")
    desk.keyboard.press("Control+Enter")  # no verdict yet: leaves the field with a message
    assert "Give a verdict first" in desk.locator("#judging-state").inner_text()
    desk.keyboard.press("2")
    wait_for(desk, slots[1])
    wait_until_saved(desk)
    judgment = Judgment.objects.get()
    assert (judgment.verdict, judgment.comment) == ("partially correct", "Leans to the second.")
    assert judgment.seconds is not None
    assert desk.get_by_label("Comment").input_value() == ""


def test_an_unsent_comment_survives_a_reload(desk, slots):
    desk.get_by_label("Comment").fill("Half written")
    desk.reload()
    assert desk.get_by_label("Comment").input_value() == "Half written"


def test_enter_goes_on_from_an_item_that_has_a_verdict(desk, study, alice, slots):
    verdicts.give(slots[0], "incorrect", comment="First.")
    desk.goto(f"/judge/slots/{slots[0].pk}/")
    desk.get_by_label("Comment").fill("Second.")
    desk.keyboard.press("Control+Enter")
    wait_for(desk, slots[1])
    wait_until_saved(desk)
    judgment = Judgment.objects.get()
    assert (judgment.verdict, judgment.comment) == ("incorrect", "Second.")
    desk.keyboard.press("Enter")  # this one has no verdict yet
    assert shown(desk) == str(slots[1].pk)


def test_skip_and_flag_by_keys(desk, slots):
    desk.keyboard.press("f")
    desk.keyboard.type("Look at this.")
    desk.keyboard.press("Control+Enter")
    assert "Flagged." in desk.locator("#judging-state").inner_text()
    desk.keyboard.press("Escape")
    desk.keyboard.press("s")
    desk.keyboard.press("Control+Enter")
    assert "Write why" in desk.locator("#judging-state").inner_text()
    desk.keyboard.type("The passage is cut.")
    desk.keyboard.press("Control+Enter")
    wait_for(desk, slots[1])
    wait_until_saved(desk)
    slots[0].refresh_from_db()
    assert (slots[0].state, slots[0].skip_reason) == ("skipped", "The passage is cut.")
    assert (slots[0].flagged, slots[0].flag_note) == (True, "Look at this.")


def test_without_network_verdicts_wait_and_are_all_sent(desk, watch, slots):
    watch.expect("ERR_INTERNET_DISCONNECTED")
    desk.context.set_offline(True)
    for key in "123":
        desk.keyboard.press(key)
    desk.wait_for_selector('#judging-state[data-state="unreachable"]')
    assert "3 of your entries wait here" in desk.locator("#judging-state").inner_text()
    assert stored() == {}
    desk.context.set_offline(False)
    wait_until_saved(desk)
    assert stored() == {str(slot.pk): KEYS[key] for slot, key in zip(slots, "123", strict=False)}


def test_what_waited_is_sent_after_a_reload(desk, watch, slots):
    watch.expect("net::ERR_FAILED")
    intercept(desk, "**/verdict/", lambda route: route.abort())
    desk.keyboard.press("1")
    desk.keyboard.press("3")
    desk.wait_for_selector('#judging-state[data-state="unreachable"]')
    desk.on("dialog", lambda dialog: dialog.accept())
    desk.unroute("**/verdict/")
    with desk.expect_response("**/next/"):  # the page starts anew once all is sent
        desk.reload()
    wait_for(desk, slots[2])
    assert stored() == {str(slots[0].pk): "correct", str(slots[1].pk): "incorrect"}


def test_a_verdict_that_is_refused_says_which(desk, watch, study, alice, slots):
    watch.expect("409 (Conflict)")
    for slot in slots:
        verdicts.give(slot, "correct")
    verdicts.hand_in(alice, study)
    desk.keyboard.press("3")
    trouble = desk.locator('[data-part="trouble"]')
    trouble.wait_for()
    assert "“Item 1: Incorrect” was not stored: This item is closed" in trouble.inner_text()
    wait_until_refused(desk)
    assert set(stored().values()) == {"correct"}


def test_after_a_refused_verdict_the_page_never_says_saved(desk, watch, slots):
    watch.expect("409 (Conflict)")
    JudgingSlot.objects.filter(pk=slots[0].pk).update(state="withdrawn")
    desk.keyboard.press("3")
    wait_until_refused(desk)
    desk.keyboard.press("1")
    desk.wait_for_selector('#judging-state:has-text("Correct.")')
    wait_for(desk, slots[2])
    desk.keyboard.press("u")
    desk.wait_for_selector('#judging-state:has-text("Undone.")')
    desk.wait_for_selector('#judging-state[data-state="unsaved"]')
    assert "Saved" not in desk.locator("#judging-state").inner_text()


def test_what_is_refused_after_a_reload_is_said(desk, watch, slots):
    watch.expect("net::ERR_FAILED")
    watch.expect("409 (Conflict)")
    intercept(desk, "**/verdict/", lambda route: route.abort())
    desk.keyboard.press("1")
    desk.wait_for_selector('#judging-state[data-state="unreachable"]')
    JudgingSlot.objects.filter(pk=slots[0].pk).update(state="withdrawn")
    desk.on("dialog", lambda dialog: dialog.accept())
    desk.unroute("**/verdict/")
    desk.reload()
    wait_until_refused(desk)
    assert "was not stored" in desk.locator('[data-part="trouble"]').inner_text()


@pytest.mark.parametrize(
    ("lost", "answer"),
    [("sicetnon_session", "401"), ("sicetnon_csrf", "403"), (re.compile("sicetnon_"), "401")],
)
def test_signed_out_in_between_nothing_is_lost(desk, watch, alice, slots, lost, answer):
    watch.expect(answer)
    cookies = desk.context.cookies()
    desk.context.clear_cookies(name=lost)
    desk.keyboard.press("1")
    desk.wait_for_selector('#judging-state[data-state="signed_out"]')
    expect(desk.locator("#judging-state")).to_contain_text(
        "Item 1: Correct. You are signed out. Sign in"
    )
    expect(desk.get_by_role("link", name="Sign in in another tab")).to_be_visible()
    desk.context.add_cookies(cookies)
    wait_until_saved(desk)
    assert stored() == {str(slots[0].pk): "correct"}


def test_the_last_item_leads_to_the_overview(desk, study, slots):
    for slot in slots[:-1]:
        verdicts.give(slot, "correct")
    desk.goto(f"/judge/{study.pk}/next/")
    desk.keyboard.press("1")
    desk.wait_for_url(f"**/judge/{study.pk}/")
    assert desk.get_by_text("Hand in", exact=True).is_visible()
    assert len(stored()) == 30


def test_the_sheet_of_keys_is_made_from_the_registry(desk, slots):
    desk.keyboard.press("?")
    sheet = desk.locator("dialog")
    sheet.wait_for()
    for words in ("Correct", "Partially correct", "Incorrect", "Undo the last verdict"):
        assert words in sheet.inner_text()
    desk.keyboard.press("1")
    desk.keyboard.press("Escape")
    assert not sheet.is_visible()
    assert shown(desk) == str(slots[0].pk)


def test_keys_are_those_of_the_item_that_is_shown(page):
    rubric = rubric_versions.current()
    body = {**rubric.body, "prompts": {**rubric.body["prompts"]}}
    body["prompts"]["passage-1"] = {**body["prompts"]["passage-1"], "unusual": {}}
    version = rubric_versions.save(body, newest=1, by=make.judge("eve"))
    run = make.finished_run(5, prompts=["passage-1", "both-passages"], models=make.MODEL_IDS[:1])
    study = make.open_study(drawn_from=run, rubric=version)
    slots = make.slots(study, make.judge("alice"))
    prompts = [slot.item.response.prompt for slot in slots]
    two, three = next(
        both
        for n, both in enumerate(pairwise(slots))
        if prompts[n : n + 2] == ["passage-1", "both-passages"]
    )
    sign_in(page, make.judge("alice"))
    page.goto(f"/judge/slots/{two.pk}/")
    page.wait_for_selector("judge-desk[data-ahead]")
    sheet = page.locator("dialog")
    page.keyboard.press("?")
    assert "Partially correct" not in sheet.inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    page.keyboard.press("2")
    wait_for(page, three)
    page.keyboard.press("?")
    assert "Partially correct" in sheet.inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    wait_until_saved(page)
    given = {str(slot.pk): "incorrect" for slot in (two, three)}
    for _ in range(50):
        if stored() == given:
            break
        page.wait_for_timeout(100)
    assert stored() == given


def test_shortcuts_can_be_switched_off(page, study, alice, slots):
    alice.shortcuts = False
    alice.save()
    sign_in(page, alice)
    page.goto(f"/judge/{study.pk}/next/")
    page.keyboard.press("1")
    page.keyboard.press("?")
    assert shown(page) == str(slots[0].pk)
    assert not page.locator("dialog").is_visible()
    page.get_by_role("button", name="Incorrect").click()
    wait_for(page, slots[1])
    wait_until_saved(page)
    assert stored() == {str(slots[0].pk): "incorrect"}


@pytest.fixture
def pool(alice, slots):
    """An open pool of 24 responses: more than two hands."""
    drawn = make.run("pool")
    for n in range(101, 125):
        make.response(drawn, make.instance(n), "passage-1", make.language_model())
    return make.open_study(
        "alice", "bob", name="Pool", drawn_from=drawn, pairing="pool", judges_per_response=1
    )


def draw_a_hand(page, alice, pool):
    sign_in(page, alice)
    page.goto(f"/judge/{pool.pk}/")
    page.get_by_role("button", name="Draw the next responses").click()
    page.wait_for_selector('judge-desk[data-ahead="9"]')


def judge_places(page, places):
    for place in places:
        page.locator(".judging-place", has_text=re.compile(f"^Item {place + 1} of")).wait_for()
        page.keyboard.press("1")


def test_a_pool_is_drawn_while_one_judges(page, alice, pool):
    """More than a hand: the page draws ahead, so that keys never wait."""
    draw_a_hand(page, alice, pool)
    judge_places(page, range(24))
    page.wait_for_url(f"**/judge/{pool.pk}/")
    mine = JudgingSlot.objects.filter(round__study=pool, state="judged", judge__person=alice)
    assert mine.count() == 24


def test_a_hand_judged_before_its_verdicts_are_stored_is_not_the_end_of_a_pool(page, alice, pool):
    """The server draws nothing for a hand that it still knows as full."""
    page.route("**/verdict/", lambda route: None)
    draw_a_hand(page, alice, pool)
    with page.expect_response("**/coming/") as answer:
        judge_places(page, range(10))
    assert "data-slot" not in answer.value.text()
    page.get_by_text("Loading the next item…").wait_for()
    page.unroute("**/verdict/")  # lets what was held go, too
    judge_places(page, range(10, 12))


def test_it_works_without_script(open_page, study, alice, slots):
    page = open_page(alice, java_script_enabled=False)
    page.goto(f"/judge/{study.pk}/next/")
    page.get_by_label("Comment").fill("By hand.")
    page.get_by_role("button", name="Incorrect").click()
    assert page.url.endswith(f"/judge/slots/{slots[1].pk}/")
    judgment = Judgment.objects.get()
    assert (str(judgment.slot_id), judgment.verdict, judgment.comment) == (
        str(slots[0].pk),
        "incorrect",
        "By hand.",
    )
    page.get_by_role("button", name="Undo").click()
    assert page.get_by_label("Comment").input_value() == "By hand."


@pytest.mark.parametrize("dark", [False, True])
def test_no_sideways_scrolling_on_a_narrow_screen(open_page, study, alice, slots, dark):
    page = open_page(alice, width=320, dark=dark)
    for url in (f"/judge/slots/{slots[0].pk}/", f"/judge/{study.pk}/", "/judge/"):
        page.goto(url)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("size", [(1366, 768), (320, 640)], ids=["laptop", "phone"])
def test_a_text_next_to_fifty_passages_is_read_and_judged_by_keys(page, size):
    """Long ones, of which every third is right to left."""
    long = "The mill on the Quill was rebuilt after the flood, says the charter. " * 20
    texts = [long, "بُنيت الطاحونة بعد الفيضان. " * 20, long] * 17
    study = declared.many_passages(texts[:50], "alice")
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    sign_in(page, make.judge("alice"))
    page.goto(f"/judge/{study.pk}/next/")
    first = shown(page)
    passages = page.locator(".judging-passages .judging-text")
    directions = passages.evaluate_all("all => all.map((one) => getComputedStyle(one).direction)")
    assert directions == (["ltr", "rtl", "ltr"] * 17)[:50]
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0
    page.get_by_role("link", name="Text to judge").focus()
    page.keyboard.press("Enter")
    assert page.locator("#response").evaluate("one => one.getBoundingClientRect().top") < size[1]
    page.keyboard.press("1")
    page.wait_for_selector(f'article[data-slot]:not([data-slot="{first}"])')
    wait_until_saved(page)
    assert Judgment.objects.get().verdict == "yes"
