"""The paragraph on methods of a paper, with the numbers of the report and no others. Pure."""

from collections.abc import Iterator

from evaluation.report import missing
from evaluation.report.study_facts import NOBODY, excluded, is_cut_short, rounds_in_words
from evaluation.shapes.judge_agreement import PromptAgreement
from evaluation.shapes.score_tables import ReportScores
from evaluation.shapes.study_report import NO_CRITERIA, Report, ReportStudy
from evaluation.statistics.bootstrap import FEWEST_CLUSTERS
from evaluation.statistics.coefficient import Coefficient
from evaluation.statistics.correlation import METHOD as FISHER
from evaluation.statistics.tables import ALL
from evaluation.tables import sentences
from evaluation.tables.agreement import in_round
from evaluation.tables.report_words import cluster_word, is_judged, resampled_word
from evaluation.tables.sentences import counted

ORDERS = {"grouped": "grouped by question and shuffled inside", "random": "fully random"}


def methods_paragraph(report: Report) -> str:
    """Who judged what, how well they agreed, how it was resolved and counted."""
    return " ".join(_sentences(report))


def _sentences(report: Report) -> Iterator[str]:
    study = report["study"]
    if not study["responses"]:
        yield "This study has no responses."
        return
    if study["is_demonstration"]:
        invented = "records" if "protocol" in report else "articles and verdicts"
        yield f"This is a demonstration with invented {invented}, and no finding."
    yield _what(report)
    if is_judged(report):
        yield from _judging(report)
        yield from _agreement(report)
        yield from _resolution(report)
        yield from _counting(report)
        yield from _comparing(report)
    else:
        yield "They were not judged by people."
    if "scores" in report:
        yield from _scoring(report, report["scores"])
    made_of = report["snapshot"]
    yield (
        f"The numbers were computed by Sic et Non {made_of['app_version']} from {counted(made_of['rows'], 'row')} "
        f"(sha256 {made_of['sha256'][:12]})."
    )


def _what(report: Report) -> str:
    study = report["study"]
    models, prompts = len(report["models"]), len(report["prompts"])
    responses, questions = study["responses"], study["instances"]
    one_each = ", one for each of them" if responses == models * prompts * questions else ""
    judged = _judged(report)
    some = f", {judged:,} of which got a verdict" if judged < responses else ""
    were = "were to be judged" if is_judged(report) else "are counted"
    left, only = _not_judged(report), study.get("only")
    of = f" that the scorer {only['scorer']} labels {only['label']}" if only else ""
    alone = f" {left:,} of them are to prompts that the rubric has no criteria for." if left else ""
    return (
        f"{counted(responses, 'response')}{of} of {counted(models, 'model')} to {counted(questions, 'question')} from "
        f"{counted(study['articles'], cluster_word(report))} under {counted(prompts, 'prompt')} {were}{one_each}{some}."
        f"{alone}"
    )


def _not_judged(report: Report) -> int:
    """How many responses are to prompts that the rubric has nothing on."""
    lost = [change for step in report["flow"]["steps"] for change in step["lost"]]
    return sum(change["n"] for change in lost if change["reason"] == NO_CRITERIA)


def _judged(report: Report) -> int:
    """How many responses have a verdict that was handed in; all in an imported study, which lacks this step."""
    steps = {step["key"]: step["n"] for step in report["flow"]["steps"]}
    return steps.get("judged", report["study"]["responses"])


def _judging(report: Report) -> Iterator[str]:
    study = report["study"]
    if study["is_imported"]:
        yield (
            "The verdicts come from a file with one final verdict for a response; it does not say who judged, nor "
            "what anybody said before disagreements were resolved."
        )
        return
    if subset := study.get("subset"):
        by = (
            f" within strata by {subset['by'][0].lower()}{subset['by'][1:]}" if subset["by"] else ""
        )
        yield (
            f"The questions were drawn by lots{by} with seed {subset['seed']}: {subset['drawn']:,} of "
            f"{subset['frame']:,} (subset {subset['name']})."
        )
    yield from _people(report)
    yield from _rounds(report)
    if study["judges"]:
        yield from _drawing(report["study"])
    if study["state"] == "open":
        yield "Judging has not ended: these are the verdicts handed in so far."


def _people(report: Report) -> Iterator[str]:
    """How many judged how many responses in how many rounds, by the verdicts that they gave."""
    study, rounds = report["study"], _given(report)
    if not study["judges"]:
        yield f"{NOBODY} (rubric {study['rubric']})."
        return
    several = f"in {counted(rounds.count(True), 'round')}"
    by = several if len(rounds) > 1 else f"(rubric {study['rubric']})"
    short = is_cut_short(study)
    per, went = study["judges_per_response"], "was to go" if short else "went"
    people = counted(study["judges"], "person", "people")
    if per == 1:
        twice = study["double_percent"]
        unit = "questions" if study["order"] == "grouped" else "responses"
        further = f", those of {twice} % of the {unit} to two" if twice else ""
        blind = "did not see which model had written it"
        yield f"Each response {went} to one person{further} ({people} in all), who {blind} {by}."
    else:
        blind = "saw neither which model had written it nor each other's verdicts"
        yield (
            f"Each response {went} to {per} people ({people} in all), who judged independently and {blind} {by}."
        )
    if short and len(rounds) < 2:
        yield f"There are {sentences.verdicts_in_words(study['short_rounds']['1'])}."


def _given(report: Report) -> list[bool]:
    """Whether each of several rounds has a first verdict."""
    short = report["study"].get("short_rounds", {})
    entries = report["rounds"]["rounds"] if "rounds" in report else []
    return [any(short.get(str(entry["n"]), (0, 1))[1:]) for entry in entries]


def _drawing(study: ReportStudy) -> Iterator[str]:
    """In which order, from where and how often responses came to a judge, and whose questions they were."""
    if study["order"] in ORDERS:
        yield f"Each judge's order was drawn with seed {study['seed']}, {ORDERS[study['order']]}."
    if study["pairing"] == "pool":
        yield "Judges drew the next free responses from one pool."
    if study["pairing"] == "fixed":
        yield "The same judges always judged together."
    if study["repeat_percent"]:
        came = "were to come" if is_cut_short(study) else "came"
        yield f"{study['repeat_percent']} % of each judge's responses {came} a second time, unannounced."
    if study["without_own"]:
        yield "Nobody judged responses to questions that they had written or annotated."
    elif (own := study["own_verdicts"])[0]:
        share = f"{own[0]:,} of {own[1]:,} first verdicts ({100 * own[0] / own[1]:.1f} %)"
        yield f"{share} were on questions that their judge had written or annotated."


def _rounds(report: Report) -> Iterator[str]:
    """Each round with its rubric, and what was declared of it; reopenings; what changed from round to round."""
    if "rounds" not in report:
        return
    rounds, entries = report["rounds"], rounds_in_words(report)
    for entry, words in entries if len(entries) > 1 else ():
        declared = ""
        if entry["n"] > 1:
            stay = "its verdicts" if entry["counts"] else "earlier verdicts where there were any"
            declared = f"; declared final before it opened: {stay}"
        yield (
            f"Round {entry['n']} ({entry['opened']}, rubric {entry['rubric']}) was {words}{',' * (',' in words)} and "
            f"gives {counted(entry['final'], 'final verdict')}{declared}."
        )
        if entry["could_read"]:
            yield f"{entry['could_read']} of its judges could read earlier verdicts before it opened."
    for again in rounds["reopened"]:
        yield (
            f"Round {again['n']} was closed before all was judged and opened again on {again['day']}; "
            f"{again['could_read']} of its judges could read verdicts meanwhile."
        )
    yield from map(sentences.changed_sentence, rounds["changed"])


def _agreement(report: Report) -> Iterator[str]:
    agreement = report["agreement"]
    if not agreement["measured"]:
        if not report["study"]["is_imported"]:
            yield "Agreement between judges was not measured."
        return
    measured = [entry for entry in agreement["prompts"] if entry["pairs"]]
    by_round = any(entry["round"] is not None for entry in measured)
    where = ", in each round that gives final verdicts" if by_round else ""
    yield f"Agreement on {agreement['population']}{where}: {'; '.join(map(_coefficient, measured))}."
    shown = [_shown(entry)[0] for entry in measured]
    methods = dict.fromkeys(sentences.method_of(c) for c in shown if c["value"] is not None)
    if parts := [method for method in methods if method]:
        yield f"Intervals of agreement are 95 % intervals by {', '.join(parts)}."
    made, word = agreement["interval"], resampled_word(report)
    if "" in methods:
        yield (
            "A value that cannot be resampled, as from fewer than "
            f"{FEWEST_CLUSTERS} {word}s, has no interval."
        )
    if made["method"] in methods:
        yield (
            f"Whole {word}s were drawn {made['resamples']:,} times with the generator "
            f"{made['generator']} and seed {made['seed']}."
        )


def _shown(entry: PromptAgreement) -> tuple[Coefficient, str]:
    """Cohen's kappa where the same two judged all, else Krippendorff's alpha; and what stands beside it."""
    if len(entry["pairs"]) == 1:
        return sentences.kappa_of(entry, 2)
    alpha = sentences.coefficient_of(entry["all"], "krippendorff_alpha")
    return alpha, sentences.beside_of(entry["all"], alpha, 2)


def _coefficient(entry: PromptAgreement) -> str:
    coefficient, beside = _shown(entry)
    name = sentences.name_of(coefficient)
    where = f"on prompt {entry['prompt']}{in_round(entry)} (n = {coefficient['n']:,})"
    if (pairs := len(entry["pairs"])) > 1:
        where += f", over {pairs} pairs of judges"
    if coefficient["value"] is None:
        agreed = sentences.coefficient_of(entry["all"], "percent_agreement")
        return f"{name} is undefined {where}, where the judges agree in {sentences.percent(agreed['value'])} of cases"
    return f"{name} is {sentences.with_interval(coefficient, beside)} {where}"


# How a final verdict came about, of one response and of several.
HOW = {
    "unanimous": ("was unanimous", "were unanimous"),
    "discussed": ("was settled by discussion", "were settled by discussion"),
    "third_person": ("was settled by a third person", "were settled by a third person"),
    "majority": ("was settled by majority", "were settled by majority"),
    "single": ("has the verdict of its one judge", "have the verdict of their one judge"),
    "imported": ("has the verdict of the file", "have the verdict of the file"),
}


def _resolution(report: Report) -> Iterator[str]:
    """A partition of the responses that were kept: each in one way, or without a final verdict."""
    parts = [
        counted(way["count"], *HOW[way["how"]]) for way in report["resolution"] if way["final"]
    ]
    if n := missing.missing(report):
        some = counted(n, "has no final verdict and is", "have no final verdict and are")
        parts.append(f"{some} in no share ({missing.kinds_in_words(report)})")
    if parts:
        left = " to the questions that were kept" if report["study"]["excluded_instances"] else ""
        yield f"Of {counted(missing.all_of(report), 'response')}{left}, {', '.join(parts)}."
    if widest := missing.widest(report):
        yield widest


def _counting(report: Report) -> Iterator[str]:
    if words := excluded(report["study"]):
        yield f"Excluded: {words}. First verdicts on them stay in the agreement."
    else:
        yield "No question was excluded."
    left_out = sum(
        line["left_out"] for line in report["tables"][0]["lines"] if line["slice"] == ALL
    )
    if left_out:
        yield (
            f"Prompts that give one passage are counted over questions whose two passages differ, which leaves out "
            f"{counted(left_out, 'response')}."
        )
    (table,) = report["tables"]
    yield (
        f"Shares have 95 % intervals from {table['resamples']:,} resamples of whole {cluster_word(report)}s "
        f"(seed {table['seed']}); "
        "where that cannot be done, Wilson's, which take responses as independent."
    )


def _comparing(report: Report) -> Iterator[str]:
    comparisons = report["comparisons"]
    if any(family["rows"] for family in comparisons["families"]):
        yield (
            f"Differences of shares have 95 % intervals by the same resampling (seed {comparisons['seed']}), which are "
            "not corrected for their number; p-values are given as they are and as corrected within each family by "
            f"{comparisons['correction']}'s method."
        )


# By kind of scorer, and how it matches.
TEXTS_SCORED = {
    ("squad", None): "an answer is compared with the right ones by exact match and F1",
    ("alias", "equal"): "an answer is right that equals a right one",
    ("alias", "contained"): "an answer is right that contains a right one as whole words",
}


def _texts_scored(scores: ReportScores) -> Iterator[str]:
    names: dict[str, list[str]] = {}
    for one in scores["scorers"]:
        match = one.get("match", "equal") if one["kind"] == "alias" else None
        if words := TEXTS_SCORED.get((one["kind"], match)):
            names.setdefault(words, []).append(f"“{one['name']}”")
    if names:
        rules = "; by ".join(f"{' and '.join(of)} {words}" for words, of in names.items())
        yield (
            f"By {rules}. Answers and right ones are normalised as by the SQuAD 2.0 script; where a record has no "
            "right one, abstaining is right."
        )
    if scores["validations"]:
        yield (
            "Next to a scorer, people's verdicts are compared by agreement and unweighted kappa, and shares over "
            f"models by Pearson's r with an interval by {FISHER} and Spearman's coefficient."
        )
    if any("without_skipped" in one for table in scores["tables"] for one in table["figures"]):
        yield "Skipped responses count 0; the figure without them stands beside."


def _scoring(report: Report, scores: ReportScores) -> Iterator[str]:
    by = report["protocol"]
    yield (
        f"Scores are computed as the protocol {by['name']} version {by['version']} (sha256 {by['sha256'][:12]}) "
        "declares. Undecided, unread and skipped responses are in shares, failed, missing and unjudged ones are not; "
        "populations are taken model by model and sample by sample."
    )
    yield from _texts_scored(scores)
    yield (
        f"Figures have 95 % intervals from {scores['resamples']:,} resamples of whole {by['cluster']}s (seed "
        f"{scores['seed']}); where that cannot be done, Wilson's, which take responses as independent."
    )
