"""What people decided of a closed study, as JSON Lines for programs."""

import hashlib
import json

import pytest

from accounts.roles import Role
from accounts.tokens.scopes import Scope
from generation.models import Response
from judging import studies
from judging.files.human_verdicts import human_lines
from judging.files.predictions import import_predictions
from judging.models import Judge, Study
from leases.refusal import Conflict
from tests.accounts.factories import bearer
from tests.evaluation import factories as judged
from tests.factories import person
from tests.generation.elsewhere.factories import brought, instances_of, released, row_of
from tests.generation.elsewhere.factories import line as given
from tests.generation.factories import canals
from tests.judging import factories as make

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def closed(study):
    judged.resolve_all(study)
    studies.close_study(study)
    return study


def lines(study):
    return [json.loads(line) for line in human_lines(study)]


def test_each_judged_response_has_a_line_in_the_studys_order():
    study = closed(judged.judged_study())
    found, items = lines(study), list(study.items.order_by("position"))
    assert len(found) == len(items) == 24
    pseudonyms = set(Judge.objects.values_list("pseudonym", flat=True))
    for line, item in zip(found, items, strict=True):
        response, record = item.response, item.response.instance.contradiction.external_id
        assert line["row"] == f"{record}:1:{response.prompt}"
        assert line["record"] == record
        assert (line["model"], line["sample"]) == (response.model.model_id, 1)
        assert line["response_sha256"] == hashlib.sha256(response.text.encode()).hexdigest()
        assert (line["verdict"], line["resolved"]) == (item.resolution.verdict, item.resolution.how)
        assert line["rubric"]["sha256"] == study.rubric.sha256
        assert (line["study"], line["round"], line["excluded"]) == (study.name, 1, False)
        assert line["prompt_verified"] is None
        assert set(line["first"]) == pseudonyms
    assert {line["resolved"] for line in found} == {"unanimous", "third_person"}


def test_of_a_response_judged_again_the_first_verdicts_of_the_final_round_are_there():
    study = judged.judged_twice()
    found = lines(study)
    by_round = {n: [line for line in found if line["round"] == n] for n in (1, 2)}
    of_first, of_second = ({name for line in by_round[n] for name in line["first"]} for n in (1, 2))
    assert by_round[1]
    assert by_round[2]
    assert not of_first & of_second
    newer = {line["rubric"]["version"] for line in by_round[2]}
    assert newer == {1 + line["rubric"]["version"] for line in by_round[1]}


def test_nobody_is_named_and_no_judge_model_speaks():
    study = judged.judged_study()
    import_predictions(study, b"item,reply\n0,evaluation: incorrect\n", "GPT-4")
    closed(study)
    text = "".join(human_lines(study)).lower()
    for word in ("alice", "bob", "carol", "gpt-4", "read again", "=1+1"):
        assert word not in text


def test_excluded_questions_are_marked_and_other_prompts_have_no_row():
    study = closed(judged.judged_study())
    judged.exclude(study, 2)
    first = Response.objects.filter(study_items__study=study, study_items__position=0)
    first.update(prompt="both-passages-v2", prompt_hash="0" * 64)
    found = lines(study)
    assert sum(line["excluded"] for line in found) == 6
    assert [line["row"] for line in found].count(None) == 1
    assert found[0]["row"] is None


def test_responses_without_a_final_verdict_say_so():
    """Of six, nobody came to one, two lack a judge, and two wait for a third person."""
    study, agreed, _ = make.closed_early()
    found = lines(study)
    decided = {line["question"]: line["resolved"] for line in found if line["verdict"]}
    assert decided == {agreed.response.instance.question: "unanimous"}
    assert sorted(len(line["first"]) for line in found if not line["verdict"]) == [1, 1, 1, 2]
    assert {line["resolved"] for line in found if not line["verdict"]} == {None}


def test_a_response_made_elsewhere_has_the_hash_of_its_file():
    """Also where reasoning was parted from its text: the log that goes on still has both."""
    release = released(canals(2))
    text = "<think>Two of them.</think>One."
    rows = instances_of(release)
    run = brought(release, given(rows[0], text=text), given(rows[1], text=text, prompt_sha256=None))
    Response.objects.filter(run=run).update(text="One.", held=False)
    found = lines(judged.judge_all(make.open_study(drawn_from=run)) and closed(Study.objects.get()))
    assert {one["response_sha256"] for one in found} == {hashlib.sha256(text.encode()).hexdigest()}
    assert {one["row"]: one["prompt_verified"] for one in found} == {
        row_of(rows[0]): True,
        row_of(rows[1]): False,
    }


@pytest.mark.parametrize("state", ["open", "nobody judges"])
def test_a_study_without_decided_verdicts_has_no_such_file(client, state):
    designed = {"judges_per_response": 0} if state == "nobody judges" else {}
    study = make.draft(**designed)
    studies.open_study(study, [] if designed else [make.judge("alice"), make.judge("bob")])
    with pytest.raises(Conflict, match="once it is closed"):
        human_lines(study)
    client.force_login(person("dora", Role.RESEARCHER))
    assert "export/human/" not in client.get(f"/studies/{study.pk}/export/").content.decode()
    assert client.get(f"/studies/{study.pk}/export/human/").status_code == 409


def test_page_and_program_get_the_same_file(client):
    study = closed(judged.judged_study())
    headers = bearer(person("rita", Role.RESEARCHER), Scope.EXPORT)
    answer = client.get(f"/api/studies/{study.pk}/exports/human/", headers=headers)
    client.force_login(person("rosa", Role.RESEARCHER))
    page = client.get(f"/studies/{study.pk}/export/human/")
    assert b"".join(answer) == b"".join(page) == "".join(human_lines(study)).encode()
    assert page["Content-Disposition"] == 'attachment; filename="pilot-human.jsonl"'
    listed = client.get(f"/studies/{study.pk}/export/").content.decode()
    assert f"/studies/{study.pk}/export/human/" in listed
