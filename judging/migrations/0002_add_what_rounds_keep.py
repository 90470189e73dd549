import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

PERSON = settings.AUTH_USER_MODEL
PROTECT = django.db.models.deletion.PROTECT


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("judging", "0001_tables"),
    ]

    operations = [
        migrations.RemoveField("round", "label"),
        migrations.AddField(
            "round", "rubric", models.ForeignKey(null=True, on_delete=PROTECT, to="judging.rubric")
        ),
        migrations.AddField(
            "round",
            "reason",
            models.TextField(
                blank=True, default="", help_text="Why it was opened; empty for the first."
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            "round",
            "counts",
            models.BooleanField(
                default=True,
                help_text="Its verdicts replace earlier ones. Otherwise they count only where there are none.",
            ),
        ),
        migrations.AddField("round", "is_latest", models.BooleanField(default=True)),
        migrations.AddField(
            "round",
            "could_read",
            models.PositiveIntegerField(
                default=0,
                help_text="Of its judges: how many could read earlier verdicts before it opened.",
            ),
        ),
        migrations.AddField(
            "round",
            "opened_by",
            models.ForeignKey(null=True, on_delete=PROTECT, related_name="+", to=PERSON),
        ),
        migrations.AddField("round", "closed_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "studyitem",
            "round",
            models.ForeignKey(
                help_text="The latest one that judges it; null before the first.",
                null=True,
                on_delete=PROTECT,
                related_name="items",
                to="judging.round",
            ),
        ),
        migrations.AddField(
            "resolution", "round", models.ForeignKey(null=True, on_delete=PROTECT, to="judging.round")
        ),
        migrations.AlterField(
            "resolution",
            "item",
            models.ForeignKey(
                on_delete=PROTECT, related_name="resolutions", to="judging.studyitem"
            ),
        ),
        migrations.AddField(
            "resolution",
            "final_for",
            models.OneToOneField(
                editable=False,
                help_text="Its item, where this is the final verdict; null where another round's is.",
                null=True,
                on_delete=PROTECT,
                related_name="resolution",
                to="judging.studyitem",
            ),
        ),
        migrations.RemoveIndex("studyitem", "item_without_final_verdict"),
        migrations.RenameField("studyitem", "is_final", "is_settled"),
        migrations.CreateModel(
            "Reopening",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField()),
                (
                    "could_read",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="Of its judges: how many could read verdicts while it was closed.",
                    ),
                ),
                (
                    "at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "by",
                    models.ForeignKey(on_delete=PROTECT, related_name="+", to=PERSON),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=PROTECT, related_name="reopenings", to="judging.round"
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
    ]
