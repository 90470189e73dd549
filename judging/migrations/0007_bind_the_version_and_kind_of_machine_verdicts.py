import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("judging", "0006_keep_the_version_and_kind_of_machine_verdicts")]

    operations = [
        migrations.AlterField(
            "machineverdict",
            "rubric",
            models.ForeignKey(
                help_text="The version whose gold answers it is asked by; see machine/scope.py.",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="judging.rubric",
            ),
        ),
        migrations.AddConstraint(
            "machineverdict",
            models.UniqueConstraint(
                fields=("judge", "item", "rubric"), name="machine_verdict_once_a_version"
            ),
        ),
        migrations.AddConstraint(
            "machineverdict",
            models.CheckConstraint(
                condition=Q(holds__in=["one", "several"], state="judged")
                | Q(holds__in=["none", "nothing"], state="unparsed")
                | (~Q(state__in=["judged", "unparsed"]) & Q(holds="")),
                name="machine_reply_holds_what_its_state_says",
            ),
        ),
    ]
