from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0018_find_annotations_by_their_state'),
        ('datasets', '0008_link_contradictions_of_one_tag'),
        ('wikifetch', '0010_keep_the_titles_of_a_queue'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name='annotation',
            index=models.Index(fields=['assignment', 'state', 'validity'], name='annotation_counted'),
        ),
    ]
