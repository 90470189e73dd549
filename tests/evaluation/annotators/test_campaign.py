"""The agreement of a campaign's annotators: which entries are compared, and its pages."""

import csv
import io
from datetime import timedelta

import pytest

from accounts.models import Person
from annotation.fields.checks import check
from annotation.models import Annotation, Campaign, Seen
from annotation.workflow import assigning
from evaluation.annotators.campaign import campaign_agreement
from evaluation.annotators.entered import populations
from evaluation.sections.agreement_so_far import so_far
from evaluation.sections.released_records import OPEN, annotated
from evaluation.tables.sentences import coefficient_of
from tests.annotation import factories as make
from tests.datasets.factories import mills, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(db):
    """Two tags, two people each: alice and bob agree on the first, and on the second bob says invalid."""
    campaign = make.campaign(tags=2, people=2)
    alice, bob = make.annotator("alice"), make.annotator("bob")
    for _ in range(2):
        make.submitted(alice, within=campaign)
    make.submitted(bob, within=campaign)
    make.submitted(bob, within=campaign, entries=make.nothing(validity="Invalid"))
    return campaign


def stage(campaign, wanted):
    (only,) = campaign_agreement(campaign)["rounds"]
    return next(one for one in only["stages"] if one["stage"] == wanted)


def agreed(campaign, wanted, key="validity"):
    measure = next(one for one in stage(campaign, wanted)["measures"] if one["key"] == key)
    found = coefficient_of(measure["all"], "percent_agreement")
    return found["value"], found["n"]


def decide(annotation, decision, note=""):
    make.decide(annotation, Person.objects.get(username="olga"), decision, note)


def submit_again(annotation, entries):
    annotation = Annotation.objects.get(pk=annotation.pk)
    result = make.submit(
        annotation_id=annotation.pk,
        by=annotation.author,
        version=annotation.version,
        entries=entries,
        checked=frozenset(finding.key for finding in check(entries)),
    )
    assert result.taken


@pytest.mark.both
def test_before_review_the_first_submission_counts_whatever_is_entered_later(campaign):
    assert agreed(campaign, "before") == (0.5, 2)
    invalid = Annotation.objects.get(validity="Invalid")
    decide(invalid, "send_back", "Look again.")
    submit_again(invalid, make.whole())
    assert agreed(campaign, "before") == (0.5, 2)
    assert "50.0 % agreement on valid or invalid over 2 tags" in so_far(campaign)[0]
    assert stage(campaign, "after")["tags"] == 0
    for annotation in Annotation.objects.filter(author__username="alice"):
        decide(annotation, "accept")
    assert agreed(campaign, "after") == (1, 2)


def test_a_first_submission_counts_before_review_though_its_author_lost_the_place(campaign):
    invalid = Annotation.objects.get(validity="Invalid")
    decide(invalid, "send_back", "Look again.")
    make.withdraw(invalid.assignment_id, campaign)
    assert agreed(campaign, "before") == (0.5, 2)


@pytest.mark.both
def test_what_is_continued_in_another_campaign_is_there_after_review_only(campaign):
    invalid = Annotation.objects.get(validity="Invalid")
    decide(invalid, "send_back", "Look again.")
    make.withdraw(invalid.assignment_id, campaign)
    other = make.campaign(name="Weirs", tags=0, by=make.admin("otto"), into="weirs")
    assigning.reassign(other, other.assignments.filter(tag=invalid.sighting.tag), invalid.author)
    submit_again(invalid, make.whole())
    decide(Annotation.objects.get(pk=invalid.pk), "accept")
    assert agreed(campaign, "before") == (0.5, 2)
    assert {
        stage: [one.annotator for one in annotations]
        for stage, annotations in populations(other)[1].items()
    } == {"before": [], "after": [invalid.author.pseudonym]}


def test_an_ambiguous_tag_is_not_compared_after_it(campaign):
    first, second = Annotation.objects.filter(author__username="bob").order_by("pk")
    decide(first, "accept")
    decide(second, "drop", "Nobody knows.")
    assert agreed(campaign, "before") == (0.5, 2)
    assert agreed(campaign, "after") == (1, 1)


@pytest.mark.both
def test_a_draft_and_what_is_sent_back_are_not_after_review(campaign):
    first, second = Annotation.objects.filter(author__username="alice").order_by("pk")
    decide(first, "send_back", "Look again.")
    decide(second, "accept")
    assert stage(campaign, "after")["tags"] == 1


@pytest.mark.both
def test_an_annotation_made_after_seeing_others_is_marked_and_left_out_of_the_blind_stage(campaign):
    bob = Person.objects.get(username="bob")
    first, second = Annotation.objects.filter(author=bob)
    for annotation, days in ((first, -1), (second, 1)):
        at = annotation.first_submitted_at + timedelta(days=days)
        Seen.objects.create(person=bob, tag=annotation.sighting.tag, opened="/tags/1/")
        Seen.objects.filter(tag=annotation.sighting.tag).update(at=at)
    assert stage(campaign, "before")["after_seeing"] == 1
    assert stage(campaign, "before")["tags"] == 2
    assert (stage(campaign, "blind")["after_seeing"], stage(campaign, "blind")["tags"]) == (0, 1)


def test_nobody_twice_gives_a_reason_and_no_number(db):
    campaign = make.campaign(tags=1, people=2)
    make.submitted(make.annotator("alice"), within=campaign)
    report = campaign_agreement(campaign)
    assert not report["measured"]
    assert "two people" in report["reason"]


def test_the_page_shows_numbers_under_pseudonyms_with_links_to_what_they_count(
    client, rita, campaign
):
    page = client.get(f"/reports/campaigns/{campaign.pk}/").content.decode()
    assert "50.0 %" in page
    assert "alice" not in page
    assert (
        f"/reports/campaigns/{campaign.pk}/rows/?round=1&amp;stage=before&amp;measure=validity"
        in page
    )
    nothing = make.campaign(name="Weirs", tags=1, by=Person.objects.get(username="olga"))
    assert "not measured" in client.get(f"/reports/campaigns/{nothing.pk}/").content.decode()


@pytest.mark.both
@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ({}, "2 comparisons of 2 tags"),
        ({"differ": "yes"}, "1 comparison of 1 tag"),
        ({"differ": "no"}, "1 comparison of 1 tag"),
        ({"measure": "type I"}, "1 comparison of 1 tag"),
        ({"measure": "span 2", "differ": "yes"}, "0 comparisons of 0 tags"),
        ({"stage": "after"}, "0 comparisons of 0 tags"),
        ({"round": "2"}, "0 comparisons of 0 tags"),
        ({"annotator_1": "P-NOBODY"}, "0 comparisons of 0 tags"),
    ],
)
def test_rows_are_those_that_the_number_counts(client, rita, campaign, query, heading):
    page = client.get(f"/reports/campaigns/{campaign.pk}/rows/", query).content.decode()
    assert heading in page


@pytest.mark.parametrize(
    "query", [{"stage": "x"}, {"measure": "x"}, {"round": "x"}, {"differ": "x"}]
)
def test_an_unknown_choice_is_refused(client, rita, campaign, query):
    assert client.get(f"/reports/campaigns/{campaign.pk}/rows/", query).status_code == 400


def test_the_files_have_what_the_page_shows(client, rita, campaign):
    base = f"/reports/campaigns/{campaign.pk}"
    report = client.get(f"{base}/agreement.json").json()
    assert report["rounds"] == campaign_agreement(campaign)["rounds"]
    lines = list(csv.DictReader(io.StringIO(page_at(client, f"{base}/agreement.csv"))))
    validity = [
        line for line in lines if line["measure"] == "validity" and line["stage"] == "before"
    ]
    assert {line["column"]: line["value"] for line in validity}["cohen_kappa"] == "0.0"
    rows = list(csv.DictReader(io.StringIO(page_at(client, f"{base}/rows.csv"))))
    assert [(row["tag"], row["validity_1"] == row["validity_2"]) for row in rows] == [
        ("0", True),
        ("1", False),
    ]


def page_at(client, address):
    return b"".join(client.get(address).streaming_content).decode()


def test_a_release_says_how_many_annotated_and_how_they_agree_once_it_is_closed(campaign):
    collection = mills(record(title="A"), record(title="B"))
    Campaign.objects.update(collection=collection)
    first, second = collection.contradictions.order_by("position")
    (*_, last) = Annotation.objects.order_by("pk")
    Annotation.objects.filter(sighting__tag=last.sighting.tag).update(contradiction=first)
    found = annotated(collection, {first.pk, second.pk})
    assert (found.people, found.per_record) == (2, {2: 1})
    assert found.agreement == [OPEN]
    Campaign.objects.update(state="closed")
    assert annotated(collection, {first.pk}).agreement == so_far(campaign)
    assert annotated(collection, {second.pk}).people == 0
