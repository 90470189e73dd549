"""An admin's numbers of a campaign, its timesheet, and what needs a person."""

import csv
import io
from datetime import date, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Person, RoleGrant
from accounts.roles import Role
from annotation.models import Annotation, Assignment, WorkTime
from annotation.monitoring.attention import STALE_DAYS, concern_counts, concerning_assignments
from annotation.monitoring.campaign_figures import campaign_progress
from annotation.workflow import assigning, claiming, saving
from leases.clock import now
from tests.annotation import factories as make
from tests.factories import signed_in
from wikifetch.models import Tag

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def campaign(db):
    """Two tags for two people each: alice has submitted both, bob one, as invalid, and has a draft."""
    campaign = make.campaign(tags=2, people=2)
    alice, bob = make.annotator("alice"), make.annotator("bob")
    for _ in range(2):
        make.submitted(alice, within=campaign)
    make.submitted(bob, within=campaign, entries=make.nothing(validity="Invalid"))
    make.draft(bob, within=campaign)
    return campaign


@pytest.fixture
def olga(client, campaign):
    return signed_in(client, Person.objects.get(username="olga"))


def of(username):
    return Annotation.objects.filter(author__username=username)


def test_the_figures_are_those_of_the_rows(campaign):
    of("alice").update(seconds_active=600)
    of("bob").update(seconds_active=1200, flagged=True)
    found, _ = campaign_progress(campaign)
    assert (found.tags, found.done, found.wanted, found.submitted) == (2, 1, 4, 3)
    assert (found.invalid, found.flagged, found.minutes, found.timed) == (1, 1, 10, 3)
    assert (found.pace.submitted, found.pace.left) == (3, 1)


def test_each_person_has_their_own(campaign):
    of("bob").update(seconds_active=1200)
    _, (alice, bob) = campaign_progress(campaign)
    assert (alice.held, alice.submitted, alice.invalid, alice.minutes) == (0, 2, 0, None)
    assert (bob.held, bob.submitted, bob.invalid, bob.minutes) == (1, 1, 1, 20)


def counts(campaign):
    return {str(kind.why): kind.count for kind in concern_counts(campaign)}


def test_what_needs_a_person_is_listed_by_reason(campaign):
    assert counts(campaign) == {"flagged": 0, "review": 2, "stale": 0, "skipped": 0, "gone": 0}
    draft = of("bob").get(state="draft")
    saving.flag(draft=draft, by=draft.author, flagged=True, note="Which edition?")
    Annotation.objects.filter(pk=draft.pk).update(saved_at=now() - timedelta(days=STALE_DAYS + 1))
    Tag.objects.filter(pk=draft.sighting.tag_id).update(state="gone")
    assert counts(campaign) == {"flagged": 1, "review": 2, "stale": 1, "skipped": 0, "gone": 1}
    first = concerning_assignments(campaign).first()
    assert (first.annotation, first.why) == (draft, "flagged")
    assert concerning_assignments(campaign, "stale").get().why == "stale"


def test_a_tag_waits_for_review_once(campaign):
    """However many annotations of it are submitted."""
    doubled = of("bob").get(state="submitted").sighting.tag
    rows = list(concerning_assignments(campaign, "review"))
    assert {row.tag for row in rows} == set(Tag.objects.all())
    assert [row.person.username for row in rows if row.tag == doubled] == ["alice"]


def test_a_skipped_tag_needs_a_person_until_another_person_has_it():
    campaign = make.campaign(tags=1)
    skipped = make.draft(make.annotator("carol"), within=campaign)
    claiming.skip(assignment_id=skipped.assignment_id, by=skipped.author, reason="Too long.")
    assert counts(campaign)["skipped"] == 1
    make.submitted(make.annotator("alice"), within=campaign)
    assert counts(campaign)["skipped"] == 0


def test_the_page_shows_them_with_their_notes(client, campaign, olga):
    draft = of("bob").get(state="draft")
    saving.flag(draft=draft, by=draft.author, flagged=True, note="Which <edition>?")
    page = client.get(f"/campaigns/{campaign.pk}/progress/?why=flagged").content.decode()
    assert "Which &lt;edition&gt;?" in page
    assert "1 of 2: all their annotations are submitted" in page
    assert "agreement on valid or invalid over 1 tag" in page
    assert client.get(f"/campaigns/{campaign.pk}/progress/?why=nothing").status_code == 200


def test_an_admin_who_may_still_annotate_the_tags_sees_no_share_of_what_others_entered(
    client, campaign, olga
):
    RoleGrant.objects.create(person=olga, role=Role.ANNOTATOR)
    flagged = of("alice").first()
    of("alice").filter(pk=flagged.pk).update(flagged=True, flag_note="Not a contradiction.")
    Assignment.objects.filter(tag=flagged.sighting.tag).exclude(annotation=flagged).update(
        state="free", person=None
    )
    page = client.get(f"/campaigns/{campaign.pk}/progress/").content.decode()
    assert "hidden" in page
    assert "Not a contradiction." not in page
    assert "agreement on valid" not in page
    assert client.get(f"/campaigns/{campaign.pk}/export/annotations.jsonl").status_code == 409


def test_the_timesheet_has_a_row_for_each_person_and_day(client, campaign, olga):
    first, second = of("bob").order_by("pk")
    monday, tuesday = date(2026, 3, 2), date(2026, 3, 3)
    Annotation.objects.filter(pk=first.pk).update(first_submitted_at="2026-03-03T23:59Z")
    for annotation, day, seconds in (
        (first, monday, 600), (first, tuesday, 30), (second, tuesday, 150),
    ):  # fmt: skip
        WorkTime.objects.create(annotation=annotation, campaign=campaign, day=day, seconds=seconds)
    rows = table(client, f"/campaigns/{campaign.pk}/timesheet.csv")
    assert [(r["day"], r["name"], r["minutes"], r["tags"], r["submitted"]) for r in rows] == [
        ("2026-03-02", "Bob", "10.0", "1", "0"),
        ("2026-03-03", "Bob", "3.0", "2", "1"),
    ]


def test_the_timesheet_counts_what_was_sent_back_and_then_withdrawn(client, campaign, olga):
    sent_back = of("bob").get(state="submitted")
    day = sent_back.first_submitted_at.date()
    WorkTime.objects.create(annotation=sent_back, campaign=campaign, day=day, seconds=60)
    make.decide(sent_back, olga, "send_back", "Look again.")
    make.withdraw(sent_back.assignment_id, campaign)
    rows = table(client, f"/campaigns/{campaign.pk}/timesheet.csv")
    assert [(row["name"], row["submitted"]) for row in rows] == [("Bob", "1")]


def test_the_time_for_each_tag_is_given_without_its_steps(client, campaign, olga):
    submitted = of("bob").get(state="submitted")
    worked(submitted, campaign, 120)
    rows = table(client, f"/campaigns/{campaign.pk}/times.csv")
    timed = [row for row in rows if row["minutes"] != "0.0"]
    assert [(row["minutes"], row["state"]) for row in timed] == [("2.0", "submitted")]
    assert list(timed[0]) == ["round", "tag", "title", "pseudonym", "state", "minutes"]
    assert len(rows) == 4


def test_what_somebody_worked_stays_theirs_when_the_tag_goes_to_another(client, campaign, olga):
    begun = of("bob").get(state="draft")
    worked(begun, campaign, 90)
    worked(begun, make.campaign(name="Elsewhere", by=olga), 600)
    place = Assignment.objects.filter(pk=begun.assignment_id)
    assigning.reassign(campaign, place, make.annotator("dora"))
    rows = table(client, f"/campaigns/{campaign.pk}/times.csv")
    drafts = {row["pseudonym"]: row for row in rows if row["state"] == "draft"}
    pseudonym = begun.author.pseudonym
    assert len(drafts) == 2
    assert (drafts[pseudonym]["minutes"], drafts[pseudonym]["round"]) == ("1.5", "1")
    assert {row["tag"] for row in drafts.values()} == {str(place.get().order)}
    assert {row["minutes"] for row in drafts.values()} == {"1.5", "0.0"}


def worked(annotation, campaign, seconds):
    WorkTime.objects.create(
        annotation=annotation, campaign=campaign, day=date(2026, 3, 2), seconds=seconds
    )


def table(client, address):
    text = client.get(address).getvalue().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_the_page_takes_as_many_statements_for_many_annotations_as_for_few(client, campaign, olga):
    address = f"/campaigns/{campaign.pk}/progress/"
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    larger = make.campaign(name="Larger", tags=8, people=2, in_hand=8, by=olga)
    for who in (of("alice").first().author, of("bob").first().author):
        for n in range(8):
            begun = make.draft(who, within=larger)
            make.handed_in(begun, None if n % 2 else make.nothing(validity="Invalid"))
    with CaptureQueriesContext(connection) as many:
        page = client.get(f"/campaigns/{larger.pk}/progress/").content.decode()
    assert "over 8 tags; Cohen" in page
    assert len(many) <= len(few)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL plans by the sizes of tables")
def test_no_statement_of_the_page_reads_the_annotations_of_other_campaigns(
    client, campaign, olga, without_statistics
):
    with CaptureQueriesContext(connection) as asked:
        client.get(f"/campaigns/{campaign.pk}/progress/")
    with connection.cursor() as cursor:
        for sql in (one["sql"] for one in asked if one["sql"].startswith("SELECT")):
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            for *_, step in cursor.fetchall():
                assert not step.startswith("SCAN annotation_annotation"), (step, sql)
