"""One page of a long list."""

from collections.abc import Iterable
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

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
