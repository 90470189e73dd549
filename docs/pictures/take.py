"""Take the pictures of the documentation: bin/run with the demonstration set, walked in Chromium.

    STUDY_DATA=FOLDER .venv/bin/python docs/pictures/take.py

Writes PNG files next to this script; run it again whenever a page that is shown has changed. real-report.png shows the
published human evaluation: FOLDER has wikicontradict/humaneval_sample.json (its source: tests/conftest.py). Without
STUDY_DATA that picture stays as it is.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from playwright.sync_api import Page, expect, sync_playwright  # noqa: E402

from tests.chromium import QUIET, chromium_path  # noqa: E402
from tests.story.house import house  # noqa: E402

PASSWORD = "a long way to Canossa"  # noqa: S105 - of a person who lives as long as this script


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        house(Path(folder)) as here,
        sync_playwright() as play,
    ):
        browser = play.chromium.launch(
            executable_path=chromium_path(), args=[*QUIET, "--no-sandbox"]
        )
        page = browser.new_page(
            base_url=here.url, viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
        )
        join(page, here.first_link)
        for name, show in SHOWN.items():
            if show is real_report and not os.environ.get("STUDY_DATA"):
                sys.stderr.write(f"{name}.png stays as it is: STUDY_DATA is not set.\n")
                continue
            shown = show(page) or page
            shown.screenshot(path=HERE / f"{name}.png")
        browser.close()


def join(page: Page, link: str, username: str = "ada") -> None:
    page.goto(link)
    page.get_by_label("Username").fill(username)
    page.get_by_label("Name", exact=True).fill(username.capitalize())
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("heading", name="What next")).to_be_visible()


def home(page: Page) -> None:
    page.goto("/")


def tag(page: Page) -> None:
    page.goto("/tags/")
    page.get_by_role("link", name="Corvay Head Lighthouse").first.click()


def annotate(page: Page) -> None:
    page.goto("/annotate/")
    page.get_by_role("button", name="Get the next tag").first.click()
    expect(page.locator("[data-ready]")).to_be_attached()
    for key in "vjjj":
        page.keyboard.press(key)
    expect(page.get_by_text(re.compile(r"^Saved \d"))).to_be_visible()


def collection(page: Page) -> None:
    page.goto("/collections/demonstration/")


def judge(page: Page) -> None:
    """The demonstration's study of one judge, as nobody can sign in as its invented people."""
    page.goto("/studies/")
    page.get_by_role("link", name="Demonstration: yours to judge", exact=True).click()
    page.locator("[name='judges']").first.check()
    page.get_by_role("button", name="Open the study").click()
    page.goto("/judge/")
    page.get_by_role("link", name="Start").click()
    expect(page.get_by_role("button", name="Keys")).to_be_visible()


def real_report(page: Page) -> None:
    """The report of the published human evaluation: numbers, names of models and of prompts alone."""
    page.goto("/studies/import/")
    page.get_by_label("Name").fill("Published human evaluation, ten questions")
    page.get_by_label("File").set_input_files(
        Path(os.environ["STUDY_DATA"], "wikicontradict", "humaneval_sample.json")
    )
    page.get_by_role("button", name="Import").click()
    page.goto("/reports/")
    reports = page.get_by_role("region", name="Reports")
    reports.get_by_role("link", name="Published human evaluation").click()


def new_judge(admin: Page, username: str) -> Page:
    """A new judge in a window of their own."""
    admin.goto("/people/")
    admin.get_by_label("For whom").fill(username)
    admin.get_by_role("checkbox", name="Judge:").check()
    admin.get_by_role("button", name="Create invitation links").click()
    link = admin.get_by_label(f"Link for {username}").input_value()
    address = admin.url.partition("/people/")[0]
    browser = admin.context.browser
    assert browser
    page = browser.new_page(
        base_url=address, viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
    )
    join(page, link, username)
    return page


def give_all(page: Page, keys: str) -> None:
    """Judge every item of the only study, with these keys in turn, and hand in."""
    page.goto("/judge/")
    page.get_by_role("link", name="Start").click()
    expect(page.get_by_role("button", name="Keys")).to_be_visible()
    total = int(page.get_by_text(re.compile(r"Item 1 of \d+")).inner_text().split()[-1])
    for place in range(total):
        expect(page.get_by_text(f"Item {place + 1} of {total}")).to_be_visible()
        page.keyboard.press(keys[place % len(keys)])
    expect(page.get_by_text(f"{total} judged")).to_be_visible()
    page.locator("summary", has_text="Hand in").click()
    page.get_by_role("button", name="Yes, hand in").click()


def discussion(page: Page) -> Page:
    """A study of two judges who differ; one of them has proposed a verdict, which the other reads."""
    page.goto("/studies/new/")
    page.get_by_label("Name").fill("By two")
    page.get_by_label("responses recorded from the embedded model").check()
    page.get_by_label("4: Question with both passages").check()
    page.get_by_label("The two judges discuss it").check()
    page.locator("[name='seed']").fill("6")
    page.get_by_role("button", name="Make the study").click()
    address = page.url
    bo, cy = (new_judge(page, name) for name in ("bo", "cy"))
    page.goto(address)
    for name in ("Bo (bo)", "Cy (cy)"):
        page.get_by_label(name).check()
    page.get_by_role("button", name="Open the study").click()
    give_all(bo, "33332")
    give_all(cy, "3")
    cy.goto("/judge/")
    cy.get_by_role("link", name="By two", exact=True).click()
    cy.locator("#discussions a").first.click()
    propose(cy)
    bo.goto("/judge/")
    bo.get_by_role("link", name="By two", exact=True).click()
    for link in [each.get_attribute("href") for each in bo.locator("#discussions a").all()]:
        bo.goto(link or "")
        if bo.get_by_role("button", name="Sign this").count():
            break
    return bo


def propose(page: Page) -> None:
    page.get_by_label("To the other judge").fill(
        "It gives one of the two answers, among numbers that are wrong."
    )
    page.get_by_role("button", name="Write").click()
    page.get_by_label("Incorrect", exact=True).check()
    page.get_by_label("The criteria leave it open").check()
    page.get_by_label("Note").fill(
        "Say in the criteria whether an answer next to a wrong one counts."
    )
    page.get_by_role("button", name="Propose and sign").click()


def rounds(page: Page) -> None:
    """The same study closed, and judged again."""
    page.goto("/studies/")
    page.get_by_role("link", name="By two", exact=True).click()
    close(page)
    page.get_by_role("link", name="Judge responses again").click()
    page.get_by_label("Why this round is opened").fill("The criteria were silent on sources.")
    page.locator("[name='counts'][value='yes']").check()
    page.get_by_label("Bo (bo)").check()
    page.get_by_label("Cy (cy)").check()
    page.get_by_role("button", name="Open the round").last.click()
    close(page)
    expect(page.locator("#rounds-heading")).to_be_visible()
    page.evaluate("document.querySelector('#rounds-heading').scrollIntoView()")


def close(page: Page) -> None:
    page.get_by_role("link", name="Close the study").click()
    page.get_by_role("button", name="Close the study").click()


SHOWN = {
    "home": home,
    "tag": tag,
    "annotate": annotate,
    "collection": collection,
    "discussion": discussion,
    "rounds": rounds,
    "judge": judge,
    "real-report": real_report,
}

if __name__ == "__main__":
    main()
