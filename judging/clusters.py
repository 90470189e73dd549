"""What the intervals of a study resample as a whole: articles, or what its protocol names as cluster."""

from django.db.models import F, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from judging.models import Study


def cluster_field(study: Study) -> str:
    """The field that intervals resample where the protocol names another one than the title; "" for the title."""
    item = study.declaration.item
    return "" if item.cluster == item.title else item.cluster


def cluster_at(study: Study, prefix: str = "") -> F | Cast:
    """Where the cluster of a response is, seen from its item: its article, or what the protocol names."""
    place = f"{prefix}response__instance__contradiction__"
    field = cluster_field(study)
    # As a text: what is compared with a key of JSON would be read as JSON.
    text = Cast(KeyTextTransform(field, f"{place}fields"), TextField())
    return text if field else F(f"{place}title")
