"""Rubrics in the app: versions that never change, the form that makes the next one, and what studies take."""

import copy

import pytest

from accounts.roles import Role
from generation import prompt_versions
from generation.models import Run
from judging import rubric_versions, verdicts
from judging.forms.rubric_form import RubricForm
from judging.models import Rubric, Study
from judging.rules import rubric
from leases.refusal import Refusal
from tests.factories import person, signed_in, stored
from tests.judging import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client):
    return signed_in(client, person("admin", Role.ADMIN))


def entries(row: Rubric, **changed: object) -> dict[str, object]:
    """What the form of this version posts; `changed` by field."""
    asked = prompt_versions.known()
    form = RubricForm(based_on=rubric.parse(row.body), text=row.body, asked=asked)
    first = {name: value for name, value in form.initial.items() if value not in (False, None)}
    return {"newest": Rubric.objects.filter(name=row.name)[0].version, **first, **changed}


def edited(row: Rubric, prompt: str = "passage-1") -> dict[str, object]:
    """The text of this version with another criterion."""
    body = copy.deepcopy(row.body)
    body["prompts"][prompt]["criteria"]["correct"] = ["It names the year."]
    return body


def test_the_form_gives_back_the_text_that_it_began_with():
    row = rubric_versions.current()
    known = {"based_on": rubric.parse(row.body), "text": row.body}
    form = RubricForm(entries(row), asked=prompt_versions.known(), **known)
    assert form.is_valid(), form.errors
    assert form.body() == row.body


def test_an_edit_makes_a_new_version_and_names_its_author(client, admin):
    row = rubric_versions.current()
    changed = {"passage-1:criteria_2": "It names the year.\n\n  In digits. ", "label_2": "Right"}
    answer = client.post(f"/studies/rubrics/{row.pk}/edit/", entries(row, **changed))
    saved = rubric_versions.current()
    assert answer.url == f"/studies/rubrics/{saved.pk}/"
    assert (saved.version, saved.author) == (2, admin)
    known = rubric.parse(saved.body)
    assert known.prompts["passage-1"].criteria["correct"] == ("It names the year.", "In digits.")
    assert known.prompts["passage-1"].written_by == "team"
    assert known.prompts["passage-2"].written_by == "paper"
    assert known.scale["correct"].label == "Right"
    assert stored(row).body == row.body


def test_saving_without_a_change_stores_nothing(client, admin):
    row = rubric_versions.current()
    answer = client.post(f"/studies/rubrics/{row.pk}/edit/", entries(row), follow=True)
    assert "Nothing new was stored." in answer.content.decode()
    assert Rubric.objects.count() == 1


def test_the_text_of_a_version_of_ones_own_is_not_saved_again(client, admin):
    row = rubric_versions.current()
    mine = entries(row, title="Mine")
    for sentence in ("Saved as version 2.", "Nothing new was stored."):
        answer = client.post(f"/studies/rubrics/{row.pk}/edit/", mine, follow=True)
        assert sentence in answer.content.decode()
    assert Rubric.objects.count() == 2


def test_the_second_of_two_edits_is_kept_in_the_form_and_saved_on_top(client, admin):
    row = rubric_versions.current()
    mine = entries(row, title="Mine")
    rubric_versions.save(edited(row), newest=1, by=admin)
    answer = client.post(f"/studies/rubrics/{row.pk}/edit/", mine)
    page = answer.content.decode()
    assert answer.status_code == 412
    assert "Version 2 was saved since you began." in page
    assert 'value="Mine"' in page
    client.post(f"/studies/rubrics/{row.pk}/edit/", {**mine, "newest": 2})
    assert rubric_versions.current().version == 3


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"passage-1:criteria_2": ""}, "Write when a response is correct, or refuse it."),
        ({"passage-1:warning_1": " "}, "Write the warning that judges read."),
        ({"passage-1:answer_1": ""}, "Choose the gold answers that judges compare with."),
        ({"passage-1:use_2": "refused", "passage-1:use_0": "refused"}, "Propose at least one verdict"),
        ({"label_1": "CORRECT"}, "Two verdicts have the same label."),
        ({"label_0": "correct", "label_2": "Right"}, "“correct” is the key of another verdict."),
        ({"title": ""}, "This field is required."),
    ],
)  # fmt: skip
def test_an_incomplete_rubric_is_refused_and_keeps_what_was_typed(client, admin, changed, sentence):
    row = rubric_versions.current()
    posted = entries(row, rules="Mind the dates.", **changed)
    answer = client.post(f"/studies/rubrics/{row.pk}/edit/", posted)
    page = answer.content.decode()
    assert answer.status_code == 400
    assert sentence in page
    assert "Mind the dates." in page
    assert Rubric.objects.count() == 1


def test_a_prompt_that_is_incomplete_is_not_saved_past_the_form():
    row = rubric_versions.current()
    body = edited(row)
    del body["prompts"]["passage-1"]["criteria"]["correct"]
    with pytest.raises(Refusal, match="no criteria for correct on the prompt passage-1"):
        rubric_versions.save(body, newest=1, by=make.judge("eve"))


def without(prompt: str) -> dict[str, object]:
    """The entries that leave a prompt out."""
    none = {f"{prompt}:use_{place}": "refused" for place in range(3)}
    return none | {f"{prompt}:criteria_{place}": "" for place in range(3)}


def test_a_study_refuses_a_rubric_with_nothing_on_one_of_its_prompts(client, admin):
    row = rubric_versions.current()
    client.post(f"/studies/rubrics/{row.pk}/edit/", entries(row, **without("passage-1")))
    saved = rubric_versions.current()
    assert "passage-1" not in saved.body["prompts"]
    assert "Nothing, or too little, on prompt 2." in " ".join(
        client.get(f"/studies/rubrics/{saved.pk}/").content.decode().split()
    )
    with pytest.raises(Refusal, match="has nothing on the prompt passage-1"):
        make.draft(rubric=saved)
    assert not Study.objects.exists()


def test_a_study_takes_the_version_that_is_chosen(client, admin):
    row = rubric_versions.current()
    saved = rubric_versions.save(edited(row), newest=1, by=admin)
    assert make.draft("New").rubric == saved
    run = Run.objects.get()
    chosen = {"name": "Old", "runs": [run.pk], "rubric": row.pk, "judges_per_response": 2}
    client.post(
        "/studies/new/",
        chosen | {"resolved_by": "third_person", "order": "grouped", "pairing": "rotation"},
    )
    assert Study.objects.get(name="Old").rubric == row


def test_an_edit_after_the_first_verdict_changes_nothing_for_the_study(admin):
    study = make.open_study(drawn_from=make.finished_run(instances=1, prompts=["passage-1"]))
    slot = make.slots(study, make.judge("alice"))[0]
    verdicts.give(slot, "correct")
    before = stored(study.rubric)
    assert before.locked_at
    body = edited(before)
    body["prompts"]["passage-1"]["proposed"] = ["correct"]
    rubric_versions.save(body, newest=1, by=admin)
    assert stored(study).rubric == before
    assert stored(before).body == before.body
    verdicts.give(verdicts.slot_of(slot.judge.person, slot.pk), "incorrect")


def test_a_verdict_that_the_studys_version_does_not_allow_is_refused(admin):
    body = edited(rubric_versions.current())
    body["prompts"]["passage-1"]["unusual"] = {}
    strict = rubric_versions.save(body, newest=1, by=admin)
    run = make.finished_run(instances=1, prompts=["passage-1"])
    study = make.open_study(drawn_from=run, rubric=strict)
    with pytest.raises(Refusal, match="Choose one of: correct, incorrect"):
        verdicts.give(make.slots(study, make.judge("alice"))[0], "partially correct")


def test_the_programs_file_is_not_current_again_after_a_person_saved_one(admin, monkeypatch):
    saved = rubric_versions.save(edited(rubric_versions.current()), newest=1, by=admin)
    newer = {**rubric.content(rubric_versions.PROGRAMS), "title": "From an update"}
    monkeypatch.setattr(rubric, "content", lambda name: newer)
    assert rubric_versions.written(rubric_versions.PROGRAMS).version == 3
    assert rubric_versions.current() == saved


def test_researchers_read_versions_and_do_not_edit(client):
    signed_in(client, person("dora", Role.RESEARCHER))
    row = rubric_versions.current()
    page = client.get("/studies/rubrics/").content.decode()
    assert "wikicontradict v1" in page
    page = client.get(f"/studies/rubrics/{row.pk}/").content.decode()
    assert "It gives the gold answer of passage 1" in page
    assert "Edit as a new version" not in page
    assert client.get(f"/studies/rubrics/{row.pk}/edit/").status_code == 403
