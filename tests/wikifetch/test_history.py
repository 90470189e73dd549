"""Which edit introduced a tag, read from a page's history."""

import tracemalloc
from datetime import UTC, datetime, timedelta

import pytest

from wikifetch.history.introductions import read_history
from wikifetch.history.pages_seen import RevisionSeen

TAG = "{{Inconsistent}}"
DATED = "{{Inconsistent|date=May 2020}}"
OTHER = "{{Contradict-inline|reason=Year}}"
PLAIN = "Lead.\n\n== History ==\nThe mill was built by Ann Kettle in 1801. It burned down in 1850."
TAGGED = PLAIN.replace("in 1801.", f"in 1801.{TAG}")
BARN = "\n\nThe barn was built in 1890 by the brothers of Ann Kettle."
BANNER = PLAIN.replace("== History ==\n", "== History ==\n{{Self-contradictory}}\n")
FIRST = datetime(2020, 1, 1, tzinfo=UTC)


def history_of(*texts, **first):
    """Revisions 1, 2, … with these texts, a day apart; None for a text that the wiki hides."""
    revisions = [
        RevisionSeen(
            revid=n,
            parent_revid=n - 1 or None,
            timestamp=FIRST + timedelta(days=n),
            editor=f"Editor {n}",
            summary=f"edit {n}",
            text=text,
            no_text="" if text is not None else "The wiki hides its text.",
        )
        for n, text in enumerate(texts, start=1)
    ]
    return read_history(revisions)


def introduced(*texts):
    return [each and each.revision.revid for each in history_of(*texts).introductions]


@pytest.mark.parametrize(
    ("texts", "revids"),
    [
        pytest.param([PLAIN, TAGGED], [2], id="plain case"),
        pytest.param(
            [PLAIN, TAGGED, TAGGED + BARN, PLAIN.replace("1801", "1802") + BARN + TAG], [4],
            id="settled, and another of its section tagged alike",
        ),
        pytest.param([PLAIN, TAGGED, TAGGED + " More."], [2], id="edited since"),
        pytest.param([PLAIN, TAGGED, TAGGED.replace(TAG, DATED)], [2], id="dated by a bot later"),
        pytest.param([PLAIN, TAGGED, "lol", TAGGED], [2], id="vandalism reverted"),
        pytest.param([PLAIN, TAGGED, "lol", "lol lol", TAGGED, TAGGED + "x"], [2], id="vandalism twice"),
        pytest.param([PLAIN, TAGGED, PLAIN, TAGGED], [2], id="removed and put back"),
        pytest.param([PLAIN, "lol", PLAIN, TAGGED], [4], id="added after a revert"),
        pytest.param([TAGGED, TAGGED + " More."], [1], id="there from the first edit"),
        pytest.param([TAGGED], [None], id="a lone revision shows no origin"),
        pytest.param([PLAIN, TAGGED, TAGGED + OTHER], [2, 3], id="two tags, two edits"),
        pytest.param([PLAIN, TAGGED, TAGGED.replace(TAG, TAG + TAG)], [2, 3], id="a second copy"),
        pytest.param([PLAIN, BANNER, BANNER + " More."], [2], id="banner"),
        pytest.param([PLAIN, None, TAGGED], [None], id="in a hidden revision, or after it"),
        pytest.param([PLAIN, None, PLAIN, TAGGED], [4], id="after a hidden revision"),
        pytest.param([PLAIN, TAGGED, None, TAGGED + "x"], [2], id="before a hidden revision"),
        pytest.param([PLAIN, TAGGED, PLAIN], [], id="gone again"),
    ],
)  # fmt: skip
def test_the_introducing_edit(texts, revids):
    assert introduced(*texts) == revids


def test_a_history_that_begins_later_does_not_tell():
    revisions = [
        RevisionSeen(
            revid=n, parent_revid=n - 1, timestamp=FIRST + timedelta(days=n), text=TAGGED + str(n)
        )
        for n in (7, 8)
    ]
    assert read_history(revisions).introductions == (None,)


def test_the_edit_is_kept_with_its_block_before_and_after():
    (result,) = history_of(PLAIN, TAGGED).introductions
    paragraph = PLAIN.split("\n")[-1]
    assert (result.revision.editor, result.revision.summary) == ("Editor 2", "edit 2")
    assert result.revision.text is None
    assert result.block == paragraph.replace("in 1801.", f"in 1801.{TAG}")
    assert result.parent_block == paragraph


def test_the_block_before_is_the_likest_paragraph_or_the_same_section():
    (inline,) = history_of(PLAIN, TAGGED.replace("burned down", "burned")).introductions
    assert inline.parent_block == PLAIN.split("\n\n")[1]
    (banner,) = history_of(PLAIN, BANNER + " More.").introductions
    assert banner.parent_block == PLAIN.split("\n\n")[1]
    (new,) = history_of("Quite another text.", TAGGED).introductions
    assert new.parent_block == ""


def test_a_file_that_lists_the_newest_first_is_read_the_same():
    forth = history_of(PLAIN, TAGGED, TAGGED + " More.")
    revisions = [
        RevisionSeen(
            revid=n, parent_revid=n - 1 or None, timestamp=FIRST + timedelta(days=n), text=text
        )
        for n, text in ((3, TAGGED + " More."), (2, TAGGED), (1, PLAIN))
    ]
    back = read_history(revisions)
    assert back.newest.revid == forth.newest.revid == 3
    assert [each.revision.revid for each in back.introductions] == [2]


def test_a_hidden_newest_revision_is_reported_and_the_one_before_is_read():
    history = history_of(PLAIN, TAGGED, None)
    assert history.problem == "The wiki hides its text."
    assert (history.newest.revid, len(history.reading.tags)) == (2, 1)


def test_a_page_without_any_text_is_reported():
    assert history_of(None).newest is None
    assert history_of().problem == "The page has no revision."


def test_a_long_history_keeps_one_copy_of_a_block_that_does_not_change():
    lead = "{{Self-contradictory}}\n" + "The mill was built in 1801. " * 2_000
    revisions = (
        RevisionSeen(n, n - 1 or None, FIRST + timedelta(days=n), text=f"{lead}\n\n== A ==\n{n}")
        for n in range(1, 200)
    )
    tracemalloc.start()
    (result,) = read_history(revisions).introductions
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.revision.revid == 1
    assert peak < 100 * len(lead)  # of 200 copies that it would be, and of their lists of words
