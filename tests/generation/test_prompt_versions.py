"""Versions of prompts: written in the app or as files, used by runs, and then kept for ever."""

import hashlib
import json
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.urls import reverse

from accounts.roles import Role
from evaluation.counts.naming import prompt_entry
from generation import access, prompt_versions, runs
from generation.models import PromptVersion, Response
from generation.prompt_forms import PromptForm
from generation.prompts import authoring, prompting, rendering
from leases.refusal import Conflict, Refusal, StaleVersion
from tests.factories import person, signed_in, stored
from tests.generation.factories import answer_all, canals, echo, run

pytestmark = pytest.mark.django_db

GIVEN = {
    "name": "cautious",
    "label": "C1",
    "title": "A cautious reader",
    "template": "Answer with care.\n{question}\n{context2}\n {context1}",
    "gold": ["answer_1", "answer_2"],
}


@pytest.fixture
def rosa():
    return person("rosa", Role.RESEARCHER)


def saved(row, by, **changed):
    newest = prompt_versions.mark_of(prompt_versions.newest_of(row.name))
    return prompt_versions.save(row, {**row.body, **changed}, newest=newest, by=by)


def published(by, **changed) -> PromptVersion:
    row = prompt_versions.add({**GIVEN, **changed}, by)
    prompt_versions.publish([row.prompt])
    return stored(row)


# ---------------------------------------------------------------- written


def test_a_new_prompt_is_found_by_its_key_and_its_label(rosa):
    row = prompt_versions.add(GIVEN, rosa)
    assert (row.key, row.version, row.author, row.published_at) == ("cautious", 1, rosa, None)
    prompt = prompt_versions.find("C1")
    assert prompt == prompt_versions.find("cautious")
    assert prompt.passages == (2, 1)
    assert prompt.sha256 == row.sha256


@pytest.mark.both
def test_prompts_come_by_label_with_their_versions_one_after_the_other(rosa):
    saved(prompt_versions.stored_as("both-passages-comprehensive"), rosa, title="Newer")
    prompt_versions.add(GIVEN, rosa)
    labels = [prompt.label for prompt in prompt_versions.known().values()]
    assert labels == ["1", "2", "3", "4", "5", "5 v2", "5.1", "5.2", "5.3", "5.4", "C1"]


def test_the_studys_own_prompts_are_read_without_the_database(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert prompt_versions.find("both-passages").label == "4"
        assert list(prompt_versions.known(["passage-2", "passage-1"])) == ["passage-1", "passage-2"]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": "passage-1", "label": "X"}, "There is a prompt 'passage-1' already"),
        ({"label": "4"}, "'both-passages' has the label '4' already"),
        ({"label": "passage-1"}, "has the label 'passage-1' already"),
        ({"name": "b", "label": "X"}, "Prompt 'lettered' has the label 'b' already"),
    ],
)
def test_a_name_or_label_that_is_taken_is_refused(rosa, changed, sentence):
    prompt_versions.add({**GIVEN, "name": "lettered", "label": "b"}, rosa)
    with pytest.raises(Conflict, match=sentence):
        prompt_versions.add({**GIVEN, **changed}, rosa)


@pytest.mark.both
def test_the_database_takes_a_label_once(rosa):
    rows = PromptVersion.objects.filter(pk=prompt_versions.add(GIVEN, rosa).pk)
    prompt_versions.stored_as("passage-1")
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.update(label="2")


def test_a_new_version_of_an_older_one_leaves_the_unused_one_of_another_person(rosa):
    first = published(rosa)
    theirs = saved(first, person("bob", Role.RESEARCHER), title="By Bob")
    mine = saved(first, rosa, title="By Rosa")
    assert mine.key == "cautious-v3"
    assert (stored(theirs).prompt.title, stored(theirs).author.username) == ("By Bob", "bob")


def test_an_edit_changes_what_no_run_has_used_and_makes_a_version_of_what_one_has(rosa):
    row = prompt_versions.add(GIVEN, rosa)
    assert saved(row, rosa, template="{question}?").pk == row.pk
    row = stored(row)
    assert row.prompt.template == "{question}?"
    prompt_versions.publish([row.prompt])
    second = saved(stored(row), rosa, template="{question}!")
    assert (second.key, second.prompt.label, second.version) == ("cautious-v2", "C1 v2", 2)
    assert stored(row).prompt.template == "{question}?"


def test_an_edit_of_a_prompt_of_the_study_makes_its_second_version(rosa):
    first = prompt_versions.stored_as("passage-1")
    assert saved(first, rosa) == first
    second = saved(first, rosa, template="Short: {question}\n{context1}")
    assert (second.key, second.prompt.label) == ("passage-1-v2", "2 v2")
    assert prompt_versions.find("2").template == first.prompt.template


@pytest.mark.both
def test_of_two_who_save_at_a_time_the_second_is_refused(rosa):
    row = published(rosa)
    began = prompt_versions.mark_of(row)
    prompt_versions.save(row, {**row.body, "title": "One"}, newest=began, by=rosa)
    with pytest.raises(StaleVersion, match="cautious, version 2 was saved since you began"):
        prompt_versions.save(row, {**row.body, "title": "Two"}, newest=began, by=rosa)
    assert PromptVersion.objects.filter(name="cautious").count() == 2


# ---------------------------------------------------------------- used


@pytest.mark.both
@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.update(body={}),
        lambda rows: rows.update(published_at=None),
        lambda rows: rows.delete(),
    ],
)
def test_the_database_keeps_what_a_run_has_used(rosa, change):
    rows = PromptVersion.objects.filter(pk=published(rosa).pk)
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        change(rows)
    assert rows.get().prompt.title == "A cautious reader"


@pytest.mark.both
def test_the_migration_renames_a_verdict_in_kept_prompts_and_still_keeps_them(rosa):
    old = ["correct", "partially_correct"]
    body = {**authoring.completed(GIVEN, "The prompt"), "verdicts": old}
    row = PromptVersion.objects.create(
        key="cautious", name="cautious", version=1, label="C1", body=body, sha256=body["sha256"],
        origin="person", author=rosa, published_at=Now(),
    )  # fmt: skip
    migration = import_module("generation.migrations.0002_prompts_say_partially_correct")
    with connection.cursor() as cursor:
        migration.rename(apps, SimpleNamespace(connection=connection, execute=cursor.execute))
    renamed = {**body, "verdicts": ["correct", "partially correct"]}
    assert (stored(row).body, stored(row).sha256) == (renamed, row.sha256)
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        row.save()


@pytest.mark.both
def test_only_a_version_that_no_run_has_used_is_removed(rosa):
    prompt_versions.remove(prompt_versions.add(GIVEN, rosa))
    assert not PromptVersion.objects.filter(name="cautious").exists()
    for row in (published(rosa), prompt_versions.stored_as("passage-1")):
        with pytest.raises(Conflict, match="stays"):
            prompt_versions.remove(row)


def test_each_version_is_an_identity_of_its_own_in_a_run(local, rosa):
    first = published(rosa)
    second = saved(first, rosa, template="{question} {context1}")
    both = [first.prompt, second.prompt]
    made, _ = runs.create(collection=canals(2), models=[echo()], prompts=both)
    assert made.prompts == ["cautious", "cautious-v2"]
    assert stored(second).published_at
    columns = ("prompt", "prompt_hash", "rendered")
    texts = list(made.responses.order_by("order").values_list(*columns))[:2]
    passages = "Canal 1 is 6 km long.\n Canal 1 is 1 km long."
    asked = f"Answer with care.\nHow long is canal 1?\n{passages}"
    assert texts[0] == ("cautious", first.sha256, asked)
    assert texts[1][:2] == ("cautious-v2", second.sha256)
    assert texts[1][2] == "How long is canal 1? Canal 1 is 1 km long."


@pytest.mark.both
@pytest.mark.parametrize("changed", [{"template": "{question}!"}, {"gold": ["yes"]}])
def test_a_prompt_changed_while_a_run_is_made_is_refused(local, rosa, changed):
    row = prompt_versions.add(GIVEN, rosa)
    read = row.prompt
    saved(row, rosa, **changed)
    with pytest.raises(Conflict, match="Prompt C1 was changed or removed a moment ago"):
        runs.create(collection=canals(1), models=[echo()], prompts=[read])
    assert not Response.objects.exists()


def test_a_run_is_extended_by_a_version(local, rosa):
    made = run(questions=1)
    row = prompt_versions.add(GIVEN, rosa)
    runs.extend(made, [], [row.prompt])
    assert stored(row).published_at
    assert set(made.responses.values_list("prompt", flat=True)) == {"both-passages", "cautious"}


def test_examples_come_before_the_question_and_count_in_the_hash(rosa):
    given = {**GIVEN, "template": "Q: {question}\nA:"}
    bare = authoring.completed(given, "It")
    shots = [{"question": "How {far}?", "answer": "3 km"}, {"question": "When?", "answer": "1201"}]
    body = authoring.completed({**given, "examples": shots}, "It")
    text = rendering.render(
        prompting.parse(body, "it"), question="Who?", context_1="", context_2="", same=False
    )
    assert text == "Q: How {far}?\nA: 3 km\n\nQ: When?\nA: 1201\n\nQ: Who?\nA:"
    assert body["sha256"] != bare["sha256"]


SPANNED = {**GIVEN, "form": "span", "times": 15}
NOT_CONTROLLED = [
    ({"template": "{question}"}, "template", "the form span, and shows no passage .* Write {context1}"),
    ({"form": "option"}, "options", "has the form option, which needs options"),
    ({"options": ["A", "B"]}, "options", "Give it the form scores or option, or none"),
    ({"form": ""}, "times", "has times, but no form .* Give it the form span or option"),
    ({"form": "", "times": 0}, "times", "has times, but no form that is asked for again"),
    ({"form": "", "times": None, "insist": True}, "insist", "has insist, but no form"),
    ({"form": "scores", "options": ["A", "B"]}, "times", "has times, but no form"),
    *[({"times": n}, "times", "a number from 1 to 15") for n in (None, 0, 16, -1, True, 2.5, "3")],
    ({"insist": 1}, "insist", "insist is true or false"),
]  # fmt: skip


@pytest.mark.parametrize(("changed", "field", "sentence"), NOT_CONTROLLED)
def test_an_asked_form_that_cannot_be_is_refused_by_name(changed, field, sentence):
    with pytest.raises(prompting.PromptError, match=sentence) as refused:
        authoring.completed({**SPANNED, **changed}, "It")
    assert refused.value.field == field


@pytest.mark.parametrize(
    "changed",
    [{"times": 1}, {"insist": True}, {"template": "{question}", "second": "And by {context2}?"}],
)
def test_what_decides_the_reply_counts_in_the_hash(changed):
    bodies = [authoring.completed(given, "It") for given in (SPANNED, {**SPANNED, **changed})]
    assert bodies[0]["sha256"] != bodies[1]["sha256"]


def test_the_asked_form_is_entered_and_shown(client, reader, rosa):
    entered = entries(form="option", options="A\nB", times="3", insist="on")
    client.post("/prompts/new/", entered)
    row = PromptVersion.objects.get(key="cautious")
    assert (row.prompt.times, row.prompt.insist) == (3, True)
    shown = (
        "One of the options, as a reply: A, B; asked for up to 3 times, at temperature 0 too</dd>"
    )
    assert shown in body(client.get("/prompts/cautious/"))


SCORED = {**GIVEN, "form": "scores", "options": ["A", "B"]}
NO_FORM = [
    ({"form": "letters"}, "form", "'letters' is no form of an answer. .* one of scores"),
    ({"form": ["scores"]}, "form", "is no form of an answer"),
    ({"options": []}, "options", "has the form scores, which needs options"),
    ({"form": ""}, "options", "has options without a form that chooses among them"),
    ({"options": "AB"}, "options", "options is a list of 2 to 26 texts"),
    ({"options": ["A"]}, "options", "options is a list of 2 to 26 texts"),
    ({"options": [str(n) for n in range(27)]}, "options", "options is a list of 2 to 26 texts"),
    ({"options": ["A", 2]}, "options", "the option is not a text"),
    ({"options": ["A", ""]}, "options", "the option is empty"),
    ({"options": ["A", "B" * 41]}, "options", "the option has 41 characters; at most 40"),
    ({"options": ["A", "B\n"]}, "options", r"the option has the control character U\+000A"),
    ({"options": ["A", "B", "A"]}, "options", "'A' is there twice, or has blanks round it"),
    ({"options": ["\u00e9", "e\u0301"]}, "options", "is there twice"),
    ({"form": "option", "times": 2, "options": ["a b", "a  b"]}, "options", "is there twice"),
    ({"options": ["A", " B"]}, "options", "' B' is there twice, or has blanks round it"),
    ({"options": ["A", "not sure"]}, "options", "is one token, without blanks"),
    ({"options": ["A", "(B"]}, "options", "without a bracket before it"),
    ({"second": "Sure?"}, "second", "has the form scores, .* Leave the second turn out"),
]


@pytest.mark.parametrize(("changed", "field", "sentence"), NO_FORM)
def test_a_form_or_options_that_cannot_be_are_refused_by_name(changed, field, sentence):
    with pytest.raises(prompting.PromptError, match=sentence) as refused:
        authoring.completed({**SCORED, **changed}, "It")
    assert refused.value.field == field


UNWRITABLE = [
    ({"template": "Answer."}, "never shows the question"),
    ({"template": "{question}" + "x" * 20_000}, "has 20010 characters; at most 20000"),
    ({"template": "{question}\x07"}, r"the control character U\+0007"),
    ({"title": "One\ttwo"}, r"the title has the control character U\+0009"),
    ({"name": "Cautious"}, "cannot be a name"),
    ({"name": "cautious-v2"}, "cannot be a name"),
    ({"label": "C v2"}, "cannot be a label"),
]


@pytest.mark.parametrize(("changed", "sentence"), UNWRITABLE)
def test_a_text_name_or_label_that_cannot_be_is_refused(changed, sentence):
    with pytest.raises(prompting.PromptError, match=sentence):
        authoring.completed({**GIVEN, **changed}, "It")


def test_form_and_options_count_in_the_hash_and_a_text_has_the_one_it_had():
    bare = authoring.completed({**GIVEN, "form": "", "options": []}, "It")
    assert bare["sha256"] == hashlib.sha256(GIVEN["template"].encode()).hexdigest()
    more = [SCORED, {**SCORED, "options": ["B", "A"]}]
    assert len({bare["sha256"], *(authoring.completed(one, "It")["sha256"] for one in more)}) == 3
    prompt = prompting.parse(authoring.completed(SCORED, "It"), "it")
    assert (prompt.form, prompt.options) == (prompting.Form.SCORES, ("A", "B"))


def test_a_stored_prompt_of_an_unknown_form_is_refused():
    with pytest.raises(prompting.PromptError, match="it is not a prompt: 'letters' is not a valid"):
        prompting.parse({**authoring.completed(SCORED, "It"), "form": "letters"}, "it")


def test_a_stored_prompt_with_an_asked_form_and_no_times_is_refused():
    body = {**authoring.completed(SPANNED, "It"), "times": None}
    body["sha256"] = prompting.sha256_of(body)
    with pytest.raises(prompting.PromptError, match=r"it has the form span\. Set times"):
        prompting.parse(body, "it")


# ---------------------------------------------------------------- files in DATA_DIR


@pytest.fixture
def folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    made = tmp_path / prompt_versions.FOLDER
    made.mkdir()
    return made


def test_a_file_is_a_version_and_its_new_text_the_next(folder, capsys):
    file = folder / "cautious.json"
    file.write_text(json.dumps(GIVEN), encoding="utf-8-sig")
    call_command("read_prompts")
    call_command("read_prompts")
    file.write_text(json.dumps({**GIVEN, "template": "{question}"}))
    call_command("read_prompts")
    assert capsys.readouterr().out == "Stored: cautious (C1).\nStored: cautious-v2 (C1 v2).\n"
    row = prompt_versions.stored_as("cautious-v2")
    assert (row.origin, row.author, row.prompt.template) == ("file", None, "{question}")


def test_a_file_with_an_older_text_is_a_version_and_one_left_alone_is_none(folder, rosa, capsys):
    file = folder / "cautious.json"
    for given in (GIVEN, {**GIVEN, "template": "{question}"}, GIVEN):
        file.write_text(json.dumps(given))
        call_command("read_prompts")
    assert prompt_versions.newest_of("cautious").key == "cautious-v3"
    saved(prompt_versions.newest_of("cautious"), rosa, title="By Rosa")
    capsys.readouterr()
    call_command("read_prompts")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "bad.json: this is not JSON"),
        ("[]", "bad.json: this is not a prompt"),
        (json.dumps({**GIVEN, "template": "{question} {year}"}), r"bad.json: .* has \{year\}, which is no field"),
        (json.dumps({**GIVEN, "colour": "red"}), "has colour, which no prompt has"),
        (json.dumps({**GIVEN, "verdicts": ["partially_correct"]}),
         "bad.json: .* verdicts has partially_correct. Write one of correct, partially correct, incorrect instead"),
        (json.dumps(GIVEN), "bad.json: the prompt's name is 'cautious'. Call the file cautious.json"),
        ("[" * 200_000, "bad.json: this is not JSON"),
        (" " * 5_000_001, "bad.json: the file has more than 5,000,000 bytes"),
    ],
)  # fmt: skip
def test_a_file_that_is_refused_is_named_and_keeps_no_other_out(folder, text, sentence):
    (folder / "bad.json").write_text(text)
    (folder / "good.json").write_text(json.dumps({**GIVEN, "name": "good", "label": "G"}))
    with pytest.raises(CommandError, match=sentence):
        call_command("read_prompts")
    assert prompt_versions.find("G").name == "good"


# ---------------------------------------------------------------- pages


@pytest.fixture
def reader(client, rosa):
    return signed_in(client, rosa)


def entries(**changed) -> dict[str, object]:
    return {**GIVEN, **changed}


def body(answer) -> str:
    return answer.content.decode()


def test_the_list_says_where_each_version_is_used(client, reader, local, rosa):
    made = run(questions=2, name="Canals", prompts=("4",))
    runs.extend(made, [], [published(rosa).prompt])
    text = body(client.get(reverse("generation:prompts")))
    assert text.count("Canals") == 2
    assert text.count('<td class="num">2</td>') == 2
    assert prompting.find("4").sha256[:12] in text
    places = [text.index(f'href="/prompts/{key}/"') for key in prompt_versions.known()]
    assert places == sorted(places)


def test_a_run_that_is_hidden_is_neither_named_nor_counted(client, reader, local, monkeypatch):
    made = run(questions=2, name="Canals", prompts=("4",))
    hides = {"test": lambda who, some: {made.pk}}
    monkeypatch.setattr(access.hides_runs, "providers", hides)
    text = body(client.get(reverse("generation:prompt", args=["both-passages"])))
    assert "Canals" not in text
    assert "<dt>Responses</dt><dd>0</dd>" in text


def test_an_older_version_offers_a_new_one_and_the_newest_a_change(client, reader, rosa):
    row = published(rosa)
    saved(row, rosa, title="Second")
    third = saved(row, rosa, title="Third")
    assert third.key == "cautious-v3"
    assert ">New version</a>" in body(client.get("/prompts/cautious-v2/"))
    assert ">Change</a>" in body(client.get("/prompts/cautious-v3/"))


def test_a_version_shows_its_text_what_changed_and_how_it_is_sent(client, reader, rosa):
    canals(1)
    second = saved(published(rosa), rosa, template="Answer with great care.\n{question}")
    text = body(client.get(f"/prompts/{second.key}/", {"collection": "canals"}))
    assert "<ins>great </ins>" in text
    assert "Answer with great care.\nHow long is canal 1?" in text
    assert second.sha256 in text
    assert "Version 2</a> is newer" in body(client.get("/prompts/cautious/"))


def test_a_prompt_is_written_changed_and_removed_in_the_app(client, reader):
    answer = client.post("/prompts/new/", entries(template="One.\r\n{question}\r\n"))
    assert answer.url == "/prompts/cautious/"
    row = PromptVersion.objects.get(key="cautious")
    assert row.prompt.template == "One.\n{question}\n"
    form = PromptForm(based_on=row.body)
    initial = {name: form.initial.get(name, "") for name in form.fields} | {"times": ""}
    mark = {"newest": prompt_versions.mark_of(row)}
    client.post("/prompts/cautious/edit/", {**initial, **mark, "title": "A keen reader"})
    assert stored(row).prompt.title == "A keen reader"
    assert client.post("/prompts/cautious/remove/").url == "/prompts/"
    assert client.get("/prompts/cautious/").status_code == 404


def test_options_are_written_one_a_line_and_shown(client, reader, rosa):
    client.post("/prompts/new/", entries(form="scores", options="A\r\n B \r\n\r\nC"))
    row = PromptVersion.objects.get(key="cautious")
    assert row.prompt.options == ("A", "B", "C")
    assert PromptForm(based_on=row.body).initial["options"] == "A\nB\nC"
    assert "token the model finds likeliest: A, B, C</dd>" in body(client.get("/prompts/cautious/"))
    prompt_versions.publish([row.prompt])
    second = saved(stored(row), rosa, options=["A", "B"])
    assert "<del>, C</del>" in body(client.get(f"/prompts/{second.key}/"))


BAD = [
    ({"template": "{question} {contxt1}"}, "{contxt1}, which is no field of a question"),
    ({"template": ""}, "This field is required"),
    ({"name": "new"}, "cannot be a name"),
    ({"name": "passage-1"}, "There is a prompt &#x27;passage-1&#x27; already"),
    ({"form": "scores"}, "has the form scores, which needs options"),
    ({"question_0": "How long?"}, "Example 1. The prompt: the context1 is empty"),
    ({"answer_0": "3 km", "context1_0": "It is.", "context2_0": "x"}, "the question is empty"),
]  # fmt: skip


@pytest.mark.parametrize(("changed", "sentence"), BAD)
def test_what_cannot_be_a_prompt_is_refused_with_what_to_change(client, reader, changed, sentence):
    answer = client.post("/prompts/new/", entries(**changed))
    assert answer.status_code == 400
    assert sentence in body(answer)
    assert not PromptVersion.objects.filter(origin="person").exists()


def test_a_version_saved_meanwhile_is_refused_and_the_text_is_kept(client, reader, rosa):
    row = published(rosa)
    mark = prompt_versions.mark_of(row)
    saved(row, rosa, title="By another")
    typed = {"newest": mark, "title": "Mine", "template": "{question} mine"}
    answer = client.post("/prompts/cautious/edit/", typed)
    assert answer.status_code == 400
    assert "was saved since you began" in body(answer)
    assert "{question} mine" in body(answer)
    again = {**typed, "newest": prompt_versions.mark_of(prompt_versions.newest_of("cautious"))}
    assert client.post("/prompts/cautious/edit/", again).url == "/prompts/cautious-v3/"
    assert prompt_versions.find("C1 v3").template == "{question} mine"


def test_a_response_leads_to_its_prompt(client, reader, local):
    made = run(questions=1)
    answer_all(made)
    response = made.responses.get()
    text = body(client.get(f"/runs/{made.pk}/responses/{response.pk}/"))
    assert 'href="/prompts/both-passages/"' in text


# ---------------------------------------------------------------- in studies and tables


def test_tables_name_a_version_by_its_label(rosa):
    second = saved(prompt_versions.stored_as("both-passages-comprehensive"), rosa, title="Again")
    assert prompt_entry(second.key)["label"] == "5 v2"
    assert prompt_entry("both-passages-comprehensive")["label"] == "5"


def test_a_form_that_changes_nothing_stores_nothing(client, reader, rosa):
    row = prompt_versions.stored_as("both-passages-swapped")
    form = PromptForm(based_on=row.body)
    initial = {name: form.initial.get(name, "") for name in form.fields}
    sent = {**initial, "newest": prompt_versions.mark_of(row)}
    del sent["revised"]
    assert (
        client.post("/prompts/both-passages-swapped/edit/", sent).url
        == "/prompts/both-passages-swapped/"
    )
    assert PromptVersion.objects.filter(name="both-passages-swapped").count() == 1


def test_without_a_text_nothing_is_added(rosa):
    with pytest.raises(Refusal, match="the template is empty"):
        prompt_versions.add({**GIVEN, "template": ""}, rosa)
