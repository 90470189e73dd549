"""manage.py fetch_tagged_pages --xml FILE... | --titles FILE | --kind KIND | --category NAME | --resume [N]"""

import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser, OutputWrapper
from django.db import InterfaceError, OperationalError, connection
from django.template.defaultfilters import filesizeformat

from leases.claim import sweep
from leases.command import RefusingCommand
from pages.counting import how_many
from wikifetch import fetch, newfetch
from wikifetch.fetch_progress import progress_line, progress_of_fetch
from wikifetch.models import ALL_KINDS, FetchRun, TagKind
from wikifetch.problem_list import ProblemList, problems_of
from wikifetch.states import FETCH_RUN, FetchState
from wikifetch.tagcount import TagCount, count_tags

_OF_A_NEW_FETCH = ("depth", "limit", "wiki", "contact", "no_history", "dry_run", "count")


class Command(RefusingCommand):
    help = "Fetch pages and keep the inconsistency tags on them; fetching again adds nothing."
    _waited_until: datetime | None = None

    def add_arguments(self, parser: CommandParser) -> None:
        source = parser.add_mutually_exclusive_group(required=True).add_argument
        xml = "a MediaWiki export, or the parts of one: .xml, .gz, .bz2 or .xz"
        source("--xml", type=Path, nargs="+", metavar="FILE", help=xml)
        titles = "a text file with a title on each line; - for standard input"
        source("--titles", metavar="FILE", help=titles)
        kinds = [*TagKind.values, ALL_KINDS]
        source("--kind", choices=kinds, help="all articles with this tag, or with any")
        category = "all articles of this category and its subcategories"
        source("--category", metavar="NAME", help=category)
        resume = "go on with fetch N, or with the last one that is not done, after a stop"
        source("--resume", type=int, nargs="?", const=0, metavar="N", help=resume)
        add = parser.add_argument
        depth = (
            "with --category, how many levels of subcategories to follow; 1 by default, 0 for none"
        )
        add("--depth", type=int, metavar="N", help=depth)
        limit = "at most N pages, with --kind or --category"
        add("--limit", type=int, metavar="N", help=limit)
        add("--wiki", default="", metavar="URL", help="one of WIKI_ALLOWED; the first by default")
        contact = "your e-mail address or web page, which the wiki sees; WIKI_CONTACT by default"
        add("--contact", default="", metavar="ADDRESS", help=contact)
        history = "do not ask which edit added each tag, which takes a request or more a page"
        add("--no-history", action="store_true", help=history)
        dry_run = "list what a live fetch would take, and take nothing"
        add("--dry-run", action="store_true", help=dry_run)
        count = "with --xml, say how many tags there are of each kind, and store nothing"
        add("--count", action="store_true", help=count)
        processes = "how many processes read a multistream dump; one for each core by default"
        add("--processes", type=int, metavar="N", help=processes)

    def handle(self, *args: Any, **options: Any) -> None:
        _check(options)
        if options["count"]:
            self._print_count(count_tags(options["xml"], options["processes"]))
            return
        run = _new_run(options) if options["resume"] is None else _run_to_resume(options["resume"])
        if run.state == FetchState.RUNNING:
            self.stderr.write(
                f"{run} is at work elsewhere. If that was killed, it goes on here in {fetch.seconds_held(run)} s."
            )
        try:
            with ProgressBar(self.stderr, run):
                run = fetch.finished(run, self._rest, processes=options["processes"])
        except (InterfaceError, OperationalError) as error:
            raise CommandError(
                f"The database does not answer, or its disk is full: {error}. What was recorded is kept. Set that "
                f"right, then go on with --resume {run.pk}."
            ) from error
        problems = problems_of(run, most=None)
        for problem in problems.new:
            self.stderr.write(f"{problem.page}: {problem.problem}")
        for known in problems.known:
            self.stderr.write(f"{known.title}, as in an earlier fetch: {known.problem}")
        if options["dry_run"]:
            self._print_plan(run)
        else:
            self._print(run, problems)

    def _rest(self, run: FetchRun, seconds: float) -> None:
        """Say once, where no bar does, how long the busy wiki is waited for."""
        until = run.wiki.busy_until if run.wiki else None
        line = progress_of_fetch(run).waiting
        if line and self._waited_until != until and not self.stderr.isatty():
            self.stderr.write(line)
        self._waited_until = until
        time.sleep(seconds)

    def _print(self, run: FetchRun, problems: ProblemList) -> None:
        state = "" if run.state == FetchState.DONE else f" ({run.get_state_display().lower()})"
        new = f", {problems.new_count} of them new" if problems.known else ""
        unchanged = f", {run.unchanged} of them unchanged" if run.unchanged else ""
        self.stdout.write(
            f"{run}{state}: {how_many(run.pages, 'page')} read{unchanged}, {how_many(run.tags_found, 'tag')} found, "
            f"{run.tags_new} not seen before, {how_many(problems.count, 'problem')}{new}."
        )
        if run.requests:
            size = filesizeformat(run.received_bytes).replace("\xa0", " ")
            self.stdout.write(f"{how_many(run.requests, 'request')}, {size} received.")

    def _print_plan(self, run: FetchRun) -> None:
        fetch.cancel(run)
        known = fetch.known_pages(run)
        self.stdout.write(
            f"{run} would take {how_many(len(run.queue), 'page')}, {known} known here. Nothing was taken."
        )

    def _print_count(self, count: TagCount) -> None:
        self.stdout.write(
            f"{how_many(count.pages, 'page')} read, {how_many(sum(count.tags.values()), 'tag')} on "
            f"{how_many(count.articles, 'article')}. Nothing was stored."
        )
        for kind, tags in count.tags.items():
            self.stdout.write(f"{kind}\t{tags}")
        if count.unread:
            self.stdout.write(f"Not read, or in part: {how_many(count.unread, 'article')}.")


class ProgressBar:
    """How far a run is, on one line of a terminal, while it is carried out; nothing elsewhere."""

    def __init__(self, out: OutputWrapper, run: FetchRun) -> None:
        self._out, self._pk = out, run.pk
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        if self._out.isatty():
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread.ident:
            self._thread.join()
            self._out.write("\r\x1b[K", ending="")

    def _watch(self) -> None:
        while not self._over.wait(1):
            run = FetchRun.objects.get(pk=self._pk)
            self._out.write(f"\r\x1b[K{progress_line(progress_of_fetch(run))}", ending="")
            self._out.flush()
        connection.close()


def _check(options: dict[str, Any]) -> None:
    """Raises CommandError for options that do not go together."""
    if options["resume"] is not None and any(
        options[name] not in {None, "", False} for name in _OF_A_NEW_FETCH
    ):
        raise CommandError("--resume stands alone: the fetch goes on with its own options.")
    if options["limit"] is not None and not (options["kind"] or options["category"]):
        raise CommandError("--limit goes with --kind or --category.")
    if options["depth"] is not None and not options["category"]:
        raise CommandError("--depth goes with --category.")
    if options["dry_run"] and options["xml"]:
        raise CommandError("--dry-run goes with a live fetch; a file is read where it lies.")
    if options["count"] and not options["xml"]:
        raise CommandError("--count goes with --xml.")
    if options["processes"] is not None:
        if not (options["xml"] or options["resume"] is not None):
            raise CommandError("--processes goes with --xml or --resume.")
        if options["processes"] < 1:
            raise CommandError("--processes is at least 1.")


def _run_to_resume(number: int) -> FetchRun:
    """The fetch of this number, or for 0 the last that is not done; it waits, or is at work."""
    unfinished = FetchRun.objects.exclude(state=FetchState.DONE)
    run = (unfinished.filter(pk=number) if number else unfinished).first()
    if run is None:
        which = f"fetch {number}" if number else "fetch"
        raise CommandError(f"There is no {which} to go on with: none was begun, or it is done.")
    sweep(FetchRun.objects.filter(pk=run.pk), FETCH_RUN, "expire")
    run.refresh_from_db()
    if FETCH_RUN.may(run, "resume"):
        fetch.resume(run)
    return run


def _new_run(options: dict[str, Any]) -> FetchRun:
    if options["xml"]:
        return newfetch.fetch_of_files(options["xml"])
    how = newfetch.LiveOptions(
        options["wiki"], not options["no_history"], options["dry_run"], options["contact"]
    )
    if options["titles"]:
        return newfetch.fetch_of_titles(_titles(options["titles"]), options=how)
    if options["category"]:
        depth = newfetch.USUAL_DEPTH if options["depth"] is None else options["depth"]
        return newfetch.fetch_of_category(
            options["category"], depth=depth, limit=options["limit"], options=how
        )
    return newfetch.fetch_of_kind(options["kind"], limit=options["limit"], options=how)


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
