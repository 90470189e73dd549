"""Batches out of the live API of a wiki: the pages of a run's queue, what belongs to them, and their histories."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace

from django.conf import settings

from pages.counting import how_many
from wikifetch import otherarticles
from wikifetch.history.introductions import PageHistory, PageRead, history_of
from wikifetch.history.pages_seen import HiddenParts, PageSeen
from wikifetch.models import Article, FetchRun, Tag
from wikifetch.purging import known_revids
from wikifetch.source.batches import Batch, BatchPart, joined_parts, part_of
from wikifetch.source.heartbeat import FetchHeartbeat
from wikifetch.source.htmls import asked_for_html, without_html
from wikifetch.source.manners import Manners, WikiTraffic
from wikifetch.source.origins import traced, untraced
from wikifetch.source.wiki_client import BATCH, WikiClient, in_batches
from wikifetch.source.wikis import words_of_wiki
from wikifetch.states import TagState
from wikifetch.wikitext import TagNames

_THROUGH_ANOTHER = "The wiki lists it, but its text has no tag: it shows the tag of another page, such as a template."
_MOST_WITHOUT_HTML = 3  # one page may be too much for a wiki
_MOST_OTHERS = 100  # that the tags on a batch's pages may name; a few do


def manners_for(contact: str = "") -> Manners:
    """As the operator set them, under this contact if there is one."""
    return Manners(
        contact=contact or settings.WIKI_CONTACT,
        version=settings.VERSION,
        allowed=tuple(settings.WIKI_ALLOWED),
        per_second=settings.WIKI_REQUESTS_PER_SECOND,
        maxlag=settings.WIKI_MAXLAG,
        max_wait=settings.WIKI_MAX_WAIT,
        tokens=settings.WIKI_TOKENS,
    )


def client_for(
    base: str,
    contact: str = "",
    before_request: Callable[[], None] = lambda: None,
    traffic: WikiTraffic | None = None,
) -> WikiClient:
    """The API of the wiki at `base`. Raises WikiError without a contact, or for a wiki that is not allowed."""
    return WikiClient(base, manners_for(contact), before_request=before_request, traffic=traffic)


def live_batches(client: WikiClient, run: FetchRun, heart: FetchHeartbeat) -> Iterator[Batch]:
    """The queue from the cursor on, 50 pages at a time, then the histories of those whose tags need one."""
    return _Live(client, run, heart).batches()


# Ids of the pages whose newest revision is not kept here, and of the others; what the wiki hides of these.
_Compared = tuple[list[int], list[int], tuple[tuple[int, HiddenParts], ...]]


class _Live:
    """One run, and which other articles this process has compared and which titles it has followed: each once."""

    def __init__(self, client: WikiClient, run: FetchRun, heart: FetchHeartbeat) -> None:
        assert run.wiki is not None
        self._client, self._run, self._heart, self._wiki = client, run, heart, run.wiki
        self._names = TagNames.from_spellings(run.options["names"], words_of_wiki(run.wiki))
        self._compared_ids: set[int] = set()
        self._followed: set[str] = set()
        self._named: dict[int, str] = {}  # page id -> the title in a tag that led there
        self._without_html = 0  # pages in a row for which the wiki was too busy

    def batches(self) -> Iterator[Batch]:
        queue, done = self._run.queue, self._run.cursor
        yield from self._histories(queue[:done])  # what a stop left
        yield from self._htmls(queue[:done])
        for pageids in in_batches(queue[done:], BATCH):
            done += len(pageids)
            yield Batch(done, self._part(pageids, to_come={*queue[done:]}))
            yield from self._histories(pageids)
            yield from self._htmls(pageids)
        yield from self._kept_others()

    def _part(self, pageids: Sequence[int], to_come: set[int]) -> BatchPart:
        """Those of the pages that have changed since they were fetched, with what belongs to them."""
        kept = known_revids(self._wiki, pageids)
        changed, unchanged, hidden = self._compare(pageids, kept)
        read = self._read(changed)
        requested = joined_parts(
            BatchPart(unchanged=tuple(unchanged), hidden=hidden),
            self._parts(read, kept, self._known_among(read, kept)),
        )
        self._compared_ids |= {*requested.unchanged, *(page.pageid for page, _ in requested.pages)}
        elsewhere = BatchPart(problems=tuple(self._tagged_elsewhere(read)))
        leads, led_to = self._led_to(requested, len(pageids))
        here = self._untagged_here(read, led_to)
        others, others_unchanged = self._others(led_to - to_come)
        part = joined_parts(requested, elsewhere, leads, here, others)
        return joined_parts(part, self._talk(part, [*unchanged, *others_unchanged]))

    def _compare(self, pageids: Sequence[int], kept: Mapping[int, set[int]]) -> _Compared:
        newest, hidden = self._client.standing(set().union(*kept.values()))
        unchanged = {p for p in pageids if newest.get(p, 0) in kept.get(p, ())}
        changed = [p for p in pageids if p not in unchanged]
        return changed, [p for p in pageids if p in unchanged], tuple(hidden.items())

    def _read(self, pageids: Sequence[int]) -> list[PageRead]:
        """The pages as they are now, with their tags."""
        return [
            (self._titled(page), PageHistory())
            if page.problem
            else (page, history_of(page.revisions, self._names))
            for page in self._heart.along(self._client.pages(pageids))
        ]

    def _tagged_elsewhere(self, read: Sequence[PageRead]) -> Iterator[tuple[str, str]]:
        """Pages that the wiki lists as tagged though their own text has no tag."""
        if self._run.source != FetchRun.Source.KIND:
            return
        for page, history in read:
            reading, listed = history.reading, self._run.titles.get(str(page.pageid))
            is_read = not (page.problem or history.problem or reading.set_aside or reading.problems)
            if listed and is_read and not reading.tags:
                yield page.title, _THROUGH_ANOTHER

    def _titled(self, page: PageSeen) -> PageSeen:
        """The page with the title that is known of it: of one that is gone, the wiki gives the id alone."""
        here = Article.objects.filter(wiki=self._wiki, pageid=page.pageid)
        title = page.title or here.values_list("title", flat=True).first()
        title = title or self._run.titles.get(str(page.pageid))
        if title or page.pageid not in self._named:
            return replace(page, title=title or "")
        problem = f"{otherarticles.NAMED_BY_A_TAG} {page.problem}"
        return replace(page, title=self._named[page.pageid], problem=problem)

    def _known_among(self, read: Sequence[PageRead], kept: Container[int]) -> set[int]:
        """Ids of the pages of which something is kept here, or which a tag names."""
        named = otherarticles.named_by_tags(self._wiki)
        named |= otherarticles.named_in(history for _, history in read)
        titles = {spelling for title in named for spelling in otherarticles.spellings(title)}
        led_to = otherarticles.led_to(self._wiki, [page.pageid for page, _ in read])
        return {
            page.pageid
            for page, _ in read
            if page.pageid in kept or page.pageid in led_to or page.title in titles
        }

    def _parts(
        self,
        read: Sequence[PageRead],
        kept: Container[int],
        known: Container[int],
        *,
        is_other: bool = False,
    ) -> BatchPart:
        """What is to be recorded of the pages; a page that is gone is a problem the first time only."""
        missing = {page.pageid for page, _ in read if page.is_missing and page.pageid in kept}
        live = Tag.objects.filter(article__wiki=self._wiki, state=TagState.LIVE)
        new = live.filter(article__pageid__in=missing).values_list("article__pageid", flat=True)
        reported = missing - set(new)
        return joined_parts(
            BatchPart(missing=tuple(sorted(missing))),
            *(
                part_of(page, history, is_known=page.pageid in known, is_other=is_other)
                for page, history in read
                if page.pageid not in reported
            ),
        )

    def _led_to(self, requested: BatchPart, pages: int) -> tuple[BatchPart, set[int]]:
        """Where the titles lead that tags on the pages name; the ids of all articles that these tags name."""
        hidden = [revid for revid, what in requested.hidden if what.text]
        titles = otherarticles.named_in(history for _, history in requested.pages)
        titles |= otherarticles.named_on(self._wiki, requested.unchanged, hidden)
        leads = self._follow(sorted(titles - self._followed), pages)
        known = otherarticles.pageids_of_titles(self._wiki, titles)
        return leads, {*dict(leads.leads).values(), *known}

    def _follow(self, titles: Sequence[str], pages: int) -> BatchPart:
        """Where these titles lead, which tags on so many pages name."""
        self._followed |= {*titles}
        leads: list[tuple[str, int]] = []
        problems: list[tuple[str, str]] = []
        if len(titles) > _MOST_OTHERS:
            problem = (
                f"Tags on them name {len(titles)} other articles; only {_MOST_OTHERS} were fetched."
            )
            problems.append((how_many(pages, "page"), problem))
        for title, end in self._client.follow_titles(titles[:_MOST_OTHERS]):
            if end.pageid is not None:
                leads.append((title, end.pageid))
                self._named[end.pageid] = title
            else:
                problems.append((title, f"{otherarticles.NAMED_BY_A_TAG} {end.problem}"))
        return BatchPart(leads=tuple(leads), problems=tuple(problems))

    def _untagged_here(self, read: Sequence[PageRead], led_to: set[int]) -> BatchPart:
        """The other articles that were asked for in this very batch, and have no tag."""
        wanted = led_to - self._compared_ids
        pages = tuple((p, h) for p, h in read if p.pageid in wanted and h.newest is not None)
        self._compared_ids |= {page.pageid for page, _ in pages}
        return BatchPart(pages=pages)

    def _others(self, pageids: set[int]) -> tuple[BatchPart, list[int]]:
        """Those of these other articles that have changed; ids of those that have not."""
        wanted = sorted(pageids - self._compared_ids)
        self._compared_ids |= {*wanted}
        kept = known_revids(self._wiki, wanted)
        changed, unchanged, hidden = self._compare(wanted, kept)
        part = self._parts(self._read(changed), kept, changed, is_other=True)
        return joined_parts(BatchPart(hidden=hidden), part), unchanged

    def _talk(self, part: BatchPart, unchanged: Sequence[int]) -> BatchPart:
        """Talk pages of the part's articles with tags; of unchanged articles, where the talk page has changed."""
        read = (*part.pages, *part.others)
        tagged = [page.title for page, history in read if history.reading.tags]
        pages = self._client.talk_pages([*tagged, *self._changed_talk(unchanged)])
        return BatchPart(
            talk=tuple((page.title, revision) for page in pages for revision in page.revisions)
        )

    def _changed_talk(self, pageids: Sequence[int]) -> list[str]:
        """Titles of the articles with tags, among these unchanged ones, whose talk page has changed."""
        tagged = Article.objects.filter(
            wiki=self._wiki, pageid__in=pageids, tags__state=TagState.LIVE
        )
        known = dict(tagged.distinct().values_list("title", "talk__revid"))
        newest = self._client.talk_revisions(list(known))
        return [
            title for title, revid in newest.items() if title in known and known[title] != revid
        ]

    def _kept_others(self) -> Iterator[Batch]:
        """Other articles kept here, if all pages of a kind were asked for: the wiki may have hidden their texts."""
        if self._run.source != FetchRun.Source.KIND or self._run.options["limit"]:
            return
        kept = Article.objects.filter(wiki=self._wiki, tags__isnull=True)
        for pageids in in_batches(list(kept.values_list("pageid", flat=True)), BATCH):
            part, _ = self._others({*pageids})
            yield Batch(self._run.cursor, part)
            yield from self._histories(pageids)

    def _histories(self, pageids: Sequence[int]) -> Iterator[Batch]:
        """For each of the pages with a tag of unknown origin, one batch with its history, if the fetch wants it."""
        if not self._run.options["history"]:
            return
        for part in in_batches(pageids, 500):
            others = self._others_of(part)
            for article in untraced(self._wiki, [*part, *others]):
                history = traced(self._client, article, self._names)
                yield Batch(self._run.cursor, BatchPart(traced=(history,)))

    def _htmls(self, pageids: Sequence[int]) -> Iterator[Batch]:
        """For each revision to read without HTML, one batch; none any more once the wiki was too busy for several."""
        if not settings.WIKI_HTML:
            return
        for part in in_batches(pageids, 500):
            others = self._others_of(part)
            for revision, revid in without_html(self._wiki, part, others, self._run.created_at):
                if self._without_html == _MOST_WITHOUT_HTML:
                    return
                asked = asked_for_html(self._client, revision, revid, self._run.waited)
                self._without_html = self._without_html + 1 if asked.ask_again else 0
                yield Batch(self._run.cursor, BatchPart(htmls=(asked,)))

    def _others_of(self, pageids: Sequence[int]) -> set[int]:
        """Ids of the other articles that tags on these pages name, as they are kept here."""
        titles = otherarticles.named_on(self._wiki, pageids)
        return otherarticles.pageids_of_titles(self._wiki, titles)
