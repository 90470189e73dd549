"""manage.py judge_with_model STUDY MODEL [--prompt NAME|LABEL …] [--here]"""

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from generation import prompting, registry
from judging import judgemodel, studies
from judging.judgemodel import Progress
from judging.models import Judge
from judging.tasks import wake
from leases.refusal import Refusal

LOOK = 0.5  # seconds between two looks at rows that wait out a fault


class Command(BaseCommand):
    help = "Let a model judge a study's responses, apart from what people say."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="its slug, name or number")
        parser.add_argument("model", metavar="MODEL", help="SERVICE/MODEL, as for generate")
        parser.add_argument(
            "--prompt",
            action="append",
            default=[],
            metavar="NAME|LABEL",
            help="responses to this prompt only; may be repeated (all unless given)",
        )
        parser.add_argument(
            "--here", action="store_true", help="ask from this command, without a worker"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            prompts = [prompting.find(name).name for name in options["prompt"]]
            study = studies.named(options["study"])
            judge = judgemodel.begin(study, registry.named(options["model"]), prompts)
        except (Refusal, prompting.PromptError) as refused:
            raise CommandError(str(refused)) from None
        total = judgemodel.progress(judge).total
        self.stdout.write(f"{judge.pseudonym} judges {total} responses of {study.name}.")
        if options["here"]:
            self._carry_out(judge)
        else:
            wake()

    def _carry_out(self, judge: Judge) -> None:
        assert judge.model is not None
        try:
            while not (progress := judgemodel.progress(judge)).over:
                if not judgemodel.judge_next(judge.model.service, judge):
                    judgemodel.sweep()
                    time.sleep(LOOK)
        except KeyboardInterrupt:
            judgemodel.cancel(judge)
            raise CommandError(
                "Cancelled. Replies that came are kept; resume on the study's page."
            ) from None
        self._tell(judge, progress)

    def _tell(self, judge: Judge, progress: Progress) -> None:
        self.stdout.write(
            f"{progress.judged} judged, {progress.unparsed} replies without a verdict, {progress.failed} failed."
        )
        for reason, count in judgemodel.reasons(judge):
            self.stderr.write(f"  {count}: {reason}")
