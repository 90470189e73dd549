"""manage.py judge_with_model STUDY MODEL [--prompt NAME|LABEL …] [--half HALF] [--here]"""

import time
from typing import Any

from django.core.management.base import CommandError, CommandParser

from generation import prompt_versions, registry
from generation.asking.dispatch import wake
from generation.asking.turn import take_turn
from judging import studies
from judging.machine import control, judge_prompts
from judging.machine.calls import JudgeQueue
from judging.machine.control import MachineProgress
from judging.models import Judge
from judging.rules.halves import HALVES
from leases.command import RefusingCommand

CHECK_EVERY = 0.5  # seconds between two checks of rows that wait after a fault


class Command(RefusingCommand):
    help = "Let a model judge a study's responses, separately from people's verdicts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="its slug, name or number")
        parser.add_argument("model", metavar="MODEL", help="SERVICE/MODEL, as for generate")
        parser.add_argument(
            "--prompt",
            action="append",
            default=[],
            metavar="NAME|LABEL",
            help="responses to this prompt only; may be repeated (default: all)",
        )
        parser.add_argument(
            "--judge-prompt",
            type=int,
            metavar="N",
            help="version of the judge prompt (default: the newest)",
        )
        parser.add_argument(
            "--half",
            choices=[name.replace("_", "-") for name in HALVES],
            help="responses about this half of the study's articles, or of what its protocol resamples, only",
        )
        parser.add_argument(
            "--here",
            action="store_true",
            help="send the requests from this command, without a worker",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        prompts = [prompt_versions.find(name).name for name in options["prompt"]]
        study = studies.named(options["study"])
        half = (options["half"] or "").replace("-", "_")
        version = options["judge_prompt"]
        asked_with = judge_prompts.numbered(version) if version is not None else None
        judge = control.begin(study, registry.named(options["model"]), prompts, half, asked_with)
        total = control.progress(judge).total
        self.stdout.write(f"{judge.pseudonym} judges {total} responses of {study.name}.")
        if options["here"]:
            self._judge_all(judge)
        else:
            wake()

    def _judge_all(self, judge: Judge) -> None:
        assert judge.model is not None
        queue = JudgeQueue(judge)
        try:
            while not (progress := control.progress(judge)).over:
                if not take_turn(judge.model.service, [queue]):
                    queue.sweep()
                    time.sleep(CHECK_EVERY)
        except KeyboardInterrupt:
            control.cancel(judge)
            raise CommandError(
                "Cancelled. Stored replies are kept; resume on the study's page."
            ) from None
        self._print(judge, progress)

    def _print(self, judge: Judge, progress: MachineProgress) -> None:
        self.stdout.write(
            f"{progress.judged} judged, {progress.unparsed} replies without a verdict, {progress.failed} failed."
        )
        for reason, count in control.reasons(judge):
            self.stderr.write(f"  {count}: {reason}")
