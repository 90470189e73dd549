"""What a report calls its verdicts and what it resamples, and the queries of its rows. Pure."""

from typing import Any
from urllib.parse import urlencode

from evaluation.shapes.study_report import ComparedSubject, Report
from evaluation.statistics.bootstrap import FEWEST_CLUSTERS
from evaluation.statistics.tables import UNLABELLED, UNPARSED
from judging.rules.verdict_scale import UNWEIGHTED, VerdictScale, declared_scale


def query(**parts: object) -> str:
    """The query of the page of rows (evaluation.rows.choice.ResponseChoice), empty parts left out."""
    return "?" + urlencode(
        {name: value for name, value in parts.items() if value not in ("", None)}
    )


def scale_of_report(report: Report) -> VerdictScale:
    """The scale of the report's rubric."""
    return declared_scale(report["verdicts"], report.get("ordered", True))


def weights_of(report: Report) -> str:
    """The weights of the kappa that is put forward."""
    return report.get("weights", UNWEIGHTED)


def is_judged(report: Report) -> bool:
    """Whether people judge its responses; else it has no verdicts, and only scores."""
    return report["study"]["judges_per_response"] > 0


def cluster_word(report: ComparedSubject) -> str:
    """What intervals resample, as in a sentence: an article, or a field of the protocol's records."""
    return report["protocol"]["cluster"] if "protocol" in report else "article"


def resampled_word(report: Report, by: str = "") -> str:
    """The same of the intervals of agreement, or of the choice `by`; a declared record has no tag."""
    by = by or report["agreement"]["interval"]["cluster"]
    return word_of(by, cluster_word(report), is_declared="protocol" in report)


def word_of(by: str, cluster: str, *, is_declared: bool) -> str:
    """The same of any choice; `cluster` is the word of the study's protocol."""
    return {"article": cluster, "tag": "record" if is_declared else "tag"}.get(by, by)


def in_its_words(part: Any, word: str) -> Any:
    """A part of a report whose reasons name what is resampled, where the statistics know only clusters."""
    if isinstance(part, dict):
        return {key: in_its_words(value, word) for key, value in part.items()}
    if isinstance(part, list):
        return [in_its_words(value, word) for value in part]
    few = f"Fewer than {FEWEST_CLUSTERS}"
    return part.replace(f"{few} clusters", f"{few} {word}s") if isinstance(part, str) else part


def compared_word(report: Report) -> str:
    """The verdict whose shares are compared, as in a sentence; "" for verdicts without an order."""
    return verdict_labels(report).get(report["comparisons"]["verdict"], "").lower()


def verdict_labels(report: Report) -> dict[str, str]:
    """Each verdict as shown."""
    known = scale_of_report(report).labels
    return {**known, UNLABELLED: "No verdict", UNPARSED: "Reply without one"}
