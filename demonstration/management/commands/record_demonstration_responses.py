"""Record the demonstration set's responses from a model."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from demonstration.loading import is_loaded
from demonstration.recorded_responses import RESPONSES, asking, kept_of, record, recorded_before
from generation import registry
from generation.inference.faults import ServiceFault
from leases.command import RefusingCommand

EMBEDDED = "embedded/SmolLM2-135M-Instruct"


class Command(RefusingCommand):
    help = (
        "For developers: ask a model the demonstration set's questions and write demonstration/responses.json. "
        "The verdicts in verdicts.json then have to be given anew."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--model", default=EMBEDDED, help=f"SERVICE/MODEL ({EMBEDDED})")
        parser.add_argument(
            "--also",
            action="append",
            nargs=2,
            default=[],
            metavar=("COLLECTION", "QUESTION"),
            help="another question to record, of a run's collection; may be given several times",
        )
        parser.add_argument(
            "--keep",
            action="store_true",
            help="send only prompts with a changed text; verdicts on the other responses stay",
        )
        parser.add_argument("--out", type=Path, default=RESPONSES, help="where to write")

    def handle(self, *args: Any, **options: Any) -> None:
        if not is_loaded():
            raise CommandError("Load the demonstration set first: manage.py load_demonstration")
        try:
            model = registry.named(options["model"])
            asked = recorded_before()
            for collection, question in options["also"]:
                asked |= asking(collection, question)
            kept = kept_of(model) if options["keep"] else {}
            for response in record(asked, model, options["out"], kept):
                self.stdout.write(
                    f"{response.title}, {response.prompt}: {response.completion_tokens} tokens"
                )
        except ServiceFault as fault:
            raise CommandError(f"{fault.sentence} Nothing was written.") from fault
        self.stdout.write(f"Wrote {options['out'].name}.")
