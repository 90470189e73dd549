from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_keyed_hashes_of_forgotten_names")]

    operations = [migrations.AddField("person", "motto", models.TextField(default="sic et non"))]
