"""What studies in small have in common: a run that ends, a study that nobody judges, a report that is read again."""

import html
import io
import json
import re
import zipfile
from collections import Counter
from pathlib import Path

from django.test import Client

from accounts.models import Person
from accounts.roles import Role
from evaluation.frozen import publishing
from evaluation.models import ReportSnapshot
from generation import runs
from generation.asking.runqueue import RunQueue
from generation.asking.turn import take_turn
from generation.models import Run
from generation.states import RunState
from judging import studies
from judging.models import Study
from judging.selections import Selection
from judging.studies import StudyDesign
from tests.evaluation.archive.test_bundles import run_python
from tests.factories import person, signed_in, stored


def finished(run: Run) -> Run:
    runs.start(run)
    queue = RunQueue(run)
    while Run.objects.get(pk=run.pk).state == RunState.RUNNING:
        if not take_turn("embedded", [queue], seconds=60):
            queue.sweep()
    assert set(run.responses.values_list("state", flat=True)) == {"done"}
    return run


def scored(of: list[Run]) -> Study:
    design = StudyDesign(judges_per_response=0)
    study = studies.create("Small", Selection(of), design, by=person("olga", Role.ADMIN))
    studies.open_study(study, [])
    return stored(study)


def numbers_of(report: dict) -> Counter:
    """Each figure of each table as pages write it: value, and k/n or n."""
    return Counter(
        (_value(figure), _counts(figure))
        for table in report["scores"]["tables"]
        for figure in table["figures"]
    )


def _value(figure: dict) -> str:
    if figure["value"] is None:
        return "–"
    value = f"{figure['value'] * (1 if figure['measure'] == 'entropy' else 100):.2f}"
    return value.replace("-", "\N{MINUS SIGN}")


def _counts(figure: dict) -> str:
    if figure["n"] is None:
        return ""
    return f"n = {figure['n']}" if figure["k"] is None else f"{figure['k']}/{figure['n']}"


def numbers_on(page: str) -> Counter:
    """The same, read from a page."""
    part = page[page.index('id="scores"') : page.index("Notes of the protocol")]
    tables = re.findall(
        r'<section class="scores" aria-labelledby="scores-.*?</section>', part, re.DOTALL
    )
    cells = (
        cell
        for table in tables
        for cell in re.findall(r"<td class=\"num\">(.*?)</td>", table, re.DOTALL)
    )
    return Counter(_read(cell) for cell in cells)


def _read(cell: str) -> tuple[str, str]:
    value, *rest = cell.split("<span", 1)
    counts = re.search(r'class="share">(.*?)</span>|>(n = \d+)<', "".join(rest), re.DOTALL)
    return _plain(value), _plain(counts[1] or counts[2]) if counts else ""


def _plain(text: str) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]*>", "", text).split()))


def shown_alike(client: Client, snapshot: ReportSnapshot, by: Person, folder: Path) -> int:
    """How many figures of scores there are, after the frozen report, its page, its published page and its zip, which
    counts again by itself, were found to have the same ones.
    """
    expected = numbers_of(json.loads(snapshot.text))
    signed_in(client, by)
    page = client.get(f"/reports/snapshots/{snapshot.pk}/").content.decode()
    data = client.get(f"/reports/snapshots/{snapshot.pk}/report.zip").content
    publishing.publish(snapshot, by=by)
    client.logout()
    snapshot.refresh_from_db()
    published = client.get(f"/published/{snapshot.pk}/{snapshot.token}/").content.decode()
    assert numbers_on(page) == numbers_on(published) == expected
    zipfile.ZipFile(io.BytesIO(data)).extractall(folder)
    done = run_python(folder, "recompute.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all equal" in done.stdout
    return sum(expected.values())
