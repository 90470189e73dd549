from django.db import migrations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

ROOMS = (
    "accounts", "annotation", "datasets", "evaluation", "generation", "judging", "operations", "wikifetch",
)  # fmt: skip


def drop(apps, schema_editor):
    """Names that no program has any more: left there, they could not be told from those of a newer version."""
    recorder, here = MigrationRecorder(schema_editor.connection), MigrationLoader(None).disk_migrations
    for app, name in recorder.applied_migrations():
        if app in ROOMS and (app, name) not in here:
            recorder.record_unapplied(app, name)


class Migration(migrations.Migration):

    dependencies = [('operations', '0001_tables')]

    operations = [migrations.RunPython(drop, migrations.RunPython.noop)]
