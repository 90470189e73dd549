"""A judge's first verdicts next to those of others, the final ones and their own second ones, counted."""

from collections import Counter
from collections.abc import Iterable

from django.db.models import Avg, Count, F

from evaluation.counts.first_verdicts import (
    CLUSTERS,
    first_judged,
    pair_counts,
    repeat_counts,
)
from evaluation.sections.agreement import Cell
from judging.models import Judge, Resolution, Study
from judging.progress import LONGEST_READING

CLUSTER = "article"
# Whose verdicts are compared with the judge's, besides other judges by their pseudonyms.
FINAL, DISPUTED, OWN = "final", "disputed", "own"
# Final verdicts that are nobody's but the judge's own, or of judges who are not known.
ALONE = (Resolution.How.SINGLE, Resolution.How.IMPORTED)


def given(study: Study) -> dict[str, dict[str, Counter[str]]]:
    """Judge -> prompt -> how many of each first verdict; judges and prompts by name."""
    rows = first_judged(study).order_by()
    counts = rows.values_list(
        "judge__pseudonym", "item__response__prompt", "judgment__first_verdict"
    ).annotate(n=Count("pk"))
    found: dict[str, dict[str, Counter[str]]] = {}
    for judge, prompt, verdict, n in counts.order_by("judge__pseudonym", "item__response__prompt"):
        found.setdefault(judge, {}).setdefault(prompt, Counter())[verdict] = n
    return found


def seconds(study: Study) -> dict[str, float]:
    """Judge -> mean seconds an item, pauses left out."""
    read = first_judged(study).filter(judgment__seconds__lte=LONGEST_READING).order_by()
    return dict(read.values_list("judge__pseudonym").annotate(mean=Avg("judgment__seconds")))


def with_others(study: Study) -> dict[str, dict[str, list[Cell]]]:
    """Judge -> other judge -> (article, verdict, the other's, count) over the responses that both judged."""
    cells: dict[str, dict[str, list[Cell]]] = {}
    for one in pair_counts(study, CLUSTER):
        mine = (one.cluster, one.verdict_1, one.verdict_2, one.count)
        theirs = (one.cluster, one.verdict_2, one.verdict_1, one.count)
        cells.setdefault(one.first, {}).setdefault(one.second, []).append(mine)
        cells.setdefault(one.second, {}).setdefault(one.first, []).append(theirs)
    return {judge: dict(sorted(others.items())) for judge, others in cells.items()}


def with_final(study: Study, judge: Judge) -> dict[str, list[Cell]]:
    """FINAL and DISPUTED -> cells against the final verdict: of all but those that are this judge's own verdict alone,
    and of those that a third person or the majority decided.
    """
    rows = first_judged(study).filter(judge=judge, item__resolution__round=F("round"))
    counted = (
        rows.exclude(item__resolution__how__in=ALONE)
        .order_by()
        .values_list(
            "item__resolution__how",
            CLUSTERS[CLUSTER],
            "judgment__first_verdict",
            "item__resolution__verdict",
        )
        .annotate(n=Count("pk"))
    )
    cells: dict[str, list[Cell]] = {FINAL: [], DISPUTED: []}
    for how, *cell in counted:
        cells[FINAL].append(tuple(cell))
        if how != Resolution.How.UNANIMOUS:
            cells[DISPUTED].append(tuple(cell))
    return cells


def with_own(study: Study, judge: Judge) -> list[Cell]:
    """Cells of the judge's earlier and later verdicts on a response that came to them again."""
    repeats = repeat_counts(study, CLUSTER)
    return [
        (one.cluster, one.verdict_1, one.verdict_2, one.count)
        for one in repeats
        if one.judge == judge.pseudonym
    ]


def causes(study: Study, by: str) -> dict[str, Counter[str]]:
    """Cause -> how many of each `by`, a column of responses, among the disagreements with a cause."""
    resolved = study.items.exclude(resolution__cause="").filter(resolution__isnull=False)
    rows = resolved.order_by().values_list("resolution__cause", f"response__{by}")
    found: dict[str, Counter[str]] = {}
    for cause, key, n in rows.annotate(n=Count("pk")):
        found.setdefault(cause, Counter())[str(key)] = n
    return found


def leaning(cells: Iterable[Cell], order: Iterable[str]) -> tuple[int, int, int]:
    """In how many of the cells' comparisons the first verdict is higher in `order`, lower, and how many there are."""
    place = {verdict: at for at, verdict in enumerate(order)}
    higher = lower = total = 0
    for _, first, second, count in cells:
        higher += count * (place[first] > place[second])
        lower += count * (place[first] < place[second])
        total += count
    return higher, lower, total
