"""The page docs/protocols-reference.md, written from the keys that the readers of a protocol know. Pure."""

from collections.abc import Iterable, Iterator, Mapping

from protocols.declaration import AXES, ORIGINS, PARTS
from protocols.entry_keys import LONGEST_NAME, Key, allowed
from protocols.reading import FIELD_KEYS, LARGEST, RESERVED, TABLES


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


_ROWS = "\n".join(f"| `{origin}` | {words} |" for origin, words in ORIGINS.items())
HEAD = f"""# The keys of a protocol's file

This page is written by `python manage.py protocol_reference` from the tables by which a file is read; a test fails
when it is out of date. [Protocols](protocols.md) explains what the words mean.

A file is TOML in UTF-8, of at most {LARGEST:,} bytes. `[protocol]`, `[file]` and `[item]` stand in it once, each other
table as often as it is needed. Keys in **bold** must be there.

- A name has at most {LONGEST_NAME} small letters, digits, hyphens and underscores, and begins with a letter.
- A list is not empty, and holds nothing twice.
- No field is named {_listed(RESERVED)}.
- The axes of a report's table are {_listed(AXES)}, each prompt tag, and each slice.

An `origin` is one of these:

| origin | where a text is from |
|---|---|
{_ROWS}
"""


def page(part_keys: Mapping[str, Mapping[str, Key]]) -> str:
    """The whole page. `part_keys` are those of the rooms (checking.part_keys)."""
    tables = {**TABLES, "field": FIELD_KEYS, **part_keys}
    order = [*TABLES, "field", *PARTS]
    by_part = sorted(tables, key=lambda name: order.index(name.partition(".")[0]))
    return "\n".join([HEAD, *(line for name in by_part for line in _section(name, tables[name]))])


def _section(name: str, keys: Mapping[str, Key]) -> Iterator[str]:
    part, _, inner = name.partition(".")
    head = f"[{part}]" if part in TABLES else f"[[{part}]]"
    yield f"### `{inner}` of `{head}`" if inner else f"## `{head}`"
    yield from ("", "| key | value | what it is |", "|---|---|---|")
    for key_name, key in keys.items():
        shown = f"**`{key_name}`**" if key.is_required else f"`{key_name}`"
        yield f"| {shown} | {_value(key)} | {key.about} |"
    yield ""


def _value(key: Key) -> str:
    if key.values and key.kind is not list:
        return _listed(key.values)
    return allowed(key)
