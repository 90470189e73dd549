from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_descriptions_in_the_audit_log")]

    operations = [migrations.AddField("person", "motto", models.TextField(default="sic et non"))]
