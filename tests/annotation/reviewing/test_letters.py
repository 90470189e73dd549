"""Until a tag is decided its annotations have letters: no page of the review says whose they are."""

import pytest
from django.urls import reverse

from annotation.campaigns import opening
from annotation.campaigns.opening import CampaignDesign, Frame, Limits
from annotation.campaigns.tag_drawing import CampaignPlan
from annotation.models import Annotation
from annotation.reviewing import deciding
from annotation.reviewing.deciding import ReviewNotes
from annotation.reviewing.letters import letter, letters_by
from annotation.workflow import claiming
from tests.annotation import factories as make
from tests.factories import signed_in

pytestmark = pytest.mark.django_db
NAMES = ("Alice", "Bob", "Carla")


@pytest.fixture
def olga(client):
    return signed_in(client, make.admin("olga"))


@pytest.fixture
def three(olga):
    return make.two_of_a_tag({}, {"span_1": "1801"}, {"validity": "Invalid"}, by=olga)


def path_of(annotation):
    return make.place_of(annotation).path


def named(response):
    page = response.content.decode()
    return [name for name in NAMES if name in page]


def form(annotation, decision, **more):
    at = make.place_of(annotation)
    read = {f"version-{at.letters[row.assignment_id]}": row.version for row in at.submitted}
    return {**read, "decision": decision, **more}


@pytest.mark.both
def test_letters_follow_the_lots_and_who_shares_a_lot_shares_a_letter():
    assert letters_by({7: 0.5, 8: 0.1, 9: 0.7, 10: 0.1}) == {7: "B", 8: "A", 9: "C", 10: "A"}
    assert [letter(n) for n in (0, 25, 26, 27)] == ["A", "Z", "A1", "B1"]


def test_a_campaign_s_letters_are_by_chance_and_not_of_its_seed(olga):
    make.tag()
    design = CampaignDesign(Frame(), CampaignPlan(people_per_tag=10, seed=7), Limits())
    orders = []
    for name in ("One", "Two"):
        campaign = opening.open_campaign(
            name=name, collection=make.collection(), design=design, by=olga
        )
        orders.append([*campaign.assignments.order_by("lot").values_list("slot", flat=True)])
    assert orders[0] != orders[1]  # in one of 3,628,800 runs they are equal
    assert sorted(orders[0]) == [*range(1, 11)]


@pytest.mark.both
def test_who_gets_a_skipped_tag_gets_its_letter(olga):
    campaign = make.campaign(by=olga, people=2)
    first = make.submitted(make.annotator("alice"), within=campaign)
    skipped = make.draft(make.annotator("bob"), within=campaign)
    claiming.skip(assignment_id=skipped.assignment_id, by=skipped.author, reason="Too long.")
    second = make.submitted(make.annotator("carla"), within=campaign)
    letters = make.place_of(first).letters
    assert [letters[each.assignment_id] for each in (first, skipped, second)] == ["A", "B", "B"]


@pytest.mark.both
def test_the_page_has_the_annotations_in_the_order_of_their_letters(client, three):
    for place, lot in zip(three, (0.3, 0.2, 0.1), strict=True):
        make.place_of(place).assignments.filter(pk=place.assignment_id).update(lot=lot)
    desk = client.get(path_of(three[0])).context["desk"]
    assert [(column.letter, column.annotation) for column in desk.columns] == [
        ("A", three[2]),
        ("B", three[1]),
        ("C", three[0]),
    ]


def test_nothing_says_whose_an_annotation_is_until_the_tag_is_decided(client, three):
    path = path_of(three[0])
    assert named(client.get(path)) == []
    assert named(client.get(reverse("annotation:reviews"))) == []
    refused = form(three[0], "merge", same="yes", chosen="A", reason="Well.")
    assert named(client.post(path, refused)) == []
    back = form(three[1], "send_back", chosen="B", reason="Which year?")
    assert named(client.post(path, back, follow=True)) == []
    page = client.get(path)
    assert named(page) == []
    assert "1 person still works on it." in " ".join(page.content.decode().split())
    assert named(client.post(path, form(three[0], "drop", same="no", reason="Hm."))) == []
    done = form(three[0], "drop", same="no", reason="Hm.", withdraw="on")
    assert client.post(path, done).status_code == 302
    decided = client.get(path)
    assert set(named(decided)) == {"Alice", "Carla"}
    taken = reverse("annotation:take_back", args=[decided.context["desk"].decision.pk])
    assert named(client.post(taken, follow=True)) == []


def test_a_note_to_who_gave_the_tag_up_since_is_not_one_to_a_merged_annotation(client, olga):
    pair = make.two_of_a_tag({}, {"span_1": "1801"}, by=olga)
    read = make.read_by(
        make.place_of(pair[0]), notes={pair[1].pk: ReviewNotes("", {"span_1": "Shorter."})}
    )
    kept = deciding.accept(make.place_of(pair[0]), pair[0].pk, by=olga, read=read, is_same=True)
    deciding.take_back(kept.pk, by=olga)
    make.decide(pair[1], olga, "send_back", "Look again.")
    claiming.hand_back(assignment_id=pair[1].assignment_id, by=pair[1].author)
    page = " ".join(client.get(path_of(pair[0])).content.decode().split())
    assert "To an annotator who no longer has the tag: " in page
    assert "Shorter." in page
    assert "Merged" not in page


def test_the_page_has_no_keys_and_no_times_of_annotations(client, three):
    Annotation.objects.update(submitted_at="2031-05-06T07:08:09Z")
    page = client.get(path_of(three[0])).content.decode()
    assert "2031" not in page
    for row in three:
        assert f'value="{row.pk}-' not in page
        assert f"note-{row.pk}-" not in page


@pytest.mark.parametrize("chosen", ["D", "a", "", "A-1", "1", "A" * 500])
def test_a_letter_that_no_annotation_has_decides_nothing(client, three, chosen):
    posted = form(three[0], "accept", same="yes", chosen=chosen)
    assert client.post(path_of(three[0]), posted).status_code == 400
    posted = form(three[0], "accept", same="yes", chosen="A") | {f"version-{chosen}": 1}
    assert client.post(path_of(three[0]), posted).status_code in (302, 412)
