"""`manage.py read_prompts`"""

from typing import Any

from django.conf import settings

from generation import prompt_versions
from leases.command import RefusingCommand
from leases.refusal import Refusal


class Command(RefusingCommand):
    help = "Store what is new in the prompt files of DATA_DIR/prompts; a new text is the next version of its prompt."

    def handle(self, *args: Any, **options: Any) -> None:
        rows, refused = prompt_versions.read_files(settings.DATA_DIR / prompt_versions.FOLDER)
        for row in rows:
            self.stdout.write(f"Stored: {row.key} ({row.prompt.label}).")
        if refused:
            raise Refusal("\n".join(refused))
