"""Which edit introduced a tag, where the history is long and must be asked for."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from random import Random

import pytest

from wikifetch.history.pages_seen import RevisionSeen
from wikifetch.history.tracing import EARLIER, Newest, Outline, Outlines, trace
from wikifetch.wikitext import find_tags
from wikifetch.wikitext.parameters import month_of

TAG = "{{Inconsistent}}"
PLAIN = "The mill was built by Ann Kettle in 1801. It burned down in 1850."
FIRST = datetime(2020, 1, 1, tzinfo=UTC)


class KeptHistory:
    """A history that counts what it is asked: `texts` oldest first, None for one that is hidden; a day between two."""

    def __init__(self, texts, *, size=1_000, newest=50):
        self.revisions = [
            RevisionSeen(
                n, n - 1 or None, FIRST + timedelta(days=n), f"Editor {n}", f"edit {n}", text
            )
            for n, text in enumerate(texts, start=1)
        ]
        self.size, self.how_many = size, newest
        self.requests = []
        self.sent = 0  # texts

    def up_to(self, revid, since):
        return [
            r
            for r in self.revisions
            if r.revid <= revid and (since is None or r.timestamp >= since)
        ]

    def newest_revisions(self, pageid, revid, since=None):
        self.requests.append("newest")
        result = self.up_to(revid, since)[::-1]
        self.sent += len(result[: self.how_many])
        return Newest(tuple(result[: self.how_many]), len(result) > self.how_many)

    def outlines(self, pageid, revid, since=None):
        self.requests.append("outlines")
        kept = [
            Outline(r.revid, r.timestamp, r.sha1, self.size)
            for r in self.up_to(revid, since)
            if r.text is not None
        ]
        return Outlines(tuple(kept), since is None)

    def texts(self, revids):
        self.requests.append(len(revids))
        self.sent += len(revids)
        return {r.revid: r for r in self.revisions if r.revid in revids and r.text is not None}


def history(length, added, tag=TAG):
    """`length` revisions that each change a little; the tag is there from revision `added` on."""
    texts = []
    for n in range(1, length + 1):
        marked = f"{PLAIN}{tag}" if n >= added else PLAIN
        texts.append(f"{marked}\n\nEdited {n} times.")
    return texts


def introduced(kept_history):
    """From the newest revision on, asked for as the months of its tags suggest."""
    newest = kept_history.revisions[-1]
    months = [month_of(tag.date) for tag in find_tags(newest.text).tags]
    since = None
    if all(months):
        since = datetime.combine(min(months), time(), UTC) - EARLIER
    traced = trace(kept_history, 1, newest.revid, since=since)
    return [each and each.revision.revid for each in traced.introductions]


def test_most_tags_take_one_request():
    kept_history = KeptHistory(history(3_000, 2_970))
    assert introduced(kept_history) == [2_970]
    assert kept_history.requests == ["newest"]


@pytest.mark.parametrize("added", [1, 2, 17, 1_500, 2_949, 2_950])
def test_a_tag_added_long_ago_is_found_in_a_few_requests(added):
    kept_history = KeptHistory(history(3_000, added))
    assert introduced(kept_history) == [added]
    assert len(kept_history.requests) <= 8


def dated(n, months=0):
    """The tag with the month of revision number n, or one that many later."""
    day = FIRST + timedelta(days=n + 30 * months)
    return f"{{{{Inconsistent|date={day:%B %Y}}}}}"


def test_the_month_of_the_tag_is_looked_at_first():
    kept_history = KeptHistory(history(3_000, 700, dated(700)))
    assert introduced(kept_history) == [700]
    # The newest, the list since a year before the month, the month, and the rest of what is left.
    assert kept_history.requests == ["newest", "outlines", 24, 3]


def test_what_is_a_year_older_than_the_tag_is_not_asked_for():
    kept_history = KeptHistory(history(1_000, 980, dated(980)), newest=1_000)
    assert introduced(kept_history) == [980]
    assert kept_history.requests == ["newest"]
    assert kept_history.sent < 420


def test_where_nobody_edited_for_years_before_the_tag_the_rest_is_asked_for():
    kept_history = KeptHistory(history(3, 2, dated(2)))
    kept_history.revisions[0] = replace(
        kept_history.revisions[0], timestamp=FIRST - timedelta(days=3_000)
    )
    assert introduced(kept_history) == [2]
    assert kept_history.requests == ["newest", "newest"]


@pytest.mark.parametrize("length", [30, 3_000])
@pytest.mark.parametrize("month", ["May 1999", "May 2020", "May 2026", "May 2050"])
def test_a_month_that_is_wrong_misleads_nobody(month, length):
    added = length * 7 // 10
    kept_history = KeptHistory(history(length, added, f"{{{{Inconsistent|date={month}}}}}"))
    assert introduced(kept_history) == [added]


@pytest.mark.parametrize("months", [-1, 0, 1])
def test_a_bot_that_dates_the_tag_later_is_not_who_added_it(months):
    texts = history(600, 300, "{{Inconsistent}}")
    texts[305:] = [text.replace("t}}", f"t|{dated(305, months)[15:]}") for text in texts[305:]]
    assert introduced(KeptHistory(texts)) == [300]


@pytest.mark.parametrize("tag", [TAG, dated(40)])
def test_a_repair_is_no_addition_where_the_newest_revisions_begin_amid_the_vandalism(tag):
    texts = history(200, 40, tag)
    texts[149:151] = ["lol", "lol again"]
    texts[151] = texts[148]
    kept_history = KeptHistory(texts)
    assert introduced(kept_history) == [40]


def test_a_tag_that_was_copied_with_its_month_is_traced_to_the_copy():
    """Taken out, and put back years later as it was: the month names the first edit, not the one that counts."""
    texts = history(600, 100, dated(100))
    texts[400:520] = [text.replace(dated(100), "") for text in texts[400:520]]
    assert introduced(KeptHistory(texts)) == [521]


def random_history(random):
    """Texts of a history with vandalism, reverts, a bot that dates the tag and a tag that is away for a time."""
    length = random.choice([5, 30, 49, 51, 90, 300, 900])
    added = random.randint(2, length - 1)
    month = random.choice(["", *[0] * 6, 1, -1, 20, -40])
    tag = TAG if month == "" else dated(added, month)
    texts = history(length, added, tag)
    for at in random.sample(range(1, length - 1, 3), length // 40):
        if at not in {added - 2, added - 1}:
            texts[at], texts[at + 1] = "lol", texts[at - 1]
    return texts, tag


@pytest.mark.long
def test_a_hundred_histories_are_traced_to_the_edit_that_counts():
    random = Random(100)
    wrong, requests = [], []
    for number in range(100):
        texts, tag = random_history(random)
        kept_history = KeptHistory(texts)
        if introduced(kept_history) != [added_by_a_walk(texts, tag)]:
            wrong.append(number)
        requests.append(len(kept_history.requests))
    assert wrong == []
    assert max(requests) <= 8


def added_by_a_walk(texts, tag):
    """The number of the edit that added the tag: back through all texts, over those that were reverted."""
    at = len(texts) - 1
    while at >= 0 and tag in texts[at]:
        first = texts.index(texts[at])
        added, at = first + 1, first - 1
    return added


def test_vandalism_and_its_repair_introduce_nothing():
    texts = history(400, 60)
    texts[200], texts[201] = "lol", texts[199]
    assert introduced(KeptHistory(texts)) == [60]


def test_hidden_revisions_are_passed_over():
    texts = history(400, 60)
    texts[100:110] = [None] * 10
    assert introduced(KeptHistory(texts)) == [60]


def test_a_tag_that_a_hidden_edit_may_have_added_is_laid_at_nobodys_door():
    texts = history(400, 60)
    texts[58] = None
    assert introduced(KeptHistory(texts)) == [None]


def test_two_tags_are_followed_apart():
    texts = [
        text.replace("1850.", "1850.{{Contradict-inline}}") if n >= 40 else text
        for n, text in enumerate(history(400, 250), start=1)
    ]
    kept_history = trace(KeptHistory(texts), 1, 400)
    by_raw = {
        tag.raw: each.revision.revid
        for tag, each in zip(kept_history.reading.tags, kept_history.introductions, strict=True)
    }
    assert by_raw == {TAG: 250, "{{Contradict-inline}}": 40}


def test_the_edit_comes_with_the_tag_its_block_and_the_block_before():
    (result,) = trace(KeptHistory(history(400, 60)), 1, 400).introductions
    assert (result.revision.summary, result.revision.text) == ("edit 60", None)
    assert (result.raw, result.block, result.parent_block) == (TAG, PLAIN + TAG, PLAIN)


def test_the_block_before_is_known_by_the_revision_it_was_read_in():
    texts = history(400, 60)
    vandalised = [*texts[:57], "lol", texts[56], *texts[59:]]  # reverted just before the tag came
    (result,) = trace(KeptHistory(vandalised), 1, 400).introductions
    assert (result.revision.revid, result.revision.parent_revid) == (60, 59)
    assert (result.parent_revid, result.parent_block) == (57, PLAIN)


def test_long_articles_are_asked_for_few_at_a_time():
    kept_history = KeptHistory(history(3_000, 700), size=2_000_000, newest=4)
    assert introduced(kept_history) == [700]
    assert max(count for count in kept_history.requests if isinstance(count, int)) == 2


def test_a_list_that_does_not_reach_back_tells_nothing():
    kept_history = KeptHistory(history(400, 1))
    outlines = replace(kept_history.outlines(1, 400), whole=False)
    kept_history.outlines = lambda *page: outlines
    assert introduced(kept_history) == [None]


def test_a_text_that_is_not_to_be_had_after_all_tells_nothing():
    kept_history = KeptHistory(history(400, 60))
    kept_history.texts = lambda revids: {}
    assert introduced(kept_history) == [None]


def test_the_words_of_blocks_are_not_read_on_the_way(monkeypatch):
    """They take most of the time, and only those of the revision that is kept are wanted."""
    monkeypatch.delattr("wikifetch.wikitext.finder.readable")
    assert introduced(KeptHistory(history(400, 60))) == [60]
