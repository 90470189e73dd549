"""The migrations of accounts as in a later version, which has one more."""

from accounts import migrations

__path__ = [*migrations.__path__, *__path__]
