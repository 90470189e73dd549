"""The main pages ask the database no more often for ten times the rows."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.roles import Role
from judging.models import JudgingSlot
from tests.annotation import factories as annotating
from tests.datasets.factories import imported, record
from tests.factories import person
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db

# Who asks for what; {…} are rows of the world below.
PAGES = """
judge       GET   /
judge       GET   /judge/
judge       GET   /judge/{study}/
judge       GET   /judge/{study}/next/
judge       GET   /judge/slots/{slot}/
judge       GET   /judge/slots/{slot}/coming/
judge       POST  /judge/slots/{slot}/
judge       POST  /api/slots/{slot}/verdict/
annotator   GET   /
annotator   GET   /annotate/
adjudicator GET   /
adjudicator GET   /resolve/
researcher  GET   /
researcher  GET   /tags/
researcher  GET   /tags/?page=2
researcher  GET   /collections/
researcher  GET   /collections/mills/
researcher  GET   /collections/mills/questions/
researcher  GET   /runs/
researcher  GET   /runs/{run}/
researcher  GET   /runs/{run}/responses/
researcher  GET   /runs/{run}/responses/?words=founded
researcher  GET   /runs/{run}/responses/{response}/
researcher  GET   /runs/{run}/two-models/
researcher  GET   /studies/
researcher  GET   /studies/{study}/
researcher  GET   /reports/
researcher  GET   /reports/{study}/
admin       GET   /
admin       GET   /campaigns/
admin       GET   /campaigns/{campaign}/
admin       GET   /campaigns/{campaign}/assignments/
admin       GET   /collections/mills/
admin       GET   /studies/{study}/
"""
SMALL, LARGE = 5, 50


def grown(to):
    """More of everything: tags in a campaign, records, a run, and a study that is judged; returns the keys."""
    here = annotating.campaign(tags=to, by=people("admin"), name=f"Campaign of {to}", into="mills")
    imported(*(record(title=f"Mill {n} of {to}") for n in range(to)))
    run = judging.run(f"Run of {to}")
    about = [judging.instance(n) for n in range(to * 100, to * 101)]
    for each in about:
        judging.response(run, each, "both-passages", judging.language_model())
    other = judging.language_model(judging.MODEL_IDS[1])
    one = judging.response(run, about[0], "both-passages", other, state="failed")
    study = judging.open_study("judge", "bob", name=f"Study of {to}", drawn_from=run)
    return {"campaign": here.pk, "run": run.pk, "study": study.pk, "response": one.pk}


def people(role):
    from accounts.models import Person

    return Person.objects.filter(username=role).first() or person(role, Role(role))


def statements(rows):
    """How many each page takes."""
    counts = {}
    for line in PAGES.strip().splitlines():
        role, method, address = line.split()
        client = Client()
        client.force_login(people(role))
        mine = JudgingSlot.objects.filter(
            judge__person=people("judge"), round__study=rows["study"], state="waiting"
        )
        url = address.format(slot=mine.order_by("order").first().pk, **rows)
        with CaptureQueriesContext(connection) as asked:
            answer = (
                client.generic(method, url, *sent(url), headers={"If-Match": '"0"'})
                if method == "POST"
                else client.get(url)
            )
        assert answer.status_code in (200, 302), line
        counts[line] = len(asked)
    return counts


def counted(rows):
    statements(rows)  # what a process learns once, and the judge's first verdicts
    return statements(rows)


def sent(url):
    if url.startswith("/api/"):
        return '{"verdict": "correct"}', "application/json"
    return "verdict=correct", "application/x-www-form-urlencoded"


def test_no_page_asks_more_often_for_ten_times_the_rows():
    for role in Role:
        people(role.value)
    before, after = counted(grown(SMALL)), counted(grown(LARGE))
    more = {line: after[line] - before[line] for line in after if after[line] > before[line]}
    # A second campaign is open: its free tags are counted by an index, up to a limit. An admin reads who can take them.
    by_campaign = {
        "annotator   GET   /": 1,
        "annotator   GET   /annotate/": 1,
        "admin       GET   /": 3,
    }
    assert more == by_campaign
