"""What one wiki is asked: which templates, which pages, their texts, their histories.

A generator of pages repeats each page in every answer. So page ids are listed first, and content comes 50 ids at a
time; a long answer is cut into several. wiki_api.py says how it is asked.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from wikifetch.history import pages_seen
from wikifetch.history.pages_seen import ARTICLES, TALK, PageSeen, RevisionSeen
from wikifetch.history.tracing import Newest, Outline, Outlines
from wikifetch.source import answers
from wikifetch.source.manners import WikiBusy, WikiError, rest_html_at
from wikifetch.source.shapes import more_of, number_in, query_of, records_in, text_in
from wikifetch.source.wiki_api import WikiApi
from wikifetch.wikitext.languages import WikiWords

T = TypeVar("T")

BATCH = 50  # more titles in one request are an API error without a bot's right
_CONTENT = {"rvprop": "ids|timestamp|user|comment|content", "rvslots": "main"}
_MOST_OUTLINES = 20_000  # of a page's revisions: forty requests
# Of the REST endpoint in a row, until it is asked no more: one page may be too much for it.
REST_FAILURES = 3
MAX_HTML = 3 * 1024 * 1024  # bytes of an answer; such articles are lists of thousands of rows


class WikiClient(WikiApi):
    """What is asked of one wiki; every method may raise WikiError."""

    _rest_left = REST_FAILURES  # none where there is no endpoint

    def about(self) -> tuple[WikiWords, answers.WikiRights]:
        """What this wiki calls its namespaces and the months, and its licence; nothing where it does not say."""
        query = {"meta": "siteinfo|allmessages", "siprop": "namespaces|namespacealiases|rightsinfo"}
        query |= {"ammessages": "|".join(answers.MONTH_MESSAGES)}
        try:
            answer = self.ask({"action": "query", **query})
        except WikiError as error:
            if not error.wikis_code:
                raise
            return WikiWords(), answers.WikiRights()
        said = answer.get("query")
        return answers.wiki_words(said), answers.wiki_rights(said)

    def spellings(self, canonical: Sequence[str]) -> answers.TemplateSpellings:
        """The names under which these templates are used here; empty where the wiki has none of them."""
        targets: dict[str, None] = {}
        names: dict[str, None] = {}
        titles = "|".join(f"Template:{name}" for name in canonical)
        query = {"titles": titles, "prop": "redirects", "rdlimit": "max", "redirects": 1}
        for page in self._pages(query):
            if not page.get("missing") and not page.get("invalid"):
                targets.setdefault(answers.without_namespace(text_in(page, "title")))
                names.setdefault(answers.without_namespace(text_in(page, "title")))
            for redirect in records_in(page, "redirects"):
                names.setdefault(answers.without_namespace(text_in(redirect, "title")))
        return answers.TemplateSpellings(tuple(targets), tuple(names))

    def pages_with(self, templates: Iterable[str], limit: int | None = None) -> dict[int, str]:
        """Page id -> title of the articles that use these templates under any name, at most `limit`."""
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
            by_id = {page["pageid"]: page for page in pages if page.get("pageid")}
            for pageid in batch:
                yield answers.page_seen(by_id.get(pageid) or {"pageid": pageid})

    def page_at(self, revid: int) -> tuple[PageSeen, bool]:
        """The page of one of its revisions with that alone, and whether it is the newest. Raises WikiError for none."""
        pages = self._with_content({"revids": revid, "prop": "revisions|info"})
        if not pages:
            raise WikiError(f"The wiki has no revision {revid}, or has deleted it.", code="nopage")
        if pages[0].get("ns") != ARTICLES:
            raise WikiError("Not an article: it is outside the main namespace.", code="nopage")
        return answers.page_seen(pages[0]), pages[0].get("lastrevid") == revid

    def members(
        self, title: str, *, with_categories: bool, more: dict[str, str]
    ) -> answers.Members:
        """The articles of a category, and those directly below it if wanted: one answer, from where `more` goes on."""
        query = {"action": "query", "list": "categorymembers", "cmtitle": title, "cmlimit": "max"}
        query |= {"cmprop": "ids|title", "cmnamespace": str(ARTICLES), "cmtype": "page"}
        if with_categories:
            both = f"{ARTICLES}|{answers.CATEGORIES}"
            query |= {"cmnamespace": both, "cmtype": "page|subcat"}
        return answers.category_members(self.ask(query | more))

    def category_size(self, title: str) -> tuple[int, int] | None:
        """How many pages and subcategories it has, by one request; None where there is no such category."""
        query = {"action": "query", "prop": "categoryinfo", "titles": title}
        return answers.category_size(self.ask(query))

    def standing(
        self, revids: Iterable[int]
    ) -> tuple[dict[int, int], dict[int, pages_seen.HiddenParts]]:
        """Of the pages of these revisions the newest one, by page id; and what is hidden now, by revision id."""
        newest: dict[int, int] = {}
        hidden: dict[int, pages_seen.HiddenParts] = {}
        for batch in in_batches(sorted(set(revids))):
            query = {"revids": "|".join(map(str, batch)), "prop": "info|revisions"}
            for page in self._pages(query | {"rvprop": "ids|user|comment|sha1"}):
                if "lastrevid" in page:
                    newest[number_in(page, "pageid")] = number_in(page, "lastrevid")
                for revision in records_in(page, "revisions"):
                    if what := answers.concealed(revision):
                        hidden[number_in(revision, "revid")] = what
        return newest, hidden

    def newest_revisions(self, pageid: int, revid: int, since: datetime | None = None) -> Newest:
        """Up to 50 revisions of a page with their texts, newest first from `revid` back to this time."""
        query = _history(pageid, revid, since) | {"rvlimit": BATCH}
        answer = self.ask({"action": "query", **query, **_CONTENT})
        pages = records_in(query_of(answer), "pages") or [{}]
        revisions = map(answers.revision_seen, records_in(pages[0], "revisions"))
        return Newest(tuple(revisions), bool(more_of(answer)))

    def outlines(self, pageid: int, revid: int, since: datetime | None = None) -> Outlines:
        """A page's revisions from this time up to `revid` without their texts, and without those it hides."""
        query = _history(pageid, revid, since) | {"rvlimit": "max"}
        outlines: list[Outline] = []
        listed, whole = 0, True
        for page in self._pages(query | {"rvprop": "ids|timestamp|sha1|size"}):
            revisions = records_in(page, "revisions")
            listed += len(revisions)
            outlines += filter(None, map(answers.outline, revisions))
            if listed >= _MOST_OUTLINES:
                whole = False
                break
        return Outlines(tuple(reversed(outlines)), whole and since is None)

    def texts(self, revids: Sequence[int]) -> dict[int, RevisionSeen]:
        """These revisions by their ids; those whose text the wiki hides, or does not have, are left out."""
        revisions: dict[int, RevisionSeen] = {}
        for batch in in_batches(revids):
            query = {"revids": "|".join(map(str, batch)), "prop": "revisions"}
            for page in self._pages(query | _CONTENT):
                for revision in map(answers.revision_seen, records_in(page, "revisions")):
                    if revision.text is not None:
                        revisions[revision.revid] = revision
        return revisions

    def html_of(self, revid: int) -> str:
        """A revision as the wiki shows it: from its REST endpoint where there is one, else by action=parse."""
        return self._rest_html(revid) or self._parsed_html(revid)

    def _rest_html(self, revid: int) -> str:
        """ "" where the endpoint does not give it; it is asked no more where there is none, or none that works.

        Raises WikiBusy if the wiki says when to come back.
        """
        if not self._rest_left:
            return ""
        try:
            reply = self.reply_at(rest_html_at(self.api_url, revid), most=MAX_HTML)
        except WikiBusy as busy:
            if busy.seconds is not None:
                raise
            self._rest_left -= 1
            return ""
        except WikiError as error:
            if error.wikis_code != "toolarge":
                raise
            return ""  # the other kind of HTML is smaller
        if answers.is_rest_answer(reply):
            self._rest_left = REST_FAILURES
        else:
            self._rest_left = self._rest_left - 1 if reply.status >= 500 else 0
        return answers.rest_html(reply, revid)

    def _parsed_html(self, revid: int) -> str:
        """Without its ways to edit, contents and report."""
        apart = dict.fromkeys(("disableeditsection", "disabletoc", "disablelimitreport"), 1)
        query = {"action": "parse", "oldid": revid, "prop": "text|revid", **apart}
        return answers.parsed_html(self.ask(query, most=MAX_HTML), revid)

    def talk_revisions(self, titles: Sequence[str]) -> dict[str, int]:
        """Article's title -> the newest revision of its talk page, where there is one."""
        newest: dict[str, int] = {}
        for batch in in_batches(titles):
            query = {"titles": "|".join(f"Talk:{title}" for title in batch), "prop": "info"}
            for page in self._pages(query):
                if "lastrevid" in page:
                    title = answers.without_namespace(text_in(page, "title"))
                    newest[title] = number_in(page, "lastrevid")
        return newest

    def talk_pages(self, titles: Sequence[str]) -> Iterator[PageSeen]:
        """The talk pages that exist of these articles; their title is the article's."""
        for batch in in_batches(titles):
            query = {"titles": "|".join(f"Talk:{title}" for title in batch)}
            for page in self._with_content(query):
                if page.get("ns") == TALK and not page.get("missing"):
                    yield answers.page_seen(
                        page, title=answers.without_namespace(text_in(page, "title"))
                    )

    def _with_content(self, query: dict[str, Any]) -> list[dict[str, Any]]:
        """Pages with their present revision, put together from as many answers as it takes."""
        pages: dict[object, dict[str, Any]] = {}
        for page in self._pages({"prop": "revisions", **query, **_CONTENT}):
            key = number_in(page, "pageid") if page.get("pageid") else text_in(page, "title")
            kept = pages.setdefault(key, {})
            kept.update(page | kept)
        return list(pages.values())

    def _pages(self, query: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for answer in self.query(query):
            yield from records_in(answer, "pages")

    def _listed(
        self, name: str, queries: Iterable[dict[str, Any]], limit: int | None
    ) -> dict[int, str]:
        """Page id -> title of a list of this name; nothing more is asked from `limit` on."""
        pages: dict[int, str] = {}
        for query in queries:
            for answer in self.query({"list": name, **query}):
                pages |= answers.titles_by_page(records_in(answer, name))
                if limit is not None and len(pages) >= limit:
                    return dict(islice(pages.items(), limit))
        return pages


def _history(pageid: int, revid: int, since: datetime | None) -> dict[str, Any]:
    query = {"pageids": pageid, "prop": "revisions", "rvstartid": revid}
    return query | ({"rvend": f"{since:%Y-%m-%dT%H:%M:%SZ}"} if since else {})


def in_batches(items: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    return (items[at : at + size] for at in range(0, len(items), size))
