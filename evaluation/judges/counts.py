"""A judge's first verdicts against others', the final ones and their own repeated ones, counted."""

from collections import Counter
from collections.abc import Iterable, Mapping

from django.db.models import Avg, Count, F

from evaluation.counts.first_verdicts import cluster_of, first_judged, pairs, repeat_counts
from evaluation.counts.judged import Judged
from evaluation.statistics.two_raters import PairCell
from judging.models import Judge, Resolution, Study
from judging.progress import LONGEST_READING

CLUSTER = "article"
# Judge -> the number of their round; see rounds_shown.
RoundsShown = Mapping[str, int]
# Whose verdicts are compared with the judge's, besides other judges by their pseudonyms.
FINAL, DISPUTED, OWN = "final", "disputed", "own"
# Final verdicts that are the judge's own, or of unknown judges.
ALONE = (Resolution.How.SINGLE, Resolution.How.IMPORTED)


def rounds_shown(study: Study) -> RoundsShown:
    """Judge -> the round that their numbers are of. Empty for a study of one round.

    It is their latest round that counts, or their latest one where none does.
    """
    if study.rounds.count() < 2:
        return {}
    rows = first_judged(study).order_by()
    rounds = rows.values_list("judge__pseudonym", "round__counts", "round__n").distinct()
    return {judge: n for judge, _, n in sorted(rounds)}


def given(
    study: Study, shown: RoundsShown, only: Judge | None = None
) -> dict[str, dict[str, Counter[str]]]:
    """Judge (all, or one) -> prompt -> how many of each first verdict in their round; judges and prompts by name."""
    columns = ("judge__pseudonym", "item__response__prompt")
    slots = first_judged(study).filter(judge=only) if only else first_judged(study)
    rows = slots.values_list(*columns, "round__n", "judgment__first_verdict")
    found: dict[str, dict[str, Counter[str]]] = {}
    for name, prompt, at, verdict, n in rows.annotate(n=Count("pk")).order_by(*columns):
        if shown.get(name, at) == at:
            found.setdefault(name, {}).setdefault(prompt, Counter())[verdict] = n
    return found


def seconds(study: Study, shown: RoundsShown) -> dict[str, float]:
    """Judge -> mean seconds an item in the judge's round, pauses left out."""
    read = first_judged(study).filter(judgment__seconds__lte=LONGEST_READING).order_by()
    means = read.values_list("judge__pseudonym", "round__n").annotate(mean=Avg("judgment__seconds"))
    return {judge: mean for judge, at, mean in means if shown.get(judge, at) == at}


def with_others(study: Study, shown: RoundsShown) -> dict[str, dict[str, list[PairCell]]]:
    """Judge -> other judge -> (article, verdict, the other's, count) over what both judged in the judge's round."""
    found: dict[str, dict[str, list[PairCell]]] = {}
    for (_, n), of_judges in pairs(Judged.of_study(study), CLUSTER).items():
        for (first, second), cells in of_judges.items():
            turned = [(place, theirs, mine, count) for place, mine, theirs, count in cells]
            for judge, other, of_both in ((first, second, cells), (second, first, turned)):
                if shown.get(judge, n) == n:
                    found.setdefault(judge, {}).setdefault(other, []).extend(of_both)
    return {judge: dict(sorted(others.items())) for judge, others in found.items()}


def with_final(study: Study, judge: Judge, shown: RoundsShown) -> dict[str, list[PairCell]]:
    """FINAL and DISPUTED -> cells against the final verdicts in the judge's round.

    FINAL leaves out final verdicts that are the judge's own alone. DISPUTED has those that a discussion, a third person
    or the majority decided.
    """
    rows = first_judged(study).filter(judge=judge, item__resolution__round=F("round"))
    if judge.pseudonym in shown:
        rows = rows.filter(round__n=shown[judge.pseudonym])
    counted = (
        rows.exclude(item__resolution__how__in=ALONE)
        .order_by()
        .values_list(
            "item__resolution__how",
            cluster_of(study, CLUSTER),
            "judgment__first_verdict",
            "item__resolution__verdict",
        )
        .annotate(n=Count("pk"))
    )
    cells: dict[str, list[PairCell]] = {FINAL: [], DISPUTED: []}
    for how, *cell in counted:
        cells[FINAL].append(tuple(cell))
        if how != Resolution.How.UNANIMOUS:
            cells[DISPUTED].append(tuple(cell))
    return cells


def with_own(study: Study, judge: Judge) -> list[PairCell]:
    """Cells of the judge's earlier and later verdicts on a response that came to them again."""
    repeats = repeat_counts(study, CLUSTER)
    mine = [repeat for repeat in repeats if repeat.judge == judge.pseudonym]
    return [(r.cluster, r.verdict_1, r.verdict_2, r.count) for r in mine]


def causes(study: Study, by: str) -> dict[str, Counter[str]]:
    """Cause -> how many of each `by`, a column of responses, among the disagreements with a cause."""
    resolved = study.items.exclude(resolution__cause="").filter(resolution__isnull=False)
    rows = resolved.order_by().values_list("resolution__cause", f"response__{by}")
    found: dict[str, Counter[str]] = {}
    for cause, key, n in rows.annotate(n=Count("pk")):
        found.setdefault(cause, Counter())[str(key)] = n
    return found


def leaning(cells: Iterable[PairCell], order: Iterable[str]) -> tuple[int, int, int]:
    """How many comparisons have the first verdict higher in `order`, how many lower, and how many there are."""
    place = {verdict: at for at, verdict in enumerate(order)}
    higher = lower = total = 0
    for _, first, second, count in cells:
        higher += count * (place[first] > place[second])
        lower += count * (place[first] < place[second])
        total += count
    return higher, lower, total
