"""What was seen of a tag in one revision, as operations give it."""

from rest_framework import serializers

from wikifetch.models import Sighting, TagKind


class SightingOut(serializers.Serializer[Sighting]):
    """What was seen of a tag in one revision; `id` is the tag's. `block_text` is the tagged text without its markup."""

    id = serializers.IntegerField(source="tag_id")
    kind = serializers.ChoiceField(TagKind.choices)
    wiki = serializers.CharField(source="revision.article.wiki.base_url")
    title = serializers.CharField(source="revision.article.title")
    pageid = serializers.IntegerField(source="revision.article.pageid")
    revid = serializers.IntegerField(source="revision.revid")
    url = serializers.CharField(source="revision.permalink")
    seen_at = serializers.DateTimeField()
    name = serializers.CharField()
    raw = serializers.CharField()
    date = serializers.CharField()
    reason = serializers.CharField()
    other_article = serializers.CharField()
    section = serializers.CharField()
    scope = serializers.CharField()
    block_kind = serializers.CharField()
    block = serializers.CharField()
    block_clean = serializers.CharField()
    block_text = serializers.CharField()
