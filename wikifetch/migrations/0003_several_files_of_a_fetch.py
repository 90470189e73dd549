from django.db import migrations


def name_files_in_a_list(apps, schema_editor):
    for run in apps.get_model("wikifetch", "FetchRun").objects.filter(source="xml"):
        if "path" in run.options:
            run.options["paths"] = [run.options.pop("path")]
            run.save(update_fields=["options"])


class Migration(migrations.Migration):

    dependencies = [
        ('wikifetch', '0002_problems_seen_before'),
    ]

    operations = [
        migrations.RunPython(name_files_in_a_list, migrations.RunPython.noop),
    ]
