"""The CPU of Label Studio's server, and of our web server and worker, for the same work in one run. See README.md."""

import argparse
import json
import os
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from bench import annotating, content
from bench.machine import TICKS, apart, on_each
from bench.peers import label_studio
from bench.web import TURNS, Browser, Page, Server, in_turns, served

# In so many seconds less CPU than this is of a worker that only looks for work.
PAUSE, IDLE = 0.3, 0.02


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("environment", type=Path, help="where Label Studio is installed")
    parser.add_argument("--tags", type=int, default=1_200, metavar="N", help="(1200)")
    parser.add_argument("--times", type=int, default=60, metavar="N", help="(60)")
    parser.add_argument("--tables", type=Path, metavar="FILE", help="as of the other benches")
    parser.set_defaults(postgresql=False, people=1)
    on_each(measure, parser.parse_args(), postgresql=False)


def measure(options: argparse.Namespace) -> None:
    folder = Path(os.environ["DATA_DIR"]) / "label-studio"
    folder.mkdir()
    entered = content.entries()
    sessions, fields = apart(annotating.make, options)
    admin = apart(admins_session)
    with served("worker") as ours, label_studio.served(options.environment, folder) as theirs:
        we = annotating.Annotator(ours, sessions[0], fields)
        we.begin()
        they = label_studio.Annotator(theirs, entered)
        they.take(label_studio.tasks(options.tags))
        office = Office(ours, admin, json.dumps(content.records(options.tags)))
        turns = min(TURNS, options.times)
        annotated = partial(they.take_annotated, label_studio.tasks(options.tags))
        for name, n, we_do, they_do in (
            ("next + submit", options.times, we.submit, they.submit),
            ("list of 100", 10 * turns, we.list_100, they.list_100),
            (f"import of {options.tags} annotated", turns, office.take, annotated),
            ("export of them", turns, office.export, they.export),
        ):
            compare(name, n, (ours, we_do), (theirs, they_do))


def admins_session() -> str:
    from accounts.models import Person

    return content.session_of(Person.objects.get(username="olga"))


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


def compare(name: str, n: int, we: tuple[Server, Callable], they: tuple[Server, Callable]) -> None:
    """Do the same on both servers in turns, and print the CPU of both."""
    for _, act in (we, they):
        act()
    ours, theirs = (1e3 * seconds / n for seconds in in_turns(n, we, they, cpu=cpu_when_idle))
    theirs = max(theirs, 1e3 / TICKS / n)  # no less is counted
    print(
        f"  {name:28} ours {ours:7.1f} ms  Label Studio {theirs:7.1f} ms  ratio {ours / theirs:5.2f}  (n = {n})",
        flush=True,
    )


def cpu_when_idle(server: Server) -> float:
    """The seconds of CPU that the server has used, once it does nothing more after an answer."""
    before = -1.0
    while (now := server.cpu()) - before > IDLE:
        before = now
        time.sleep(PAUSE)
    return now


main()
