"""A press counts once: a double click's second press and a held Enter do nothing on the page that came meanwhile."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.roles import Role
from annotation.models import TagReview
from judging import discussing, studies, verdicts
from judging.models import Discussion, Resolution
from judging.states import DiscussionState
from tests.annotation import factories as annotating
from tests.browser.conftest import settled
from tests.factories import person
from tests.judging import factories as make
from tests.judging.test_warmup import source  # noqa: F401 a fixture, used by name
from tests.judging.test_warmup import study as with_warm_up  # noqa: F401 a fixture, used by name

pytestmark = pytest.mark.django_db(transaction=True)


def press_again(page, button) -> None:
    """The second press of a double click, whose first one led to this page."""
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)


def disputed(**design):
    """A study of two responses on which alice and bob differ, handed in by both."""
    study = make.open_study(
        drawn_from=make.finished_run(instances=1, prompts=["both-passages"]), **design
    )
    make.give_all(study, "alice", "correct")
    make.give_all(study, "bob", "incorrect")
    for name in ("alice", "bob"):
        verdicts.hand_in(make.judge(name), study)
    return study


def test_a_third_person_decides_once(open_page):
    study = disputed()
    studies.close_study(study)
    page = open_page(person("charlie", Role.ADJUDICATOR))
    page.goto(f"/resolve/{study.pk}/")
    page.get_by_role("link", name="Decide the first").click()
    page.get_by_label("Incorrect").check()
    page.get_by_label("A judge slipped").check()
    page.get_by_role("button", name="Decide").click()
    page.get_by_text("Decided.").wait_for()
    page.get_by_label("Incorrect").check()
    page.get_by_label("A judge slipped").check()
    press_again(page, page.get_by_role("button", name="Decide"))
    page.goto(f"/resolve/{study.pk}/")
    assert Resolution.objects.count() == 1


def test_a_judge_signs_once(open_page):
    study = disputed(resolved_by="discussion")
    for slot in make.slots(study, make.judge("alice")):
        discussing.propose(slot, version=0, verdict="correct", cause="slip")
    bob = make.judge("bob")
    page = open_page(bob)
    page.goto(reverse("judging:discussion", args=[make.slots(study, bob)[0].pk]))
    page.get_by_role("button", name="Sign this").click()
    page.get_by_text("Signed by both: this is the final verdict.").wait_for()
    press_again(page, page.get_by_role("button", name="Sign this"))
    page.goto(f"/judge/{study.pk}/")
    assert Discussion.objects.filter(state=DiscussionState.SIGNED).count() == 1


def test_a_held_key_does_not_leave_the_answer_to_a_warm_up(open_page, with_warm_up):  # noqa: F811
    page = open_page(make.judge("alice"))
    page.goto(f"/judge/{with_warm_up.pk}/next/")
    page.get_by_role("button", name="Incorrect").focus()
    page.keyboard.down("Enter")
    link = page.get_by_role("link", name="Next")
    expect(link).to_be_focused()
    page.keyboard.down("Enter")
    press_again(page, link)
    expect(link).to_be_visible()
    assert page.url.endswith("/warm-up/1/")


def test_a_reviewer_accepts_once(open_page):
    olga = annotating.admin()
    campaign = annotating.campaign(tags=2, by=olga)
    alice = annotating.annotator("alice")
    first, _ = (annotating.submitted(alice, within=campaign) for _ in "12")
    page = open_page(olga)
    page.goto(reverse("annotation:review", args=annotating.place_of(first)))
    page.get_by_role("button", name="Accept").click()
    page.get_by_text("One accepted: ").wait_for()
    press_again(page, page.get_by_role("button", name="Accept"))
    page.goto(reverse("annotation:reviews"))
    assert TagReview.objects.count() == 1


def test_an_annotator_submits_once(open_page):
    alice = annotating.annotator("alice")
    draft = annotating.draft(alice, within=annotating.campaign(tags=2))
    page = open_page(alice)
    page.goto(f"/annotate/{draft.assignment_id}/")
    settled(page)
    page.locator("[data-field=validity] input[value=Invalid]").check()
    expect(page.locator(".save-state")).to_have_attribute("data-save-state", "saved")
    posts = []
    page.on("request", lambda each: each.method == "POST" and posts.append(each.url))
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Submitted: ").wait_for()
    press_again(page, page.get_by_role("button", name="Submit", exact=True))
    page.goto("/annotate/")
    assert len(posts) == 1
