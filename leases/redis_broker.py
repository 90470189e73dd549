"""The broker of a team's server: kombu's Redis transport, safe when a connection is lost.

With kombu's own, acknowledging or requeueing a message after its connection was lost ends the worker with an
AttributeError. Here it raises the error that Celery expects. The message is then lost, which is harmless: the
sweeper sends for its row again.
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
