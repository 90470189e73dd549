"""The pages of reviews: the list of tags, and one tag with its annotations."""

import re

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from annotation.models import Annotation, Review, TagReview
from annotation.reviewing.ready_tags import ready_tags
from annotation.reviewing.shown_comparison import folded
from annotation.reviewing.tags_in_round import to_review
from annotation.states import AnnotationState
from tests.annotation import factories as make
from tests.factories import person, signed_in, stored
from wikifetch.history.pages_seen import HiddenParts
from wikifetch.models import Tag
from wikifetch.purging import purge
from wikifetch.states import TagState

pytestmark = pytest.mark.django_db

ASKED = make.WHOLE["questions"][0]


@pytest.fixture
def olga(client):
    return signed_in(client, make.admin("olga"))


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def campaign(olga):
    return make.campaign(by=olga, tags=2)


@pytest.fixture
def pair(olga):
    """Alice and Bob, who differ in the span and in the answers to their question."""
    other = {**ASKED, "answer_1": "1799"}
    return make.two_of_a_tag({}, {"span_1": "1801", "questions": [other]}, by=olga)


def page_of(annotation):
    return reverse("annotation:review", args=make.place_of(annotation))


def opened(client, annotation):
    return client.get(page_of(annotation)).content.decode()


def decide(client, annotation, decision, **more):
    """Post the form as the page has it now."""
    at = make.place_of(annotation)
    versions = {f"version-{at.letters[row.assignment_id]}": row.version for row in at.submitted}
    return client.post(page_of(annotation), {**versions, "decision": decision, **more})


def listed(client, **query):
    return client.get(reverse("annotation:reviews"), query).context["page"].object_list


# ---------------------------------------------------------------- the list


@pytest.mark.both
def test_ready_tags_come_first_then_those_that_wait_for_more(client, olga):
    two = make.campaign(by=olga, people=2, tags=2)
    alice, bob = make.annotator("alice"), make.annotator("bob")
    waits = make.submitted(alice, within=two)
    ready = make.submitted(alice, within=two)
    place = make.place_of(ready).assignments.get(state="free")
    make.withdraw(place.pk, two)
    make.draft(bob, within=two)
    rows = listed(client)
    assert [row["tag"] for row in rows] == [ready.sighting.tag_id, waits.sighting.tag_id]
    page = client.get(reverse("annotation:reviews")).content.decode()
    assert "1 of 2" in page
    assert page.index("Ready") < page.index("Waits for more")


@pytest.mark.both
def test_the_list_is_of_one_campaign_and_of_what_is_decided(client, olga, alice, campaign):
    first = make.submitted(alice, within=campaign)
    other = make.campaign(by=olga, name="Other")
    make.submitted(alice, within=other)
    assert len(listed(client)) == 2
    assert [row["campaign"] for row in listed(client, campaign=other.pk)] == [other.pk]
    decide(client, first, "accept")
    assert [row.tag_id for row in listed(client, show="decided")] == [first.sighting.tag_id]
    assert list(listed(client, show="decided", campaign=other.pk)) == []
    assert len(listed(client, campaign="x", page="x")) == 1


@pytest.mark.both
def test_the_numbers_of_the_lists_leave_out_what_is_hidden(client, alice):
    """Ada may still get one of three tags: nobody else gets the other two."""
    ada = signed_in(client, person("ada", Role.ADMIN, Role.ANNOTATOR))
    two = make.campaign(by=ada, people=2, tags=3)
    decided, ready, _ = [make.submitted(alice, within=two) for _ in range(3)]
    for each in (decided, ready):
        make.withdraw(make.place_of(each).assignments.get(state="free").pk, two)
    make.decide(decided, make.admin("otto"))
    context = client.get(reverse("annotation:reviews")).context
    assert context["hidden"] == 1
    assert context["counts"] == {"waiting": 1, "decided": 1}
    assert context["page"].paginator.count == 1


def test_the_list_leaves_out_a_tag_that_is_decided_while_it_is_made(olga, alice, campaign):
    make.submitted(alice, within=campaign)
    waits = make.submitted(alice, within=campaign)
    rows = list(to_review(campaign))
    make.decide(waits, olga)
    assert [len(rows), len(ready_tags(rows, olga))] == [2, 1]


@pytest.mark.both
def test_the_list_takes_as_many_statements_for_more_tags(
    client, olga, alice, django_assert_max_num_queries
):
    campaign = make.campaign(by=olga, tags=6, in_hand=9)
    make.submitted(alice, within=campaign)
    for _ in range(5):
        make.submitted(alice, within=campaign)
    with django_assert_max_num_queries(14):
        client.get(reverse("annotation:reviews"))


def test_the_start_page_counts_tags_to_review_and_to_publish(client, olga, pair):
    assert "tag that waits for review" in client.get("/").content.decode()
    decide(client, pair[0], "accept", same="yes", chosen="A")
    assert "reviewed tag to publish" in client.get("/").content.decode()


# ---------------------------------------------------------------- one annotation


def test_reviewers_cannot_see_drafts(client, alice, campaign):
    assert client.get(page_of(make.draft(alice, within=campaign))).status_code == 404


def test_the_page_shows_the_passages_and_what_the_checks_find(client, alice, campaign):
    annotation = make.submitted(alice, within=campaign, entries=make.whole(span_1="in 1802"))
    page = opened(client, annotation)
    assert make.WHOLE["passage_1_standalone"] in page
    assert "The span “in 1802” is not in passage 1." in page
    assert "The annotator ticked “I checked”." in page
    assert 'name="same"' not in page


def test_of_one_annotation_no_question_is_to_be_chosen(client, alice, campaign):
    twice = make.whole(questions=[ASKED, {**ASKED, "answer_1": "1799"}])
    page = opened(client, make.submitted(alice, within=campaign, entries=twice))
    assert "1799" in page
    assert "question-0" not in page


def test_on_a_decided_tag_no_label_is_without_its_control(client, pair):
    assert '<label for="question-0' in opened(client, pair[0])
    decide(client, pair[0], "drop", reason="Hm.")
    page = opened(client, pair[0])
    assert "1799" in page
    assert "question-0" not in page


def test_after_a_decision_the_next_tag_opens(client, alice, campaign):
    first = make.submitted(alice, within=campaign)
    second = make.submitted(alice, within=campaign)
    answer = decide(client, first, "accept")
    assert answer.url == page_of(second)
    assertContains(client.get(answer.url), "This is the next tag to review.")
    answer = decide(client, second, "drop", reason="No.")
    assert answer.url == reverse("annotation:reviews")
    assertNotContains(client.get(answer.url), "This is the next tag to review.")


def test_admins_can_read_the_tag_they_annotated_but_not_review_it(client, campaign):
    both = person("ada", Role.ADMIN, Role.ANNOTATOR)
    own = make.submitted(both, within=campaign)
    client.force_login(both)
    assert "You annotated it" in client.get(reverse("annotation:reviews")).content.decode()
    page = opened(client, own)
    assert "another admin has to decide on it" in page
    assert 'name="decision"' not in page
    assert decide(client, own, "accept").status_code == 403
    assert Annotation.objects.get().state == AnnotationState.SUBMITTED


def test_after_a_decision_the_next_one_is_never_ones_own(client, alice, campaign):
    both = person("ada", Role.ADMIN, Role.ANNOTATOR)
    first = make.submitted(alice, within=campaign)
    make.submitted(both, within=campaign)
    client.force_login(both)
    assert decide(client, first, "accept").url == reverse("annotation:reviews")


def test_a_refused_decision_loses_nothing_that_was_entered(client, pair):
    one, two = "A", "B"
    typed = {
        "same": "yes",
        "chosen": one,
        "reason": "Whole.",
        f"note-{two}-span_1": "Shorter.",
        "take-span_1": two,
        "question-0": "none",
    }
    response = decide(client, pair[0], "merge", **typed, **{f"version-{two}": 0})
    assert response.status_code == 412
    page = response.content.decode()
    assert "Whole.</textarea>" in page
    assert "Shorter.</textarea>" in page
    assert f'name="chosen" value="{one}" checked' in page
    assert f'name="take-span_1" value="{two}" checked' in page
    assert 'value="none" id="question-0-none" checked' in page


def test_a_note_on_what_somebody_sent_back_meanwhile_is_shown(client, pair):
    decide(client, pair[1], "send_back", chosen="B", reason="Look again.")
    typed = {"version-A": 1, "version-B": 1, "note-B-span_1": "Shorter."}
    response = client.post(page_of(pair[0]), {**typed, "decision": "drop", "reason": "x"})
    assert response.status_code == 412
    assert response.context["desk"].lost_texts == [("Note", "Shorter.")]
    assertContains(response, "Shorter.", count=1, status_code=412)


def test_a_note_is_told_from_one_on_an_annotation_whose_letter_begins_alike(client, pair):
    lost = "note-A1-span_1"
    response = decide(client, pair[0], "accept", same="yes", **{lost: "Shorter."})
    assert response.context["desk"].lost_texts == [("Note", "Shorter.")]


def test_of_two_reviewers_the_second_keeps_what_they_wrote(client, pair):
    versions = {f"version-{letter}": row.version for letter, row in zip("AB", pair, strict=True)}
    make.decide(pair[0], make.admin("otto"))
    notes = {"note-B": "Good.", "note-A-span_1": "Shorter."}
    typed = {"decision": "drop", "reason": "Nobody knows.", **notes}
    response = client.post(page_of(pair[0]), {**versions, **typed})
    assert response.status_code == 412
    page = response.content.decode()
    for text in ("Nobody knows.", "Good.", "Shorter."):
        assert page.count(text) == 1
    assert "<textarea" not in page


@pytest.mark.parametrize(
    ("decision", "typed", "marked", "focused"),
    [
        ("accept", {"same": "yes"}, "field-chosen", 'name="chosen" value="A"'),
        ("accept", {"chosen": "A"}, "field-same", 'name="same" value="yes"'),
        ("merge", {"chosen": "A", "same": "yes"}, "field-question-0", 'id="field-question-0"'),
        ("drop", {"same": "no"}, "field-reason", 'name="reason"'),
        ("drop", {"same": "no", "reason": "x" * 4_001}, "field-reason", 'name="reason"'),
        ("drop", {"same": "no", "reason": "x", "note-B-span_1": "x" * 4_001}, "", 'name="note-B-span_1"'),
        ("drop", {"same": "no", "reason": "x", "note-A-questions": "x" * 4_001}, "", 'name="note-A-questions"'),
    ],
)  # fmt: skip
def test_a_refusal_marks_what_it_is_about_and_goes_there(
    client, pair, decision, typed, marked, focused
):
    page = decide(client, pair[0], decision, **typed).content.decode()
    assert re.findall(r'field-bad"\s+id="([^"]+)"', page) == ([marked] if marked else [])
    (there,) = re.findall(r"<[^<>]*\sautofocus\b[^<>]*>", page)
    assert focused in there
    if marked and len(typed.get("reason", "")) < 4_000:
        assert f'<a href="#{marked}">' in page


def test_what_the_checks_report_is_marked_tick_boxes_fields_and_questions(client, olga):
    near = {**ASKED, "question": "In which year was Kettle Mill built?", "answer_1": "In 1801"}
    passage = {"passage_1_copied": "A tower.", "passage_1_standalone": "The tower is old."}
    pair = make.two_of_a_tag({}, {**passage, "span_1": "tower", "questions": [near]}, by=olga)
    page = opened(client, pair[0])
    assert "Nearly the same" in page
    assert 'id="question-0-A-1" checked' in page
    assert 'id="question-1-B-1" checked' not in page
    choices = {"take-span_1": "B", "question-0": "A-1", "question-1": "B-1"}
    page = decide(client, pair[0], "merge", same="yes", chosen="A", **choices).content.decode()
    marked = set(re.findall(r'field-bad"\s+id="([^"]+)"', page))
    assert marked == {"field-span_1", "field-question-0", "field-question-1"}
    assert '<a href="#field-question-1">Two questions are nearly the same' in page
    (there,) = re.findall(r"<[^<>]*\sautofocus\b[^<>]*>", page)
    assert 'name="checked" value="span_not_found:span_1"' in there


@pytest.mark.parametrize(
    ("decision", "more", "status", "message"),
    [
        ("accept", {"chosen": ["one", "two"]}, 400, "Choose one annotation"),
        ("merge", {"chosen": "one", "same": "no"}, 400, "Answer that question with yes"),
        ("two", {"chosen": ["one", "two"], "same": "yes"}, 400, "that question with no"),
        ("two", {"chosen": "one", "same": "no"}, 400, "Choose the two annotations"),
        ("send_back", {"reason": "x"}, 400, "Choose which annotation"),
        ("", {"chosen": "one", "same": "yes"}, 400, "Nothing is decided yet"),
        ("publish", {}, 404, "no such decision"),
    ],
)
def test_what_is_missing_for_a_decision_is_said(client, pair, decision, more, status, message):
    keys = {"one": "A", "two": "B"}
    chosen = more.get("chosen", [])
    chosen = [keys[each] for each in ([chosen] if isinstance(chosen, str) else chosen)]
    response = decide(client, pair[0], decision, **{**more, "chosen": chosen})
    assertContains(response, message, status_code=status)
    assert TagReview.objects.count() == 0


def test_a_reviewers_notes_are_kept_without_control_characters(client, campaign, alice):
    annotation = make.submitted(alice, within=campaign)
    notes = {
        "reason": "Too\x00 vague",
        "note-A-statement_1": "Which\x07?",
        "note-A-span_1\x00": "x",
        "note-x": "y",
    }
    assert decide(client, annotation, "send_back", **notes).status_code == 302
    kept = Review.objects.get()
    assert kept.note == "Too vague"
    assert kept.notes_by_field == {"statement_1": "Which?", "span_1": "x"}


def test_a_decision_on_a_version_of_any_length_is_refused_as_stale(client, campaign, alice):
    annotation = make.submitted(alice, within=campaign)
    answer = {"version-A": "9" * 5_000, "decision": "accept"}
    assert client.post(page_of(annotation), answer).status_code == 412


# ---------------------------------------------------------------- several


def test_the_page_marks_what_differs_and_says_so_in_words(client, pair):
    page = opened(client, pair[0])
    assert "1 field differs" in page
    assert "<mark>in </mark>" in page
    assert "Contradicts</span>" in page
    assert "The same contradiction?" in page


WORDS = " ".join(f"word{n}" for n in range(100, 350))  # 1,999 characters


@pytest.mark.parametrize(
    ("text", "open_at_first", "count"),
    [
        ("Short & <b>plain</b>.", "Short &amp; &lt;b&gt;plain&lt;/b&gt;.", None),
        ("x" * 399, "x" * 399, None),
        ("x" * 400, "x" * 120 + "|" + "x" * 120, 160),
        (WORDS, WORDS[:120] + "|" + WORDS[1_879:], 1_759),
    ],
)
def test_of_a_long_text_that_is_the_same_the_middle_is_folded(text, open_at_first, count):
    html = folded(text)
    shown, _, more = html.partition("<details><summary>")
    if count is not None:
        number, _, rest = more.partition(" more characters</summary>")
        middle, _, end = rest.partition("</details>")
        assert int(number.replace(",", "")) == count == len(middle)
        assert shown + middle + end == text
        shown += "|" + end
    assert shown == open_at_first


def test_a_long_passage_is_folded_but_for_what_differs(client, olga):
    """What another annotation lacks is always open."""
    pair = make.two_of_a_tag(
        {"passage_1_copied": f"{WORDS} in 1801."},
        {"passage_1_copied": f"{WORDS} in 1802."},
        by=olga,
    )
    page = opened(client, pair[0])
    assert page.count("more characters</summary>") == 2
    assert "<mark>1801</mark>" in page
    assert "<mark>1802</mark>" in page


def test_a_merge_by_the_form_takes_what_was_chosen(client, pair):
    one, two = "A", "B"
    choices = {"take-span_1": two, "question-0": f"{one}-1", "same": "yes", "chosen": one}
    assert decide(client, pair[0], "merge", **choices).status_code == 302
    made = Annotation.objects.exclude(merged_from=None).distinct().get()
    assert (made.span_1, made.questions.get().answer_1) == ("1801", "1801")
    page = opened(client, pair[0])
    assert "Merged" in page
    assert 'name="decision"' not in page


def test_a_decision_is_taken_back_on_the_page(client, pair):
    decide(client, pair[0], "drop", reason="Hm.")
    kept = TagReview.objects.get()
    assert "Take back this decision" in opened(client, pair[0])
    response = client.post(reverse("annotation:take_back", args=[kept.pk]))
    assert response.url == page_of(pair[0])
    page = opened(client, pair[0])
    assert "Taken back by <bdi>Olga</bdi>" in page
    assert 'value="merge"' in page
    assert stored(pair[0]).state == AnnotationState.SUBMITTED


def test_a_tag_says_how_many_still_work_on_it(client, olga):
    campaign = make.campaign(by=olga, people=3)
    annotation = make.submitted(make.annotator("alice"), within=campaign)
    make.draft(make.annotator("bob"), within=campaign)
    page = opened(client, annotation)
    assert "1 person still works on it." in " ".join(page.split())
    assert "Nobody has yet taken 1 of the assignments" in page
    assertContains(decide(client, annotation, "accept"), "1 person still works", status_code=409)
    assert decide(client, annotation, "accept", withdraw="on").status_code == 302


def test_the_page_of_a_tag_that_is_gone_and_purged_can_be_decided(client, pair):
    revision = pair[0].sighting.revision
    purge(revision.article.wiki, {revision.revid: HiddenParts(text=True)})
    Tag.objects.update(state=TagState.GONE)
    assert "Kettle Mill" in opened(client, pair[0])
    done = decide(client, pair[0], "accept", same="yes", chosen="A")
    assert done.status_code == 302
