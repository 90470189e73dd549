"""fetch_tagged_pages and list_tags, as the operator meets them."""

import io
import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from leases.clock import in_seconds, now
from tests.factories import stored
from tests.wikifetch.factories import TAG, export, mill, page, revision, written
from wikifetch import fetch, newfetch
from wikifetch.models import FetchRun

pytestmark = pytest.mark.django_db

NAMES = {"inconsistent": ["Inconsistent"]}
KEYS = [
    "title", "pageid", "revid", "kind", "name", "raw", "date", "reason", "other_article", "section",
    "block", "block_clean", "block_text",
]  # fmt: skip


def call(name, *arguments):
    out, err = io.StringIO(), io.StringIO()
    call_command(name, *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_file_is_fetched_and_its_tags_are_listed(tmp_path):
    text = f"== History ==\nBuilt in {{{{circa|1801}}}}.{TAG}"
    path = written(tmp_path, export(mill(text), page(2, "Hidden", revision(11, None))), "a.bz2")
    out, err = call("fetch_tagged_pages", "--xml", str(path))
    assert out.endswith("a.bz2: 2 pages read, 1 tag found, 1 not seen before, 1 problem.\n")
    assert err == "Hidden: The file holds no text of it.\n"
    line, _ = call("list_tags", "--json")
    record = json.loads(line)
    assert list(record) == KEYS
    assert record == {
        "title": "Kettle Mill",
        "pageid": 1,
        "revid": 10,
        "kind": "inconsistent",
        "name": "Inconsistent",
        "raw": TAG,
        "date": "May 2020",
        "reason": "",
        "other_article": "",
        "section": "History",
        "block": text.split("\n")[1],
        "block_clean": "Built in {{circa|1801}}.",
        "block_text": "Built in c. 1801.",
    }


def test_gone_tags_are_listed_only_when_asked_for(tmp_path):
    call("fetch_tagged_pages", "--xml", str(written(tmp_path, export(mill(f"Old.{TAG}")))))
    call("fetch_tagged_pages", "--xml", str(written(tmp_path, export(mill("Old.", revid=20)))))
    assert call("list_tags", "--json") == ("", "")
    assert call("list_tags", "--all")[0] == f"Kettle Mill\tinconsistent\t{TAG}\n"


def test_titles_come_from_a_file(live, tmp_path):
    path = tmp_path / "titles.txt"
    path.write_text("Mill 1\nNope\n", encoding="utf-8-sig")
    out, err = call("fetch_tagged_pages", "--titles", str(path), "--wiki", live.address)
    assert "2 titles: 1 page read, 1 tag found" in out
    assert err == "Nope: The wiki has no page of this title.\n"


def test_a_kind_is_fetched_up_to_a_limit(live):
    out, _ = call("fetch_tagged_pages", "--kind", "self-contradictory", "--limit", "5")
    assert "self-contradictory, at most 5 pages: 5 pages read" in out


@pytest.mark.parametrize(
    ("levels", "queue"), [([], [1, 2]), (["--depth", "0"], [1]), (["--depth", "2"], [1, 2, 3])]
)
def test_a_category_is_followed_as_many_levels_down_as_asked(live, levels, queue):
    live.filed = {"Category:Mills": [1], "Category:May": [2], "Category:2009": [3]}
    live.below = {"Category:Mills": ["Category:May"], "Category:May": ["Category:2009"]}
    call("fetch_tagged_pages", "--category", "Mills", "--no-history", *levels)
    assert FetchRun.objects.get().queue == queue


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kind", "inconsistent", "--depth", "1"], "--depth goes with --category"),
        (["--category", "Mills", "--depth", "6"], "Follow 0 to 5 levels"),
        (["--category", "Mills", "--depth", "x"], "invalid int value"),
        (["--xml", "nothing.xml"], "nothing.xml cannot be read: No such file"),
        (["--titles", "nothing.txt"], "nothing.txt cannot be read: No such file"),
        (["--kind", "inconsistent"], "as the contact first"),
        (["--xml", "a.xml", "--limit", "5"], "--limit goes with --kind"),
        (["--kind", "dubious"], "invalid choice"),
        (["--kind", "inconsistent", "--xml", "a.xml"], "not allowed with"),
        ([], "one of the arguments"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_line(arguments, message, settings):
    settings.WIKI_CONTACT = ""
    with pytest.raises(CommandError, match=message):
        call("fetch_tagged_pages", *arguments)
    assert not FetchRun.objects.exists()


def test_titles_in_another_encoding_are_refused(tmp_path):
    path = tmp_path / "titles.txt"
    path.write_bytes("Mühle".encode("latin-1"))
    with pytest.raises(CommandError, match="not text in UTF-8"):
        call("fetch_tagged_pages", "--titles", str(path))


def test_a_broken_file_fails_the_command_and_the_run(tmp_path):
    path = written(tmp_path, export(mill("x")).removesuffix("</mediawiki>\n"))
    with pytest.raises(CommandError, match="ends in the middle"):
        call("fetch_tagged_pages", "--xml", str(path))
    assert FetchRun.objects.get().state == "failed"


def test_the_contact_may_be_given_on_the_command_line(live, settings):
    settings.WIKI_CONTACT = ""
    call("fetch_tagged_pages", "--kind", "all", "--limit", "1", "--contact", "b@lab.example")
    assert FetchRun.objects.get().contact == "b@lab.example"
    assert all("(b@lab.example)" in asked.headers["User-Agent"] for asked in live.asked)


# ---------------------------------------------------------------- after a stop, where no worker runs


@pytest.fixture
def killed(live):
    """A fetch of three pages whose command was killed a moment ago, after it had listed them."""
    live.size = 3
    run = newfetch.fetch_of_kind("inconsistent", options=newfetch.LiveOptions(history=False))
    assert fetch._started(run.pk, "a command")
    return stored(run)


def its_hold_ends(run):
    FetchRun.objects.filter(pk=run.pk).update(lease_until=in_seconds(-1))


@pytest.mark.both
def test_beside_a_fetch_at_work_a_new_one_is_refused_and_leaves_nothing(killed):
    message = (
        rf"Fetch {killed.pk}: inconsistent is asking this wiki\. Wait until it is done, or cancel it\. "
        rf"If it was killed, fetch_tagged_pages --resume {killed.pk} goes on with it in 1[12]\d s\."
    )
    for _ in range(3):
        with pytest.raises(CommandError, match=message):
            call("fetch_tagged_pages", "--kind", "all")
    assert stored(killed).state == "running"
    assert FetchRun.objects.count() == 1


def test_one_that_rests_goes_on_resting_beside_a_fetch_at_work(killed):
    other = newfetch.fetch_of_titles(["Mill 1"])
    FetchRun.objects.filter(pk=other.pk).update(state="failed", began_at=now(), cursor=1)
    with pytest.raises(CommandError, match="is asking this wiki"):
        call("fetch_tagged_pages", "--resume", str(other.pk))
    assert (stored(other).state, stored(other).cursor) == ("paused", 1)


@pytest.mark.both
def test_a_killed_command_blocks_its_wiki_only_while_its_hold_lasts(killed):
    its_hold_ends(killed)
    out, _ = call("fetch_tagged_pages", "--kind", "all")
    assert "3 pages read" in out
    assert stored(killed).state == "waiting"
    out, _ = call("fetch_tagged_pages", "--resume", str(killed.pk))
    assert out.startswith(f"Fetch {killed.pk}: inconsistent: 3 pages read, 3 of them unchanged")


@pytest.mark.parametrize("state", ["waiting", "paused", "failed", "cancelled"])
def test_the_last_fetch_that_is_not_done_goes_on_from_its_cursor(live, state):
    live.size = 3
    fetch.finished(newfetch.fetch_of_titles(["Mill 3"]))
    run = newfetch.fetch_of_titles(["Mill 1", "Mill 2"])
    FetchRun.objects.filter(pk=run.pk).update(
        state=state,
        queue=[1, 2],
        queue_frozen=True,
        cursor=1,
        options=run.options | {"names": NAMES},
    )
    live.asked.clear()
    out, _ = call("fetch_tagged_pages", "--resume")
    assert (out.startswith(str(run)), live.content_requests()) == (True, [["2"]])


def test_resuming_one_that_was_killed_waits_until_that_is_known(killed, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: its_hold_ends(killed))
    out, err = call("fetch_tagged_pages", "--resume", str(killed.pk))
    assert err.startswith(
        f"{killed} is at work elsewhere. If that was killed, it goes on here in 1"
    )
    assert "3 pages read" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume"], "There is no fetch to go on with"),
        (["--resume", "7"], "There is no fetch 7 to go on with: none was begun, or it is done"),
        (["--resume", "x"], "invalid int value"),
        (["--resume", "--no-history"], "--resume stands alone"),
        (["--resume", "--limit", "5"], "--resume stands alone"),
        (["--resume", "--kind", "all"], "not allowed with"),
    ],
)
def test_what_cannot_go_on_is_refused(arguments, message):
    with pytest.raises(CommandError, match=message):
        call("fetch_tagged_pages", *arguments)
