from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('datasets', '0008_link_contradictions_of_one_tag'),
    ]

    # No version before this one made a subset: there is no row that the defaults would be wrong for.
    operations = [
        migrations.AddField(
            model_name='subset',
            name='by',
            field=models.CharField(blank=True, help_text='The slice that makes the strata.', max_length=20),
        ),
        migrations.AddField(
            model_name='subset',
            name='frame',
            field=models.PositiveIntegerField(default=1, help_text='How many questions could be drawn.'),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='subset',
            name='one_per_tag',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='subset',
            name='query',
            field=models.JSONField(default=dict, help_text='What the frame was narrowed to: {facet: value}.'),
        ),
        migrations.AddField(
            model_name='subset',
            name='strata',
            field=models.JSONField(default=list, help_text='[[label, in the frame, drawn], …]'),
        ),
        migrations.AlterField(
            model_name='subset',
            name='seed',
            field=models.BigIntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name='subset',
            constraint=models.CheckConstraint(condition=models.Q(('frame__gte', 1)), name='subset_has_a_frame'),
        ),
    ]
