"""Two processes of the web server claim at once: no tag goes to two people, and nobody waits for an error."""

from contextlib import closing
from functools import partial

import pytest

from accounts.roles import Role
from annotation.models import Annotation, Assignment
from bench.common import at_once
from bench.web import Browser, served, session_of
from tests.annotation.factories import campaign
from tests.factories import person
from tests.faults.conftest import database_url

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE, EACH = 8, 4


def claim(port, session):
    with closing(Browser(port, session)) as browser:
        browser.get("/annotate/")
        pages = [browser.post("/annotate/next/", ()) for _ in range(EACH)]
        return [page.first(r'name="annotation" value="(\d+)"') for page in pages]


def test_tags_claimed_in_two_processes_at_once_go_to_one_person_each(monkeypatch, tmp_path):
    monkeypatch.setenv("DATABASE_URL", database_url())
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    campaign(tags=PEOPLE * EACH, in_hand=EACH)
    sessions = [session_of(person(f"anna-{n}", Role.ANNOTATOR)) for n in range(PEOPLE)]
    with served() as one, served() as other:
        ports = [one.port, other.port] * (PEOPLE // 2)
        works = [
            partial(claim, port, session) for port, session in zip(ports, sessions, strict=True)
        ]
        drafts = [int(draft) for mine in at_once(works) for draft in mine]
    assert len(set(drafts)) == PEOPLE * EACH == Annotation.objects.count()
    given = Assignment.objects.exclude(person=None)
    assert given.values("tag").distinct().count() == given.count() == PEOPLE * EACH
