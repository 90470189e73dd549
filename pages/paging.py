"""One page of a long list, of pages and of the API."""

from collections.abc import Iterable
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

PER_PAGE = 50


class ByKey(Paginator):
    """Pages of a long table whose order is total: the keys of a page first, from the nearer end, then its rows.

    The database then sorts keys, and no texts; the last page takes no longer than the first.
    """

    object_list: QuerySet[Any]

    def page(self, number: int | str) -> Page[Any]:
        number = self.validate_number(number)
        start = (number - 1) * self.per_page
        end = min(start + self.per_page, self.count)
        keys = self.object_list.values_list("pk", flat=True)
        if start > self.count // 2:
            keys = keys.reverse()
            wanted = list(keys[self.count - end : self.count - start])[::-1]
        else:
            wanted = list(keys[start:end])
        rows = {row.pk: row for row in self.rows(self.object_list.order_by().filter(pk__in=wanted))}
        return Page([rows[key] for key in wanted if key in rows], number, self)

    def rows(self, of_page: QuerySet[Any]) -> Iterable[Any]:
        """What the page shows of these rows, each with its `pk`."""
        return of_page


def page_of(
    request: HttpRequest,
    rows: QuerySet[Any] | list[Any],
    per: int = PER_PAGE,
    pages: "type[Paginator[Any]]" = Paginator,
) -> Page[Any]:
    """The page that ?page= names, or the nearest one. Its `query` holds the other query parameters."""
    page = pages(rows, per).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    page.query = query.urlencode()  # type: ignore[attr-defined]
    return page


class ApiPages(PageNumberPagination):
    """`?page=` and `?page_size=` of a list of the API."""

    page_size_query_param = "page_size"
    max_page_size = 500


def paged(
    request: Request,
    rows: QuerySet[Any],
    serializer: type[BaseSerializer[Any]],
    most: int = ApiPages.max_page_size,
    **more: object,
) -> Response:
    """The page of the rows that the request names, as the API gives it, with `more` next to its count.

    `most`: how many rows a page may have.
    """
    pages = ApiPages()
    pages.max_page_size = most
    page = pages.paginate_queryset(rows, request)
    answer = pages.get_paginated_response(serializer(page, many=True).data)
    answer.data |= more
    return answer
