#!/usr/bin/env python
"""Django's command line for Sic et Non."""

import os
import sys

# Commands that do not use the database, or that handle a newer one themselves.
ANY_DATABASE = {
    *("help", "--help", "-h", "version", "--version", "check", "makemigrations", "dbshell"),
    *("state_tables", "serve_model", "restore"),
}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line
    from django.db import InterfaceError, OperationalError

    try:
        if len(sys.argv) > 1 and sys.argv[1] not in ANY_DATABASE:
            refuse_a_newer_database()
        execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader stopped, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except UnicodeEncodeError as error:
        if sys.stdout.encoding.lower() == "utf-8":
            raise
        missing = ascii(error.object[error.start])
        sys.exit(
            f"This output is {sys.stdout.encoding}, which has no {missing}. Set PYTHONIOENCODING=utf-8."
        )
    except (InterfaceError, OperationalError) as error:
        from leases.outage import outage_in_a_command

        if not (message := outage_in_a_command(error)):
            raise
        sys.exit(message)


def refuse_a_newer_database() -> None:
    import django

    django.setup()
    from operations.schema_version import start_only_if_known

    start_only_if_known()


if __name__ == "__main__":
    main()
