"""What components remember is what they would make."""

import pytest
from django import forms

from pages.templatetags.components import FILTERS, decimals, filters, status


@pytest.fixture(autouse=True)
def nothing_remembered():
    FILTERS.clear()
    yield
    FILTERS.clear()


class Narrowing(forms.Form):
    kind = forms.ChoiceField(required=False)
    words = forms.CharField(label="With <words>", required=False)

    def __init__(self, entered, kinds=("one", "two")):
        super().__init__(entered)
        self.fields["kind"].choices = [(kind, kind.upper()) for kind in kinds]


class Other(Narrowing):
    note = forms.CharField(required=False)


def fresh(form):
    FILTERS.clear()
    return filters(form)


def test_filters_have_labels_and_values_and_are_escaped():
    html = filters(Narrowing({"kind": "two", "words": '"><b>'}))
    assert '<label for="id_words">With &lt;words&gt;</label>' in html
    assert '<option value="two" selected>TWO</option>' in html
    assert "<b>" not in html


@pytest.mark.parametrize(
    "form",
    [
        lambda: Narrowing({"kind": "two"}),
        lambda: Narrowing({"kind": "one", "words": "mill"}),
        lambda: Narrowing({"kind": "one"}, kinds=("one", "three")),
        lambda: Other({"kind": "one"}),
        lambda: Narrowing({"kind": "none of them"}),
        lambda: Narrowing({}),
    ],
)
def test_another_value_choice_or_form_has_its_own_filters(form):
    first = filters(Narrowing({"kind": "one"}))
    assert filters(form()) == fresh(form()) != first
    assert filters(Narrowing({"kind": "one"})) == first


def test_a_badge_has_the_colour_of_its_state_and_escaped_words():
    assert status("failed", "<Failed>") == '<span class="badge badge-bad">&lt;Failed&gt;</span>'
    assert status("sent_back") == '<span class="badge badge-warn">Sent back</span>'


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (-1e-17, "0.00"), (-0.004, "0.00"), (-0.006, "-0.01"), (2, "2.00")],
)
def test_a_number_is_never_a_negative_zero(value, shown):
    assert decimals(value) == shown
