"""manage.py agreement FILE.csv: how far raters agree on labels from anywhere."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.labels.file import UnreadableLabels, read_labels
from evaluation.labels.file_agreement import LabelsPlan, TooManyLabels, agreement_of
from evaluation.labels.labels_page import in_lines
from evaluation.labels.scale import NotOnScale, scale_of
from evaluation.statistics.bootstrap import RESAMPLES, ResamplePlan


class Command(BaseCommand):
    help = "Print the agreement between raters on labels in a CSV file: item, rater, label, perhaps cluster."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE.csv", type=Path)
        parser.add_argument(
            "--order", default="", metavar="A,B,C", help="the labels from lowest to highest"
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
            with options["file"].open("rb") as stream:
                ratings = read_labels(stream)
            order = [label.strip() for label in options["order"].split(",") if label.strip()]
            scale = scale_of(ratings.label_names, order)
            result = agreement_of(ratings, scale, LabelsPlan(plan, options["cluster"] == "cluster"))
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}.") from None
        except UnreadableLabels as unreadable:
            raise CommandError("\n".join(unreadable.problems)) from None
        except (NotOnScale, TooManyLabels, ValueError) as error:
            raise CommandError(str(error)) from None
        for notice in ratings.notices:
            self.stderr.write(notice)
        if options["json"]:
            self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False))
        else:
            self.stdout.write("\n".join(in_lines(result)))
