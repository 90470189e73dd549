"""What one wiki is asked: which templates, which pages, their texts, their histories.

A generator of pages repeats each page in every answer, so page ids are listed first and content comes 50 ids at a
time; a long answer is cut into several. See api for how it is asked.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from wikifetch.history.revisions import ARTICLES, TALK, PageSeen, RevisionSeen
from wikifetch.history.tracing import Outline, Outlines
from wikifetch.source import answers
from wikifetch.source.api import WikiApi
from wikifetch.source.manners import WikiError

T = TypeVar("T")

BATCH = 50  # more titles in one request are an API error without a bot's right
_CONTENT = {"rvprop": "ids|timestamp|user|comment|content", "rvslots": "main"}
CATEGORIES = 14  # the namespace
_MOST_CATEGORIES = 500  # that one fetch follows: a request each, before its first page
_MOST_OUTLINES = 20_000  # of a page's revisions: forty requests


class WikiClient(WikiApi):
    """What is asked of one wiki; every method may raise WikiError."""

    def spellings(self, canonical: Sequence[str]) -> answers.Spellings:
        """The names under which these templates are used here; empty where the wiki has none of them."""
        targets: dict[str, None] = {}
        names: dict[str, None] = {}
        titles = "|".join(f"Template:{name}" for name in canonical)
        query = {"titles": titles, "prop": "redirects", "rdlimit": "max", "redirects": 1}
        for page in self._pages(query):
            if not page.get("missing") and not page.get("invalid"):
                targets.setdefault(answers.without_namespace(page["title"]))
                names.setdefault(answers.without_namespace(page["title"]))
            for redirect in page.get("redirects", []):
                names.setdefault(answers.without_namespace(redirect["title"]))
        return answers.Spellings(tuple(targets), tuple(names))

    def pageids_with(self, templates: Iterable[str], limit: int | None = None) -> list[int]:
        """Ids of the articles that use these templates under any name, each once, at most `limit`."""
        query = {"einamespace": ARTICLES, "eilimit": "max", "eifilterredir": "nonredirects"}
        queries = ({"eititle": f"Template:{name}", **query} for name in templates)
        return self._listed("embeddedin", queries, limit)

    def follow_titles(self, titles: Sequence[str]) -> Iterator[tuple[str, answers.TitleResult]]:
        """Each title, with the article that it leads to, redirects followed, or why there is none."""
        for batch in in_batches([title for title in titles if "|" not in title]):
            for answer in self.query({"titles": "|".join(batch), "redirects": 1}):
                yield from answers.title_results(batch, answer)
        for title in titles:
            if "|" in title:
                yield title, answers.TitleResult(title, problem="No title holds a bar (|).")

    def pages(self, pageids: Sequence[int]) -> Iterator[PageSeen]:
        """The present revision of each page, in the order asked; the wiki's problem with one in it."""
        for batch in in_batches(pageids):
            pages = self._with_content({"pageids": "|".join(map(str, batch))})
            by_id = {page.get("pageid"): page for page in pages}
            for pageid in batch:
                yield answers.page_seen(by_id.get(pageid) or {"pageid": pageid, "missing": True})

    def pageids_in(self, category: str, depth: int = 0, limit: int | None = None) -> list[int]:
        """Ids of the articles in a category and in those up to `depth` levels below it, each once, at most `limit`."""
        pageids: dict[int, None] = {}
        followed: set[str] = set()
        level = [f"Category:{category}"]
        for below in range(depth, -1, -1):
            fresh = [title for title in dict.fromkeys(level) if title not in followed]
            followed |= {*fresh}
            _check_categories(category, len(followed))
            level = []
            for title in fresh:
                for page in self._members(title, with_categories=below > 0):
                    if page.get("ns") == CATEGORIES:
                        level.append(page["title"])
                    else:
                        pageids.setdefault(page["pageid"])
                    if limit is not None and len(pageids) >= limit:
                        return list(pageids)
        if not pageids:
            below_it = ", nor do its subcategories" if depth else ""
            raise WikiError(
                f"This wiki's category “{category}” does not exist or holds no article{below_it}. Look it up there, "
                "and write its name without “Category:”."
            )
        return list(pageids)

    def _members(self, title: str, *, with_categories: bool) -> Iterator[dict[str, Any]]:
        """The articles of one category, and the categories directly below it if wanted."""
        query = {"list": "categorymembers", "cmtitle": title, "cmlimit": "max"}
        query |= {"cmprop": "ids|title", "cmnamespace": str(ARTICLES), "cmtype": "page"}
        if with_categories:
            query |= {"cmnamespace": f"{ARTICLES}|{CATEGORIES}", "cmtype": "page|subcat"}
        for answer in self.query(query):
            yield from answer.get("categorymembers", [])

    def standing(self, revids: Iterable[int]) -> tuple[dict[int, int], dict[int, answers.Hidden]]:
        """Of the pages of these revisions the newest one, by page id; and what is hidden now, by revision id."""
        newest: dict[int, int] = {}
        hidden: dict[int, answers.Hidden] = {}
        for batch in in_batches(sorted(set(revids))):
            query = {"revids": "|".join(map(str, batch)), "prop": "info|revisions"}
            for page in self._pages(query | {"rvprop": "ids|user|comment|sha1"}):
                if "lastrevid" in page:
                    newest[page["pageid"]] = page["lastrevid"]
                for revision in page.get("revisions", []):
                    if what := answers.concealed(revision):
                        hidden[revision["revid"]] = what
        return newest, hidden

    def newest_revisions(self, pageid: int, revid: int) -> tuple[list[RevisionSeen], bool]:
        """Up to 50 revisions of a page with their texts, newest first from `revid`; whether there are no older ones."""
        query = {"pageids": pageid, "prop": "revisions", "rvlimit": BATCH, "rvstartid": revid}
        answer = self.ask({"action": "query", **query, **_CONTENT})
        pages = (answer.get("query") or {}).get("pages") or [{}]
        revisions = map(answers.revision_seen, pages[0].get("revisions", []))
        return list(revisions), not answer.get("continue")

    def outlines(self, pageid: int, revid: int) -> Outlines:
        """A page's revisions up to `revid` without their texts, oldest first, and without those it hides."""
        query = {"pageids": pageid, "prop": "revisions", "rvlimit": "max", "rvstartid": revid}
        outlines: list[Outline] = []
        listed, whole = 0, True
        for page in self._pages(query | {"rvprop": "ids|timestamp|sha1|size"}):
            revisions = page.get("revisions", [])
            listed += len(revisions)
            outlines += [answers.outline(each) for each in revisions if "sha1" in each]
            if listed >= _MOST_OUTLINES:
                whole = False
                break
        return Outlines(tuple(reversed(outlines)), whole)

    def texts(self, revids: Sequence[int]) -> dict[int, RevisionSeen]:
        """These revisions by their ids; those whose text the wiki hides, or does not have, are left out."""
        revisions: dict[int, RevisionSeen] = {}
        for batch in in_batches(revids):
            query = {"revids": "|".join(map(str, batch)), "prop": "revisions"}
            for page in self._pages(query | _CONTENT):
                for revision in map(answers.revision_seen, page.get("revisions", [])):
                    if revision.text is not None:
                        revisions[revision.revid] = revision
        return revisions

    def talk_revisions(self, titles: Sequence[str]) -> dict[str, int]:
        """Article's title -> the newest revision of its talk page, where there is one."""
        newest: dict[str, int] = {}
        for batch in in_batches(titles):
            query = {"titles": "|".join(f"Talk:{title}" for title in batch), "prop": "info"}
            for page in self._pages(query):
                if "lastrevid" in page:
                    newest[answers.without_namespace(page["title"])] = page["lastrevid"]
        return newest

    def talk_pages(self, titles: Sequence[str]) -> Iterator[PageSeen]:
        """The talk pages that exist of these articles; their title is the article's."""
        for batch in in_batches(titles):
            query = {"titles": "|".join(f"Talk:{title}" for title in batch)}
            for page in self._with_content(query):
                if page.get("ns") == TALK and not page.get("missing"):
                    yield answers.page_seen(page, title=answers.without_namespace(page["title"]))

    def _with_content(self, query: dict[str, Any]) -> list[dict[str, Any]]:
        """Pages with their present revision, put together from as many answers as it takes."""
        pages: dict[object, dict[str, Any]] = {}
        for page in self._pages({"prop": "revisions", **query, **_CONTENT}):
            kept = pages.setdefault(page.get("pageid") or page.get("title"), {})
            kept.update(page | kept)
        return list(pages.values())

    def _pages(self, query: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The pages of all answers."""
        for answer in self.query(query):
            yield from answer.get("pages", [])

    def _listed(self, name: str, queries: Iterable[dict[str, Any]], limit: int | None) -> list[int]:
        """The page ids of a list of this name, each once; nothing more is asked from `limit` on."""
        pageids: dict[int, None] = {}
        for query in queries:
            for answer in self.query({"list": name, **query}):
                pageids |= dict.fromkeys(page["pageid"] for page in answer.get(name, []))
                if limit is not None and len(pageids) >= limit:
                    return list(pageids)[:limit]
        return list(pageids)


def _check_categories(category: str, number: int) -> None:
    if number > _MOST_CATEGORIES:
        raise WikiError(
            f"“{category}” has {number} categories below it or more; a fetch follows {_MOST_CATEGORIES}. "
            "Follow fewer levels, or fetch a category further down."
        )


def in_batches(items: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """Slices of at most `size`."""
    return (items[at : at + size] for at in range(0, len(items), size))
