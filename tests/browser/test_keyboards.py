"""Single keys on keyboards of other layouts and scripts, and keys that an input method has taken."""

from itertools import count

import pytest
from django.templatetags.static import static
from playwright.sync_api import expect

from annotation.models import Annotation
from judging.models import Judgment
from tests.annotation import factories as annotating
from tests.browser.conftest import settled, sign_in
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db(transaction=True)

PRESS = """
([key, code, more]) => document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true, ...more }))
"""
# The names that are commands, for each press.
COMMANDS = "abcdefghijklmnopqrstuvwxyz0123456789/?[]"
NAMES = """
async ([address, commands, presses]) => {
  const { namesOf } = await import(address);
  return presses.map(([key, code, more = {}]) => namesOf(new KeyboardEvent("keydown", { key, code, ...more }))
    .find((name) => name.includes("+") || commands.includes(name)) ?? "-");
}
"""
CAPTIONS = """
async ([address, layout, names]) => {
  Object.defineProperty(navigator, "keyboard", {
    configurable: true, value: layout && { getLayoutMap: async () => new Map(Object.entries(layout)) } });
  const { layoutNow, captionOf } = await import(address);
  const found = await layoutNow();
  return found && names.map((name) => captionOf(name, found));
}
"""
SHIFT, ALT, CONTROL = {"shiftKey": True}, {"altKey": True}, {"ctrlKey": True}
ALTGR = {"modifierAltGraph": True, "ctrlKey": True, "altKey": True}
AZERTY = {"Digit1": "&", "Digit2": "é", "KeyQ": "a", "KeyJ": "j", "KeyN": "n", "Semicolon": "m"}
QWERTY = {"Digit1": "1", "Digit2": "2", "KeyQ": "q", "KeyJ": "j", "KeyN": "n", "Comma": ","}


def press(page, key, code, **more):
    page.evaluate(PRESS, [key, code, more])


@pytest.fixture(scope="module")
def scripted(browser, live_server):
    """A page of the site on which modules can be tried, without signing in."""
    page = browser.new_page()
    page.goto(live_server.url + "/sign-in/")
    yield page
    page.close()


TIMES = count()


def fresh(name):
    """The module's address, each time another: what it learnt of a keyboard is forgotten."""
    return f"{static(f'js/keys/{name}.js')}?{next(TIMES)}"


KEYBOARDS = {
    "latin": (
        [("j", "KeyJ"), ("J", "KeyJ", SHIFT), ("/", "Slash"), ("?", "Slash", SHIFT)],
        "j j / ?",
    ),
    "cyrillic": ([("о", "KeyJ"), ("О", "KeyJ", SHIFT), ("ч", "KeyX"), ("1", "Digit1")], "j j x 1"),
    "greek": ([("ξ", "KeyJ"), ("ν", "KeyN"), (";", "KeyQ"), ("/", "Slash")], "j n q /"),
    "arabic": ([("ت", "KeyJ"), ("لا", "KeyB"), ("َ", "KeyQ", SHIFT), ("١", "Digit1")], "j b q 1"),
    "arabic signs": (
        [("ظ", "Slash"), ("؟", "Slash", SHIFT), ("ج", "BracketLeft"), ("د", "BracketRight")],
        "/ ? [ ]",
    ),
    "hebrew": ([("ח", "KeyJ"), ("/", "KeyQ"), ("'", "KeyW"), (".", "Slash")], "j q w /"),
    "hebrew's first": ([("'", "KeyW"), ("ח", "KeyJ")], "w j"),
    "russian signs": (
        [
            ("х", "BracketLeft"),
            ("ъ", "BracketRight"),
            (".", "Slash"),
            (",", "Slash", SHIFT),
            ("?", "Digit7", SHIFT),
        ],
        "[ ] / ? ?",
    ),
    "azerty": ([("a", "KeyQ"), ("&", "Digit1"), ("é", "Digit2"), ("m", "Semicolon")], "a 1 2 m"),
    "azerty shift": (
        [("1", "Digit1", SHIFT), ("a", "KeyQ"), (",", "KeyM"), ("?", "KeyM", SHIFT)],
        "1 a - ?",
    ),
    "dvorak": ([("n", "KeyL"), (",", "KeyW"), (".", "KeyE"), ("/", "BracketLeft")], "n - - /"),
    "german": (
        [("z", "KeyY"), ("ö", "Semicolon"), ("ü", "BracketLeft"), ("-", "Slash")],
        "z - - -",
    ),
    "shifted digits": ([("!", "Digit1", SHIFT), ("/", "Digit7", SHIFT)], "- /"),
    "number pad": ([("1", "Numpad1"), ("End", "Numpad1")], "1 -"),
    "third level": ([("[", "Digit8", ALTGR), ("[", "Digit5", ALT), ("ń", "KeyN", ALTGR)], "[ [ -"),
    "alt": ([("n", "KeyL", ALT), ("Dead", "KeyN", ALT), ("т", "KeyN", ALT)], "Alt+N Alt+N Alt+N"),
    "control": ([("Enter", "Enter", CONTROL), ("c", "KeyC", CONTROL)], "Ctrl+Enter -"),
}


@pytest.mark.parametrize(("presses", "expected"), KEYBOARDS.values(), ids=KEYBOARDS)
def test_a_press_means_its_latin_letter_or_its_place(scripted, presses, expected):
    found = scripted.evaluate(NAMES, [fresh("hotkeys"), COMMANDS, presses])
    assert " ".join(found) == expected


@pytest.mark.parametrize(
    ("layout", "captions"),
    [
        (None, None),
        (QWERTY, [None, None, None, None]),
        (AZERTY, ["&", None, None, None]),
        ({"Digit1": "1", "KeyJ": "о", "KeyN": "т"}, [None, "о", "Alt+Т", None]),
    ],
)
def test_what_is_on_the_key(scripted, layout, captions):
    names = ["1", "j", "Alt+N", "Escape"]
    assert scripted.evaluate(CAPTIONS, [fresh("layout"), layout, names]) == captions


@pytest.fixture
def judge_page(page):
    study = judging.open_study(drawn_from=judging.finished_run(instances=2))
    alice = judging.judge("alice")
    judging.slots(study, alice)
    sign_in(page, alice)
    page.goto(f"/judge/{study.pk}/next/")
    page.wait_for_selector("judge-desk[data-ahead]")
    return page


@pytest.mark.parametrize(
    ("key", "code", "more"),
    [("&", "Digit1", {}), ("1", "Digit1", SHIFT), ("١", "Digit1", {}), ("1", "Numpad1", {})],
)
def test_a_verdict_by_a_digit_of_any_keyboard(judge_page, key, code, more):
    press(judge_page, key, code, **more)
    judge_page.wait_for_selector('#judging-state[data-state="saved"]')
    assert Judgment.objects.get().verdict == "correct"


def test_keys_of_an_input_method_are_its_own(judge_page):
    press(judge_page, "1", "Digit1", keyCode=229)
    press(judge_page, "1", "Digit1", isComposing=True)
    press(judge_page, "с", "KeyC")  # Cyrillic: the comment
    expect(judge_page.locator("[data-part=comment]").first).to_be_focused()
    assert not Judgment.objects.exists()


def test_the_sheet_shows_the_keys_of_this_keyboard(page):
    page.add_init_script(
        """Object.defineProperty(navigator, "keyboard", { value: { getLayoutMap: async () =>
        new Map(Object.entries({ Digit1: "&", Digit2: "é", KeyJ: "о", KeyN: "т" })) } })"""
    )
    alice = annotating.annotator("alice")
    draft = annotating.draft(alice)
    sign_in(page, alice)
    page.goto(f"/annotate/{draft.assignment_id}/")
    settled(page)
    press(page, "؟", "Slash", **SHIFT)
    sheet = page.get_by_role("dialog", name="Keys")
    expect(sheet).to_contain_text("Alt+Т")  # The captions come with a script of their own.
    caps = [" ".join(words.split()) for words in sheet.locator("dt").all_inner_texts()]
    assert {"о j", "& 1", "é 2", "т n", "Alt+Т Alt+N", "/", "Escape"} <= set(caps)


@pytest.mark.parametrize(
    ("replacing", "adding"),
    [
        (("2", "Digit2", {}), ("4", "Digit4", {})),
        (("é", "Digit2", {}), ("'", "Digit4", {})),
        (("2", "Digit2", SHIFT), ("4", "Digit4", SHIFT)),  # as one types digits on AZERTY
        (("2", "Digit2", {}), ("4", "Numpad4", {})),
    ],
    ids=["qwerty and cyrillic", "azerty", "azerty with shift", "number pad"],
)
def test_a_passage_is_replaced_and_added_to_on_any_keyboard(page, replacing, adding):
    alice = annotating.annotator("alice")
    sign_in(page, alice)
    page.goto(f"/annotate/{annotating.draft(alice).assignment_id}/")
    settled(page)
    page.locator("[name=validity]").first.check()
    taken = []
    for key, code, more in (replacing, replacing, adding):
        press(page, "о", "KeyJ")
        taken.append(page.evaluate("document.getSelection().toString()").split("[")[0].strip())
        press(page, key, code, **more)
    expect(page.locator("[name=passage_2_copied]")).to_have_value("\n".join(taken[1:]))


def test_an_annotation_by_cyrillic_keys(page):
    alice = annotating.annotator("alice")
    draft = annotating.draft(alice)
    sign_in(page, alice)
    page.goto(f"/annotate/{draft.assignment_id}/")
    settled(page)
    page.locator("[name=validity]").first.check()
    press(page, "п", "KeyG")
    expect(
        page.locator(".guideline-drawer:popover-open, [id^=guideline-]:popover-open")
    ).to_be_visible()
    press(page, "о", "KeyJ")
    assert page.evaluate("document.getSelection().toString()")
    press(page, "1", "Digit1")
    expect(page.locator("[name=passage_1_copied]")).not_to_have_value("")
    assert Annotation.objects.count() == 1
