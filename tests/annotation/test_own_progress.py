"""An annotator's own progress: it equals the database, and says what became of each annotation."""

from dataclasses import replace

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from annotation.desk.own_progress import WantedAnnotations, finished_annotations, own_progress
from annotation.models import Annotation, Assignment
from annotation.reviewing import publishing_tags
from tests.annotation import factories as make
from tests.annotation.test_annotate_pages import form_of, page_of, text_of

pytestmark = pytest.mark.django_db


def open_page(client, **query):
    return client.get(reverse("annotation:own_progress"), query)


def listed(response):
    return [row.annotation for row in response.context["rows"]]


@pytest.fixture
def olga():
    return make.admin("olga")


@pytest.fixture
def mills(olga):
    """A campaign of six tags, "Mills"."""
    return make.campaign(by=olga, tags=6)


@pytest.fixture
def submitted(alice, mills):
    """Hand in one more, with these changes of the entries, and decide on it."""

    def hand_in(decision="", by="otto", **changes):
        annotation = make.submitted(alice, within=mills, entries=make.whole(**changes))
        if decision:
            make.decide(annotation, make.admin(by), decision, "Why?", {"span_1": "Only the year."})
        return annotation

    return hand_in


def question(text):
    return [{**make.WHOLE["questions"][0], "question": text}]


@pytest.mark.both
def test_the_numbers_equal_the_database(alice, mills, submitted):
    submitted()
    submitted("drop")
    submitted("send_back", by="orla")
    make.draft(alice, within=mills)
    make.submitted(make.annotator("bob"), within=mills)
    own = own_progress(alice)
    assert (own.done, own.sent_back, own.in_progress, own.free, own.left) == (2, 1, 1, 1, 3)


@pytest.mark.both
def test_the_pace_is_the_median_of_active_time_in_all_and_by_step(alice, mills, submitted):
    for validity, reason in ((60, 600), (120, None), (300, 1200)):
        times = {"validity": validity} | ({"reason": reason} if reason else {})
        Annotation.objects.filter(pk=submitted().pk).update(
            seconds_active=sum(times.values()), seconds_by_step=times
        )
    own = own_progress(alice)
    assert (own.minutes, own.timed) == (11, 3)
    assert own.time_left == "33 minutes"
    assert replace(own, minutes=40.5).time_left == "2.0 hours"
    assert replace(own, minutes=None).time_left == ""
    times = {each.step.key: (each.minutes, each.n) for each in own.step_times}
    assert (times["validity"], times["reason"]) == ((2, 3), (15, 2))
    assert times["types"] == (None, 0)


def test_the_form_s_time_counts_for_the_step_it_names(client, alice, mills):
    draft = make.draft(alice, within=mills)
    for step, seconds in (("validity", "20"), ("reason", "30"), ("reason", "15"), ("nowhere", "5")):
        client.post(page_of(draft), form_of(make.nothing(), step=step, seconds=seconds))
    row = Annotation.objects.get()
    assert row.seconds_by_step == {"validity": 20, "reason": 50}
    assert row.seconds_active == 70


def test_people_are_told_that_time_is_measured(client, alice, mills):
    draft = make.draft(alice, within=mills)
    assert "Your active time at each step is measured" in text_of(client.get(page_of(draft)))
    assert "The form measures how long you are active at each step" in text_of(open_page(client))


def test_nothing_submitted_says_what_to_do(client, alice):
    assert "Nothing submitted yet. Get a tag in your queue." in text_of(open_page(client))


def test_what_became_of_each(client, alice, mills, submitted):
    dropped, sent_back = submitted("drop"), submitted("send_back", by="orla")
    accepted = submitted("accept", by="omar")
    publishing_tags.publish_campaign(mills)
    waiting = submitted()
    response = open_page(client)
    assert set(listed(response)) == {dropped, sent_back, accepted, waiting}
    shown = text_of(response)
    for state in ("Ambiguous", "Sent back", "Published", "Submitted"):
        assert state in shown
    assert shown.count("Why? Contradicted span of passage 1: Only the year.") == 3
    record = Annotation.objects.get(pk=accepted.pk).contradiction_id
    address = reverse("datasets:contradiction", args=[record])
    assertContains(response, f'<a href="{address}">Record {record}</a>', html=True)
    assert client.get(address).status_code == 200


def test_only_one_s_own_is_listed_and_no_drafts(client, alice, mills):
    make.draft(alice, within=mills)
    make.submitted(make.annotator("bob"), within=mills)
    assert listed(open_page(client)) == []


@pytest.mark.both
def test_words_are_looked_for_in_titles_and_questions(client, submitted):
    panes = submitted(questions=question("How many panes has the mill?"))
    year = submitted(questions=question("Which year?"))
    article = year.sighting.tag.article
    article.title = "Marl Bridge"
    article.save()
    assert listed(open_page(client, words="PANES mill")) == [panes]
    assert listed(open_page(client, words="marl year")) == [year]
    assert "No annotation matches." in text_of(open_page(client, words="marl panes"))


@pytest.mark.both
def test_a_campaign_and_a_state_narrow_the_list(client, alice, mills, submitted):
    first, dropped = submitted(), submitted("drop")
    other = make.campaign(name="More", by=make.admin("ossi"), tags=0)
    second = make.submitted(alice, within=other)
    assert listed(open_page(client, campaign=mills.pk)) == [dropped, first]
    assert listed(open_page(client, campaign=other.pk, state="submitted")) == [second]
    assert listed(open_page(client, state="ambiguous")) == [dropped]


@pytest.mark.parametrize(
    "query",
    [
        {"campaign": "x"},
        {"campaign": "9" * 50},
        {"state": "draft"},
        {"words": "x" * 500},
        {"page": "x"},
    ],
)
def test_a_filter_that_cannot_be_read_leaves_nothing_out(client, submitted, query):
    annotation = submitted()
    assert listed(open_page(client, **query)) == [annotation]


def many(alice, mills, number):
    """As many more of Alice's annotations, straight into the table."""
    template = make.submitted(alice, within=mills)
    rows = [
        Annotation(
            sighting=template.sighting,
            author=alice,
            state="submitted",
            validity="Invalid",
            submitted_at=template.submitted_at,
            seconds_active=60,
        )
        for _ in range(number)
    ]
    Annotation.objects.bulk_create(rows)


@pytest.mark.both
def test_a_page_shows_fifty_and_takes_as_many_statements_for_more(
    client, alice, mills, django_assert_max_num_queries
):
    many(alice, mills, 60)
    with django_assert_max_num_queries(16):
        response = open_page(client, page="2")
    assert len(listed(response)) == 11
    assert len(listed(open_page(client))) == 50


def test_the_list_is_read_without_the_articles_texts(alice, mills):
    many(alice, mills, 1)
    assert "wikitext" not in str(finished_annotations(alice, WantedAnnotations()).query)
    assert Assignment.objects.filter(person=alice).count() == 1
