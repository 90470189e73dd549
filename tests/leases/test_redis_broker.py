"""The Redis broker after its connection is lost."""

import pytest
from kombu import Connection
from redis.exceptions import ConnectionError as Lost

from leases.redis_broker import Channel, Transport


@pytest.mark.parametrize("gone", ["channel", "connection"])
def test_using_a_lost_connection_raises_the_error_that_celery_expects(gone):
    """Not an AttributeError, which ends the worker."""
    connection = Connection("redis://127.0.0.1:1/0", transport=Transport)
    # As a broken connection leaves it. Channel() would connect.
    channel = object.__new__(Channel)
    channel.connection = None if gone == "channel" else connection.transport
    if gone == "connection":
        connection.transport.client = None
    with pytest.raises(Lost):
        channel._connparams()
    assert issubclass(Lost, connection.connection_errors)


def test_the_project_uses_this_transport_for_redis():
    from config.celery import app

    with app.connection("redis://127.0.0.1:1/0") as connection:
        assert isinstance(connection.transport, Transport)
