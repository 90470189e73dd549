"""Races: two people on one tag, two clicks on one button."""

import pytest
from django.test import Client

from annotation import guidelines
from annotation.guideline_text import parts_of
from annotation.models import Annotation, AskedArticle, Assignment, Guideline, TagReview
from annotation.reviewing import deciding
from annotation.states import AnnotationState
from annotation.workflow import asked_articles, claiming, saving, undoing
from annotation.workflow.in_hand import HandsFull
from leases.refusal import Conflict, Refusal, StaleVersion
from tests.annotation import factories as make
from tests.annotation.test_annotate_pages import form_of
from tests.races import at_once, overlapping

pytestmark = [pytest.mark.both, pytest.mark.alone, pytest.mark.django_db(transaction=True)]


def skip(annotation, who):
    claiming.skip(assignment_id=annotation.assignment_id, by=who, reason="Greek")


def test_two_who_skip_one_tag_leave_two_places_for_others():
    campaign = make.campaign(people=2)
    alice, bob = make.annotator("alice"), make.annotator("bob")
    hers, his = make.draft(alice, within=campaign), make.draft(bob, within=campaign)
    assert overlapping(lambda: skip(hers, alice), lambda: skip(his, bob)) is None
    assert sorted(Assignment.objects.filter(state="free").values_list("slot", flat=True)) == [3, 4]


def test_a_draft_taken_up_by_two_clicks_has_one_place():
    campaign = make.campaign(people=2)
    alice = make.annotator("alice")
    draft = make.draft(alice, within=campaign)
    claiming.hand_back(assignment_id=draft.assignment_id, by=alice)

    def click():
        claiming.take_up(annotation_id=draft.pk, by=alice)

    refused = overlapping(click, click)
    assert isinstance(refused, Refusal)
    assert Assignment.objects.filter(person=alice).count() == 1
    assert Annotation.objects.get().assignment.person == alice


def submission(annotation, who):
    return make.submit(
        annotation_id=annotation.pk, by=who, version=annotation.version, entries=make.whole()
    )


def test_a_double_click_on_submit_submits_once():
    alice = make.annotator("alice")
    draft = make.draft(alice)
    results = []

    def click():
        results.append(submission(draft, alice))

    assert overlapping(click, click) is None
    assert [result.repeated for result in results] == [False, True]


def test_a_double_click_on_submit_takes_one_tag():
    alice = make.annotator("alice")
    draft = make.draft(alice, within=make.campaign(tags=3))
    entries = form_of(make.whole(), action="submit")
    answers = []

    def click():
        client = Client()
        client.force_login(alice)
        answers.append(client.post(f"/annotate/{draft.assignment_id}/", entries))

    at_once(click, click)
    assert [answer.status_code for answer in answers] == [200, 200]
    assert len({answer.context["annotation"] for answer in answers}) == 1
    assert Annotation.objects.count() == 2


@pytest.fixture
def handed():
    return make.submitted(make.annotator("alice"), within=make.campaign())


@pytest.fixture
def take_back(handed):
    version = Annotation.objects.get().version
    return lambda: undoing.undo(annotation_id=handed.pk, by=handed.author, version=version)


@pytest.fixture
def opening(handed):
    """A reviewer opens the tag; `.answers` holds what they got."""

    def open_it():
        client = Client()
        client.force_login(reviewer)
        open_it.answers.append(client.get(make.place_of(handed).path))

    reviewer, open_it.answers = make.admin("omar"), []
    return open_it


def is_drafted():
    """Whether the submission was taken back, and nothing of an open review is left, or all the other way round."""
    row = Annotation.objects.select_related("assignment").get()
    whole = (row.state, row.assignment.state, row.submitted_at is None, row.opened_at is None)
    assert whole in (("draft", "held", True, True), ("submitted", "submitted", False, False))
    return row.state == AnnotationState.DRAFT


def shows(answer):
    return make.WHOLE["statement_1"] in answer.content.decode()


def test_a_reviewer_who_opens_what_is_being_taken_back_sees_nothing_of_it(take_back, opening):
    assert overlapping(take_back, opening) is None
    assert is_drafted()
    assert not shows(opening.answers[0])


def test_what_a_reviewer_is_opening_is_not_taken_back(take_back, opening):
    assert isinstance(overlapping(opening, take_back), Conflict)
    assert not is_drafted()
    assert shows(opening.answers[0])


def test_of_taking_back_and_opening_at_once_one_wins_whole(take_back, opening):
    refused = [each for each in at_once(take_back, opening) if each]
    assert is_drafted() == (not refused) == (not shows(opening.answers[0]))


def test_a_double_click_on_undo_takes_back_once(handed, take_back):
    before = Annotation.objects.get().version
    assert overlapping(take_back, take_back) is None
    assert is_drafted()
    assert Annotation.objects.get().version == before + 1
    assert handed.draft_revisions.count() == 1


def test_submissions_from_two_tabs_take_one_tag():
    alice, campaign = make.annotator("alice"), make.campaign(tags=4)
    drafts = [make.draft(alice, within=campaign, span_1="in 1801") for _ in range(2)]
    taken = []

    def submit(draft):
        submission(draft, alice)
        taken.append(claiming.following_assignment(by=alice, campaign=campaign, again=False))

    at_once(*[lambda draft=draft: submit(draft) for draft in drafts])
    assert taken[0] == taken[1]
    assert Annotation.objects.count() == 3


def test_the_times_of_two_tabs_add_up():
    alice = make.annotator("alice")
    draft = make.draft(alice)

    def stay(step):
        activity = saving.Activity(step, 10)
        make.save_draft(annotation_id=draft.pk, by=alice, version=0, changes={}, activity=activity)

    assert overlapping(lambda: stay("types"), lambda: stay("types")) is None
    stay("reason")
    row = Annotation.objects.get()
    assert (row.seconds_active, row.seconds_by_step) == (30, {"types": 20, "reason": 10})


def test_a_program_that_asks_twice_at_once_gets_one_tag():
    alice, campaign = make.annotator("alice"), make.campaign(tags=3)
    taken = []

    def ask():
        taken.append(claiming.in_hand_or_next(by=alice, campaign=campaign))

    assert overlapping(ask, ask) is None
    assert taken[0] == taken[1]
    assert Annotation.objects.count() == 1


def test_a_skip_that_is_sent_twice_at_once_leaves_one_place_for_others():
    alice = make.annotator("alice")
    draft = make.draft(alice)
    assert overlapping(lambda: skip(draft, alice), lambda: skip(draft, alice)) is None
    assert Assignment.objects.filter(state="free").count() == 1


def test_two_claims_at_once_keep_the_limit():
    alice, campaign = make.annotator("alice"), make.campaign(tags=3, in_hand=2)
    make.draft(alice, within=campaign)

    def claim():
        claiming.next_assignment(by=alice, campaign=campaign)

    assert isinstance(overlapping(claim, claim), HandsFull)
    assert Annotation.objects.count() == 2


def test_a_claim_and_a_draft_taken_up_keep_the_limit():
    alice, campaign = make.annotator("alice"), make.campaign(tags=2, in_hand=1)
    returned = make.draft(alice, within=campaign)
    claiming.hand_back(assignment_id=returned.assignment_id, by=alice)
    refused = overlapping(
        lambda: claiming.next_assignment(by=alice, campaign=campaign),
        lambda: claiming.take_up(annotation_id=returned.pk, by=alice),
    )
    assert isinstance(refused, HandsFull)
    assert Assignment.objects.filter(person=alice).count() == 1


def test_two_reviewers_at_once_are_one_decision():
    campaign = make.campaign()
    annotation = make.submitted(make.annotator("alice"), within=campaign)
    reviewers = [make.admin("omar"), make.admin("orla")]
    at = make.place_of(annotation)
    read = make.read_by(at)

    def decide(who):
        deciding.accept(at, annotation.pk, by=who, read=read, is_same=None)

    refused = at_once(*[lambda who=who: decide(who) for who in reviewers])
    assert sorted(each.status for each in refused if each) == [412]
    assert Annotation.objects.get().state == AnnotationState.ACCEPTED
    assert TagReview.objects.count() == 1


def test_a_decision_is_on_the_version_that_was_read(monkeypatch):
    """The author hands in a new version between the reviewer's reading and deciding."""
    annotation = make.submitted(make.annotator("alice"), within=make.campaign())
    orla = make.admin("orla")
    may_review = deciding.check_may_review

    def handed_in_meanwhile(*given):
        may_review(*given)
        Annotation.objects.filter(pk=annotation.pk).update(version=annotation.version + 2)

    monkeypatch.setattr(deciding, "check_may_review", handed_in_meanwhile)
    with pytest.raises(StaleVersion):
        make.decide(annotation, orla)
    assert Annotation.objects.get().state == AnnotationState.SUBMITTED


def test_of_two_admins_who_save_the_guideline_at_once_one_is_refused_and_nothing_is_lost():
    olga, oleg = make.admin("olga"), make.admin("oleg")
    base = guidelines.current_guideline()
    texts = parts_of(base.body)

    def save(who):
        changed = {**texts, "introduction": f"By {who}."}
        guidelines.save_guideline(changed, base=base.version, by=who)

    refused = overlapping(lambda: save(olga), lambda: save(oleg))
    assert isinstance(refused, StaleVersion)
    assert Guideline.objects.count() == 2
    assert parts_of(guidelines.current_guideline().body)["introduction"] == "By Olga."


def test_two_first_versions_of_the_guideline_at_once_get_numbers_of_their_own(monkeypatch):
    """One admin saves while the files of a new program are read."""
    olga = make.admin("olga")
    texts = parts_of(guidelines.body_of_files())

    def save():
        guidelines.save_guideline({**texts, "introduction": "By Olga."}, base="1", by=olga)

    def read_files():
        monkeypatch.setattr(guidelines, "body_of_files", lambda: "New files.")
        guidelines.current_guideline()

    assert overlapping(save, read_files) is None
    assert sorted(Guideline.objects.values_list("version", flat=True)) in (
        ["1", "2"],
        ["1", "2", "3"],
    )


def test_a_double_click_asks_for_one_article(settings):
    settings.WIKI_CONTACT = "alice@example.org"
    draft = make.draft(make.annotator("alice"))

    def click():
        asked_articles.ask_for(draft, "https://en.wikipedia.org/wiki/Mill", draft.author)

    assert overlapping(click, click) is None
    assert AskedArticle.objects.count() == 1


def test_of_two_workers_one_fetches_an_asked_article(settings, monkeypatch):
    settings.WIKI_CONTACT = "alice@example.org"
    draft = make.draft(make.annotator("alice"))
    row = asked_articles.ask_for(draft, "https://en.wikipedia.org/wiki/Mill", draft.author)
    asked = []

    def fetched_article(*_):
        asked.append(row.pk)
        return draft.sighting.revision

    monkeypatch.setattr(asked_articles, "fetched_article", fetched_article)
    at_once(*[lambda: asked_articles.fetch_asked(row.pk)] * 2)
    assert asked == [row.pk]
    assert AskedArticle.objects.get().state == "fetched"
