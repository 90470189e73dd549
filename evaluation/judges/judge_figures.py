"""The pages of a study's judges: what each gave, how that compares, and the causes of disagreements."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.counts.naming import model_names, models_of, prompt_entry
from evaluation.judges import counts
from evaluation.judges.counts import DISPUTED, FINAL, OWN, RoundsShown, leaning
from evaluation.sections.clustering import Clustering
from evaluation.sections.study_agreement import how_compared, pair_entry
from evaluation.statistics.bootstrap import ResamplePlan, intervals
from evaluation.statistics.chance import ratio
from evaluation.statistics.two_raters import PairCell
from evaluation.tables.agreement import first_intervals, heads, put_forward, resampled
from evaluation.tables.report_words import in_its_words, query
from evaluation.tables.table import Cell, Group, Line, Table, count
from evaluation.tables.words import Unit, points, share
from judging.models import Judge, Rubric, Study
from judging.presenting import VerdictChoice, choices
from judging.rules import rubric
from judging.rules.resolution import CAUSES
from judging.rules.rubric import PromptCriteria
from judging.rules.verdict_scale import VerdictScale

COMPARED_WITH = {
    FINAL: "The final verdict",
    DISPUTED: "The final verdict, where it was decided",
    OWN: "Their own verdict, when shown a response again",
}


@dataclass(frozen=True)
class VerdictShares:
    """First verdicts of a judge, on one prompt or all: each verdict's count and share, and the query of the rows."""

    label: str
    n: int
    query: str
    shares: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class ListedJudge:
    """A judge in the list of a study's judges. `lean` is that of `compared`, over all other judges.

    `round` is the number of the round that the numbers are of, None in a study of one round.
    """

    judge: Judge
    round: int | None
    given: VerdictShares
    lean: str
    seconds: float | None


def listed(study: Study) -> list[ListedJudge]:
    """The study's judges who have handed in a verdict, by pseudonym."""
    people = {judge.pseudonym: judge for judge in study.judges.exclude(person=None)}
    shown = counts.rounds_shown(study)
    others, seconds = counts.with_others(study, shown), counts.seconds(study, shown)
    scale = study.judged_by.scale.keys
    return [
        ListedJudge(
            people[name],
            shown.get(name),
            _shares(
                "", sum(by_prompt.values(), Counter()), study, judge=name, round=shown.get(name)
            ),
            _lean_in_points(_all_of(others.get(name, {})), scale),
            seconds.get(name),
        )
        for name, by_prompt in counts.given(study, shown).items()
    ]


def shares_of(study: Study, judge: Judge, shown: RoundsShown) -> list[VerdictShares]:
    """What the judge gave on each prompt, then on all."""
    by_prompt = counts.given(study, shown, judge).get(judge.pseudonym, {})
    chosen = {"judge": judge.pseudonym, "round": shown.get(judge.pseudonym)}
    rows = [
        _shares(_title(prompt), given, study, prompt=prompt, **chosen)
        for prompt, given in sorted(by_prompt.items(), key=lambda entry: _title(entry[0]))
    ]
    whole = _shares("All prompts", sum(by_prompt.values(), Counter()), study, **chosen)
    return [*rows, whole] if len(rows) > 1 else rows


def _title(prompt: str) -> str:
    entry = prompt_entry(prompt)
    return f"{entry['label']}: {entry['title']}"


def _shares(label: str, given: Mapping[str, int], study: Study, **chosen: object) -> VerdictShares:
    n = sum(given.values())
    counts = [given.get(verdict.key, 0) for verdict in study.judged_by.scale.offered]
    shares = ((k, share(k, n)) for k in counts)
    return VerdictShares(label, n, query(**chosen), tuple(shares))


def compared(study: Study, judge: Judge, shown: RoundsShown) -> Table:
    """The judge against each other judge, all of them, the final verdicts and themself, where there is any.

    Agreement and Cohen's kappa have the report's weights. Of ordered verdicts follow on how many responses the judge's
    verdict is the better or the worse one, and the difference of their shares.
    """
    plan, scale = Clustering().plan(study), study.judged_by.scale
    name, word = judge.pseudonym, study.declaration.cluster_word
    others = counts.with_others(study, shown).get(name, {})
    lines = [
        _compared(other, cells, scale, plan, word, _both(name, other, shown.get(name)))
        for other, cells in others.items()
    ]
    if len(others) > 1:
        lines.append(_compared("All other judges", _all_of(others), scale, plan, word))
    sides = {**counts.with_final(study, judge, shown), OWN: counts.with_own(study, judge)}
    lines += [
        _compared(COMPARED_WITH[key], cells, scale, plan, word)
        for key, cells in sides.items()
        if cells
    ]
    columns = ["n", "Agreement", *heads(["Kappa"], scale.weights)]
    columns += ["Better", "Worse", "Leaning"] if scale.is_ordered else []
    return Table(
        "compared",
        "On the same responses",
        ("Compared with",),
        tuple((words,) for words in columns),
        (Group("", "", tuple(lines)),),
    )


def _both(name: str, other: str, n: int | None) -> str:
    """The query of the page of disagreements for two judges, in round `n` where there are several."""
    return query(judges=" | ".join(sorted((name, other))), round=n)


def _all_of(others: Mapping[str, Sequence[PairCell]]) -> list[PairCell]:
    return [cell for cells in others.values() for cell in cells]


def _compared(
    label: str,
    cells: Sequence[PairCell],
    scale: VerdictScale,
    plan: ResamplePlan,
    word: str,
    to_rows: str = "",
) -> Line:
    entry = pair_entry(("", ""), scale.keys, cells, plan, **how_compared(scale))
    found = in_its_words(entry["coefficients"], word)
    better, worse, n = leaning(cells, scale.keys)
    figures = first_intervals(put_forward(found, ("percent_agreement", "cohen_kappa")))
    lean = (count(better), count(worse), _lean(cells, scale.keys, plan))
    return Line((label,), (count(n, rows=to_rows), *figures, *(lean if scale.is_ordered else ())))


def _lean(cells: Sequence[PairCell], scale: Sequence[str], plan: ResamplePlan) -> Cell:
    """With its interval by resampling whole articles."""
    by_article: dict[str | int, list[PairCell]] = {}
    for cell in cells:
        by_article.setdefault(cell[0], []).append(cell)
    sums = [leaning(of_article, scale) for of_article in by_article.values()]
    clusters = np.array([(better - worse, n) for better, worse, n in sums], dtype=float)
    [made] = intervals(clusters, lambda sums: np.atleast_2d(ratio(sums[0], sums[1])), plan)
    better, worse, n = leaning(cells, scale)
    return Cell(Unit.POINTS, (better - worse) / n if n else None, intervals=tuple(resampled(made)))


def _lean_in_points(cells: Iterable[PairCell], scale: Sequence[str]) -> str:
    better, worse, n = leaning(cells, scale)
    return points((better - worse) / n if n else None)


def cause_tables(study: Study) -> list[Table]:
    """Why judges disagreed, in the words of who resolved it: by prompt, and by model."""
    by_prompt = counts.causes(study, "prompt")
    if not by_prompt:
        return []
    names = {str(pk): name for pk, name in model_names(models_of(study)).items()}
    tables = [_table("prompt", by_prompt, lambda prompt: prompt_entry(prompt)["label"])]
    by_model = counts.causes(study, "model")
    return [*tables, _table("model", by_model, names.__getitem__)]


def _table(
    by: str, counted: Mapping[str, Mapping[str, int]], label_of: Callable[[str], str]
) -> Table:
    keys = sorted({key for by_key in counted.values() for key in by_key}, key=label_of)
    lines = tuple(
        Line(
            (CAUSES.get(cause, cause),),
            (
                _count(sum(counted[cause].values()), cause=cause),
                *(_count(counted[cause].get(key, 0), cause=cause, **{by: key}) for key in keys),
            ),
        )
        for cause in sorted(counted, key=lambda cause: -sum(counted[cause].values()))
    )
    columns = (("All",), *((label_of(key),) for key in keys))
    title = f"Causes of disagreement by {by}"
    return Table(f"causes-{by}", title, ("Cause",), columns, (Group("", "", lines),))


def _count(n: int, **chosen: str) -> Cell:
    return count(n, rows=query(**chosen) if n else "")


@dataclass(frozen=True)
class RubricCriteria:
    """A version of the rubric: its rules, and what it says on each prompt."""

    version: Rubric
    rules: Sequence[str]
    prompts: Sequence[tuple[PromptCriteria, Sequence[VerdictChoice]]]


def criteria_of(version: Rubric, prompts: Collection[str]) -> RubricCriteria:
    """What people judged the responses to these prompts by."""
    known = rubric.parse(version.body)
    asked = [criteria for name, criteria in known.prompts.items() if name in prompts]
    return RubricCriteria(
        version, known.rules, [(criteria, choices(known, criteria)) for criteria in asked]
    )
