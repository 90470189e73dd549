"""manage.py compare_with_paper STUDY: the cells of WikiContradict's table 2 and those of a study."""

from collections import Counter
from typing import Any

from django.core.management.base import CommandParser

from evaluation.compare.wikicontradict_table import ABSENT, DIFFERS, DOES_NOT_FIT, Match, matches
from evaluation.sections.study import study_report
from judging import studies
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = "Compare each cell of WikiContradict's table 2 with the same cell of a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="its slug, name or number")
        parser.add_argument("--all", action="store_true", help="every cell, not those at odds only")

    def handle(self, *args: Any, **options: Any) -> None:
        report = study_report(studies.named(options["study"]))
        cells = matches(report["tables"][0]["rows"])
        tally = Counter(one.comes_to for one in cells)
        self.stdout.write(f"{len(cells)} cells of the paper's table 2:")
        for comes_to, count in sorted(tally.items()):
            self.stdout.write(f"  {comes_to}: {count}")
        shown = cells if options["all"] else [one for one in cells if self._at_odds(one)]
        for one in shown:
            self.stdout.write(_line(one))

    def _at_odds(self, one: Match) -> bool:
        return one.comes_to in (DIFFERS, DOES_NOT_FIT)


def _line(one: Match) -> str:
    cell = one.paper
    ours = "none" if one.comes_to == ABSENT else f"{one.k} of {one.n}"
    return (
        f"prompt {cell.prompt}, {cell.model}, {cell.slice}, {cell.verdict}: the paper {cell.percent} % "
        f"({cell.k} of {cell.n}), here {ours}: {one.comes_to}"
    )
