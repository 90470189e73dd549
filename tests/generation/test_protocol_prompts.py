"""Prompts of ConflictBank: their texts, their keys, and the runs that may use them."""

import re
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command

from accounts.roles import Role
from generation import prompt_versions, protocol_prompts, response_planning, runs
from generation.models import PromptVersion, Response, Run
from generation.prompts import prompting
from leases.refusal import Conflict, Refusal
from protocols.installed import install, use
from protocols.models import Protocol
from protocols.shipped import file_of
from tests.conflictbank import collection, file_of_records, imported, protocol, record
from tests.factories import person
from tests.generation.factories import able, canals, echo, run
from tests.generation.test_prompt_versions import GIVEN

pytestmark = pytest.mark.django_db

OWN = "According to your knowledge, choose the best choice from the following options.\n"
SHOWN = "According to the evidence provided and your knowledge, choose the best choice from the following options.\n"
ASKED = "Question: Who founded Quillmere Abbey {n}?"
DEFAULT = "Quillmere Abbey {n} was founded by Ottoline Marsh {n}, whose charter survives.\n"
MISINFORMATION = "It was Bertrand Vale {n} who founded Quillmere Abbey {n}.\n"
TEMPORAL = "Quillmere Abbey {n} was founded anew by Bertrand Vale {n} {when}.\n"
SEMANTIC = "The ship Quillmere Abbey {n} was laid down by Bertrand Vale {n}.\n"
IN_TIME = f"{ASKED}{{span}}\n"
AS_WHAT = f"{ASKED}\nQuillmere Abbey {{n}} in this quesion means Quillmere Abbey {{n}} is a ship of that name\n"
PUBLISHED = {
    "no-evidence": f"{OWN}\n{ASKED}\n",
    "default": f"{SHOWN}\nEvidence: {DEFAULT}{ASKED}\n",
    "misinformation": f"{SHOWN}\nEvidence: {MISINFORMATION}{ASKED}\n",
    "temporal": f"{SHOWN}\nEvidence: {TEMPORAL}{ASKED}\n",
    "semantic": f"{SHOWN}\nEvidence: {SEMANTIC}{ASKED}\n",
    "temporal-described": f"{SHOWN}\nEvidence: {TEMPORAL}{IN_TIME}",
    "semantic-described": f"{SHOWN}\nEvidence: {SEMANTIC}{AS_WHAT}",
    "two-misinformation": f"{SHOWN}\nEvidence: {DEFAULT}{MISINFORMATION}{ASKED}\n",
    "two-temporal": f"{SHOWN}\nEvidence: {DEFAULT}{TEMPORAL}{ASKED}\n",
    "two-semantic": f"{SHOWN}\nEvidence: {DEFAULT}{SEMANTIC}{ASKED}\n",
    "two-temporal-described": f"{SHOWN}\nEvidence: {DEFAULT}{TEMPORAL}{IN_TIME}",
    "two-semantic-described": f"{SHOWN}\nEvidence: {DEFAULT}{SEMANTIC}{AS_WHAT}",
    "two-misinformation-first": f"{SHOWN}\nEvidence: {MISINFORMATION}{DEFAULT}{ASKED}\n",
    "two-temporal-first": f"{SHOWN}\nEvidence: {TEMPORAL}{DEFAULT}{ASKED}\n",
    "two-semantic-first": f"{SHOWN}\nEvidence: {SEMANTIC}{DEFAULT}{ASKED}\n",
    "two-misinformation-shuffled": f"{SHOWN}\nEvidence: {DEFAULT}{MISINFORMATION}{ASKED}\n",
    "two-temporal-shuffled": f"{SHOWN}\nEvidence: {DEFAULT}{TEMPORAL}{ASKED}\n",
    "two-semantic-shuffled": f"{SHOWN}\nEvidence: {DEFAULT}{SEMANTIC}{ASKED}\n",
}
PRINTED = {
    "printed-no-evidence": f"{OWN}{ASKED}\n",
    "printed-default": f"{SHOWN}Evidence: {DEFAULT}{ASKED}\n",
    "printed-misinformation": f"{SHOWN}Evidence: {MISINFORMATION}{ASKED}\n",
    "printed-temporal": f"{SHOWN}Evidence: {TEMPORAL}{ASKED}\n",
    "printed-semantic": f"{SHOWN}Evidence: {SEMANTIC}{ASKED}\n",
    "printed-two-misinformation": f"{SHOWN}Evidence1: {DEFAULT}Evidence2: {MISINFORMATION}{ASKED}\n",
    "printed-two-temporal": f"{SHOWN}Evidence1: {DEFAULT}Evidence2: {TEMPORAL}{ASKED}\n",
    "printed-two-semantic": f"{SHOWN}Evidence1: {DEFAULT}Evidence2: {SEMANTIC}{ASKED}\n",
}
TEXTS_GIVEN = {
    "entails-default": DEFAULT,
    "entails-misinformation": MISINFORMATION,
    "entails-temporal": TEMPORAL,
    "entails-semantic": SEMANTIC,
    "contradicts-misinformation": MISINFORMATION,
    "contradicts-temporal": TEMPORAL,
    "contradicts-semantic": SEMANTIC,
}
RECORDS = [
    (1, " in 3 May, 2031", "on 3 May, 2031",
     "A. Bertrand Vale 1\nB. Ottoline Marsh 1\nC. Ida Thorn 1\nD. uncertain"),
    (2, " from 3 May, 2031 to 9 June, 2040", "from 3 May, 2031 to 9 June, 2040",
     "A. Bertrand Vale 2\nB. Ida Thorn 2\nC. Ottoline Marsh 2\nD. uncertain"),
]  # fmt: skip


def rendered(of, *names):
    """By declared name, without a run; all where none is named."""
    prompts = protocol_prompts.of_protocol(of.protocol)
    chosen = {prompt.name: name for name, prompt in prompts.items() if name in names or not names}
    found = response_planning.rendered(
        response_planning.instances_of(of), [prompts[name] for name in chosen.values()]
    )
    return {chosen[row.prompt.name]: row for row in found}


@pytest.mark.parametrize(("n", "span", "when", "options"), RECORDS)
def test_each_prompt_of_a_record_is_the_authors_text(n, span, when, options):
    rows = rendered(imported(file_of_records(record(n))).collection)
    expected = {name: f"{text}{options}\nAnswer:" for name, text in PUBLISHED.items()}
    expected |= {name: f"{text}{options}" for name, text in PRINTED.items()}
    filled = {name: text.format(n=n, span=span, when=when) for name, text in expected.items()}
    assert {name: row.text for name, row in rows.items() if row.text} == filled
    given = {name: text.format(n=n, when=when).strip() for name, text in TEXTS_GIVEN.items()}
    assert {name: row.given for name, row in rows.items() if row.given} == given
    assert len(filled) + len(given) == 33


def test_braces_in_a_record_stay_text():
    odd = ["{options.2}", "{question} {", "{options[0]}", "{{D}}"]
    of = imported(file_of_records(record(1, options=odd, question="Who? {reply}"))).collection
    assert rendered(of, "no-evidence")["no-evidence"].text == (
        f"{OWN}\nQuestion: Who? {{reply}}\nA. {{options.2}}\nB. {{question}} {{\nC. {{options[0]}}\nD. {{{{D}}}}\n"
        "Answer:"
    )


# ---------------------------------------------------------------- keys


def version(number, *changes, used=True):
    """The row of the protocol with these texts in place of others."""
    text = file_of("conflictbank").decode().replace("version = 1", f"version = {number}", 1)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    row = install(text.encode(), "conflictbank.toml")[0]
    if used:
        use(row)
    return row


CHANGED = ("Evidence1: {default_evidence}", "Evidence 1: {default_evidence}")


@pytest.mark.both
def test_an_unchanged_text_keeps_its_key_and_a_changed_one_gets_the_next():
    protocol_prompts.of_protocol(version(1))
    second = protocol_prompts.of_protocol(version(2, CHANGED, ('"one piece"', '"single piece"')))
    keys = {name: prompt.name for name, prompt in second.items()}
    changed = {name for name, key in keys.items() if key.endswith("-v2")}
    two = {f"printed-two-{cause}" for cause in ("misinformation", "temporal", "semantic")}
    tagged = {
        name for name, prompt in second.items() if prompt.tags.get("setting") == "single piece"
    }
    assert changed == two | tagged
    assert keys["default"] == "conflictbank-default"
    assert second["printed-two-temporal"].label == "CB 4tp v2"
    third = protocol_prompts.of_protocol(version(3))
    assert {prompt.name for prompt in third.values()} == {f"conflictbank-{name}" for name in keys}
    assert PromptVersion.objects.filter(origin="protocol").count() == 33 + len(changed)


@pytest.mark.both
def test_of_a_protocol_that_is_not_used_the_rows_follow_its_text():
    version(1, used=False)
    list(prompt_versions.stored())
    version(1, CHANGED, ("No evidence, as printed", "None"), used=False)
    list(prompt_versions.stored())
    rows = PromptVersion.objects.filter(origin="protocol")
    assert rows.count() == 33
    assert (
        rows.get(key="conflictbank-printed-two-temporal").prompt.template.count("Evidence 1:") == 1
    )
    assert prompt_versions.find("CB 1p").title == "None"
    Protocol.objects.all().delete()
    assert not prompt_versions.stored().filter(origin="protocol").exists()


def test_a_label_that_another_prompt_has_is_said_where_the_prompt_is_needed():
    prompt_versions.add({**GIVEN, "label": "CB 1"}, person("rosa", Role.RESEARCHER))
    of = protocol()
    [sentence] = protocol_prompts.store()
    assert "Prompt conflictbank-no-evidence of the protocol conflictbank cannot be used" in sentence
    with pytest.raises(Conflict, match="another prompt has its name or its label 'CB 1'"):
        protocol_prompts.of_protocol(of)
    assert prompt_versions.find("CB 2").name == "conflictbank-default"


def test_a_label_of_a_protocol_is_taken_for_people():
    protocol()
    with pytest.raises(Conflict, match="'conflictbank-default' has the label 'CB 2' already"):
        prompt_versions.add({**GIVEN, "label": "CB 2"}, person("rosa", Role.RESEARCHER))


# ---------------------------------------------------------------- which may be asked


def mine(**changed):
    given = {
        "name": "curt",
        "label": "K1",
        "title": "Curt",
        "template": "{question}\nA. {options.1}",
    }
    author = person("rosa", Role.RESEARCHER)
    return prompt_versions.add({**given, "protocol": "conflictbank", **changed}, author).prompt


def test_a_collection_is_offered_its_protocols_prompts_and_those_that_people_wrote_for_it():
    of = collection(1)
    curt = mine()
    own = {prompt.name for prompt in protocol_prompts.of_protocol(of.protocol).values()}
    assert set(prompt_versions.offered(of.protocol)) == {*own, curt.name}
    assert set(prompt_versions.offered(None)) == set(prompting.prompts())
    assert (curt.protocol, curt.tags, curt.mark, curt.passages) == ("conflictbank", {}, "", ())


WRONG = [
    ("conflicts", "4", r"Prompt 4 is of the protocol wikicontradict\. conflicts is of conflictbank version 1: choose"),
    ("canals", "CB 1", r"Prompt CB 1 is of the protocol conflictbank\. canals is of wikicontradict version 1: choose"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "label", "sentence"), WRONG)
def test_a_prompt_of_another_protocol_is_refused(local, name, label, sentence):
    of = {"conflicts": collection(1), "canals": canals(1)}[name]
    with pytest.raises(Refusal, match=sentence):
        runs.create(collection=of, models=[echo()], prompts=[prompt_versions.find(label)])
    asked = ["--model", "local/echo-1", "--prompt", label]
    with pytest.raises(CommandError, match=sentence):
        call_command("generate", name, *asked)
    with pytest.raises(CommandError, match=sentence):
        call_command("render_prompts", name, "--prompt", label)


def test_a_run_is_not_extended_by_a_prompt_of_another_protocol(local):
    made = run(questions=1)
    protocol()
    with pytest.raises(Refusal, match="Prompt CB 1 is of the protocol conflictbank"):
        runs.extend(made, [], [prompt_versions.find("CB 1")])


def test_a_prompt_of_another_version_of_the_protocol_is_refused(local):
    of = collection(1)
    newer = protocol_prompts.of_protocol(version(2, CHANGED))["printed-two-semantic"]
    with pytest.raises(Refusal, match="Prompt CB 4sp v2 is of another version of conflictbank"):
        runs.create(collection=of, models=[able()], prompts=[newer])


def test_a_service_without_log_probabilities_is_refused_for_prompts_that_score_options(local):
    with pytest.raises(Refusal, match="Prompt CB 1 needs the log-probabilities of its options"):
        runs.create(
            collection=collection(1), models=[echo()], prompts=[prompt_versions.find("CB 1")]
        )


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"template": "{question} {context1}"}, r"has \{context1\}, which is no field"),
        ({"template": "{options.1}"}, r"never shows the question\. Write \{question\}"),
        ({"gold": ["answer_1"]}, "has gold, which prompts of WikiContradict alone have"),
        ({"revised": True}, "has revised, which prompts of WikiContradict alone have"),
        ({"examples": [{"question": "Who?", "answer": "I"}]}, "has examples, which prompts of"),
        ({"form": "span", "times": 2}, r"Write \{default_evidence\} or \{misinformation_conflict"),
        ({"protocol": "knot"}, "There is no protocol 'knot' here. Install it first"),
        ({"tags": {"setting": "mine"}}, "has tags, which no prompt has"),
    ],
)
def test_a_prompt_that_cannot_be_of_its_protocol_is_refused(changed, sentence):
    protocol()
    with pytest.raises(Refusal, match=sentence):
        mine(**changed)


def test_an_edit_of_a_protocols_prompt_is_a_version_of_it_without_tags():
    of = collection(1)
    first = prompt_versions.stored_as("conflictbank-default")
    mark = prompt_versions.mark_of(first)
    rosa = person("rosa", Role.RESEARCHER)
    changed = {**first.body, "template": "{question} {default_evidence}"}
    given = {name: changed[name] for name in ("title", "template", "form", "options", "source")}
    second = prompt_versions.save(first, given, newest=mark, by=rosa).prompt
    assert (second.name, second.label, second.tags) == ("conflictbank-default-v2", "CB 2 v2", {})
    assert second.name in prompt_versions.offered(of.protocol)


# ---------------------------------------------------------------- shuffled passages


SHUFFLED = "two-misinformation-shuffled"
D, M = "default_evidence", "misinformation_conflict_evidence_evidence"


def orders(of, **more):
    prompts = protocol_prompts.of_protocol(of.protocol)
    made, _ = runs.create(
        collection=of, models=[able()], prompts=[prompts[SHUFFLED], prompts["default"]], **more
    )
    return made


def test_the_order_of_passages_is_drawn_by_the_seed_and_kept(local, seeded):
    made = orders(collection(4), samples=2)
    assert made.seed == 7
    rows = (
        Response.objects.filter(run=made)
        .order_by("order")
        .select_related("instance__contradiction")
    )
    drawn = [row for row in rows if row.drawn]
    assert {row.prompt for row in rows if not row.drawn} == {"conflictbank-default"}
    # As written here on every database.
    assert "".join("d" if row.drawn["order"][0] == D else "m" for row in drawn) == "dmmddddd"
    for row in drawn:
        of = row.instance.contradiction.fields
        first, second = (of[name] for name in row.drawn["order"])
        assert f"Evidence: {first}\n{second}\nQuestion: {of['question']}\n" in row.rendered


def test_all_models_are_sent_a_passage_in_the_same_order(local, seeded):
    made = orders(collection(4))
    runs.extend(made, [able(seed=5)], [])
    columns = ("instance", "model", "rendered")
    rows = Response.objects.filter(run=made, prompt=f"conflictbank-{SHUFFLED}").values_list(
        *columns
    )
    assert len(rows) == 8
    assert len({(instance, text) for instance, _, text in rows}) == 4


def test_a_run_without_shuffled_passages_has_no_seed_until_a_prompt_needs_one(local, seeded):
    of = collection(1)
    prompts = protocol_prompts.of_protocol(of.protocol)
    made, _ = runs.create(collection=of, models=[able()], prompts=[prompts["default"]])
    assert made.seed is None
    runs.extend(made, [], [prompts[SHUFFLED]])
    assert Run.objects.get(pk=made.pk).seed == 7
    assert Response.objects.filter(run=made, drawn__isnull=False).count() == 1


def test_a_run_that_is_stopped_half_way_goes_on_with_the_orders_it_drew(local, seeded):
    made = orders(collection(3))
    columns = ("pk", "rendered", "drawn")
    before = list(made.responses.order_by("pk").values_list(*columns))
    runs.start(made)
    assert runs.cancel(made) == 6
    assert runs.resume(made) == 6
    assert list(made.responses.order_by("pk").values_list(*columns)) == before


# ---------------------------------------------------------------- records that do not fit


def unfit(**changed):
    return imported(file_of_records(record(1), record(2, **changed))).collection


UNFIT = [
    ({"temporal_conflict_time_span": ["1", "2", "3"]}, "temporal-described", "CB 3td",
     r"temporal_conflict_time_span has 3 texts, and reads as text with 1 or 2 alone"),
    ({"options": ["a", "b", "c"], "uncertain_option": "C", "correct_option": "A", "replace_option": "B"},
     "no-evidence", "CB 1", r"options has 3 texts, and the prompt shows number 4"),
]  # fmt: skip


@pytest.mark.parametrize(("changed", "name", "label", "sentence"), UNFIT)
def test_a_record_that_lacks_what_a_prompt_shows_is_named_and_no_run_is_made(
    local, changed, name, label, sentence, capsys
):
    of = unfit(**changed)
    prompts = protocol_prompts.of_protocol(of.protocol)
    named = rf"“Quillmere Abbey 2” \([0-9a-f]{{8}}\) for prompt {label}: {sentence}"
    with pytest.raises(Refusal, match=f"Records lack what prompts show: {named}"):
        runs.create(collection=of, models=[able()], prompts=[prompts[name]])
    assert not Run.objects.exists()
    call_command("render_prompts", of.name, "--prompt", label)
    assert re.search(f"left out of conflictbank-{name}: {sentence}", capsys.readouterr().err)


def test_of_many_such_records_five_are_named(local):
    three = {"temporal_conflict_time_span": ["1", "2", "3"]}
    of = imported(file_of_records(*(record(n, **three) for n in range(1, 8)))).collection
    prompt = prompt_versions.find("CB 3td")
    with pytest.raises(Refusal, match=r"; and 2 more\. Correct or exclude them") as refused:
        runs.create(collection=of, models=[able()], prompts=[prompt])
    assert str(refused.value).count("Quillmere Abbey") == 5


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(response_planning, "PIECE", 2)
    monkeypatch.setattr(runs, "BATCH", 3)


def test_records_read_in_pieces_are_asked_in_the_same_order(local, small_pieces):
    of = imported(file_of_records(*(record(n) for n in range(1, 8)))).collection
    prompts = protocol_prompts.of_protocol(of.protocol)
    chosen = [prompts["default"], prompts["no-evidence"]]
    made, _ = runs.create(collection=of, models=[able()], prompts=chosen)
    asked = made.responses.order_by("order").values_list(
        "order", "instance__contradiction__position", "prompt"
    )
    pairs = [(n, prompt.name) for n in range(7) for prompt in chosen]
    assert list(asked) == [(order, *pair) for order, pair in enumerate(pairs)]


def test_a_record_refused_after_others_were_stored_takes_the_run_back(local, small_pieces):
    three = {"temporal_conflict_time_span": ["1", "2", "3"]}
    changes = [{}] * 5 + [three]
    of = imported(
        file_of_records(*(record(n, **more) for n, more in enumerate(changes, 1)))
    ).collection
    with pytest.raises(Refusal, match=r"Records lack what prompts show: “Quillmere Abbey 6”"):
        runs.create(collection=of, models=[able()], prompts=[prompt_versions.find("CB 3td")])
    assert not Run.objects.exists()
    assert not Response.objects.exists()


def test_a_run_of_too_many_responses_says_how_many_and_stores_none(
    local, small_pieces, monkeypatch
):
    monkeypatch.setattr(runs, "MOST_RESPONSES", 4)
    of = imported(file_of_records(*(record(n) for n in range(1, 8)))).collection
    prompts = [protocol_prompts.of_protocol(of.protocol)["default"]]
    with pytest.raises(Refusal, match="That would be 7 responses; a run has at most 4"):
        runs.create(collection=of, models=[able()], prompts=prompts)
    assert not Response.objects.exists()
    made, _ = runs.create(collection=of, models=[able()], prompts=prompts, limit=3)
    with pytest.raises(Refusal, match="That would be 6 responses"):
        runs.extend(made, [able(model_id="another")], [])
    assert made.responses.count() == 3


def test_a_prompt_whose_evidence_is_empty_is_left_out_and_named(local):
    of = unfit(default_evidence=" ")
    prompts = protocol_prompts.of_protocol(of.protocol)
    made, left_out = runs.create(
        collection=of, models=[able()], prompts=[prompts["default"], prompts["no-evidence"]]
    )
    assert made.responses.count() == 3
    assert [(row.prompt.label, row.problem) for row in left_out] == [
        ("CB 2", "Default evidence is empty")
    ]


def test_a_prompt_changed_while_a_run_is_made_is_refused(local):
    of = collection(1)
    curt = mine()
    with pytest.raises(Conflict, match="Prompt K1 was changed or removed a moment ago"):
        runs.create(collection=of, models=[echo()], prompts=[replace(curt, title="Other")])
