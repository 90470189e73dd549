import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets import schema
from datasets.models import Contradiction
from datasets.schema import RecordRefused, Slot, build, parse
from tests.datasets.factories import PLACEHOLDERS, annotation, record


def there_and_back(whole):
    parsed = parse(copy.deepcopy(whole))
    return build(parsed.columns, parsed.slots + parsed.unused)


@pytest.mark.parametrize(
    "whole",
    [
        record(),
        record(given={"wikitag_label_valid": "Invalid"}),
        record(given={"wikitag_label_valid": "Invalid", "valid_comment": ""}),
        record(given=annotation(confidence="")),
        record(
            given=annotation(wikitag_label_samepassage=None, paragraphA_information_standalone=None)
        ),
        record(given=annotation(taxonomy=[["Contradict type I"], ["Contradict type I", "x "]])),
        record(given=annotation(taxonomy=[])),
        record(given=annotation(taxonomy=None)),
        record(given=annotation(**PLACEHOLDERS)),
        record(given=annotation(question2="", **PLACEHOLDERS)),
        record(given=annotation(question7_answer2="alone")),
        record(
            given=annotation(question10="Who?", question10_answer1=" a ", question10_answer2="b\n")
        ),
        record(title=" outer blanks ", tagDate="\tMay 2020 ", url=""),
        record(given=annotation(qa_comment="“ürü” \u2028 \U0001f335")),
    ],
)
def test_a_record_comes_back_as_it_went_in(whole):
    assert there_and_back(whole) == whole


OPTIONAL = [key.key for key in schema.ANNOTATION_KEYS if not (key.valid_needs or key.values)]
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
ANSWERED = st.fixed_dictionaries({}, optional={"answer1": TEXTS, "answer2": TEXTS})


@given(
    texts=st.dictionaries(st.sampled_from(OPTIONAL), TEXTS),
    entries=st.none() | st.lists(st.lists(TEXTS, min_size=1, max_size=2), max_size=3),
    unused=st.dictionaries(st.integers(2, 12), ANSWERED, max_size=3),
)
def test_whatever_keys_a_record_has_it_comes_back_the_same(texts, entries, unused):
    answers = {
        f"question{n}_{key}": text for n, some in unused.items() for key, text in some.items()
    }
    whole = record(given=annotation(**{"taxonomy": entries, **answers}) | texts)
    assert there_and_back(whole) == whole


def test_an_absent_key_is_none_and_an_empty_one_is_empty():
    columns = parse(record(given=annotation(confidence="", valid_comment=None))).columns
    assert (columns["confidence"], columns["valid_comment"]) == ("", None)


def test_placeholder_answers_without_a_question_are_kept_but_are_no_question():
    parsed = parse(record(given=annotation(**PLACEHOLDERS)))
    assert [slot.n for slot in parsed.slots] == [1]
    assert parsed.unused == (Slot(2, None, *PLACEHOLDERS.values()),)


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_a_question_without_text_is_no_question(blank):
    parsed = parse(record(given=annotation(question2=blank, **PLACEHOLDERS)))
    assert [slot.n for slot in parsed.slots] == [1]


REFUSED = [
    ([], ["is a list, not an object with keys"]),
    (None, ["is null, not an object with keys"]),
    (record(title=None), ["'title' is missing"]),
    (record(colour="red"), ["'colour' is not a key of this format"]),
    (record(title=3), ["'title' is a number, not text"]),
    (record(tag=True), ["'tag' is true or false, not text"]),
    (record(title="x" * 301), ["'title' has 301 characters, more than 300"]),
    (
        record(tagReason="a\0b"),
        ["'tagReason' holds a NUL character, which no database keeps; remove it"],
    ),
    (
        record(url="\ud800"),
        ["'url' holds half of a surrogate pair, which is no character; remove it"],
    ),
    (
        record(url="java\tScript:alert(1)"),
        ["'url' begins with \"javaScript:\"; write an address that begins with https://"],
    ),
    (
        record(url="javascript:1/alert(1)"),
        ["'url' begins with \"javascript:\"; write an address that begins with https://"],
    ),
    (
        record(url="data:text/html,x"),
        ["'url' begins with \"data:\"; write an address that begins with https://"],
    ),
    (record() | {"annotationResult": []}, ["'annotationResult' is a list, not an object"]),
    (record(given={}), ["'wikitag_label_valid' is missing"]),
    (
        record(given={"wikitag_label_valid": "Maybe"}),
        ["'wikitag_label_valid' is \"Maybe\", not Valid or Invalid"],
    ),
    (
        record(given=annotation(wikitag_label_samepassage="same")),
        ["'wikitag_label_samepassage' is \"same\", not Same or Different"],
    ),
    (record(given=annotation(mood="fine")), ["'mood' is not a key of annotationResult"]),
    (record(given=annotation(question0="Who?")), ["'question0' is not a key of annotationResult"]),
    (record(given=annotation(confidence=5)), ["'confidence' is a number, not text"]),
    (record(given=annotation() | {"valid_comment": None}), ["'valid_comment' is null, not text"]),
    (record(given=annotation(taxonomy="Explicit")), ["'taxonomy' is text, not a list"]),
    (
        record(given=annotation(taxonomy=[["a", "b", "c"], "d", []])),
        [f"'taxonomy' entry {n} is not [dimension] or [dimension, option]" for n in (1, 2, 3)],
    ),
    (record(given=annotation(taxonomy=[["a", 1]])), ["'taxonomy' is a number, not text"]),
    (
        record(given=annotation(paragraphB_information=None)),
        ["'paragraphB_information' is missing from a valid tag"],
    ),
    (
        record(given=annotation(question2="Who?", question2_answer1="a")),
        ["'question2_answer2' is missing although question2 is there"],
    ),
    (
        record(title=None, tag=1, given={"wikitag_label_valid": "Valid", "x": 1}),
        [
            "'title' is missing",
            "'tag' is a number, not text",
            "'x' is not a key of annotationResult",
        ],
    ),
]


@pytest.mark.parametrize(("whole", "problems"), REFUSED)
def test_a_record_that_cannot_be_kept_is_refused_with_every_reason(whole, problems):
    with pytest.raises(RecordRefused) as refused:
        parse(whole)
    assert [str(problem) for problem in refused.value.problems] == problems


@pytest.mark.parametrize("url", ["en.wikipedia.org:443/wiki/A", "localhost:8080/w"])
def test_a_host_with_a_port_is_no_other_scheme(url):
    assert parse(record(url=url))


def test_types_are_the_last_option_of_each_dimension():
    entries = [
        ["Contradict type IV"],
        ["Contradict type IV", "Explicit"],
        ["Contradict type IV", "Implicit (reasoning required)"],
        ["Contradict type IX", "Explicit"],
    ]
    assert schema.types_of(entries) == {"type_4": "Implicit (reasoning required)"}


def test_every_column_is_one_of_the_rows():
    fields = {field.name for field in Contradiction._meta.fields}
    assert set(schema.COLUMNS) - fields == set()


def test_what_is_longer_than_its_column_is_refused():
    keys = {key.column: key for key in (*schema.RECORD_KEYS, *schema.ANNOTATION_KEYS)}
    for column, key in keys.items():
        room = Contradiction._meta.get_field(column).max_length
        longest = key.longest or max(map(len, key.values), default=None)
        assert room is None or (longest is not None and longest <= room), column
