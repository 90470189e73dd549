"""The whole workflow by different people: from a wiki's page with a tag to a kappa and a dataset.

Every step is taken in Chromium, by the words on the pages; people come in through invitation links. Addresses are
relative, so that it can be played under a sub-path.
"""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watch, settled

ARTICLES = Path(__file__).parents[2] / "demonstration" / "articles.xml"
PASSWORD = "seven quiet herons"
WORDS = {"correct": "1", "partially correct": "2", "incorrect": "3"}


class People:
    """Browsers of different people on one installation, each in a context of its own."""

    def __init__(self, browser, url: str, first_link: str, **options: object) -> None:
        self.browser, self.url, self.first_link = browser, url, first_link
        self.options = options
        self.watch = Watch(url)
        self.contexts: list = []

    def newcomer(self) -> Page:
        context = self.browser.new_context(
            base_url=f"{self.url}/", accept_downloads=True, **self.options
        )
        context.set_default_timeout(20_000)
        self.contexts.append(context)
        page = context.new_page()
        self.watch.follow(page)
        return page

    def join(self, link: str, username: str) -> Page:
        page = self.newcomer()
        page.goto(link)
        page.get_by_label("Username").fill(username)
        page.get_by_label("Name", exact=True).fill(username.capitalize())
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Join").click()
        expect(page.get_by_role("heading", name="What next")).to_be_visible()
        return page

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        complaints = self.watch.unexpected()
        assert complaints == [], complaints


def invite(admin: Page, people: People, username: str, role: str) -> Page:
    admin.goto("people/")
    admin.get_by_label("For whom").fill(username)
    admin.get_by_role("checkbox", name=f"{role}:").check()
    admin.get_by_role("button", name="Create invitation links").click()
    return people.join(admin.get_by_label(f"Link for {username}").input_value(), username)


def fetch(admin: Page) -> None:
    """The demonstration's articles, from a file."""
    admin.goto("fetches/new/")
    admin.get_by_label("A file:").check()
    admin.get_by_label("Export file").set_input_files(
        {
            "name": "articles.xml",
            "mimeType": "application/xml",
            "buffer": ARTICLES.read_bytes(),
        }
    )
    admin.get_by_role("button", name="Start the fetch").click()
    expect(admin.locator("#fetch-progress").get_by_text("Done")).to_be_visible(timeout=60_000)
    admin.goto("tags/")
    expect(admin.get_by_role("link", name="Corvay Head Lighthouse").first).to_be_visible()


def choose_tag(admin: Page) -> None:
    """One campaign over one tag for two people."""
    admin.goto("campaigns/new/")
    admin.get_by_label("Name").fill("First tags")
    admin.get_by_text("How many", exact=True).click()
    admin.get_by_label("At most this many tags").fill("1")
    admin.get_by_label("People for each tag").fill("2")
    expect(admin.get_by_text("2 annotations to make")).to_be_visible()
    admin.get_by_role("button", name="Open the campaign").click()
    expect(admin.get_by_role("heading", name="First tags")).to_be_visible()


def fill(page: Page, name: str, text: str) -> None:
    page.locator(f"[name='{name}']").fill(text)


def annotate(page: Page, question: str, answers: tuple[str, str]) -> None:
    """All six steps with made-up but complete entries, then submit."""
    page.goto("annotate/")
    page.get_by_role("button", name="Get the next tag").first.click()
    expect(page.locator("#tagged-block").first).to_be_visible()
    settled(page)
    every = page.get_by_role("button", name="All steps")
    if every.get_attribute("aria-pressed") == "false":
        every.click()
    page.get_by_label("Valid", exact=True).check()
    fill(page, "passage_1_copied", f"The first passage says that it was {answers[0]}.")
    fill(page, "passage_2_copied", f"The second passage says that it was {answers[1]}.")
    for n in ("1", "2"):
        page.locator(f"[data-field='modality_{n}']").get_by_label("Text", exact=True).check()
        fill(page, f"statement_{n}", f"It was {answers[int(n) - 1]}.")
        fill(page, f"span_{n}", answers[int(n) - 1])
    page.locator("[data-field='same_passage']").get_by_label("Different").check()
    for dimension, option in (
        ("type_1", "Date/time"),
        ("type_2", "Text - Text"),
        ("type_3", "Within the same"),
        ("type_4", "Explicit"),
    ):
        page.locator(f"[name='{dimension}'][value*='{option}']").check()
    fill(page, "questions-0-question", question)
    fill(page, "questions-0-answer_1", answers[0])
    fill(page, "questions-0-answer_2", answers[1])
    page.locator("[data-field='confidence']").get_by_label("4").check()
    # The passages are not the article's words, as it says once they are saved.
    warnings = page.get_by_label("I checked")
    expect(warnings).to_have_count(2, timeout=20_000)
    for warning in warnings.all():
        warning.check()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Submitted: ").first).to_be_visible()


def merge_and_publish(admin: Page) -> None:
    """One annotation of both, with the question of each."""
    admin.goto("reviews/")
    admin.locator("main a[href*='/reviews/']").first.click()
    admin.get_by_label("Yes").check()
    admin.get_by_role("checkbox", name="A", exact=True).check()
    admin.get_by_role("button", name="Merge").click()
    # The answers of one annotator's question are in other words than the passages of the other, whoever is A.
    warnings = admin.get_by_label("I checked")
    expect(warnings).to_have_count(2)
    for warning in warnings.all():
        warning.check()
    admin.get_by_role("button", name="Merge").click()
    expect(admin.get_by_text("Merged: ")).to_be_visible()
    admin.goto("campaigns/")
    admin.get_by_role("link", name="First tags").click()
    admin.get_by_role("button", name="Publish").first.click()
    expect(admin.get_by_text("1 tag published")).to_be_visible()


def ask_the_model(admin: Page) -> None:
    admin.goto("models/")
    admin.get_by_role("link", name="Add SmolLM2-135M-Instruct").click()
    admin.get_by_role("button", name="Add").click()
    admin.goto("runs/new/")
    admin.get_by_label("Collection").select_option(label="first-tags")
    admin.get_by_label("SmolLM2").check()
    admin.get_by_role("checkbox", name=re.compile("^1: ")).check()
    admin.get_by_role("checkbox", name=re.compile("^4: ")).check()
    admin.get_by_role("button", name="Preview").click()
    admin.get_by_role("button", name="Start").click()
    expect(admin.get_by_text("4 of 4")).to_be_visible(timeout=180_000)


def open_study(admin: Page) -> None:
    admin.goto("studies/new/")
    admin.get_by_label("Name").fill("First study")
    admin.locator("[name='runs']").first.check()
    admin.get_by_role("button", name="Make the study").click()
    for name in ("Jo (jo)", "Kim (kim)"):
        admin.get_by_label(name).check()
    admin.get_by_role("button", name="Open the study").click()
    expect(admin.get_by_text("The study is open")).to_be_visible()


def judge(page: Page, verdict_of) -> None:
    """Four verdicts by key, then submit."""
    page.goto("judge/")
    page.get_by_role("link", name="Start").click()
    expect(page.get_by_role("button", name="Keys")).to_be_visible()  # the script is up
    for place in range(1, 5):
        expect(page.get_by_text(f"Item {place} of 4")).to_be_visible()
        words = page.locator(".judging-item:visible").first.inner_text()
        page.keyboard.press(WORDS[verdict_of(words)])
    expect(page.get_by_text("4 judged")).to_be_visible()
    page.locator("summary", has_text="Hand in").click()
    page.get_by_role("button", name="Yes, hand in").click()
    expect(page.get_by_text("You have handed in")).to_be_visible()


def resolve(page: Page) -> None:
    page.goto("resolve/")
    page.get_by_role("link", name="First study").click()
    page.locator("main a[href*='/resolve/items/']").first.click()
    page.get_by_label("Partially correct").check()
    page.locator("[name='cause']").first.check()
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_text("Decided.")).to_be_visible()


def kims_verdict(words: str) -> str:
    """As Jo's, but for the first question with both passages."""
    if "In which year" not in words:
        return "incorrect"
    return "partially correct" if "The second passage says" in words else "correct"


def kappas(page: Page) -> dict[str, float | None]:
    """Cohen's kappa by prompt label, from the report's JSON."""
    page.get_by_role("link", name="Downloads").click()
    page.get_by_role("link", name="The whole report as JSON").click()
    report = json.loads(page.locator("body").inner_text())
    return {
        entry["prompt"]: figure["value"]
        for entry in report["agreement"]["prompts"]
        for pair in entry["pairs"]
        for figure in pair["coefficients"]
        if figure["name"] == "cohen_kappa" and figure["weights"] == "none"
    }


def downloaded(page: Page, name: str) -> bytes:
    with page.expect_download() as waiting:
        page.get_by_role("link", name=name, exact=True).first.click()
    return Path(waiting.value.path()).read_bytes()


def play(people: People) -> None:
    """From a tag to a kappa and a dataset, on an empty installation with the embedded model."""
    admin = people.join(people.first_link, "ada")
    ann, ben = (invite(admin, people, name, "Annotator") for name in ("ann", "ben"))
    jo, kim = (invite(admin, people, name, "Judge") for name in ("jo", "kim"))
    lou = invite(admin, people, "lou", "Adjudicator")
    rae = invite(admin, people, "rae", "Researcher")

    fetch(admin)
    choose_tag(admin)
    annotate(ann, "In which year was it opened?", ("spring 1858", "spring 1859"))
    annotate(ben, "When did it open?", ("the year 1858", "the year 1859"))
    people.watch.expect("status of 400")  # the merge that is refused once
    merge_and_publish(admin)
    ask_the_model(admin)
    open_study(admin)

    # They agree but for one response: kappa is 1 on prompt 1, and 1/3 on prompt 4 (see the table below).
    judge(jo, lambda words: "correct" if "In which year" in words else "incorrect")
    judge(kim, lambda words: kims_verdict(words))
    resolve(lou)

    rae.goto("reports/")
    rae.get_by_role("link", name="First study").click()
    assert kappas(rae) == {"1": 1.0, "4": pytest.approx(1 / 3)}
    rae.goto("collections/first-tags/export/")
    records = json.loads(downloaded(rae, "first-tags-records.json"))
    (merged,) = (one["annotationResult"] for one in records)
    asked = [merged["question1"], merged["question2"]]
    # Which annotator is A, with whose question a merge begins, is random.
    answers = {
        "In which year was it opened?": "spring 1858|spring 1859",
        "When did it open?": "the year 1858|the year 1859",
    }
    assert sorted(asked) == sorted(answers)
    rows = list(csv.DictReader(io.StringIO(downloaded(rae, "first-tags-questions.csv").decode())))
    # The paper's order: a page's first question comes last.
    assert [row["ref_answer"] for row in rows] == [answers[one] for one in reversed(asked)]

    # Nothing is missing, and no page shows an alarm.
    admin.goto("people/")
    expect(admin.get_by_role("heading", name="People", exact=True)).to_be_visible()
    expect(admin.locator(".alarms")).to_have_count(0)
