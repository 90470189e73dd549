"""What is known of a tag besides its article."""

import itertools
import time
from datetime import date

import pytest

from tests.wikifetch.factories import export, mill, page, revision, written
from wikifetch import fetch
from wikifetch.evidence import ShownIntroduction, moved_on, talk_of
from wikifetch.history.pages_seen import HiddenParts
from wikifetch.models import Sighting, Tag
from wikifetch.purging import purge
from wikifetch.wikitext.parameters import month_of

pytestmark = pytest.mark.django_db

TEXT = "Built in 1801."
TAG = "{{Inconsistent|reason=1811 below}}"


@pytest.fixture
def fetched(tmp_path):
    def take(*pages):
        fetch.fetch_xml(written(tmp_path, export(*pages)))
        return Sighting.objects.order_by("pk").select_related("tag__article", "tag__latest").first()

    return take


@pytest.mark.parametrize(
    ("words", "month"),
    [
        ("May 2020", date(2020, 5, 1)),
        ("  may   2020 ", date(2020, 5, 1)),
        ("Sept. 2019", date(2019, 9, 1)),
        ("Sep 2019", date(2019, 9, 1)),
        ("12 May, 2020", date(2020, 5, 1)),
        ("2020-05", date(2020, 5, 1)),
        ("2020-13", None),
        ("Mai 2020", date(2020, 5, 1)),
        ("Toukokuu 2020", None),
        ("", None),
        ("May 20200", None),
    ],
)
def test_the_month_that_a_tag_names(words, month):
    assert month_of(words) == month


@pytest.mark.parametrize(
    ("later", "message"),
    [
        (f"{TEXT}{TAG}", ""),
        (TEXT, "gone from the article since"),
        (
            f"{TEXT}{TAG.replace('1811', '1812')}",
            "reason has changed since; it is now: 1812 below.",
        ),
        (f"{TEXT[:-1]} by Ann.{TAG}", "text around the tag has changed since"),
        (f"{TEXT}{TAG}\n\nMore.", "edited since; the tagged text is the same"),
    ],
)
def test_how_the_page_has_moved_on(fetched, later, message):
    pinned = fetched(mill(f"{TEXT}{TAG}", 10))
    if message:
        fetched(mill(later, 11))
    pinned = Sighting.objects.select_related("tag__latest").get(pk=pinned.pk)
    assert message in moved_on(pinned)
    assert bool(moved_on(pinned)) == bool(message)


def test_a_text_that_was_taken_out_is_reported_before_all(fetched):
    pinned = fetched(mill(f"{TEXT}{TAG}", 10))
    purge(pinned.tag.article.wiki, {10: HiddenParts(text=True)})
    fetched(mill(TEXT, 11))
    pinned = Sighting.objects.select_related("tag__latest").get(pk=pinned.pk)
    assert "hidden the text of this revision" in moved_on(pinned)


def history(*edits):
    """Kettle Mill with one revision for each (editor, text)."""
    revisions = [
        revision(n, text, by=by, parent=n - 1 or None, time=f"2020-05-{n:02}T10:00:00Z")
        for n, (by, text) in enumerate(edits, start=1)
    ]
    return page(1, "Kettle Mill", *revisions)


def test_a_month_added_by_a_bot_differs_from_the_tags_own(fetched):
    dated = TAG.replace("}}", "|date=May 2020}}")
    fetched(history(("Ann", TEXT), ("Bob", TEXT + TAG), ("DateBot", TEXT + dated)))
    introduction = ShownIntroduction(Tag.objects.get())
    assert (introduction.tag.introduced_by, introduction.tag.introduced_raw) == ("Bob", TAG)
    assert (introduction.dated_later, introduction.by_a_bot) == (True, False)


def test_a_tag_that_came_dated_is_not_shown_as_dated_later(fetched):
    dated = TAG.replace("}}", "|date=May 2020}}")
    fetched(history(("Ann", TEXT), ("CleanupBot 3", TEXT + dated)))
    introduction = ShownIntroduction(Tag.objects.get())
    assert (introduction.dated_later, introduction.by_a_bot) == (False, True)


def test_the_talk_page_is_shown_sanitised_section_by_section(fetched):
    talk = "== Year ==\n1811 or 1801? <script>alert(1)</script>\n\n== Other ==\nHello."
    seen = fetched(mill(f"{TEXT}{TAG}"), page(2, "Talk:Kettle Mill", revision(20, talk), ns=1))
    first, second = talk_of(seen)
    assert (first.section.heading, second.section.heading) == ("Year", "Other")
    assert "<script" not in first.html
    assert "1811 or 1801?" in first.html


@pytest.mark.parametrize(("clock", "unparsed"), [("monotonic", [0, 0]), ("thread_time", [1, 1])])
def test_a_talk_page_is_limited_in_processor_time(fetched, monkeypatch, clock, unparsed):
    talk = "== Year ==\nSee [[1801]].\n\n== Other ==\nSee [[1811]]."
    seen = fetched(mill(f"{TEXT}{TAG}"), page(2, "Talk:Kettle Mill", revision(20, talk), ns=1))
    minutes = itertools.count()
    monkeypatch.setattr(time, clock, lambda: 60.0 * next(minutes))
    assert [shown.html.count("[[") for shown in talk_of(seen)] == unparsed


def test_an_article_without_a_talk_page_has_no_sections(fetched):
    assert talk_of(fetched(mill(f"{TEXT}{TAG}"))) == []
