"""Stored prompts name the verdict as rows, rubrics and files do. Their texts and hashes stay."""

from importlib import import_module

from django.db import migrations

first = import_module("generation.migrations.0001_all_tables")


def rename(apps, schema_editor):
    alias = schema_editor.connection.alias
    prompt_versions = apps.get_model("generation", "PromptVersion").objects.using(alias)
    # The trigger keeps what a run has used.
    first.let_change(apps, schema_editor)
    for row in prompt_versions.filter(body__verdicts__isnull=False):
        row.body["verdicts"] = [
            "partially correct" if verdict == "partially_correct" else verdict
            for verdict in row.body["verdicts"]
        ]
        row.save(update_fields=["body"])
    first.keep(apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [("generation", "0001_all_tables")]
    operations = [migrations.RunPython(rename)]
