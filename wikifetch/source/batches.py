"""What is recorded at a time. Files and the live API give the same batches."""

from dataclasses import dataclass, fields
from itertools import chain

from wikifetch.history.introductions import PageHistory, PageRead
from wikifetch.history.pages_seen import HiddenParts, PageSeen, RevisionSeen
from wikifetch.source.htmls import HtmlAsked
from wikifetch.source.origins import Traced


@dataclass(frozen=True)
class BatchPart:
    """What was read of some pages; `joined_parts` puts parts together.

    `pages` that were asked for, and `others` that their tags name; `leads`: title to page id; `talk` pages and
    `problems` by title; ids of `unchanged` pages, and of known ones `missing` from the wiki; `traced` histories;
    `htmls`; and what is `hidden`, by revision id.
    """

    pages: tuple[PageRead, ...] = ()
    others: tuple[PageRead, ...] = ()
    leads: tuple[tuple[str, int], ...] = ()
    talk: tuple[tuple[str, RevisionSeen], ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    unchanged: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    traced: tuple[Traced, ...] = ()
    htmls: tuple[HtmlAsked, ...] = ()
    hidden: tuple[tuple[int, HiddenParts], ...] = ()


NOTHING = BatchPart()


@dataclass(frozen=True)
class Batch:
    """A part to record, and the run's `cursor` after it; `pages_read` where that is another number."""

    cursor: int
    part: BatchPart = NOTHING
    pages_read: int | None = None


def joined_parts(*parts: BatchPart) -> BatchPart:
    columns = ([getattr(part, field.name) for part in parts] for field in fields(BatchPart))
    return BatchPart(*(tuple(chain.from_iterable(column)) for column in columns))


def part_of(
    page: PageSeen, history: PageHistory, *, is_known: bool, is_other: bool = False
) -> BatchPart:
    """The page's problems, and the page itself if it has tags, was not read, or is known."""
    problems = [page.problem, history.problem, history.reading.set_aside, *history.reading.problems]
    label = page.title or f"page {page.pageid}"
    listed = tuple((label, problem) for problem in problems if problem)
    is_kept = is_known or history.reading.tags or history.reading.set_aside
    if history.newest is None or not is_kept or not page.title:
        return BatchPart(problems=listed) if listed else NOTHING
    kept = ((page, history),)
    return (
        BatchPart(others=kept, problems=listed)
        if is_other
        else BatchPart(pages=kept, problems=listed)
    )
