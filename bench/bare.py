"""The app as its web server serves it, with one more address: the least that a request of a signed-in person could be.

gunicorn loads this module in place of config.wsgi. /bare/?bytes=N passes no middleware but the session's.
"""

from collections.abc import Callable

from config.wsgi import application as app  # models need the application

# isort: split
from django.contrib.auth import SESSION_KEY
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.test.utils import override_settings

from accounts.models import Person

MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware", "bench.bare.answering"]


def answering(_: object) -> Callable[[HttpRequest], HttpResponse]:
    """A middleware that answers every request."""
    return bare


def bare(request: HttpRequest) -> HttpResponse:
    """Session, one SELECT, one UPDATE, and as many bytes as asked for."""
    person = Person.objects.get(pk=request.session[SESSION_KEY])
    Person.objects.filter(pk=person.pk).update(name=person.name)
    return HttpResponse(b"x" * int(request.GET["bytes"]))


with override_settings(MIDDLEWARE=MIDDLEWARE):
    without_app = WSGIHandler()


def application(environ, start_response):
    is_bare = environ["PATH_INFO"] == "/bare/"
    return (without_app if is_bare else app)(environ, start_response)
