"""The broker of a team's server: kombu's Redis, with the end of a lost connection made safe.

As it comes, a message that is acknowledged or put back after its connection was lost and forgotten ends the worker
with an AttributeError. Here it meets the error that Celery expects. A message only says that there is something to
do: the row waits, and the sweeper sends for it again.
"""

from typing import Any

from kombu.transport import redis
from redis.exceptions import ConnectionError as Lost


class Channel(redis.Channel):
    def _connparams(self, asynchronous: bool = False) -> Any:
        if self.connection is None or self.connection.client is None:
            raise Lost("The connection to the broker was lost and closed.")
        return super()._connparams(asynchronous=asynchronous)


class Transport(redis.Transport):
    Channel = Channel
