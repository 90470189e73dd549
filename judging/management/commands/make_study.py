"""`manage.py make_study NAME --run ID --judge USERNAME …`: a study over a run's responses, opened at once."""

from argparse import BooleanOptionalAction
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from accounts.models import Person
from datasets.models import Subset
from generation import prompt_versions
from generation.models import Run
from judging import rubric_versions, studies
from judging.forms.study_forms import MOST_FAST_SECONDS
from judging.models import Rubric, Study
from judging.rules.assignment import GROUPED, ORDERS, PAIRINGS, ROTATION
from judging.rules.resolution import THIRD_PERSON, WAYS
from judging.selections import Selection
from judging.studies import StudyDesign
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
            "--subset", metavar="COLLECTION/NAME", help="only responses to a subset's questions"
        )
        parser.add_argument(
            "--superseded",
            action="store_true",
            help="with --subset: also where the contradiction or record has a newer version since",
        )
        parser.add_argument(
            "--label", default="", metavar="SCORER=LABEL", help="only responses with this label"
        )
        parser.add_argument(
            "--judge", action="append", default=[], metavar="USERNAME", help="may be repeated"
        )
        parser.add_argument(
            "--per-response", type=int, default=2, metavar="N", help="judges (2); 0: nobody judges"
        )
        parser.add_argument("--resolved-by", choices=list(WAYS), default=THIRD_PERSON)
        parser.add_argument("--order", choices=ORDERS, default=GROUPED)
        parser.add_argument(
            "--repeat-percent",
            type=int,
            default=0,
            metavar="N",
            help="percent of each judge's responses that come twice (0)",
        )
        parser.add_argument(
            "--double-percent",
            type=int,
            default=0,
            metavar="N",
            help="with --per-response 1: percent of the questions that two judge (0)",
        )
        parser.add_argument(
            "--without-own",
            action="store_true",
            help="nobody judges responses to questions that they wrote or annotated",
        )
        parser.add_argument(
            "--fast-seconds",
            type=int,
            choices=range(1, MOST_FAST_SECONDS + 1),
            default=StudyDesign.fast_seconds,
            metavar="N",
            help="each judge's share of verdicts after fewer seconds is shown (3)",
        )
        parser.add_argument("--pairing", choices=PAIRINGS, default=ROTATION)
        parser.add_argument(
            "--rubric", metavar="[NAME/]VERSION", help="default: the current version"
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
        prompts = [prompt_versions.find(name).name for name in options["prompt"]]
        design = StudyDesign(
            judges_per_response=options["per_response"],
            resolved_by=options["resolved_by"],
            order=options["order"],
            pairing=options["pairing"],
            double_percent=options["double_percent"],
            repeat_percent=options["repeat_percent"],
            without_own=options["without_own"],
            fast_seconds=options["fast_seconds"],
            seed=options["seed"],
            rubric=_rubric(options["rubric"]),
        )
        by = _person(options["by"])
        subset = _subset(options["subset"]) if options["subset"] else None
        more = {"superseded": options["superseded"], "label": options["label"]}
        chosen = Selection(runs, prompts, subset=subset, **more)
        return studies.create(options["name"], chosen, design, by=by)


def _person(username: str) -> Person:
    people = Person.objects.filter(username__iexact=username)
    return first_of(people, f"There is no person {username}.")


def _rubric(named: str | None) -> Rubric | None:
    """The version of this number, of the program's rubric unless another is named; None where none is."""
    if named is None:
        return None
    name, _, version = named.rpartition("/")
    rows = rubric_versions.versions().filter(name=name or rubric_versions.PROGRAMS)
    rows = rows.filter(version=version) if version.isdecimal() else rows.none()
    return first_of(rows, f"There is no version {named} of a rubric.")


def _subset(named: str) -> Subset:
    collection, _, name = named.partition("/")
    rows = Subset.objects.filter(collection__name=collection, name=name)
    return first_of(rows, f"There is no subset {named}. Name it as COLLECTION/NAME.")
