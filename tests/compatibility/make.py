"""Make what a version leaves behind: a backup with a release's files, and a frozen report's zip.

Of a small part of the demonstration.

    python tests/compatibility/make.py FOLDER [--program PATH]

PATH is a working tree of the version, this one unless given. Keys, times and addresses are drawn anew each time, so
files of a version that was released are never made again.
"""

import argparse
import importlib
import json
import os
import sys
import tempfile
import zipfile
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parents[2]
# As in tests/settings.py and tests/factories.py, of which an older version may lack what is used here.
SECRET_KEY = "for-tests-only-" + "0" * 50
PASSWORD = "a long way to Canossa"
TITLES = {"Corvay", "Hollis Veyne", "The Lamplighters", "Weirgate Bridge"}
# In the open study, whose run has two responses: the items that each judge has judged.
JUDGED = {"carys": 1, "dmitri": 1}

# A table as a spreadsheet has it, and the field of each column.
RECORDS = """\
asked,one says,other says,one,other
How long is the river?,12 km,15 km,The river is 12 km long.,The river has a length of 15 km.
When was the mill built?,1850,1851,The mill was built in 1850.,The mill is of 1851.
"""
FIELDS = ("question", "answer_1", "answer_2", "passage_1_copied", "passage_2_copied")
COLUMNS = dict(zip(RECORDS.splitlines()[0].split(","), FIELDS, strict=True))
# Of the lines of the bundle, the first of which is of the prompt that is not verified.
ANSWERED = 3
LAB = "Lab"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--program", type=Path, default=HERE)
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sicetnon-") as data_dir:
        begin(options.program.resolve(), data_dir)
        load_small(Path(data_dir))
        let_sign_in()
        if options.program.resolve() == HERE:
            publish(folder)
        back_up(folder, Path(data_dir))


def begin(program: Path, data_dir: str) -> None:
    """Django with the version's own settings, on a new SQLite file with its tables."""
    os.chdir(program)
    sys.path[0] = str(program)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATA_DIR": data_dir,
        "DATABASE_URL": f"sqlite:///{data_dir}/db.sqlite3",
        "SECRET_KEY": SECRET_KEY,
    }
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", interactive=False, verbosity=0)


def load_small(folder: Path) -> None:
    """The demonstration with the articles of TITLES alone."""
    data = {
        "annotations": ("ANNOTATIONS", ("annotations", "skipped")),
        "recorded_responses": ("RESPONSES", ("responses",)),
        "recorded_verdicts": ("VERDICTS", ("verdicts",)),
    }
    loading = importlib.import_module("demonstration.loading")
    every = loading.pages
    with ExitStack() as stack:
        for name, (constant, lists) in data.items():
            module = importlib.import_module(f"demonstration.{name}")
            small = filtered(getattr(module, constant), lists, folder)
            stack.enter_context(mock.patch.object(module, constant, small))
            if name == "recorded_verdicts":
                stack.enter_context(mock.patch.object(module, "JUDGED_SO_FAR", JUDGED))
        of_them = [page for page in every() if page.title in TITLES]
        stack.enter_context(mock.patch.object(loading, "pages", return_value=of_them))
        print(loading.load())


def filtered(path: Path, lists: tuple[str, ...], folder: Path) -> Path:
    """A copy of one of the demonstration's files, of these articles alone."""
    whole = json.loads(path.read_text(encoding="utf-8"))
    for name in lists:
        whole[name] = [entry for entry in whole[name] if entry["title"] in TITLES]
    small = folder / f"{path.stem}.part"
    small.write_text(json.dumps(whole), encoding="utf-8")
    return small


def let_sign_in() -> None:
    from accounts.models import Person

    for person in Person.objects.order_by("pk"):
        person.set_password(PASSWORD)
        person.save()


def publish(folder: Path) -> None:
    """Give the frozen report and the release their addresses; the report's zip goes into the folder.

    And records of a protocol come in, and files as people send them.
    """
    from django.core.management import call_command
    from django.test import Client

    from accounts.models import Person
    from datasets.models import Release
    from datasets.releasing import publishing as releases
    from evaluation.frozen import publishing as reports
    from evaluation.models import ReportSnapshot

    call_command("load_example", "conflictbank")
    fenna = Person.objects.get(username="demo.fenna")
    report, release = ReportSnapshot.objects.get(), Release.objects.get()
    bring_in(release, fenna)
    judge_what_came(fenna)
    reports.publish(report, by=fenna)
    releases.publish(release, by=fenna, name="of-1-0")
    client = Client(headers={"host": "127.0.0.1:8000"})
    client.force_login(fenna)
    zipped = client.get(f"/reports/snapshots/{report.pk}/report.zip")
    assert zipped.status_code == 200
    (folder / "report.zip").write_bytes(zipped.content)


def bring_in(release, by) -> None:
    """Import records, and responses to the release's prompts, the first of them not verified."""
    from django.core.files.base import ContentFile

    from datasets.importers import import_jobs
    from datasets.importers.csv_files.choices import settled
    from datasets.releasing.stored_files import path_of

    def sent(file, **asked) -> None:
        job = import_jobs.begin(file=file, by=by, **asked)
        import_jobs.carry_out(job.pk)
        job.refresh_from_db()
        assert job.state == "done", job.error

    table = ContentFile(RECORDS.encode(), "river.csv")
    asked = {"collection_name": "river", "format": "csv", "part": ""}
    options = settled(table, file_name=table.name, options={"columns": COLUMNS}, **asked)
    sent(table, options=options, **asked)
    bundle = zipfile.ZipFile(path_of(release.files.get(format="bundle").sha256))
    rows = [json.loads(line) for line in bundle.read("data/prompts.jsonl").splitlines()[:ANSWERED]]
    lines = ContentFile("\n".join(map(line_of, rows)).encode(), "replies.jsonl")
    options = {"release": release.version, "name": LAB}
    sent(lines, kind="responses", collection_name=release.collection.name, options=options)


def judge_what_came(by) -> None:
    """The run made elsewhere is judged, and its report frozen."""
    from evaluation.frozen import snapshots
    from generation.models import Run
    from judging import studies, verdicts
    from judging.selections import Selection

    design = studies.StudyDesign(seed=1121)
    study = studies.create(LAB, Selection([Run.objects.get(name=LAB)]), design, by=by)
    judges = [type(by).objects.get(username=f"demo.{name}") for name in JUDGED]
    studies.open_study(study, judges)
    for judge in judges:
        for slot in verdicts.slots_of(judge).filter(round__study=study):
            verdicts.give(slot, "correct", comment="As the passage has it.")
        verdicts.hand_in(judge, study)
    studies.close_study(study)
    snapshots.freeze(study, by=by)


def line_of(row: dict) -> str:
    """A line of responses made elsewhere."""
    is_first = row["prompt"] == "internal-knowledge"
    known = {} if is_first else {"prompt_sha256": row["prompt_sha256"]}
    text = f"The answer is {row['gold'][0]}."
    made = {"options": {"temperature": 0}, "raw": text, "finish_reason": "stop"}
    return json.dumps({"row": row["id"], "model": "lab/llm-7b", "text": text, **made, **known})


def back_up(folder: Path, data_dir: Path) -> None:
    """As `manage.py backup` makes it, with parts packed tighter: the signature is over what they hold."""
    from operations import backups

    made = backups.make(data_dir / "backups").path
    with (
        zipfile.ZipFile(made) as old,
        zipfile.ZipFile(folder / "backup.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new,
    ):
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name), old.read(name), zipfile.ZIP_DEFLATED)


main()
