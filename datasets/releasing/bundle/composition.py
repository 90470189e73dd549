"""What a release is made of and who annotated it, as Markdown, counted from its rows. Pure."""

from collections import Counter
from collections.abc import Iterator

from datasets.releasing.bundle.facts import Facts
from datasets.releasing.bundle.texts import inline

_MOST_VALUES = 20  # of a field, in the table of kinds
_NOBODY = "Who annotated the records is not known here."


def in_it(facts: Facts) -> str:
    """Tables of the kinds of questions and of the lengths of texts, and what is known of answers and passages."""
    kinds = [line for name, values in facts.counted.kinds.items() for line in _kinds(name, values)]
    lengths = [
        f"| `{name}` | {found.n} | {found.least} | {found.median} | {found.most} |"
        for name in facts.counted.sizes
        for found in [facts.counted.lengths(name)]
    ]
    tables = [
        ("| Field | Value | Questions |\n|---|---|---|", kinds),
        (
            "| Field | Texts | Shortest | Median | Longest, in characters |\n|---|---|---|---|---|",
            lengths,
        ),
    ]
    whole = ["\n".join([head, *rows]) for head, rows in tables if rows]
    return "\n\n".join([*whole, *_known(facts)]) or "It has no questions."


def _kinds(name: str, values: Counter[str]) -> Iterator[str]:
    shown = values.most_common(_MOST_VALUES)
    for value, n in shown:
        yield f"| `{name}` | {inline(value)} | {n} |"
    if more := len(values) - len(shown):
        yield f"| `{name}` | {more} other values | {values.total() - sum(n for _, n in shown)} |"


def _known(facts: Facts) -> Iterator[str]:
    counted = facts.counted
    if counted.answers:
        yield (
            f"Of {counted.answers} gold answers, {counted.inferred} are marked as inferred: they are written in no "
            "passage."
        )
    if counted.passages:
        yield f"Of {counted.passages} sources of passages, {counted.with_revision} name the revision of the page."


def annotators(facts: Facts) -> str:
    """How many people annotated, and how far they agreed."""
    found = facts.annotated
    if not found.people:
        return _NOBODY
    who = f"{found.people} {'person' if found.people == 1 else 'people'} annotated the records."
    return "\n\n".join(filter(None, [who, found.per_item, *map(inline, found.agreement)]))
