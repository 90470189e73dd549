"""Looks at a service by the threads of its calls: whether it answers anyone."""

import threading
import time

from generation.inference import client, faults
from generation.inference.faults import ServiceFault


class Looks:
    """Calls that fail together share a look. Safe in many threads."""

    def __init__(self, service: client.Service) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._ended = 0.0
        self._found: ServiceFault | None = None

    def look(self) -> ServiceFault | None:
        """The fault that shows the service to be down; None where it answers, if not to this."""
        wanted = time.monotonic()
        with self._lock:
            if self._ended < wanted:
                self._found = self._look()
                self._ended = time.monotonic()
            return self._found

    def _look(self) -> ServiceFault | None:
        try:
            self._service.models()
        except (faults.WrongShape, faults.ModelGone, faults.Refused):
            return None
        except ServiceFault as down:
            return down
        return None
