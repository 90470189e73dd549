"""One page of a long list."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

PER_PAGE = 50


def page_of(
    request: HttpRequest, rows: QuerySet[Any] | list[Any], per: int = PER_PAGE
) -> Page[Any]:
    """The page that ?page= names, or the nearest one. Its `query` holds the other query parameters."""
    page = Paginator(rows, per).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    page.query = query.urlencode()  # type: ignore[attr-defined]
    return page
