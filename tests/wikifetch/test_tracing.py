"""Which edit introduced a tag, where the history is long and must be asked for."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from wikifetch.history.revisions import RevisionSeen
from wikifetch.history.tracing import Outline, Outlines, trace

TAG = "{{Inconsistent}}"
PLAIN = "The mill was built by Ann Kettle in 1801. It burned down in 1850."
FIRST = datetime(2020, 1, 1, tzinfo=UTC)


class KeptHistory:
    """A history that counts what it is asked: `texts` oldest first, None for one that is hidden."""

    def __init__(self, texts, *, size=1_000, newest=50):
        self.revisions = [
            RevisionSeen(
                n, n - 1 or None, FIRST + timedelta(days=n), f"Editor {n}", f"edit {n}", text
            )
            for n, text in enumerate(texts, start=1)
        ]
        self.size, self.how_many = size, newest
        self.requests = []

    def newest_revisions(self, pageid, revid):
        self.requests.append("newest")
        result = list(reversed(self.revisions))
        return result[: self.how_many], len(result) <= self.how_many

    def outlines(self, pageid, revid):
        self.requests.append("outlines")
        kept = [
            Outline(r.revid, r.timestamp, r.sha1, self.size)
            for r in self.revisions
            if r.text is not None
        ]
        return Outlines(tuple(kept), whole=True)

    def texts(self, revids):
        self.requests.append(len(revids))
        return {r.revid: r for r in self.revisions if r.revid in revids and r.text is not None}


def history(length, added, tag=TAG):
    """`length` revisions that each change a little; the tag is there from revision `added` on."""
    texts = []
    for n in range(1, length + 1):
        marked = f"{PLAIN}{tag}" if n >= added else PLAIN
        texts.append(f"{marked}\n\nEdited {n} times.")
    return texts


def introduced(kept_history):
    return [each and each.revision.revid for each in trace(kept_history, 1, 1).introductions]


def test_most_tags_take_one_request():
    kept_history = KeptHistory(history(3_000, 2_970))
    assert introduced(kept_history) == [2_970]
    assert kept_history.requests == ["newest"]


@pytest.mark.parametrize("added", [1, 2, 17, 1_500, 2_949, 2_950])
def test_a_tag_added_long_ago_is_found_in_a_few_requests(added):
    kept_history = KeptHistory(history(3_000, added))
    assert introduced(kept_history) == [added]
    assert len(kept_history.requests) <= 8


def test_the_month_of_the_tag_is_looked_at_first():
    added = 700  # 1 December 2021
    kept_history = KeptHistory(history(3_000, added, "{{Inconsistent|date=December 2021}}"))
    assert introduced(kept_history) == [added]
    assert kept_history.requests[3] == 2


def test_a_month_that_is_wrong_misleads_nobody():
    kept_history = KeptHistory(history(3_000, 700, "{{Inconsistent|date=May 2026}}"))
    assert introduced(kept_history) == [700]


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
    kept_history = trace(KeptHistory(texts), 1, 1)
    by_raw = {
        tag.raw: each.revision.revid
        for tag, each in zip(kept_history.reading.tags, kept_history.introductions, strict=True)
    }
    assert by_raw == {TAG: 250, "{{Contradict-inline}}": 40}


def test_the_edit_comes_with_the_tag_its_block_and_the_block_before():
    (result,) = trace(KeptHistory(history(400, 60)), 1, 1).introductions
    assert (result.revision.summary, result.revision.text) == ("edit 60", None)
    assert (result.raw, result.block, result.parent_block) == (TAG, PLAIN + TAG, PLAIN)


def test_the_block_before_is_known_by_the_revision_it_was_read_in():
    texts = history(400, 60)
    vandalised = [*texts[:57], "lol", texts[56], *texts[59:]]  # reverted just before the tag came
    (result,) = trace(KeptHistory(vandalised), 1, 1).introductions
    assert (result.revision.revid, result.revision.parent_revid) == (60, 59)
    assert (result.parent_revid, result.parent_block) == (57, PLAIN)


def test_long_articles_are_asked_for_few_at_a_time():
    kept_history = KeptHistory(history(3_000, 700), size=2_000_000, newest=4)
    assert introduced(kept_history) == [700]
    assert max(count for count in kept_history.requests if isinstance(count, int)) == 1


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
