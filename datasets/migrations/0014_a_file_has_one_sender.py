from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("datasets", "0013_one_person_excludes_a_question")]

    operations = [migrations.RemoveField("importjob", "also_by")]
