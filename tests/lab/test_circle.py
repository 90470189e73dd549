"""The circle: a release, a scripted model under Inspect, its log read, judged by two, and their verdicts in a copy.

Programs of the lab do what docs/from-a-log.md says, with its own scripts. Skipped without LAB_ENVIRONMENT.
"""

import hashlib
import json
import re

import pytest
from sicetnon import Client

from accounts.roles import Role
from accounts.tokens import issuing
from accounts.tokens.scopes import scopes_of
from config.celery import app
from evaluation.tables import sentences
from generation.models import Run
from judging import studies
from judging.selections import Selection
from judging.studies import StudyDesign
from tests.evaluation.factories import resolve_all
from tests.factories import person
from tests.generation.elsewhere.factories import released
from tests.generation.factories import canals
from tests.judging.factories import judge
from tests.lab.programs import HERE, run

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = HERE.parents[1] / "docs" / "from-a-log.md"
PROMPT = "both-passages"


def blocks(kind: str) -> list[str]:
    """The page's blocks, about the release of the test."""
    found = re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return [block.replace("demonstration", "canals") for block in found]


@pytest.fixture
def folder(lab, tmp_path):
    """Of the lab, with the bundle of a release of 12 questions. SICETNON is set to the server."""
    made = tmp_path / "lab"
    made.mkdir()
    return made


@pytest.fixture
def program(lab, folder, live_server, monkeypatch):
    """Runs a script of the page with the token of an admin; what it prints."""
    admin = person("olga", Role.ADMIN, Role.RESEARCHER)
    monkeypatch.setenv("SICETNON", live_server.url)
    monkeypatch.setenv("SICETNON_TOKEN", token_of(admin))
    monkeypatch.setattr(app.conf, "task_always_eager", True)
    return lambda script, *arguments: run(folder, lab / "python", "-c", script, *arguments)


def token_of(who):
    return issuing.make(
        who, name="Script", scopes=scopes_of([grant.role for grant in who.grants.all()])
    )


def judged(run_, live_server):
    """A closed study of two judges, who differ on three of twelve and judge by programs of their own."""
    alice, bob = map(judge, ("alice", "bob"))
    made = studies.create("Lab", Selection([run_]), StudyDesign(seed=7), by=run_.created_by)
    studies.open_study(made, [alice, bob])
    for who, few in ((alice, 6), (bob, 3)):
        client = Client(live_server.url, token_of(who))
        while slot := client.next_slot(made.pk):
            reply = slot["response"]["text"]
            number = int(re.match(r"Reply (\d+)", reply)[1])
            client.verdict(slot, "correct" if number <= few else "incorrect")
    studies.close_study(made)
    resolve_all(made)
    return made


def test_the_circle(folder, program, lab, live_server):
    release = released(canals(12))
    take, send, back = blocks("python")
    unzip, _ = blocks("bash")
    assert program(take).strip() == "canals-1.0.zip"
    run(folder, "bash", "-c", unzip.replace("python ", f"{lab / 'python'} "))
    lines = (folder / "bundle/data/prompts.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {line["id"]: line for line in map(json.loads, lines) if line["prompt"] == PROMPT}
    assert len(rows) == 12
    run(folder, lab / "python", HERE / "run_answers.py")
    [log] = (folder / "logs").glob("*.eval")
    before = log.read_bytes()

    assert program(send).startswith("done ")
    made = Run.objects.get(release=release)
    assert made.responses.count() == 12
    assert set(made.responses.values_list("prompt_verified", flat=True)) == {True}

    study = judged(made, live_server)
    client = Client(live_server.url, token_of(made.created_by))
    [entry] = client.report(study.pk)["agreement"]["prompts"]
    # 9 of 12 agree; by chance (6 * 3 + 6 * 9) / 144 = 1/2.
    kappa = sentences.kappa_of(entry)
    assert (entry["n"], kappa["name"]) == (12, "cohen_kappa")
    assert kappa["value"] == pytest.approx(0.5)

    assert program(back).startswith("12 of the replies")
    human = [json.loads(line) for line in (folder / "human.jsonl").read_text().splitlines()]
    assert {line["row"] for line in human} == set(rows)
    assert {line["resolved"] for line in human} == {"unanimous", "third_person"}
    assert log.read_bytes() == before
    read = json.loads(run(folder, lab / "python", HERE / "read_copy.py", "judged/human.eval", log))
    assert read["status"] == "success"
    lines = {line["row"]: line for line in human}
    for sample in read["samples"]:
        line = lines[sample["row"]]
        assert hashlib.sha256(sample["reply"].encode()).hexdigest() == line["response_sha256"]
        assert sample["is_new"]
        score = sample["scores"]["human"]
        assert score["value"] == line["verdict"]
        assert score["metadata"]["first"] == line["first"]
        [edit] = score["history"]
        assert edit["provenance"]["author"] == "Sic et Non, study Lab"
        assert edit["provenance"]["metadata"]["log_sha256"] == hashlib.sha256(before).hexdigest()


def test_the_command_of_the_page_has_options_that_inspect_knows(folder, lab):
    """It is not run: without a network Inspect cannot count the tokens of its own scripted model."""
    _, ask = blocks("bash")
    known = run(folder, lab / "inspect", "eval", "--help")
    named = re.findall(r"--[a-z-]+", ask)
    assert {"--limit", "--no-score", "--log-dir"} < set(named)
    assert [option for option in named if option not in known] == []
