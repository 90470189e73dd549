"""A campaign in small, from the draw to the files: strata, reserve, pilot, main round, people who differ, one who
leaves, merges, an ambiguous tag, the stop rule, agreement, exports."""

import io
import json
import zipfile
from collections import Counter

import pytest
from sklearn.metrics import cohen_kappa_score

from annotation.campaigns import managing
from annotation.exporting.campaign_files import EXPORTS
from annotation.models import Annotation, Assignment, TagReview
from annotation.reviewing import deciding
from annotation.reviewing.combining import Merge, asked_in
from annotation.reviewing.merging import FieldSources
from annotation.reviewing.publishing_tags import publish_campaign
from annotation.reviewing.tags_in_round import InRound
from annotation.states import AnnotationState, AssignmentState, CampaignState
from annotation.workflow import assigning, claiming
from datasets.models import Contradiction
from evaluation.annotators.campaign import campaign_agreement
from tests.annotation import factories as make

pytestmark = [pytest.mark.both, pytest.mark.django_db]

KINDS = {"inconsistent": 22, "self-contradictory": 10, "contradict-other": 8}
DRAWN = {"inconsistent": 14, "self-contradictory": 6, "contradict-other": 4}
ENOUGH = 17  # valid tags


@pytest.fixture
def people():
    return {name: make.annotator(name) for name in ("alice", "bob", "carla")}


@pytest.fixture
def olga():
    return make.admin()


@pytest.fixture
def campaign(people, olga):
    for kind, number in KINDS.items():
        for n in range(number):
            make.tag(f"{kind} {n}", kind)
    return make.campaign(
        by=olga,
        tags=0,
        people=2,
        chosen=tuple(people.values()),
        plan={"strata": DRAWN, "reserve": 2, "pilot": 4, "double_share": 0.5, "seed": 7},
        limits={"stop_at_valid": ENOUGH},
        pilot_again=True,  # three people are too few for others in the main round
    )


def entered(name: str, order: int):
    """What each annotator enters for the tag at this place of the draw: they differ by rules of their own."""
    invalid = {"alice": order % 6 == 5, "bob": order % 6 == 5 or order == 8, "carla": order == 2}
    if invalid[name]:
        return make.nothing(validity="Invalid", valid_comment="Both are right.")
    more = make.whole(
        statement_1=f"{name} reads 1801.",
        type_4=["Implicit (reasoning required)" if name == "bob" and order % 2 else "Explicit"],
    )
    if name == "bob":
        more["questions"].append(
            {**more["questions"][0], "question": f"When was mill {order} finished?"}
        )
    return more


def work(person, campaign) -> bool:
    """Annotate the next tag; False when there is none."""
    place = claiming.next_assignment(by=person, campaign=campaign)
    if place:
        draft = Annotation.objects.get(assignment=place)
        make.handed_in(draft, entered(person.username, place.order))
    return place is not None


def in_turns(people, campaign) -> None:
    while sum(work(person, campaign) for person in people):
        pass


def waiting(campaign, n) -> list[InRound]:
    """The tags of a round that can be reviewed, in the order of the draw."""
    submitted = Assignment.objects.filter(
        campaign=campaign, round=n, annotation__state=AnnotationState.SUBMITTED
    )
    tags = dict.fromkeys(submitted.order_by("order").values_list("tag", flat=True))
    return [InRound(campaign.pk, n, tag) for tag in tags]


def decide(at: InRound, olga, merges: list, ambiguous: list) -> None:
    """Accept the first; merge two pairs that differ in questions; drop the first whose validity differs."""
    rows, read = list(at.submitted), make.read_by(at)
    is_same = True if len(rows) > 1 else None
    if len({row.validity for row in rows}) > 1 and not ambiguous:
        reason = "Nobody can say."
        deciding.drop(at, by=olga, read=make.read_by(at, reason), is_same=is_same)
        ambiguous.append(at)
    elif len({row.questions.count() for row in rows}) > 1 and len(merges) < 2:
        picks = {
            index: [next(iter(one.wordings.values())).key]
            for index, one in enumerate(asked_in(rows))
        }
        other = {"statement_2": rows[1].pk, "type_4": rows[1].pk}
        how = Merge(FieldSources(rows[0].pk, other), picks)
        deciding.merge(at, how, by=olga, read=read)
        merges.append(at)
    else:
        deciding.accept(at, rows[0].pk, by=olga, read=read, is_same=is_same)


def test_a_campaign_in_small(campaign, people, olga):
    alice, bob, carla = people.values()
    assert [(s["kind"], s["drawn"], s["reserve"]) for s in campaign.strata] == [
        (kind, number, 2) for kind, number in DRAWN.items()
    ]
    merges, ambiguous = [], []

    # The pilot: each of its tags by two of the three.
    in_turns([alice, bob, carla], campaign)
    pilot = Assignment.objects.filter(campaign=campaign, round=1)
    assert Counter(pilot.values_list("tag")).most_common()[-1][1] == 2
    assert set(pilot.values_list("state", flat=True)) == {AssignmentState.SUBMITTED}
    assert pilot.values("tag").distinct().count() == 4
    for at in waiting(campaign, 1):
        decide(at, olga, merges, ambiguous)

    # The main round: carla leaves with tags in hand, which others get; the stop rule closes the campaign.
    managing.open_main_round(campaign)
    for person in (alice, bob, carla):
        assert work(person, campaign)
    held = claiming.next_assignment(by=carla, campaign=campaign)
    assert assigning.remove_person(campaign, carla) == 1
    assert not work(carla, campaign)
    in_turns([alice, bob], campaign)
    campaign.refresh_from_db()
    assert campaign.state == CampaignState.CLOSED
    main = Assignment.objects.filter(campaign=campaign, round=2)
    both = Annotation.objects.filter(assignment__in=main)
    valid = both.filter(validity="Valid").values("assignment__tag").distinct()
    assert valid.count() == ENOUGH
    assert not main.filter(pk=held.pk, person=carla).exists()
    once = Counter(
        (row.round, row.tag_id, row.person_id) for row in (*pilot, *main) if row.person_id
    )
    assert set(once.values()) == {1}

    assert agreement_on_validity(campaign) == counted_apart(both)

    for at in waiting(campaign, 2):
        decide(at, olga, merges, ambiguous)
    assert (len(merges), len(ambiguous)) == (2, 1)
    assert not waiting(campaign, 2)
    done = publish_campaign(campaign, olga)
    decided = TagReview.objects.filter(campaign=campaign)
    assert done.tags == decided.count() - len(ambiguous)
    tags = decided.exclude(decision="drop").values("tag").distinct().count()
    assert Contradiction.objects.filter(superseded_by=None).count() == tags

    read_back(campaign, tags)


def agreement_on_validity(campaign):
    """(tags, agreement, kappa of alice and bob) before review, as the report has them."""
    main = campaign_agreement(campaign)["rounds"][1]
    validity = next(one for one in main["stages"][0]["measures"] if one["key"] == "validity")
    pair = next(
        two
        for two in validity["pairs"]
        if len(two["table"]) == 2 and sum(map(sum, two["table"])) > 1
    )
    found = {one["name"]: one for one in pair["coefficients"]}
    return (
        sum(map(sum, pair["table"])),
        pytest.approx(found["percent_agreement"]["value"]),
        pytest.approx(found["cohen_kappa"]["value"]),
    )


def counted_apart(annotations):
    """The same by scikit-learn, from the rows."""
    by_tag: dict[int, dict[str, str]] = {}
    for row in annotations.select_related("author", "assignment"):
        by_tag.setdefault(row.assignment.tag_id, {})[row.author.username] = row.validity
    both = [(by["alice"], by["bob"]) for by in by_tag.values() if set(by) == {"alice", "bob"}]
    first, second = zip(*both, strict=True)
    return (
        len(both),
        sum(one == two for one, two in both) / len(both),
        cohen_kappa_score(first, second),
    )


def read_back(campaign, tags) -> None:
    """The three files hold what the rows hold."""
    with EXPORTS["annotations.jsonl"].open(campaign) as file:
        lines = [json.loads(line) for line in file]
    handed_in = Annotation.objects.filter(assignment__campaign=campaign)
    assert Counter(line["annotator"] for line in lines) == Counter(
        handed_in.exclude(submitted_at=None).values_list("author__pseudonym", flat=True)
    )
    with (
        EXPORTS["by-annotator.zip"].open(campaign) as file,
        zipfile.ZipFile(io.BytesIO(file.read())) as zipped,
    ):
        rows = [json.loads(line) for name in zipped.namelist() for line in zipped.open(name)]
    assert sorted(map(json.dumps, rows)) == sorted(map(json.dumps, lines))
    with EXPORTS["records.json"].open(campaign) as file:
        assert len(json.load(file)) == tags
