"""The rounds of a study's report: what each is of, and how far their verdicts on the same responses agree."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any, cast

from django.db.models import Count

from evaluation.counts import final_verdicts
from evaluation.counts.final_verdicts import across_rounds
from evaluation.counts.judged import Judged
from evaluation.counts.naming import judged_prompts, model_names, models_of, subject_of
from evaluation.sections.clustering import Clustering
from evaluation.sections.comparison_entries import plan_of
from evaluation.sections.scored_entries import protocol_entry
from evaluation.sections.study_agreement import agreement_in, how_compared, pair_entry
from evaluation.sections.verdict_table import table_of, verdict_entries
from evaluation.shapes.study_report import Report
from evaluation.shapes.study_rounds import ChangedVerdicts, StudyRound, StudyRounds
from evaluation.tables.joined import Side
from evaluation.tables.report_words import in_its_words, word_of
from judging.models import JudgingSlot, Reopening, Resolution, Round, Study
from protocols.declaration import WIKICONTRADICT

POPULATION = "responses that two rounds resolved, after exclusions"
OF_ROUND = "verdicts that the round ended with, after exclusions"


def rounds_entry(study: Study, clustering: Clustering | None = None) -> StudyRounds | None:
    """None for a study whose one round was never opened again."""
    rows = study.rounds.select_related("rubric").annotate(again=Count("reopenings"))
    rounds = list(rows.order_by("n"))
    if len(rounds) < 2 and not any(round.again for round in rounds):
        return None
    reopenings = Reopening.objects.filter(round__in=rounds).select_related("round")
    return {
        "population": POPULATION,
        "rounds": round_entries(rounds),
        "reopened": [
            {
                "n": again.round.n,
                "reason": again.reason,
                "could_read": again.could_read,
                "day": again.at.date().isoformat(),
            }
            for again in reopenings
        ],
        "changed": changed_entries(study, clustering or Clustering()),
    }


def round_entries(rounds: Sequence[Round]) -> list[StudyRound]:
    """What each of these rounds was."""
    judged = JudgingSlot.objects.filter(round__in=rounds).order_by().values_list("round")
    responses = Counter(dict(judged.annotate(n=Count("item", distinct=True))))
    finals = Resolution.objects.filter(round__in=rounds, final_for__isnull=False).order_by()
    final = Counter(dict(finals.values_list("round").annotate(n=Count("pk"))))
    return [
        {
            "n": round.n,
            "rubric": str(round.rubric),
            "reason": round.reason,
            "counts": round.counts,
            "could_read": round.could_read,
            "responses": responses[round.pk],
            "final": final[round.pk],
            "opened": round.opened_at.date().isoformat(),
            "closed": round.closed_at.date().isoformat() if round.closed_at else None,
        }
        for round in rounds
    ]


def changed_entries(study: Study, clustering: Clustering) -> list[ChangedVerdicts]:
    """How far each two rounds agree on the responses on which both ended with a verdict."""
    plan, scale = clustering.plan(study), study.judged_by.scale
    entries: list[ChangedVerdicts] = []
    for rounds, rows in groupby(across_rounds(study, clustering.by), key=lambda row: row[0]):
        cells = [cell for _, cell in rows]
        names = [f"round {n}" for n in rounds]
        table = pair_entry(names, scale.keys, cells, plan, **how_compared(scale))
        entries.append({"rounds": list(rounds), "n": sum(cell[-1] for cell in cells), **table})
    return entries


def round_side(
    judged: Judged, round: Round, clustering: Clustering, other: Round | None = None
) -> Side:
    """A round as one of two sides.

    Its shares are of the verdicts that it ended with, final or not; with `other`, only on responses on which that
    round ended with one too.
    """
    names = model_names(models_of(judged.study))
    subject = subject_of(judged.study, names)
    prompts = judged_prompts(subject)
    seed = clustering.plan(judged.study).seed
    tallies = final_verdicts.tallies(final_verdicts.ended_in(judged.items, round, other), names)
    table = table_of("verdicts", OF_ROUND, tallies, prompts, names, judged.scale, plan_of(seed))
    of_round: dict[str, Any] = {
        **subject,
        "tables": [table],
        "verdicts": verdict_entries(judged.study),
        "ordered": bool(judged.study.judged_by.scale.best),
    }
    declaration = judged.study.declaration
    is_declared = declaration.name != WIKICONTRADICT
    if is_declared:
        of_round["protocol"] = protocol_entry(declaration)
    word = word_of(clustering.by, declaration.cluster_word, is_declared=is_declared)
    agreement = in_its_words(agreement_in(judged, prompts, round, clustering), word)
    return Side(cast(Report, of_round), agreement)
