"""Operations on exports of a collection: its formats, and each file."""

from typing import Any

from django.http.response import HttpResponseBase
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request

from accounts.throttles import counted
from accounts.tokens.scopes import Scope
from datasets.api.collections import EXPORTERS
from datasets.exporters import FileFormat, exports_of
from datasets.records import collection_named
from datasets.views.collections import exported
from pages.rest.operations import asked, operation
from pages.rest.parameters import choice

# Of the formats of releases, and of a bundle.
FILES = ("application/json", "application/jsonl", "text/csv", "application/zip")


class ExportFormatOut(serializers.Serializer[Any]):
    format = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    holds = serializers.CharField()
    leaves_out = serializers.CharField()
    content_type = serializers.CharField()
    url = serializers.CharField()


class ExportsOut(serializers.Serializer[Any]):
    formats = ExportFormatOut(many=True)


def described_file(request: Request, of: FileFormat, address: str) -> dict[str, Any]:
    return {
        "label": of.label,
        "holds": of.holds,
        "leaves_out": of.leaves_out,
        "content_type": of.content_type,
        "url": request.build_absolute_uri(address),
    }


@operation("GET", scope=Scope.READ, roles=EXPORTERS, answers=ExportsOut, etag=True)
def exports_list(request: Request, name: str) -> Any:
    """The formats that a collection can be exported to."""
    collection = collection_named(name)
    return {
        "formats": [
            {
                "format": key,
                **described_file(
                    request, exporter, reverse("datasets:api_export", args=[name, key])
                ),
            }
            for key, exporter in exports_of(collection).items()
        ]
    }


@operation(
    "GET", scope=Scope.EXPORT, roles=EXPORTERS, media=(*FILES, "application/xml"), refusals=(409,),
    parameters=(choice("excluded", ("with",), None, "Keep the excluded questions."),),
)  # fmt: skip
@counted("downloads")
def exports_read(request: Request, name: str, format: str) -> HttpResponseBase:
    """The collection as a release would hold it now."""
    with_excluded = "excluded" in asked(request)
    return exported(request, collection_named(name), format, with_excluded=with_excluded)
