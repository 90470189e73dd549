"""WSGI entry point."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# What is loaded stays to the end, so the garbage collector never looks at it: that was a fifth of the start.
gc.disable()
application = get_wsgi_application()

from operations.schema_version import start_only_if_known  # noqa: E402 models need the application

# With status 3 gunicorn stops, instead of starting the worker again.
start_only_if_known(status=3)

# With all views: else the first person in each process waits a second for them.
from config import urls  # noqa: E402, F401

gc.freeze()
gc.enable()
