"""Operations on fetches."""

from collections.abc import Callable, Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.models import Person
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from leases.enqueue import send_on_commit
from leases.rows import first_of
from pages.rest.lists import rows_page
from pages.rest.operations import methods, operation
from pages.rest.parameters import choice
from wikifetch import newfetch
from wikifetch.fetch_progress import progress_of_fetch
from wikifetch.models import ALL_KINDS, FetchRun, TagKind
from wikifetch.newfetch import MAX_DEPTH, MAX_TITLES, USUAL_DEPTH, LiveOptions
from wikifetch.states import FetchState
from wikifetch.tasks import carry_out_fetch

Source = FetchRun.Source
ADMINS = (Role.ADMIN,)


class FetchOut(serializers.ModelSerializer[FetchRun]):
    """`pages` were fetched, and `unchanged` more were known already; `error` says why it failed."""

    wiki = serializers.CharField(source="wiki.base_url", default=None, allow_null=True)

    class Meta:
        model = FetchRun
        fields: tuple[str, ...] = (
            "id", "source", "label", "wiki", "state", "error", "pages", "unchanged", "requests",
            "tags_found", "tags_new", "created_at", "finished_at",
        )  # fmt: skip


class FetchDetailsOut(FetchOut):
    """`done` of `total` pages; null where the number is not known. `waiting`: why a busy wiki makes it wait."""

    done = serializers.IntegerField(source="progress.done")
    total = serializers.IntegerField(source="progress.total", allow_null=True)
    seconds_left = serializers.FloatField(source="progress.seconds_left", allow_null=True)
    waiting = serializers.CharField(source="progress.waiting")

    class Meta(FetchOut.Meta):
        fields = (*FetchOut.Meta.fields, "done", "total", "seconds_left", "waiting")


class FetchIn(serializers.Serializer[Any]):
    """What to fetch from a wiki: by `kind` of tag, by `category` with `depth` levels below it, or `titles`.

    `contact`: an e-mail address or web page, which wikis ask for; without it the operator's, or the one you gave last.
    """

    source = serializers.ChoiceField(  # type: ignore[assignment]
        [Source.KIND, Source.CATEGORY, Source.TITLES]
    )
    kind = serializers.ChoiceField([ALL_KINDS, *TagKind.values], default=ALL_KINDS)
    category = serializers.CharField(max_length=255, default="")
    depth = serializers.IntegerField(min_value=0, max_value=MAX_DEPTH, default=USUAL_DEPTH)
    titles = serializers.ListField(
        child=serializers.CharField(max_length=300), max_length=MAX_TITLES, default=list
    )
    limit = serializers.IntegerField(
        min_value=1, max_value=1_000_000, default=None, allow_null=True
    )
    wiki = serializers.CharField(max_length=200, default="", allow_blank=True)
    contact = serializers.CharField(max_length=200, default="", allow_blank=True)
    history = serializers.BooleanField(default=True, help_text="Find the edit that added each tag.")
    dry_run = serializers.BooleanField(default=False, help_text="List the pages, then pause.")


@operation(
    "GET",
    scope=Scope.READ,
    roles=ADMINS,
    answers=FetchOut,
    listed=True,
    parameters=(choice("state", FetchState, "state"),),
    etag=True,
)
def fetches_list(request: Request) -> Response:
    """All fetches, the newest first."""
    rows = FetchRun.objects.select_related("wiki").defer("queue", "titles")
    return rows_page(request, rows, FetchOut, order=("-pk",))


@operation("GET", scope=Scope.READ, roles=ADMINS, answers=FetchDetailsOut, etag=True)
def fetches_read(request: Request, key: int) -> FetchRun:
    """One fetch, and how far it is."""
    runs = FetchRun.objects.select_related("wiki").filter(pk=key)
    return with_progress(first_of(runs, "There is no such fetch."))


@operation(
    "POST",
    scope=Scope.MANAGE,
    roles=ADMINS,
    takes=FetchIn,
    answers=FetchDetailsOut,
    status=201,
    once=True,
    counts="fetches",
)
def fetches_start(request: Request, sent: Mapping[str, Any]) -> FetchRun:
    """Fetch articles from a wiki; a worker carries it out."""
    person = person_of(request)
    run = NEW_FETCHES[sent["source"]](person, sent)
    send_on_commit(carry_out_fetch, run.pk)
    return with_progress(run)


def with_progress(run: FetchRun) -> FetchRun:
    run.progress = progress_of_fetch(run)  # type: ignore[attr-defined]
    return run


def options_of(person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
    contact = sent["contact"] or newfetch.usual_contact(person)
    options = LiveOptions(sent["wiki"], sent["history"], sent["dry_run"], contact)
    return {"by": person, "options": options}


def of_kind(person: Person, sent: Mapping[str, Any]) -> FetchRun:
    return newfetch.fetch_of_kind(sent["kind"], limit=sent["limit"], **options_of(person, sent))


def of_category(person: Person, sent: Mapping[str, Any]) -> FetchRun:
    wanted = {name: sent[name] for name in ("depth", "limit")}
    return newfetch.fetch_of_category(sent["category"], **wanted, **options_of(person, sent))


def of_titles(person: Person, sent: Mapping[str, Any]) -> FetchRun:
    return newfetch.fetch_of_titles(sent["titles"], **options_of(person, sent))


NEW_FETCHES: dict[str, Callable[[Person, Mapping[str, Any]], FetchRun]] = {
    Source.KIND: of_kind,
    Source.CATEGORY: of_category,
    Source.TITLES: of_titles,
}
fetches = methods(fetches_list, fetches_start)
