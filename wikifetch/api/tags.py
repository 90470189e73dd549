"""Operations on tags."""

from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.tokens.scopes import Scope
from leases.rows import first_of
from pages.rest.lists import rows_page
from pages.rest.operations import operation
from pages.rest.parameters import Parameter, choice, moment
from wikifetch import tagfilters
from wikifetch.models import Revision, Tag, TagKind
from wikifetch.sighting_out import SightingOut
from wikifetch.states import TagState
from wikifetch.taglist import introduction_record, other_record, seen_tags
from wikifetch.views import READERS


class TagOut(SightingOut):
    """A tag with what was last seen of it."""

    state = serializers.ChoiceField(TagState.choices, source="tag.state")

    def to_representation(self, tag: Any) -> dict[str, Any]:
        seen = tag.latest
        seen.tag, seen.revision.article = tag, tag.article
        return super().to_representation(seen)


class IntroductionOut(serializers.Serializer[Any]):
    """The edit that added the tag."""

    revid = serializers.IntegerField()
    at = serializers.DateTimeField(allow_null=True)
    by = serializers.CharField()
    summary = serializers.CharField()


class OtherArticleOut(serializers.Serializer[Any]):
    """The other article as it is kept here."""

    title = serializers.CharField()
    pageid = serializers.IntegerField()
    revid = serializers.IntegerField()


class TagDetailsOut(TagOut):
    """`introduced` and `other` are null where that is not known."""

    introduced = IntroductionOut(source="tag.introduced", allow_null=True)
    other = OtherArticleOut(source="tag.other", allow_null=True)

    def to_representation(self, tag: Any) -> dict[str, Any]:
        tag.introduced, tag.other = introduction_record(tag), other_record(tag.latest)
        return super().to_representation(tag)


def changed_since(tags: QuerySet[Tag], at: datetime) -> QuerySet[Tag]:
    """Seen since then; or gone, from an article of which a revision was fetched since then."""
    later = Revision.objects.filter(article=OuterRef("article"), fetched_at__gte=at)
    return tags.filter(Q(latest__seen_at__gte=at) | Q(Exists(later), state=TagState.GONE))


def of_rooms_above(name: str, about: str) -> Parameter:
    """A filter that a room above adds, with the values that it has now."""

    def read(text: str) -> str:
        [known] = [known for known in tagfilters.tag_filters() if known.name == name]
        if text not in {value for value, _ in known.choices() if value}:
            raise ValueError
        return text

    def narrow(tags: QuerySet[Tag], value: str) -> QuerySet[Tag]:
        [known] = [known for known in tagfilters.tag_filters() if known.name == name]
        return known.narrow(tags, value)

    return Parameter(name, read, about, narrow, {"type": "string"})


@operation(
    "GET",
    scope=Scope.READ,
    roles=READERS,
    answers=TagOut,
    listed=True,
    etag=True,
    parameters=(
        choice("state", TagState, "state"),
        choice("kind", TagKind, "kind"),
        of_rooms_above("campaign", "the id of a campaign, or none"),
        moment("changed_since", changed_since, "Seen, or gone, since then."),
    ),
)
def tags_list(request: Request) -> Response:
    """Every tag with what was last seen of it."""
    return rows_page(request, seen_tags(), TagOut)


@operation("GET", scope=Scope.READ, roles=READERS, answers=TagDetailsOut, etag=True)
def tags_read(request: Request, key: int) -> Tag:
    """One tag, with the edit that added it and the other article that it names."""
    return first_of(seen_tags().filter(pk=key), "There is no such tag.")
