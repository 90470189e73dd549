"""What is published of reviewed tags."""

import json

import pytest

from annotation.campaigns import reserve
from annotation.evidence.panes import Evidence
from annotation.evidence.paragraphs import paragraphs
from annotation.models import Annotation, TagReview
from annotation.reviewing import deciding
from annotation.reviewing.combining import Merge
from annotation.reviewing.merging import FieldSources
from annotation.reviewing.publishing_tags import publish, publish_campaign, to_publish
from annotation.states import AnnotationState
from datasets.exporters import EXPORTERS
from datasets.models import Contradiction
from datasets.records import current, record_of
from datasets.releasing.freezing import freeze, released
from datasets.streaming import streamed
from leases.refusal import Conflict, Refusal
from tests.annotation import factories as make
from tests.factories import stored
from wikifetch.history.pages_seen import HiddenParts
from wikifetch.models import Sighting
from wikifetch.purging import purge
from wikifetch.wikitext.languages import WikiWords

pytestmark = pytest.mark.django_db

OTHER = {
    **make.WHOLE["questions"][0],
    "question": "Whose mill is it?",
    "answer_1": "three brothers",
    "answer_2": "1,195 panes",
}


@pytest.fixture
def olga():
    return make.admin("olga")


@pytest.fixture
def campaign(olga):
    return make.campaign(by=olga)


@pytest.fixture
def pair(olga):
    """Alice and Bob, who differ in the span and in a question."""
    return make.two_of_a_tag({}, {"span_1": "1801", "questions": [OTHER]}, by=olga)


def accepted(by, olga, campaign, **entries):
    annotation = make.submitted(by, within=campaign, entries=make.whole(**entries))
    make.decide(annotation, olga)
    return annotation


def test_a_published_annotation_is_the_paper_s_record(alice, olga, campaign):
    accepted(alice, olga, campaign)
    done = publish_campaign(campaign)
    assert (done.tags, done.records) == (1, 1)

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
    publish_campaign(campaign)
    row = Contradiction.objects.get()
    assert (row.filled, row.provenance) == (["article_1"], pieces)


def test_the_paragraph_less_its_tag_is_the_clean_paragraph(alice, olga, campaign):
    accepted(alice, olga, campaign)
    publish_campaign(campaign)
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
    with_tag, without = paragraphs(sighting)
    assert with_tag.count("{{Inconsistent}}") == 1
    assert with_tag.replace("{{Inconsistent}}", "") == without
    assert "".join(without.split()) == "".join(text.split())


def test_a_file_by_the_name_that_its_wiki_has_for_files_is_no_word_of_the_record():
    raw = "{{Inconsistent}}"
    block = f"Built in 1801.{raw} [[Attēls:Mill.jpg|thumb|The mill]][[Kategorija:Mills]]"
    sighting = make.tag(raw=raw, block=block).latest
    wiki = sighting.revision.article.wiki
    wiki.words = WikiWords(file=frozenset({"attēls"}), category=frozenset({"kategorija"})).as_json()
    assert paragraphs(sighting) == (f"Built in 1801.{raw}", "Built in 1801.")


def test_of_a_text_that_the_wiki_has_hidden_nothing_is_shown_or_published():
    tag = make.tag()
    revision = tag.latest.revision
    purge(revision.article.wiki, {revision.revid: HiddenParts(text=True)})
    hidden = Sighting.objects.get(pk=tag.latest_id)
    assert paragraphs(hidden) == ("", "")
    assert Evidence(hidden).block == []


@pytest.mark.both
def test_publishing_twice_adds_nothing(alice, olga, campaign):
    accepted(alice, olga, campaign)
    publish_campaign(campaign)
    again = publish_campaign(campaign)
    assert (again.tags, again.records) == (0, 0)
    assert Contradiction.objects.count() == 1


@pytest.mark.both
def test_of_two_who_publish_at_once_the_second_adds_nothing(alice, olga, campaign):
    accepted(alice, olga, campaign)
    kept = TagReview.objects.get()
    assert publish(kept) == 1
    assert publish(kept) is None


@pytest.mark.both
def test_only_what_was_accepted_is_published(alice, olga, campaign):
    make.submitted(alice, within=campaign)
    assert publish_campaign(campaign).tags == 0


def test_a_decision_taken_back_is_not_published(alice, olga, campaign):
    accepted(alice, olga, campaign)
    deciding.take_back(TagReview.objects.get().pk, by=olga)
    assert publish_campaign(campaign).tags == 0


@pytest.mark.both
def test_a_tag_decided_again_is_published_once_by_the_decision_in_force(alice, olga, campaign):
    annotation = accepted(alice, olga, campaign)
    before = TagReview.objects.get()
    deciding.take_back(before.pk, by=olga)
    make.decide(annotation, olga)
    assert to_publish(campaign) == [TagReview.objects.get(taken_back_at=None)]
    assert publish(before) is None
    assert publish_campaign(campaign).tags == 1


def test_a_published_decision_is_not_taken_back(alice, olga, campaign):
    accepted(alice, olga, campaign)
    publish_campaign(campaign)
    with pytest.raises(Conflict, match="published"):
        deciding.take_back(TagReview.objects.get().pk, by=olga)


def test_an_invalid_tag_is_kept_too(alice, olga, campaign):
    accepted(alice, olga, campaign, validity="Invalid", valid_comment="Since corrected.")
    publish_campaign(campaign)
    row = Contradiction.objects.get()
    assert (row.validity, row.valid_comment, row.passage_1_copied) == (
        "Invalid",
        "Since corrected.",
        None,
    )
    assert row.instances.count() == 0


def test_an_ambiguous_tag_is_not_published(olga, pair):
    make.decide(pair[0], olga, "drop", "Nobody knows.")
    assert publish_campaign(pair[0].assignment.campaign).tags == 0


def test_a_tag_gives_one_record(olga, pair):
    make.decide(pair[1], olga)
    done = publish_campaign(pair[0].assignment.campaign)
    assert (done.tags, done.records) == (1, 1)
    assert [stored(row).state for row in pair] == [
        AnnotationState.UNUSED,
        AnnotationState.PUBLISHED,
    ]
    assert Contradiction.objects.get().span_1 == "1801"


def test_a_merged_tag_gives_one_record_whose_questions_keep_their_authors(olga, pair):
    at, keys = make.place_of(pair[0]), [row.pk for row in pair]
    how = Merge(
        FieldSources(keys[0], {"span_1": keys[1]}), {0: [f"{keys[0]}-1"], 1: [f"{keys[1]}-1"]}
    )
    deciding.merge(at, how, by=olga, read=make.read_by(at))
    done = publish_campaign(pair[0].assignment.campaign)
    assert (done.tags, done.records) == (1, 1)
    row = Contradiction.objects.get()
    assert (row.span_1, row.author) == ("1801", olga)
    authors = [instance.author.username for instance in row.instances.order_by("n")]
    assert authors == ["alice", "bob"]
    # Both annotators find the record that their work went into.
    assert {stored(each).contradiction for each in pair} == {row}


@pytest.mark.both
def test_two_contradictions_are_two_records_that_name_each_other(client, olga, pair):
    at = make.place_of(pair[0])
    deciding.accept_two(at, [row.pk for row in pair], by=olga, read=make.read_by(at))
    done = publish_campaign(pair[0].assignment.campaign)
    assert (done.tags, done.records) == (1, 2)
    first, second = complete(Contradiction.objects.all())
    assert (first["same_tag"], second["same_tag"]) == ([second["id"]], [first["id"]])
    client.force_login(olga)
    for one, other in ((0, 1), (1, 0)):
        rows = Contradiction.objects.order_by("position")
        page = client.get(f"/contradictions/{rows[one].pk}/").content.decode()
        assert "A second contradiction was found in the same tag" in page
        assert f"/contradictions/{rows[other].pk}/" in page


def complete(rows):
    return json.loads("".join(EXPORTERS["complete-json"].chunks(streamed(rows))))["records"]


ONCE_MORE = ({"statement_1": "Another claim."}, {"statement_1": "A third."})


@pytest.mark.parametrize("main", [ONCE_MORE, ({}, ONCE_MORE[1]), ONCE_MORE[:1]])
def test_two_contradictions_of_a_later_round_name_each_other_and_a_release_stays(
    client, olga, pair, main
):
    """Both decided on anew, one of them as it was, and one alone, which leaves the other."""
    campaign = pair[0].assignment.campaign
    at = make.place_of(pair[0])
    deciding.accept_two(at, [row.pk for row in pair], by=olga, read=make.read_by(at))
    publish_campaign(campaign)
    release = freeze(collection=campaign.collection, version="1.0")
    before = complete(released(release))

    place = make.second_round(pair[0])
    if len(main) == 2:
        reserve.again(place, 2).save()
    names = ("carla", "dora")
    rows = [
        make.submitted(make.annotator(name), within=campaign, entries=make.whole(**changes))
        for name, changes in zip(names, main, strict=False)
    ]
    if len(rows) == 2:
        at = make.place_of(rows[0])
        deciding.accept_two(at, [row.pk for row in rows], by=olga, read=make.read_by(at))
    else:
        make.decide(rows[0], olga)
    publish_campaign(campaign)

    one, two = complete(current(campaign.collection))
    assert (one["same_tag"], two["same_tag"]) == ([two["id"]], [one["id"]])
    assert {one["id"], two["id"]} != {each["id"] for each in before}
    assert complete(released(release)) == before
    client.force_login(olga)
    for row in current(campaign.collection):
        page = client.get(f"/contradictions/{row.pk}/").content.decode()
        assert page.count("A second contradiction was found in the same tag") == 1


# Statement 1 of what the pilot published, of what the main round accepts, and of the records then, in their order.
ROUNDS = [
    (["a"], ["b"], ["b"]),
    (["a"], ["a"], ["a"]),
    (["a"], ["b", "c"], ["b", "c"]),
    (["a"], ["a", "b"], ["a", "b"]),
    (["a"], ["b", "a"], ["a", "b"]),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    (["a", "b"], ["a", "c"], ["a", "c"]),
    (["a", "b"], ["b", "c"], ["c", "b"]),
    (["a", "b"], ["c", "a"], ["a", "c"]),
    (["a", "b"], ["c", "b"], ["c", "b"]),
    (["a", "b"], ["b", "a"], ["a", "b"]),
    (["a", "b"], ["c"], ["c", "b"]),
    (["a", "b"], ["a"], ["a", "b"]),
    (["a", "b"], ["b"], ["a", "b"]),
]


@pytest.mark.parametrize(("pilot", "main", "expected"), ROUNDS)
def test_a_later_round_supersedes_no_record_that_it_says_again(olga, pilot, main, expected):
    rows = make.two_of_a_tag(*({"statement_1": each} for each in pilot), by=olga)
    campaign = rows[0].assignment.campaign
    decide_all(rows, olga)
    publish_campaign(campaign)

    place = make.second_round(rows[0])
    if len(main) == 2:
        reserve.again(place, 2).save()
    people = [make.annotator(name) for name in ("erin", "finn")]
    rows = [
        make.submitted(by, within=campaign, entries=make.whole(statement_1=each))
        for by, each in zip(people, main, strict=False)
    ]
    decide_all(rows, olga)
    done = publish_campaign(campaign)

    assert [row.statement_1 for row in current(campaign.collection)] == expected
    assert (done.tags, done.records) == (1, len(expected) - len(pilot))
    records = [stored(row).contradiction for row in rows]
    assert [row.statement_1 for row in records] == main
    assert not Contradiction.objects.filter(supersedes__in=records).exists()


def decide_all(rows, by):
    """Accept the annotation of a tag, or both as two contradictions."""
    at = make.place_of(rows[0])
    if len(rows) == 1:
        make.decide(rows[0], by)
    else:
        deciding.accept_two(at, [row.pk for row in rows], by=by, read=make.read_by(at))


def test_two_annotations_that_give_one_record_are_no_two_contradictions(olga):
    """The record does not say that a passage is from a table."""
    rows = make.two_of_a_tag({}, {"modality_1": "table"}, by=olga)
    with pytest.raises(Refusal, match="exactly the same record"):
        decide_all(rows, olga)


def again(campaign, by):
    """The campaign's tag in a second round, annotated by Carla and accepted."""
    place = make.second_round(Annotation.objects.exclude(assignment=None).earliest("pk"))
    annotation = make.submitted(make.annotator("carla"), within=campaign)
    assert annotation.assignment == place
    make.decide(annotation, by)


@pytest.mark.both
def test_a_later_round_gives_the_record_a_new_version(olga, pair):
    campaign = pair[0].assignment.campaign
    make.decide(pair[1], olga)
    publish_campaign(campaign)
    again(campaign, olga)
    done = publish_campaign(campaign)
    assert (done.tags, done.records) == (1, 0)
    (row,) = current(campaign.collection)
    assert (row.version, row.position, row.span_1) == (2, 0, "in 1801")


def test_a_later_round_that_says_the_same_points_at_the_record(olga, pair):
    campaign = pair[0].assignment.campaign
    make.decide(pair[0], olga)
    publish_campaign(campaign)
    again(campaign, olga)
    assert publish_campaign(campaign).tags == 1
    row = Contradiction.objects.get()
    assert row.version == 1
    assert {each.author.username for each in row.annotations.all()} == {"alice", "carla"}


def published_again(olga, statements):
    """A tag that as many campaigns annotate, accept and publish into one collection; the last annotation."""
    for n, statement in enumerate(statements, 1):
        campaign = make.campaign(name=f"Mills {n}", tags=int(n == 1), by=olga)
        entries = make.whole(statement_1=statement)
        row = make.submitted(make.annotator(f"anna{n}"), within=campaign, entries=entries)
        make.decide(row, olga)
        assert publish_campaign(campaign).records == int(n == 1)
    return stored(row)


@pytest.mark.both
@pytest.mark.parametrize(
    ("statements", "versions"),
    [("aba", "aba"), ("abab", "abab"), ("abaa", "aba"), ("abba", "aba"), ("abcb", "abcb")],
)
def test_a_record_that_returns_to_what_it_said_is_a_new_version_each_time(
    olga, statements, versions
):
    row = published_again(olga, statements).contradiction
    chain = list(current(row.collection))
    assert chain == [row]
    while row.supersedes:
        chain.append(row := row.supersedes)
    assert "".join(each.statement_1 for each in reversed(chain)) == versions
    assert [each.version for each in chain] == [*range(len(versions), 0, -1)]
    assert len({each.external_id for each in chain}) == len(versions)


def test_an_annotation_whose_article_was_purged_is_decided_and_published(olga, pair):
    revision = pair[0].sighting.revision
    purge(revision.article.wiki, {revision.revid: HiddenParts(text=True)})
    make.decide(Annotation.objects.get(pk=pair[0].pk), olga)
    publish_campaign(pair[0].assignment.campaign)
    row = Contradiction.objects.get()
    assert (row.title, row.paragraph) == ("Kettle Mill", "")
