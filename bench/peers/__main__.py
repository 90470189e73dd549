"""The CPU of Label Studio's web server and of ours for the same work, in one run. See README.md."""

import argparse
import json
import os
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from bench import annotating, content
from bench.machine import apart, on_each, tree_cpu
from bench.peers import label_studio
from bench.web import TURNS, Browser, Server, served


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("environment", type=Path, help="where Label Studio is installed")
    parser.add_argument("--tags", type=int, default=1_200, metavar="N", help="(1200)")
    parser.add_argument("--times", type=int, default=60, metavar="N", help="(60)")
    parser.set_defaults(tables=None, postgresql=False, people=1)
    on_each(measure, parser.parse_args(), postgresql=False)


def measure(options: argparse.Namespace) -> None:
    folder = Path(os.environ["DATA_DIR"]) / "label-studio"
    folder.mkdir()
    entered = content.entries()
    sessions, fields = apart(annotating.make, options)
    admin = apart(admins_session)
    with served() as ours, label_studio.served(options.environment, folder) as theirs:
        we = annotating.Annotator(ours, sessions[0], fields)
        we.begin()
        they = label_studio.Annotator(theirs, entered)
        they.take(label_studio.tasks(options.tags))
        compare = Comparison(ours, theirs)
        compare("next + submit", options.times, we.submit, they.submit)
        compare("list of 100", 10 * TURNS, we.list_100, they.list_100)
        office = Office(ours, admin)
        records = json.dumps(content.records(options.tags))
        tasks = label_studio.tasks(options.tags)
        into_ours, into_theirs = partial(office.take, records), partial(they.take_annotated, tasks)
        compare(f"import of {options.tags} annotated", TURNS, into_ours, into_theirs)
        compare("export of them", TURNS, office.export, they.export)


def admins_session() -> str:
    from accounts.models import Person

    return content.session_of(Person.objects.get(username="olga"))


class Office:
    """An admin who imports and exports."""

    def __init__(self, server: Server, session: str) -> None:
        self.browser, self.numbers = Browser(server.port, session), count()

    def take(self, records: str) -> None:
        """Into a collection of its own."""
        self.collection = f"annotated-{next(self.numbers)}"
        page = self.browser.get("/collections/new/import/")
        fields = [*page.hidden, ("collection", self.collection), ("format", "wikicontradict")]
        self.browser.post(page.path, fields, file=("records.json", records))

    def export(self) -> None:
        self.browser.get(f"/collections/{self.collection}/export/wikicontradict-json/")


class Comparison:
    """Does the same on both servers in turns, and prints the CPU of both."""

    def __init__(self, ours: Server, theirs: Server) -> None:
        self.servers = (ours, theirs)

    def __call__(self, name: str, n: int, we: Callable, they: Callable) -> None:
        used = [0.0, 0.0]
        for act in (we, they):
            act()
        for turn in range(min(n, TURNS)):
            for side, act in enumerate((we, they)):
                began = idle(self.servers[side])
                for _ in range(turn, n, TURNS):
                    act()
                used[side] += idle(self.servers[side]) - began
        ours, theirs = (1e3 * seconds / n for seconds in used)
        print(
            f"  {name:28} ours {ours:7.1f} ms  Label Studio {theirs:7.1f} ms  ratio {ours / theirs:5.2f}  (n = {n})",
            flush=True,
        )


def idle(server: Server) -> float:
    """The seconds of CPU that the server has used, once it does nothing more after an answer."""
    before = -1.0
    while (now := tree_cpu(server.pid)) - before > 0.02:
        before = now
        time.sleep(1)
    return now


main()
