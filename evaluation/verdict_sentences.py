"""Final verdicts, comparisons and judge models in words: one sentence each, with its n and its interval. Pure.

No sentence says that there is no difference or no effect. It says what the interval holds, and so what it
cannot rule out.
"""

from collections.abc import Sequence
from typing import Any

from evaluation.comparisons import DIFFERENT, EQUIVALENT, UNDECIDED
from evaluation.sentences import MINUS, counted, lowered, number, percent, percent_interval

NOTHING = "No response has a final verdict here."


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


def _p_in_words(p: float | None) -> str:
    return f"p {p_value(p)}" if p is not None and p < 0.001 else f"p = {p_value(p)}"


def cell_words(cell: dict[str, Any]) -> str:
    """k of n with its interval: by resampling articles where there is one, else Wilson's."""
    told = f"{cell['k']} of {cell['n']} ({percent(cell['k'] / cell['n'])}; "
    if cell.get("cluster_low") is not None:
        ends = percent_interval(cell["cluster_low"], cell["cluster_high"])
        return f"{told}95 % interval {ends}, resampling {cell['clusters']} articles)"
    return f"{told}95 % interval {percent_interval(cell['low'], cell['high'])}, Wilson's)"


def prompt_sentence(label: str, verdict: str, cells: Sequence[dict[str, Any]]) -> str:
    """How often each model's responses to a prompt got a verdict: the lowest and the highest share.

    `cells` are one a model, of that verdict, over all questions.
    """
    counted = [cell for cell in cells if cell["n"]]
    if not counted:
        return NOTHING
    ranked = sorted(counted, key=lambda cell: cell["k"] / cell["n"])
    last = ranked[-1]
    if len(ranked) == 1:
        return f"On prompt {label}, {last['model']} is {verdict} on {cell_words(last)}."
    first = ranked[0]
    return (
        f"On prompt {label}, the share of {verdict} responses lies between {cell_words(first)} for "
        f"{first['model']} and {cell_words(last)} for {last['model']}. Which models differ is asked under "
        "Comparisons, not here."
    )


# ---------------------------------------------------------------- comparisons


def comparison_sentence(family: dict[str, Any], row: dict[str, Any], verdict: str) -> str:
    """One comparison: both sides, the difference, what its interval holds, and the corrected p-values."""
    if row["value"] is None:
        return f"{_subject(family, row)}: not compared. {row['reason']}"
    if family["kind"] == "gains":
        return _gain_sentence(row, verdict)
    told = (
        f"{_subject(family, row)}: {verdict} on {row['k_1']} of {row['n_1']} {_side(family, row, 'first')} and "
        f"{row['k_2']} of {row['n_2']} {_side(family, row, 'second')}, a difference of {points(row['value'])} points"
    )
    return " ".join(
        filter(
            None,
            [f"{told}{_interval_words(row)}", _discordant(row), _tested(row), _margin(family, row)],
        )
    )


def _subject(family: dict[str, Any], row: dict[str, Any]) -> str:
    if family["kind"] == "models":
        return f"Prompt {row['prompt']}"
    return f"{row['model']} on prompt {row['prompt']}" if row["prompt"] else str(row["model"])


def _side(family: dict[str, Any], row: dict[str, Any], which: str) -> str:
    kind, name = family["kind"], row[which]
    if kind == "prompts":
        return f"under prompt {name}"
    return f"for {name}" if kind == "models" else f"{name} questions"


def _interval_words(row: dict[str, Any]) -> str:
    """Ends the sentence on the difference, and says what its interval leaves open."""
    low, high = row["low"], row["high"]
    if low is None or high is None:
        return f". It has no interval: {lowered(row['interval_reason'])}"
    ends = f" (95 % interval {point_ends(low, high)}, resampling {row['clusters']} articles)."
    if low <= 0 <= high:
        return (
            f"{ends} The interval holds 0, and it holds {points(low)} and {points(high)}: none of these can be "
            "ruled out."
        )
    nearest = low if low > 0 else high
    return f"{ends} The interval leaves out 0; the difference nearest to it that it holds is {points(nearest)}."


def _discordant(row: dict[str, Any]) -> str:
    if row["only_first"] is None:
        return ""
    count = "counts" if row["only_second"] == 1 else "count"
    return (
        f"{counted(row['only_second'], 'question')} {count} for the second side alone, {row['only_first']} for the "
        "first alone."
    )


def _tested(row: dict[str, Any]) -> str:
    said = []
    if row.get("p_exact") is not None:
        said.append(
            f"exact McNemar {_p_in_words(row['p_exact'])}, {p_value(row['p_exact_corrected'])} after Holm"
        )
    if row["p_clustered"] is not None:
        corrected = p_value(row["p_clustered_corrected"])
        said.append(
            f"by resampling articles {_p_in_words(row['p_clustered'])}, {corrected} after Holm"
        )
    told = "; ".join(said)
    return f"{told[:1].upper()}{told[1:]}." if told else ""


def _margin(family: dict[str, Any], row: dict[str, Any]) -> str:
    if family["margin"] is None:
        return ""
    size = f"{100 * family['margin']:.0f} points"
    return {
        EQUIVALENT: f"The whole interval lies within {size} either way: equivalent by that margin.",
        DIFFERENT: f"The whole interval lies beyond {size}: different by that margin.",
        UNDECIDED: f"The interval reaches across {size}: neither equivalence nor a difference by that margin is shown.",
    }.get(row["within"], f"Without an interval nothing is said about the margin of {size}.")


def _gain_sentence(row: dict[str, Any], verdict: str) -> str:
    explicit, implicit = row["explicit"], row["implicit"]
    told = (
        f"{row['model']}: from prompt {row['first']} to {row['second']} the share of {verdict} responses moves by "
        f"{points(explicit['value'])} points on {counted(explicit['n_1'], 'explicit question')} and by "
        f"{points(implicit['value'])} on {counted(implicit['n_1'], 'implicit one')}, a difference of "
        f"{points(row['value'])} points"
    )
    return " ".join(
        filter(None, [f"{told}{_interval_words(row)}", _tested({**row, "p_exact": None})])
    )


# ---------------------------------------------------------------- judge models


def judge_sentence(judge: str, prompt: dict[str, Any]) -> str:
    """How far a judge model matches people on the responses to one prompt."""
    accuracy, macro = prompt["accuracy"], prompt["macro_f"]
    if not accuracy["n"]:
        return f"{judge} on prompt {prompt['prompt']}: {accuracy['reason']}"
    unparsed = prompt["unparsed"]
    missed = ""
    if unparsed:
        are = (
            "is without a verdict and counts"
            if unparsed == 1
            else "are without a verdict and count"
        )
        missed = f"; {counted(unparsed, 'reply', 'replies')} {are} as wrong"
    return (
        f"On prompt {prompt['prompt']}, {judge} gives people's final verdict on {cell_words(accuracy)}{missed}. "
        f"{_macro_words(macro)}"
    )


def _macro_words(macro: dict[str, Any]) -> str:
    if macro["value"] is None:
        return f"Macro-F is undefined: {lowered(macro['reason'])}"
    if macro["cluster_low"] is None:
        return f"Macro-F is {number(macro['value'])}."
    ends = f"{number(macro['cluster_low'])} to {number(macro['cluster_high'])}"
    return f"Macro-F is {number(macro['value'])} (95 % interval {ends}, resampling {macro['clusters']} articles)."
