from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0001_tables"), ("generation", "0001_tables")]

    operations = [
        migrations.AddField(
            "reportsnapshot",
            "runs",
            models.ManyToManyField(
                editable=False,
                help_text="Those of the responses that it counts.",
                related_name="+",
                to="generation.run",
            ),
        ),
    ]
