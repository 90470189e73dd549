from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0016_keep_where_an_annotation_was_first_submitted'),
        ('wikifetch', '0010_keep_the_titles_of_a_queue'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='assignment',
            name='assignment_state_is_known',
        ),
        migrations.RemoveConstraint(
            model_name='assignment',
            name='assignment_in_work_has_a_person',
        ),
        migrations.AlterField(
            model_name='assignment',
            name='state',
            field=models.CharField(choices=[('reserve', 'Reserve'), ('free', 'Free'), ('held', 'In progress'), ('submitted', 'Submitted'), ('skipped', 'Skipped'), ('unneeded', 'Not needed'), ('withdrawn', 'Withdrawn')], default='free', max_length=10),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['reserve', 'free', 'held', 'submitted', 'skipped', 'unneeded', 'withdrawn'])), name='assignment_state_is_known'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['reserve', 'free', 'unneeded', 'withdrawn']), ('person__isnull', False), _connector='OR'), name='assignment_in_work_has_a_person'),
        ),
    ]
