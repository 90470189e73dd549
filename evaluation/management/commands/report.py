"""manage.py report STUDY [--json]: the numbers of a study's report on the terminal."""

import json
from typing import Any

from django.core.management.base import CommandParser

from evaluation.counts.first_verdicts import CLUSTERS
from evaluation.report.agreement_rows import agreement_sections
from evaluation.report.comparison_rows import family_sections
from evaluation.report.figures import compared_word
from evaluation.report.judge_sections import judge_sections
from evaluation.report.judge_sentences import halves_sentence, variants_sentence
from evaluation.report.verdict_rows import prompt_sections
from evaluation.sections.clustering import Clustering
from evaluation.sections.study import study_report
from evaluation.shapes.study_report import Report
from judging import studies
from leases.command import RefusingCommand

CLUSTERING = {
    "cluster": f"what an interval resamples as a whole: {', '.join(CLUSTERS)}",
    "resamples": "how often (10000)",
    "seed": "from which seed (the study's)",
}


class Command(RefusingCommand):
    help = "Print the report of a study: agreement between judges, verdicts by model and prompt."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="its slug, name or number")
        for name in ("cluster", "resamples", "seed"):
            parser.add_argument(f"--{name}", default="", help=CLUSTERING[name])
        parser.add_argument("--json", action="store_true", help="the whole report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        clustering = Clustering.from_query({name: options[name] for name in CLUSTERING})
        report = study_report(studies.named(options["study"]), clustering)
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False))
        else:
            self.stdout.write("\n".join(in_lines(report)))


def in_lines(report: Report) -> list[str]:
    """The report as lines of text."""
    lines = [report["study"]["name"], "", f"Agreement ({report['agreement']['population']})"]
    lines += [f"  prompt {part.where}: {part.sentence}" for part in agreement_sections(report)]
    lines += ["", f"Verdicts ({report['population']})"]
    for section in prompt_sections(report):
        lines.append(f"  prompt {section.prompt}: {section.title}")
        for row in (*section.rows, *section.few):
            cells = ", ".join(
                f"{column.lower()} {cell.value} ({cell.share})"
                for column, cell in zip(section.columns, row.cells, strict=True)
            )
            lines.append(f"    {row.model}, {row.slice.lower()}: {cells}")
    for family in family_sections(report, compared_word(report)):
        lines += ["", f"{family.title} ({report['comparisons']['population']})"]
        lines += [f"  {row.sentence}" for row in family.rows] or [f"  {family.reason}"]
    return lines + _of_judge_models(report)


def _of_judge_models(report: Report) -> list[str]:
    if not report["judge_models"]:
        return []
    above = [variants_sentence(report), halves_sentence(report)]
    lines = ["", "Judge models", *(f"  {sentence}" for sentence in above if sentence)]
    for judge in judge_sections(report):
        lines += ["", f"{judge.judge} ({judge.population})"]
        sentences = [
            sentence for part in judge.prompts for sentence in (part.held_out, part.sentence)
        ]
        lines += [f"  {sentence}" for sentence in sentences if sentence]
    return lines
