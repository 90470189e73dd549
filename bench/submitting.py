"""Milliseconds from a submission to the next tag's page, in Chromium with 100 ms of latency for each request.

bin/bench submitting [TIMES [TABLES]]   (20 unless given; TABLES is a SQLite file with all tables, to start from)

Starts the app with the demonstration set, opens a campaign over its tags, and submits each tag as invalid. Next to it:
the same browser's bare request of a page without content, which is the least that one round trip takes.
"""

import contextlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bench.serving import PASSWORD, started, with_tables
from tests.chromium import QUIET, chromium_path

LATENCY_MS = 100
CAMPAIGN = [
    *("manage.py", "open_campaign", "Bench", "--collection", "bench"),
    *("--by", "ada", "--seed", "1"),
]
# In the pages themselves, as asking them takes time too: from the key to the first frame with the next form.
STOPWATCH = """
const now = () => performance.timeOrigin + performance.now();
addEventListener("keydown", ({ key, ctrlKey }) => {
  if (key === "Enter" && ctrlKey) sessionStorage.setItem("submitted", now());
}, true);
const began = Number(sessionStorage.getItem("submitted"));
sessionStorage.removeItem("submitted");
function look() {
  const field = document.querySelector("#annotation-form")?.elements.valid_comment;
  if (field?.checkVisibility()) window.taken = now() - began;
  else requestAnimationFrame(look);
}
if (began) look();
"""
SAVED = "() => document.querySelector('.save-state').dataset.saveState === 'saved'"


def main(times: int = 20, tables: str = "") -> None:
    with (
        tempfile.TemporaryDirectory(prefix="sicetnon-bench-") as folder,
        started(with_tables(folder, tables)) as (_, address, link),
        page_at(address, link) as page,
    ):
        env = {"DATA_DIR": folder, "PATH": str(Path(sys.executable).parent), "BASE_URL": address}
        subprocess.run([sys.executable, *CAMPAIGN], env=env, check=True, stdout=subprocess.DEVNULL)
        page.goto("/annotate/")
        page.locator("li", has_text="Bench").get_by_role("button", name="Get the next tag").click()
        submitted = [submit(page) for _ in range(times + 1)][
            1:
        ]  # the first fills the browser's cache
        bare = [round_trip(page) for _ in range(times)]
    print(f"from Submit to the next page that can be typed in  {words(submitted)}")
    print(f"a bare round trip                                  {words(bare)}")
    print(f"ratio of the medians                               {ratio(submitted, bare):5.1f}")


@contextlib.contextmanager
def page_at(address: str, link: str) -> Iterator[Page]:
    """A page of the first administrator, on a slow line."""
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=chromium_path(), args=[*QUIET, "--no-sandbox"]
        )
        page = browser.new_page(base_url=address, viewport={"width": 1366, "height": 768})
        page.add_init_script(STOPWATCH)
        page.goto(link)
        page.get_by_label("Username").fill("ada")
        page.get_by_label("Name", exact=True).fill("Ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Join").click()
        conditions = {
            "offline": False,
            "latency": LATENCY_MS,
            "downloadThroughput": -1,
            "uploadThroughput": -1,
        }
        page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", conditions)
        yield page
        browser.close()


def submit(page: Page) -> float:
    page.locator("[data-ready]").wait_for(state="attached")
    page.keyboard.press("i")
    page.wait_for_function(SAVED)
    page.evaluate("() => { window.taken = null; }")
    page.keyboard.press("Control+Enter")
    return float(page.wait_for_function("() => window.taken").json_value())


def round_trip(page: Page) -> float:
    return float(
        page.evaluate(
            """async () => {
              const began = performance.now();
              await fetch("/healthz", { cache: "no-store" });
              return performance.now() - began;
            }"""
        )
    )


def words(taken: list[float]) -> str:
    p95 = statistics.quantiles(taken, n=20)[-1]
    return f"{statistics.median(taken):6.1f} ms median, {p95:6.1f} ms p95 (n = {len(taken)})"


def ratio(taken: list[float], limit: list[float]) -> float:
    return statistics.median(taken) / statistics.median(limit)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:3])
