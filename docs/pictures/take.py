"""Take the pictures of the documentation: bin/run with the demonstration set, walked in Chromium.

    .venv/bin/python docs/pictures/take.py

Writes PNG files next to this script; run it again whenever a page that is shown has changed.
"""

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
            show(page)
            page.screenshot(path=HERE / f"{name}.png")
        browser.close()


def join(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Name", exact=True).fill("Ada")
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
    """A study of one judge over the demonstration's run, as nobody can sign in as its invented people."""
    page.goto("/studies/new/")
    page.get_by_label("Name").fill("A second reading")
    page.get_by_label("responses recorded from the embedded model").check()
    page.get_by_label("4: Question with both passages").check()
    page.locator("[name='judges_per_response']").fill("1")
    page.locator("[name='seed']").fill("6")
    page.get_by_role("button", name="Make the study").click()
    page.locator("[name='judges']").first.check()
    page.get_by_role("button", name="Open the study").click()
    page.goto("/judge/")
    page.get_by_role("link", name="Start").click()
    expect(page.get_by_role("button", name="Keys")).to_be_visible()


def report(page: Page) -> None:
    page.goto("/reports/")
    reports = page.get_by_role("region", name="Reports")
    reports.get_by_role("link", name="Demonstration", exact=True).click()
    page.get_by_role("button", name="Show it and give up").click()


# The report comes before the study that would hide it from its judge.
SHOWN = {
    "home": home,
    "tag": tag,
    "annotate": annotate,
    "collection": collection,
    "report": report,
    "judge": judge,
}

if __name__ == "__main__":
    main()
