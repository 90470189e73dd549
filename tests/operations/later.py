"""The settings of a later version, whose people have mottos."""

from config.settings import *  # noqa: F403

MIGRATION_MODULES = {"accounts": "tests.operations.migrations"}
