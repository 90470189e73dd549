import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0012_keep_first_submissions_and_the_time_of_each_day"),
        ("datasets", "0007_carry_where_passages_come_from_and_what_was_filled_in"),
        ("wikifetch", "0010_keep_the_titles_of_a_queue"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CampaignPerson",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("removed_at", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ["campaign", "person"],
            },
        ),
        migrations.AlterModelOptions(
            name="assignment",
            options={"ordering": ["campaign", "round", "order", "slot"]},
        ),
        migrations.RemoveConstraint(
            model_name="assignment",
            name="assignment_state_is_known",
        ),
        migrations.RemoveConstraint(
            model_name="assignment",
            name="assignment_in_work_has_a_person",
        ),
        migrations.RemoveIndex(
            model_name="assignment",
            name="assignment_next_to_take",
        ),
        migrations.AddField(
            model_name="campaign",
            name="for_chosen",
            field=models.BooleanField(
                default=False,
                help_text="Only for the people chosen; else for every annotator not removed.",
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="open_round",
            field=models.PositiveSmallIntegerField(
                default=1, help_text="The last round that is open."
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="pilot_again",
            field=models.BooleanField(
                default=False,
                help_text="The pilot's people may get their tags again in the main round.",
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="pilot_tags",
            field=models.PositiveIntegerField(default=0, help_text="0: no pilot."),
        ),
        migrations.AddField(
            model_name="campaign",
            name="quota",
            field=models.PositiveIntegerField(
                help_text="How many tags one person gets in all; empty: any number.", null=True
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="stop_at_valid",
            field=models.PositiveIntegerField(
                help_text="Closes when so many tags of the main round are valid; empty: never.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="strata",
            field=models.JSONField(
                default=list,
                help_text="By stratum: {kind, frame, wanted, drawn, reserve}, numbers of tags.",
            ),
        ),
        migrations.AlterField(
            model_name="assignment",
            name="state",
            field=models.CharField(
                choices=[
                    ("reserve", "Reserve"),
                    ("free", "Free"),
                    ("held", "In progress"),
                    ("submitted", "Submitted"),
                    ("skipped", "Skipped"),
                    ("withdrawn", "Withdrawn"),
                ],
                default="free",
                max_length=10,
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                fields=["state", "campaign", "round", "order", "slot"],
                name="assignment_next_to_take",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["reserve", "free", "held", "submitted", "skipped", "withdrawn"])
                ),
                name="assignment_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["reserve", "free", "withdrawn"]),
                    ("person__isnull", False),
                    _connector="OR",
                ),
                name="assignment_in_work_has_a_person",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("open_round", 1),
                    models.Q(("open_round", 2), ("pilot_tags__gte", 1)),
                    _connector="OR",
                ),
                name="campaign_opens_a_round_that_it_has",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(("quota", None), ("quota__gte", 1), _connector="OR"),
                name="campaign_quota_is_of_some",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("stop_at_valid", None), ("stop_at_valid__gte", 1), _connector="OR"
                ),
                name="campaign_stops_at_some",
            ),
        ),
        migrations.AddField(
            model_name="campaignperson",
            name="campaign",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="chosen",
                to="annotation.campaign",
            ),
        ),
        migrations.AddField(
            model_name="campaignperson",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="campaignperson",
            constraint=models.UniqueConstraint(
                fields=("campaign", "person"), name="campaign_person_once_a_campaign"
            ),
        ),
    ]
