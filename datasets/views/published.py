"""Published releases: a page and the files below it, for anyone with the address, without cookies."""

import json
from collections.abc import Callable
from functools import wraps
from typing import IO

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.throttles import count_useless_link
from datasets.models import Publication, ReleaseFile
from datasets.releasing.bundle.writing import Bundle
from datasets.releasing.citing import bibtex, plain, source_of
from datasets.releasing.linked_data import linked_data
from datasets.releasing.members import Member, members, open_member
from datasets.releasing.publishing import newer_than, publication_at, publications_at
from datasets.releasing.released import counts, format_of, shown_files
from datasets.releasing.stored_files import FileDamaged, FileWithheld, opened
from datasets.releasing.withholding import why_withheld
from leases.refusal import NotFoundHere, Refusal
from pages.stored_responses import stored_response

CROISSANT, LICENCES = "croissant.json", "LICENSES.md"
NO_FILE = "There is no such file in this release. The page above lists them."


def address_of(request: HttpRequest, publication: Publication) -> str:
    path = reverse("datasets:published", args=[publication.token, publication.version])
    return request.build_absolute_uri(path)


def public(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """For a view of a published release: it gets the publication. One that was withdrawn answers 410 and says why.

    A random address is the key: no search engine lists it, and no link on the page passes it on.
    """

    @require_safe
    @wraps(view)
    def shown(request: HttpRequest, token: str, version: str, **parts: str) -> HttpResponseBase:
        try:
            publication = publication_at(token, version)
        except NotFoundHere:
            count_useless_link(request)
            raise
        if publication.withdrawn_at:
            response: HttpResponseBase = _withdrawn(request, publication)
        else:
            response = _answer(view, request, publication, parts)
        is_hidden = bool(publication.withdrawn_at) or not publication.is_named
        return _open(response, is_hidden=is_hidden)

    return shown


def _answer(
    view: Callable[..., HttpResponseBase],
    request: HttpRequest,
    publication: Publication,
    parts: dict[str, str],
) -> HttpResponseBase:
    try:
        return view(request, publication, **parts)
    except Refusal as refusal:
        said = refusal.message
        if isinstance(refusal, FileDamaged):
            said = "This file is damaged here, and is not given out. Its sha256 is on the page of the release."
        return _page(request, publication, "published_refused", refusal.status, said=said)


def _page(
    request: HttpRequest, publication: Publication, template: str, status: int, **more: object
) -> HttpResponse:
    """Without the request: nothing of the reader, nor of the program's other pages, is on the page."""
    newer = newer_than(publication.release)
    context = {
        "publication": publication,
        "release": publication.release,
        "address": address_of(request, publication),
        "newer": newer,
        "newer_address": address_of(request, newer) if newer else "",
        "is_hidden": bool(publication.withdrawn_at) or not publication.is_named,
        **more,
    }
    return HttpResponse(render_to_string(f"datasets/{template}.html", context), status=status)


def _withdrawn(request: HttpRequest, publication: Publication) -> HttpResponse:
    return _page(request, publication, "published_withdrawn", 410)


@require_safe
def versions(request: HttpRequest, token: str) -> HttpResponseBase:
    """All versions that are or were published below the address."""
    try:
        found = publications_at(token)
    except NotFoundHere:
        count_useless_link(request)
        raise
    is_hidden = not any(each.is_named for each in found)
    context = {
        "rows": [(each, address_of(request, each)) for each in found],
        "latest": found[0].release,
        "is_hidden": is_hidden,
    }
    response = HttpResponse(render_to_string("datasets/published_versions.html", context))
    return _open(response, is_hidden=is_hidden)


def _open(response: HttpResponseBase, *, is_hidden: bool) -> HttpResponseBase:
    """The answer with what all public ones have: programs in other sites' pages may read them too."""
    if is_hidden:
        response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response["Referrer-Policy"] = "no-referrer"
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Expose-Headers"] = "Accept-Ranges, Content-Range, ETag"
    return response


@public
def page(request: HttpRequest, publication: Publication) -> HttpResponseBase:
    row, address = publication.release, address_of(request, publication)
    withheld = why_withheld(row)
    files = [] if withheld else shown_files(row)
    found = _members_of(files[0].file) if files else []
    context = {
        "withheld": withheld,
        "counts": counts(row),
        "left_out": row.left_out.all(),
        "files": files,
        "members": found,
        "linked": linked_data(row, address, found),
        "source": source_of(row),
        "versions": reverse("datasets:published_versions", args=[publication.token]),
        "plain": plain(row, address),
        "bibtex": bibtex(row, address),
    }
    return _page(request, publication, "published", 200, **context)


def _members_of(bundle: ReleaseFile) -> list[Member]:
    """Those of the bundle; none where it is damaged, which its own link says."""
    try:
        return members(bundle) if bundle.format == Bundle.name else []
    except FileDamaged:
        return []


@public
def file(request: HttpRequest, publication: Publication, part: str) -> HttpResponseBase:
    """A stored file by its name, or a file of the bundle by its path in it."""
    row = publication.release
    stored = row.files.filter(name=part).first()
    if stored:
        return _sent(
            request,
            opened(stored),
            Member(stored.name, stored.bytes, stored.sha256),
            format_of(stored).content_type,
        )
    bundle = row.files.filter(format=Bundle.name).first()
    found = {member.path: member for member in members(bundle)} if bundle else {}
    if bundle is None or part not in found:
        raise FileWithheld(reason) if (reason := why_withheld(row)) else NotFoundHere(NO_FILE)
    if part == CROISSANT:
        return _croissant(bundle, address_of(request, publication))
    return _sent(request, open_member(bundle, part), found[part], found[part].content_type)


def _sent(
    request: HttpRequest, opened: IO[bytes], member: Member, content_type: str
) -> HttpResponseBase:
    return stored_response(
        request,
        opened,
        size=member.bytes,
        sha256=member.sha256,
        name=member.path.rpartition("/")[2],
        content_type=content_type,
    )


def _croissant(bundle: ReleaseFile, address: str) -> HttpResponse:
    """The bundle's, with whole addresses: a reader of an address does not look next to it."""
    with open_member(bundle, CROISSANT) as stored:
        whole = json.load(stored)
    for one in whole["distribution"]:
        one["contentUrl"] = f"{address}{one['contentUrl']}"
    if not whole["url"].startswith("https:"):
        whole["url"] = address
    if whole["license"] == LICENCES:
        whole["license"] = f"{address}{LICENCES}"
    text = json.dumps(whole, ensure_ascii=False, indent=2) + "\n"
    return HttpResponse(text, content_type="application/json; charset=utf-8")
