"""Agreement of judges by the slices of a protocol's records, as data: on first verdicts, over all prompts."""

from collections import defaultdict
from collections.abc import Iterable

from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTextTransform

from datasets.models import Instance
from evaluation.counts.final_verdicts import by_round
from evaluation.counts.first_verdicts import CLUSTER_COLUMNS
from evaluation.counts.judged import Columns, Judged, of_each
from evaluation.sections.clustering import Clustering
from evaluation.shapes.judge_agreement import SliceAgreement, SliceOf
from evaluation.statistics import sliced
from evaluation.statistics.sliced import Judgments
from pages.memory import FIGURES

sliced_agreement = FIGURES.remembers(sliced.sliced_agreement)


def by_slice(judged: Judged, clustering: Clustering) -> list[SliceAgreement]:
    """An entry for each value of each slice, in each round that gives final verdicts (in all while none does)."""
    study = judged.study
    slices = study.declaration.slices if study.is_judged else {}
    giving = {n for _, n in by_round(judged.items)} or {*map(int, judged.first.round)}
    given, plan = _given(judged, clustering.by), clustering.plan(study)
    entries: list[SliceAgreement] = []
    for name, column in _columns(judged, slices).items():
        others = sorted({*filter(None, column.values)} - {*slices[name].values})
        for value in (*slices[name].values, *others):
            of = {at for at, there in enumerate(column) if there == value}
            for n in sorted(giving):
                mine = [one for (at, of_round), one in given.items() if at in of and of_round == n]
                made = sliced_agreement(mine, judged.scale, plan, study.judged_by.scale.weights)
                if made["n"]:
                    number = n if len(giving) > 1 else None
                    title = slices[name].title
                    where = SliceOf(slice=name, title=title, value=value, round=number)
                    entries.append({**where, **made})
    return entries


def _given(judged: Judged, cluster: str) -> dict[tuple[int, int], Judgments]:
    """By item and round: its cluster, and the first verdict of each judge who is known."""
    clusters = judged.items[CLUSTER_COLUMNS[cluster]].at.tolist()
    first, found = judged.first, defaultdict[tuple[int, int], dict[str, str]](dict)
    columns = (of.tolist() for of in (first.at, first.round, first.judge, first.verdict))
    for at, n, judge, verdict in zip(*columns, strict=True):
        if judge >= 0:
            found[at, n][judged.judges[judge]] = judged.scale[verdict]
    return {place: (clusters[place[0]], given) for place, given in found.items()}


def _columns(judged: Judged, names: Iterable[str]) -> Columns:
    """What the record of each item has in each slice."""
    where: dict[str, str | Combinable] = {
        name: KeyTextTransform(name, "contradiction__fields") for name in names
    }
    questions = judged.items["instance"]
    return (
        of_each(questions, where, Instance.objects.filter(pk__in=questions.values)) if where else {}
    )
