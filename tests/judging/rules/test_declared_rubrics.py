"""The rubrics of a protocol: each mistake is named with its line, and the text is one that studies can use."""

import pytest

from generation.prompts.prompting import Prompt
from judging.rules import rubric
from judging.rules.declared_rubrics import body_of, criteria_of, rubric_problems
from protocols.declaration import Declaration, ProtocolError
from protocols.reading import read_protocol
from protocols.shipped import file_of

TEXT = file_of("conflictbank").decode()
VERDICTS = '[{ key = "no", label = "No" }, { key = "yes", label = "Yes" }]'
OF_DEFAULT = "[rubric.criteria.entails-default]\n"


def read(text: str) -> Declaration:
    return read_protocol(text.encode(), rubric_problems)


def line_of(words: str, text: str) -> int:
    return text[: text.index(words)].count("\n") + 1


def test_the_rubric_of_conflictbank_is_one():
    assert rubric_problems(read(TEXT)) == []


@pytest.mark.parametrize(
    ("old", "new", "at", "sentence"),
    [
        ('key = "no"', f'key = "{"n" * 21}"', "verdicts = ", "A verdict's key has 1 to 20 characters"),
        (VERDICTS, '[{ key = "no", label = "No" }]', "verdicts = ", "A rubric needs 2 to 6 verdicts"),
        ('key = "yes", label = "Yes"', 'key = "no", label = "Yes"', "verdicts = ", "each named once"),
        ('label = "Yes"', 'label = "NO"', "verdicts = ", "Two verdicts have the same label."),
        (VERDICTS, '["no", "yes"]', "verdicts = ", "this is not a list of tables."),
        (VERDICTS, '"no, yes"', "verdicts = ", "this is not a list of tables."),
        ('label = "No" }', 'label = "No", weight = 1 }', "verdicts = ", "verdict number 1, weight: this is no key"),
        ('label = "No" }', 'label = "No", tone = "loud" }', "verdicts = ", "'loud' is none of good, middling, bad."),
        (', label = "No" }', " }", "verdicts = ", "verdict number 1: label is missing."),
        ('name = "yes-no"', 'name = "yes/no"', 'name = "yes/no"', "cannot be a name"),
        ('name = "yes-no"', f'name = "{"y" * 300}"', 'name = "yyy', "cannot be a name. Use at most 60"),
        ("rules = [", "rule = [", "rule = [", "this is no key of [rubric]. There are name, title"),
        ("[rubric.criteria.entails-default]", "[rubric.criteria.entails]", "[rubric.criteria.entails]",
         "criteria.entails: 'entails' is no prompt of this protocol."),
        (f"{OF_DEFAULT}yes = ", f"{OF_DEFAULT}maybe = ", "maybe = ", "'maybe' is no verdict. There are no, yes."),
        ('name = "yes-no"', 'name = "yes-no"\nordered = "no"', "ordered = ", "this is not true or false."),
        (VERDICTS, f'{VERDICTS[:-3]}, tone = "good" }}]\nordered = false', "verdicts = ", "Verdicts without an order"),
        ('name = "yes-no"', 'name = "yes-no"\nweights = "linear"', "verdicts = ", "Weights are for 4 or more verdicts"),
        ('name = "yes-no"', 'name = "yes-no"\nweights = "cubic"', "weights = ", "'cubic' is none of linear, quadratic"),
        ('name = "yes-no"', 'name = "yes-no"\nexcludes = "never"', "excludes = ",
         "excludes: 'never' is no verdict. There are no, yes."),
        ('name = "yes-no"', 'name = "yes-no"\nexcludes = ["no"]', "excludes = ", "this is not a text."),
        (OF_DEFAULT, f"[rubric.every]\nmaybe = ['So.']\n{OF_DEFAULT}", "maybe = ",
         "every.maybe: 'maybe' is no verdict. There are no, yes."),
        (OF_DEFAULT, f"[rubric.every]\n{OF_DEFAULT}", "[rubric.every]", "every: write the criteria of each verdict."),
        (f"{OF_DEFAULT}yes = [", f"{OF_DEFAULT}yes = [1, ", "yes = [1", "this is not a text."),
        (f"{OF_DEFAULT}yes = [", f"{OF_DEFAULT}yes = []\nmaybe = [", "yes = []", "the list is empty."),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_with_its_line(old, new, at, sentence):
    assert old in TEXT
    start = TEXT.index("[[rubric]]")
    text = TEXT[:start] + TEXT[start:].replace(old, new, 1)
    with pytest.raises(ProtocolError) as refused:
        read(text)
    [first, *_] = refused.value.problems
    assert sentence in str(first)
    assert first.line == line_of(at, text[start:]) + text[:start].count("\n")


def test_criteria_of_every_prompt_are_those_of_each_that_a_model_is_asked_and_that_has_none():
    every = '[rubric.every]\nyes = ["It fits."]\nno = ["It does not."]\n'
    declared = read(TEXT.replace(OF_DEFAULT, every + OF_DEFAULT))
    [entry] = declared.entries("rubric")
    found = criteria_of(declared, entry)
    assert list(found) == [prompt.name for prompt in declared.entries("prompt")]
    assert found["no-evidence"] == {"yes": ["It fits."], "no": ["It does not."]}
    assert found["entails-default"] == entry.values["criteria"]["entails-default"]


def test_a_rubric_without_any_criteria_is_refused():
    start, end = TEXT.index("[rubric.criteria"), TEXT.index("[[scorer]]")
    with pytest.raises(ProtocolError, match="no prompt has criteria"):
        read(TEXT[:start] + TEXT[end:])


def test_two_rubrics_of_one_name_are_refused():
    again = TEXT[TEXT.index("[[rubric]]") : TEXT.index("[[scorer]]")]
    with pytest.raises(ProtocolError, match="number 1 has this name already"):
        read(f"{TEXT}\n{again}")


def test_a_name_too_long_to_be_stored_with_that_of_its_protocol_is_refused():
    long = TEXT.replace('name = "conflictbank"', f'name = "{"c" * 24}"')
    with pytest.raises(ProtocolError, match="the name has more than 55 characters"):
        read(long.replace('name = "yes-no"', f'name = "{"y" * 56}"'))


def prompt(name: str, **fields: object) -> Prompt:
    given = {
        "name": name, "label": "CB 9", "title": "Entailed?", "template": "", "sha256": "", "passages": (),
        "gold": (), "verdicts": (), "reconstructed": False, "source": "", **fields,
    }  # fmt: skip
    return Prompt(**given)


def test_its_text_is_a_rubric_on_the_stored_prompts_and_needs_no_gold():
    declared = read(TEXT)
    [entry] = declared.entries("rubric")
    prompts = {
        name: prompt(f"conflictbank-{name}-v2")
        for name, asked in declared.named("prompt").items()
        if asked.values["answer"] == "given"
    }
    known = rubric.parse(body_of(declared, entry, prompts))
    assert (known.name, known.protocol) == ("conflictbank-yes-no", "conflictbank")
    assert known.scale.keys == ["no", "yes"]
    asked = known.prompts["conflictbank-entails-default-v2"]
    assert (asked.label, asked.title, asked.gold) == ("CB 9", "Entailed?", ())
    assert asked.proposed == ("yes", "no")
    assert rubric.gaps(known, [one.name for one in prompts.values()]) == []
    assert rubric.gaps(known, ["conflictbank-default"]) == [
        "The rubric conflictbank-yes-no has nothing on the prompt conflictbank-default."
    ]
