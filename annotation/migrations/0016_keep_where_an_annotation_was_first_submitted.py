import django.db.models.deletion
from django.db import migrations, models


def copy_assignments(apps, schema_editor):
    """An annotation that has its assignment was first submitted for it; of others nobody knows."""
    rows = apps.get_model("annotation", "Annotation").objects.using(schema_editor.connection.alias)
    rows.exclude(submitted_at=None).update(first_assignment=models.F("assignment"))


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0015_review_all_annotations_of_a_tag_together'),
    ]

    operations = [
        migrations.AddField(
            model_name='annotation',
            name='first_assignment',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='first_submissions', to='annotation.assignment'),
        ),
        migrations.RunPython(copy_assignments, migrations.RunPython.noop),
    ]
