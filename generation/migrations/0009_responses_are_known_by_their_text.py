from importlib import import_module

from django.db import migrations, models
from django.db.models import Q

import generation.models
from generation.models import shown_sha256

BATCH = 1000
# The constraint makes the table anew on SQLite, without its index of texts.
first = import_module("generation.migrations.0001_all_tables")


def fill(apps, schema_editor):
    """Hash the finished responses that there are."""
    responses = apps.get_model("generation", "Response").objects
    rows = responses.filter(state="done").order_by("pk").only("text", "finding")
    last = 0
    while some := list(rows.filter(pk__gt=last)[:BATCH]):
        last = some[-1].pk
        for row in some:
            row.text_sha256 = shown_sha256(row.text, row.finding)
        responses.bulk_update(some, ["text_sha256"])


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0003_strata_by_declared_slices"),
        ("generation", "0008_replies_may_be_broken_off"),
    ]

    operations = [
        migrations.AddField(
            "response",
            "text_sha256",
            generation.models.ShownSha256(
                editable=False,
                help_text="Of what a judge is shown of it, by which the same text is known in another run.",
                max_length=64,
                null=True,
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            "response",
            models.Index(
                fields=["instance", "prompt", "text_sha256", "run"], name="response_by_shown_text"
            ),
        ),
        migrations.AddConstraint(
            "response",
            models.CheckConstraint(
                condition=~Q(state="done") | Q(text_sha256__isnull=False),
                name="response_done_is_known_by_its_text",
            ),
        ),
        migrations.RunPython(first.keep_together, first.leave),
    ]
