"""`manage.py make_study NAME --run ID --judge USERNAME …`: a study over a run's responses, opened at once."""

from argparse import BooleanOptionalAction
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from accounts.models import Person
from generation import prompting
from generation.models import Run
from judging import studies
from judging.models import Study
from judging.rules.assignment import GROUPED, ORDERS
from judging.rules.resolution import THIRD_PERSON, WAYS
from judging.studies import Design, Selection
from leases.command import RefusingCommand
from leases.refusal import Refusal
from leases.rows import first_of


class Command(RefusingCommand):
    help = "Make a study over the finished responses of runs, give the judges their items, open it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--by", required=True, metavar="USERNAME", help="who creates the study")
        parser.add_argument(
            "--run", action="append", type=int, required=True, metavar="ID", help="may be repeated"
        )
        parser.add_argument(
            "--prompt", action="append", default=[], metavar="NAME|LABEL", help="default: all"
        )
        parser.add_argument(
            "--judge", action="append", default=[], metavar="USERNAME", help="may be repeated"
        )
        parser.add_argument("--per-response", type=int, default=2, metavar="N", help="judges (2)")
        parser.add_argument("--resolved-by", choices=list(WAYS), default=THIRD_PERSON)
        parser.add_argument("--order", choices=ORDERS, default=GROUPED)
        parser.add_argument(
            "--repeat-percent",
            type=int,
            default=0,
            metavar="N",
            help="percent of each judge's responses that come twice (0)",
        )
        parser.add_argument("--seed", type=int, help="default: drawn at random")
        parser.add_argument("--open", action=BooleanOptionalAction, default=True)

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            study = self._made(options)
            if options["open"]:
                studies.open_study(study, [_person(name) for name in options["judge"]])
        count = study.items.count()
        self.stdout.write(f"Study {study.pk}, {study.name}: {count} responses, seed {study.seed}.")

    def _made(self, options: dict[str, Any]) -> Study:
        runs = list(Run.objects.filter(pk__in=options["run"]))
        if missing := set(options["run"]) - {run.pk for run in runs}:
            raise Refusal(f"There is no run {', '.join(map(str, sorted(missing)))}.")
        prompts = [prompting.find(name).name for name in options["prompt"]]
        design = Design(
            judges_per_response=options["per_response"],
            resolved_by=options["resolved_by"],
            order=options["order"],
            repeat_percent=options["repeat_percent"],
            seed=options["seed"],
        )
        by = _person(options["by"])
        return studies.create(options["name"], Selection(runs, prompts), design, by=by)


def _person(username: str) -> Person:
    people = Person.objects.filter(username__iexact=username)
    return first_of(people, f"There is no person {username}.")
