"""The report of a study, as data: what its page shows, its JSON holds and a snapshot freezes.

Agreement is computed on the judges' independent first verdicts, before resolution and before exclusions; the
tables of verdicts on final verdicts, after exclusions. Each part names its population.
"""

from datetime import date, timedelta

from django.conf import settings
from django.db.models import Count
from django.db.models.functions import TruncDate

from datasets.models import Instance
from evaluation.annotators.campaign import study_annotators
from evaluation.counts import final_verdicts
from evaluation.counts.first_verdicts import first_judged
from evaluation.counts.naming import model_names, models_of, subject_of
from evaluation.counts.steps import study_flow
from evaluation.report import shapes
from evaluation.rows.export import digest
from evaluation.sections.agreement import study_agreement
from evaluation.sections.clustering import Clustering
from evaluation.sections.comparisons import answers_of, comparisons_entry, plan_of
from evaluation.sections.judges import judge_models
from evaluation.sections.verdicts import FINAL_VERDICTS, resolution_entry, verdict_table
from judging.models import Study, Verdict


def study_report(study: Study, clustering: Clustering | None = None) -> shapes.Report:
    """The whole report of a study, ready for JSON; two calls over the same rows give equal data.

    `clustering` says what the intervals of agreement resample, by default whole articles; its seed holds for
    all intervals of the report.
    """
    names = model_names(models_of(study))
    subject = subject_of(study, names)
    prompts = subject["prompts"]
    sha256, row_count = digest(study)
    answered = final_verdicts.answered(study, names)
    chosen = clustering.seed if clustering else None
    seed = study.seed if chosen is None else chosen
    return {
        "format": shapes.FORMAT,
        "study": study_entry(study),
        "snapshot": {
            "id": None,
            "sha256": sha256,
            "rows": row_count,
            "app_version": settings.VERSION,
        },
        "population": FINAL_VERDICTS,
        **subject,
        "verdicts": [{"key": value, "label": label} for value, label in Verdict.choices],
        "agreement": study_agreement(study, prompts, clustering),
        "tables": [verdict_table(study, prompts, names, plan_of(seed))],
        "comparisons": comparisons_entry(answers_of(answered), seed),
        "judge_models": judge_models(study, prompts, names, plan_of(seed)),
        "resolution": resolution_entry(study),
        "flow": study_flow(study),
        "days": days_of_judging(study),
        "annotators": study_annotators(study),
    }


def days_of_judging(study: Study) -> list[shapes.Day]:
    """How many first verdicts were given on each day (UTC) from the first to the last, empty days too."""
    given = first_judged(study).order_by().values_list(TruncDate("judgment__judged_at"))
    by_day: dict[date, int] = dict(given.annotate(count=Count("pk")))
    if not by_day:
        return []
    first, last = min(by_day), max(by_day)
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [{"day": day.isoformat(), "verdicts": by_day.get(day, 0)} for day in days]


def study_entry(study: Study) -> shapes.Study:
    """Who judged what, as counts."""
    items = study.items.all()
    instances = Instance.objects.filter(responses__study_items__study=study).distinct()
    excluded = instances.filter(exclusion__seconded_by__isnull=False)
    return {
        "id": study.pk,
        "name": study.name,
        "slug": study.slug,
        "state": study.state,
        "is_demonstration": study.is_demonstration,
        "is_imported": study.is_imported,
        "judges_per_response": study.judges_per_response,
        "repeat_percent": study.repeat_percent,
        "resolved_by": study.resolved_by,
        "rubric": str(study.rubric),
        "order": study.order,
        "seed": study.seed,
        "responses": items.count(),
        "instances": instances.count(),
        "articles": instances.values("contradiction__title").distinct().count(),
        "excluded_instances": excluded.count(),
        "judges": study.judges.filter(person__isnull=False).count(),
    }
