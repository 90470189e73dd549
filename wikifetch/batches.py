"""What is recorded at a time. Files and the live API give the same batches."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from wikifetch.answers import Hidden
from wikifetch.history import PageHistory, read_history
from wikifetch.origins import Traced
from wikifetch.revisions import PageSeen, RevisionSeen
from wikifetch.wikitext import TagNames


@dataclass
class Batch:
    """What to record; `done` is the cursor after it, `read` the pages read by then where that is another number.

    Pages with what was read in them, the other articles that their tags name and where those titles led, talk pages
    by the article's title, problems by page, ids of pages that had not changed and of known ones that the wiki has no
    more, histories, and what is hidden by revision.
    """

    done: int
    read: int | None = None
    pages: list[tuple[PageSeen, PageHistory]] = field(default_factory=list)
    others: list[tuple[PageSeen, PageHistory]] = field(default_factory=list)
    named: dict[str, int] = field(default_factory=dict)
    talk: list[tuple[str, RevisionSeen]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    unchanged: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    traced: list[Traced] = field(default_factory=list)
    hidden: dict[int, Hidden] = field(default_factory=dict)


def history_of(revisions: Iterable[RevisionSeen], names: TagNames) -> PageHistory:
    """A page's history, and at once the words of what is kept of it: no transaction is to wait for them."""
    history = read_history(revisions, names)
    history.reading.words()
    return history


def add(
    batch: Batch,
    page: PageSeen,
    history: PageHistory,
    known: bool,
    to: list[tuple[PageSeen, PageHistory]] | None = None,
) -> None:
    """Into the batch, if there is anything to keep or to tell of the page: to its pages, or where else it belongs."""
    problems = [page.problem, history.problem, history.reading.set_aside, *history.reading.problems]
    label = page.title or f"page {page.pageid}"
    batch.problems += [(label, problem) for problem in problems if problem]
    interesting = known or history.reading.tags or history.reading.set_aside
    if history.newest is not None and interesting and page.title:
        (batch.pages if to is None else to).append((page, history))
