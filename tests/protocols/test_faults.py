"""Everything that is wrong with a file comes out at once, and nothing that only follows from it."""

import pytest

from protocols.checking import all_problems, part_keys
from protocols.declaration import ProtocolError
from protocols.reading import FIELD_KEYS, read_protocol
from tests.protocols.factories import WHOLE, changed


def faults(text):
    try:
        read_protocol(text.encode(), all_problems, part_keys())
    except ProtocolError as error:
        return list(map(str, error.problems))
    return []


def planted(*changes):
    text = WHOLE
    for old, new in changes:
        text = changed(old, new, text)
    return text


def test_the_whole_file_is_right():
    assert faults(WHOLE) == []


def test_ten_faults_in_one_file_are_ten_sentences_with_key_and_line():
    text = planted(
        ("version = 1", 'version = "one"'),
        ('shape = "lines"', 'shape = "table"'),
        ('cluster = "mill"', 'cluster = "miller"'),
        ('label = "Source"', 'lable = "Source"'),
        ('says = "question"', 'says = "answer"'),
        ('label = "M 1"', f'label = "{"M" * 21}"'),
        ('shows = ["question"]', 'shows = ["quest"]'),
        ("[rubric.criteria.says]", "[rubric.criteria.said]"),
        ('label = "right" }', 'label = "wrong" }'),
        ('columns = ["setting"]', 'columns = ["settings"]'),
    )
    assert faults(text) == [
        "line 3, protocol 'mills', version: this is not a whole number.",
        "line 10, file, shape: 'table' is none of lines, list, object, csv.",
        "line 15, item, cluster: 'miller' is no field that holds a text.",
        f"line 28, field 'source', lable: this is no key of [field]. There are {', '.join(FIELD_KEYS)}. Did you mean "
        "label?",
        "line 39, field 'right', says: 'answer' is no field of type text.",
        "line 43, prompt 'plain', label: the text has 21 characters; at most 20 are allowed.",
        "line 68, prompt 'says', shows: 'quest' is no field that holds a text.",
        "line 78, rubric 'yes-no', criteria.said: 'said' is no prompt of this protocol.",
        "line 90, measure 'accuracy', share.label: 'wrong' is none of right, other, ambiguous, undecided, skipped, "
        "refused, filtered, empty, aborted.",
        "line 97, table 'by-setting', columns: 'settings' is no axis. There are model, prompt, sample, last, setting, "
        "mill.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "only"),
    [
        ('name = "options"', 'name = "Options"', "field 'Options', name"),
        ('name = "options"', "name = 1", "field number 4, name"),
        ('type = "list"', 'type = "lists"', "field 'options', type"),
        ("slice = true", 'slice = "yes"', "field 'mill', slice"),
        ('name = "plain"', "name = 1", "prompt number 1, name"),
        ('tags = { setting = "alone" }', 'tags = "alone"', "prompt 'plain', tags"),
        ('tags = { setting = "alone" }', "tags = { setting = 1 }", "prompt 'plain', tags"),
        ('label = "M 3"', "label = 3", "prompt 'says', label"),
        ('name = "says"', 'name = "Says!"', "prompt 'Says!', name"),
        ('kind = "option"', 'kind = "options"', "scorer 'answer', kind"),
        ('labels = { right = "right" }', 'labels = { sure = "mill" }', "scorer 'answer', labels"),
        ('labels = { right = "right" }', 'options = { right = "C" }', "scorer 'answer', options"),
        ('labels = { right = "right" }', "", "scorer 'answer'"),
        ('title = "Accuracy"', 'titel = "Accuracy"', "measure 'accuracy', titel"),
        ('share = { scorer = "answer"', 'share = { scorer = "answers"', "measure 'accuracy', share"),
        ("[[scorer]]", "[[scorers]]", "scorers"),
        ("[[prompt]]\nname = \"plain\"", "[[promt]]\nname = \"plain\"", "promt"),
    ],
)  # fmt: skip
def test_what_only_follows_from_a_fault_is_not_among_them(old, new, only):
    found = faults(planted((old, new)))
    assert only in found[0].partition(": ")[0]
    # A key that is misspelt is missing too.
    assert [fault for fault in found if "is missing" not in fault] == found[:1]


def test_a_part_that_is_no_list_of_tables_hides_what_names_it():
    text = WHOLE.replace("[[measure]]", "[measure]")
    assert faults(text) == ["line 87, measure: write each as [[measure]]."]


def test_parts_of_higher_rooms_are_checked_beside_a_fault_of_a_lower_one():
    text = planted(
        ('label = "M 3"', "label = 3"), ('cells = ["accuracy"]', 'cells = ["accurracy"]')
    )
    assert [fault.partition(":")[0] for fault in faults(text)] == [
        "line 63, prompt 'says', label",
        "line 98, table 'by-setting', cells",
    ]


def test_a_name_that_wikicontradict_has_is_accepted():
    """The keys of prompts begin with the protocol's name."""
    assert faults(WHOLE.replace('"plain"', '"both-passages"')) == []


def test_a_value_of_the_wrong_kind_says_what_it_may_be():
    with pytest.raises(ProtocolError) as refused:
        read_protocol(planted(("version = 1", 'version = "one"')).encode(), all_problems)
    [problem] = refused.value.problems
    assert problem.hint.startswith("version is a whole number. A number from 1 to 10000.")
