"""manage.py fetch_tagged_pages --xml FILE | --titles FILE | --kind KIND"""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leases.refusal import Refusal
from wikifetch import fetch
from wikifetch.models import FetchRun, TagKind
from wikifetch.states import FetchState


class Command(BaseCommand):
    help = "Fetch pages and keep the inconsistency tags on them; fetching again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument(
            "--xml", type=Path, metavar="FILE", help="a MediaWiki export: .xml, .gz or .bz2"
        )
        source.add_argument(
            "--titles",
            metavar="FILE",
            help="a text file with a title on each line; - for standard input",
        )
        source.add_argument("--kind", choices=TagKind.values, help="all articles with this tag")
        parser.add_argument("--limit", type=int, metavar="N", help="at most N pages, with --kind")
        parser.add_argument(
            "--wiki", default="", metavar="URL", help="one of WIKI_ALLOWED; the first by default"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["limit"] is not None and not options["kind"]:
            raise CommandError("--limit goes with --kind.")
        try:
            run = fetch.finished(_asked(options))
        except Refusal as refused:
            raise CommandError(refused.message) from None
        self._print(run)

    def _print(self, run: FetchRun) -> None:
        for problem in run.problems.all():
            self.stderr.write(f"{problem.page}: {problem.problem}")
        state = "" if run.state == FetchState.DONE else f" ({run.get_state_display().lower()})"
        self.stdout.write(
            f"{run}{state}: {run.pages} pages read, {run.tags_found} tags on them, "
            f"{run.tags_new} not seen before, {run.problems.count()} problems."
        )


def _asked(options: dict[str, Any]) -> FetchRun:
    if options["xml"]:
        return fetch.ask_for_file(options["xml"], by=None)
    if options["titles"]:
        return fetch.ask_for_titles(_titles(options["titles"]), by=None, wiki=options["wiki"])
    return fetch.ask_for_kind(
        options["kind"], by=None, limit=options["limit"], wiki=options["wiki"]
    )


def _titles(name: str) -> list[str]:
    if name == "-":
        return sys.stdin.read().splitlines()
    try:
        return Path(name).read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandError(
            f"{name} is not text in UTF-8. Save it so, a title on each line."
        ) from None
