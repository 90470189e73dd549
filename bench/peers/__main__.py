"""The CPU of Label Studio's server, and of our web server and worker, for the same work in one run. See README.md."""

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from bench import shift
from bench.common import TICKS, apart, run
from bench.imports import records
from bench.peers import label_studio
from bench.web import Browser, Page, Server, served, session_of

TURNS = 4
# In so many seconds less CPU than this is of a worker that only looks for work.
PAUSE, IDLE = 0.3, 0.02


def measure(options: argparse.Namespace, folder: Path) -> None:
    (session,) = apart(shift.make_campaign, folder, options.tags, 1)
    entered, admin = shift.entries(), apart(admins_session)
    peers_folder = folder / "label-studio"
    peers_folder.mkdir()
    environment = Path(options.environment)
    with served("worker") as ours, label_studio.served(environment, peers_folder) as theirs:
        we = shift.Annotator(ours, session, shift.form_fields(entered))
        we.begin()
        they = label_studio.Annotator(theirs, entered)
        they.take(label_studio.tasks(options.tags))
        office = Office(ours, admin, json.dumps([*records(options.tags)]))
        turns = min(TURNS, options.times)
        annotated = partial(they.take_annotated, label_studio.tasks(options.tags))
        for name, n, we_do, they_do in (
            ("next + submit", options.times, we.submit, they.submit),
            ("list of 100", 10 * turns, partial(list_100, we.browser), they.list_100),
            (f"import of {options.tags} annotated", turns, office.take, annotated),
            ("export of them", turns, office.export, they.export),
        ):
            compare(name, n, (ours, we_do), (theirs, they_do))


def admins_session() -> str:
    from accounts.models import Person

    return session_of(Person.objects.get(username="olga"))


def list_100(browser: Browser) -> None:
    for page in (1, 2):
        browser.get(f"/tags/?page={page}")


class Office:
    """An admin who imports and exports."""

    def __init__(self, server: Server, session: str, records: str) -> None:
        self.browser, self.numbers = Browser(server.port, session), count()
        self.records = records

    def take(self) -> None:
        """Into a collection of its own: send the file, read its report, import it, wait for the records."""
        self.collection = f"annotated-{next(self.numbers)}"
        page = self.browser.get("/collections/new/import/")
        fields = [*page.hidden, ("collection", self.collection), ("format", "wikicontradict")]
        page = self.browser.post(page.path, fields, file=("records.json", self.records))
        address = page.first(r'"(/imports/\d+/)')
        read = self.ended(address).first(r'name="read" value="([^"]+)"')
        self.browser.post(f"{address}confirm/", [("read", read)])
        self.ended(address).first(rf'href="(/collections/{self.collection}/)"')

    def ended(self, address: str) -> Page:
        """The part of the import's page that its browser asks for every two seconds while the worker is at it."""
        while "hx-trigger" in (page := self.browser.get(address, **{"HX-Request": "true"})).text:
            time.sleep(2)
        return page

    def export(self) -> None:
        self.browser.get(f"/collections/{self.collection}/export/wikicontradict-json/")


def compare(name: str, n: int, *sides: tuple[Server, Callable[[], object]]) -> None:
    """Do the same on both servers in turns, n times each, and print the CPU of both."""
    for _, act in sides:
        act()
    used = [0.0, 0.0]
    for turn in range(min(n, TURNS)):
        for side, (server, act) in enumerate(sides):
            began = cpu_when_idle(server)
            for _ in range(turn, n, TURNS):
                act()
            used[side] += cpu_when_idle(server) - began
    ours, theirs = (1e3 * max(seconds, 1 / TICKS) / n for seconds in used)  # no less is counted
    both = f"ours {ours:7.1f} ms  Label Studio {theirs:7.1f} ms"
    print(f"  {name:28} {both}  ratio {ours / theirs:5.2f}  (n = {n})", flush=True)


def cpu_when_idle(server: Server) -> float:
    """The seconds of CPU that the server has used, once it does nothing more after an answer."""
    before = -1.0
    while (now := server.cpu()) - before > IDLE:
        before = now
        time.sleep(PAUSE)
    return now


run("peers", __doc__, measure, environment="", tags=1_200, times=60)
