"""What the form proposes, and which of it nobody has touched."""

import json
from pathlib import Path

import pytest

from annotation.fields.steps import STEPS
from annotation.fields.suggesting import FILLABLE, kind_of_block, still_filled, suggestions
from annotation.fields.walker import fields_of

TABLE = json.loads((Path(__file__).parent / "suggestion_cases.json").read_text(encoding="utf-8"))
BASE = TABLE["base"]


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_the_table_of_proposals(case):
    assert suggestions({**BASE, **case["entries"]}, case["pieces"]) == case["proposes"]


def test_what_a_person_has_to_decide_is_never_proposed():
    decided = {"validity", "same_passage", "confidence", "type_1", "type_4"}
    proposed = {name for case in TABLE["cases"] for name in case["proposes"]}
    assert not decided & (proposed | set(FILLABLE))
    assert proposed <= set(FILLABLE) <= set(fields_of(STEPS))


COPY = {**BASE, "article_1": "Mill", "passage_1_copied": "Built in 1801.", "modality_1": "text"}


@pytest.mark.parametrize(
    ("claimed", "was", "change", "left"),
    [
        (["passage_1_copied"], ["passage_1_copied"], {}, ["passage_1_copied"]),
        (["passage_1_copied"], ["passage_1_copied"], {"passage_1_copied": "Built."}, []),
        (["passage_1_copied"], [], {}, []),  # the browser's word is not enough
        ([], ["passage_1_copied"], {}, []),
        (["passage_1_standalone"], [], {"passage_1_standalone": "Built in 1801."}, ["passage_1_standalone"]),
        (["passage_1_standalone"], [], {"passage_1_standalone": "The mill was built."}, []),
        (["validity", "same_passage", "no such", "confidence"], ["validity"], {}, []),
        (["type_2"], ["type_2"], {"type_2": []}, []),
    ],
)  # fmt: skip
def test_a_field_is_filled_while_it_holds_what_the_app_put_there(claimed, was, change, left):
    assert still_filled(claimed, was, COPY, {**COPY, **change}, {}) == left


def test_titles_and_origin_of_a_piece_are_filled():
    after = {
        **COPY,
        "article_2": "Kiln",
        "passage_2_copied": "Built in 1802.",
        "modality_2": "table",
    }
    pieces = {"2": [{"title": "Kiln", "kind": "table"}]}
    both = {"type_2": ["Text - Infobox/table"], "type_3": ["Across different articles"]}
    claimed = ["article_2", "modality_2", "type_2", "type_3"]
    assert still_filled(claimed, [], COPY, {**after, **both}, pieces) == claimed
    assert still_filled(claimed, [], COPY, {**after, "modality_2": "list"}, pieces) == ["article_2"]


@pytest.mark.parametrize(
    ("block_kind", "kind"),
    [("infobox field", "infobox"), ("table row", "table"), ("list item", "list"), ("caption", "other"),
     ("paragraph", "text"), ("section", "text"), ("", "text")],
)  # fmt: skip
def test_what_a_tagged_block_comes_from(block_kind, kind):
    assert kind_of_block(block_kind) == kind
