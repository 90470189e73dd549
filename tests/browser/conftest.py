"""A real Chromium against the live server, which also watches for errors that no page may have."""

import os
import threading
import urllib.request
from collections.abc import Iterator

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.core.signals import request_finished, request_started

from tests.chromium import QUIET, chromium_path
from tests.conftest import require_or_skip


@pytest.fixture(scope="package")
def browser() -> Iterator[object]:
    """One Chromium for the folder. Playwright leaves an event loop running in this thread while it is
    open, which Django would take for asynchronous code; hence the package's scope and the variable."""
    path = chromium_path()
    if path is None:
        require_or_skip(
            "No Chromium on this machine",
            "Install one (Debian: apt-get install chromium-headless-shell), or name it in CHROMIUM.",
        )
    from playwright.sync_api import sync_playwright

    patch = pytest.MonkeyPatch()
    patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    # Chromium's sandbox refuses to run as root; only the project's own pages are opened.
    arguments = QUIET + (["--no-sandbox"] if os.geteuid() == 0 else [])
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=arguments)
        yield chromium
        chromium.close()
    patch.undo()


class Watch:
    """Errors of pages: on the console (refusals of the Content-Security-Policy among
    them), exceptions, requests off the host. A test that provokes one names it with `expect`."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.complaints: list[str] = []
        self.expected: list[str] = []

    def follow(self, page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        page.on("request", self._request)

    def expect(self, part: str) -> None:
        """Expect an error that contains `part`, e.g. "status of 412"."""
        self.expected.append(part)

    def unexpected(self) -> list[str]:
        return [c for c in self.complaints if not any(part in c for part in self.expected)]

    def missing(self) -> list[str]:
        return [part for part in self.expected if not any(part in c for c in self.complaints)]

    def _console(self, message) -> None:
        if message.type == "error":
            self.complaints.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _request(self, request) -> None:
        if not request.url.startswith((self.home + "/", "data:", "blob:", "about:")):
            self.complaints.append(f"request off the host: {request.url}")


@pytest.fixture
def watch(live_server) -> Iterator[Watch]:
    """Fails the test at its end for errors of its pages."""
    watching = Watch(live_server.url)
    yield watching
    assert watching.unexpected() == []
    assert watching.missing() == []


class Traffic:
    """Counts the requests that the live server is answering."""

    def __init__(self) -> None:
        self.change = threading.Condition()
        self.now = 0

    def begin(self, **signal: object) -> None:
        with self.change:
            self.now += 1

    def end(self, **signal: object) -> None:
        with self.change:
            self.now -= 1
            self.change.notify_all()

    def wait_until_none(self) -> None:
        with self.change:
            assert self.change.wait_for(lambda: self.now <= 0, 20), f"{self.now} requests never end"


@pytest.fixture
def traffic(live_server) -> Iterator[Traffic]:
    """Lets the test end only when the server is idle: what a closing page still asks for would meet a
    database that is being emptied."""
    counted = Traffic()
    request_started.connect(counted.begin, weak=False)
    request_finished.connect(counted.end, weak=False)
    yield counted
    # Once another request is answered, all earlier ones have at least begun.
    urllib.request.urlopen(f"{live_server.url}/healthz", timeout=20).close()
    counted.wait_until_none()
    request_started.disconnect(counted.begin)
    request_finished.disconnect(counted.end)


@pytest.fixture
def open_page(browser, live_server, traffic, watch, settings) -> Iterator[object]:
    """`open_page(person=None, width=1440, dark=False)`: a page in a fresh context, signed in as `person`."""
    settings.BASE_URL = live_server.url
    contexts = []

    def opened(person=None, *, width: int = 1440, height: int = 900, dark: bool = False, **options):
        context = browser.new_context(
            base_url=live_server.url,
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            **options,
        )
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        watch.follow(page)
        if person is not None:
            sign_in(page, person)
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def page(open_page):
    """A page in a fresh context, signed out, 1440 wide, light."""
    return open_page()


def settled(page) -> None:
    """Wait for what the annotate page loads once it can be typed in."""
    from playwright.sync_api import expect

    expect(page.locator("annotate-desk:not([data-ready])")).to_have_count(0)


def intercept(page, pattern: str, handler) -> None:
    """`page.route` for a page that is open already. Chromium reports that it intercepts before the page's
    own loader knows, and a request in between would pass; so ask until one is caught."""
    page.route("**/healthz", lambda route: route.fulfill(status=204))
    for _ in range(100):
        if page.evaluate("() => fetch('/healthz').then((answer) => answer.status)") == 204:
            break
    else:
        raise AssertionError("Chromium intercepts no request.")
    page.route(pattern, handler)


def sign_in(page, person) -> None:
    """Give the page's context a session of `person`, as the sign-in page would have."""
    from django.conf import settings

    from accounts.session_store import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.save()
    page.context.add_cookies(
        [
            {
                "name": settings.SESSION_COOKIE_NAME,
                "value": session.session_key,
                "url": settings.BASE_URL,
                "httpOnly": True,
                "sameSite": "Lax",
            }
        ]
    )
