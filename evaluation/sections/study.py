"""The report of a study, as data: what its page shows, its JSON holds and a snapshot freezes.

Agreement is computed on the judges' independent first verdicts, before resolution and before exclusions; the
tables of verdicts on final verdicts, after exclusions. Each part names its population.
"""

import numpy as np
from django.conf import settings

from datasets.models import Subset
from datasets.subsets import described, slice_title
from evaluation.annotators.campaign import study_annotators
from evaluation.compare.families import FAMILIES
from evaluation.counts import final_verdicts
from evaluation.counts.final_verdicts import excluded_when, kept
from evaluation.counts.first_verdicts import own, short_rounds
from evaluation.counts.judged import Judged
from evaluation.counts.naming import judged_prompts, model_names, models_of, subject_of
from evaluation.counts.scored import Scored, scored
from evaluation.counts.steps import study_flow
from evaluation.rows.hashing import digest_of, format_of, judging_people
from evaluation.sections.clustering import Clustering
from evaluation.sections.comparison_entries import answers_of, comparisons_entry, plan_of
from evaluation.sections.judge_scores import halves_entry, judge_models
from evaluation.sections.round_entries import rounds_entry
from evaluation.sections.scored_entries import (
    protocol_entry,
    scores_entry,
    without_parts_of_wikicontradict,
)
from evaluation.sections.sliced_agreement import by_slice
from evaluation.sections.study_agreement import study_agreement
from evaluation.sections.verdict_table import (
    FINAL_VERDICTS,
    resolution_entry,
    verdict_entries,
    verdict_table,
)
from evaluation.shapes.study_report import (
    FORMAT,
    DayOfJudging,
    Report,
    ReportStudy,
    ReportSubset,
)
from judging.models import Study
from judging.rules.verdict_scale import UNWEIGHTED
from protocols.declaration import WIKICONTRADICT


def study_report(study: Study, clustering: Clustering | None = None) -> Report:
    """The whole report of a study, ready for JSON; two calls over the same rows give equal data.

    `clustering` says what the intervals of agreement resample, by default whole articles; its seed holds for
    all intervals of the report.
    """
    judged, declaration = Judged.of_study(study), study.declaration
    scores, names = scored(study), model_names(models_of(study))
    subject = subject_of(study, names)
    prompts = judged_prompts(subject)
    sha256, row_count = digest_of(judged, scores)
    answered = final_verdicts.answered(judged.items, names)
    chosen = clustering.seed if clustering else None
    seed = study.seed if chosen is None else chosen
    plan, best = plan_of(seed), study.judged_by.scale.best if study.is_judged else ""
    families = FAMILIES if best or not study.is_judged else ()
    report: Report = {
        "format": FORMAT,
        "study": study_entry(judged, scores),
        "snapshot": {
            "id": None,
            "sha256": sha256,
            "rows": row_count,
            "rows_format": format_of(study),
            "app_version": settings.VERSION,
        },
        "population": FINAL_VERDICTS,
        **subject,
        "verdicts": verdict_entries(study),
        "agreement": study_agreement(judged, prompts if study.is_judged else [], clustering),
        "tables": [verdict_table(judged, prompts, names, plan)] if study.is_judged else [],
        "comparisons": comparisons_entry(answers_of(answered, best), seed, families),
        "judge_models": judge_models(study, prompts, names, plan),
        "resolution": resolution_entry(judged),
        "flow": study_flow(judged),
        "days": days_of_judging(judged),
        "annotators": study_annotators(study),
    }
    if study.is_judged and not best:
        report["ordered"] = False
    if study.is_judged and (weights := study.judged_by.scale.weights) != UNWEIGHTED:
        report["weights"] = weights
    if report["judge_models"]:
        report["halves"] = halves_entry(study)
    if slices := by_slice(judged, clustering or Clustering()):
        report["by_slice"] = slices
    if rounds := rounds_entry(study, clustering):
        report["rounds"] = rounds
    if declaration.name != WIKICONTRADICT:
        report = without_parts_of_wikicontradict(report)
        report["protocol"] = protocol_entry(declaration)
    if scores:
        report["scores"] = scores_entry(scores, plan, study.only_label.partition("=")[0])
    return report


def days_of_judging(judged: Judged) -> list[DayOfJudging]:
    """How many first verdicts were given on each day (UTC) from the first to the last, empty days too."""
    given = judged.first.moment.astype("datetime64[D]")
    if not len(given):
        return []
    days = np.arange(given.min(), given.max() + 1)
    counts = np.bincount((given - days[0]).astype(int))
    return [{"day": str(day), "verdicts": n} for day, n in zip(days, counts.tolist(), strict=True)]


def study_entry(judged: Judged, scores: Scored | None) -> ReportStudy:
    """Who judged what, as counts."""
    study = judged.study
    instances, excluded = judged.items["instance"], excluded_when(judged)
    entry: ReportStudy = {
        "id": study.pk,
        "name": study.name,
        "slug": study.slug,
        "state": study.state,
        "is_demonstration": study.is_demonstration,
        "is_imported": study.is_imported,
        "judges_per_response": study.judges_per_response,
        "pairing": study.pairing,
        "double_percent": study.double_percent,
        "repeat_percent": study.repeat_percent,
        "without_own": study.without_own,
        "own_verdicts": [int(own(judged).sum()), len(judged.first.at)],
        "resolved_by": study.resolved_by,
        "rubric": str(study.rubric) if study.rubric else "",
        "order": study.order,
        "seed": study.seed,
        "responses": len(instances.at),
        "instances": len(instances.values),
        "articles": len(judged.items["title"].values),
        "excluded_instances": len(np.unique(instances.at[~kept(judged.items)])),
        "excluded_before_results": excluded[False],
        "excluded_after_results": excluded[True],
        "judges": judging_people(study).count(),
    }
    if short := short_rounds(judged):
        entry["short_rounds"] = {str(n): counts for n, counts in short.items()}
    if study.subset:
        entry["subset"] = _subset(study.subset)
    if study.only_label:
        scorer, _, label = study.only_label.partition("=")
        given = scores.rows.labels.get(scorer) if scores else None
        n = int(given.among({label}).sum()) if given else 0
        entry["only"] = {"scorer": scorer, "label": label, "no_longer": len(instances.at) - n}
    if n := study.items.filter(response__prompt_verified=False).count():
        entry["prompts_not_verified"] = n
    return entry


def _subset(subset: Subset) -> ReportSubset:
    return {
        "name": subset.name,
        "query": described(subset),
        "by": slice_title(subset, subset.by) if subset.by else "",
        "drawn": subset.instances.count(),
        "frame": subset.frame,
        "seed": subset.seed,
    }
