"""Operations for the tests of what all operations share: mills, with what each kind of operation has."""

from typing import Any

from django.urls import include, path
from rest_framework import serializers

from accounts.roles import Role
from accounts.tokens.scopes import Scope
from datasets.models import Collection
from leases.refusal import Conflict, TooMany
from pages.rest.lists import rows_page
from pages.rest.operations import asked, methods, operation
from pages.rest.parameters import choice, flag, moment, number, text, version_of

WATER = (Role.RESEARCHER, Role.ADMIN)


class MillOut(serializers.ModelSerializer[Collection]):
    """A mill as others see it."""

    class Meta:
        model = Collection
        fields = ("name", "title")


class InnerIn(serializers.Serializer[Any]):
    year = serializers.IntegerField(min_value=0)


class MillIn(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=20)
    anything = serializers.DictField(required=False)
    inner = InnerIn(required=False)


class FileIn(serializers.Serializer[Any]):
    name = serializers.CharField()
    file = serializers.FileField()


@operation(
    "GET", scope=Scope.READ, roles=tuple(Role), answers=MillOut, listed=True, most=50,
    parameters=(
        choice("source", ["sun", "wind"], "source"),
        flag("demonstration", "is_demonstration"),
        number("least", "pk__gte"),
        moment("since", "created_at__gte"),
        text("words", lambda rows, words: rows.filter(title__icontains=words)),
    ),
)  # fmt: skip
def mills_list(request):
    """All mills."""
    order = ("title", "-pk")
    rows = Collection.objects.all()
    hidden = [row.pk for row in rows if row.licence == "hidden"]
    seen = lambda rows: [row for row in rows if row.pk not in hidden]  # noqa: E731
    return rows_page(request, rows, MillOut, order=order, visible=seen)


@operation("GET", scope=Scope.READ, roles=tuple(Role), answers=MillOut, listed=True, etag=True)
def others_list(request):
    """Another list."""
    return rows_page(request, Collection.objects.all(), MillOut)


@operation(
    "POST", scope=Scope.EXPORT, roles=WATER, takes=MillIn, answers=MillOut, status=201, once=True,
    counts="imports", refusals=(409,),
)  # fmt: skip
def mills_make(request, sent):
    """Make one.

    It turns.
    """
    if Collection.objects.filter(name=sent["name"]).exists():
        raise Conflict("There is one.")
    return Collection.objects.create(name=sent["name"])


@operation("GET", scope=Scope.READ, roles=tuple(Role), answers=MillOut, etag=True)
def mills_one(request, name):
    """One."""
    return Collection.objects.get(name=name)


@operation("DELETE", scope=Scope.MANAGE, roles=(Role.ADMIN,), versioned=True)
def mills_remove(request, name):
    """Remove one."""
    version_of(request)
    Collection.objects.filter(name=name).delete()


@operation(
    "GET", scope=Scope.EXPORT, roles=WATER, media=("text/csv",), parameters=(flag("busy", None),)
)
def mills_file(request):
    """A file."""
    from django.http import HttpResponse

    if asked(request).get("busy"):
        raise TooMany("Many mills.", wait=7)
    return HttpResponse("a,b\n", content_type="text/csv")


@operation("POST", scope=Scope.EXPORT, roles=WATER, takes=FileIn, upload=True, once=True)
def mills_import(request, sent):
    """Import."""
    Collection.objects.create(name=sent["name"], title=sent["file"].read().decode())


@operation("POST", scope=Scope.JUDGE, roles=(Role.JUDGE, Role.RESEARCHER))
def mills_judge(request):
    """Judge."""


urlpatterns = [
    path("api/mills/", methods(mills_list, mills_make)),
    path("api/others/", others_list),
    path("api/mills/<str:name>/", methods(mills_one, mills_remove)),
    path("api/mills.csv/", mills_file),
    path("api/imports/", mills_import),
    path("api/verdicts/", mills_judge),
    path("", include("config.urls")),
]
