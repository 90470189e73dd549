"""The problems of a fetch as they are listed: first what is new, then what an earlier fetch had said too, in groups."""

from dataclasses import dataclass

from pages.counting import how_many
from wikifetch.models import FetchProblem, FetchRun

_SHOWN = 200  # new ones on a page


@dataclass(frozen=True)
class KnownProblem:
    """What an earlier fetch had said too, of one page or more."""

    problem: str
    pages: tuple[str, ...]

    @property
    def title(self) -> str:
        return self.pages[0] if len(self.pages) == 1 else how_many(len(self.pages), "page")

    @property
    def titles(self) -> str:
        """Those of several pages, on one line."""
        return " · ".join(self.pages) if len(self.pages) > 1 else ""


@dataclass(frozen=True)
class ProblemList:
    """How many there are in all, and how many of them are new; the first new ones; the others by what they say."""

    count: int
    new_count: int
    new: tuple[FetchProblem, ...]
    known: tuple[KnownProblem, ...]

    @property
    def counted(self) -> str:
        return f"{self.count}, {self.new_count} of them new" if self.known else str(self.count)


def problems_of(run: FetchRun, most: int | None = _SHOWN) -> ProblemList:
    new = run.problems.filter(seen_before=False)
    pages: dict[str, list[str]] = {}
    known = run.problems.filter(seen_before=True)
    for page, problem in known.values_list("page", "problem"):
        pages.setdefault(problem, []).append(page)
    groups = tuple(KnownProblem(problem, tuple(titles)) for problem, titles in pages.items())
    new_count = new.count()
    count = new_count + sum(len(titles) for titles in pages.values())
    return ProblemList(count, new_count, tuple(new[:most]), groups)
