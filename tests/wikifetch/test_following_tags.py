"""Revision after revision of an article, each fetched: which tags there are in the end, and which are live."""

import pytest

from tests.wikifetch.factories import export, mill, written
from wikifetch import fetch
from wikifetch.models import Tag

pytestmark = pytest.mark.django_db

TAG = "{{inconsistent|reason=box says 14|date=May 2020}}"
OTHER = "{{contradict-inline|article=Elbe|date=May 2020}}"
WEIR = "== Structure ==\nThe weir is {} m high.{} It was built of oak by the monks."
MILL = "\n\nThe mill was built in 1920 by the brothers on the other bank.{}"
TWELVE, TAGGED = WEIR.format(12, ""), WEIR.format(12, TAG)
FOURTEEN, FOURTEEN_TAGGED = WEIR.format(14, ""), WEIR.format(14, TAG)
MOVED = TAGGED.replace("Structure", "History")
IN_FEET = TWELVE.replace(
    "The weir is 12 m high.", "At 12 m ({{convert|12|m|ft}}), the weir is tall."
)


@pytest.mark.parametrize(
    ("texts", "states"),
    [
        pytest.param([TAGGED, FOURTEEN], ["gone"], id="fixed where it is removed"),
        pytest.param(
            [TAGGED, FOURTEEN_TAGGED, FOURTEEN_TAGGED.replace("May", "June"), FOURTEEN], ["gone"],
            id="fixed first, removed later",
        ),
        pytest.param([TAGGED, TWELVE, FOURTEEN], ["gone"], id="removed first, fixed later"),
        pytest.param([TAGGED, TWELVE], ["gone"], id="removed alone"),
        pytest.param([TAGGED, MOVED], ["live"], id="moved to another section"),
        pytest.param([TAGGED, ""], ["gone"], id="removed with its section"),
        pytest.param([TAGGED, WEIR.format(13, "")], ["gone"], id="a third value"),
        pytest.param([TAGGED, IN_FEET], ["gone"], id="reworded"),
        pytest.param([TAGGED, WEIR.format("fourteen", "")], ["gone"], id="in words"),
        pytest.param([TAGGED, WEIR.format(12, OTHER)], ["live"], id="another template"),
        pytest.param(
            [TAGGED, TWELVE, TAGGED, FOURTEEN, FOURTEEN_TAGGED, FOURTEEN], ["gone"],
            id="restored twice, the second time with the fix",
        ),
        pytest.param(
            [TAGGED + MILL.format(""), FOURTEEN + MILL.format(TAG)], ["gone", "live"],
            id="settled, and another of its section tagged with the same words",
        ),
        pytest.param([TAGGED, "#REDIRECT [[Elbe]]"], ["gone"], id="merged into another"),
        pytest.param([TAGGED, TAGGED], ["live"], id="no change of the text"),
    ],
)  # fmt: skip
def test_each_contradiction_is_one_tag(tmp_path, texts, states):
    for revid, text in enumerate(texts, start=1):
        fetch.fetch_xml(written(tmp_path, export(mill(f"A '''weir'''.\n\n{text}", revid=revid))))
    assert list(Tag.objects.order_by("pk").values_list("state", flat=True)) == states
