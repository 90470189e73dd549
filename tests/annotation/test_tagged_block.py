"""The tagged block next to the form: the open tag is told apart from its copies and from other tags."""

import pytest

from annotation.evidence.panes import Evidence
from tests.annotation.factories import RAW, tag

pytestmark = pytest.mark.django_db

BLOCK = f"One.{RAW} Two.{RAW}{{{{cn}}}} Three."
SHOWN = "{{" + RAW.strip("{}") + "}}"


@pytest.mark.parametrize(
    ("at", "what"), [(BLOCK.index(RAW), ["tag", "copy"]), (BLOCK.rindex(RAW), ["copy", "tag"])]
)
def test_of_two_copies_one_is_the_tag(at, what):
    sighting = tag(block=BLOCK).latest
    sighting.revision.wikitext = f"Lead.\n\n{BLOCK}"
    sighting.position = 7 + at
    assert Evidence(sighting).block == [
        ("One.", ""),
        (SHOWN, what[0]),
        (" Two.", ""),
        (SHOWN, what[1]),
        (" Three.", ""),
    ]


def test_a_block_that_is_not_in_its_revision_shows_its_first_copy_as_the_tag():
    sighting = tag(block=BLOCK).latest
    assert [what for _, what in Evidence(sighting).block] == ["", "tag", "", "copy", ""]
