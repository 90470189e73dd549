"""manage.py open_campaign NAME --collection COLLECTION --by USERNAME [options of the page Open a campaign]"""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from accounts.models import Person
from annotation.campaigns.opening import CampaignDesign, Frame, Limits, dry_run, open_campaign
from annotation.campaigns.tag_drawing import CampaignPlan
from datasets.models import Collection
from leases.command import RefusingCommand
from leases.rows import first_of
from wikifetch.models import TagKind


def stratum(text: str) -> tuple[str, int]:
    """KIND=N"""
    kind, _, number = text.partition("=")
    if kind not in TagKind.values or not number.isdecimal() or int(number) < 1:
        raise CommandError(f"{text!r} is not KIND=N with a kind of {', '.join(TagKind.values)}.")
    return kind, int(number)


class Command(RefusingCommand):
    help = "Open a campaign over live tags and create its assignments."

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("name")
        add("--collection", required=True, help="where accepted annotations go")
        add("--by", required=True, metavar="USERNAME", help="the admin who opens it")
        add("--dry-run", action="store_true", help="report what would be drawn, and open nothing")
        add("--fetch", type=int, metavar="N", help="only tags on the pages of this fetch")
        add("--category", default="", help="only tags on the pages of this fetched category")
        add("--kind", action="append", default=[], choices=TagKind.values)
        add("--since", type=int, metavar="YEAR", help="only tags dated since then")
        add("--until", type=int, metavar="YEAR", help="only tags dated until then")
        add("--words", default="", help="only tags with these words, as in the list of tags")
        add("--limit", type=int, default=0, help="at most this many tags")
        add("--stratum", action="append", default=[], type=stratum, metavar="KIND=N")
        add("--reserve", type=int, default=0, help="tags in reserve, of each stratum")
        add("--seed", type=int, default=1)
        add("--people", type=int, default=1, help="people per tag")
        add("--double-share", type=float, default=1.0, help="share of the tags for all of them")
        add("--person", action="append", default=[], metavar="USERNAME", help="only these people")
        add("--in-hand", type=int, default=Limits.most_in_hand, help="drafts per person")
        add("--quota", type=int, help="tags per person")
        add("--stop-at-valid", type=int, metavar="N", help="stop at so many valid tags")
        add("--pilot", type=int, default=0, help="tags in a pilot")
        add("--pilot-again", action="store_true", help="its people may get its tags again")

    def handle(self, *args: Any, **options: Any) -> None:
        design = design_of(options)
        if options["dry_run"]:
            drawing = dry_run(design)
            self.stdout.write(
                f"Would draw {drawing.tags} tags, {drawing.reserve} in reserve: {drawing.assignments} assignments."
            )
            return
        with transaction.atomic():
            collection, _ = Collection.objects.get_or_create(name=options["collection"])
            by = person_called(options["by"])
            campaign = open_campaign(
                name=options["name"], collection=collection, design=design, by=by
            )
        self.stdout.write(f"Campaign {campaign.pk}: {campaign.assignments.count()} assignments.")


def design_of(options: dict[str, Any]) -> CampaignDesign:
    """What the options ask for. Raises Refusal for an unknown person."""
    given = {**options, "kinds": tuple(options["kind"]), "strata": dict(options["stratum"])}
    frame = ("kinds", "fetch", "category", "since", "until", "words")
    plan = ("double_share", "seed", "limit", "strata", "reserve", "pilot")
    return CampaignDesign(
        Frame(**{name: given[name] for name in frame}),
        CampaignPlan(people_per_tag=given["people"], **{name: given[name] for name in plan}),
        Limits(given["in_hand"], given["quota"], given["stop_at_valid"]),
        tuple(person_called(name) for name in given["person"]),
        given["pilot_again"],
    )


def person_called(username: str) -> Person:
    people = Person.objects.filter(username__iexact=username)
    return first_of(people, f"There is nobody called {username!r}.")
