from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_tokens_and_kept_answers")]

    operations = [migrations.AddField("person", "motto", models.TextField(default="sic et non"))]
