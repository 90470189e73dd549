"""Parameters of a tag, and the kind that they make it."""

import pytest

from wikifetch.wikitext import find_tags
from wikifetch.wikitext.parameters import parse_parameters


def read(raw):
    (tag,) = find_tags(f"Built in 1801.{raw} It is old.").tags
    return tag


@pytest.mark.parametrize(
    ("raw", "date", "reason"),
    [
        ("{{Inconsistent}}", "", ""),
        ("{{Inconsistent|date=May 2020}}", "May 2020", ""),
        ("{{Inconsistent|date = May 2020 | reason = The year }}", "May 2020", "The year"),
        ("{{contradictory inline| reason = The year|date=May 2020}}", "May 2020", "The year"),
        ("{{Inconsistent|about=the year}}", "", "the year"),
        ("{{Inconsistent|about=the year|reason=the month}}", "", "the month"),
        ("{{Inconsistent|about=the year|reason=}}", "", "the year"),
        ("{{Inconsistent|infobox says 1801}}", "", ""),
        ("{{Inconsistent|Reason=The year|Date=May 2020}}", "May 2020", "The year"),
        ("{{Inconsistent|reason=a = b}}", "", "a = b"),
        ("{{Inconsistent|reason=The <!-- which? -->year}}", "", "The year"),
        ("{{Inconsistent|date=May 2020}|reason=One brace}}", "May 2020}", "One brace"),
        ("{{Inconsistent|date=May 2019|date=May 2020}}", "May 2020", ""),
    ],
)
def test_date_and_reason(raw, date, reason):
    tag = read(raw)
    assert (tag.date, tag.reason) == (date, reason)


@pytest.mark.parametrize(
    ("raw", "kind", "other"),
    [
        ("{{contradict|article=Tide mill|about=height}}", "contradict-other", "Tide mill"),
        ("{{contradict|article=|about=height}}", "self-contradictory", ""),
        ("{{contradict|Tide mill}}", "self-contradictory", ""),
        ("{{contradict|section}}", "self-contradictory", ""),
        ("{{inconsistent|Tide mill}}", "inconsistent", ""),
        ("{{inconsistent|article=Tide mill}}", "contradict-other", "Tide mill"),
        ("{{contradicts other|Tide mill}}", "contradict-other", "Tide mill"),
        ("{{Contradicts other|[[Tide mill]]}}", "contradict-other", "Tide mill"),
        ("{{contradict-other|[[:Tide_mill#Height|that one]]}}", "contradict-other", "Tide mill"),
        ("{{contradict-other|section|Tide mill}}", "contradict-other", "Tide mill"),
        ("{{contradict-other|1=Tide mill|2=Windmill}}", "contradict-other", "Tide mill | Windmill"),
        ("{{contradict-other|Mill|Mill|Weir|Ford}}", "contradict-other", "Mill | Weir | Ford"),
        ("{{contradict-other|Artikel|[[Mühle]]|Höhe 12 m}}", "contradict-other", "Mühle"),
        (
            "{{contradict-other|Abschnitt|[[Mühle]]|[[:Wehr#Bau|Wehr]]}}",
            "contradict-other",
            "Mühle | Wehr",
        ),
        ("{{contradict-other|Artikel|Mühle}}", "contradict-other", "Mühle"),
        ("{{contradict|article=[[Mill]] and [[Weir]]}}", "contradict-other", "Mill | Weir"),
        (f"{{{{contradict-other|{'a' * 200}|{'b' * 200}}}}}", "contradict-other", "a" * 200),
        ("{{contradict-other}}", "contradict-other", ""),
        ("{{contradict-other|<b>x</b>}}", "contradict-other", ""),
    ],
)
def test_kind_and_other_article(raw, kind, other):
    tag = read(raw)
    assert (tag.kind, tag.other_article) == (kind, other)


def test_parameters_keep_their_values_as_written():
    raw = "{{contradict| section |about= the year |discuss=Talk:Mill#Year}}"
    assert parse_parameters(raw) == (
        ("1", " section "),
        ("about", " the year "),
        ("discuss", "Talk:Mill#Year"),
    )


def test_a_tag_too_hostile_to_parse_is_split_at_its_bars():
    raw = "{{inconsistent|reason=" + "[[" * 500 + "|date=May 2020}}"
    assert parse_parameters(raw)[-1] == ("date", "May 2020")
