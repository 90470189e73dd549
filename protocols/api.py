"""Operations on protocols: those that there are, one with its file, checking a file, and installing it."""

from io import BytesIO
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import person_of
from accounts.roles import Role
from accounts.throttles import counted
from accounts.tokens.scopes import Scope
from pages.rest.lists import rows_page
from pages.rest.operations import operation
from pages.stored_responses import stored_response
from protocols import installed
from protocols.models import Protocol
from protocols.reading import LARGEST
from protocols.uses import uses_of
from protocols.views import READERS


class ProtocolUseOut(serializers.Serializer[Any]):
    """What uses a version, as a collection or a run, by its name."""

    kind = serializers.CharField()
    name = serializers.CharField()


class ProtocolOut(serializers.ModelSerializer[Protocol]):
    """`used_at`: when a collection first used it; from then on it never changes."""

    uses = serializers.SerializerMethodField()

    class Meta:
        model = Protocol
        fields: tuple[str, ...] = (
            "name",
            "version",
            "title",
            "sha256",
            "installed_at",
            "used_at",
            "uses",
        )

    @extend_schema_field(ProtocolUseOut(many=True))
    def get_uses(self, row: Protocol) -> Any:
        return ProtocolUseOut(self.context["uses"].get(row.pk, []), many=True).data


class InstalledProtocolOut(ProtocolOut):
    """`is_new` is false where this very file was installed before. `warnings`: what of it cannot be used."""

    is_new = serializers.SerializerMethodField()
    warnings = serializers.SerializerMethodField()

    class Meta:
        model = Protocol
        fields = (*ProtocolOut.Meta.fields, "is_new", "warnings")

    def get_is_new(self, row: Protocol) -> bool:
        return self.context["is_new"]

    def get_warnings(self, row: Protocol) -> list[str]:
        return self.context["warnings"]


class NamedProtocolOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    version = serializers.IntegerField()
    title = serializers.CharField()
    sha256 = serializers.CharField()


class OfferedProtocolsOut(serializers.Serializer[Any]):
    protocols = NamedProtocolOut(many=True)


class ProtocolFieldOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    type = serializers.CharField()
    title = serializers.CharField()
    slice = serializers.BooleanField()
    values = serializers.ListField(child=serializers.CharField())


class OneProtocolOut(NamedProtocolOut):
    """`record_fields`: of its records. `parts`: the names of its prompts, rubrics and the like."""

    source = serializers.CharField()  # type: ignore[assignment]
    licence = serializers.CharField()
    notes = serializers.ListField(child=serializers.CharField())
    record_fields = ProtocolFieldOut(many=True)
    parts = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
    is_installed = serializers.BooleanField()
    uses = ProtocolUseOut(many=True)


class ProtocolIn(serializers.Serializer[Any]):
    """`text`: the TOML file. `file_name` is what messages call it."""

    text = serializers.CharField(max_length=LARGEST, trim_whitespace=False, allow_blank=True)
    file_name = serializers.CharField(max_length=200, default="The file")


class ProtocolFaultOut(serializers.Serializer[Any]):
    """`sentence` says it with its place; `line`, `table` and `key` are the place where it is known."""

    sentence = serializers.CharField(source="__str__")
    line = serializers.IntegerField(allow_null=True)
    table = serializers.CharField(source="where")
    key = serializers.CharField()


class CheckedProtocolOut(serializers.Serializer[Any]):
    """`protocol` is null where there are `faults`. `standing` says what installing it would do, or why it cannot be."""

    protocol = NamedProtocolOut(allow_null=True)
    faults = ProtocolFaultOut(many=True)
    standing = serializers.CharField()
    may_install = serializers.BooleanField()


@operation("GET", scope=Scope.READ, roles=READERS, answers=ProtocolOut, listed=True)
def protocols_list(request: Request) -> Response:
    """All versions of all installed protocols with what uses them."""
    return rows_page(
        request,
        Protocol.objects.defer("text"),
        ProtocolOut,
        order=("name", "-version"),
        context=lambda rows: _uses(request, rows),
    )


def _uses(request: Request, rows: list[Protocol]) -> dict[str, Any]:
    return {"uses": uses_of([row.pk for row in rows], person_of(request))}


@operation("GET", scope=Scope.READ, roles=READERS, answers=OfferedProtocolsOut, etag=True)
def protocols_offered(request: Request) -> Any:
    """Those that come with the program and are not installed: their files can be read, and installed."""
    return {"protocols": installed.offered()}


@operation("GET", scope=Scope.READ, roles=READERS, answers=OneProtocolOut)
def protocols_read(request: Request, name: str, version: int) -> Any:
    """One version: what its file declares, and what uses it."""
    found = installed.found(name, version)
    declared = found.declaration
    uses = uses_of([found.row.pk], person_of(request)) if found.row else {}
    return {
        **{key: getattr(declared, key) for key in NAMED},
        "record_fields": declared.fields.values(),
        "parts": {part: [one.name for one in entries] for part, entries in declared.parts.items()},
        "is_installed": found.row is not None,
        "uses": uses.get(found.row.pk, []) if found.row else [],
    }


NAMED = ("name", "version", "title", "sha256", "source", "licence", "notes")


@operation(
    "GET", scope=Scope.READ, roles=READERS, media=("application/toml",), ranged=True, etag=True
)
@counted("downloads")
def protocol_files_read(request: Request, name: str, version: int) -> HttpResponseBase:
    """The file of a version, byte for byte."""
    found = installed.found(name, version)
    return stored_response(
        request,
        BytesIO(found.data),
        size=len(found.data),
        sha256=found.declaration.sha256,
        name=f"{name}-{version}.toml",
        content_type="application/toml; charset=utf-8",
    )


@operation("POST", scope=Scope.READ, roles=READERS, takes=ProtocolIn, answers=CheckedProtocolOut)
def protocols_check(request: Request, sent: dict[str, Any]) -> Any:
    """All that is wrong with a file, each fault with its line. Nothing is stored."""
    try:
        given = installed.declared(sent["text"].encode(), sent["file_name"])
    except installed.NoProtocol as refused:
        faults = refused.faults[: installed.MOST_PROBLEMS]
        return {
            "protocol": None,
            "faults": faults,
            "standing": refused.message,
            "may_install": False,
        }
    standing, may_install = installed.standing(given)
    return {"protocol": given, "faults": [], "standing": standing, "may_install": may_install}


@operation(
    "POST", scope=Scope.MANAGE, roles=(Role.ADMIN,), takes=ProtocolIn, answers=InstalledProtocolOut, status=201,
    counts="imports", refusals=(409,),
)  # fmt: skip
def protocols_install(request: Request, sent: dict[str, Any]) -> Response:
    """Install a file. The same file is installed once; `details` of a refusal has all that is wrong with it."""
    person = person_of(request)
    row, is_new = installed.install(sent["text"].encode(), sent["file_name"], person)
    context = {**_uses(request, [row]), "is_new": is_new, "warnings": installed.warnings_of(row)}
    return Response(InstalledProtocolOut(row, context=context).data, status=201)
