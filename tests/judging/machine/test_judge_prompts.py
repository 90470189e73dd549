"""The versions of the judge prompt: their pages, and the judge models that are started with them."""

import csv
import io

import pytest
from django.core.management import call_command
from django.urls import reverse
from pytest_django.asserts import assertContains, assertRedirects

from accounts.roles import Role
from evaluation.sections.study import study_report
from judging.machine import control, judge_prompts
from judging.machine.prompt import find_prompt
from judging.models import Judge, JudgePrompt
from leases.refusal import Conflict, NotFoundHere
from tests.factories import person, signed_in
from tests.generation.factories import echo
from tests.judging.factories import finished_run, hand_in, open_study
from tests.judging.machine.test_calls import judge_all

pytestmark = pytest.mark.django_db

PROMPT = ("both-passages",)
OTHER = (
    "Q {Question} G {Answer1} | {Answer2} R {LLM response}\n"
    "End with evaluation: correct, partially correct or incorrect."
)


@pytest.fixture
def ada(client):
    return signed_in(client, person("ada", Role.ADMIN))


def written(template=OTHER, **fields):
    entered = {"title": "Shorter", "source": "", "note": "", **fields}
    return judge_prompts.save(template=template, by=person("wanda", Role.ADMIN), **entered)


def study_of():
    return open_study(drawn_from=finished_run(prompts=PROMPT))


def test_the_first_version_is_the_programs_file_once():
    (first,) = judge_prompts.versions()
    (again,) = judge_prompts.versions()
    assert first == again
    assert (first.version, first.template, first.author) == (1, find_prompt().template, None)


def test_a_changed_text_is_the_next_version_and_the_same_text_is_refused():
    second = written()
    assert (second.version, judge_prompts.versions()[0]) == (2, second)
    same = {1: find_prompt().template, 2: OTHER.replace("\n", "\r\n")}  # line ends of a browser
    for version, text in same.items():
        with pytest.raises(Conflict, match=f"Version {version} has this text already. Change"):
            judge_prompts.save("T", text, source="", note="", by=second.author)
    assert JudgePrompt.objects.count() == 2


def test_an_unknown_version_is_not_found():
    with pytest.raises(NotFoundHere, match="no such version"):
        judge_prompts.numbered(9)


def test_an_admin_edits_a_version_as_the_next_one(client, ada):
    assertContains(client.get(reverse("judging:judge_prompts")), "Version 1")
    address = reverse("judging:judge_prompt_edit", args=[1])
    assertContains(client.get(address), "Please evaluate the response")
    fields = {"title": "Shorter", "template": OTHER, "source": "", "note": "Merged answers."}
    page = client.post(address, fields, follow=True)
    assertRedirects(page, reverse("judging:judge_prompt", args=[2]))
    assertContains(page, "Merged answers.")
    assertContains(page, "This text is version 2.")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"template": OTHER.replace("{Question}", "")}, "The text lacks {Question}."),
        ({"template": ""}, "This field is required"),
        ({"title": ""}, "This field is required"),
        ({"title": "x" * 121}, "at most 120 characters"),
        ({"template": find_prompt().template}, "Version 1 has this text already. Change the text."),
        ({"template": OTHER + "\x00"}, "Null characters are not allowed"),
    ],
)
def test_a_refused_version_keeps_what_was_typed(client, ada, fields, words):
    entered = {"title": "Mine", "template": OTHER, "source": "Kept", "note": "", **fields}
    page = client.post(reverse("judging:judge_prompt_edit", args=[1]), entered)
    assertContains(page, words, status_code=400)
    assertContains(page, "Kept", status_code=400)
    assert JudgePrompt.objects.count() == 1


def test_one_model_with_two_prompts_is_two_judges_that_tables_tell_apart(client, local, fake):
    fake.answer = lambda request: "evaluation: correct"
    study, model = study_of(), echo()
    first = control.begin(study, model)
    second = control.begin(study, model, asked_with=written())
    judge_all()
    assert first != second
    assert [first.pseudonym, second.pseudonym] == ["echo-1 (model)", "echo-1 (model, prompt v2)"]
    sent = [call["messages"][-1]["content"] for call in fake.calls]
    assert sum(text.startswith("Q When was abbey") for text in sent) == len(sent) / 2 == 4
    for name in ("alice", "bob"):
        hand_in(study, name)
    report = study_report(study)
    named = [(one["judge"], one["judge_prompt"]) for one in report["judge_models"]]
    assert named == [
        ("echo-1 (model)", "judge prompt v1"),
        ("echo-1 (model, prompt v2)", "judge prompt v2"),
    ]
    signed_in(client, person("rita", Role.RESEARCHER))
    text = b"".join(client.get(f"/reports/{study.pk}/replies.csv").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {(row["judge"], row["judge_prompt"]) for row in rows} == {
        ("echo-1 (model)", "1"),
        ("echo-1 (model, prompt v2)", "2"),
    }
    assert {row["reply"] for row in rows} == {"evaluation: correct"}
    assert {row["half"] for row in rows} == {"held_out", "development"}
    one = client.get(f"/reports/{study.pk}/replies.csv?judge_model={second.pk}")
    assert b"".join(one.streaming_content).count(b"evaluation: correct") == 4


def test_the_command_takes_a_version(local, fake):
    study = study_of()
    echo()
    written()
    call_command("judge_with_model", study.slug, "local/echo-1", "--judge-prompt", "1")
    call_command("judge_with_model", study.slug, "local/echo-1", "--half", "held-out")
    versions = Judge.objects.exclude(prompt=None).order_by("pk")
    assert list(versions.values_list("prompt__version", flat=True)) == [1, 2]
    assert [judge.machine_verdicts.count() for judge in versions] == [4, 2]


def test_what_the_model_is_sent_is_next_to_what_people_judge_by(client, local, fake):
    study = study_of()
    judge = control.begin(study, echo())
    signed_in(client, person("rita", Role.RESEARCHER))
    page = client.get(f"/reports/{study.pk}/judge-models/{judge.pk}/").content.decode()
    assert "Please evaluate the response to a question under relaxed evaluation" in page
    assert "either 117 years old or 115 years old" in page
    assert "On answers that are put together" in page
    criteria = study.rubric.body["prompts"]["both-passages"]["criteria"]["incorrect"]
    assert all(line in page for line in criteria)
    assert "Prompt 1:" not in page
    assert client.get(f"/reports/{study.pk}/judge-models/999999/").status_code == 404
    person_judge = study.judges.get(person__username="alice")
    assert client.get(f"/reports/{study.pk}/judge-models/{person_judge.pk}/").status_code == 404
