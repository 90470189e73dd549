"""For a container's health check: whether the process in this container still sends heartbeats."""

import socket
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from operations.monitoring import findings, heartbeats


class Command(BaseCommand):
    help = "Fail unless the worker or the scheduler on this host sent a heartbeat in the last 45 seconds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("role", choices=sorted(findings.PROCESSES))

    def handle(self, *args: Any, role: str, **options: Any) -> None:
        silence = heartbeats.silences(host=socket.gethostname()).get(role)
        finding = findings.of_process(role, silence, uptime=findings.STARTING)
        if finding.state != findings.State.OK:
            raise CommandError(f"{finding.sentence} {finding.remedy}")
        self.stdout.write(finding.sentence)
