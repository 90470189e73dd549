"""The adjudicator's form and the warm-up by keys."""

import pytest
from playwright.sync_api import expect

from accounts.roles import Role
from judging import studies, verdicts
from judging.models import GoldVerdict, Resolution, Study
from tests.browser.conftest import sign_in
from tests.factories import person
from tests.judging import factories as make
from tests.judging.test_warmup import source  # noqa: F401 a fixture, used by name
from tests.judging.test_warmup import study as with_warm_up  # noqa: F401 a fixture, used by name

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def item():
    study = make.open_study(
        drawn_from=make.finished_run(
            instances=1, prompts=["both-passages"], models=make.MODEL_IDS[:1]
        )
    )
    for name, verdict in (("alice", "correct"), ("bob", "incorrect")):
        verdicts.give(make.slots(study, make.judge(name))[0], verdict)
    studies.close_study(study)
    return study.items.get()


def test_a_decision_by_keys(open_page, item):
    page = open_page(person("charlie", Role.ADJUDICATOR))
    page.goto(f"/resolve/items/{item.pk}/")
    page.keyboard.press("2")
    page.keyboard.press("Tab")
    expect(page.get_by_label("A judge slipped")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("The criteria leave it open")).to_be_checked()
    page.get_by_label("Note").fill("It leans: see 1, 2 and 3.")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**/resolve/{item.study_id}/")
    made = Resolution.objects.get()
    assert (made.verdict, made.cause, made.note) == (
        "partially correct",
        "criteria",
        "It leans: see 1, 2 and 3.",
    )


def test_a_decision_made_while_signed_out_is_sent_again(open_page, watch, item):
    watch.expect("403 (Forbidden)")
    charlie = person("charlie", Role.ADJUDICATOR)
    page = open_page(charlie)
    page.goto(f"/resolve/items/{item.pk}/")
    page.get_by_label("Incorrect").check()
    page.get_by_label("A judge slipped").check()
    page.get_by_label("Note").fill("First line.\nSecond line.")
    page.context.clear_cookies()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("You are signed out, so nothing was changed")).to_be_visible()
    expect(page.get_by_role("link", name="Sign in in another tab")).to_be_visible()
    sign_in(page, charlie)
    page.get_by_role("button", name="Send it again").click()
    page.wait_for_url(f"**/resolve/{item.study_id}/")
    expect(page.get_by_text("Decided.")).to_be_visible()
    made = Resolution.objects.get()
    assert (made.verdict, made.cause) == ("incorrect", "slip")
    assert made.note.splitlines() == ["First line.", "Second line."]


def test_a_form_that_was_open_during_a_new_sign_in_is_sent_with_the_new_token(open_page, item):
    charlie = person("charlie", Role.ADJUDICATOR)
    page = open_page(charlie)
    page.goto(f"/resolve/items/{item.pk}/")
    page.context.clear_cookies()
    sign_in(page, charlie)
    page.context.new_page().goto("/")  # which has a token of its own
    page.get_by_label("Incorrect").check()
    page.get_by_label("A judge slipped").check()
    page.get_by_role("button", name="Decide").click()
    page.wait_for_url(f"**/resolve/{item.study_id}/")
    assert Resolution.objects.get().verdict == "incorrect"


def test_a_discussion_by_keys(open_page):
    study = make.open_study(
        drawn_from=make.finished_run(
            instances=1, prompts=["both-passages"], models=make.MODEL_IDS[:1]
        ),
        resolved_by="discussion",
    )
    for name, verdict in (("alice", "correct"), ("bob", "incorrect")):
        make.hand_in(study, name, verdict)
    slots = [make.slots(study, make.judge(name))[0].pk for name in ("alice", "bob")]
    page = open_page(make.judge("alice"), width=1366, height=768)
    page.goto(f"/judge/discussions/{slots[0]}/")
    for n in range(3):  # however much the two have written
        propose = page.get_by_role("button", name="Propose and sign").last
        expect(propose).to_be_in_viewport(ratio=1)
        page.keyboard.press("c")
        page.keyboard.type(f"{n}: " + "What the criteria say of this. " * 20)
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text(f"{n}: What")).to_be_visible()
    page.keyboard.press("c")
    page.keyboard.type("12: I read it so.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("I read it so.")).to_be_visible()
    page.keyboard.press("3")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**/judge/{study.pk}/")
    other = open_page(make.judge("bob"))
    other.goto(f"/judge/discussions/{slots[1]}/")
    other.keyboard.press("y")
    other.wait_for_url(f"**/judge/{study.pk}/")
    assert (Resolution.objects.get().how, Resolution.objects.get().verdict) == (
        "discussed",
        "incorrect",
    )


@pytest.mark.usefixtures("with_warm_up")
def test_the_warm_up_by_keys(open_page):
    page = open_page(make.judge("alice"))
    page.goto(f"/judge/{Study.objects.latest('pk').pk}/next/")
    for place, key in enumerate("1232", 1):
        page.wait_for_url(f"**/warm-up/{place}/")
        page.keyboard.press(key)
        expect(page.get_by_role("status")).to_contain_text("The final verdict")
        expect(page.get_by_role("link", name="Next")).to_be_focused()
        page.keyboard.press("Enter")
    page.wait_for_url("**/judge/slots/*/")
    given = GoldVerdict.objects.order_by("pk").values_list("verdict", flat=True)
    assert list(given) == ["correct", "partially correct", "incorrect", "partially correct"]
