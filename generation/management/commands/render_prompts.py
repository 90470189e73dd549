"""`manage.py render_prompts COLLECTION --prompt NAME|LABEL --json`"""

import json
from typing import Any

from django.core.management.base import CommandParser

from datasets.records import collection_named
from generation import prompt_versions, response_planning
from generation.response_planning import Rendered
from leases.command import RefusingCommand


class Command(RefusingCommand):
    help = "Print the text that a model is sent for each question of a collection."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION")
        parser.add_argument(
            "--prompt", action="append", required=True, metavar="NAME|LABEL", help="may be repeated"
        )
        parser.add_argument("--limit", type=int, metavar="N", help="the first N questions only")
        parser.add_argument(
            "--seed",
            type=int,
            default=0,
            metavar="N",
            help="that of a run, which draws examples; default: 0",
        )
        parser.add_argument(
            "--json", action="store_true", help="one object a line: instance, prompt, text, gold"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        prompts = [prompt_versions.find(name) for name in options["prompt"]]
        collection = collection_named(options["collection"])
        prompt_versions.check_fit(collection, prompts)
        instances = response_planning.instances_of(collection, options["limit"])
        form = as_json if options["json"] else as_text
        for row in response_planning.rendered(instances, prompts, options["seed"]):
            if row.problem:
                self.stderr.write(f"{row.key} is left out of {row.prompt.name}: {row.problem}.")
            else:
                self.stdout.write(form(row))


def as_json(row: Rendered) -> str:
    data = {"instance": row.key, "prompt": row.prompt.name, "text": row.text, "gold": row.gold}
    data |= {"second": row.second} if row.second else {}
    data |= {"shots": row.shots} if row.shots else {}
    data |= {"given": row.given} if row.given else {}
    return json.dumps(data, ensure_ascii=False)


def as_text(row: Rendered) -> str:
    second = f"\n--- second turn\n{row.second}\n" if row.second else ""
    text = f"given: {row.given}\n" if row.given else row.text
    shots = f"examples: {', '.join(row.shots)}\n" if row.shots else ""
    head = f"--- {row.key} · {row.prompt.name} ({row.prompt.label})\n"
    return f"{head}{text}{second}{shots}gold: {' | '.join(row.gold)}\n"
