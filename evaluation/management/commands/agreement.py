"""manage.py agreement FILE.csv: how far raters agree on labels from anywhere."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.labels.file import read_labels
from evaluation.labels.file_agreement import LabelsPlan, TooManyLabels, agreement_of
from evaluation.labels.labels_page import in_lines, printable
from evaluation.labels.lines import UnreadableLabels
from evaluation.labels.scale import NotOnScale, scale_of
from evaluation.labels.spelling import FOLDS, wishes_of
from evaluation.statistics.bootstrap import RESAMPLES, ResamplePlan


class Command(BaseCommand):
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
            action="append",
            choices=FOLDS,
            default=[],
            help="make one: letter case of labels, spelling of numbers, names of items and raters that look alike; "
            "may be given again",
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
        try:
            plan = (
                ResamplePlan(options["seed"], options["resamples"])
                if options["resamples"]
                else None
            )
            wishes = wishes_of(options["order"], options["missing"], options["fold"])
            with options["file"].open("rb") as stream:
                ratings = read_labels(stream, wishes)
            scale = scale_of(ratings.label_names, wishes.order)
            result = agreement_of(ratings, scale, LabelsPlan(plan, options["cluster"] == "cluster"))
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}.") from None
        except UnreadableLabels as unreadable:
            raise CommandError("\n".join(unreadable.problems)) from None
        except (NotOnScale, TooManyLabels, ValueError) as error:
            raise CommandError(str(error)) from None
        if options["json"]:
            for notice in ratings.notices:
                self.stderr.write(printable(notice))
            self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False))
        else:
            self.stdout.write("\n".join(in_lines(result)))
