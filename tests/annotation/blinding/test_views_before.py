"""What somebody read before a tag could come to them: recorded, so that they do not get it, or are marked."""

from itertools import product

import pytest

from accounts.models import Person, RoleGrant
from accounts.roles import Role
from annotation.blinding import seeing
from annotation.campaigns import managing
from annotation.campaigns.opening import Frame
from annotation.campaigns.tag_drawing import CampaignPlan, draw_tags
from annotation.models import Annotation, Seen
from annotation.reviewing.publishing_tags import publish_campaign
from annotation.workflow.claiming import next_assignment
from datasets import exclusions, revisions
from datasets.models import Contradiction, Instance
from datasets.releasing.freezing import freeze
from datasets.revisions import Texts
from evaluation.annotators.entered import populations
from judging import verdicts
from tests.annotation import factories as make
from tests.factories import person, signed_in, stored
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db

FILE = "wikicontradict-json/"


@pytest.fixture
def rita(client):
    """No annotator yet."""
    return signed_in(client, person("rita", Role.ADMIN, Role.RESEARCHER))


def opened(client, address):
    response = client.get(address)
    assert response.status_code == 200
    if response.streaming:
        b"".join(response.streaming_content)


@pytest.mark.parametrize("of", ["rows.csv", "rows/", "rows/?differ=yes"])
def test_only_the_tags_that_several_people_annotated_are_compared_and_recorded(client, rita, of):
    campaign = make.campaign(tags=2, people=2)
    bob, dora = make.annotator("bob"), make.annotator("dora")
    both, _ = make.submitted(bob, within=campaign), make.submitted(bob, within=campaign)
    make.submitted(dora, within=campaign)
    opened(client, f"/reports/campaigns/{campaign.pk}/{of}")
    recorded = [*Seen.objects.filter(person=rita).values_list("tag", flat=True)]
    assert recorded == ([] if "differ" in of else [both.sighting.tag_id])


def test_who_read_a_review_before_they_were_added_to_the_campaign_does_not_get_the_tag(
    client, rita
):
    both = make.annotator("bob"), make.annotator("dora")
    campaign = make.campaign(tags=1, people=2, chosen=both)
    bobs = make.submitted(Person.objects.get(username="bob"), within=campaign)
    RoleGrant.objects.create(person=rita, role=Role.ANNOTATOR)
    assert client.get(make.place_of(bobs).path).status_code == 200
    managing.add_person(campaign, rita)
    assert next_assignment(by=rita, campaign=campaign) is None


@pytest.mark.both
@pytest.mark.parametrize(("is_own", "state"), [*product((True, False), ("draft", "submitted"))])
def test_only_what_others_handed_in_is_recorded_and_the_first_view_stays(is_own, state):
    rita, tag = person("rita", Role.ADMIN), make.tag()
    author = rita if is_own else make.annotator("bob")
    Annotation.objects.create(sighting=tag.latest, author=author, state=state, validity="Valid")
    for opened in ("/first/", "/second/"):
        seeing.keep_views(rita, Annotation.objects.all(), opened)
    recorded = [] if is_own or state == "draft" else ["/first/"]
    assert [*Seen.objects.values_list("opened", flat=True)] == recorded


@pytest.fixture(scope="module")
def finished(kept):
    """A campaign: bob annotated its two tags, both are published and released.

    The tests above have no use for it, and come before it is there.
    """
    campaign = make.campaign(tags=2, by=make.admin("otto"))
    bob = make.annotator("bob")
    for n in range(2):
        entries = make.whole(statement_1=f"It was built in {1801 + n}.")
        make.decide(make.submitted(bob, within=campaign, entries=entries), campaign.created_by)
    publish_campaign(campaign)
    freeze(collection=campaign.collection, version="1.0")
    return campaign


@pytest.fixture
def first(finished, db):
    return stored(finished)


def addresses(campaign):
    """By what is opened: its address, and of how many of the two tags it shows what was entered."""
    tag = campaign.assignments.order_by("order").first().tag_id
    record = Contradiction.objects.get(annotations__sighting__tag=tag)
    return {
        "record": (f"/contradictions/{record.pk}/", 1),
        "exclusion": (f"/contradictions/{record.pk}/questions/1/exclusion/", 1),
        "revision": (f"/contradictions/{record.pk}/questions/1/revised/", 1),
        "list": ("/collections/mills/", 2),
        "questions": ("/collections/mills/questions/", 2),
        "search": ("/collections/mills/?q=nothing-like-it", 0),
        "export": (f"/collections/mills/export/{FILE}", 2),
        "release": (f"/collections/mills/releases/1.0/files/{FILE}", 2),
        "api": ("/api/collections/mills/records/?page_size=1", 1),
        "review": (f"/reviews/{campaign.pk}/1/{tag}/", 1),
        "annotations": (f"/campaigns/{campaign.pk}/export/annotations.jsonl", 2),
        "revised": ("/collections/mills/revised/", 2),
        "none waiting": ("/collections/mills/revised/?state=waiting", 0),
        "numbers": (f"/campaigns/{campaign.pk}/progress/", 0),
        "home": ("/", 0),
    }


OPENED = [
    "record", "exclusion", "revision", "list", "questions", "search", "export", "release", "api", "review",
    "annotations", "revised", "none waiting", "numbers", "home",
]  # fmt: skip


@pytest.mark.both
@pytest.mark.parametrize("what", OPENED)
def test_a_view_is_recorded_once_with_its_address(client, first, rita, what):
    address, tags = addresses(first)[what]
    for _ in range(2):
        opened(client, address)
    seen = Seen.objects.filter(person=rita)
    assert seen.count() == tags
    assert {*seen.values_list("opened", flat=True)} <= {address.partition("?")[0]}


@pytest.fixture
def asked(first):
    """Both questions in a run and a study, in which two judges disagree on the first; it is excluded and revised."""
    questions = Instance.objects.order_by("contradiction__position")
    run, model = judging.run(), judging.language_model()
    for question in questions:
        judging.response(run, question, "passage-1", model)
    study = judging.open_study("ivy", "joe", drawn_from=run)
    judging.hand_in(study, "ivy", "correct")
    joe = judging.judge("joe")
    for slot in judging.slots(study, joe):
        is_first = slot.item.response.instance == questions[0]
        verdicts.give(slot, "incorrect" if is_first else "correct")
    verdicts.hand_in(joe, study)
    agreeing = Texts("It was built in 1801.", "It was built in 1801.", "1801")
    bob = Person.objects.get(username="bob")
    revisions.write(instance=questions[0], texts=agreeing, by=bob)
    exclusions.exclude(instance=questions[0], reason="Unclear", by=first.created_by)
    return {"run": run, "study": study, "response": run.responses.order_by("pk").first()}


@pytest.mark.parametrize(
    ("address", "records"),
    [
        ("/runs/{run.pk}/", 0),
        ("/runs/{run.pk}/responses/", 2),
        ("/runs/{run.pk}/responses/?outcome=failed", 0),
        ("/runs/{run.pk}/progress/", 0),
        ("/runs/{run.pk}/responses/{response.pk}/", 1),
        ("/runs/{run.pk}/responses.csv", 2),
        ("/api/runs/{run.pk}/", 0),
        ("/api/runs/{run.pk}/responses/?page_size=1", 1),
        ("/studies/{study.pk}/", 1),
        ("/studies/{study.pk}/export/csv/", 2),
        ("/reports/{study.pk}/", 0),
        ("/reports/{study.pk}/rows/", 2),
        ("/reports/{study.pk}/rows/?verdict=correct", 1),
        ("/reports/{study.pk}/rows.csv?verdict=correct", 1),
        ("/reports/{study.pk}/disagreements/", 1),
        ("/reports/{study.pk}/disagreements/?words=nothing", 0),
        ("/collections/mills/exclusions/", 1),
        ("/collections/mills/exclusions/?show=past", 0),
        ("/api/collections/mills/exclusions/", 1),
        ("/collections/mills/revised/?state=waiting", 1),
        ("/api/collections/mills/revised/", 1),
    ],
)
def test_only_what_is_on_the_page_or_in_the_file_is_recorded(client, asked, rita, address, records):
    opened(client, address.format(**asked))
    assert Seen.objects.filter(person=rita).count() == records


def test_a_response_that_names_its_model_is_recorded_with_the_study_s_page(client, asked, rita):
    asked["study"].items.filter(resolution__isnull=False).update(names_its_model=True)
    opened(client, f"/studies/{asked['study'].pk}/")
    assert Seen.objects.filter(person=rita).count() == 2


def becomes_annotator(rita, first):
    RoleGrant.objects.create(person=rita, role=Role.ANNOTATOR)
    return make.campaign(name="Later", tags=0, by=first.created_by)


@pytest.mark.both
def test_who_read_a_record_before_they_got_the_role_does_not_get_its_tag(client, first, rita):
    client.get(addresses(first)["record"][0])
    seen = Seen.objects.get(person=rita).tag_id
    later = becomes_annotator(rita, first)
    assert next_assignment(by=rita, campaign=later).tag_id != seen
    assert next_assignment(by=rita, campaign=later) is None


@pytest.mark.both
def test_a_campaign_that_gives_out_seen_tags_has_the_annotation_marked(client, first, rita):
    opened(client, addresses(first)["export"][0])
    later = becomes_annotator(rita, first)
    assert next_assignment(by=rita, campaign=later) is None
    seeing.let_people_annotate_what_they_saw(later, True)
    make.submitted(rita, within=later)
    (entered,) = populations(later)[1]["before"]
    assert entered.after_seeing


@pytest.fixture
def last():
    """A further tag, which is drawn after the two that bob annotated."""
    return make.tag()


def seed_of_order(*tags):
    """A seed that draws the tags in this order."""
    frame = Frame().tags()
    plans = (CampaignPlan(seed=seed) for seed in range(100))
    return next(plan.seed for plan in plans if drawn_in(frame, plan) == [*tags])


def drawn_in(frame, plan):
    return [each.tag.tag for each in draw_tags(frame, plan).drawn]


@pytest.mark.both
def test_when_a_campaign_opens_read_tags_are_replaced_by_unread_ones(client, first, rita, last):
    opened(client, addresses(first)["list"][0])
    RoleGrant.objects.create(person=rita, role=Role.ANNOTATOR)
    main, reserve = Seen.objects.filter(person=rita).values_list("tag", flat=True)
    plan = {"limit": 1, "reserve": 2, "seed": seed_of_order(main, reserve, last.pk)}
    later = make.campaign(name="Later", tags=0, plan=plan, chosen=(rita,), by=first.created_by)
    states = later.assignments.order_by("order").values_list("tag", "state")
    assert [*states] == [(main, "withdrawn"), (reserve, "reserve"), (last.pk, "free")]
    assert next_assignment(by=rita, campaign=later).tag == last


@pytest.mark.both
def test_a_file_of_many_records_takes_two_statements_and_one_once_known(
    first, rita, django_assert_num_queries
):
    rows = Annotation.objects.filter(assignment__campaign=first)
    with django_assert_num_queries(2):
        seeing.keep_views(rita, rows, "/file/")
    with django_assert_num_queries(1):
        seeing.keep_views(rita, rows, "/file/")
