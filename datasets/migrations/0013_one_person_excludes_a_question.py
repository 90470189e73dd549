"""An exclusion has one person, and says whether results existed; proposals wait to be confirmed or refused."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def results_existed(apps, schema_editor):
    """From the record of what the two had seen, which listed runs with responses to the question.

    Without such a record, as before it was kept, results are taken to have existed.
    """
    for name in ("Exclusion", "PastExclusion"):
        model = apps.get_model("datasets", name)
        rows = model.objects.using(schema_editor.connection.alias).exclude(excluded_by=None)
        for row in rows.iterator():
            known = row.seen.get("seconded", {}).get("known")
            is_after = known is None or any(one["what"].startswith("Run ") for one in known)
            rows.filter(pk=row.pk).update(after_results=is_after)


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("datasets", "0012_descriptions_credit_the_source"),
    ]

    operations = [
        migrations.DeleteModel(name="Undoing"),
        migrations.RemoveConstraint("exclusion", "exclusion_seconded_by_another"),
        migrations.RemoveConstraint("pastexclusion", "declined_by_another_withdrawn_by_its_own"),
        migrations.RemoveConstraint("pastexclusion", "undone_exclusion_was_in_force"),
        migrations.RemoveConstraint("pastexclusion", "exclusion_undone_by_two"),
        *(
            operation
            for name in ("exclusion", "pastexclusion")
            for operation in (
                # Who agreed put it into force. Who proposed it is in the audit log.
                migrations.RenameField(name, "seconded_by", "excluded_by"),
                migrations.RenameField(name, "seconded_at", "excluded_at"),
                migrations.RemoveField(name, "proposed_by"),
            )
        ),
        migrations.AddField(
            "exclusion",
            "after_results",
            models.BooleanField(
                null=True,
                help_text="Whether a model had answered the question when it was excluded.",
            ),
        ),
        migrations.AddField("pastexclusion", "after_results", models.BooleanField(null=True)),
        migrations.RunPython(results_existed, migrations.RunPython.noop),
        migrations.RemoveField("exclusion", "seen"),
        migrations.RemoveField("pastexclusion", "seen"),
        migrations.RemoveField("pastexclusion", "how"),
        migrations.RemoveField("pastexclusion", "proposal"),
        migrations.RemoveField("pastexclusion", "proposed_at"),
        migrations.RemoveField("pastexclusion", "undoing_by"),
        migrations.AlterField(
            "pastexclusion",
            "note",
            models.TextField(blank=True, help_text="Why it was undone."),
        ),
        migrations.AlterField(
            "pastexclusion",
            "excluded_by",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            "pastexclusion", "excluded_at", models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddConstraint(
            "exclusion",
            models.CheckConstraint(
                condition=models.Q(excluded_by=None, excluded_at=None, after_results=None)
                | models.Q(
                    excluded_by__isnull=False,
                    excluded_at__isnull=False,
                    after_results__isnull=False,
                ),
                name="exclusion_is_proposed_or_in_force",
            ),
        ),
    ]
