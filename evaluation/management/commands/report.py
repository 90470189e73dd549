"""manage.py report STUDY [--json]: the numbers of a study's report on the terminal, or its charts and tables."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.counts.first_verdicts import CLUSTERS
from evaluation.paper_archive import archive
from evaluation.report.agreement_rows import agreement_sections
from evaluation.report.comparison_rows import family_sections
from evaluation.report.figures import Figure, compared_word, is_judged
from evaluation.report.judge_sections import judge_sections
from evaluation.report.judge_sentences import halves_sentence, variants_sentence
from evaluation.report.layout import report_in_its_words
from evaluation.report.score_sections import ShownTable, score_tables
from evaluation.report.validation_sections import validations
from evaluation.report.verdict_rows import prompt_sections
from evaluation.sections.clustering import Clustering
from evaluation.sections.study import study_report
from evaluation.shapes.study_report import Report
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
    for table in score_tables(report):
        lines += ["", f"{table.title} ({table.origin})", *filter(None, [table.note])]
        lines += _of_table(table)
    return [*lines, *_of_people(report)]


def _of_table(table: ShownTable) -> Iterator[str]:
    for section in table.sections:
        for line in section.lines:
            cells = (
                f"{column} {_in_words(figure)}"
                for column, figure in zip(table.columns, line.figures, strict=True)
            )
            yield f"  {section.measure} ({section.unit}), {line.head}: {', '.join(cells)}"


def _of_people(report: Report) -> Iterator[str]:
    for shown in validations(report):
        yield from ("", f"{shown.title} ({shown.n} with both labels)")
        yield f"  agreement {shown.agreement.value}, kappa {shown.kappa.value}"
        yield from (f"  {words}" for words in (*shown.beside, shown.correlation, shown.note))


def _in_words(figure: Figure) -> str:
    """ "33.33 (2/6)", "– (nobody is in S)"."""
    counts = f"{figure.value}/{figure.of}" if figure.of else figure.value
    about = "; ".join(filter(None, [counts, figure.beside, figure.reason]))
    return f"{figure.share} ({about})" if about else figure.share


def _of_verdicts(report: Report) -> list[str]:
    lines = [f"Agreement ({report['agreement']['population']})"]
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
