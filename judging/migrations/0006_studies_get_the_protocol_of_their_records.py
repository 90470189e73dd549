from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import OuterRef, Subquery


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    items = apps.get_model("judging", "StudyItem").objects.order_by("position")
    of_first = items.filter(study=OuterRef("pk")).values("response__run__collection__protocol")
    apps.get_model("judging", "Study").objects.update(protocol=Subquery(of_first[:1]))


class Migration(migrations.Migration):

    dependencies = [
        ('datasets', '0002_collections_of_protocols'),
        ('generation', '0003_prompts_of_protocols'),
        ('judging', '0005_study_keeps_its_protocol'),
    ]

    operations = [migrations.RunPython(fill)]
