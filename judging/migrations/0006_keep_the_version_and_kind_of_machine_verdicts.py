import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, OuterRef, Subquery

PROTECT = django.db.models.deletion.PROTECT


def fill(apps, schema_editor):
    """Each verdict gets the version of the round that its response was in when it was given."""
    from judging.machine.prompt import settled_by

    MachineVerdict, Study, Round, JudgingSlot, JudgeCall = (
        apps.get_model("judging", name)
        for name in ("MachineVerdict", "Study", "Round", "JudgingSlot", "JudgeCall")
    )
    items = apps.get_model("judging", "StudyItem").objects.filter(pk=OuterRef("item"))
    MachineVerdict.objects.update(rubric_id=Subquery(items.values("round__rubric")))
    studies = Study._base_manager.filter(judges=OuterRef("judge"))
    MachineVerdict.objects.filter(rubric=None).update(rubric_id=Subquery(studies.values("rubric")))
    # An item in a later round that opened after its verdict: the last round before.
    for late in (
        MachineVerdict.objects.filter(judged_at__lt=F("item__round__opened_at"), item__round__n__gt=1)
        .select_related("item")
        .iterator()
    ):
        slots = JudgingSlot.objects.filter(item=late.item, round__opened_at__lte=late.judged_at)
        n = slots.order_by("-round__n").values_list("round__rubric", flat=True).first()
        if n is not None:
            MachineVerdict.objects.filter(pk=late.pk).update(rubric_id=n)
    replied = MachineVerdict.objects.filter(state__in=["judged", "unparsed"])
    last = JudgeCall.objects.filter(machine_verdict=OuterRef("pk")).order_by("-n")
    rows = replied.annotate(reply=Subquery(last.values("reply")[:1])).values_list(
        "pk", "state", "reply", "item__response__text"
    )
    for pk, state, reply, response in list(rows):
        holds = settled_by(reply or "", response)[1]["holds"]
        if (state == "judged") != (holds in ("one", "several")):
            # Read by an earlier version's rule, which stays.
            holds = "one" if state == "judged" else "none"
        MachineVerdict.objects.filter(pk=pk).update(holds=holds)
    # Now, not when the migration ends: PostgreSQL adds no index to a table whose new keys are still to be checked.
    schema_editor.connection.check_constraints()


class Migration(migrations.Migration):
    dependencies = [("judging", "0005_add_discussions")]

    operations = [
        migrations.RemoveConstraint("machineverdict", "machine_verdict_once_an_item_and_judge"),
        migrations.AddField(
            "machineverdict",
            "rubric",
            models.ForeignKey(
                help_text="The version whose gold answers it is asked by; see machine/scope.py.",
                null=True,
                on_delete=PROTECT,
                related_name="+",
                to="judging.rubric",
            ),
        ),
        migrations.AddField(
            "machineverdict",
            "holds",
            models.CharField(
                blank=True,
                choices=[
                    ("one", "A verdict"),
                    ("several", "Verdicts that differ: the last one counts"),
                    ("none", "Words without a verdict"),
                    ("nothing", "Nothing"),
                ],
                default="",
                help_text="What its last call's reply holds; empty before.",
                max_length=10,
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
