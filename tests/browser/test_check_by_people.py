"""ConflictBank's check by people: five judge texts of the records by keys, and learn nothing of who wrote them."""

import re
from collections import Counter

import pytest
from playwright.sync_api import expect

from accounts.models import Person
from accounts.roles import Role
from demonstration.examples import CONFLICTBANK, load
from evaluation.sections.study import study_report
from generation import protocol_prompts, runs
from judging import rubric_versions, studies
from judging.models import Judgment, Study
from judging.selections import Selection
from judging.studies import StudyDesign
from tests.factories import person

pytestmark = pytest.mark.django_db(transaction=True)

AUTHOR = b"LLaMA-3-70B-Instruct"
CHECKED = ("entails-default", "contradicts-misinformation")
JUDGES = ("alice", "bob", "charlie", "dana", "erin")
# Texts: of six drawn questions, for each of two prompts.
TEXTS = 12
NOT_STATIC = re.compile("^(?!.*/static/)")


@pytest.fixture
def study():
    collection, _ = load(CONFLICTBANK)
    known = protocol_prompts.of_protocol(collection.protocol)
    asked = [known[name] for name in CHECKED]
    run, _ = runs.create(collection=collection, models=[], prompts=asked, name="Given texts")
    design = StudyDesign(judges_per_response=5, rubric=rubric_versions.current("conflictbank"))
    chosen = Selection([run], subset=collection.subsets.get())
    study = studies.create("Check", chosen, design, by=person("olga", Role.ADMIN))
    studies.open_study(study, [person(name, Role.JUDGE) for name in JUDGES])
    return study


def judged_by_keys(page, study: Study, differs: bool) -> list[bytes]:
    """Judge all texts by keys and hand in, the first text otherwise than the rest; returns all that was sent."""
    sent: list[bytes] = []

    def keep(route) -> None:
        answer = route.fetch(max_redirects=0)
        sent.append(answer.body())
        route.fulfill(response=answer)

    page.route(NOT_STATIC, keep)
    page.goto(f"/judge/{study.pk}/next/")
    for n in range(TEXTS):
        shown = page.locator("article[data-slot]").get_attribute("data-slot")
        page.keyboard.press("2" if differs and n == 0 else "1")
        if n < TEXTS - 1:
            page.wait_for_selector(f'article[data-slot]:not([data-slot="{shown}"])')
    expect(page.get_by_text(f"{TEXTS} judged")).to_be_visible()
    page.locator("summary", has_text="Hand in").click()
    page.get_by_role("button", name="Yes, hand in").click()
    expect(page.get_by_text("You have handed in")).to_be_visible()
    page.unroute_all(behavior="wait")
    return sent


def test_five_judge_given_texts_by_keys_and_never_learn_their_author(open_page, study):
    for name in JUDGES:
        page = open_page(Person.objects.get(username=name))
        sent = judged_by_keys(page, study, differs=name == "erin")
        assert any(b"<h3>Evidence</h3>" in body for body in sent)
        assert not [
            body
            for body in sent
            if AUTHOR.lower() in body.lower() or b"llama" in body.lower() or b"CB H" in body
        ]
    assert Counter(Judgment.objects.values_list("verdict", flat=True)) == {"yes": 59, "no": 1}
    studies.close_study(study)
    entries = study_report(study)["agreement"]["prompts"]
    kappas = [_of_all(entry, "fleiss_kappa") for entry in entries]
    assert sorted(kappas, key=str) == [pytest.approx(-1 / 29), None]
    assert sorted(_of_all(entry, "percent_agreement") for entry in entries) == [
        pytest.approx(14 / 15),
        1,
    ]
    page = open_page(person("rosa", Role.RESEARCHER))
    page.goto(f"/reports/{study.pk}/")
    expect(page.get_by_text(AUTHOR.decode()).first).to_be_visible()


def _of_all(entry: dict, name: str) -> float | None:
    return next(one["value"] for one in entry["all"] if one["name"] == name)
