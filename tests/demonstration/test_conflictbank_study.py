"""ConflictBank in small, on the real parts: every setting asked of the embedded model, scored without judges."""

import html
import io
import json
import re
import zipfile
from collections import Counter

import pytest

from accounts.roles import Role
from datasets.models import Collection
from demonstration.examples import CONFLICTBANK
from evaluation.frozen import publishing, snapshots
from generation import protocol_prompts, registry, runs
from generation.asking.runqueue import RunQueue
from generation.asking.turn import take_turn
from generation.inference.embedded import SMOLLM2
from generation.models import Run
from generation.states import RunState
from judging import studies
from judging.models import Study
from judging.selections import Selection
from judging.studies import StudyDesign
from tests.conflictbank import file_of_records, imported
from tests.evaluation.archive.test_bundles import run_python
from tests.factories import person, signed_in, stored
from tests.generation.inference.test_embedded import model, served

__all__ = ["model", "served"]

pytestmark = [pytest.mark.model, pytest.mark.once, pytest.mark.django_db(transaction=True)]

CAUSES = ("misinformation", "temporal", "semantic")
# How many of the twelve records are asked, as a call takes half a second. For figure 3, which is counted anew here,
# each order of the letters; for the other settings the first ones.
COUNTED, OTHERS = 6, 2
OF_FIGURE_3 = ("no-evidence", "default", *CAUSES)


def shortened(record: dict) -> dict:
    """With little evidence, which the model reads in a tenth of the time: of the default one the first words."""
    claims = {f"{cause}_conflict_evidence": f"{cause}_conflict_claim" for cause in CAUSES[1:]}
    claims["misinformation_conflict_evidence_evidence"] = "misinformation_conflict_claim"
    short = {name: record[claim] for name, claim in claims.items()}
    return record | short | {"default_evidence": " ".join(record["default_evidence"].split()[:20])}


def collection() -> Collection:
    lines = CONFLICTBANK.paths[0].read_text(encoding="utf-8").splitlines()
    return imported(file_of_records(*(shortened(json.loads(line)) for line in lines))).collection


def answered(of: Collection) -> list[Run]:
    """Two finished runs of the embedded model: over the settings of figure 3, and over the other published ones."""
    prompts = protocol_prompts.of_protocol(of.protocol)
    published = {
        n: prompt for n, prompt in prompts.items() if prompt.tags.get("form") == "published"
    }
    chosen = [published.pop(name) for name in OF_FIGURE_3]
    options = {"temperature": 0, "max_tokens": 1}
    whom, _ = registry.add_probed("embedded", SMOLLM2, options, systems=("",))
    made = []
    for asked, limit in ((chosen, COUNTED), (list(published.values()), OTHERS)):
        run, left_out = runs.create(collection=of, models=[whom], prompts=asked, limit=limit)
        assert (run.responses.count(), left_out) == (len(asked) * limit, [])
        made.append(finished(run))
    assert len(chosen) + len(published) == 18
    return made


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


def right(run: Run, prompt: str, field: str = "correct_option") -> set[int]:
    """The questions to which this prompt brought the letter in this field of the record."""
    rows = run.responses.filter(prompt=f"conflictbank-{prompt}").select_related(
        "instance__contradiction"
    )
    return {row.instance_id for row in rows if row.text == row.instance.contradiction.fields[field]}


def counted(run: Run, prompt: str) -> dict[str, tuple]:
    """Of the settings of figure 3: (k, n) of OAR and CAR, and MR."""
    known = right(run, "no-evidence") & right(run, "default")
    k = len(known & right(run, prompt))
    counter = len(known & right(run, prompt, "replace_option"))
    mr = k / (k + counter) if k + counter else None
    return {"oar": (k, len(known)), "car": (counter, len(known)), "mr": mr}


def of_report(report: dict) -> dict[str, dict]:
    """The figures of figure 3 as the report has them, by the prompt."""
    table = next(one for one in report["scores"]["tables"] if one["name"] == "figure-3")
    found: dict[str, dict] = {}
    for figure in table["figures"]:
        column = table["columns_shown"][figure["column"]]
        if column["kind"] == "value":
            of_cause = found.setdefault(column["values"][0], {})
            is_ratio = figure["measure"] == "mr"
            of_cause[figure["measure"]] = (
                figure["value"] if is_ratio else (figure["k"], figure["n"])
            )
    return found


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
    tables = part.split('<section aria-labelledby="scores-')[1:]
    cells = (
        cell
        for table in tables
        for cell in re.findall(r"<td class=\"num\">(.*?)</td>", table, re.DOTALL)
    )
    return Counter(_read(cell) for cell in cells)


def _read(cell: str) -> tuple[str, str]:
    value, *rest = cell.split("<span", 1)
    counts = re.search(r'class="share">(.*?)</span>', "".join(rest), re.DOTALL)
    return _plain(value), _plain(counts[1]) if counts else ""


def _plain(text: str) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]*>", "", text).split()))


def test_a_study_in_small(model, client, tmp_path):
    run, others = answered(collection())
    study = scored([run, others])
    rosa = person("rosa", Role.RESEARCHER)
    snapshot, _ = snapshots.freeze(study, by=rosa)
    report = json.loads(snapshots.text_of(snapshot))

    # What is counted here from the rows.
    assert of_report(report) == {cause: counted(run, cause) for cause in CAUSES}
    shuffled = others.responses.filter(prompt__endswith="-shuffled")
    assert {row.drawn["order"][1] for row in shuffled} >= {"default_evidence"}

    # The page, the published page, and the zip that counts again by itself.
    signed_in(client, rosa)
    expected = numbers_of(report)
    page = client.get(f"/reports/snapshots/{snapshot.pk}/").content.decode()
    data = client.get(f"/reports/snapshots/{snapshot.pk}/report.zip").content
    publishing.publish(snapshot, by=rosa)
    client.logout()
    snapshot.refresh_from_db()
    published = client.get(f"/published/{snapshot.pk}/{snapshot.token}/").content.decode()
    assert numbers_on(page) == numbers_on(published) == expected
    assert sum(expected.values()) > 100
    zipfile.ZipFile(io.BytesIO(data)).extractall(tmp_path)
    done = run_python(tmp_path, "recompute.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all equal" in done.stdout
