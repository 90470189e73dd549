"""The first screen of a report: what differs, and every share next to its agreement. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.report import missing
from evaluation.report.drawings import ReportChart
from evaluation.report.missing import ShareRange
from evaluation.shapes.share_differences import Comparison, ComparisonFamily
from evaluation.shapes.study_report import ComparedSubject, Report, ReportPrompt
from evaluation.tables import sentences
from evaluation.tables.report_words import compared_word
from evaluation.tables.sentences import in_words

LEVEL = 0.05
# How many further findings are listed; the comparisons have them all.
MOST_FINDINGS = 3
MOST_NAMES = 3
NO_DIFFERENCE = "No declared comparison shows a difference after Holm’s correction"
NOT_COMPARED = "Results"


@dataclass(frozen=True)
class Panel:
    """One of the small multiples: a prompt's shares, model by model, and its judges' agreement in words, by round."""

    prompt: str
    title: str
    drawing: ReportChart
    agreement: tuple[str, ...]
    ranges: tuple[ShareRange, ...]


@dataclass(frozen=True)
class Summary:
    """`title` is the finding that most comparisons share, `findings` are the next ones, `more` counts the rest.

    `missing` says how many responses lack a final verdict, "" where none does.
    """

    title: str
    findings: tuple[str, ...]
    more: int
    missing: str
    panels: tuple[Panel, ...]


def summary(report: Report, charts: Mapping[str, ReportChart]) -> Summary:
    """The summary with the charts `shares-N` of evaluation.report.drawings."""
    found = findings(report, compared_word(report))
    title = found[0] if found else _title_of_none(report)
    following = found[1 : MOST_FINDINGS + 1]
    panels = tuple(
        _panel(report, prompt, charts[f"shares-{place}"])
        for place, prompt in enumerate(report["prompts"])
        if f"shares-{place}" in charts
    )
    more = max(0, len(found) - MOST_FINDINGS - 1)
    return Summary(title, tuple(following), more, missing.sentence(report), panels)


def _panel(report: Report, prompt: ReportPrompt, drawing: ReportChart) -> Panel:
    label, models = prompt["label"], [line.keys[0] for line in drawing.table.groups[0].lines]
    agreement = sentences.agreement_lines(report["agreement"]["prompts"], label)
    ranges = missing.ranges(report, label, models)
    return Panel(label, prompt["title"], drawing, agreement, tuple(ranges))


def holds(row: Comparison) -> bool:
    """Whether a difference holds: its interval leaves out 0, and so does its test by article after correction."""
    low, high, p = row["low"], row["high"], row["p_clustered_corrected"]
    if low is None or high is None or p is None:
        return False
    return p < LEVEL and not low <= 0 <= high


def _title_of_none(report: ComparedSubject) -> str:
    """The title without a finding: it says that nothing differs only if something was tested."""
    rows = [row for family in report["comparisons"]["families"] for row in family["rows"]]
    tested = any(row["p_clustered_corrected"] is not None for row in rows)
    return NO_DIFFERENCE if tested and not any(map(holds, rows)) else NOT_COMPARED


def findings(report: ComparedSubject, word: str) -> list[str]:
    """A sentence for each difference that holds, one for several models or prompts; the widest first.

    Differences of gains stay among the comparisons: they fit no title.
    """
    groups: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for family in report["comparisons"]["families"]:
        for row in filter(holds, family["rows"]):
            for key, name in _grouped(family, row):
                groups[key][name] = abs(row["value"] or 0)
    widest = sorted(groups.items(), key=lambda group: -len(group[1]))
    return [_sentence(key, by, word, len(report["models"])) for key, by in widest]


def _grouped(family: ComparisonFamily, row: Comparison) -> Iterator[tuple[tuple[str, ...], str]]:
    """What a difference shares with others, and the model that it is about. The side with more comes first."""
    more, less = row["first"], row["second"]
    if (row["value"] or 0) > 0:
        more, less = less, more
    if family["kind"] == "prompts":
        yield ("prompts", more, less), row["model"]
    elif family["kind"] == "models":
        yield ("models", row["prompt"], more), less
    elif family["kind"] == "reasoning":
        yield ("reasoning", row["prompt"], more, less), row["model"]


def _sentence(key: tuple[str, ...], by: dict[str, float], verdict: str, models: int) -> str:
    """`by` has the difference of each model that the finding is about, a share above 0."""
    kind, *sides = key
    names, much = list(by), _by_how_much(list(by.values()))
    if kind == "models":
        prompt, more = sides
        others = counted_off(names, models - 1, "others")
        return f"On prompt {prompt}, {more} gives more {verdict} responses than {others}, {much}"
    everyone = counted_off(names, models, "models")
    if kind == "prompts":
        more, less = sides
        return f"Prompt {more} gets more {verdict} responses than prompt {less} from {everyone}, {much}"
    prompt, more, less = sides
    # Other questions on either side: their shares are compared, not their counts.
    share = f"a larger share of {verdict} responses"
    return (
        f"On prompt {prompt}, {more} questions get {share} than {less} ones from {everyone}, {much}"
    )


def _by_how_much(differences: Sequence[float]) -> str:
    """ "by 14.6 points", "by 12.0 to 30.1 points"; a point is a hundredth of a share."""
    ends = dict.fromkeys(f"{100 * end:.1f}" for end in (min(differences), max(differences)))
    return f"by {' to '.join(ends)} points"


def counted_off(names: Sequence[str], of: int, unit: str) -> str:
    """Some of a set of `of` models: all of it, up to MOST_NAMES by name, or how many of how many.

    "A", "A and B", "both others", "all four others", "four of the six models".
    """
    if len(names) == of > 1:
        return f"both {unit}" if of == 2 else f"all {in_words(of)} {unit}"
    if len(names) > MOST_NAMES:
        return f"{in_words(len(names))} of the {in_words(of)} {unit}"
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last
