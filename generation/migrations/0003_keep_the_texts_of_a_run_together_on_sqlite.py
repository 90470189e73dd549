"""An index with the responses' texts, on SQLite alone: PostgreSQL's indexes take no long text."""

from django.db import migrations

NAME = "response_texts"


def keep_together(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(
            f"CREATE INDEX {NAME} ON generation_response (run_id, instance_id, sample, model_id, prompt, text)"
        )


def leave(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP INDEX {NAME}")


class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0002_find_the_responses_in_a_state'),
    ]

    operations = [
        migrations.RunPython(keep_together, leave),
    ]
