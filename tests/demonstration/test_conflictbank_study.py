"""ConflictBank in small, on the real parts: every setting asked of the embedded model, scored without judges."""

import json

import pytest

from accounts.roles import Role
from datasets.models import Collection
from demonstration.examples import CONFLICTBANK
from evaluation.frozen import snapshots
from generation import protocol_prompts, registry, runs
from generation.inference.embedded import SMOLLM2
from generation.models import Run
from tests.conflictbank import file_of_records, imported
from tests.demonstration.in_small import finished, scored, shown_alike
from tests.factories import person
from tests.generation.inference.test_embedded import model, served

__all__ = ["model", "served"]

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]

CAUSES = ("misinformation", "temporal", "semantic")
# How many of the twelve records are asked, as a call takes a second of a core. For figure 3, which is counted anew
# here, each order of the letters; for the other settings the first one, or two where the order is drawn.
COUNTED, SHUFFLED, OTHERS = 6, 2, 1
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
    """Finished runs of the embedded model: over the settings of figure 3, the shuffled and all other published ones."""
    prompts = protocol_prompts.of_protocol(of.protocol)
    published = {
        n: prompt for n, prompt in prompts.items() if prompt.tags.get("form") == "published"
    }
    chosen = [published.pop(name) for name in OF_FIGURE_3]
    shuffled = [published.pop(name) for name in [*published] if name.endswith("-shuffled")]
    options = {"temperature": 0, "max_tokens": 1}
    whom, _ = registry.add_probed("embedded", SMOLLM2, options, systems=("",))
    made = []
    others = list(published.values())
    for asked, limit in ((chosen, COUNTED), (shuffled, SHUFFLED), (others, OTHERS)):
        run, left_out = runs.create(collection=of, models=[whom], prompts=asked, limit=limit)
        assert (run.responses.count(), left_out) == (len(asked) * limit, [])
        made.append(finished(run))
    assert [len(of) for of in (chosen, shuffled, others)] == [5, 3, 10]
    return made


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


def test_a_study_in_small(model, client, tmp_path):
    run, drawn, others = answered(collection())
    study = scored([run, drawn, others])
    rosa = person("rosa", Role.RESEARCHER)
    snapshot, _ = snapshots.freeze(study, by=rosa)
    report = json.loads(snapshot.text)

    # What is counted here from the rows.
    assert of_report(report) == {cause: counted(run, cause) for cause in CAUSES}
    assert {row.drawn["order"][1] for row in drawn.responses.all()} >= {"default_evidence"}

    assert shown_alike(client, snapshot, rosa, tmp_path) > 100
