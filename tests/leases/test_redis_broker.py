"""The Redis broker after its connection is lost."""

import pytest
from kombu import Connection
from redis.exceptions import ConnectionError as Lost

from leases.redis_broker import Channel, Transport


@pytest.mark.parametrize("gone", ["channel", "connection"])
def test_what_is_done_on_a_lost_connection_meets_the_error_that_celery_expects(gone):
    """Not an AttributeError, which ends the worker."""
    connection = Connection("redis://127.0.0.1:1/0", transport=Transport)
    channel = object.__new__(
        Channel
    )  # as a broken connection leaves it; one made here would connect
    channel.connection = None if gone == "channel" else connection.transport
    if gone == "connection":
        connection.transport.client = None
    with pytest.raises(Lost):
        channel._connparams()
    assert issubclass(Lost, connection.connection_errors)


def test_the_setting_names_it():
    from config.celery import app

    with app.connection("redis://127.0.0.1:1/0") as connection:
        assert isinstance(connection.transport, Transport)
