"""Hypothetical statements are written from a supported one: what is prefilled, and when a base is complete."""

import json

import pytest

from datasets.models import Contradiction
from datasets.records import current
from demonstration.examples import HYPOTHETICALS
from protocols.shipped import declaration_of, file_of
from tests.factories import signed_in
from tests.writing import factories as make
from writing.declared.form import form_named
from writing.overview import base_lines

DECLARED = declaration_of("hypotheticals")
FORM = form_named(DECLARED, "variants")
COMBINATIONS = FORM.combinations(DECLARED)
LINES = HYPOTHETICALS.paths[0].read_text(encoding="utf-8").splitlines()
*WHOLE, MOON = map(json.loads, LINES)
BEGINS = "It is unlikely that Neil Armstrong was the first person on the Moon."


@pytest.mark.parametrize("combination", COMBINATIONS, ids="-".join)
def test_a_context_is_prefilled_for_the_non_factive_form_alone(combination):
    begins = {"context": BEGINS} if combination[1] == "non-factive" else {}
    assert FORM.at_start(MOON, combination) == {**begins, "question": MOON["question"]}


def opened(*records):
    return make.opened(
        "variants", make.collection(*records, text=file_of("hypotheticals").decode())
    )


@pytest.mark.django_db
def test_a_base_with_17_of_18_is_not_complete_until_the_last_is_checked(client, olga):
    danube, telephone = WHOLE[:18], WHOLE[18:36]
    lacking = telephone.pop(8)
    writing = opened(*danube, *telephone, MOON)
    assert [line.done for line in base_lines(writing)[1]] == [18, 17, 1]
    signed_in(client, olga)
    url = f"/writing/{writing.pk}/"
    page = client.get(url).content.decode()
    assert "1 of 3 bases are complete" in page
    assert all(f"<td>{n} of 18</td>" in page for n in (18, 17, 1))

    alice, bob = map(make.annotator, ("alice", "bob"))
    entry = make.submitted(
        writing, alice, context=lacking["context"], question=lacking["question"], golds=""
    )
    assert entry.combination == [lacking["condition"], lacking["form"]]
    assert "<td>17 of 18</td>" in client.get(url).content.decode()
    made = make.checked(entry, bob).made
    assert made.fields == lacking
    assert "2 of 3 bases are complete" in client.get(url).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("forged", [{"condition": "likely"}, {"form": "ironic"}])
def test_a_condition_or_a_form_that_is_not_declared_is_refused(client, forged):
    alice, bob = map(make.annotator, ("alice", "bob"))
    entry = make.taken(opened(MOON), alice)
    signed_in(client, alice)
    answer = client.patch(
        f"/api/entries/{entry.pk}/", {"entries": forged}, "application/json",
        headers={"If-Match": '"0"'},
    )  # fmt: skip
    assert answer.status_code == 400
    assert f"The form has no field “{next(iter(forged))}”" in answer.content.decode()
    sent = {"version": "0", "action": "submit_stop", "context": "No.", "question": "Who?", **forged}
    assert client.post(f"/writing/entries/{entry.pk}/", sent).status_code == 302
    entry.refresh_from_db()
    made = make.checked(entry, bob).made
    assert (made.fields["condition"], made.fields["form"]) == ("supported", "negated")
    assert current(made.collection).count() == Contradiction.objects.count() == 2
