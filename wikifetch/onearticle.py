"""One article on its own, which an annotator asks for: one revision of it is fetched and kept, with its HTML."""

from collections.abc import Callable

from django.conf import settings
from django.db import transaction

from wikifetch.history.introductions import PageHistory, history_of
from wikifetch.history.pages_seen import PageSeen
from wikifetch.models import Article, FetchRun, Revision, RevisionHtml, Wiki
from wikifetch.recording import record_htmls, record_pages
from wikifetch.row_columns import revision_columns
from wikifetch.source import livebatches, wikis
from wikifetch.source.htmls import asked_for_html
from wikifetch.source.manners import WikiError, api_at, articles_at
from wikifetch.source.wanted import WantedArticle
from wikifetch.source.wiki_client import WikiClient


def wiki_to_ask(wanted: WantedArticle) -> Wiki:
    """The row of the wiki that the article is on. Raises WikiError where it may not be asked."""
    client_for(wanted.base)
    return wikis.wiki_at(articles_at(wanted.base), api_url=api_at(wanted.base))


def allowed_base(wiki: Wiki) -> str:
    """The address at which this wiki may be asked, "" if it may not."""
    bases = (base.rstrip("/") for base in settings.WIKI_ALLOWED)
    return next((base for base in bases if articles_at(base) == wiki.base_url), "")


def client_for(base: str, before_request: Callable[[], None] = lambda: None) -> WikiClient:
    """A client under the operator's contact, else the one that an admin gave last. Raises WikiError without any."""
    given = FetchRun.objects.exclude(contact="").values_list("contact", flat=True)
    contact = settings.WIKI_CONTACT or given.first() or ""
    return livebatches.client_for(base, contact, before_request)


def fetched_article(
    wiki: Wiki, wanted: WantedArticle, client: WikiClient, waited: int = 0
) -> Revision:
    """The article's newest revision, or the one wanted, after `waited` seconds. Raises WikiError and WikiBusy."""
    page, is_newest = _page(wanted, client)
    history = history_of(page.revisions, wikis.names_shown(wiki))
    if problem := page.problem or history.problem or history.reading.set_aside:
        raise WikiError(problem, code="nopage")
    with transaction.atomic():
        revision = _kept(wiki, page, history, is_newest)
    if settings.WIKI_HTML and not RevisionHtml.objects.filter(revision=revision).exists():
        record_htmls([asked_for_html(client, revision.pk, revision.revid, waited)])
    return revision


def _page(wanted: WantedArticle, client: WikiClient) -> tuple[PageSeen, bool]:
    """The page with one revision, and whether that is its newest."""
    if wanted.revid:
        return client.page_at(wanted.revid)
    ((_, end),) = client.follow_titles([wanted.title])
    if end.pageid is None:
        raise WikiError(end.problem, code="nopage")
    (page,) = client.pages([end.pageid])
    return page, True


def _kept(wiki: Wiki, page: PageSeen, history: PageHistory, is_newest: bool) -> Revision:
    """Its row. The tags of an older revision are not recorded: they may be gone, or new ones may be there since."""
    assert history.newest is not None
    revid = history.newest.revid
    if is_newest:
        if refused := record_pages(wiki, [(page, history)]).refused:
            raise WikiError(
                f"The database refused this page: {refused[0][1]}"[:500], code="refused"
            )
        rows = Revision.objects.filter(article__wiki=wiki, article__pageid=page.pageid)
        return rows.get(revid=revid)
    article, _ = Article.objects.get_or_create(
        wiki=wiki, pageid=page.pageid, defaults={"title": page.title}
    )
    revision, _ = Revision.objects.get_or_create(
        article=article, revid=revid, defaults=revision_columns(history)
    )
    return revision
