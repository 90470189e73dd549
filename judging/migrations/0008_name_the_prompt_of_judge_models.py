import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

PROTECT = django.db.models.deletion.PROTECT


def name_prompts(apps, schema_editor):
    """There was one judge prompt, the program's file."""
    from judging.machine.prompt import find_prompt

    Judge, JudgePrompt = (apps.get_model("judging", name) for name in ("Judge", "JudgePrompt"))
    judges = Judge.objects.filter(model__isnull=False)
    if not judges.exists():
        return
    file = find_prompt()
    first = JudgePrompt.objects.create(
        version=1,
        title=file.title,
        template=file.template,
        sha256=file.sha256,
        source=f"{file.source}.",
        note=file.note,
    )
    judges.update(prompt=first)
    # Now, not when the migration ends: PostgreSQL adds no index to a table whose new keys are still to be checked.
    schema_editor.connection.check_constraints()


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("judging", "0007_bind_the_version_and_kind_of_machine_verdicts"),
    ]

    operations = [
        migrations.CreateModel(
            "JudgePrompt",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField(unique=True)),
                ("title", models.CharField(max_length=120)),
                (
                    "template",
                    models.TextField(
                        help_text="With {Question}, {Answer1} | {Answer2}, {LLM response}."
                    ),
                ),
                (
                    "sha256",
                    models.CharField(
                        help_text="Of the template's UTF-8 bytes.", max_length=64, unique=True
                    ),
                ),
                (
                    "source",
                    models.TextField(blank=True, help_text="What it follows, such as a paper."),
                ),
                (
                    "note",
                    models.TextField(
                        blank=True, help_text="Where its rules differ from people's rubric."
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "author",
                    models.ForeignKey(
                        help_text="Null: the program.",
                        null=True,
                        on_delete=PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ["-version"]},
        ),
        migrations.AddField(
            "judge",
            "prompt",
            models.ForeignKey(
                blank=True,
                help_text="What a model is sent; null for people and files.",
                null=True,
                on_delete=PROTECT,
                related_name="judges",
                to="judging.judgeprompt",
            ),
        ),
        migrations.RunPython(name_prompts, migrations.RunPython.noop, elidable=True),
    ]
