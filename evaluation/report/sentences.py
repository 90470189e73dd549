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

Ends = Callable[[float | None, float | None], str]

MINUS = "\N{MINUS SIGN}"
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
WILSON = wilson.METHOD


def counted(n: int, unit: str, several: str = "") -> str:
    """A number with its unit: "1 tag", "1,204 tags"; `several` where that is not the unit with an s."""
    return f"{n:,} {unit if n == 1 else several or unit + 's'}"


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


def number(value: float | None, places: int = 3) -> str:
    """A coefficient with fixed places and a true minus sign; a dash for none."""
    if value is None:
        return "\N{EN DASH}"
    # "-0.000" would claim a sign that the rounding has lost.
    text = f"{round(value, places) + 0.0:.{places}f}"
    return text.replace("-", MINUS)


def percent(value: float | None) -> str:
    """A share 0..1 in per cent with one decimal; a dash for none."""
    return "\N{EN DASH}" if value is None else f"{100 * value:.1f} %"


def share(k: int, n: int) -> str:
    return percent(k / n) if n else "\N{EN DASH}"


def interval(low: float | None, high: float | None, places: int = 3) -> str:
    """The two ends of a coefficient's interval, or nothing."""
    return "" if low is None or high is None else f"{number(low, places)} to {number(high, places)}"


def percent_interval(low: float | None, high: float | None) -> str:
    """The two ends of a share's interval in per cent, or nothing."""
    return "" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f} %"


def percent_ends(low: float | None, high: float | None) -> str:
    """The same for a narrow column: no unit, a dash between."""
    return "" if low is None or high is None else f"{100 * low:.1f}\N{EN DASH}{100 * high:.1f}"


def cell_ends(cell: Share) -> str:
    """A share's interval by resampling; Wilson's, marked W, where there is none."""
    shown = percent_ends(*share_ends(cell))
    return f"{shown} W" if shown and cell["cluster_low"] is None else shown


def share_ends(cell: Share) -> tuple[float | None, float | None]:
    """The interval of a share to be shown: by resampling where there is one, else Wilson's."""
    if cell["cluster_low"] is not None:
        return cell["cluster_low"], cell["cluster_high"]
    return cell["low"], cell["high"]


def share_method(cell: Share, cluster: str) -> str:
    """The method of `share_ends`; empty where there are none. `cluster` is what was resampled."""
    if cell["cluster_low"] is not None:
        return f"resampling {cluster}s"
    return WILSON if cell["low"] is not None else ""


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


def points(value: float | None) -> str:
    """A difference of shares in percentage points, with its sign."""
    if value is None:
        return "\N{EN DASH}"
    text = f"{round(100 * value, 1) + 0.0:+.1f}"
    # A difference of nothing has no sign.
    return text.replace("-", MINUS) if float(text) else "0.0"


def point_ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{points(low)} to {points(high)}"


def p_value(p: float | None) -> str:
    """A p with three places; a dash for none."""
    if p is None:
        return "\N{EN DASH}"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_in_words(p: float | None) -> str:
    return f"p {p_value(p)}" if p is not None and p < 0.001 else f"p = {p_value(p)}"


def cell_words(cell: Share, cluster: str) -> str:
    """k of n with its interval: by resampling `cluster`s where there is one, else Wilson's."""
    words = f"{cell['k']} of {cell['n']} ({percent(cell['k'] / cell['n'])}; "
    if cell["cluster_low"] is not None:
        ends = percent_interval(cell["cluster_low"], cell["cluster_high"])
        return f"{words}95 % interval {ends}, resampling {cell['clusters']} {cluster}s)"
    return f"{words}95 % interval {percent_interval(cell['low'], cell['high'])}, Wilson's)"
