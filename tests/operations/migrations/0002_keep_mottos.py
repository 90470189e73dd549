from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_all_tables")]

    operations = [migrations.AddField("person", "motto", models.TextField(default="sic et non"))]
