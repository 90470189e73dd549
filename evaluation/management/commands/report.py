"""manage.py report STUDY [--json]: the numbers of a study's report on the terminal, or its charts and tables."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.counts.first_verdicts import CLUSTERS
from evaluation.paper_archive import archive
from evaluation.report.agreement_sections import agreement_sections
from evaluation.report.comparison_sentences import families
from evaluation.report.judge_sections import judge_sections
from evaluation.report.judge_sentences import halves_sentence, variants_sentence
from evaluation.report.layout import report_in_its_words
from evaluation.sections.clustering import Clustering
from evaluation.sections.study import study_report
from evaluation.shapes.study_report import Report
from evaluation.tables.report_words import compared_word, is_judged
from evaluation.tables.scores import score_tables
from evaluation.tables.text import in_text
from evaluation.tables.validations import validation_tables
from evaluation.tables.verdicts import verdict_table
from judging import studies
from leases.command import RefusingCommand
from leases.refusal import Refusal

CLUSTERING = {
    "cluster": f"what an interval resamples as a whole: {', '.join(CLUSTERS)}",
    "resamples": "how often (10000)",
    "seed": "from which seed (the study's)",
}


class Command(RefusingCommand):
    help = "Print the report of a study: agreement between judges, verdicts by model and prompt, scores."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="its slug, name or number")
        for name in ("cluster", "resamples", "seed"):
            parser.add_argument(f"--{name}", default="", help=CLUSTERING[name])
        parser.add_argument("--json", action="store_true", help="the whole report as JSON")
        parser.add_argument(
            "--charts-and-tables", metavar="FILE", help="write all of them into this new zip"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        clustering = Clustering.from_query({name: options[name] for name in CLUSTERING})
        study = studies.named(options["study"])
        report = study_report(study, clustering)
        if path := options["charts_and_tables"]:
            _write(path, archive(report, study.slug, {}))
            self.stdout.write(f"{path}: all charts and tables of {study.name}.")
        elif options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False))
        else:
            self.stdout.write("\n".join(in_lines(report)))


def _write(path: str, pieces: Iterator[bytes]) -> None:
    try:
        with Path(path).open("xb") as file:
            file.writelines(pieces)
    except FileExistsError:
        raise Refusal(
            f"{path} is there already, and stays as it is. Choose another name."
        ) from None
    except OSError as error:
        raise Refusal(f"{path} cannot be written: {error.strerror or error}.") from None


def in_lines(report: Report) -> list[str]:
    """The report as lines of text."""
    report = report_in_its_words(report)
    lines = [report["study"]["name"], ""]
    lines += _of_verdicts(report) if is_judged(report) else ["Not judged by people"]
    for table in (*score_tables(report), *validation_tables(report)):
        lines += ["", table.title, table.about, *in_text(table)]
    return lines


def _of_verdicts(report: Report) -> list[str]:
    lines = [f"Agreement ({report['agreement']['population']})"]
    lines += [f"  prompt {part.where}: {part.sentence}" for part in agreement_sections(report)]
    lines += ["", f"Verdicts ({report['population']})"]
    lines += in_text(verdict_table(report))
    for family in families(report, compared_word(report)):
        lines += ["", f"{family.table.title} ({report['comparisons']['population']})"]
        lines += [f"  {sentence}" for sentence in family.sentences or [family.reason]]
    return lines + _of_judge_models(report)


def _of_judge_models(report: Report) -> list[str]:
    if not report["judge_models"]:
        return []
    above = [variants_sentence(report), halves_sentence(report)]
    lines = ["", "Judge models", *(f"  {sentence}" for sentence in above if sentence)]
    for judge in judge_sections(report):
        lines += ["", f"{judge.judge} ({judge.population})"]
        lines += [f"  {sentence}" for part in judge.prompts for sentence in part.sentences]
    return lines
