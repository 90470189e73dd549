"""The 130 published records (STUDY_DATA): their tags read as their authors read them."""

import json

import pytest

from wikifetch.wikitext import find_tags

# Record 85 ("Beat Hotel"): a blank before the parameter's name cost the authors' parser the reason.
LOST_REASON = 85
WITHOUT_PROSE = {70, 77, 84, 86, 87, 98, 109, 118, 121, 128}


@pytest.fixture(scope="module")
def records(study_data):
    path = study_data / "wikicontradict" / "wikicontradict.json"
    return json.loads(path.read_text(encoding="utf-8"))


def the_tag(record):
    (tag,) = find_tags("{{" + record["tag"] + "}}").tags
    return tag


def test_date_and_reason_equal_the_published_ones_but_for_one_lost_reason(records):
    read = [(tag.date, tag.reason) for tag in map(the_tag, records)]
    published = [(r["tagDate"].strip(), r["tagReason"].strip()) for r in records]
    different = [n for n in range(len(records)) if read[n] != published[n]]
    assert different == [LOST_REASON]
    assert published[LOST_REASON] == ("November 2015", "")
    assert read[LOST_REASON] == (
        "November 2015",
        "In the article 'Harold Chapman' it says that the nickname was conferred by Verta Kali Smart",
    )


def test_every_published_tag_is_of_a_known_kind(records):
    kinds = [the_tag(record).kind for record in records]
    assert [kinds.count(k) for k in ("inconsistent", "self-contradictory", "contradict-other")] == [
        116,
        13,
        1,
    ]


def test_the_tag_is_found_in_its_published_paragraph_as_often_as_it_is_there(records):
    for record in records:
        raw = "{{" + record["tag"] + "}}"
        result = [tag for tag in find_tags(record["paragraph_A"]).tags if tag.raw == raw]
        assert len(result) == record["paragraph_A"].count(raw) > 0


def test_the_block_without_the_tag_is_the_published_clean_paragraph(records):
    """The published paragraphs are one block each; ten have no prose, where a heading may be alone."""
    for number, record in enumerate(records):
        raw = "{{" + record["tag"] + "}}"
        for tag in find_tags(record["paragraph_A"]).tags:
            if tag.raw == raw and number not in WITHOUT_PROSE:
                assert tag.block_clean.strip() == record["paragraph_A_clean"].strip(), number


def test_the_sample_of_real_articles_holds_look_alikes_and_no_tag(study_file):
    from wikifetch.source.dump import read_dump

    look_alikes = 0
    for page in read_dump(study_file("wikitext/enwiki_sample.xml.bz2")).pages:
        for revision in page.revisions:
            look_alikes += revision.text.lower().count("{{inconsistent citations")
            assert find_tags(revision.text).tags == ()
    assert look_alikes == 9
