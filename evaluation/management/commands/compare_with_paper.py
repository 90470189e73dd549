"""manage.py compare_with_paper STUDY: the cells of WikiContradict's table 2 and those of a study."""

from collections import Counter
from typing import Any

from django.core.management.base import CommandParser

from evaluation.compare.wikicontradict_table import (
    ABSENT,
    DIFFERS,
    DOES_NOT_FIT,
    RUBRIC,
    Match,
    applies,
    matches,
)
from evaluation.sections.study import study_report
from judging import studies
from leases.command import RefusingCommand
from leases.refusal import Refusal


class Command(RefusingCommand):
    help = "Compare each cell of WikiContradict's table 2 with the same cell of a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="its slug, name or number")
        parser.add_argument("--all", action="store_true", help="every cell, not those at odds only")

    def handle(self, *args: Any, **options: Any) -> None:
        report = study_report(studies.named(options["study"]))
        if not applies(report):
            raise Refusal(
                f"{report['study']['name']} was judged by {report['study']['rubric']}. The paper's table is of the "
                f"rubric {RUBRIC}, so no cell of it can be compared."
            )
        cells = matches(report["tables"][0]["rows"])
        tally = Counter(match.comes_to for match in cells)
        self.stdout.write(f"{len(cells)} cells of the paper's table 2:")
        for comes_to, count in sorted(tally.items()):
            self.stdout.write(f"  {comes_to}: {count}")
        for match in cells:
            if options["all"] or match.comes_to in (DIFFERS, DOES_NOT_FIT):
                self.stdout.write(_line(match))


def _line(match: Match) -> str:
    cell = match.paper
    ours = "none" if match.comes_to == ABSENT else f"{match.k} of {match.n}"
    return (
        f"prompt {cell.prompt}, {cell.model}, {cell.slice}, {cell.verdict}: the paper {cell.percent} % "
        f"({cell.k} of {cell.n}), here {ours}: {match.comes_to}"
    )
