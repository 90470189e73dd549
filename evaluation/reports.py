"""The report of a study, as data: what its page shows, its JSON holds and a snapshot freezes.

Agreement is computed on the judges' independent first verdicts, before resolution and before exclusions; the
tables of verdicts on final verdicts, after exclusions. Each part names its population.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from django.conf import settings

from datasets.models import Instance
from evaluation import agreement, counts, rows, tables
from evaluation.agreement import Coefficient
from evaluation.counts import PairCount
from generation import prompting
from judging import rubric
from judging.models import Resolution, Study, Verdict

FORMAT = 1
FIRST_VERDICTS = "first verdicts, before resolution and exclusions"
FINAL_VERDICTS = "final verdicts, after exclusions"

NOT_MEASURED_IMPORTED = "No first verdicts: the final ones came from a file."
NOT_MEASURED_ALONE = "Each response had one judge, so agreement was not measured."
NOT_MEASURED_YET = "No response has two first verdicts yet. They count once both judges hand in or the study closes."


def study_report(study: Study) -> dict[str, Any]:
    """The whole report of a study, ready for JSON; two calls over the same rows give equal data."""
    names = counts.model_names(counts.models_of(study))
    prompts = [prompt_entry(name) for name in counts.prompts_of(study)]
    prompts.sort(key=lambda prompt: (prompt["label"], prompt["name"]))
    sha256, row_count = rows.digest(study)
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
        "models": [{"id": pk, "name": name} for pk, name in in_name_order(names)],
        "verdicts": [{"key": value, "label": label} for value, label in Verdict.choices],
        "agreement": study_agreement(study, prompts),
        "tables": [verdict_table(study, prompts, names)],
        "resolution": resolution_entry(study),
    }


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
        "resolved_by": study.resolved_by,
        "rubric": str(study.rubric),
        "responses": items.count(),
        "instances": instances.count(),
        "articles": instances.values("contradiction__title").distinct().count(),
        "excluded_instances": excluded.count(),
        "judges": study.judges.count(),
    }


def prompt_entry(name: str) -> dict[str, Any]:
    """A prompt's name, label and title; one that this project does not have keeps its name as label."""
    known = prompting.prompts().get(name)
    if known is None:
        return {"name": name, "label": name, "title": name, "one_passage": False}
    one_passage = len(known.passages) == 1
    return {"name": name, "label": known.label, "title": known.title, "one_passage": one_passage}


def in_name_order(names: dict[int, str]) -> list[tuple[int, str]]:
    return sorted(names.items(), key=lambda entry: (entry[1].casefold(), entry[0]))


# ---------------------------------------------------------------- agreement


def study_agreement(study: Study, prompts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Agreement for each prompt, or the reason why it was not measured."""
    pairs = counts.pair_counts(study)
    matrices = counts.item_matrices(study, Verdict.values)
    return {
        "population": FIRST_VERDICTS,
        "measured": bool(pairs),
        "reason": "" if pairs else _not_measured(study),
        "prompts": [
            prompt_agreement(
                study,
                prompt,
                [pair for pair in pairs if pair.prompt == prompt["name"]],
                matrices.get(prompt["name"], []),
            )
            for prompt in prompts
        ],
    }


def _not_measured(study: Study) -> str:
    if study.is_imported:
        return NOT_MEASURED_IMPORTED
    return NOT_MEASURED_ALONE if study.judges_per_response == 1 else NOT_MEASURED_YET


def prompt_agreement(
    study: Study,
    prompt: dict[str, Any],
    pair_counts: Sequence[PairCount],
    matrix: Sequence[Sequence[int]],
) -> dict[str, Any]:
    """Agreement on the responses to one prompt: for each two judges, and over all of them."""
    used = {verdict for pair in pair_counts for verdict in (pair.verdict_1, pair.verdict_2)}
    labels = scale(study, prompt["name"], used)
    judges = sorted({(pair.first, pair.second) for pair in pair_counts})
    columns = [Verdict.values.index(label) for label in labels]
    paired = [row for row in matrix if sum(row) >= 2]
    items = np.array(paired, dtype=np.int64).reshape(-1, len(Verdict.values))[:, columns]
    return {
        "prompt": prompt["label"],
        "n": len(paired),
        "reason": "" if judges else _not_measured(study),
        "pairs": [
            pair_agreement(
                both, labels, [pair for pair in pair_counts if (pair.first, pair.second) == both]
            )
            for both in judges
        ],
        "all": [
            coefficient_entry(coefficient, None)
            for coefficient in (
                agreement.pairwise_agreement(items),
                agreement.fleiss_kappa(items),
                agreement.krippendorff_alpha_nominal(items),
            )
        ],
    }


def scale(study: Study, prompt: str, used: Iterable[str]) -> list[str]:
    """The verdicts of a prompt from worst to best: those that the rubric proposes, and any other one used."""
    try:
        asked = rubric.parse(study.rubric.body).prompts.get(prompt)
    except rubric.RubricError:  # a rubric from an imported file may hold no more than a name
        asked = None
    proposed = asked.proposed if asked else tuple(Verdict.values)
    return [verdict for verdict in Verdict.values if verdict in proposed or verdict in set(used)]


def pair_agreement(
    judges: tuple[str, str], labels: Sequence[str], pair_counts: Iterable[PairCount]
) -> dict[str, Any]:
    """The table of two judges (rows the first one's verdicts) with all that is computed from it."""
    place = {label: index for index, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for pair in pair_counts:
        table[place[pair.verdict_1], place[pair.verdict_2]] += pair.count
    percent, kappa = agreement.percent_agreement(table), agreement.cohen_kappa(table)
    weighted = ["linear", "quadratic"] if len(labels) > 2 else []
    found = [
        percent,
        kappa,
        *(agreement.cohen_kappa(table, weights) for weights in weighted),
        agreement.scott_pi(table),
        agreement.gwet_ac1(table),
        agreement.krippendorff_alpha_nominal(agreement.items_of(table)),
    ]
    return {
        "judges": list(judges),
        "labels": list(labels),
        "table": table.tolist(),
        "coefficients": [coefficient_entry(coefficient, judges) for coefficient in found],
        "per_class": [class_entry(row) for row in agreement.per_class(table, labels)],
        "warning": agreement.paradox_warning(percent, kappa),
    }


def coefficient_entry(coefficient: Coefficient, judges: tuple[str, str] | None) -> dict[str, Any]:
    return {"pair": list(judges) if judges else None, **coefficient.as_data()}


def class_entry(row: agreement.ClassAgreement) -> dict[str, Any]:
    return {
        "label": row.label,
        "kappa": row.kappa.value,
        "reason": row.kappa.reason if row.kappa.value is None else "",
        "specific_agreement": row.specific,
        "prevalence": row.prevalence,
        "bias": row.bias,
    }


# ---------------------------------------------------------------- final verdicts


def verdict_table(
    study: Study, prompts: Sequence[dict[str, Any]], names: dict[int, str]
) -> dict[str, Any]:
    """Verdicts by model, prompt and slice as k of n; "lines" says what each n leaves out."""
    labels = {prompt["name"]: prompt["label"] for prompt in prompts}
    found = tables.lines(
        counts.verdict_groups(study, names),
        prompts=[prompt["name"] for prompt in prompts],
        models=[name for _, name in in_name_order(names)],
        verdicts=Verdict.values,
        one_passage=counts.one_passage_prompts(),
    )
    return {
        "name": "verdicts",
        "population": FINAL_VERDICTS,
        "rows": [
            {**cell.as_data(), "prompt": labels[cell.prompt]}
            for line in found
            for cell in line.cells
        ],
        "lines": [
            {
                "prompt": labels[line.prompt],
                "model": line.model,
                "slice": line.slice,
                "total": line.total,
                "labelled": line.labelled,
                "unlabelled": line.unlabelled,
                "left_out": line.left_out,
            }
            for line in found
        ],
    }


def resolution_entry(study: Study) -> list[dict[str, Any]]:
    """How the final verdicts came about, and how many responses have none."""
    found = counts.how_counts(study)
    ways = [
        {"how": how, "label": label, "count": found[how]}
        for how, label in Resolution.How.choices
        if how in found
    ]
    if None in found:
        ways.append({"how": "none", "label": "No final verdict yet", "count": found[None]})
    return ways
