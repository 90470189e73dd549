"""manage.py list_tags [--json] [--all]"""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from wikifetch.taglist import live_tags, seen_tags, tag_record


class Command(BaseCommand):
    help = "List the live tags: as lines to read, or with --json as one object a line."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        parser.add_argument("--all", action="store_true", help="also the tags that have gone")

    def handle(self, *args: Any, **options: Any) -> None:
        tags = seen_tags() if options["all"] else live_tags()
        for tag in tags.iterator(chunk_size=500):
            record = tag_record(tag)
            if options["json"]:
                self.stdout.write(json.dumps(record, ensure_ascii=False))
            else:
                section = f" § {record['section']}" if record["section"] else ""
                self.stdout.write(f"{record['title']}{section}\t{record['kind']}\t{record['raw']}")
