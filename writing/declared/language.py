"""The keys of a form that a protocol declares. Pure."""

import re

from annotation.fields.walker import FieldKind
from protocols.declaration import ORIGINS
from protocols.entry_keys import NAMED, Key

VERSION, RECORD, NOTHING = MAKES = ("version", "record", "nothing")
KINDS = tuple(kind.value for kind in FieldKind if kind not in (FieldKind.ROWS, FieldKind.PLACE))
CHOICES, TEXTS = (FieldKind.ONE, FieldKind.MANY), (FieldKind.LINE, FieldKind.TEXT)
RATINGS = range(1, 6)
# More records of one base nobody writes.
MOST_COMBINATIONS = 200
# Characters of an entry: of a line, of a text, and of a text that fills a passage.
MOST_LINE, MOST_TEXT, MOST_PASSAGE = 1_000, 10_000, 50_000
# What the page posts besides the fields of a form.
RESERVED = (
    "action", "annotation", "code", "csrfmiddlewaretoken", "filled", "next", "provenance", "reason", "seconds", "step",
    "version",
)  # fmt: skip
# A field of the record in a text that a field begins with.
PLACE = re.compile(r"\{([^{}]*)\}")

KEYS = {
    **NAMED,
    "title": Key(str, is_required=True, longest=120, about="What lists and pages call the form."),
    "origin": Key(str, values=tuple(ORIGINS), about="Where the form is from."),
    "shows": Key(list, is_required=True, about="The fields of the record that the writer reads."),
    "guideline": Key(str, longest=5_000, about="What writers and checkers read above the form."),
    "makes": Key(
        str,
        is_required=True,
        values=MAKES,
        about="What a checked entry makes: the record's next version, a new record of the same base, or nothing.",
    ),
    "base": Key(str, about="Of a form that makes records: the field whose value all records of a base share."),
    "complete": Key(
        list,
        about="Of a form that makes records: slices with `values`. A record is written for each combination of their "
        "values that a base lacks; the base is complete when it has all.",
    ),
    "step": Key(list, of=dict, is_required=True, about="The steps, each as `[[form.step]]`."),
    "field": Key(list, of=dict, is_required=True, about="The fields, each as `[[form.field]]`."),
}  # fmt: skip
STEP_KEYS = {
    "title": Key(str, is_required=True, longest=60, about="What stands above the step."),
    "fields": Key(list, is_required=True, about="The names of its fields, in their order."),
}
FIELD_KEYS = {
    **NAMED,
    "label": Key(str, is_required=True, longest=200, about="What the writer reads at the field."),
    "type": Key(
        str,
        values=KINDS,
        is_required=True,
        about="One option, many options, a line, a text of several lines, a rating from 1 to 5, or a tick.",
    ),
    "options": Key(list, longest=200, about="Of one and many: what can be chosen."),
    "options_of": Key(str, about="Instead of options: the slice whose `values` can be chosen."),
    "required": Key(bool, about="True: the form cannot be submitted without it."),
    "fills": Key(
        str,
        about="The field of the record that a checked entry writes. Many options, or a text with an item on each line, "
        "fill a list.",
    ),
    "begins": Key(
        str,
        longest=2_000,
        about="Of a line and a text: what stands in it at first, with fields of the record in braces.",
    ),
    "when": Key(
        dict,
        about="Of begins: it stands there only for this value of a field that fills a slice of `complete`.",
    ),
    "offers": Key(list, longest=500, about="Of a line and a text: phrases that the writer can put into it."),
}  # fmt: skip
TABLES = {"form": KEYS, "form.step": STEP_KEYS, "form.field": FIELD_KEYS}
