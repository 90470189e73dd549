"""The annotator's pages, as they work without script."""

import html
import re

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from annotation.fields.entries import replace_questions
from annotation.models import Annotation, Assignment, Campaign
from annotation.states import AnnotationState, AssignmentState
from annotation.workflow import claiming
from tests.annotation import factories as make
from tests.factories import person
from wikifetch.history.pages_seen import HiddenParts
from wikifetch.models import Sighting
from wikifetch.purging import purge
from wikifetch.recording import record_htmls
from wikifetch.source.htmls import HtmlAsked

pytestmark = pytest.mark.django_db


def page_of(annotation):
    return reverse("annotation:annotate", args=[annotation.assignment_id])


def form_of(entries, *, version=0, action="save", **more):
    """The fields as a browser posts them."""
    data = {"version": str(version), "action": action, **more}
    for name, value in entries.items():
        if name == "questions":
            for index, row in enumerate(value):
                for column, cell in row.items():
                    if cell is not False:
                        data[f"questions-{index}-{column}"] = "on" if cell is True else cell
        elif value is not None:
            data[name] = value
    return data


def post(client, annotation, entries, *, follow=False, **options):
    options.setdefault("version", annotation.version)
    return client.post(page_of(annotation), form_of(entries, **options), follow=follow)


def text_of(response):
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def test_the_page_says_that_the_wiki_has_hidden_a_tags_text(client, draft):
    revision = draft.sighting.revision
    purge(revision.article.wiki, {revision.revid: HiddenParts(text=True)})
    shown = text_of(client.get(page_of(draft)))
    assert "The wiki has hidden the text of this revision" in shown
    assert "The tag gives no reason" not in shown
    assert "contains only the tag" not in shown


def test_a_skipped_place_is_not_found(client, alice, draft):
    page = page_of(draft)
    claiming.hand_back(assignment_id=draft.assignment_id, by=alice)
    assert client.get(page).status_code == 404


# ---------------------------------------------------------------- the queue


def test_an_empty_queue_says_what_to_do(client, alice):
    assert "There is no tag for you now" in text_of(client.get(reverse("annotation:queue")))


def test_the_next_tag_opens_next_to_its_form(client, alice):
    campaign = make.campaign()
    response = client.post(reverse("annotation:next"), {"campaign": campaign.pk}, follow=True)
    assert "Is this tag valid?" in text_of(response)
    assert Assignment.objects.get().person == alice


def test_when_no_tag_is_left_the_queue_says_so(client, alice):
    response = client.post(reverse("annotation:next"), follow=True)
    assert "No campaign has a tag left for you now." in text_of(response)


def test_the_queue_counts_what_the_database_holds(client, alice, draft):
    make.submitted(alice, within=make.campaign(name="Done", by=make.admin("otto")))
    queue = client.get(reverse("annotation:queue")).context["queue"]
    assert [each.annotation for each in queue.drafts] == [draft]
    assert (queue.drafts[0].complete, queue.drafts[0].steps) == (0, 6)
    assert queue.done_count == 1


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [
        ([0.2], "1 submitted; it took you less than a minute of active time"),
        ([7.2], "1 submitted; it took you about 7 min of active time"),
        ([0.1, 0.3], "2 submitted; half of them took you less than a minute of active time"),
        ([4, 6], "2 submitted; half of them took you about 5 min or less of active time"),
    ],
)
def test_the_pace_is_shown_in_words(client, alice, minutes, expected):
    for number, each in enumerate(minutes):
        within = make.campaign(name=f"No. {number}", by=make.admin(f"otto{number}"))
        annotation = make.submitted(alice, within=within)
        Annotation.objects.filter(pk=annotation.pk).update(seconds_active=each * 60)
    assert expected in text_of(client.get(reverse("annotation:queue")))


def test_a_title_that_ends_with_a_stop_does_not_end_the_sentence(alice, draft):
    article = draft.sighting.tag.article
    article.title = "Kettle Mill F.C."
    assert str(draft.sighting.tag).endswith("in “Kettle Mill F.C.”")


def test_a_draft_without_a_place_can_be_taken_up_again(client, alice, draft):
    claiming.hand_back(assignment_id=draft.assignment_id, by=alice)
    assert "Continue this draft" in text_of(client.get(reverse("annotation:queue")))
    response = client.post(reverse("annotation:take_up", args=[draft.pk]))
    assert response.url == f"{page_of(draft)}#tagged-block"


# ---------------------------------------------------------------- the page


def test_the_page_shows_the_tag_its_reason_and_what_is_missing(client, draft):
    shown = text_of(client.get(page_of(draft)))
    assert "{{Inconsistent|date=May 2021|reason=The year}}" in shown
    assert "The year" in shown
    assert "Not known: the source of this page contains no edit that adds the tag." in shown
    assert "No talk page was fetched: the wiki or the source has none." in shown


def test_the_page_shows_the_edit_that_added_the_tag(client, draft):
    tag = draft.sighting.tag
    tag.introduced_revid, tag.introduced_by = 7, "Editor"
    tag.introduced_summary = "1801 or 1820?"
    tag.introduced_parent_block, tag.introduced_block = "built in 1801.", "built in 1801.{{x}}"
    tag.save()
    page = client.get(page_of(draft)).content.decode()
    assert "1801 or 1820?" in page
    assert "<ins>{{x}}</ins>" in page


OF_THE_WIKI = "<p>The mill<script>alert(1)</script> was built in 1801. It is <i>square</i>.</p>"


@pytest.mark.parametrize(
    ("html", "origin", "marked"),
    [
        (OF_THE_WIKI, "The wiki's own HTML of this revision", "The mill was built in 1801. It is"),
        (
            "<p>Other.</p>",
            "Shown as rendered here: the tagged passage was",
            "The mill was built in",
        ),
    ],
)
def test_every_page_of_a_tag_shows_the_wikis_html_or_why_not(client, alice, html, origin, marked):
    campaign, bob = make.campaign(people=2), make.annotator("bob")
    submitted, begun = make.submitted(alice, within=campaign), make.draft(bob, within=campaign)
    seen = begun.sighting
    Sighting.objects.update(block_kind="paragraph", other_article=seen.revision.article.title)
    record_htmls([HtmlAsked(seen.revision_id, html)])
    addresses = {
        page_of(begun): bob,
        reverse("annotation:review", args=make.place_of(submitted)): make.admin("anna"),
        reverse("wikifetch:tag", args=[seen.tag_id]): bob,
    }
    for address, reader in addresses.items():
        client.force_login(reader)
        response = client.get(address)
        shown = response.content.decode()
        assert origin in text_of(response)
        assert f'<p id="tagged-block" class="tagged">{marked}' in shown
        # The other article, which is the same here, has no block to be found.
        assert text_of(response).count("The wiki's own HTML of this revision") >= 1
        assert "alert(1)" not in shown


def test_text_of_the_wiki_is_escaped(client, alice):
    evil = "<script>alert(1)</script>"
    make.tag(title=evil, reason=evil, section=evil, block=evil, block_text=evil, other_article=evil)
    draft = make.draft(alice, within=make.campaign(tags=0))
    assert evil not in client.get(page_of(draft)).content.decode()


def test_each_step_has_its_guideline(client, draft):
    page = client.get(page_of(draft)).content.decode()
    assert page.count('<aside class="guideline-drawer"') == 6
    whole = reverse("annotation:guideline", args=[draft.guideline.version])
    assert "Questions with two answers" in text_of(client.get(whole))


def test_no_option_is_preselected_but_what_the_passage_comes_from(client, draft):
    page = client.get(page_of(draft)).content.decode()
    chosen = re.findall(r'<input type="(?:radio|checkbox)"[^>]*name="(\w+)"[^>]*checked', page)
    assert chosen == ["modality_1"]


# ---------------------------------------------------------------- saving and submitting


def test_saving_keeps_what_was_entered_and_comes_back_to_the_page(client, draft):
    response = post(client, draft, make.whole(article_1=""), step="reason", seconds="40")
    assert response.status_code == 302
    assert response.url.startswith(page_of(draft))
    row = Annotation.objects.get()
    assert (row.statement_1, row.current_step) == (make.WHOLE["statement_1"], "reason")
    assert (row.seconds_active, row.version) == (40, 1)


def submit(client, annotation, **options):
    return post(client, annotation, make.whole(), action="submit", **options)


def opened(response):
    """The annotation whose page a submission was answered with."""
    assert response.status_code == 200
    annotation = response.context["annotation"]
    assertContains(response, f'action="{page_of(annotation)}"')
    return annotation


@pytest.fixture
def drafts(alice):
    """Of three tags, the drafts that Alice has begun."""
    campaign = make.campaign(tags=3)
    return lambda: make.draft(alice, within=campaign, span_1="in 1801")


def test_a_submission_is_answered_with_the_next_tag(client, alice, drafts):
    first = drafts()
    response = submit(client, first)
    assert opened(response) != first
    assert opened(response).author == alice
    assert f"Submitted: {first.sighting.tag}." in text_of(response)
    assert Annotation.objects.get(pk=first.pk).state == AnnotationState.SUBMITTED


def test_the_last_submission_goes_back_to_the_queue_which_says_so(client, draft):
    response = submit(client, draft, follow=True)
    assert response.redirect_chain == [(reverse("annotation:queue"), 302)]
    assert "“Mills” has no tag left for you now." in text_of(response)
    assert f"Submitted: {draft.sighting.tag}." in text_of(response)


def test_a_campaign_without_a_tag_left_says_nothing_of_another_that_has_one(client, draft):
    make.campaign(name="Ponds", by=make.admin("otto"))
    page = text_of(submit(client, draft, follow=True))
    assert "“Mills” has no tag left for you now." in page
    assert "Ponds : 2 tags left for you" in page
    assert "No campaign" not in page


def test_submit_and_stop_goes_back_to_the_queue_and_takes_no_tag(client, drafts):
    first = drafts()
    response = post(client, first, make.whole(), action="submit_stop", follow=True)
    assert response.redirect_chain == [(reverse("annotation:queue"), 302)]
    assert f"Submitted: {first.sighting.tag}." in text_of(response)
    assert Annotation.objects.count() == 1


def test_a_refused_submission_takes_no_tag(client, drafts):
    response = post(client, drafts(), make.whole(article_1=""), action="submit")
    assert response.status_code == 400
    assert Annotation.objects.count() == 1


def test_a_reload_submits_nothing_and_shows_the_tag_in_hand(client, alice, drafts):
    first = drafts()
    following = opened(submit(client, first))
    for _ in range(2):
        assert opened(submit(client, first)) == following
        post(client, following, make.nothing(validity="Valid"))
    assert Annotation.objects.count() == 2
    assert Annotation.objects.get(pk=first.pk).version == first.version + 2


@pytest.mark.parametrize("decision", ["accept", "send_back", "drop"])
def test_a_reload_after_a_decision_has_no_effect(client, drafts, decision):
    first = drafts()
    following = opened(submit(client, first))
    annotation = Annotation.objects.get(pk=first.pk)
    make.decide(first, make.admin("otto"), decision, "Why?")
    annotation.refresh_from_db()
    assert opened(submit(client, first)) == following
    now = Annotation.objects.get(pk=first.pk)
    assert (now.state, now.version) == (annotation.state, annotation.version)


def test_a_reload_of_an_invalid_tag_that_was_sent_back_has_no_effect(client, drafts):
    first = drafts()
    post(client, first, make.whole(validity="Invalid"), action="submit")
    make.decide(first, make.admin("otto"), "send_back", "It is valid.")
    post(client, first, make.whole(validity="Invalid"), action="submit")
    assert Annotation.objects.get(pk=first.pk).state == AnnotationState.SENT_BACK


def test_a_tag_in_hand_that_is_not_begun_comes_before_a_new_one(client, alice, drafts):
    first, second = drafts(), drafts()
    Annotation.objects.filter(pk=second.pk).update(version=0)
    assert opened(submit(client, first)) == second
    assert Annotation.objects.count() == 2


def test_a_tag_that_is_begun_stays_in_hand_and_a_new_one_opens(client, drafts):
    first, begun = drafts(), drafts()
    assert opened(submit(client, first)) not in (first, begun)


def test_a_process_killed_between_submission_and_claim_loses_nothing(client, drafts, monkeypatch):
    first = drafts()

    def killed(**given):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(claiming, "following_assignment", killed)
        with pytest.raises(SystemExit):
            submit(client, first)
    assert Annotation.objects.get().state == AnnotationState.SUBMITTED
    assert opened(submit(client, first)) != first


def test_a_lowered_limit_leaves_the_submission_and_says_why_no_tag_opens(client, drafts):
    first, _ = drafts(), drafts()
    Campaign.objects.update(most_in_hand=1)
    response = submit(client, first, follow=True)
    assert "You have 1 tag of “Mills” in progress" in text_of(response)
    assert Annotation.objects.get(pk=first.pk).state == AnnotationState.SUBMITTED


def test_more_tags_than_allowed_are_refused_on_the_queue(client, alice):
    campaign = make.campaign(tags=3, in_hand=2)
    for _ in range(3):
        response = client.post(reverse("annotation:next"), {"campaign": campaign.pk}, follow=True)
    assert response.redirect_chain == [(reverse("annotation:queue"), 302)]
    assert "You have 2 tags of “Mills” in progress" in text_of(response)
    assert b"Get the next tag" not in response.content
    assert Annotation.objects.count() == 2


@pytest.mark.parametrize(
    ("name", "missing"), [("article_1", ""), ("type_1", []), ("confidence", None)]
)
def test_a_missing_field_is_linked_at_the_top_and_nothing_is_cleared(client, draft, name, missing):
    entries = make.whole(**{name: missing}, contradict_comment="keep me")
    response = post(client, draft, entries, action="submit")
    page = response.content.decode()
    assert response.status_code == 400
    assert f'<a href="#id_{name}">' in page
    assert f'id="id_{name}"' in page
    assert "keep me" in page
    assert Annotation.objects.get().state == AnnotationState.DRAFT


def test_a_missing_cell_of_a_question_is_linked_at_the_top(client, draft):
    row = {**make.WHOLE["questions"][0], "answer_1": ""}
    response = post(client, draft, make.whole(questions=[row]), action="submit")
    page = response.content.decode()
    assert response.status_code == 400
    assert '<a href="#id_questions-0-answer_1">' in page
    assert 'id="id_questions-0-answer_1"' in page


def test_a_warning_is_submitted_once_it_is_ticked(client, draft):
    entries = make.whole(span_1="in 1802")
    response = post(client, draft, entries, action="submit")
    assert 'value="span_not_found:span_1"' in response.content.decode()
    response = post(
        client, draft, entries, action="submit", version=1, checked="span_not_found:span_1"
    )
    assert Annotation.objects.get().state == AnnotationState.SUBMITTED


def test_a_stale_version_is_refused_with_both_texts_and_can_then_be_saved(client, draft):
    post(client, draft, make.nothing(span_1="theirs"))
    response = post(client, draft, make.nothing(span_1="mine"), version=0)
    shown = text_of(response)
    assert response.status_code == 412
    assert "Yours, here mine Saved elsewhere theirs" in shown
    assert Annotation.objects.get().span_1 == "theirs"
    assert 'name="version" value="1"' in response.content.decode()

    assert post(client, draft, make.nothing(span_1="mine"), version=1).status_code == 302
    assert Annotation.objects.get().span_1 == "mine"


def test_a_form_without_a_version_is_stale_not_a_crash(client, draft):
    assert post(client, draft, make.nothing(span_1="x"), version="soon").status_code == 412


def test_a_submitted_annotation_is_read_not_edited(client, draft):
    post(client, draft, make.whole(), action="submit")
    response = client.get(page_of(draft))
    assert make.WHOLE["statement_2"] in text_of(response)
    assert "<textarea" not in response.content.decode()
    assert post(client, draft, make.whole(span_1="x"), version=2).status_code == 409


def test_what_was_sent_back_shows_the_notes_at_the_fields(client, alice):
    annotation = make.submitted(alice)
    make.decide(annotation, person("olaf"), "send_back", "Almost.", {"span_1": "Only the year."})
    page = client.get(page_of(annotation)).content.decode()
    assert "Almost." in page
    assert 'id="id_span_1-note"' in page
    assert "Sent back" in text_of(client.get(reverse("annotation:queue")))


# ---------------------------------------------------------------- rows and giving up


def test_a_question_is_added_and_removed_without_script(client, draft):
    entries = make.whole()
    response = post(client, draft, entries, action="add_row")
    assert response.url.endswith("#id_questions-1-question")
    assertContains(client.get(page_of(draft)), 'name="questions-1-question"')

    second = {**make.WHOLE["questions"][0], "question": "Second?"}
    entries["questions"].append(second)
    post(client, draft, entries, action="remove_row:0", version=1)
    assert [q.question for q in Annotation.objects.get().questions.all()] == ["Second?"]


def test_there_are_at_most_ten_questions(client, draft):
    rows = [make.WHOLE["questions"][0]] * 10
    response = post(client, draft, make.whole(questions=rows), action="add_row", follow=True)
    assert "A tag may have at most 10 questions." in text_of(response)
    assert Annotation.objects.get().questions.count() == 10
    post(client, draft, make.whole(questions=rows), action="submit", version=1)
    assert Annotation.objects.get().state == AnnotationState.SUBMITTED


def test_an_eleventh_question_is_kept_and_not_submitted(client, draft):
    rows = [{**make.WHOLE["questions"][0], "question": f"Question {n}?"} for n in range(1, 12)]
    response = post(client, draft, make.whole(questions=rows), action="submit")
    assert response.status_code == 400
    assert "at most 10 questions: remove question 11, or another" in text_of(response)
    assertContains(response, '<a href="#id_questions-10-question">', status_code=400)
    assert Annotation.objects.get().questions.count() == 11


def test_a_draft_from_when_twenty_were_allowed_can_be_read_saved_and_shortened(client, draft):
    rows = [{**make.WHOLE["questions"][0], "question": f"Question {n}?"} for n in range(1, 21)]
    replace_questions(draft, rows)
    assertContains(client.get(page_of(draft)), "Question 20?")
    post(client, draft, make.whole(questions=rows))
    post(client, draft, make.whole(questions=rows), action="remove_row:19", version=1)
    assert Annotation.objects.get().questions.count() == 19


def test_skipping_saves_and_wants_a_reason(client, draft):
    post(client, draft, make.nothing(valid_comment="typed"), action="skip")
    row = Annotation.objects.get()
    assert (row.valid_comment, row.assignment.state) == ("typed", AssignmentState.HELD)
    post(client, draft, make.nothing(), action="skip", version=1, skip_reason="Greek")
    row.assignment.refresh_from_db()
    assert (row.assignment.state, row.assignment.skip_reason) == (AssignmentState.SKIPPED, "Greek")


def test_handing_back_saves_first(client, draft):
    post(client, draft, make.nothing(valid_comment="typed"), action="hand_back")
    row = Annotation.objects.get()
    assert (row.valid_comment, row.assignment) == ("typed", None)


def test_a_flag_is_set_and_taken_away(client, draft):
    post(client, draft, make.nothing(), action="flag", flag_note="Broken page")
    row = Annotation.objects.get()
    assert (row.flagged, row.flag_note) == (True, "Broken page")
    post(client, row, make.nothing(), action="flag:off")
    assert Annotation.objects.get().flagged is False


LONG = "9" * 5_000


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"version": LONG}, 412),
        ({"action": f"remove_row:{LONG}"}, 302),
        ({"seconds": LONG}, 302),
    ],
)
def test_a_number_of_any_length_is_answered(client, draft, options, status):
    assert post(client, draft, make.nothing(), **options).status_code == status


def test_a_campaign_or_place_of_any_number_is_answered(client, alice):
    assert client.post("/annotate/next/", {"campaign": LONG}).status_code == 302
    assert client.get(f"/annotate/{LONG[:20]}/").status_code == 404


@pytest.mark.parametrize("action", ["submit", "submit_stop", "hand_back"])
def test_what_was_left_out_is_reported_after_every_button(client, alice, action):
    draft = make.draft(alice, within=make.campaign(tags=2))
    response = client.post(
        page_of(draft),
        form_of(make.whole(valid_comment="Bro\x00ken"), action=action, provenance="{"),
        follow=True,
    )
    assert "1 control character taken out of “Comment”" in text_of(response)
    assert "Where a passage was copied from could not be read" in text_of(response)


def test_notes_are_kept_without_control_characters(client, draft):
    post(client, draft, make.nothing(), action="flag", flag_note="Bro\x00ken")
    assert Annotation.objects.get().flag_note == "Broken"
    post(client, draft, make.nothing(), action="skip", skip_reason="\x00")
    assert Annotation.objects.get().assignment.state == AssignmentState.HELD
    post(client, draft, make.nothing(), action="skip", skip_reason="Gre\x00ek" + "k" * 5_000)
    assert Annotation.objects.get().assignment.skip_reason == "Greek" + "k" * 995
