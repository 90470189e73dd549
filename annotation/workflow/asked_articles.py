"""Other articles that annotators ask for: the request, the fetch by a worker, and waiting for a busy wiki.

The wiki gets these requests one at a time, besides those of a fetch (decision 0022).
"""

from datetime import timedelta
from math import ceil

import structlog
from django.conf import settings
from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from annotation.campaigns.campaign_people import one_claim_at_a_time
from annotation.models import Annotation, AskedArticle
from annotation.states import ASKED_ARTICLE, EDITABLE, AskedState
from leases import claim as leases
from leases.clock import in_seconds, now
from leases.holders import new_holder
from leases.refusal import Conflict, Refusal, TooMany
from wikifetch.models import Article, Revision, Wiki
from wikifetch.onearticle import allowed_base, client_for, fetched_article, wiki_to_ask
from wikifetch.source.manners import WikiBusy, WikiError
from wikifetch.source.wanted import WantedArticle, read_wanted
from wikifetch.waiting import pause_after

log = structlog.get_logger(__name__)

MOST_AN_HOUR = 20  # that one person may ask for
LEASE_SECONDS = 120
MOST_ATTEMPTS = 5
MOST_WAITED = 900  # seconds for a busy wiki; a person waits for the answer
HOUR = 3_600
ROW_COLUMNS = ("annotation", "wiki", "title", "revid")


class ArticleLeaseLost(Exception):
    """The row was swept: another worker may be asking now."""


@transaction.atomic
def ask_for(annotation: Annotation, text: str, by: Person) -> AskedArticle:
    """The row of the article that the text means, made unless the annotation has it. Raises Refusal and TooMany."""
    if annotation.state not in EDITABLE:
        raise Conflict("The annotation is submitted. No more articles can be asked for.")
    own = annotation.sighting.revision.article.wiki
    allowed = [base.rstrip("/") for base in settings.WIKI_ALLOWED]
    wanted = read_wanted(text, allowed_base(own), allowed)
    row = AskedArticle(annotation=annotation, title=wanted.title, revid=wanted.revid)
    if wanted.base:
        row.wiki, row.base = _asked_wiki(wanted), wanted.base
    else:
        row.wiki, row.revision = own, _stored(own, wanted.title)
        row.state = AskedState.FETCHED
    one_claim_at_a_time(by)
    same = AskedArticle.objects.filter(**{name: getattr(row, name) for name in ROW_COLUMNS})
    if known := same.exclude(state=AskedState.FAILED).first():
        return known
    _check_rate(by)
    row.save()
    return row


def _asked_wiki(wanted: WantedArticle) -> Wiki:
    try:
        return wiki_to_ask(wanted)
    except WikiError as error:
        raise Refusal(f"Nothing can be fetched here now. Tell an admin: {error}") from error


def _stored(wiki: Wiki, title: str) -> Revision:
    """The newest revision here of an article whose wiki may not be asked."""
    article = Article.objects.filter(wiki=wiki, title=title).first()
    revision = article.revisions.first() if article else None
    if revision is None:
        raise Refusal(
            f"No article “{title}” of {wiki.name} is stored here, and this wiki cannot be asked. Paste the address "
            f"of an article on one of these: {', '.join(settings.WIKI_ALLOWED)}."
        )
    return revision


def _check_rate(by: Person) -> None:
    asked = AskedArticle.objects.filter(annotation__author=by, asked_at__gt=in_seconds(-HOUR))
    latest = list(asked.order_by("-asked_at").values_list("asked_at", flat=True)[:MOST_AN_HOUR])
    if len(latest) == MOST_AN_HOUR:
        wait = (latest[-1] + timedelta(seconds=HOUR) - now()).total_seconds()
        raise TooMany(f"You have asked for {MOST_AN_HOUR} articles within an hour.", wait=wait)


# ------------------------------------------------------------ the worker's side


def startable() -> QuerySet[AskedArticle]:
    """The rows that wait, oldest first, and whose wiki is not busy."""
    busy = Wiki.objects.filter(pk=OuterRef("wiki"), busy_until__gt=Now())
    waiting = AskedArticle.objects.filter(state=AskedState.ASKED)
    return waiting.filter(~Exists(busy)).order_by("pk")


def fetch_asked(row_id: int) -> bool:
    """Fetch what is asked for; False if it does not wait any more, or its wiki is busy, or is asked for another."""
    holder = new_holder("article")
    try:
        with transaction.atomic():
            free = startable().order_by().filter(pk=row_id)
            took = leases.take(
                free, ASKED_ARTICLE, "start", seconds=LEASE_SECONDS, holder=holder, problem=""
            )
    except IntegrityError:  # asked_article_one_at_a_time
        return False
    if took:
        _fetch_held(AskedArticle.objects.select_related("wiki").get(pk=row_id), holder)
    return bool(took)


def _fetch_held(row: AskedArticle, holder: str) -> None:
    def renew() -> None:
        if not leases.renew(row, seconds=LEASE_SECONDS, holder=holder):
            raise ArticleLeaseLost

    def fail(problem: str) -> None:
        leases.settle(row, ASKED_ARTICLE, "fail", holder=holder, problem=problem)

    try:
        wanted = WantedArticle(row.base, row.title, row.revid)
        client = client_for(row.base, renew)
        revision = fetched_article(row.wiki, wanted, client, row.waited)
    except ArticleLeaseLost:
        log.info("asked_article_lease_lost", row=row.pk)
    except WikiBusy as busy:
        _set_back(row, holder, busy)
    except WikiError as error:
        fail(str(error))
    except (InterfaceError, OperationalError):
        raise  # a database outage: the lease expires, and the sweeper tries again
    except Exception:
        fail("It stopped on an error of this program; the log says more. Tell an admin.")
        raise
    else:
        leases.settle(row, ASKED_ARTICLE, "finish", holder=holder, revision=revision)


def _set_back(row: AskedArticle, holder: str, busy: WikiBusy) -> None:
    """Let it wait as long as the wiki wants, as fetches do; fail it where a person would not wait so long."""
    waited = row.waited + ceil(busy.waited)
    pause = pause_after(busy.seconds, waited)
    if waited + pause > MOST_WAITED:
        problem = f"{busy.why}. Ask for it again later."
        leases.settle(row, ASKED_ARTICLE, "fail", holder=holder, problem=problem)
        return
    with transaction.atomic():
        Wiki.objects.filter(pk=row.wiki_id).update(busy_until=in_seconds(pause))
        columns = {"problem": f"{busy.why}.", "waited": waited + pause, "attempts": 0}
        leases.settle(row, ASKED_ARTICLE, "wait", holder=holder, **columns)


def sweep_asked() -> list[int]:
    """Take rows back from workers that died, give up those that kill every worker; the ids of those to fetch now."""
    rows = AskedArticle.objects.all()
    leases.sweep(rows, ASKED_ARTICLE, "expire")
    hopeless = rows.filter(state=AskedState.ASKED, attempts__gte=MOST_ATTEMPTS)
    given_up = f"Given up after {MOST_ATTEMPTS} workers died over it."
    ASKED_ARTICLE.move(hopeless, "fail", problem=given_up)
    return list(startable().values_list("pk", flat=True))
