from django.db import migrations
from django.db.models import F, OuterRef, Subquery


def make_first_rounds(apps, schema_editor):
    Study, Round, StudyItem, Resolution = (
        apps.get_model("judging", name) for name in ("Study", "Round", "StudyItem", "Resolution")
    )
    # Studies from files had no round.
    without = Study._base_manager.filter(rounds=None).exclude(state="draft")
    Round.objects.bulk_create(
        Round(study=study, opened_at=study.created_at) for study in without
    )
    studies = Study._base_manager.filter(pk=OuterRef("study"))
    Round.objects.update(
        rubric_id=Subquery(studies.values("rubric")),
        closed_at=Subquery(studies.values("closed_at")),
    )
    rounds = Round.objects.filter(study=OuterRef("study"))
    StudyItem.objects.update(round_id=Subquery(rounds.values("pk")[:1]))
    items = StudyItem.objects.filter(pk=OuterRef("item"))
    Resolution.objects.update(final_for=F("item"), round_id=Subquery(items.values("round")))


class Migration(migrations.Migration):
    dependencies = [("judging", "0002_add_what_rounds_keep")]

    operations = [migrations.RunPython(make_first_rounds, migrations.RunPython.noop, elidable=True)]
