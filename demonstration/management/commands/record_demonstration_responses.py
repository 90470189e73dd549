"""Record the demonstration set's responses from a model."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets.models import Collection
from demonstration.annotating import COLLECTION
from demonstration.loading import is_loaded
from demonstration.responses import (
    RESPONSES,
    first_questions,
    kept_of,
    questions_named,
    record,
    recorded_before,
)
from generation import registry
from generation.faults import ServiceFault
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
            "--first",
            type=int,
            metavar="N",
            help="the collection's first N questions (those recorded before)",
        )
        parser.add_argument(
            "--also",
            action="append",
            default=[],
            metavar="QUESTION",
            help="another question to record; may be given several times",
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
            collection = Collection.objects.get(name=COLLECTION)
            first = options["first"]
            questions = first_questions(collection, first) if first else recorded_before()
            questions |= questions_named(collection, options["also"])
            kept = kept_of(model) if options["keep"] else {}
            for each in record(collection, questions, model, options["out"], kept):
                self.stdout.write(f"{each.title}, {each.prompt}: {each.completion_tokens} tokens")
        except ServiceFault as fault:
            raise CommandError(f"{fault.sentence} Nothing was written.") from fault
        self.stdout.write(f"Wrote {options['out'].name}.")
