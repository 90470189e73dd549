"""A campaign's annotations as files."""

import io
import json
import zipfile

import pytest

from accounts.models import Person
from annotation.models import Annotation, Review
from annotation.reviewing import deciding
from annotation.reviewing.publishing_tags import publish_campaign
from annotation.workflow import assigning, claiming
from tests.annotation import factories as make
from tests.factories import signed_in

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def campaign(client):
    """Two tags for two people: alice has submitted both, bob one; bob has a draft that he never submitted."""
    campaign = make.campaign(tags=2, people=2)
    alice, bob = make.annotator("alice"), make.annotator("bob")
    for _ in range(2):
        make.submitted(alice, within=campaign)
    make.submitted(bob, within=campaign, entries=make.nothing(validity="Invalid"))
    make.draft(bob, within=campaign, qa_comment="Not yet.")
    signed_in(client, Person.objects.get(username="olga"))
    return campaign


def read(client, campaign, name):
    response = client.get(f"/campaigns/{campaign.pk}/export/{name}")
    assert f"campaign-{campaign.pk}-{name}" in response["Content-Disposition"]
    return b"".join(response.streaming_content)


def rows_of(data):
    return [json.loads(line) for line in data.decode().splitlines()]


def test_each_submitted_annotation_is_a_line_with_everything_but_names(client, campaign):
    olga = Person.objects.get(username="olga")
    first = Annotation.objects.filter(author__username="alice").earliest("pk")
    make.decide(first, olga, "send_back", "Look again.")
    data = read(client, campaign, "annotations.jsonl")
    rows = rows_of(data)
    assert len(rows) == 3
    (sent_back,) = [row for row in rows if row["state"] == "sent_back"]
    assert sent_back["entries"] == sent_back["first_entries"] == make.whole()
    assert sent_back["reviews"][0]["note"] == "Look again."
    assert sent_back["tag"]["wikitext"] == make.RAW
    assert sent_back["annotator"] == "A"
    assert all(name not in data.decode().lower() for name in ("alice", "olga", "not yet"))


def test_what_was_sent_back_keeps_its_line_when_another_person_gets_the_place(client, campaign):
    before = rows_of(read(client, campaign, "annotations.jsonl"))
    first = Annotation.objects.filter(author__username="alice").earliest("pk")
    make.decide(first, Person.objects.get(username="olga"), "send_back", "Look again.")
    place = campaign.assignments.filter(pk=first.assignment_id)
    carol = make.annotator("carol")
    assigning.reassign(campaign, place, carol)
    make.handed_in(Annotation.objects.get(author=carol))
    again = Annotation.objects.get(author=carol)
    after = rows_of(read(client, campaign, "annotations.jsonl"))
    assert [place_of(row) for row in after] == [
        place_of(before[0]),
        (1, 0, None, "A"),
        *map(place_of, before[1:]),
    ]
    make.decide(again, Person.objects.get(username="olga"))
    decided = rows_of(read(client, campaign, "annotations.jsonl"))
    assert [place_of(row) for row in decided[:2]] == [
        (1, 0, 1, first.author.pseudonym),
        (1, 0, 1, carol.pseudonym),
    ]


def place_of(row):
    return row["round"], row["tag"]["order"], row["tag"]["slot"], row["annotator"]


def people_in(client, campaign):
    """Who is named in each line, with its slot, and whether it has times."""
    rows = rows_of(read(client, campaign, "annotations.jsonl"))
    times = ("created_at", "first_submitted_at", "submitted_at", "saved_at")
    return [
        (row["annotator"], row["tag"]["slot"], any(row[name] for name in times)) for row in rows
    ]


@pytest.fixture
def pair(client):
    """alice's and bob's annotations of one tag, of which bob's has the letter A."""
    olga = make.admin()
    pair = make.two_of_a_tag({}, {"confidence": 1}, by=olga)
    for row, lot in zip(pair, (0.7, 0.2), strict=True):
        make.place_of(row).assignments.filter(pk=row.assignment_id).update(lot=lot)
    signed_in(client, olga)
    return pair


def test_a_line_says_whose_it_is_only_while_the_tag_is_decided(client, pair):
    olga, within = Person.objects.get(username="olga"), pair[0].assignment.campaign
    make.decide(pair[0], olga, "send_back", "Which year?")
    Annotation.objects.update(
        **dict.fromkeys(("created_at", "saved_at", "submitted_at"), "2031-05-06T07:08:09Z")
    )
    Review.objects.update(created_at="2031-05-06T07:08:09Z")
    data = read(client, within, "annotations.jsonl").decode()
    rows = rows_of(data.encode())
    letters = make.place_of(pair[0]).letters
    assert [row["annotator"] for row in rows] == ["A", "B"]
    assert [letters[row.assignment_id] for row in pair] == ["B", "A"]
    assert [row["entries"]["confidence"] for row in rows] == [1, make.whole()["confidence"]]
    assert people_in(client, within) == [("A", None, False), ("B", None, False)]
    assert not any(each in data for each in ("2031", *(row.author.pseudonym for row in pair)))
    kept = deciding.accept(
        make.place_of(pair[1]),
        pair[1].pk,
        by=olga,
        read=make.read_by(make.place_of(pair[1]), withdraw=True),
        is_same=None,
    )
    named = [(row.author.pseudonym, n, True) for n, row in enumerate(pair, start=1)]
    assert people_in(client, within) == named
    deciding.take_back(kept.pk, by=olga)
    assert people_in(client, within) == [("A", None, False), ("B", None, False)]


def test_a_tag_of_one_person_has_the_pseudonym_also_where_another_skipped_it(client):
    within = make.campaign(people=1)
    skipped = make.draft(make.annotator("bob"), within=within)
    claiming.skip(assignment_id=skipped.assignment_id, by=skipped.author, reason="Too long.")
    alice = make.annotator("alice")
    make.submitted(alice, within=within)
    signed_in(client, Person.objects.get(username="olga"))
    assert people_in(client, within) == [(alice.pseudonym, 2, True)]


def test_a_tag_that_nobody_has_to_review_has_pseudonyms(client):
    within = make.campaign(people=2)
    olga, alice = Person.objects.get(username="olga"), make.annotator("alice")
    row = make.submitted(alice, within=within)
    signed_in(client, olga)
    assert people_in(client, within) == [("A", None, False)]
    make.decide(row, olga, "send_back", "Which year?")
    make.withdraw(row.assignment_id, within)
    assert people_in(client, within) == [(alice.pseudonym, 1, True)]


def test_the_lines_of_each_annotator_are_a_file_of_their_own(client, campaign):
    undecided = zipfile.ZipFile(io.BytesIO(read(client, campaign, "by-annotator.zip")))
    people = Person.objects.filter(username__in=["alice", "bob"])
    assert undecided.namelist() == sorted(f"{person.pseudonym}.jsonl" for person in people)
    first = Annotation.objects.filter(author__username="alice").earliest("pk")
    make.decide(first, Person.objects.get(username="olga"))
    zipped = zipfile.ZipFile(io.BytesIO(read(client, campaign, "by-annotator.zip")))
    whole = rows_of(read(client, campaign, "annotations.jsonl"))
    apart = {name: rows_of(zipped.read(name)) for name in zipped.namelist()}
    for name, rows in apart.items():
        assert {row["annotator"] for row in rows} == {name.removesuffix(".jsonl")}
        assert [row for row in whole if f"{row['annotator']}.jsonl" == name] == [
            row for row in rows if row in whole
        ]
    assert sum(map(len, apart.values())) == len(whole)
    assert read(client, campaign, "by-annotator.zip") == read(client, campaign, "by-annotator.zip")


def test_the_records_are_those_that_this_campaign_published(client, campaign):
    assert json.loads(read(client, campaign, "records.json")) == []
    other = make.campaign(name="Weirs", tags=1, by=Person.objects.get(username="olga"))
    make.submitted(make.annotator("carol"), within=other, entries=make.whole(confidence=2))
    held = campaign.assignments.get(state="held")
    make.withdraw(held.pk, campaign)
    for each in (
        Annotation.objects.get(author__username="carol"),
        Annotation.objects.get(validity="Invalid"),
        Annotation.objects.get(author__username="alice", sighting__tag=held.tag),
    ):
        make.decide(each, Person.objects.get(username="olga"))
    publish_campaign(other)
    assert json.loads(read(client, campaign, "records.json")) == []
    publish_campaign(campaign)
    records = json.loads(read(client, campaign, "records.json"))
    labels = [one["annotationResult"]["wikitag_label_valid"] for one in records]
    assert sorted(labels) == ["Invalid", "Valid"]


def test_the_page_says_what_each_file_holds_and_leaves_out(client, campaign):
    page = client.get(f"/campaigns/{campaign.pk}/export/").content.decode()
    assert page.count("Leaves out") == 5
    assert "never submitted" in page
    assert "whoever is to review these tags does not open it" in page


def test_another_file_is_not_there(client, campaign):
    assert client.get(f"/campaigns/{campaign.pk}/export/everything.xml").status_code == 404


def test_exporting_reads_a_batch_at_a_time(client, campaign, django_assert_max_num_queries):
    with django_assert_max_num_queries(25):
        read(client, campaign, "annotations.jsonl")
