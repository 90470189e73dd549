from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("judging", "0008_name_the_prompt_of_judge_models")]

    operations = [
        migrations.RemoveConstraint("judge", "model_judges_once_a_study"),
        migrations.RemoveField("judge", "judge_prompt_hash"),
        migrations.AddConstraint(
            "judge",
            models.UniqueConstraint(
                fields=("study", "model", "prompt"), name="model_judges_once_a_study"
            ),
        ),
        migrations.AddConstraint(
            "judge",
            models.CheckConstraint(
                condition=Q(model=None, prompt=None)
                | Q(model__isnull=False, prompt__isnull=False),
                name="judge_model_has_a_prompt",
            ),
        ),
    ]
