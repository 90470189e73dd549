"""A judge's verdict and next response, by page and by the page's script, next to a bare view in the same server.

A study of 1,200 responses with passages of the paper's length, and two judges; the server runs as bin/run starts it, on
SQLite and on PostgreSQL. By page a verdict is a form with its redirect to the next response. By script it is a
request to the API, and now and then one for the responses that follow.
"""

import argparse
import re

from bench import content, world
from bench.machine import apart, arguments, on_each
from bench.web import Browser, Server, cost, served

FEW = 12  # as static/js/judging/elements/judge-desk.js
COMING = re.compile(r'data-slot="([^"]+)"')


def main() -> None:
    on_each(measure, arguments("judging", __doc__, responses=1_200, times=100))


def measure(options: argparse.Namespace) -> None:
    responses = max(options.responses, options.times + 40)
    study, sessions = apart(make, responses, options.tables is None)
    with served() as server:
        by_page, by_script = (Judge(server, session, study) for session in sessions)
        judged = cost(server, by_page.browser, by_page.judge, options.times)
        print(f"  verdict + next, by page    {judged.words()}")
        judged = cost(server, by_script.browser, by_script.judge_by_script, options.times)
        print(f"  verdict + next, by script  {judged.words()}")
    judged_twice = 2 * (options.times + 1)  # the first of each only warms up
    assert apart(verdicts) == judged_twice, "a verdict was lost"


def make(responses: int, collect: bool) -> tuple[int, list[str]]:
    """An open study; its number, and the sessions of its two judges."""
    from tests.judging import factories

    if collect:
        content.collect()
    study = factories.open_study(drawn_from=world.answered(responses))
    return study.pk, [content.session_of(factories.judge(name)) for name in ("alice", "bob")]


def verdicts() -> int:
    from judging.models import Judgment

    return Judgment.objects.count()


class Judge:
    """A judge with a response open in the browser."""

    def __init__(self, server: Server, session: str, study: int) -> None:
        self.browser = Browser(server.port, session)
        self.page = self.browser.get(f"/judge/{study}/next/")
        self.slots = [self.page.one('data-slot="([^"]+)"')]

    def judge(self) -> None:
        address = self.page.one('action="(/judge/slots/[^/]+/)"')
        token = [pair for pair in self.page.hidden if pair[0] == "csrfmiddlewaretoken"][:1]
        self.page = self.browser.post(address, [*token, ("verdict", "correct"), ("comment", "")])

    def judge_by_script(self) -> None:
        given = {"verdict": "correct", "comment": "", "seconds": 4.2}
        if len(self.slots) < FEW:
            coming = self.browser.get(f"/judge/slots/{self.slots[-1]}/coming/")
            self.slots += COMING.findall(coming.text)
        address = f"/api/judging/slots/{self.slots.pop(0)}/verdict"
        self.browser.api("POST", address, given, **{"If-Match": '"0"'})


if __name__ == "__main__":
    main()
