"""Four tabs save one draft, some saves late, out of order or twice: nothing is lost silently."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.fields.entries import entries_of
from annotation.models import Annotation
from tests.annotation.factories import annotator, campaign, draft

pytestmark = pytest.mark.django_db(transaction=True)

TABS = 4
ASTRAY = 0.2  # the share of saves that come late and out of order, or twice


@dataclass
class Seen:
    """The server's responses to all tabs: (version sent, status, version now, text sent)."""

    answers: list[tuple[int, int, int, str]] = field(default_factory=list)


def tab(person, address, number, saves, seed, together) -> Seen:
    """One tab: saves over the last version that it knows, and takes the server's when refused."""
    client, chance, seen, late = Client(), random.Random(seed), Seen(), []
    client.force_login(person)
    version = 0

    def send(version, text):
        answer = client.patch(
            address,
            {"entries": {"statement_1": text}},
            content_type="application/json",
            headers={"If-Match": f'"{version}"'},
        )
        data = answer.json()
        assert answer.status_code in {200, 412}, data
        now = data["version"] if answer.status_code == 200 else data["details"]["version"]
        seen.answers.append((version, answer.status_code, now, text))
        return now

    together.wait(30)
    try:
        for n in range(saves):
            text = f"tab {number}, save {n}"
            astray = chance.random() < ASTRAY
            if astray and chance.random() < 0.5:
                late.append((version, text))
                continue
            sent = version
            version = send(sent, text)
            if astray:
                send(sent, text)  # the response was lost, so the browser sends it again
            if late and chance.random() < 0.5:
                send(*late.pop(chance.randrange(len(late))))
        for one in late:
            send(*one)
    finally:
        connection.close()
    return seen


def test_four_tabs_lose_nothing_without_a_word(seed, full_size):
    saves = 200 if full_size else 15
    alice = annotator()
    kept = draft(alice, within=campaign())
    address = reverse("annotation:api_draft", args=[kept.pk])
    together = threading.Barrier(TABS)
    with ThreadPoolExecutor(TABS) as pool:
        tabs = [
            pool.submit(tab, alice, address, number, saves, seed * 100 + number, together)
            for number in range(TABS)
        ]
        answers = [answer for one in tabs for answer in one.result(300).answers]

    assert {status for _, status, _, _ in answers} == {200, 412}
    stored = {now: text for sent, status, now, text in answers if status == 200 and now == sent + 1}
    final = Annotation.objects.get(pk=kept.pk)
    # Every version was made by one accepted save, and the last one's text is stored.
    assert sorted(stored) == list(range(1, final.version + 1))
    assert len(stored) == sum(status == 200 and now == sent + 1 for sent, status, now, _ in answers)
    assert entries_of(final)["statement_1"] == stored[final.version]
    # A refusal names a newer version; nothing else was accepted.
    assert all(now > sent for sent, status, now, _ in answers if status == 412)
    assert all(stored[now] == text for _, status, now, text in answers if status == 200)
