"""Forms as protocols declare them: what is refused, how one begins, what its entries make of a record."""

import pytest

from annotation.fields.walker import FieldKind
from protocols.reading import ProtocolError, read_protocol
from tests.protocols.factories import changed
from tests.writing.factories import TEXT, record
from writing.declared.form import form_named
from writing.declared.problems import form_problems


def declaration(text=TEXT):
    return read_protocol(text.encode(), form_problems)


def problems(old, new):
    with pytest.raises(ProtocolError) as refused:
        declaration(changed(old, new, TEXT))
    return [str(problem) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('name = "aliases"\nlabel', 'name = "answer"\nlabel',
         "form.field 'answer', name: number 1 has this name already. Choose another."),
        ('options = ["date", "name"]', 'options = ["date", "date"]',
         "form.field 'kind', options: one text is there twice."),
        ('fields = ["rationale", "kind"', 'fields = ["kind"',
         "form.field 'rationale', name: it is required, and no step shows it. Name it in the fields of a step."),
        ('"kind", "level"', '"level"', "form.field 'kind', name: it is in no step. Name it in the fields of a step."),
        ('"sure"]', '"sure", "rationale"]', "form.step number 2, fields: 'rationale' stands in two steps."),
        ('"sure"]', '"sure", "sura"]', "form.step number 1, fields: 'sura' is no field of this form."),
        ('name = "sure"', 'name = "version"',
         "form.field 'version', name: 'version' means something else on the page. Choose another name."),
        ('type = "rating"', 'type = "stars"',
         "form.field 'sure', type: 'stars' is none of one, many, line, text, rating, tick."),
        ('options = ["easy", "hard"]\n', "", "form.field 'level', type: write what can be chosen: options."),
        ('options = ["easy", "hard"]\n', 'options = ["easy"]\noptions_of = "form"\n',
         "form.field 'level', options_of: write either options or options_of."),
        ('options_of = "form"', 'options_of = "weir"',
         "form.field 'mood', options_of: 'weir' is no slice with values."),
        ('type = "rating"', 'type = "rating"\noptions = ["a"]', "form.field 'sure', options: a rating has no options."),
        ('type = "tick"', 'type = "tick"\noffers = ["x"]',
         "form.field 'seen', offers: only a line and a text have phrases to offer."),
        ('shows = ["question"]', 'shows = ["answers"]', "form 'notes', shows: 'answers' is no field of the record."),
        ('fills = "answer"', 'fills = "sum"',
         "form.field 'answer', fills: 'sum' is no field that holds a text or a list."),
        ('fills = "answer"', 'fills = "aliases"', "form.field 'answer', fills: a list is filled by many or a text."),
        ('fills = "answer"', 'fills = "aliases"', "form 'answers', field: 2 fields fill 'aliases'. One can."),
        ('name = "note"\n', 'name = "note"\nfills = "answer"\n',
         "form.field 'note', fills: a form with makes = \"nothing\" fills no field."),
        ('makes = "nothing"', 'makes = "nothing"\nbase = "weir"',
         "form 'notes', base: only a form with makes = \"record\" has a base."),
        ('makes = "nothing"', 'makes = "all"', "form 'notes', makes: 'all' is none of version, record, nothing."),
        ('base = "weir"\n', "", "form 'forms', base: say what the new record shares with the one shown: base."),
        ('base = "weir"\n', 'base = "condition"\n',
         "form 'forms', complete: the base is the same in all of its records."),
        ('complete = ["condition", "form"]', 'complete = ["weir"]',
         "form 'forms', complete: 'weir' is no slice with values."),
        ('fills = "condition"', "", "form 'forms', complete: write a field that fills 'condition'."),
        ("{context}\"", "{contexts}\"", "form.field 'text', begins: 'contexts' is no field that holds a text."),
        ('when = { mood = "modal" }', 'when = { text = "modal" }',
         "form.field 'text', when: 'text' is no field that fills a slice of complete."),
        ('when = { mood = "modal" }', 'when = { mood = "modals" }',
         "form.field 'text', when: 'mood' is never 'modals'."),
        ('title = "Note"\n', 'titel = "Note"\n',
         "form.step number 1, titel: this is no key of [form.step]. There are title, fields. Did you mean title?"),
    ],
)  # fmt: skip
def test_a_form_that_cannot_be_used_is_refused_with_the_line(old, new, expected):
    said = problems(old, new)
    assert expected in [problem.partition(", ")[2] for problem in said]
    assert all(problem.startswith("line ") for problem in said)


def test_the_base_is_in_every_record():
    optional = TEXT.replace('name = "answer"\n\n', 'name = "answer"\noptional = true\n\n', 1)
    with pytest.raises(ProtocolError) as refused:
        declaration(optional.replace('base = "weir"', 'base = "answer"'))
    said = "form 'forms', base: a record may lack 'answer', which is optional."
    assert said in [str(problem).partition(", ")[2] for problem in refused.value.problems]


def test_each_field_of_a_form_has_its_own_line():
    (said,) = problems('type = "rating"', 'type = "stars"')
    line = int(said.removeprefix("line ").partition(",")[0])
    assert TEXT.splitlines()[line - 2] == 'label = "How sure are you?"'


def test_too_many_combinations_are_refused():
    values = ", ".join(f'"v{n}"' for n in range(101))
    said = problems('values = ["supported", "contradicting"]', f"values = [{values}]")
    assert "there are 303 combinations; at most 200 can be written." in said[-1]


def test_a_form_is_what_its_tables_say():
    form = form_named(declaration(), "answers")
    assert [step.title for step in form.steps] == ["Answer", "Rationale"]
    assert form.fields["kind"].kind == FieldKind.MANY
    assert form.fields["sure"].values == ("1", "2", "3", "4", "5")
    assert [form.fields[name].max_length for name in ("answer", "rationale")] == [1_000, 10_000]
    assert (form.makes, form.shows) == ("version", ("context", "question"))


def test_what_the_combination_fills_is_not_asked_for_and_decides_how_a_field_begins():
    form = form_named(declaration(), "forms")
    assert list(form.fields) == ["text"]
    assert form.combinations(declaration())[:2] == [("supported", "affirmative"), ("supported", "modal")]  # fmt: skip
    begun = form.at_start(record(), ("contradicting", "modal"))
    assert begun == {"text": "It is unlikely that Old Weir was built in 1783."}
    assert form.at_start(record(), ("supported", "negated")) == {}


def test_entries_fill_the_record_and_leave_the_rest():
    made = form_named(declaration(), "answers").filled(
        declaration(),
        record(),
        (),
        {"answer": " 1783 ", "aliases": "MDCCLXXXIII\n\n the year 1783 \n"},
    )
    assert made == record(answer="1783", aliases=["MDCCLXXXIII", "the year 1783"])
    other = form_named(declaration(), "forms").filled(
        declaration(), record(), ("contradicting", "negated"), {"text": "It was not."}
    )
    assert other == record(condition="contradicting", form="negated", context="It was not.")
