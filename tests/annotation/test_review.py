"""A reviewer's decisions, and what is published."""

import pytest

from annotation import publish, review, workflow
from annotation.evidence.panes import Evidence
from annotation.models import Annotation, Review
from annotation.review import Notes
from annotation.states import AnnotationState, AssignmentState
from datasets.models import Contradiction
from datasets.records import record_of
from leases.refusal import Conflict, NotAllowed, NotFoundHere, Refusal, StaleVersion
from tests.annotation import factories as make
from wikifetch.models import Sighting
from wikifetch.purging import purge
from wikifetch.source.answers import Hidden
from wikifetch.wikitext.languages import Words

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make.admin("olga")


@pytest.fixture
def campaign(olga):
    return make.campaign(by=olga)


NO_NOTES = Notes()


def decide(annotation, by, decision, notes=NO_NOTES):
    return review.decide(
        annotation_id=annotation.pk,
        by=by,
        version=annotation.version,
        decision=decision,
        notes=notes,
    )


# ---------------------------------------------------------------- deciding


def test_an_accepted_annotation_keeps_the_decision_and_the_version_it_was_on(alice, olga, campaign):
    annotation = make.submitted(alice, within=campaign)
    decide(annotation, olga, "accept", Notes("Good."))
    kept = Review.objects.get()
    assert (kept.reviewer, kept.annotation_version, kept.note) == (
        olga,
        annotation.version,
        "Good.",
    )
    assert Annotation.objects.get().state == AnnotationState.ACCEPTED


def test_nobody_decides_on_what_they_wrote_themselves(alice, olga, campaign):
    own = make.submitted(alice, within=campaign)
    for decision in ("accept", "send_back", "drop"):
        with pytest.raises(NotAllowed, match="another admin has to decide on it"):
            decide(own, alice, decision, Notes("It is good."))
    assert not Review.objects.exists()
    assert (list(review.waiting_for(alice)), list(review.waiting_for(olga))) == ([], [own])


def test_what_is_sent_back_is_in_its_author_s_hands_again_with_notes(alice, olga, campaign):
    annotation = make.submitted(alice, within=campaign)
    decide(annotation, olga, "send_back", Notes(by_field={"span_1": "Shorter.", "span_2": " "}))
    annotation = Annotation.objects.get()
    assert annotation.state == AnnotationState.SENT_BACK
    assert annotation.reviews.get().notes_by_field == {"span_1": "Shorter."}
    place = make.assignment_of(annotation)
    assert (place.state, place.person) == (AssignmentState.HELD, alice)
    again = workflow.submit(
        annotation_id=annotation.pk,
        by=alice,
        version=annotation.version,
        entries=make.whole(span_1="1801"),
    )
    assert again.taken


def test_an_invalid_tag_sent_back_has_its_later_steps_again(alice, olga, campaign):
    draft = make.draft(alice, within=campaign, **make.whole())
    result = workflow.submit(
        annotation_id=draft.pk,
        by=alice,
        version=draft.version,
        entries=make.whole(validity="Invalid"),
    )
    decide(result.annotation, olga, "send_back", Notes("It is valid."))
    assert workflow.entries_of(Annotation.objects.get()) == make.whole(validity="Invalid")


@pytest.mark.parametrize("decision", ["send_back", "drop"])
def test_a_refusal_wants_a_reason(alice, olga, campaign, decision):
    annotation = make.submitted(alice, within=campaign)
    with pytest.raises(Refusal, match="Say why"):
        decide(annotation, olga, decision)
    assert Review.objects.count() == 0


def test_a_decision_on_an_older_version_is_refused(alice, olga, campaign):
    annotation = make.submitted(alice, within=campaign)
    annotation.version -= 1
    with pytest.raises(StaleVersion):
        decide(annotation, olga, "accept")


def test_the_second_of_two_decisions_is_refused(alice, olga, campaign):
    annotation = make.submitted(alice, within=campaign)
    decide(annotation, olga, "accept")
    with pytest.raises(Conflict, match="accepted"):
        decide(annotation, olga, "send_back", Notes("No."))


def test_notes_name_fields_that_there_are(alice, olga, campaign):
    annotation = make.submitted(alice, within=campaign)
    with pytest.raises(Refusal, match="no fields"):
        decide(annotation, olga, "send_back", Notes(by_field={"author": "x"}))
    decide(annotation, olga, "send_back", Notes(by_field={"questions-0-answer_1": "x"}))


def test_there_is_no_decision_on_nothing_and_no_other_decision(alice, olga, campaign):
    annotation = make.submitted(alice, within=campaign)
    with pytest.raises(NotFoundHere):
        decide(annotation, olga, "publish")
    annotation.pk = 0
    with pytest.raises(NotFoundHere):
        decide(annotation, olga, "accept")


# ---------------------------------------------------------------- publishing


def accepted(by, olga, campaign, **entries):
    annotation = make.submitted(by, within=campaign, entries=make.whole(**entries))
    decide(annotation, olga, "accept")
    return annotation


def test_a_published_annotation_is_the_paper_s_record(alice, olga, campaign):
    accepted(alice, olga, campaign)
    done = publish.publish_campaign(campaign)
    assert (done.annotations, done.records) == (1, 1)

    row = Contradiction.objects.get()
    record = record_of(row)
    assert record["title"] == "Kettle Mill"
    assert record["url"] == "https://wiki.example/wiki/Kettle_Mill"
    assert record["tag"] == "Inconsistent|date=May 2021|reason=The year"
    assert record["tagDate"] == "May 2021"
    assert record["tagReason"] == "The year"
    assert record["paragraph_A_clean"] == "The mill was built in 1801. It is square."
    result = record["annotationResult"]
    assert result["paragraphB_information_standalone"] == make.WHOLE["passage_2_standalone"]
    assert result["Contradict type IV"] == "Explicit"
    assert (result["question1"], result["question1_answer2"]) == (
        "When was Kettle Mill built?",
        "1820",
    )
    assert result["confidence"] == "4"
    assert "valid_comment" not in result
    assert (row.author, row.oldid, row.modality_1) == (alice, 1001, "text")
    assert row.instances.count() == 1


def test_a_record_says_where_its_passages_are_from_and_what_was_left_as_filled_in(
    alice, olga, campaign
):
    annotation = accepted(alice, olga, campaign)
    pieces = {"1": [{"revid": 7, "text": "It was built in 1801."}]}
    Annotation.objects.filter(pk=annotation.pk).update(filled=["article_1"], provenance=pieces)
    publish.publish_campaign(campaign)
    row = Contradiction.objects.get()
    assert (row.filled, row.provenance) == (["article_1"], pieces)


def test_the_paragraph_less_its_tag_is_the_clean_paragraph(alice, olga, campaign):
    accepted(alice, olga, campaign)
    publish.publish_campaign(campaign)
    record = record_of(Contradiction.objects.get())
    tag = "{{" + record["tag"] + "}}"
    assert tag in record["paragraph_A"]
    assert record["paragraph_A"].replace(tag, "") == record["paragraph_A_clean"]


@pytest.mark.parametrize(
    ("kind", "block", "text"),
    [
        ("table row", "| 1801 || 12 {{Inconsistent}} || Ada", "1801 | 12 | Ada"),
        ("list item", "* built of [[oak]]{{Inconsistent}} and slate", "built of oak and slate"),
        ("infobox field", "| height = 31 m{{Inconsistent}}", "height: 31 m"),
        ("", "{{Inconsistent}}", ""),
    ],
)
def test_the_tag_keeps_its_place_in_blocks_of_other_kinds(kind, block, text):
    sighting = make.tag(
        block_kind=kind,
        raw="{{Inconsistent}}",
        block=block,
        block_clean=block.replace("{{Inconsistent}}", ""),
        block_text=text,
    ).latest
    with_tag, without = publish.paragraphs(sighting)
    assert with_tag.count("{{Inconsistent}}") == 1
    assert with_tag.replace("{{Inconsistent}}", "") == without
    assert "".join(without.split()) == "".join(text.split())


def test_a_file_by_the_name_that_its_wiki_has_for_files_is_no_word_of_the_record():
    raw = "{{Inconsistent}}"
    block = f"Built in 1801.{raw} [[Attēls:Mill.jpg|thumb|The mill]][[Kategorija:Mills]]"
    sighting = make.tag(raw=raw, block=block).latest
    wiki = sighting.revision.article.wiki
    wiki.words = Words(file=frozenset({"attēls"}), category=frozenset({"kategorija"})).as_json()
    assert publish.paragraphs(sighting) == (f"Built in 1801.{raw}", "Built in 1801.")


def test_of_a_text_that_the_wiki_has_hidden_nothing_is_shown_or_published():
    tag = make.tag()
    revision = tag.latest.revision
    purge(revision.article.wiki, {revision.revid: Hidden(text=True)})
    hidden = Sighting.objects.get(pk=tag.latest_id)
    assert publish.paragraphs(hidden) == ("", "")
    assert Evidence(hidden).block == []


def test_publishing_twice_adds_nothing(alice, olga, campaign):
    accepted(alice, olga, campaign)
    publish.publish_campaign(campaign)
    again = publish.publish_campaign(campaign)
    assert (again.annotations, again.records) == (0, 0)
    assert Contradiction.objects.count() == 1


def test_of_two_who_publish_at_once_the_second_adds_nothing(alice, olga, campaign):
    annotation = accepted(alice, olga, campaign)
    assert publish.publish(annotation) is True
    assert publish.publish(annotation) is None


def test_only_what_was_accepted_is_published(alice, olga, campaign):
    make.submitted(alice, within=campaign)
    assert publish.publish_campaign(campaign).annotations == 0


def test_an_invalid_tag_is_kept_too(alice, olga, campaign):
    accepted(alice, olga, campaign, validity="Invalid", valid_comment="Since corrected.")
    publish.publish_campaign(campaign)
    row = Contradiction.objects.get()
    assert (row.validity, row.valid_comment, row.passage_1_copied) == (
        "Invalid",
        "Since corrected.",
        None,
    )
    assert row.instances.count() == 0


def test_two_people_who_say_the_same_publish_one_record(olga):
    campaign = make.campaign(by=olga, people=2)
    for name in ("alice", "bob"):
        accepted(make.annotator(name), olga, campaign, validity="Invalid")
    done = publish.publish_campaign(campaign)
    assert (done.annotations, done.records) == (2, 1)
    assert set(Annotation.objects.values_list("state", flat=True)) == {AnnotationState.PUBLISHED}


def test_two_people_who_differ_publish_two_records_of_one_tag(olga):
    campaign = make.campaign(by=olga, people=2)
    accepted(make.annotator("alice"), olga, campaign)
    accepted(make.annotator("bob"), olga, campaign, confidence=2)
    assert publish.publish_campaign(campaign).records == 2
