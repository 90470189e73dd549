"""What was judged, and by whom, in the words of a report's page. Pure."""

from evaluation.report.sentences import counted
from evaluation.shapes.score_tables import ReportProtocol
from evaluation.shapes.study_report import (
    Report,
    ReportLabel,
    ReportPrompt,
    ReportStudy,
    ReportSubset,
)
from protocols.declaration import ORIGINS

NOT_VERIFIED = (
    "{:,} of {:,} responses: they were made elsewhere, and their file does not say with which text"
)


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
    facts.append(("Judges", _judges(study)))
    return [*facts, ("Protocol", _protocol(report["protocol"]))] if "protocol" in report else facts


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


def _judges(study: ReportStudy) -> str:
    if not study["judges_per_response"]:
        return "Not judged by people"
    if study["is_imported"]:
        return "Not in the file, which has one verdict for each response"
    twice, (own, given) = study["double_percent"], study["own_verdicts"]
    words = f"{study['judges']} in all, {study['judges_per_response']} for each response"
    if twice:
        words += f", two for {twice} %"
    if study["without_own"]:
        return f"{words}; nobody judged responses to their own questions"
    if own:
        words += f"; {own} of {given} first verdicts are on questions that their judge wrote or annotated"
    return words


def resolution_in_words(report: Report) -> str:
    """How many final verdicts came about in each way."""
    return "; ".join(f"{way['label']} {way['count']}" for way in report["resolution"])
