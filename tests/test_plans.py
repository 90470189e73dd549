"""No page reads a table from end to end that grows with each tag, annotation, response or verdict.

Asked of SQLite, whose plans depend little on the sizes of tables. `bin/bench pages --parts 1000` measures large ones.
"""

import re

import pytest
from django.db import connection
from django.test import Client

from accounts.models import Person
from annotation.reviewing.publishing_tags import publish_campaign
from bench import pages, world
from bench.common import read_pages
from evaluation.frozen import publishing, snapshots
from judging import studies
from judging.adjudication import studies_for
from judging.blinding import runs_of
from judging.models import Study
from judging.published import over_runs
from judging.settling import unresolved_in
from leases.planner import learn_sizes
from tests.annotation import factories as annotating
from wikifetch.taglist import seen_tags

pytestmark = [
    pytest.mark.usefixtures("without_statistics"),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL plans by sizes"),
]
PAGES = """
annotator   /
annotator   /annotate/
annotator   /annotate/progress/
annotator   /writing/
judge       /
judge       /judge/
judge       /judge/{study}/
adjudicator /
adjudicator /resolve/
researcher  /
researcher  /tags/
researcher  /tags/?page=last
researcher  /tags/?kind=inconsistent&q=Mill
researcher  /tags/{tag}/
researcher  /collections/
researcher  /collections/abbeys/
researcher  /collections/abbeys/?page=last
researcher  /collections/abbeys/questions/
researcher  /collections/abbeys/export/wikicontradict-json/
researcher  /runs/
researcher  /runs/{run}/
researcher  /runs/{run}/responses/
researcher  /runs/{run}/responses/?words=founded
researcher  /runs/{run}/responses/{response}/
researcher  /runs/{run}/two-models/
researcher  /studies/
researcher  /studies/{study}/
researcher  /reports/
researcher  /reports/{study}/
researcher  /reports/{study}/rows/
admin       /
admin       /campaigns/
admin       /campaigns/{campaign}/
admin       /campaigns/{campaign}/assignments/
admin       /campaigns/{campaign}/assignments/?page=last
admin       /campaigns/{campaign}/progress/
admin       /reviews/
admin       /fetches/
admin       /people/
admin       /writing/
admin       /audit/
admin       /operations/
"""
SCANNED = re.compile(r"^SCAN (\w+)", re.MULTILINE)
ALIAS = re.compile(r'"(\w+)" ([A-Z]\d+)\b')
# Fewer than people or studies have; the last are names of what a statement has found already.
SMALL = {
    *("accounts_person", "accounts_rolegrant", "annotation_campaign", "annotation_guideline"),
    *("annotation_tagreview", "datasets_collection", "generation_run", "wikifetch_fetchrun"),
    "datasets_exclusion",  # people exclude questions one by one
    "judging_study",
    *(
        "writing_writing",
        "generation_languagemodel",
        "generation_promptversion",
        "judging_judgeprompt",
    ),
    *("accounts_auditevent", "CONSTANT", "subquery", "items"),
}

# Pages that ask about the tags of a campaign. Where each of 1,200 assignments is looked for among all, they take 1,900
# thousand steps or more.
WITHIN = {
    "bob": (
        "/annotate/",
        "/contradictions/{record}/",
        "/contradictions/{record}/questions/1/revised/",
        "/collections/mills/?hidden=show",
        "/collections/mills/questions/",
        "/collections/mills/deviations/",
    ),
    "olga": (
        "/campaigns/{campaign}/",
        "/campaigns/{campaign}/progress/",
        "/campaigns/{campaign}/assignments/",
        "/reviews/",
    ),
}
MOST_STEPS = 500


@pytest.fixture
def keys(tmp_path):
    return world.first_part(tmp_path, 12, 2, 6)


def test_no_page_reads_a_large_table_from_end_to_end(keys):
    whole = set()
    for line in PAGES.strip().splitlines():
        role, address = line.split()
        if (
            address == "/operations/"
        ):  # counts the rows of each table where the database keeps no number
            continue
        client = Client()
        client.force_login(Person.objects.get(username=role))
        asked = pages.Asked()
        with connection.execute_wrapper(asked):
            answer = client.get(address.format(**keys))
            assert list(answer)
        assert answer.status_code == 200, line
        read = {table for statement in asked.statements for table in scanned(*statement)}
        whole |= {(line, table) for table in read - SMALL}
    assert not whole


def scanned(sql, params):
    """The tables that SQLite plans to read from end to end, by their own names."""
    if not sql.lstrip("(").startswith("SELECT"):
        return set()
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
        plan = "\n".join(row[-1] for row in cursor.fetchall())
    aliases = {alias: table for table, alias in ALIAS.findall(sql)}
    return {aliases.get(name, name) for name in SCANNED.findall(plan)}


def test_what_waits_for_a_third_person_is_found_by_its_index(keys):
    asked = pages.Asked()
    with connection.execute_wrapper(asked):
        unresolved_in(studies_for(Person.objects.get(username="adjudicator")))
    [(sql, params)] = [each for each in asked.statements if "judging_studyitem" in each[0]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
        plan = "\n".join(row[-1] for row in cursor.fetchall())
    assert "item_without_resolution" in plan, plan


def test_published_reports_over_texts_of_runs_are_found_by_indexes(keys):
    researcher, study = (
        Person.objects.get(username="researcher"),
        Study.objects.get(pk=keys["study"]),
    )
    studies.close_study(study)
    publishing.publish(snapshots.freeze(study, by=researcher)[0], by=researcher)
    asked = pages.Asked()
    with connection.execute_wrapper(asked):
        assert [one.run for one in over_runs([keys["run"]])] == [keys["run"]]
    [(sql, params)] = asked.statements
    assert scanned(sql, params) <= {"evaluation_reportsnapshot"}


def test_runs_with_the_same_texts_are_found_by_the_index_of_texts(keys):
    asked = pages.Asked()
    with connection.execute_wrapper(asked):
        assert runs_of([keys["study"]]) == {keys["run"]}
    [(sql, params)] = asked.statements
    assert not scanned(sql, params)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
        assert "response_by_shown_text" in str(cursor.fetchall())


def test_tags_of_a_kind_are_counted_by_an_index(keys):
    of_a_kind = seen_tags().filter(kind="inconsistent").order_by().values("state")
    assert "tag_seen_by_kind_and_state" in of_a_kind.explain()


def test_the_numbers_of_statements_do_not_grow(keys, django_assert_max_num_queries):
    for role, address, most in (
        ("adjudicator", "/resolve/", 6),
        ("judge", "/judge/", 9),
        ("researcher", "/collections/", 8),
        ("researcher", "/reports/", 8),
        ("researcher", "/reports/{study}/", 58),
    ):
        client = Client()
        client.force_login(Person.objects.get(username=role))
        with django_assert_max_num_queries(most):
            client.get(address.format(**keys))


@pytest.fixture
def large(tmp_path):
    """Keys of a campaign over 600 tags for two people each, one published; and an annotator who may get the others."""
    read_pages(tmp_path, 600)
    olga = annotating.admin()
    within = annotating.campaign(by=olga, tags=0, people=2)
    done = [annotating.submitted(annotating.annotator(name), within=within) for name in ("a", "b")]
    annotating.decide(done[0], olga)
    publish_campaign(within, olga)
    record = within.collection.contradictions.get().pk
    return {"campaign": within.pk, "record": record, "bob": annotating.annotator("bob")}


@pytest.mark.parametrize("is_known", [False, True], ids=["without statistics", "with statistics"])
def test_no_page_of_a_large_campaign_looks_at_it_again_for_each_of_its_tags(large, is_known):
    if is_known:
        learn_sizes()
    steps = {}
    for who, addresses in WITHIN.items():
        client = Client()
        client.force_login(large["bob"] if who == "bob" else Person.objects.get(username=who))
        for address in addresses:
            with Steps() as taken:
                assert client.get(address.format(**large)).status_code in (200, 400, 409), address
            steps[address] = taken.thousands
    assert {address: n for address, n in steps.items() if n > MOST_STEPS} == {}


class Steps:
    """How many thousand steps SQLite takes, which are the same on every machine."""

    thousands = 0

    def __enter__(self):
        connection.ensure_connection()
        connection.connection.set_progress_handler(self.count, 1_000)
        return self

    def __exit__(self, *error):
        connection.connection.set_progress_handler(None, 0)

    def count(self):
        self.thousands += 1
