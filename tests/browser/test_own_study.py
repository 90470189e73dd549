"""The tutorial of a study of one's own (docs/own-study.md) in its steps, from the file to a published report."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from accounts.roles import Role
from generation.asking import turn
from judging.models import JudgingSlot
from tests.evaluation.archive.test_bundles import run_python
from tests.factories import person
from tests.generation.fake_service import LEGACY, FakeService, prompt_of

pytestmark = pytest.mark.django_db(transaction=True)

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "own-study.md"
PROTOCOL = DOCS / "own-study" / "claims.toml"
RECORDS = DOCS / "own-study" / "claims.jsonl"
TITLE = "Claims: what a passage says of a claim"
# What the three passages on each claim say of it, as the number of the verdict and of its key.
SAID = {"ferry": "123", "bridge": "213", "choir": "123", "clock": "231"}
# What the model says of each but the last, which it leaves open.
MODEL = {"ferry": "ABC", "bridge": "AAC", "choir": "ABC", "clock": "BCC"}
STUDY = "What passages say"
# Of each source: supports, contradicts and neither, each by people and by the model.
BOTH = [
    "encyclopedia 50.00 2/4 75.00 3/4 50.00 2/4 25.00 1/4 0.00 0/4 0.00 0/4",
    "newspaper 25.00 1/4 25.00 1/4 50.00 2/4 50.00 2/4 25.00 1/4 25.00 1/4",
    "diary 25.00 1/4 0.00 0/4 0.00 0/4 0.00 0/4 75.00 3/4 100.00 4/4",
]


def records() -> list[dict[str, str]]:
    return [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()]


def by_passage(table: dict[str, str]) -> dict[str, str]:
    """What is said of each passage."""
    found = {}
    for one in records():
        claim, _, number = one["id"].partition(" ")
        found[one["passage"]] = table[claim][int(number) - 1]
    return found


class Reader(FakeService):
    """A model that scores its options by what it says of the passage in the prompt."""

    def next_reply(self, request: dict) -> object:
        said = by_passage(MODEL)
        letters = (said[passage] for passage in said if passage in prompt_of(request))
        letter = next(letters, "A")
        self.likely = {f" {option}": -0.2 if option == letter else -4.0 for option in "ABC"}
        return super().next_reply(request)


@pytest.fixture
def model(settings, monkeypatch):
    monkeypatch.setattr(turn, "WAITED", 0.0)
    with Reader(scores=LEGACY) as service:
        settings.INFERENCE_SERVICES = service.setting("local", in_flight=1)
        yield service


def blocks() -> list[str]:
    return re.findall(r"```toml\n(.*?\n)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_pieces_of_the_page_are_its_file_which_is_right(capsys):
    assert "\n".join(blocks()) == PROTOCOL.read_text(encoding="utf-8")
    call_command("protocol", "check", str(PROTOCOL))
    assert "Nothing is wrong in" in capsys.readouterr().out
    assert len(records()) == 12


def choose(page, label: str, path: Path) -> None:
    page.get_by_label(label).set_input_files(path)


def installed(page, watch) -> None:
    """A file with a fault is explained; without it, it is shown on a record and installed."""
    page.goto("/")
    page.get_by_role("button", name="Data").click()
    page.get_by_role("link", name="Protocols").click()
    page.get_by_role("link", name="Check a file").click()
    wrong = PROTOCOL.read_text(encoding="utf-8").replace('rubric = "stance"', 'rubric = "stances"')
    chosen = {"name": "claims.toml", "mimeType": "text/plain", "buffer": wrong.encode()}
    page.get_by_label("The protocol").set_input_files(chosen)
    watch.expect("status of 400")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("li.callout-bad")).to_have_count(1)
    expect(page.locator("li.callout-bad")).to_contain_text("There is no rubric 'stances'.")
    expect(page.locator("li.callout-bad")).to_contain_text("Line 84")
    choose(page, "The protocol", PROTOCOL)
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Nothing is wrong in claims.toml")).to_be_visible()
    choose(page, "A file of records", RECORDS)
    page.get_by_role("button", name="Show on this record").click()
    page.locator("summary", has_text="Claims 2").click()
    sent = f"Passage: {records()[0]['passage']}"
    expect(page.get_by_text(sent)).to_be_visible()
    page.get_by_role("button", name="Install").click()
    expect(page.get_by_text("claims version 1 is installed.")).to_be_visible()


def imported(page, carry_out) -> None:
    page.goto("/collections/")
    page.get_by_role("link", name="Import a file").first.click()
    page.get_by_label("Collection").fill("claims")
    page.get_by_label("Format").select_option(label=TITLE)
    choose(page, "File", RECORDS)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    carry_out()
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    carry_out()
    expect(page.get_by_text("12 of 12")).to_be_visible()


def asked(page, carry_out) -> None:
    page.goto("/models/")
    page.get_by_role("link", name="Add echo-1").click()
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("echo-1 can be asked")).to_be_visible()
    page.goto("/collections/claims/")
    page.get_by_role("link", name="Ask models").click()
    page.get_by_role("checkbox", name="echo-1").check()
    for label in ("Claims 1: ", "Claims 2: "):
        page.get_by_role("checkbox", name=label).check()
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    carry_out()
    page.reload()
    expect(page.get_by_text("24 of 24")).to_be_visible()


def opened(page) -> str:
    """The address of the study."""
    page.goto("/studies/")
    page.get_by_role("link", name="New study").first.click()
    page.get_by_label("Name").fill(STUDY)
    page.locator("[name='runs']").check()
    page.get_by_role("button", name="Make the study").click()
    expect(page.get_by_text("12 of them get no judge")).to_be_visible()
    for name in ("Jo (jo)", "Kim (kim)"):
        page.get_by_label(name).check()
    page.get_by_role("button", name="Open the study").click()
    expect(page.get_by_text("The study is open")).to_be_visible()
    return page.url


def judged(page, differs_on: str = "") -> None:
    """All passages by keys; the one that is named is left open."""
    keys = by_passage(SAID) | {differs_on: "3"}
    page.goto("/judge/")
    page.get_by_role("link", name="Start").click()
    expect(page.get_by_role("button", name="Keys")).to_be_visible()
    for n in range(1, 13):
        expect(page.get_by_text(f"Item {n} of 12")).to_be_visible()
        words = page.locator(".judging-item:visible").first.inner_text()
        assert not [source for source in ("encyclopedia", "newspaper", "diary") if source in words]
        page.keyboard.press(next(key for text, key in keys.items() if text and text in words))
    expect(page.get_by_text("12 judged")).to_be_visible()
    page.locator("summary", has_text="Hand in").click()
    page.get_by_role("button", name="Yes, hand in").click()
    expect(page.get_by_text("You have handed in")).to_be_visible()


def resolved(page) -> None:
    page.goto("/resolve/")
    page.get_by_role("link", name=STUDY).click()
    page.locator("main a[href*='/resolve/items/']").first.click()
    page.get_by_label("Supports", exact=True).check()
    page.locator("[name='cause']").first.check()
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_text("Decided.")).to_be_visible()


def close(page, address: str) -> None:
    page.goto(address)
    page.get_by_role("link", name="Close the study").click()
    page.get_by_role("button", name="Close the study").click()
    expect(page.get_by_text("Closed").first).to_be_visible()


def shown(page, words: str) -> list[str]:
    """The lines of the table with these words: shares and counts, without intervals."""
    page.locator("summary", has_text="Scores").click()
    lines = page.locator("table", has_text=words).first.locator("tbody tr").all_inner_texts()
    return [
        " ".join([line.split()[0], *re.findall(r"[\d.]+(?=\s+\d+/)|\d+/\d+", line)])
        for line in lines
    ]


def test_from_a_file_to_a_published_report_that_is_recomputed(
    open_page, watch, model, carry_out, tmp_path
):
    ada = person("ada", *Role, name="Ada")
    jo, kim = (person(name.lower(), Role.JUDGE, name=name) for name in ("Jo", "Kim"))
    page = open_page(ada, accept_downloads=True)
    installed(page, watch)
    imported(page, carry_out)
    asked(page, carry_out)
    address = opened(page)
    judged(open_page(jo))
    judged(open_page(kim), differs_on=records()[0]["passage"])
    assert JudgingSlot.objects.count() == 24
    resolved(page)
    close(page, address)
    page.goto("/reports/")
    page.get_by_role("link", name=STUDY).click()
    page.locator("summary", has_text="Freeze this report").click()
    page.get_by_role("button", name="Freeze", exact=True).click()
    page.locator("summary", has_text="Publish this report").click()
    page.get_by_role("button", name="Publish", exact=True).click()
    public = page.locator("a.long-address").get_attribute("href")
    page.locator("summary", has_text="Downloads").click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="script that recomputes").first.click()
    reader = open_page()
    reader.goto(public)
    expect(reader.get_by_text("Does the model say what people say?").first).to_be_attached()
    assert shown(reader, "People: supports") == BOTH
    with zipfile.ZipFile(io.BytesIO(Path(waiting.value.path()).read_bytes())) as packed:
        packed.extractall(tmp_path)
    done = run_python(tmp_path, "recompute.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all equal" in done.stdout
