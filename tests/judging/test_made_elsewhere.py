"""Responses made elsewhere are judged like others; a study keeps their run from being removed."""

import csv
import io
import json

import pytest

from accounts.roles import Role
from generation.elsewhere import undoing
from generation.models import Response
from judging import studies
from judging.files import studyfile
from judging.files.human_verdicts import human_lines
from judging.models import Study
from judging.selections import Selection
from judging.studies import StudyDesign
from leases.refusal import Conflict
from tests.factories import person, signed_in
from tests.generation.elsewhere.factories import brought, instances_of, line, released, row_of
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


def test_a_run_that_a_study_uses_stays_and_the_study_is_named():
    run, admin = brought(released()), person("olga", Role.ADMIN)
    study = studies.create("Pilot", Selection([run]), StudyDesign(), by=admin)
    with pytest.raises(Conflict, match="are used: draft study Pilot"):
        undoing.hide(run.pk)
    studies.discard(study, by=admin)
    undoing.hide(run.pk)


@pytest.mark.both
@pytest.mark.parametrize("step", ["new_seed", "_rubric"])
def test_no_study_takes_responses_of_a_run_that_is_removed_meanwhile(step, monkeypatch):
    run, admin = brought(released()), person("olga", Role.ADMIN)
    seed, rubric_of = studies.new_seed, studies._rubric
    steps = {
        "new_seed": lambda: hide() or seed(),
        "_rubric": lambda *of: [rubric_of(*of), hide()][0],
    }

    def hide():
        undoing.hide(run.pk)

    monkeypatch.setattr(studies, step, steps[step])
    with pytest.raises(Conflict, match="undone a moment ago"):
        studies.create("Pilot", Selection([run]), StudyDesign(), by=admin)
    assert not Study.objects.exists()


def one_unverified():
    """A closed run of three responses, the first with a prompt that is not verified."""
    release = released()
    first, *others = instances_of(release)
    lines = [line(first, prompt_sha256=None), *map(line, others)]
    return brought(release, *lines, name="Lab")


def opened(run):
    admin = person("olga", Role.ADMIN)
    study = studies.create("Pilot", Selection([run]), StudyDesign(seed=7), by=admin)
    studies.open_study(study, [judging.judge(name) for name in ("alice", "bob")])
    return study


def test_who_plans_a_study_sees_that_a_prompt_is_not_verified(client):
    run, olga = one_unverified(), signed_in(client, person("olga", Role.ADMIN))
    asked = client.get("/studies/new/").content.decode()
    assert "3 finished responses, 1 with a prompt that is not verified" in asked
    Response.objects.filter(pk=run.responses.last().pk).update(held=True)
    asked = client.get("/studies/new/").content.decode()
    assert "2 finished responses, 1 held, 1 with a prompt" in asked
    study = studies.create("Pilot", Selection([run]), StudyDesign(), by=olga)
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "<dt>Prompt not verified</dt>" in page


def test_a_judge_does_not_see_that_a_prompt_is_not_verified(client):
    study = opened(one_unverified())
    alice = signed_in(client, judging.judge("alice"))
    for slot in judging.slots(study, alice):
        page = client.get(f"/judge/slots/{slot.pk}/").content.decode()
        assert slot.item.response.text in page
        assert "verified" not in page


def test_files_say_which_prompts_are_not_verified():
    run = one_unverified()
    study = opened(run)
    for name in ("alice", "bob"):
        judging.hand_in(study, name)
    studies.close_study(study)
    keys = {instance.contradiction.external_id for instance in instances_of(run.release)[:1]}
    whole = json.loads("".join(studyfile.json_chunks(study)))["items"]
    [*rows] = csv.DictReader(io.StringIO("".join(studyfile.csv_chunks(study))))
    people = [json.loads(text) for text in human_lines(study)]
    assert {item["contradiction"] for item in whole if not item["prompt_verified"]} == keys
    assert {row["contradiction"] for row in rows if row["prompt_verified"] == "no"} == keys
    assert {entry["record"] for entry in people if not entry["prompt_verified"]} == keys
    assert {entry["row"] for entry in people} == {row_of(one) for one in instances_of(run.release)}
    Response.objects.update(prompt_verified=None)
    assert "prompt_verified" not in "".join(studyfile.json_chunks(study))
