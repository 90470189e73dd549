"""The pages of prompts, runs and responses over records that a protocol declares."""

import csv
import json
from dataclasses import replace

import pytest
from django.urls import reverse

from accounts.roles import Role
from generation import prompt_pages, protocol_prompts, runs
from generation.models import OptionScore, PromptVersion, Run
from generation.prompts import prompting
from generation.states import RunState
from tests.conflictbank import collection, protocol
from tests.factories import person, signed_in
from tests.generation.factories import able, canals, echo, run
from tests.generation.test_given_prompts import AUTHOR, made
from tests.generation.test_prompt_versions import GIVEN
from tests.generation.test_protocol_prompts import SHUFFLED

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(client):
    return signed_in(client, person("alice", Role.ADMIN))


def shown(answer) -> str:
    return " ".join(answer.content.decode().split())


# ---------------------------------------------------------------- the form of a run


def test_without_declared_records_the_form_has_the_collection_and_the_prompts(client, alice, local):
    canals(1)
    echo()
    text = shown(client.get(reverse("generation:new_run")))
    assert '<select name="collection"' in text
    assert 'value="both-passages"' in text


def test_with_declared_records_the_collection_is_chosen_first_and_has_its_prompts(
    client, alice, local
):
    of, canal = collection(1), canals(1)
    echo()
    url = reverse("generation:new_run")
    first = shown(client.get(url))
    assert '<select name="collection"' in first
    assert 'name="prompts"' not in first
    ours = shown(client.get(url, {"collection": of.pk}))
    assert f'<input type="hidden" name="collection" value="{of.pk}"' in ours
    assert "CB 6m: Default and conflicting evidence, misinformation, in random order (ours)" in ours
    assert 'value="both-passages"' not in ours
    theirs = shown(client.get(url, {"collection": canal.pk}))
    assert 'value="both-passages"' in theirs
    assert "conflictbank" not in theirs.split('name="prompts"', 1)[1]


@pytest.mark.parametrize("chosen", ["", "x", "99999999999999999999", "0"])
def test_a_collection_that_is_none_is_asked_for_again(client, alice, local, chosen):
    collection(1)
    echo()
    answer = client.post(reverse("generation:new_run"), {"collection": chosen, "samples": 1})
    assert answer.status_code == 400
    assert '<select name="collection"' in shown(answer)


def test_a_prompt_of_another_collection_is_refused_by_the_form(client, alice, local):
    data = {"collection": collection(1).pk, "language_models": [echo().pk], "samples": 1}
    answer = client.post(reverse("generation:new_run"), {**data, "prompts": ["both-passages"]})
    assert answer.status_code == 400
    assert "There is no prompt both-passages for the records of this collection." in shown(answer)
    assert not Run.objects.exists()


def test_a_run_of_given_texts_is_made_where_there_is_no_model(client, alice):
    of = collection(2)
    url = reverse("generation:new_run")
    assert "There is no model yet" not in shown(client.get(url, {"collection": of.pk}))
    data = {"collection": of.pk, "prompts": ["conflictbank-entails-default"], "samples": 1}
    made_run = shown(client.post(url, data, follow=True))
    assert Run.objects.get().state == RunState.DONE
    assert (
        f'<strong dir="auto">{AUTHOR}</strong> <span class="muted">(given texts; no model is asked)'
        in made_run
    )
    asked = client.post(url, {**data, "prompts": ["conflictbank-no-evidence"]})
    assert "Choose at least one model." in shown(asked)


def test_a_run_is_extended_by_its_protocols_prompts(client, alice, local):
    of_texts = made(collection(1), "entails-default")
    form = shown(client.get(reverse("generation:extend_run", args=[of_texts.pk])))
    assert 'value="conflictbank-no-evidence"' in form
    assert 'value="conflictbank-entails-default"' not in form
    assert 'value="both-passages"' not in form


# ---------------------------------------------------------------- prompts


def test_the_list_has_the_protocol_and_the_mark_of_each_prompt(client, alice):
    protocol()
    text = shown(client.get(reverse("generation:prompts")))
    assert '<td>wikicontradict<br><span class="badge badge-plain">Reconstructed</span></td>' in text
    assert '<td>conflictbank<br><span class="badge badge-plain">Published</span></td>' in text


def test_a_prompt_whose_label_is_taken_is_named_in_the_list(client, alice):
    mine_of_wikicontradict = {**GIVEN, "label": "CB 1"}
    client.post(reverse("generation:new_prompt"), mine_of_wikicontradict)
    protocol()
    assert "Prompt conflictbank-no-evidence of the protocol conflictbank cannot be used" in shown(
        client.get(reverse("generation:prompts"))
    )


def test_the_page_of_a_prompt_has_its_tags_its_mark_and_its_text_about_a_record(client, alice):
    of, _ = collection(1), canals(1)
    url = reverse("generation:prompt", args=[f"conflictbank-{SHUFFLED}"])
    text = shown(client.get(url, {"collection": of.name}))
    assert "cause: misinformation; form: published; order: shuffled; setting: two pieces" in text
    assert "Ours: in no paper" in text
    assert "<dd>default_evidence, misinformation_conflict_evidence_evidence</dd>" in text
    assert "Question: Who founded Quillmere Abbey 1? A. Bertrand Vale 1" in text
    assert '<option value="canals"' not in text
    given = shown(client.get("/prompts/conflictbank-entails-default/", {"collection": of.name}))
    assert "The text that is judged" in given
    assert "whose charter survives.</pre>" in given
    assert "/edit/" not in given


def test_the_page_of_a_prompt_says_how_its_answer_is_read():
    prompt = replace(prompting.find("5.1"), after="Answer:", abstain="None")
    reading = (
        "scored: what stands after the last “Answer:”; what begins with “None” is an abstention"
    )
    assert prompt_pages.answer(prompt) == f"A text as it comes; {reading}"
    assert reading in prompt_pages.whole_text(prompt)


def test_a_prompt_is_written_for_a_protocol_and_changed(client, alice):
    of = collection(1)
    url = reverse("generation:new_prompt")
    assert '<option value="conflictbank">' in shown(client.get(url))
    given = {"name": "curt", "label": "K1", "title": "Curt", "protocol": "conflictbank"}
    refused = client.post(url, {**given, "template": "{question} {context1}"})
    assert "has {context1}, which is no field of a question. There are {subject}" in shown(refused)
    client.post(url, {**given, "template": "{question} {options.1}"})
    row = PromptVersion.objects.get(key="curt")
    assert (row.protocol, row.prompt.protocol) == ("conflictbank", "conflictbank")
    form = shown(client.get("/prompts/curt/edit/"))
    assert "with a record&#x27;s own words for {subject}" in form
    assert "Gold answers" not in form
    assert "Examples" not in form
    answer = client.post(
        "/prompts/curt/edit/",
        {
            "title": "Curter",
            "template": "{question}",
            "newest": form.split('name="newest" value="')[1][:64],
        },
    )
    assert answer.url == "/prompts/curt/"
    assert PromptVersion.objects.get(key="curt").prompt.title == "Curter"
    assert 'value="curt"' in shown(client.get(reverse("generation:new_run"), {"collection": of.pk}))


# ---------------------------------------------------------------- responses


@pytest.fixture
def answered(local, seeded):
    of = collection(2)
    prompts = protocol_prompts.of_protocol(of.protocol)
    asked = [prompts[SHUFFLED], prompts["default"], prompts["entails-default"]]
    return runs.create(collection=of, models=[able(), able(seed=5)], prompts=asked)[0]


def test_the_page_of_a_response_has_the_drawn_order_the_mark_and_the_tags(client, alice, answered):
    row = answered.responses.filter(drawn__isnull=False).order_by("order").first()
    text = shown(client.get(reverse("generation:response", args=[answered.pk, row.pk])))
    titles = ["Default evidence", "Misinformation evidence"]
    first, second = titles if row.drawn["order"][0] == "default_evidence" else titles[::-1]
    assert f"Passages in the order drawn for this question: {first}, then {second}." in text
    assert "Ours: in no paper" in text
    assert (
        "<dd>cause: misinformation; form: published; order: shuffled; setting: two pieces" in text
    )


def test_the_page_of_a_response_says_which_letter_of_the_record_is_which(client, alice, answered):
    row = answered.responses.exclude(drawn=None).first()
    url = reverse("generation:response", args=[answered.pk, row.pk])
    record = row.instance.contradiction.fields
    of = {"correct_option": "Original answer", "replace_option": "Counter answer"}
    text = shown(client.get(url))
    for name, title in of.items():
        assert f"<dt>{record[name]}</dt><dd>{title}</dd>" in text
    OptionScore.objects.bulk_create(
        OptionScore(response=row, option=option, mass=0.25) for option in "ABCD"
    )
    text = shown(client.get(url))
    for name, title in of.items():
        assert f'{record[name]} <span class="muted small">{title}</span>' in text


def test_the_page_of_a_given_text_says_that_no_model_is_asked(client, alice, answered):
    row = answered.responses.get(
        prompt="conflictbank-entails-default", instance=answered.responses.first().instance
    )
    text = shown(client.get(reverse("generation:response", args=[answered.pk, row.pk])))
    assert "Nothing: the response is a text of the record. Judges are asked:" in text
    assert "Does this evidence entail the claim?" in text
    assert "<dt>Service</dt><dd>given texts</dd>" in text
    assert "None: no model is asked." in text
    assert "Next to another model" not in text


def test_the_grid_has_no_column_for_a_model_that_a_text_is_not_from(client, alice, answered):
    text = shown(client.get(reverse("generation:responses", args=[answered.pk])))
    heads = text.split("</thead>")[0]
    assert heads.count('colspan="2"') == 2
    assert heads.count('colspan="1"') == 1
    assert heads.count(f'<th scope="col" dir="auto">{AUTHOR}</th>') == 1
    assert "not asked" not in text
    two = shown(client.get(reverse("generation:two_models", args=[answered.pk])))
    assert AUTHOR not in two
    assert "entail" not in two


def test_files_have_the_drawn_order_and_the_tags(client, alice, answered):
    url = reverse("generation:responses_csv", args=[answered.pk])
    lines = client.get(url).getvalue().decode("utf-8-sig").splitlines()
    rows = list(csv.DictReader(lines))
    drawn = [row for row in rows if row["drawn"]]
    assert {row["prompt"] for row in drawn} == {f"conflictbank-{SHUFFLED}"}
    assert json.loads(drawn[0]["drawn"])["order"][0].endswith("evidence")
    assert {json.loads(row["prompt_tags"]).get("order") for row in drawn} == {"shuffled"}
    data = client.get(reverse("generation:api_responses", args=[answered.pk])).json()["results"]
    assert sum(row["drawn"] is not None for row in data) == len(drawn) == 4


def test_the_file_of_a_run_over_other_records_is_as_it_was(client, alice, local):
    url = reverse("generation:responses_csv", args=[run(questions=1).pk])
    head = client.get(url).getvalue().decode("utf-8-sig").splitlines()[0]
    assert head.endswith("error,scores,rejected")
