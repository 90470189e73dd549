"""The rounds of a study's report: what each is of, and how far their verdicts on the same responses agree."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from django.db.models import Count

from evaluation.counts.final_verdicts import across_rounds
from evaluation.report import shapes
from evaluation.sections.agreement import pair_entry
from evaluation.sections.clustering import Clustering
from judging.models import JudgingSlot, Reopening, Resolution, Round, Study, Verdict

POPULATION = "responses that two rounds resolved, after exclusions"


def rounds_entry(study: Study, clustering: Clustering | None = None) -> shapes.Rounds | None:
    """None for a study whose one round was never opened again."""
    rows = study.rounds.select_related("rubric").annotate(again=Count("reopenings"))
    rounds = list(rows.order_by("n"))
    if len(rounds) < 2 and not any(one.again for one in rounds):
        return None
    reopened = Reopening.objects.filter(round__in=rounds).select_related("round")
    return {
        "population": POPULATION,
        "rounds": _rounds(rounds),
        "reopened": [_reopened(one) for one in reopened],
        "changed": _changed(study, clustering or Clustering()),
    }


def _rounds(rounds: Sequence[Round]) -> list[shapes.StudyRound]:
    judged = JudgingSlot.objects.filter(round__in=rounds).order_by().values_list("round")
    responses = Counter(dict(judged.annotate(n=Count("item", distinct=True))))
    finals = Resolution.objects.filter(round__in=rounds, final_for__isnull=False).order_by()
    final = Counter(dict(finals.values_list("round").annotate(n=Count("pk"))))
    return [
        {
            "n": one.n,
            "rubric": str(one.rubric),
            "reason": one.reason,
            "counts": one.counts,
            "could_read": one.could_read,
            "responses": responses[one.pk],
            "final": final[one.pk],
            "opened": one.opened_at.date().isoformat(),
            "closed": one.closed_at.date().isoformat() if one.closed_at else None,
        }
        for one in rounds
    ]


def _reopened(one: Reopening) -> shapes.Reopened:
    return {
        "n": one.round.n,
        "reason": one.reason,
        "could_read": one.could_read,
        "day": one.at.date().isoformat(),
    }


def _changed(study: Study, clustering: Clustering) -> list[shapes.Changed]:
    plan = clustering.plan(study)
    entries: list[shapes.Changed] = []
    for rounds, rows in groupby(across_rounds(study, clustering.by), key=lambda row: row[0]):
        cells = [cell for _, cell in rows]
        names = [f"round {n}" for n in rounds]
        table = pair_entry(names, Verdict.values, cells, plan)
        entries.append({"rounds": list(rounds), "n": sum(cell[-1] for cell in cells), **table})
    return entries
