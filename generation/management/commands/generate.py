"""`manage.py generate COLLECTION --model SERVICE/MODEL --prompt NAME [--limit N] [--wait | --here]`"""

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from datasets.records import collection_named
from generation import prompting, registry, responses, runs
from generation.models import Response, Run
from generation.responses import Progress
from generation.states import ResponseState, RunState
from generation.tasks import wake
from leases.refusal import Refusal

# Seconds between two looks at the rows, and how long --wait waits for a first worker to take something up.
LOOK = 0.5
PATIENCE = 20.0

EXIT = """Exit status: 0 when every response is there (or, without --wait, when the run is started),
1 when one failed or was cancelled, or when no worker takes the run up."""


class Command(BaseCommand):
    help = "Ask models about the questions of a collection. Workers do the asking, unless --here is given."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = EXIT
        parser.add_argument("collection", metavar="COLLECTION")
        parser.add_argument(
            "--model",
            action="append",
            required=True,
            metavar="SERVICE/MODEL",
            help="may be repeated",
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
            "--wait", action="store_true", help="until the run is over, with its progress"
        )
        parser.add_argument(
            "--here",
            action="store_true",
            help="ask from this command, without a worker; implies --wait",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run = self._started(options)
        except (Refusal, prompting.PromptError) as refused:
            raise CommandError(str(refused)) from None
        if options["here"]:
            self._carry_out(run)
        else:
            wake()
            if options["wait"]:
                self._wait(run)
        if options["here"] or options["wait"]:
            self._conclude(run)

    def _started(self, options: dict[str, Any]) -> Run:
        run, left_out = runs.create(
            collection=collection_named(options["collection"]),
            models=[registry.named(name) for name in dict.fromkeys(options["model"])],
            prompts=list(dict.fromkeys(prompting.find(name) for name in options["prompt"])),
            samples=options["samples"],
            limit=options["limit"],
            name=options["name"],
        )
        for one in left_out:
            self.stderr.write(f"{one.key} is left out of {one.prompt.name}: {one.problem}.")
        runs.start(run)
        total = responses.progress(run).total
        self.stdout.write(f"Run {run.pk}: {run.name} ({total} responses), at /runs/{run.pk}/")
        return run

    def _carry_out(self, run: Run) -> None:
        try:
            self._ask_all(run)
        except KeyboardInterrupt:
            runs.cancel(run)
            raise CommandError(
                f"Cancelled. What was answered is kept; run {run.pk} can be resumed on its page."
            ) from None

    def _ask_all(self, run: Run) -> None:
        services = sorted({model.service for model in run.models_asked.all()})
        told = ""
        while self._is_open(run):
            if not sum(runs.answer_next(service, run) for service in services):
                runs.sweep()
                time.sleep(LOOK)
            told = self._tell(responses.progress(run), told)

    def _wait(self, run: Run) -> None:
        told, last_move, before = "", time.monotonic(), responses.progress(run)
        while self._is_open(run):
            now = responses.progress(run)
            if now != before or now.running:
                before, last_move = now, time.monotonic()
            elif time.monotonic() - last_move > PATIENCE and not self._asked_before(run):
                raise CommandError(
                    f"No worker has taken the run up for {PATIENCE:g} s. It stays in the queue. Start the workers "
                    "(bin/run, or celery --app config worker --queues generation --pool threads), or use --here."
                )
            told = self._tell(now, told)
            time.sleep(LOOK)

    def _is_open(self, run: Run) -> bool:
        run.refresh_from_db(fields=["state"])
        return run.state == RunState.RUNNING

    def _asked_before(self, run: Run) -> bool:
        """Whether a worker has been seen at all: then a pause is an outage that it waits out."""
        return Response.objects.filter(run=run, attempts__gt=0).exists()

    def _tell(self, progress: Progress, told: str) -> str:
        line = f"{progress.done + progress.failed} of {progress.total}"
        line += f", {progress.failed} failed" if progress.failed else ""
        if line != told:
            self.stdout.write(line)
        return line

    def _conclude(self, run: Run) -> None:
        progress = responses.progress(run)
        reasons = Response.objects.filter(run=run, state=ResponseState.FAILED)
        for reason in sorted(set(reasons.order_by().values_list("error", flat=True))):
            self.stderr.write(reason)
        if progress.done < progress.total:
            raise CommandError(
                f"{progress.done} of {progress.total} responses are there; {progress.failed} failed, "
                f"{progress.cancelled + progress.waiting + progress.running} were not asked."
            )
        self.stdout.write(f"Done: {progress.done} responses.")
