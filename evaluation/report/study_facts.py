"""What was judged, and by whom, in the words of a report's page. Pure."""

from collections.abc import Sequence

from evaluation.shapes.score_tables import ReportProtocol
from evaluation.shapes.study_report import (
    Report,
    ReportLabel,
    ReportPrompt,
    ReportStudy,
    ReportSubset,
)
from evaluation.shapes.study_rounds import StudyRound
from evaluation.tables.sentences import counted, verdicts_in_words
from protocols.declaration import ORIGINS

NOT_VERIFIED = (
    "{:,} of {:,} responses: they were made elsewhere, and their file does not say with which text"
)
NOBODY = "Nobody has handed in a verdict"


def study_facts(report: Report) -> list[tuple[str, str]]:
    """Terms and what they are in this study; a subset only where one was drawn."""
    study = report["study"]
    drawn = [("Subset", _subset(study["subset"]))] if "subset" in study else []
    prompts = "; ".join(map(_prompt, report["prompts"]))
    models = ", ".join(model["name"] for model in report["models"])
    drawn += [("Only", _only(study["only"]))] if "only" in study else []
    facts = [*drawn, ("Models", models), ("Prompts", prompts)]
    if n := study.get("prompts_not_verified"):
        facts.append(("Prompt not verified", NOT_VERIFIED.format(n, study["responses"])))
    facts.append(("Judges", _judges(report)))
    facts.append(("Excluded", excluded(study) or "no question"))
    return [*facts, ("Protocol", _protocol(report["protocol"]))] if "protocol" in report else facts


def excluded(study: ReportStudy) -> str:
    """ "3 questions before results existed, 2 after"; empty where none was."""
    after = study.get("excluded_after_results")
    if after is None:
        n = study["excluded_instances"]
        return counted(n, "question") if n else ""
    if before := study["excluded_before_results"]:
        more = f", {after:,} after" if after else ""
        return f"{counted(before, 'question')} before results existed{more}"
    return f"{counted(after, 'question')} after results existed" if after else ""


def _prompt(prompt: ReportPrompt) -> str:
    """With where its text is from, if a protocol says it."""
    words, origin = f"{prompt['label']}: {prompt['title']}", ORIGINS.get(prompt.get("origin", ""))
    words += "" if prompt.get("judged", True) else ", not judged"
    return f"{words} ({origin})" if origin else words


def _protocol(protocol: ReportProtocol) -> str:
    named = f"{protocol['title']} ({protocol['name']} version {protocol['version']})"
    about = f"sha256 {protocol['sha256'][:12]}; source: {protocol['source']}; licence: {protocol['licence']}"
    return f"{named}; {about}"


def _subset(subset: ReportSubset) -> str:
    frame, query = counted(subset["frame"], "question"), subset["query"].lower()
    strata = f", strata by {subset['by']}" if subset["by"] else ""
    drawn = f"{subset['drawn']:,} of {frame} ({query}), drawn with seed {subset['seed']}"
    return f"{subset['name']}: {drawn}{strata}"


def _only(only: ReportLabel) -> str:
    words = f"responses that the scorer {only['scorer']} labels {only['label']}"
    return (
        f"{words}; {only['no_longer']:,} no longer have this label" if only["no_longer"] else words
    )


def _judges(report: Report) -> str:
    study = report["study"]
    if not study["judges_per_response"]:
        return "Not judged by people"
    if study["is_imported"]:
        return "Not in the file, which has one verdict for each response"
    twice, (own, given) = study["double_percent"], study["own_verdicts"]
    planned = "planned " if is_cut_short(study) else ""
    people = f"{study['judges']} in all," if study["judges"] else f"{NOBODY}, with"
    words = f"{people} {study['judges_per_response']} {planned}for each response"
    if twice:
        words += f", two for {twice} %"
    if planned and study["judges"] and "rounds" not in report:
        words += f"; {verdicts_in_words(study['short_rounds']['1'])}"
    if study["without_own"]:
        return f"{words}; nobody judged responses to their own questions"
    if own:
        words += f"; {own} of {given} first verdicts are on questions that their judge wrote or annotated"
    return words


def is_cut_short(study: ReportStudy) -> bool:
    """Whether the rounds in which anybody judged lack verdicts; true where nobody has judged."""
    rounds = study.get("short_rounds", {}).values()
    return not study["judges"] or any(any(of[1:]) for of in rounds)


def round_in_words(entry: StudyRound, short: Sequence[int] = ()) -> str:
    """Of how many responses it is; where first verdicts lack, what was given."""
    of = counted(entry["responses"], "response")
    if not short:
        return f"of {of}"
    if not any(short[1:]):
        return f"opened over {of}, {'closed' if entry['closed'] else 'so far'} without a verdict"
    return f"of {of}, {verdicts_in_words(short)}"


def rounds_in_words(report: Report) -> list[tuple[StudyRound, str]]:
    """Each of several rounds, and the same of it."""
    short = report["study"].get("short_rounds", {})
    entries = report["rounds"]["rounds"] if "rounds" in report else []
    return [(entry, round_in_words(entry, short.get(str(entry["n"]), ()))) for entry in entries]


def resolution_in_words(report: Report) -> str:
    """How many final verdicts came about in each way."""
    return "; ".join(f"{way['label']} {way['count']}" for way in report["resolution"])
