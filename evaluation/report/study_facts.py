"""What was judged, and by whom, in the words of a report's page. Pure."""

from evaluation.report.sentences import counted
from evaluation.shapes.study_report import Report, ReportStudy, ReportSubset


def study_facts(report: Report) -> list[tuple[str, str]]:
    """Terms and what they are in this study; a subset only where one was drawn."""
    study = report["study"]
    drawn = [("Subset", _subset(study["subset"]))] if "subset" in study else []
    prompts = "; ".join(f"{prompt['label']}: {prompt['title']}" for prompt in report["prompts"])
    models = ", ".join(model["name"] for model in report["models"])
    return [*drawn, ("Models", models), ("Prompts", prompts), ("Judges", _judges(study))]


def _subset(subset: ReportSubset) -> str:
    frame, query = counted(subset["frame"], "question"), subset["query"].lower()
    strata = f", strata by {subset['by']}" if subset["by"] else ""
    drawn = f"{subset['drawn']:,} of {frame} ({query}), drawn with seed {subset['seed']}"
    return f"{subset['name']}: {drawn}{strata}"


def _judges(study: ReportStudy) -> str:
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
