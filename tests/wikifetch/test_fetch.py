"""Runs: a frozen queue, a cursor, and going on after any stop."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leases.refusal import Conflict, Refusal
from tests.factories import stored
from tests.wikifetch.factories import TAG, export, page, revision, written
from tests.wikifetch.fakewiki import Answer, FakeWiki
from tests.wikifetch.livewiki import LiveWiki
from wikifetch import fetch, newfetch, recording, tasks
from wikifetch.models import Article, FetchRun, Sighting, Tag, TalkPage
from wikifetch.source import filebatches, freezing, livebatches
from wikifetch.source.heartbeat import FetchHeartbeat, FetchLeaseLost
from wikifetch.source.manners import WikiError
from wikifetch.states import FETCH_RUN
from wikifetch.wikitext.tag_names import CANONICAL

pytestmark = pytest.mark.django_db


def test_a_fetch_by_kind_takes_all_pages_fifty_at_a_time_and_a_second_one_adds_nothing(live):
    run = fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    counts = (run.cursor, run.pages, run.tags_found, run.tags_new)
    assert (run.state, *counts) == ("done", 120, 120, 120, 120)
    assert [len(ids) for ids in live.content_requests()] == [50, 50, 20]
    assert TalkPage.objects.get().article.title == "Mill 1"
    live.asked.clear()
    run = fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert (run.unchanged, run.tags_found, run.tags_new) == (120, 120, 0)
    assert live.content_requests() == []  # pages that have not changed
    assert (Tag.objects.count(), Sighting.objects.count()) == (120, 120)


def test_a_fetch_of_all_kinds_takes_the_pages_of_each_once(live):
    run = fetch.finished(newfetch.fetch_of_kind("all"))
    assert (run.label, len(run.queue), run.tags_found) == ("all kinds of tag", 120, 120)
    listed = [a.params["eititle"] for a in live.asked if a.params.get("list") == "embeddedin"]
    assert listed == [f"Template:{names[0]}" for names in CANONICAL.values()]
    live.untagged = {1}
    fetch.finished(newfetch.fetch_of_kind("all"))
    assert Tag.objects.filter(state="gone").count() == 1


def test_the_contact_given_with_a_fetch_is_the_one_the_wiki_sees(live):
    fetch.finished(
        newfetch.fetch_of_titles(["Mill 1"], options=newfetch.LiveOptions(contact="b@lab.example"))
    )
    assert all("(b@lab.example)" in asked.headers["User-Agent"] for asked in live.asked)


def test_a_limit_bounds_the_queue(live):
    run = fetch.finished(newfetch.fetch_of_kind("inconsistent", limit=7))
    assert (run.queue, run.pages) == ([1, 2, 3, 4, 5, 6, 7], 7)


def test_a_fetch_by_titles_reports_which_are_not_there(live):
    run = fetch.finished(newfetch.fetch_of_titles(["Mill 3", "Nope", "Mill_3", " Mill 4 "]))
    assert (run.queue, run.tags_found) == ([3, 4], 2)
    assert [(p.page, p.problem) for p in run.problems.all()] == [
        ("Nope", "The wiki has no page of this title.")
    ]


def test_a_wiki_without_such_a_template_is_reported(live, monkeypatch):
    monkeypatch.setattr(LiveWiki, "_next", lambda self: Answer({"query": {"pages": []}}))
    with pytest.raises(Refusal, match="no template named Inconsistent or"):
        fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert FetchRun.objects.get().state == "failed"


@pytest.mark.both
def test_a_failed_run_goes_on_where_it_stopped_and_asks_no_page_twice(live):
    live.fails_at = 75
    with pytest.raises(Refusal, match="HTTP 404"):
        fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    run = FetchRun.objects.get()
    assert (run.state, run.cursor, run.tags_found) == ("failed", 50, 50)
    live.fails_at = None
    live.size = 3  # what the wiki lists now is of no interest: the queue is frozen
    fetch.resume(run)
    run = fetch.finished(run)
    assert (run.state, run.tags_found, Tag.objects.count()) == ("done", 120, 120)
    asked = [n for ids in live.content_requests() for n in ids]
    assert sorted(map(int, asked)) == sorted([*range(1, 121), *range(51, 101)])


@pytest.mark.both
def test_a_run_whose_worker_was_killed_gives_the_rows_of_one_clean_run(live, monkeypatch):
    """Killed while it wrote the second batch: that batch is absent as a whole, and is fetched again."""
    real = recording.record_pages

    def dies(wiki, pages):
        outcome = real(wiki, pages)
        if "Mill 75" in [page.title for page, _ in pages]:
            raise SystemExit
        return outcome

    monkeypatch.setattr(recording, "record_pages", dies)
    run = newfetch.fetch_of_kind("inconsistent")
    with pytest.raises(SystemExit):
        fetch.carry_out(run.pk)
    run.refresh_from_db()
    assert (run.state, run.cursor, Tag.objects.count()) == ("running", 50, 50)
    monkeypatch.setattr(recording, "record_pages", real)
    assert not fetch.carry_out(run.pk)  # its lease still runs
    expire(run)
    tasks.sweep_fetches()
    run = fetch.finished(run)
    assert (run.state, run.tags_found, run.tags_new, Tag.objects.count()) == ("done", 120, 120, 120)


def expire(run):
    from leases.clock import in_seconds

    FetchRun.objects.filter(pk=run.pk).update(lease_until=in_seconds(-1))


def test_asking_a_wiki_that_is_slower_than_the_pace_holds_the_lease_too(live):
    run = FetchRun.objects.create(source="kind", label="x", state="running", lease_holder="me")
    time = [0.0]
    heart = FetchHeartbeat(run, "me", monotonic=lambda: time[0])
    client = livebatches.client_for(live.address, before_request=heart.renew)
    for _ in range(2):
        time[0] += 30
        client.pages_with(["Inconsistent"])
    assert stored(run).lease_until is not None
    FetchRun.objects.update(lease_holder="")
    time[0] += 30
    with pytest.raises(FetchLeaseLost):
        client.pages_with(["Inconsistent"])


def test_a_paused_run_asks_for_nothing_more_though_its_lease_was_renewed_a_moment_ago(live):
    """Resumed at once, another worker carries it out: a wiki is asked in series."""
    run = FetchRun.objects.create(source="kind", label="x", state="running", lease_holder="me")
    time = [0.0]
    heart = FetchHeartbeat(run, "me", monotonic=lambda: time[0])
    client = livebatches.client_for(live.address, before_request=heart.renew)
    client.pages_with(["Inconsistent"])
    fetch.pause(run)
    fetch.resume(run)
    FetchRun.objects.update(state="running", lease_holder="another")
    live.asked.clear()
    with pytest.raises(FetchLeaseLost):
        client.pages_with(["Inconsistent"])
    assert live.asked == []


@pytest.mark.both
def test_waiting_and_reading_hold_the_lease_and_notice_that_it_is_lost():
    run = FetchRun.objects.create(source="kind", label="x", state="running", lease_holder="me")
    expire(run)
    with FakeWiki() as wiki:
        heart = FetchHeartbeat(run, "me", monotonic=wiki.clock().monotonic)
        client = wiki.client(before_request=heart.renew, per_second=0.02)
        for _ in range(2):
            client.ask({"action": "query"})
        assert wiki.waits == [20, 20, 10]
    tasks.sweep_fetches()
    run.refresh_from_db()
    assert run.state == "running"
    fetch.cancel(run)
    assert next(heart.along([1])) == 1  # it was renewed a moment ago
    wiki.clock().sleep(30)
    with pytest.raises(FetchLeaseLost):
        next(heart.along([1]))


@pytest.mark.both
def test_a_run_that_kills_every_worker_is_given_up():
    run = FetchRun.objects.create(source="kind", label="x", attempts=tasks.MAX_ATTEMPTS)
    tasks.sweep_fetches()
    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "Given up after 5 workers died over it.")


def test_a_cancelled_run_stops_after_its_batch_and_keeps_what_it_has(live, monkeypatch):
    run = newfetch.fetch_of_kind("inconsistent")
    batches = livebatches.live_batches

    def cancelled_after_one(*args):
        for batch in batches(*args):
            yield batch
            fetch.cancel(FetchRun.objects.get())

    monkeypatch.setattr(livebatches, "live_batches", cancelled_after_one)
    fetch.carry_out(run.pk)
    run.refresh_from_db()
    assert (run.state, run.cursor, Tag.objects.count()) == ("cancelled", 50, 50)


def test_a_run_that_is_over_cannot_be_cancelled(live):
    run = fetch.finished(newfetch.fetch_of_kind("inconsistent", limit=1))
    with pytest.raises(Conflict, match="This fetch run is done"):
        fetch.cancel(run)


@pytest.mark.both
def test_two_live_fetches_of_a_wiki_do_not_run_at_once(live):
    first = newfetch.fetch_of_kind("inconsistent")
    second = newfetch.fetch_of_titles(["Mill 1"])
    assert FETCH_RUN.move(first, "start")
    with pytest.raises(Conflict, match=f"{first} is asking this wiki"):
        fetch.finished(second)
    FETCH_RUN.move(first, "finish")
    assert fetch.finished(newfetch.fetch_of_titles(["Mill 1"])).state == "done"


@pytest.mark.both
def test_a_slice_of_time_hands_the_run_back_with_its_cursor(live, settings):
    settings.WIKI_HTML = False
    run = newfetch.fetch_of_kind("inconsistent", options=newfetch.LiveOptions(history=False))
    for state, cursor in (("waiting", 50), ("waiting", 100), ("waiting", 120), ("done", 120)):
        assert fetch.carry_out(run.pk, seconds=0)
        run.refresh_from_db()
        assert (run.state, run.cursor) == (state, cursor)


def test_many_titles_are_listed_in_slices_too_and_none_is_asked_for_twice(live, monkeypatch):
    """A task may not take as long as 50,000 titles at one request a second."""
    monkeypatch.setattr(freezing, "_LISTED", 2)
    titles = ["Mill 1", "Nope", "Mill 1", "Mill 2", "Mill 3"]
    run = newfetch.fetch_of_titles(titles, options=newfetch.LiveOptions(history=False))
    for queue, is_frozen in (([1], False), ([1, 2, 3], True)):
        assert fetch.carry_out(run.pk, seconds=0)
        run.refresh_from_db()
        assert (run.state, run.queue, run.queue_frozen) == ("waiting", queue, is_frozen)
    assert fetch.finished(run).tags_found == 3
    asked = [
        a.params["titles"]
        for a in live.asked
        if a.params.get("redirects") and "prop" not in a.params
    ]
    assert asked == ["Mill 1|Nope", "Mill 2|Mill 3"]
    assert [problem.page for problem in run.problems.all()] == ["Nope"]


def test_the_task_carries_a_run_out(live, carry_out, django_capture_on_commit_callbacks):
    run = newfetch.fetch_of_kind("inconsistent", limit=2)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.sweep_fetches()
    assert carry_out() == 1
    run.refresh_from_db()
    assert (run.state, run.tags_found) == ("done", 2)


# ---------------------------------------------------------------- files


def many(count):
    return [page(n, f"Mill {n}", revision(100 + n, f"Mill {n}.{TAG}")) for n in range(1, count + 1)]


def test_a_file_is_read_in_batches_and_goes_on_from_its_cursor(tmp_path, monkeypatch):
    monkeypatch.setattr(filebatches, "_WRITTEN", 4)
    run = newfetch.fetch_of_files([written(tmp_path, export(*many(10)), "a.bz2")])
    for cursor in (4, 8, 10):
        fetch.carry_out(run.pk, seconds=0)
        run.refresh_from_db()
        assert (run.state, run.cursor, run.tags_found) == ("waiting", cursor, cursor)
    run = fetch.finished(run)
    assert (run.state, run.pages, run.tags_new, Tag.objects.count()) == ("done", 10, 10, 10)


def draft(pageid, title, ns, text=f"Old.{TAG}"):
    return page(pageid, title, revision(10 + pageid, text), ns=ns)


WHY_NONE = "No tag was found. Only articles are read for tags; pages outside the main namespace: "


@pytest.mark.parametrize(
    ("pages", "problems"),
    [
        ([draft(1, "Draft:Mill", 118)], [f"{WHY_NONE}1 of 1 (Draft)."]),
        (
            [draft(1, "User:A/Mill", 2), draft(2, "Draft:Mill", 118), draft(3, "Draft:Ford", 118)],
            [f"{WHY_NONE}3 of 3 (Draft, User)."],
        ),
        ([page(1, "Mill", revision(11, "Old.")), draft(2, "Talk:Mill", 1)], [f"{WHY_NONE}1 of 2 (Talk)."]),
        ([page(1, "Mill", revision(11, f"Old.{TAG}")), draft(2, "Draft:Mill", 118)], []),
        ([page(1, "Mill", revision(11, "Old."))], []),
        ([], []),
    ],
)  # fmt: skip
def test_a_file_of_other_pages_says_why_it_has_no_tags(tmp_path, pages, problems):
    run = fetch.fetch_xml(written(tmp_path, export(*pages)))
    assert [(p.page, p.problem) for p in run.problems.all()] == [
        ("export.xml", p) for p in problems
    ]
    assert (run.state, run.pages) == ("done", len(pages))


def test_a_file_of_other_pages_says_so_once_though_it_was_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(filebatches, "_READ", 1)
    pages = [draft(1, "Draft:Mill", 118), draft(2, "Draft:Ford", 118)]
    run = newfetch.fetch_of_files([written(tmp_path, export(*pages))])
    for _ in range(9):
        fetch.carry_out(run.pk, seconds=0)
    run.refresh_from_db()
    assert (run.state, run.pages) == ("done", 2)
    assert [p.problem for p in run.problems.all()] == [f"{WHY_NONE}2 of 2 (Draft)."]


def test_a_file_that_ends_in_the_middle_keeps_what_came_before(tmp_path, monkeypatch):
    monkeypatch.setattr(filebatches, "_WRITTEN", 2)
    path = written(tmp_path, export(*many(5)).removesuffix("</mediawiki>\n"))
    with pytest.raises(Refusal, match="ends in the middle"):
        fetch.fetch_xml(path)
    run = FetchRun.objects.get()
    assert (run.state, run.tags_found, Tag.objects.count()) == ("failed", 4, 4)


@pytest.fixture
def uploads(tmp_path, settings):
    settings.DATA_DIR = tmp_path
    folder = tmp_path / "uploads"
    folder.mkdir()
    return folder


def test_an_uploaded_file_is_deleted_when_it_has_been_read(uploads):
    path = written(uploads, export(*many(1)))
    fetch.finished(newfetch.fetch_of_files([path], uploaded=True))
    assert not path.exists()
    kept = written(uploads, export(*many(1)))
    fetch.finished(newfetch.fetch_of_files([kept]))
    assert kept.exists()


@pytest.mark.parametrize("place", ["", "..", "a link"])
def test_a_made_up_row_can_delete_no_file_outside_the_uploads(uploads, place):
    """Such as one from a backup that somebody made up."""
    victim = written(uploads.parent, export(*many(1)))
    if place == "a link":
        (uploads / victim.name).symlink_to(victim)
    run = newfetch.fetch_of_files([victim], uploaded=True)
    if place == "..":
        run.options["paths"] = ["/.."]
        run.save()
    with pytest.raises(Refusal, match=r"cannot be read|no uploaded file"):
        fetch.finished(run)
    assert (stored(run).state, Tag.objects.count(), victim.exists()) == ("failed", 0, True)


def test_an_upload_is_found_where_the_data_folder_has_moved(tmp_path, settings):
    """As after a restore elsewhere: the run notes where the file lay."""
    path = written(tmp_path, export(*many(1)))
    run = newfetch.fetch_of_files([path], uploaded=True)
    settings.DATA_DIR = tmp_path / "moved"
    (settings.DATA_DIR / "uploads").mkdir(parents=True)
    path.rename(settings.DATA_DIR / "uploads" / path.name)
    assert fetch.finished(run).state == "done"


@pytest.mark.both
def test_problems_are_kept_up_to_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "MAX_PROBLEMS", 3)
    run = fetch.fetch_xml(
        written(tmp_path, export(*(page(n, f"P{n}", revision(n, None)) for n in range(1, 9))))
    )
    assert run.problems.count() == 3


# ---------------------------------------------------------------- asking


def test_asking_without_contact_titles_or_leave_is_refused(settings):
    settings.WIKI_CONTACT = ""
    with pytest.raises(Refusal, match="as the contact first"):
        newfetch.fetch_of_kind("inconsistent")
    settings.WIKI_CONTACT = "alice@example.org"
    for ask, message in [
        (lambda: newfetch.fetch_of_kind("dubious"), "no kind of tag"),
        (lambda: newfetch.fetch_of_kind("inconsistent", limit=0), "at least 1"),
        (lambda: newfetch.fetch_of_titles(["", " "]), "There is no title"),
        (lambda: newfetch.fetch_of_titles(map(str, range(50_001))), "takes up to 50000"),
        (
            lambda: newfetch.fetch_of_titles(
                ["Mill"], options=newfetch.LiveOptions(wiki="http://127.0.0.1:22")
            ),
            "WIKI_ALLOWED",
        ),
    ]:
        with pytest.raises(Refusal, match=message):
            ask()
    assert not FetchRun.objects.exists()


def test_a_page_that_has_its_tag_through_another_page_is_named(live):
    live.texts[2] = "Mill 2.{{Mills}}"
    run = fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    (problem,) = run.problems.all()
    assert (problem.page, "it shows the tag of another page" in problem.problem) == ("Mill 2", True)


def test_titles_are_cleaned_and_taken_once():
    lines = ["Kettle Mill", "  Kettle_Mill\t", "[[Ford]]", "", "A\x00B\x1b", "Łódź – “x”"]
    assert newfetch.clean_titles(lines) == ["Kettle Mill", "Ford", "A B", "Łódź – “x”"]


# ---------------------------------------------------------------- histories, and fetching again


def test_the_edit_that_added_each_tag_is_asked_for_once(live):
    live.size = 3
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    tags = Tag.objects.order_by("introduced_revid")
    columns = ("introduced_revid", "introduced_parent_revid", "introduced_by", "introduced_raw")
    assert list(tags.values_list(*columns)) == [
        (3, 2, "Editor 1", TAG), (5, 4, "Editor 1", TAG), (7, 6, "Editor 1", TAG),
    ]  # fmt: skip
    assert tags[0].introduced_parent_block == "Mill 1 was built in 1801."
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert live.histories_asked() == [1, 2, 3]


def test_a_page_takes_few_statements_all_of_them_for_its_history_and_html(live):
    counted = []
    for first, size in ((1, 1), (2, 2), (4, 12)):
        titles = [f"Mill {n}" for n in range(first, first + size)]
        with CaptureQueriesContext(connection) as statements:
            fetch.finished(newfetch.fetch_of_titles(titles))
        counted.append(len(statements))
    # For its history: the lease before the request, a transaction's beginning and end, the tag, the article, the run.
    # For its HTML: the lease, a transaction's beginning and end, the HTML, the run.
    assert counted[2] - counted[1] == 10 * (6 + 5)


def test_a_history_is_kept_where_the_wiki_fails_at_the_next(live, monkeypatch):
    live.size, real = 2, livebatches.traced

    def fails(client, article, names):
        if article.pageid == 2:
            raise WikiError("The API is switched off.")
        return real(client, article, names)

    monkeypatch.setattr(livebatches, "traced", fails)
    run = newfetch.fetch_of_kind("inconsistent")
    assert fetch.carry_out(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "The API is switched off.")
    assert Tag.objects.exclude(introduced_revid=None).count() == 1


def test_a_fetch_without_histories_leaves_them_to_a_later_one(live):
    live.size = 2
    without = newfetch.LiveOptions(history=False)
    fetch.finished(newfetch.fetch_of_kind("inconsistent", options=without))
    assert (live.histories_asked(), Tag.objects.filter(introduced_revid=None).count()) == ([], 2)
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert live.histories_asked() == [1, 2]
    assert not Tag.objects.filter(introduced_revid=None).exists()


def test_a_run_killed_among_the_histories_goes_on_with_the_next(live, monkeypatch):
    live.size = 3
    real, died = recording.record_trace, []

    def dies(traced):
        if traced[0].pageid == 2 and not died:
            died.append(traced)
            raise SystemExit
        return real(traced)

    monkeypatch.setattr(recording, "record_trace", dies)
    run = newfetch.fetch_of_kind("inconsistent")
    with pytest.raises(SystemExit):
        fetch.carry_out(run.pk)
    expire(run)
    tasks.sweep_fetches()
    fetch.finished(run)
    assert live.content_requests() == [["1", "2", "3"]]
    assert live.histories_asked() == [1, 2, 2, 3]  # the one under way when it died, again
    assert not Tag.objects.filter(introduced_revid=None).exists()


@pytest.mark.both
@pytest.mark.parametrize(
    "ask",
    [lambda: newfetch.fetch_of_kind("inconsistent"), lambda: newfetch.fetch_of_category("Mills")],
    ids=["kind", "category"],
)
def test_a_page_that_the_wiki_lists_no_longer_has_its_tag_marked_gone(live, ask):
    """It leaves the list of pages with the tag by the very edit that is to be noticed."""
    live.size = 3
    fetch.finished(ask())
    live.untagged = {2}
    run = fetch.finished(ask())
    states = Tag.objects.order_by("article__title").values_list("state", flat=True)
    assert (list(states), run.unchanged) == (["live", "gone", "live"], 2)


def test_what_is_hidden_of_a_page_is_taken_out_though_its_tag_has_gone(live):
    live.size = 2
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    live.untagged = {2}
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    live.hidden = {5: ["sha1hidden"]}
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert Sighting.objects.get(tag__article__title="Mill 2").block == ""


def test_a_fetch_with_a_limit_takes_no_other_pages(live):
    live.size = 3
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert fetch.finished(newfetch.fetch_of_kind("inconsistent", limit=2)).queue == [1, 2]


def test_another_categorys_pages_are_not_looked_at(live):
    live.size = 2
    fetch.finished(newfetch.fetch_of_titles(["Mill 7"]))
    assert fetch.finished(newfetch.fetch_of_category("Mills")).queue == [1, 2]


@pytest.mark.both
def test_what_the_wiki_has_hidden_since_is_taken_out(live):
    live.size = 2
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert TalkPage.objects.exclude(wikitext="").get().revid == 3
    live.hidden = {3: ["sha1hidden", "userhidden"], 5: ["commenthidden"]}
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    purged, kept = Tag.objects.order_by("introduced_revid").select_related("latest__revision")
    revision = purged.latest.revision
    assert (revision.wikitext, revision.editor) == ("", "")
    assert revision.set_aside == "The wiki has hidden this text since it was fetched."
    assert TalkPage.objects.get().wikitext == ""
    assert (purged.latest.raw, purged.latest.block, purged.latest.block_text) == ("", "", "")
    assert (purged.introduced_by, purged.introduced_block, purged.introduced_raw) == ("", "", "")
    assert (purged.introduced_summary, kept.introduced_summary) == ("edit 1", "")
    assert kept.latest.block == f"Mill 2 was built in 1801.{TAG}"


def test_a_page_that_the_wiki_has_no_more_loses_its_tags_and_keeps_its_rows(live):
    live.size = 2
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    live.deleted = {2}
    run = fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    states = dict(Tag.objects.values_list("article__title", "state"))
    assert states == {"Mill 1": "live", "Mill 2": "gone"}
    assert [(p.page, p.problem) for p in run.problems.all()] == [
        ("Mill 2", "The wiki has no such page any more.")
    ]
    assert Sighting.objects.count() == 2
    run = fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert not run.problems.exists()  # it was a problem once


@pytest.mark.parametrize(
    "ask",
    [
        lambda: newfetch.fetch_of_kind("inconsistent"),
        lambda: newfetch.fetch_of_category("Mills"),
        lambda: newfetch.fetch_of_titles(["Mill 1", "Mill 2"]),
    ],
)
def test_a_page_deleted_between_the_list_and_its_turn_is_reported_by_its_title(
    live, monkeypatch, ask
):
    live.size = 2
    run, keep = ask(), fetch._keep_queue

    def listed(run, *arguments):
        keep(run, *arguments)
        live.deleted = {2}.intersection(run.queue)  # nothing of it was ever kept here

    monkeypatch.setattr(fetch, "_keep_queue", listed)
    run = fetch.finished(run)
    assert (run.queue, run.titles) == ([1, 2], {})
    assert [(p.page, p.problem) for p in run.problems.all()] == [
        ("Mill 2", "The wiki has no such page any more.")
    ]


# ---------------------------------------------------------------- other ways to ask


def test_a_fetch_by_category_takes_its_articles(live):
    live.size = 4
    run = fetch.finished(newfetch.fetch_of_category("Category:Mills", limit=3))
    assert (run.label, run.queue, run.tags_found) == ("Mills, at most 3 pages", [1, 2, 3], 3)


@pytest.fixture
def months(live):
    """A category whose articles are in one for each month, and in a year below a month."""
    live.filed = {
        "Category:Mills": [1],
        "Category:May": [2, 3],
        "Category:June": [3, 4],
        "Category:2009": [5],
    }
    live.below = {
        "Category:Mills": ["Category:May", "Category:June"],
        "Category:May": ["Category:2009"],
    }
    return live


@pytest.mark.parametrize(
    ("how", "queue"),
    [
        ({}, [1, 2, 3, 4]),
        ({"depth": 0}, [1]),
        ({"depth": 2}, [1, 2, 3, 4, 5]),
        ({"depth": 5}, [1, 2, 3, 4, 5]),
        ({"depth": 2, "limit": 3}, [1, 2, 3]),
    ],
)
def test_subcategories_are_followed_so_many_levels_down(months, how, queue):
    assert fetch.finished(newfetch.fetch_of_category("Mills", **how)).queue == queue
    assert set(categories_asked(months)) <= {"Mills", "May", "June", "2009"}


def categories_asked(live):
    asked = [asked.params["cmtitle"] for asked in live.asked if "cmtitle" in asked.params]
    return [title.removeprefix("Category:") for title in asked]


def test_a_category_that_contains_itself_is_asked_once(months):
    months.below |= {
        "Category:May": ["Category:Mills", "Category:May"],
        "Category:June": ["Category:May"],
    }
    assert fetch.finished(newfetch.fetch_of_category("Mills", depth=5)).queue == [1, 2, 3, 4]
    assert categories_asked(months) == ["Mills", "May", "June"]


def test_a_category_with_too_many_below_it_is_refused(months, monkeypatch):
    monkeypatch.setattr("wikifetch.source.categories._MOST_CATEGORIES", 2)
    with pytest.raises(Refusal, match="has 3 categories below it or more; a fetch follows 2"):
        fetch.finished(newfetch.fetch_of_category("Mills"))


@pytest.mark.parametrize("depth", [-1, 6])
def test_levels_beyond_what_is_followed_are_refused(months, depth):
    with pytest.raises(Refusal, match="Follow 0 to 5 levels"):
        newfetch.fetch_of_category("Mills", depth=depth)


def test_fewer_levels_leave_out_what_more_levels_listed_before(months):
    fetch.finished(newfetch.fetch_of_category("Mills"))
    assert fetch.finished(newfetch.fetch_of_category("Mills", depth=0)).queue == [1]
    months.filed["Category:May"] = []
    assert fetch.finished(newfetch.fetch_of_category("Mills")).queue == [1, 3, 4, 2]


def test_a_category_that_is_not_there_is_reported(live):
    with pytest.raises(Refusal, match="category “Nothing” does not exist or holds no article"):
        fetch.finished(newfetch.fetch_of_category("Nothing"))


@pytest.mark.parametrize("name", ["", "  ", "Category:", "Mills|Dams"])
def test_what_names_no_category_is_refused(live, name):
    with pytest.raises(Refusal, match="the name of one category"):
        newfetch.fetch_of_category(name)


@pytest.mark.both
def test_a_dry_run_over_more_pages_than_a_statement_may_name_counts_those_that_are_known(live):
    live.size = 2
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    run = FetchRun.objects.get()
    run.queue = list(range(2, 300_000))
    assert fetch.known_pages(run) == 1


def test_a_dry_run_lists_what_it_would_take_and_rests(live):
    run = fetch.finished(
        newfetch.fetch_of_kind("inconsistent", options=newfetch.LiveOptions(dry_run=True))
    )
    assert (run.state, len(run.queue), fetch.known_pages(run)) == ("paused", 120, 0)
    assert live.content_requests() == []
    fetch.resume(run)
    assert fetch.finished(run).tags_found == 120


def test_a_paused_run_stops_after_its_batch_and_goes_on_when_resumed(live, monkeypatch):
    run = newfetch.fetch_of_kind("inconsistent", options=newfetch.LiveOptions(history=False))
    batches = livebatches.live_batches

    def paused_after_one(*args):
        for batch in batches(*args):
            yield batch
            fetch.pause(FetchRun.objects.get())

    monkeypatch.setattr(livebatches, "live_batches", paused_after_one)
    fetch.carry_out(run.pk)
    run.refresh_from_db()
    assert (run.state, run.cursor) == ("paused", 50)
    tasks.sweep_fetches()
    assert not fetch.carry_out(run.pk)
    monkeypatch.setattr(livebatches, "live_batches", batches)
    fetch.resume(run)
    assert fetch.finished(run).tags_found == 120


def test_the_other_article_that_a_tag_names_is_kept_when_it_is_fetched_by_its_title(live):
    live.size = 2
    live.untagged = {2}
    titles = ["Mill 1", "Mill 2"]
    fetch.finished(newfetch.fetch_of_titles(titles))
    assert set(Article.objects.values_list("title", flat=True)) == {"Mill 1"}
    Sighting.objects.update(other_article="mill 2")
    fetch.finished(newfetch.fetch_of_titles(titles))
    assert set(Article.objects.values_list("title", flat=True)) == {"Mill 1", "Mill 2"}
    assert Tag.objects.count() == 1


def test_a_wiki_in_another_language_has_names_of_its_own(live, settings):
    live.size = 1
    settings.WIKI_TEMPLATES = {live.address: {"inconsistent": ["Incohérence"]}}
    fetch.finished(newfetch.fetch_of_kind("inconsistent"))
    assert [a.params["titles"] for a in live.asked if a.params.get("prop") == "redirects"] == [
        "Template:Incohérence"
    ]
