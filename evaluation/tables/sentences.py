"""Numbers in words: one sentence with its n and its interval. Pure.

No sentence says that there is no difference or no effect: a wide interval is reported as wide.
"""

from collections.abc import Callable, Sequence

from evaluation.shapes.judge_agreement import PromptAgreement
from evaluation.shapes.study_rounds import ChangedVerdicts
from evaluation.shapes.verdict_tables import Share
from evaluation.statistics import wilson
from evaluation.statistics.bootstrap import Resampled
from evaluation.statistics.chance import UNWEIGHTED
from evaluation.statistics.coefficient import Coefficient, PlainCoefficient
from evaluation.tables.words import (
    counted,
    interval,
    number,
    percent,
    percent_interval,
)

Ends = Callable[[float | None, float | None], str]

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
WILSON = wilson.METHOD


def verdicts_in_words(responses: Sequence[int]) -> str:
    """By how many people verdicts were given, of counts of responses with none, one, two and so on."""
    parts = [
        f"by {counted(people, 'person', 'people')} on {n:,}" if people else f"none on {n:,}"
        for people, n in reversed([*enumerate(responses)])
        if n
    ]
    return f"verdicts {', '.join(parts)}"


def in_words(n: int) -> str:
    """A count in running text: a word up to ten."""
    return WORDS[n] if n < len(WORDS) else f"{n:,}"


NAMES = {
    "percent_agreement": "Agreement",
    "cohen_kappa": "Cohen's kappa",
    "scott_pi": "Scott's pi",
    "fleiss_kappa": "Fleiss' kappa",
    "gwet_ac1": "Gwet's AC1",
    "krippendorff_alpha_nominal": "Krippendorff's alpha",
    "krippendorff_alpha_ordinal": "Krippendorff's alpha, ordinal",
    "krippendorff_alpha_interval": "Krippendorff's alpha, interval",
    "mean_overlap": "Mean overlap",
}


def name_of(coefficient: PlainCoefficient) -> str:
    """The coefficient's name with its weights."""
    plain = NAMES[coefficient["name"]]
    weights = coefficient["weights"]
    return plain if weights == UNWEIGHTED else f"{plain} with {weights} weights"


def coefficient_of(coefficients: Sequence[Coefficient], name: str) -> Coefficient:
    """The one that is put forward, of those whose names begin so: it comes first."""
    return next(one for one in coefficients if one["name"].startswith(name))


def unweighted_of(coefficients: Sequence[Coefficient], shown: Coefficient) -> Coefficient | None:
    """The same coefficient without weights, of ordinal alpha the nominal one; None where `shown` has none."""
    name = shown["name"].replace("ordinal", "nominal")
    if (name, UNWEIGHTED) == (shown["name"], shown["weights"]):
        return None
    return next(one for one in coefficients if (one["name"], one["weights"]) == (name, UNWEIGHTED))


def beside_of(coefficients: Sequence[Coefficient], shown: Coefficient, places: int = 3) -> str:
    """That one in words, as they stand next to the weighted one: "unweighted 0.466"; empty where there is none."""
    plain = unweighted_of(coefficients, shown)
    if plain is None:
        return ""
    word = "unweighted" if plain["name"] == shown["name"] else "nominal"
    return f"{word} {'undefined' if plain['value'] is None else number(plain['value'], places)}"


def kappa_of(entry: PromptAgreement, places: int = 3) -> tuple[Coefficient, str]:
    """Cohen's kappa where the same two people judged all responses, else Fleiss'; and what stands beside it."""
    is_pair = len(entry["pairs"]) == 1
    coefficients = entry["pairs"][0]["coefficients"] if is_pair else entry["all"]
    kappa = coefficient_of(coefficients, "cohen_kappa" if is_pair else "fleiss_kappa")
    return kappa, beside_of(coefficients, kappa, places)


def ends_of(coefficient: Coefficient) -> tuple[float | None, float | None]:
    """The interval to be shown first: by resampling clusters, or Wilson's for a share that cannot be resampled.

    The closed form is shown first only where nothing was resampled.
    """
    shown = _shown_first(coefficient)
    return (shown["low"], shown["high"]) if shown else (None, None)


def with_interval(coefficient: Coefficient, beside: str = "") -> str:
    """A value that exists, in brackets the interval to be shown first, and the value `beside` it."""
    ends = interval(*ends_of(coefficient), 2) or "no interval"
    return f"{number(coefficient['value'], 2)} ({ends}){beside and f', {beside}'}"


def method_of(coefficient: Coefficient) -> str:
    """The method of `ends_of`; empty where there are none."""
    shown = _shown_first(coefficient)
    return shown["method"] if shown and shown["low"] is not None else ""


def _shown_first(coefficient: Coefficient) -> Resampled | Coefficient | None:
    clustered = coefficient["clustered"]
    if clustered and clustered["low"] is not None:
        return clustered
    return coefficient if clustered is None or coefficient["method"] == wilson.METHOD else None


def why_no_interval(coefficient: Coefficient) -> str:
    """Why a coefficient that has a value has no interval; empty where it has one."""
    if coefficient["value"] is None or method_of(coefficient):
        return ""
    clustered = coefficient["clustered"]
    return clustered["reason"] if clustered else coefficient["reason"]


def in_its_unit(coefficient: PlainCoefficient) -> tuple[str, Ends]:
    """The value in words, and the function for the ends of its interval: per cent for a share, else numbers."""
    if coefficient["name"] == "percent_agreement":
        return percent(coefficient["value"]), percent_interval
    return number(coefficient["value"]), interval


def why_empty(coefficient: PlainCoefficient, reason: str) -> str:
    """The reason, as one for the missing interval where there is a value."""
    missing = reason and coefficient["value"] is not None
    return f"No interval: {lowered(reason)}" if missing else reason


def _value(coefficients: Sequence[Coefficient], name: str) -> str:
    coefficient = coefficient_of(coefficients, name)
    named, beside = name_of(coefficient), beside_of(coefficients, coefficient)
    if coefficient["value"] is None:
        return f"{named} is undefined: {lowered(coefficient['reason'])}"
    ends, beside = interval(*ends_of(coefficient)), beside and f", {beside}"
    if ends:
        return f"{named} is {number(coefficient['value'])} (95 % interval {ends}){beside}."
    reason = why_no_interval(coefficient)
    why = f" It has no interval: {lowered(reason)}" if reason else ""
    return f"{named} is {number(coefficient['value'])}{beside}.{why}"


def lowered(sentence: str) -> str:
    """The sentence as it goes on after a colon."""
    return sentence[:1].lower() + sentence[1:]


def _agreed(coefficient: Coefficient, who: str) -> str:
    n, value = coefficient["n"], coefficient["value"] or 0.0
    ends = percent_interval(*ends_of(coefficient))
    how = ", Wilson's" if method_of(coefficient) == WILSON else ""
    share = f"{percent(value)}; 95 % interval {ends}{how}" if ends else percent(value)
    return f"{who} agree on {round(value * n)} of {counted(n, 'response')} ({share})."


def agreement_sentence(prompt: PromptAgreement) -> str:
    """What a prompt's agreement comes to, or why it was not measured."""
    if not prompt["pairs"]:
        return prompt["reason"]
    if len(prompt["pairs"]) == 1:
        (pair,) = prompt["pairs"]
        first, second = pair["judges"]
        percent_agreement = coefficient_of(pair["coefficients"], "percent_agreement")
        kappa = _value(pair["coefficients"], "cohen_kappa")
        return f"{_agreed(percent_agreement, f'{first} and {second}')} {kappa}"
    return _over_all(prompt)


def _over_all(prompt: PromptAgreement) -> str:
    everybody = prompt["all"]
    agreed = coefficient_of(everybody, "percent_agreement")
    # With more than two judges a response, agreement is a mean over pairs, not a count of responses.
    agreement = (
        _agreed(agreed, "The two judges of a response")
        if agreed["method"]
        else f"Two judges of a response agree in {percent(agreed['value'])} of cases, over "
        f"{counted(agreed['n'], 'response')}."
    )
    return (
        f"{len(prompt['pairs'])} pairs of people judged these responses, so there is no single Cohen's kappa: "
        f"it is given for each pair. {agreement} {_value(everybody, 'fleiss_kappa')} "
        f"{_value(everybody, 'krippendorff_alpha')}"
    )


def agreement_lines(entries: Sequence[PromptAgreement], prompt: str) -> tuple[str, ...]:
    """A line for each round on this prompt; none where nothing was measured."""
    mine = [entry for entry in entries if entry["prompt"] == prompt]
    return tuple(map(_agreement_line, mine)) if any(entry["pairs"] for entry in mine) else ()


def _agreement_line(entry: PromptAgreement) -> str:
    """Cohen's kappa where the same two people judged all responses, else Fleiss'."""
    before = f"Round {entry['round']}: " if entry["round"] is not None else ""
    if not entry["pairs"]:
        return f"{before}agreement not measured"
    kappa, beside = kappa_of(entry, 2)
    name, n = name_of(kappa), f"n = {entry['n']:,}"
    if kappa["value"] is None:
        return f"{before}{name} undefined, {n}. {kappa['reason']}"
    why = why_no_interval(kappa)
    return f"{before}{name} {with_interval(kappa, beside)}, {n}{why and f'. {why}'}"


def changed_sentence(both: ChangedVerdicts) -> str:
    """How far the verdicts that two rounds ended with agree."""
    kappa = coefficient_of(both["coefficients"], "cohen_kappa")
    agreed = coefficient_of(both["coefficients"], "percent_agreement")
    beside = beside_of(both["coefficients"], kappa, 2)
    shown = "undefined" if kappa["value"] is None else with_interval(kappa, beside)
    weights = f" with {kappa['weights']} weights" if beside else ""
    return (
        f"On {counted(both['n'], 'response')} with a verdict of rounds {both['rounds'][0]} and {both['rounds'][1]} "
        f"the two agree in {percent(agreed['value'])} of cases; kappa{weights} is {shown}."
    )


def cell_words(cell: Share, cluster: str) -> str:
    """k of n with its interval: by resampling `cluster`s where there is one, else Wilson's."""
    words = f"{cell['k']} of {cell['n']} ({percent(cell['k'] / cell['n'])}; "
    if cell["cluster_low"] is not None:
        ends = percent_interval(cell["cluster_low"], cell["cluster_high"])
        return f"{words}95 % interval {ends}, resampling {cell['clusters']} {cluster}s)"
    return f"{words}95 % interval {percent_interval(cell['low'], cell['high'])}, Wilson's)"
