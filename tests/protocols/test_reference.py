"""The page of keys is what the readers know, and is up to date."""

import pytest
from django.core.management import CommandError, call_command

from protocols import reference
from protocols.checking import part_keys
from protocols.declaration import PARTS
from protocols.entry_keys import Key, allowed
from protocols.management.commands import protocol_reference
from protocols.reading import FIELD_KEYS, TABLES


def test_the_committed_page_is_up_to_date():
    call_command("protocol_reference", check=True)


def test_a_page_that_is_out_of_date_fails_the_check(tmp_path, monkeypatch):
    monkeypatch.setattr(protocol_reference, "PAGE", tmp_path / "keys.md")
    with pytest.raises(CommandError, match="out of date"):
        call_command("protocol_reference", check=True)
    call_command("protocol_reference")
    call_command("protocol_reference", check=True)
    (tmp_path / "keys.md").write_text("# By hand\n")
    with pytest.raises(CommandError, match="out of date"):
        call_command("protocol_reference", check=True)


def test_every_part_has_its_keys_on_the_page():
    assert {name for name in part_keys() if "." not in name} == set(PARTS)


TABLE_KEYS = {**TABLES, "field": FIELD_KEYS, **part_keys()}
EACH_KEY = [(table, key) for table, keys in TABLE_KEYS.items() for key in keys]


@pytest.mark.parametrize(("table", "key"), EACH_KEY)
def test_every_key_says_what_it_is_in_plain_sentences(table, key):
    about = TABLE_KEYS[table][key].about
    assert about.endswith(".")
    assert "|" not in about
    assert "\n" not in about


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (Key(str), "a text of at most 300 characters"),
        (Key(str, longest=20_000), "a text of at most 20,000 characters"),
        (Key(str, longest=24, is_name=True), "a name of at most 24 characters"),
        (Key(str, values=("a", "b")), "one of a, b"),
        (Key(int), "a whole number"),
        (Key(bool), "true or false"),
        (Key(dict), "a table"),
        (Key(list, of=dict), "a list of tables"),
        (Key(list, longest=60), "a list, each a text of at most 60 characters"),
        (Key(list, values=("a", "b")), "a list, each one of a, b"),
    ],
)
def test_what_a_value_may_be_is_said(key, words):
    assert allowed(key) == words


def test_a_key_is_a_row_with_its_values_and_bold_where_it_has_to_be_there():
    keys = {
        "kind": Key(str, is_required=True, values=("one", "two"), about="What it is."),
        "note": Key(list, about="More."),
    }
    page = reference.page({"scorer": keys, "scorer.more": {"note": Key(bool, about="Yes.")}})
    assert (
        "## `[[scorer]]`\n\n| key | value | what it is |\n|---|---|---|\n"
        "| **`kind`** | `one`, `two` | What it is. |\n"
        "| `note` | a list, each a text of at most 300 characters | More. |\n\n"
        "### `more` of `[[scorer]]`\n\n| key | value | what it is |\n|---|---|---|\n| `note` | true or false | Yes. |\n"
    ) in page
