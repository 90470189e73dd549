"""manage.py agreement FILE.csv: how far raters agree on labels from anywhere."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.labels.file import read_labels
from evaluation.labels.file_agreement import agreement_of
from evaluation.labels.labels_page import in_lines
from evaluation.labels.scale import scale_of
from evaluation.labels.spelling import wishes_of
from evaluation.statistics.bootstrap import RESAMPLES, ResamplePlan
from leases.command import RefusingCommand
from leases.refusal import printable


class Command(RefusingCommand):
    help = (
        "Print the agreement between raters on labels in a CSV file: item, rater, label, perhaps cluster; or item and "
        "a column for each rater."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE.csv", type=Path)
        parser.add_argument(
            "--order", default="", metavar="A,B,C", help="the labels from lowest to highest"
        )
        parser.add_argument(
            "--missing",
            default="",
            metavar="A,B",
            help="labels that mean a missing one, beside empty, NA, N/A, NaN and a point among numbers",
        )
        parser.add_argument(
            "--fold",
            action="store_true",
            help="count as one what differs in blanks, letter case or the spelling of a number, as 1 and 1.0",
        )
        parser.add_argument(
            "--all",
            action="store_true",
            help="every coefficient, and kappa on each label; else kappa (weighted too, where the labels have an "
            "order), alpha and agreement",
        )
        parser.add_argument("--json", action="store_true", help="the whole result as JSON")
        parser.add_argument(
            "--cluster",
            choices=["cluster", "item"],
            default="cluster",
            help="what an interval resamples as a whole: the column cluster where there is one, or items",
        )
        parser.add_argument("--resamples", type=int, default=RESAMPLES, help="0 for none")
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *args: Any, **options: Any) -> None:
        seed, resamples = options["seed"], options["resamples"]
        wishes = wishes_of(options["order"], options["missing"], fold=options["fold"])
        try:
            plan = ResamplePlan(seed, resamples) if resamples else None
            with options["file"].open("rb") as file:
                ratings = read_labels(file, wishes)
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}.") from None
        except ValueError as error:
            raise CommandError(str(error)) from None
        scale = scale_of(ratings.label_names, wishes.order)
        result = agreement_of(ratings, scale, plan, by_cluster=options["cluster"] == "cluster")
        if options["json"]:
            for notice in result["notices"]:
                self.stderr.write(printable(notice))
            self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False))
        else:
            self.stdout.write("\n".join(in_lines(result, everything=options["all"])))
