"""WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

from operations.schema import start_only_if_known  # noqa: E402 models need the application

# By this status gunicorn knows that another try would end the same way.
start_only_if_known(status=3)
