"""The page for researchers has every key that a protocol may have, and no other."""

import re
from pathlib import Path

import pytest

from evaluation.scorers import language
from generation.prompts import declared, shots
from judging.rules import declared_rubrics
from protocols.declaration import AXES, ORIGINS, FieldType, Shape
from protocols.reading import FIELD_KEYS, RESERVED, TABLES

PAGE = (Path(__file__).parents[2] / "docs" / "protocols.md").read_text("utf-8")
KEYS = {
    **{f"**`[{part}]`**": set(keys) for part, keys in TABLES.items()},
    "**`[[field]]`**": set(FIELD_KEYS),
    "**`[[prompt]]`**": set(declared.KEYS),
    "**`[[example]]`**": set(shots.EXAMPLE_KEYS),
    "**`[[rubric]]`**": set(declared_rubrics.KEYS),
    "**`[[scorer]]`**": {key for keys in language.KEYS.values() for key in keys},
}


def section(head: str) -> str:
    """From the head of a part to the next one's."""
    return re.split(r"\n\*\*`\[|\n## ", PAGE[PAGE.index(head) + 1 :])[0]


@pytest.mark.parametrize("head", KEYS)
def test_the_page_lists_the_keys_of_each_table(head):
    rows = [line.split("|")[1:-2] for line in section(head).splitlines() if line.startswith("|")]
    listed = {key for row in rows for cell in row[-1:] for key in re.findall(r"`([a-z_]+)`", cell)}
    assert (listed or set(re.findall(r"\*\*`([a-z_]+)`\*\*", section(head)))) == KEYS[head]


@pytest.mark.parametrize("word", [*AXES, *ORIGINS, *FieldType, *Shape, *declared.FORMS, *RESERVED])
def test_the_page_names_what_a_value_may_be(word):
    assert f"`{word}`" in PAGE or f"`{{{word}}}`" in PAGE
