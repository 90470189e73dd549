"""Tables of differences between two shares, one for each family of comparisons. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from evaluation.shapes.share_differences import Comparison, ComparisonFamily, Gain
from evaluation.shapes.study_report import ComparedSubject
from evaluation.tables.report_words import cluster_word, query
from evaluation.tables.table import Cell, Group, Interval, Line, Table
from evaluation.tables.verdicts import model_id
from evaluation.tables.words import Unit

PROMPTS = ("First prompt", "Second prompt")
# By kind of family: the heads of the keys, the fields of a comparison that they are, and the two sides.
KINDS = {
    "prompts": (("Model", *PROMPTS), ("model", "first", "second"), ("First", "Second")),
    "models": (
        ("Prompt", "First model", "Second model"),
        ("prompt", "first", "second"),
        ("First", "Second"),
    ),
    "reasoning": (("Model", "Prompt"), ("model", "prompt"), ("Implicit", "Explicit")),
    "gains": (
        ("Model", *PROMPTS),
        ("model", "first", "second"),
        ("Gain on explicit", "Gain on implicit"),
    ),
}
# What is subtracted from what: gains are compared the other way round than prompts.
LESS = {
    "prompts": "second prompt less first prompt",
    "models": "second model less first model",
    "reasoning": "explicit less implicit",
    "gains": "gain on explicit less gain on implicit",
}
WITHIN = {
    "equivalent": "Within the margin",
    "different": "Beyond the margin",
    "undecided": "Not decided",
    "": "No interval",
}
PAIRED = ("prompts", "models")


@dataclass(frozen=True)
class Compared:
    """A family of comparisons of a report, or of an answer to a comparison of its own."""

    report: ComparedSubject
    family: ComparisonFamily

    def line(self, row: Comparison) -> Line:
        kind, margin = self.family["kind"], self.family["margin"]
        why = row["reason"] or row["interval_reason"]
        difference = self._difference(row, why)
        exact = (self._p(row.get("p_exact"), row.get("p_exact_corrected")),)
        by_cluster = self._p(row["p_clustered"], row["p_clustered_corrected"])
        within = (Cell(Unit.TEXT, text=WITHIN[row["within"]]),)
        keys = tuple(str(row[name]) for name in KINDS[kind][1])  # type: ignore[literal-required]
        return Line(
            keys,
            (
                *self._sides(row),
                difference,
                *(exact if kind in PAIRED else ()),
                by_cluster,
                *(within if margin is not None else ()),
            ),
        )

    def _difference(self, row: Comparison | Gain, why: str) -> Cell:
        low, high = row["low"], row["high"]
        ends: tuple[Interval, ...] = ()
        if low is not None and high is not None:
            method = self.report["comparisons"]["method"]
            ends = (Interval(low, high, method, row["clusters"]),)
        return Cell(Unit.POINTS, row["value"], intervals=ends, reason="" if ends else why)

    def _p(self, p: float | None, corrected: float | None) -> Cell:
        correction = self.report["comparisons"]["correction"]
        beside = () if corrected is None else ((correction, corrected),)
        return Cell(Unit.P, p, beside=beside)

    def _sides(self, row: Comparison) -> Iterator[Cell]:
        """Both shares, with the responses with that verdict that have one on the other side too; or both gains."""
        if self.family["kind"] == "gains":
            for gain in (row["explicit"], row["implicit"]):
                beside = (("n =", gain["n_1"]),)
                yield replace(self._difference(gain, ""), beside=beside)
            return
        first, second = row["first"], row["second"]
        yield self._side(row, first, second, row["k_1"], row["n_1"])
        yield self._side(row, second, first, row["k_2"], row["n_2"])

    def _side(self, row: Comparison, place: str, other: str, k: int, n: int) -> Cell:
        kind = self.family["kind"]
        names = {prompt["label"]: prompt["name"] for prompt in self.report["prompts"]}
        of_models = kind == "models"
        rows = query(
            of="final",
            model=model_id(self.report, place if of_models else row["model"]),
            prompt=names[place] if kind == "prompts" else names[row["prompt"]],
            slice=place if kind == "reasoning" else "",
            verdict=self.report["comparisons"]["verdict"],
            with_model=model_id(self.report, other) if of_models else "",
            with_prompt=names[other] if kind == "prompts" else "",
        )
        why = "" if n else row["reason"]
        return Cell(Unit.SHARE, k / n if n else None, k, n, reason=why, rows=rows if k else "")


def difference_tables(report: ComparedSubject, word: str) -> list[Table]:
    """A table for each family; of one that was not computed it has no line, and `about` is the reason."""
    return [_table(Compared(report, family), word) for family in report["comparisons"]["families"]]


def _table(of: Compared, word: str) -> Table:
    family, whole, cluster = of.family, of.report["comparisons"], cluster_word(of.report)
    kind, margin = family["kind"], family["margin"]
    heads, _, sides = KINDS[kind]
    columns = [*sides, "Difference", *(["p, exact McNemar"] if kind in PAIRED else [])]
    columns += [
        f"p, by {cluster}",
        *([f"Margin of {100 * margin:.0f} points"] if margin is not None else []),
    ]
    about = (
        f"Differences in the share of {word} responses in percentage points ({LESS[kind]}"
        f"{'' if margin is None else f'; margin {100 * margin:.0f} points'}), with 95 % intervals from "
        f"{whole['resamples']:,} resamples of whole {cluster}s (seed {whole['seed']}). Beside p: as corrected within "
        f"its family by {whole['correction']}'s method; intervals are not corrected."
    )
    return Table(
        f"comparisons-{family['key']}",
        family["title"],
        heads,
        tuple((words,) for words in columns),
        (Group("", "", tuple(of.line(row) for row in family["rows"])),),
        family["reason"] or about,
    )
