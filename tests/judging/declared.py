"""Studies over invented records of ConflictBank, as plain functions."""

from collections.abc import Sequence

from accounts.models import Person
from accounts.roles import Role
from datasets.models import Collection, Instance
from generation import protocol_prompts, runs
from generation.models import Run
from generation.prompts.prompting import Prompt
from judging import rubric_versions, studies
from judging.models import Study
from judging.selections import Selection
from judging.studies import StudyDesign
from tests import conflictbank
from tests.factories import person
from tests.judging import factories as make

AUTHOR = "LLaMA-3-70B-Instruct"
CHECKED = ("entails-default", "contradicts-misinformation")


def prompts() -> dict[str, Prompt]:
    return protocol_prompts.of_protocol(conflictbank.protocol())


def given_run(n: int = 2, names: Sequence[str] = CHECKED) -> Run:
    """A finished run of given texts of n records."""
    return run_over(conflictbank.collection(n), names)


def run_over(of: Collection, names: Sequence[str] = CHECKED) -> Run:
    asked = [prompts()[name] for name in names]
    return runs.create(collection=of, models=[], prompts=asked)[0]


def draft(run: Run | None = None, name: str = "Check", **design: object) -> Study:
    run = run or given_run()
    admin = Person.objects.filter(username="admin").first() or person("admin", Role.ADMIN)
    asked = StudyDesign(**{"seed": 7, "rubric": rubric_versions.current("conflictbank"), **design})
    return studies.create(name, Selection([run]), asked, by=admin)


def open_study(*usernames: str, run: Run | None = None, **design: object) -> Study:
    """An open study of given texts with these judges (alice and bob by default)."""
    study = draft(run, **design)
    studies.open_study(study, [make.judge(name) for name in usernames or ("alice", "bob")])
    study.refresh_from_db()
    return study


def answered(prompt: str, **fields: object) -> Run:
    """A run of one prompt over one record that a model has answered."""
    of = conflictbank.collection(1)
    run = make.run("answered")
    Run.objects.filter(pk=run.pk).update(collection=of)
    about = Instance.objects.get(contradiction__collection=of)
    make.response(run, about, prompts()[prompt].name, make.language_model(), **fields)
    return Run.objects.get(pk=run.pk)
