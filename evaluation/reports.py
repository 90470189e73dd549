"""The report of a study, as data: what its page shows, its JSON holds and a snapshot freezes.

Agreement is computed on the judges' independent first verdicts, before resolution and before exclusions; the
tables of verdicts on final verdicts, after exclusions. Each part names its population.
"""

from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count
from django.db.models.functions import TruncDate

from datasets.models import Instance
from evaluation import counts, rows, verdict_counts
from evaluation.agreement_report import Clustering, study_agreement
from evaluation.comparison_report import answers_of, comparisons_entry, plan_of
from evaluation.flow_counts import study_flow
from evaluation.formats import FORMAT
from evaluation.judge_report import judge_models
from evaluation.verdict_report import FINAL_VERDICTS, resolution_entry, verdict_table
from judging.models import Study, Verdict


def study_report(study: Study, clustering: Clustering | None = None) -> dict[str, Any]:
    """The whole report of a study, ready for JSON; two calls over the same rows give equal data.

    `clustering` says what the intervals of agreement resample, by default whole articles; its seed holds for
    all intervals of the report.
    """
    names = counts.model_names(counts.models_of(study))
    prompts = [counts.prompt_entry(name) for name in counts.prompts_of(study)]
    prompts.sort(key=lambda prompt: (prompt["label"], prompt["name"]))
    sha256, row_count = rows.digest(study)
    answered = verdict_counts.answered(study, names)
    chosen = clustering.seed if clustering else None
    seed = study.seed if chosen is None else chosen
    return {
        "format": FORMAT,
        "study": study_entry(study),
        "snapshot": {
            "id": None,
            "sha256": sha256,
            "rows": row_count,
            "app_version": settings.VERSION,
        },
        "population": FINAL_VERDICTS,
        "prompts": prompts,
        "models": [{"id": pk, "name": name} for pk, name in counts.in_name_order(names)],
        "verdicts": [{"key": value, "label": label} for value, label in Verdict.choices],
        "agreement": study_agreement(study, prompts, clustering),
        "tables": [verdict_table(study, prompts, names, answered, plan_of(seed))],
        "comparisons": comparisons_entry(answers_of(answered), seed),
        "judge_models": judge_models(study, prompts, names, plan_of(seed)),
        "resolution": resolution_entry(study),
        "flow": study_flow(study),
        "days": days_of_judging(study),
    }


def days_of_judging(study: Study) -> list[dict[str, Any]]:
    """How many first verdicts were given on each day (UTC) from the first to the last, empty days too."""
    given = counts.first_judged(study).order_by().values_list(TruncDate("judgment__judged_at"))
    found: dict[date, int] = dict(given.annotate(count=Count("pk")))
    if not found:
        return []
    first, last = min(found), max(found)
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [{"day": day.isoformat(), "verdicts": found.get(day, 0)} for day in days]


def study_entry(study: Study) -> dict[str, Any]:
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
