"""Operations on what runs ask: the lists of models and of prompts."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Answer

from accounts.tokens.scopes import Scope
from generation import prompt_versions, registry
from generation.models import LanguageModel, PromptVersion
from generation.views import READERS
from pages.rest.lists import rows_page
from pages.rest.operations import operation
from pages.rest.parameters import choice, moment, text

SINCE = moment("changed_since", "created_at__gte", "What was added at this moment or later.")


class ModelOut(serializers.ModelSerializer[LanguageModel]):
    """`service` is empty for a model whose responses were imported, or for the author of given texts."""

    options = serializers.DictField()
    abilities = serializers.DictField()

    class Meta:
        model = LanguageModel
        fields = (
            "id", "service", "model_id", "display_name", "options", "options_hash", "abilities", "price_read",
            "price_written",
        )  # fmt: skip


class PromptOut(serializers.ModelSerializer[PromptVersion]):
    """A version; `key` is what runs and responses call it, `name` that of all its versions. `body`: its texts."""

    author = serializers.CharField(source="author.pseudonym", default=None, allow_null=True)
    body = serializers.DictField()

    class Meta:
        model = PromptVersion
        fields = (
            "key", "name", "version", "label", "sha256", "origin", "protocol", "author", "created_at", "published_at",
            "body",
        )  # fmt: skip


@operation(
    "GET", scope=Scope.READ, roles=READERS, answers=ModelOut, listed=True,
    parameters=(text("service", "service", "Its name.", longest=60), SINCE),
    etag=True,
)  # fmt: skip
def models_list(request: Request) -> Answer:
    """All models with their options."""
    return rows_page(request, registry.seen(), ModelOut)


@operation(
    "GET", scope=Scope.READ, roles=READERS, answers=PromptOut, listed=True,
    parameters=(
        choice("origin", PromptVersion.Origin, "origin"),
        text("protocol", "protocol", "Over whose records it is asked.", longest=24), SINCE,
    ),
    etag=True,
)  # fmt: skip
def prompts_list(request: Request) -> Answer:
    """All versions of all prompts."""
    return rows_page(request, prompt_versions.stored(), PromptOut, order=("key",))
