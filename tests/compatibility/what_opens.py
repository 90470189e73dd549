"""Prints as JSON what people find where a backup of make.py was restored: who signs in, what opens, hashes of files.

In a process of its own, with the program's settings: python -m tests.compatibility.what_opens
"""

import hashlib
import io
import json
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import django

django.setup()

from django.contrib.auth import authenticate  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from accounts.models import Person  # noqa: E402
from annotation.models import Annotation  # noqa: E402
from datasets.importers import import_jobs  # noqa: E402
from datasets.models import Collection, ImportJob, Publication, ReleaseFile  # noqa: E402
from datasets.releasing.verifying import problems  # noqa: E402
from evaluation.models import ReportSnapshot  # noqa: E402
from generation.models import Response, Run  # noqa: E402
from judging.models import JudgingSlot  # noqa: E402
from leases.refusal import Conflict  # noqa: E402
from tests.factories import PASSWORD  # noqa: E402

ADMIN, ANNOTATOR, JUDGE = "demo.fenna", "demo.odile", "demo.carys"
FORMATS = ("complete-json", "wikicontradict-csv", "wikicontradict-json")
HERE = "/collections/demonstration/"
RELEASE, REPORT = f"{HERE}releases/1.0/", "/reports/snapshots/1/"


def main() -> None:
    # As the changelog of 1.0.0 asks for: releases of 0.2.0 have no stored files.
    call_command("verify_release", write=True, stdout=io.StringIO())
    files = ReleaseFile.objects.order_by("pk")
    found = {
        "signed in": [
            name for name in (ADMIN, JUDGE) if authenticate(None, username=name, password=PASSWORD)
        ],
        "problems": [text for file in files for text in problems(file.release)],
        "unopened": [
            (who, address, status)
            for who, addresses in pages().items()
            for address, (status, _) in ((one, opened(one, who)) for one in addresses)
            if status != 200
        ],
        "reports": [
            opened(f"/reports/snapshots/{key}.json")
            for key in ReportSnapshot.objects.order_by("pk").values_list("pk", flat=True)
        ],
        "files": {file.name: opened(f"{RELEASE}files/{file.format}/") for file in files},
        "public": {address: opened(address, "") for address in public()},
        "not verified": list(
            Response.objects.filter(prompt_verified=False).values_list("prompt", flat=True)
        ),
        "imports": {job.kind: undone(job) for job in ImportJob.objects.order_by("pk")},
        "again": again(),
    }
    print(json.dumps(found))


def pages() -> dict[str, list[str]]:
    """By person, the addresses to open: of annotation, a study, a report, and of the collection's files."""
    work = Annotation.objects.filter(author__username=ANNOTATOR).order_by("pk").first()
    slot = JudgingSlot.objects.filter(judge__person__username=JUDGE, round__study=2).first()
    return {
        ADMIN: [
            *("/", "/campaigns/1/", "/campaigns/1/export/", "/reviews/", "/reports/campaigns/1/"),
            *(
                f"/collections/{name}/"
                for name in Collection.objects.values_list("name", flat=True)
            ),
            *(f"{HERE}questions/", f"{HERE}export/", RELEASE),
            *(f"{HERE}export/{name}/" for name in FORMATS),
            *("/runs/1/", "/runs/1/responses/", "/studies/", "/studies/1/", "/studies/1/export/"),
            *("/reports/1/", "/reports/1/rows/", REPORT, f"{REPORT}report.zip", f"{REPORT}paper/"),
            *(address for report in ReportSnapshot.objects.all() for address in of_report(report)),
            *(f"/imports/{key}/" for key in ImportJob.objects.values_list("pk", flat=True)),
            *(f"/runs/{run.pk}/responses/" for run in Run.objects.exclude(release=None)),
        ],
        ANNOTATOR: ["/annotate/", f"/annotate/{work.assignment_id}/"],
        JUDGE: ["/judge/", "/judge/2/", f"/judge/slots/{slot.pk}/"],
    }


def of_report(report: ReportSnapshot) -> list[str]:
    """It, its comparison with the report as it is now, and the verdicts of its closed study."""
    study = report.study_id
    return [
        f"/reports/snapshots/{report.pk}/",
        f"/reports/{study}/next-to/?with=snapshot-{report.pk}",
        f"/studies/{study}/export/human/",
    ]


def undone(job: ImportJob) -> str:
    """The state of the import after somebody has asked to undo it; what a study uses stays."""
    with suppress(Conflict):
        import_jobs.undo(job, Person.objects.get(username=ADMIN))
    job.refresh_from_db()
    return job.state


def public() -> list[str]:
    reports = ReportSnapshot.objects.filter(public=True)
    releases = Publication.objects.filter(withdrawn_at=None)
    return [
        *(f"/published/{report.pk}/{report.token}/report.json" for report in reports),
        *(f"/data/{one.token}/{one.version}/" for one in releases),
    ]


def opened(address: str, who: str = ADMIN) -> tuple[int, str]:
    """The answer's status, and the sha256 of its body."""
    client = Client(headers={"host": "127.0.0.1:8000"})
    if who:
        client.force_login(Person.objects.get(username=who))
    answer = client.get(address)
    body = b"".join(answer) if answer.streaming else answer.content
    return answer.status_code, hashlib.sha256(body).hexdigest()


def again() -> str:
    """The sha256 of the complete form of the release, after it came in as a collection and was exported."""
    client = Client(headers={"host": "127.0.0.1:8000"})
    client.force_login(Person.objects.get(username=ADMIN))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "complete.json"
        path.write_bytes(b"".join(client.get(f"{RELEASE}files/complete-json/")))
        call_command("import_dataset", "complete-json", path, collection="again", stdout=sys.stderr)
        call_command("export_dataset", "again", format="complete-json", out=path, stdout=sys.stderr)
        return hashlib.sha256(path.read_bytes()).hexdigest()


main()
