"""`manage.py generate COLLECTION --model SERVICE/MODEL --prompt NAME [--limit N] [--wait | --here]`"""

import time
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets.records import collection_named
from generation import prompt_versions, registry, responses, runs
from generation.asking import places
from generation.asking.dispatch import wake
from generation.asking.runqueue import RunQueue
from generation.asking.turn import take_turn
from generation.models import Response, Run
from generation.responses import RunProgress
from generation.states import ResponseState, RunState
from leases.command import RefusingCommand

# Seconds between two checks of the rows, and for which --wait waits until a worker starts.
CHECK_EVERY = 0.5
PATIENCE = 20.0
# Seconds that --here asks one service before it asks the next.
HERE = 10.0

EXIT = """Exit status: 0 when every response is stored (without --wait: when the run is started),
1 when one failed or was cancelled, or when no worker starts on the run."""


class Command(RefusingCommand):
    help = "Ask models about the questions of a collection. Workers send the requests, unless --here is given."

    _printed: Sequence[str] = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = EXIT
        parser.add_argument("collection", metavar="COLLECTION")
        parser.add_argument(
            "--model",
            action="append",
            default=[],
            metavar="SERVICE/MODEL",
            help="may be repeated; none is needed where all prompts are of given texts",
        )
        parser.add_argument(
            "--prompt", action="append", required=True, metavar="NAME|LABEL", help="may be repeated"
        )
        parser.add_argument("--limit", type=int, metavar="N", help="the first N questions only")
        parser.add_argument(
            "--samples", type=int, default=1, metavar="K", help="answers to each (1)"
        )
        parser.add_argument("--name", default="", help="the run's name")
        parser.add_argument(
            "--wait", action="store_true", help="wait until the run is over, and print its progress"
        )
        parser.add_argument(
            "--here",
            action="store_true",
            help="send the requests from this command, without a worker; implies --wait",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        run = self._started(options)
        if options["here"]:
            self._answer_all(run)
        else:
            wake()
            if options["wait"]:
                self._wait(run)
        if options["here"] or options["wait"]:
            self._conclude(run)

    def _started(self, options: dict[str, Any]) -> Run:
        prompts = [prompt_versions.find(name) for name in options["prompt"]]
        run, left_out = runs.create(
            collection=collection_named(options["collection"]),
            models=[registry.named(name) for name in dict.fromkeys(options["model"])],
            prompts=list({prompt.name: prompt for prompt in prompts}.values()),
            samples=options["samples"],
            limit=options["limit"],
            name=options["name"],
        )
        for row in left_out:
            self.stderr.write(f"{row.key} is left out of {row.prompt.name}: {row.problem}.")
        if run.state == RunState.DRAFT:
            runs.start(run)
        total = responses.progress(run).total
        self.stdout.write(f"Run {run.pk}: {run.name} ({total} responses), at /runs/{run.pk}/")
        return run

    def _answer_all(self, run: Run) -> None:
        try:
            self._ask_all(run)
        except KeyboardInterrupt:
            runs.cancel(run)
            raise CommandError(
                f"Cancelled. Stored responses are kept; run {run.pk} can be resumed on its page."
            ) from None

    def _ask_all(self, run: Run) -> None:
        services = sorted({model.service for model in run.models_asked.all()})
        queue = RunQueue(run)
        while self._is_open(run):
            calls = [
                take_turn(name, [queue], seconds=HERE, stored=lambda: self._print_progress(run))
                for name in services
            ]
            if not any(calls):
                queue.sweep()
                self._print_progress(run)
                time.sleep(CHECK_EVERY)

    def _wait(self, run: Run) -> None:
        last_move, before = time.monotonic(), responses.progress(run)
        while self._is_open(run):
            now = responses.progress(run)
            if now != before or now.running or places.are_served(run):
                before, last_move = now, time.monotonic()
            elif time.monotonic() - last_move > PATIENCE and not self._asked_before(run):
                raise CommandError(
                    f"No worker has started on the run for {PATIENCE:g} s. It stays in the queue. Start the workers "
                    "(bin/run, or celery --app config worker --queues generation --pool threads), or use --here."
                )
            self._print_progress(run, now)
            time.sleep(CHECK_EVERY)

    def _is_open(self, run: Run) -> bool:
        run.refresh_from_db(fields=["state", "reason"])
        return run.state == RunState.RUNNING

    def _asked_before(self, run: Run) -> bool:
        """Whether a worker has started on the run; a later pause is then an outage of the service."""
        return Response.objects.filter(run=run, attempts__gt=0).exists()

    def _print_progress(self, run: Run, progress: RunProgress | None = None) -> None:
        """Its responses so far, and what it waits for, whenever that changes."""
        progress = progress or responses.progress(run)
        line = f"{progress.done + progress.failed} of {progress.total}"
        line += f", {progress.failed} failed" if progress.failed else ""
        lines = [line, *places.waits_for(run)]
        for new in lines:
            if new not in self._printed:
                self.stdout.write(new)
        self._printed = lines

    def _conclude(self, run: Run) -> None:
        progress = responses.progress(run)
        if run.state == RunState.PAUSED:
            self.stderr.write(f"The run is paused. {run.reason}")
        reasons = Response.objects.filter(run=run, state=ResponseState.FAILED)
        for reason in sorted(set(reasons.order_by().values_list("error", flat=True))):
            self.stderr.write(reason)
        if progress.done < progress.total:
            raise CommandError(
                f"{progress.done} of {progress.total} responses are stored; {progress.failed} failed, "
                f"{progress.cancelled + progress.waiting + progress.running} were not asked."
            )
        self.stdout.write(f"Done: {progress.done} responses.")
