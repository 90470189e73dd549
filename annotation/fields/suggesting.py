"""What the form proposes from where the passages came, and which proposals nobody has touched. Pure.

The browser proposes while passages are sent (static/js/annotation/suggestions.js); both are tested with
tests/annotation/suggestion_cases.json. Never proposed: validity, same_passage, confidence, types I and IV.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.fields.checks import ACROSS, TABLE_TABLE, TEXT_TABLE, WITHIN
from annotation.fields.matching import fold
from annotation.fields.steps import STEPS
from annotation.fields.walker import Entries, kept
from datasets.taxonomy import TYPE_II

TABULAR = ("infobox", "table")
TEXT_TEXT = TYPE_II.values[0]
FILLABLE = (
    "article_1", "passage_1_copied", "modality_1", "passage_1_standalone",
    "article_2", "modality_2", "passage_2_standalone", "type_2", "type_3",
)  # fmt: skip

# What the block of a sighting is, as the form asks for it.
_KIND_OF_BLOCK = {
    "infobox field": "infobox",
    "table row": "table",
    "list item": "list",
    "gallery": "other",
    "caption": "other",
    "heading": "other",
}

Pieces = Mapping[str, Sequence[Mapping[str, Any]]]


def kind_of_block(block_kind: str) -> str:
    """What a passage that is the tagged block comes from."""
    return _KIND_OF_BLOCK.get(block_kind, "text")


def modality(kinds: Sequence[str]) -> str:
    """What a passage of these pieces comes from: a table's row among them is what needs rewriting."""
    return next((kind for kind in kinds if kind in TABULAR), kinds[0] if kinds else "")


def standalone(copied: str, comes_from: str) -> str:
    """Prose as copied, to be changed; nothing for a row, which is to be written out."""
    return "" if comes_from in TABULAR else copied


def difference(first: str, second: str) -> list[str]:
    """Type II of two modalities; nothing where one is unknown or something else."""
    rows = [comes_from in TABULAR for comes_from in (first, second)]
    if not all(comes_from in (*TABULAR, "text", "list") for comes_from in (first, second)):
        return []
    return [(TEXT_TEXT, TEXT_TABLE, TABLE_TABLE)[sum(rows)]]


def origin(first: str, second: str) -> list[str]:
    """Type III of two titles; nothing where one is missing."""
    titles = [fold(title.replace("_", " ")) for title in (first, second)]
    if not all(titles):
        return []
    return [WITHIN if titles[0] == titles[1] else ACROSS]


def suggestions(entries: Entries, pieces: Pieces) -> dict[str, Any]:
    """Field name to proposal, from the pieces of passages "1" and "2" and the entries. Types need both passages."""
    proposed: dict[str, Any] = {}
    for n in ("1", "2"):
        if pieces.get(n):
            proposed[f"article_{n}"] = pieces[n][0]["title"]
            proposed[f"modality_{n}"] = modality([piece["kind"] for piece in pieces[n]])
        proposed[f"passage_{n}_standalone"] = standalone(
            entries[f"passage_{n}_copied"], entries[f"modality_{n}"]
        )
    if all(entries[f"passage_{n}_copied"].strip() for n in (1, 2)):
        proposed["type_2"] = difference(entries["modality_1"], entries["modality_2"])
        proposed["type_3"] = origin(entries["article_1"], entries["article_2"])
    return proposed


def still_filled(
    claimed: Iterable[str],
    was_filled: Iterable[str],
    before: Entries,
    after: Entries,
    pieces: Pieces,
) -> list[str]:
    """Which of the `claimed` fields hold what the app filled in then, or proposes now. A claim alone never counts."""
    names, old, proposed = set(claimed), set(was_filled), suggestions(after, pieces)
    return [
        name
        for name in FILLABLE
        if name in names
        and after[name]
        and ((name in old and after[name] == before[name]) or proposed.get(name) == after[name])
    ]


def of_the_block(filled: Iterable[str], entries: Entries, title: str, pieces: Pieces) -> list[str]:
    """Which of the filled fields come from the tagged block or its tag; `title` is that of the tagged article.

    A stand-alone text that repeats a passage chosen by the person does not, nor a title that a piece of passage 2 has.
    """
    names = list(filled)
    is_left = "passage_1_copied" in names
    titles = {title, *(piece["title"] for piece in pieces.get("2", []))}
    comes_from_it = {
        "passage_1_copied": True,
        "modality_1": is_left,
        "passage_1_standalone": is_left
        or entries["passage_1_standalone"] != entries["passage_1_copied"],
        "article_2": entries["article_2"] not in titles,
    }
    return [name for name in names if comes_from_it.get(name)]


def final_entries(entries: Entries, filled: Iterable[str]) -> dict[str, Any]:
    """What a submission stores: a stand-alone text that nobody touched says what its copy says, and is absent."""
    final, names = kept(STEPS, entries), set(filled)
    for n in (1, 2):
        name = f"passage_{n}_standalone"
        if name in names and final[name] == final[f"passage_{n}_copied"]:
            final[name] = ""
    return final
