"""Tables of judge models: their scores against people, verdict by verdict, and model by model. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from evaluation.shapes.judge_models import (
    CountedScores,
    JudgeModel,
    ModelVerdicts,
    PromptScores,
    Score,
    ScoreShare,
)
from evaluation.shapes.study_report import Report, ReportPrompt
from evaluation.statistics import bootstrap
from evaluation.statistics.tables import LABELLED, NO, REPLIED, UNPARSED, YES
from evaluation.tables.report_words import cluster_word, query, verdict_labels
from evaluation.tables.sentences import lowered
from evaluation.tables.table import NOTHING, Cell, Group, Interval, Line, Table, count
from evaluation.tables.verdicts import INTERVALS, model_id, offered, share_cell
from evaluation.tables.words import Unit

HALVES = {"held_out": "Held-out half", "development": "Development half"}
WRONG = "a reply without a verdict counts as wrong in accuracy and recall and is in no precision"


@dataclass(frozen=True)
class Compared:
    """A judge model next to people on the responses to one prompt; `called` is its name in a paper."""

    report: Report
    judge: JudgeModel
    scores: PromptScores
    called: str

    @property
    def prompt(self) -> ReportPrompt:
        (mine,) = [p for p in self.report["prompts"] if p["label"] == self.scores["prompt"]]
        return mine

    @property
    def title(self) -> str:
        return f"{self.prompt['label']}: {self.prompt['title']}"

    def rows(self, *, verdict: str = LABELLED, said: str = REPLIED, **more: object) -> str:
        """The query of the responses to which people gave `verdict` and the judge model `said`."""
        place = {"prompt": self.prompt["name"], "verdict": verdict, "judge_model": self.judge["id"]}
        return query(of="final", **place, said=said, **more)

    def share(self, share: ScoreShare, rows: str, whole: str) -> Cell:
        made = share_cell(share, rows, whole)
        return replace(made, reason=share["reason"]) if not share["n"] else made

    def score(self, score: Score, rows: str) -> Cell:
        """F or macro-F."""
        low, high = score["cluster_low"], score["cluster_high"]
        if score["value"] is None:
            return Cell(Unit.COEFFICIENT, reason=score["reason"])
        if low is None or high is None:
            why = f"No interval: {lowered(score['cluster_reason'])}"
            return Cell(Unit.COEFFICIENT, score["value"], reason=why, whole=rows)
        interval = Interval(low, high, bootstrap.METHOD, score["clusters"])
        return Cell(Unit.COEFFICIENT, score["value"], intervals=(interval,), whole=rows)


def compared(report: Report, judge: JudgeModel, called: str = "") -> list[Compared]:
    """Of each prompt that the judge model was asked about."""
    name = called or judge["judge"]
    return [Compared(report, judge, scores, name) for scores in judge["prompts"]]


def halves_table(report: Report, judge: JudgeModel, called: str = "") -> Table:
    """Accuracy and macro-F on each half and on all, prompt by prompt."""
    groups = (
        Group(of.prompt["label"], of.title, tuple(_halves(of)))
        for of in compared(report, judge, called)
    )
    about = (
        f"Against people's final verdicts, by half of the {cluster_word(report)}s, with "
        f"{INTERVALS.format(cluster_word(report))}; {WRONG}."
    )
    heads, columns = (f"{cluster_word(report).capitalize()}s",), ("n", "Accuracy", "Macro-F")
    return _table(judge, called, "halves", heads, columns, groups, about)


def _halves(of: Compared) -> Iterator[Line]:
    parts: list[tuple[str, CountedScores]] = [(one["half"], one) for one in of.scores["halves"]]
    for key, scores in [*parts, ("", of.scores)]:
        half = {"half": key} if key else {}
        yield Line(
            (_part(of, key),),
            (
                count(scores["n"], rows=of.rows(**half) if scores["n"] else ""),
                of.share(scores["accuracy"], of.rows(match=YES, **half), of.rows(**half)),
                of.score(scores["macro_f"], of.rows(**half)),
            ),
        )


def classes_table(report: Report, judge: JudgeModel, called: str = "") -> Table:
    """Precision, recall and F of each verdict, prompt by prompt (the paper's table 4); on the halves folded."""
    groups = (
        Group(
            of.prompt["label"],
            of.title,
            tuple(_classes(of)),
        )
        for of in compared(report, judge, called)
    )
    about = (
        "Against people's final verdicts, verdict by verdict, with "
        f"{INTERVALS.format(cluster_word(report))}; {WRONG}."
    )
    heads = ("Verdict", f"{cluster_word(report).capitalize()}s")
    table = _table(judge, called, "classes", heads, ("Precision", "Recall", "F"), groups, about)
    return replace(table, fold="on the halves")


def _part(of: Compared, half: str) -> str:
    """A half in words, all of both for ""."""
    return HALVES.get(half, f"All {cluster_word(of.report)}s")


def _classes(of: Compared) -> Iterator[Line]:
    verdicts = offered(of.report)
    yield from (_class(of, of.scores, verdict) for verdict in verdicts)
    for verdict in verdicts:
        for half in of.scores["halves"]:
            yield _class(of, half, verdict, half["half"])


def _class(of: Compared, scores: CountedScores, verdict: str, half: str = "") -> Line:
    (scored,) = [one for one in scores["classes"] if one["label"] == verdict]
    right, said, given = (
        of.rows(verdict=verdict, said=verdict, half=half),
        of.rows(said=verdict, half=half),
        of.rows(verdict=verdict, half=half),
    )
    return Line(
        (verdict_labels(of.report)[verdict], _part(of, half)),
        (
            of.share(scored["precision"], right, said),
            of.share(scored["recall"], right, given),
            of.score(scored["f"], of.rows(either=verdict, half=half)),
        ),
        folded=bool(half),
    )


def matrix_of(of: Compared) -> Table:
    """People's verdicts (lines) by the judge model's (columns, the last without a verdict)."""
    labels, keys = verdict_labels(of.report), offered(of.report)
    order = [one["label"] for one in of.scores["classes"]]
    places = {key: order.index(key) for key in keys}

    def cell(people: str, said: str, n: int) -> Cell:
        return count(n, rows=of.rows(verdict=people, said=said) if n else "")

    lines = (
        Line(
            (labels[people],),
            (
                *(cell(people, said, of.scores["table"][i][places[said]]) for said in keys),
                cell(people, UNPARSED, of.scores["unparsed_by_verdict"][i]),
            ),
        )
        for people, i in places.items()
    )
    return Table(
        f"judge-{of.judge['id']}-matrix-{of.prompt['label']}",
        f"Final verdicts (lines) and those of {of.called} (columns) on prompt {of.prompt['label']}",
        ("Final verdict",),
        tuple((labels[key],) for key in (*keys, UNPARSED)),
        (Group("", "", tuple(lines)),),
    )


def by_model_table(report: Report, judge: JudgeModel, called: str = "") -> Table:
    """Two lines a model: people's verdicts, and the judge model's on the same responses (the paper's table 5)."""
    labels, keys = verdict_labels(report), [*offered(report), UNPARSED]
    groups = (
        Group(
            of.prompt["label"],
            of.title,
            tuple(line for one in of.scores["models"] for line in _both(of, one, keys)),
        )
        for of in compared(report, judge, called)
    )
    about = (
        "Its verdicts and people's on the same responses, model by model, with "
        f"{INTERVALS.format(cluster_word(report))}."
    )
    columns = ("n", *(labels[key] for key in keys))
    return _table(judge, called, "models", ("Model", "Verdicts of"), columns, groups, about)


def _both(of: Compared, entry: ModelVerdicts, keys: Sequence[str]) -> Iterator[Line]:
    model = model_id(of.report, entry["model"])
    n = count(entry["n"], rows=of.rows(model=model))
    shares = {(share["whose"], share["verdict"]): share for share in entry["shares"]}
    itself = f"{of.called} (itself)" if entry["model"] in of.judge["own_models"] else of.called
    for whose, shown, by in (("people", "people", "verdict"), ("judge", itself, "said")):
        cells = [
            of.share(shares[whose, key], of.rows(model=model, **{by: key}), "")
            if (whose, key) in shares
            else NOTHING
            for key in keys
        ]
        yield Line((entry["model"], shown), (n, *cells))


def _table(
    judge: JudgeModel,
    called: str,
    key: str,
    heads: tuple[str, ...],
    columns: Sequence[str],
    groups: Iterator[Group],
    about: str,
) -> Table:
    return Table(
        f"judge-{judge['id']}-{key}",
        called or judge["judge"],
        heads,
        tuple((words,) for words in columns),
        tuple(groups),
        about,
        groups_of="Prompt",
    )


def wrong(of: Compared) -> Cell:
    """The replies that are not people's verdict."""
    n = of.scores["accuracy"]["n"] - of.scores["accuracy"]["k"]
    return count(n, rows=of.rows(match=NO) if n else "")
