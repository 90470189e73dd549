"""Studies over invented records of ConflictBank, as plain functions."""

import io
import json
from collections.abc import Sequence

from accounts.models import Person
from accounts.roles import Role
from datasets.importers.formats import format_for
from datasets.importers.import_files import import_file
from datasets.models import Collection, Instance
from generation import protocol_prompts, runs
from generation.models import Run
from generation.prompts.prompting import Prompt
from judging import rubric_versions, studies
from judging.models import Study
from judging.selections import Selection
from judging.studies import StudyDesign
from protocols.installed import install
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
    rubric = design.pop("rubric", None) or rubric_versions.current("conflictbank")
    asked = StudyDesign(**{"seed": 7, "rubric": rubric, **design})
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


MANY = """
[protocol]
name = "many"
version = 1
title = "Answers from many passages"
source = "Invented"
licence = "Apache-2.0"
[file]
shape = "lines"
[item]
title = "title"
question = "question"
cluster = "title"
[[field]]
name = "title"
[[field]]
name = "question"
[[field]]
name = "answer"
type = "passage"
{fields}
[[prompt]]
name = "follows"
label = "M 1"
title = "Does the answer follow from the passages?"
answer = "given"
given = "answer"
by = "Ottoline Marsh"
shows = {shows}
origin = "ours"
text = "Does the answer follow from these passages?"
[[rubric]]
name = "yes-no"
title = "Follows or not"
source = "Invented"
verdicts = [{{ key = "no", label = "No" }}, {{ key = "yes", label = "Yes" }}]
[rubric.criteria.follows]
yes = ["Whoever believes the passages must believe it."]
no = ["They leave it open, or speak against it."]
"""


def many_passages(texts: Sequence[str], *usernames: str) -> Study:
    """An open study of two given answers, each next to these passages."""
    names = [f"passage_{n}" for n in range(1, len(texts) + 1)]
    fields = "".join(f'[[field]]\nname = "{name}"\ntype = "passage"\n' for name in names)
    text = MANY.format(fields=fields, shows=json.dumps(names))
    protocol, _ = install(text.encode(), "many.toml")
    passages = dict(zip(names, texts, strict=True))
    records = [
        {"title": f"Mill {n}", "question": f"Who built mill {n}?", "answer": f"{texts[0]} {n}"}
        | passages
        for n in (1, 2)
    ]
    importer, of = format_for("many", "many")
    file = io.BytesIO(conflictbank.file_of_records(*records))
    made = import_file(importer=importer, protocol=of, file=file, collection_name="many").collection
    asked = list(protocol_prompts.of_protocol(protocol).values())
    run, _ = runs.create(collection=made, models=[], prompts=asked)
    study = draft(
        run, "Many", rubric=rubric_versions.current("many"), judges_per_response=len(usernames)
    )
    studies.open_study(study, [make.judge(name) for name in usernames])
    return study
