"""KNOT in small, on the real parts: the embedded model answers from invented passages, with and without an example."""

import json
import re

import pytest

from accounts.roles import Role
from datasets.models import Collection
from demonstration import examples
from demonstration.examples import KNOT, load
from evaluation.frozen import snapshots
from generation import protocol_prompts, registry, runs
from generation.inference.embedded import SMOLLM2
from generation.models import Run
from tests.demonstration.in_small import finished, scored, shown_alike
from tests.factories import person, signed_in
from tests.generation.inference.test_embedded import model, served

__all__ = ["model", "served"]

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]

ASKED = ("b1-0", "b1-1", "opinion-1")
LEVELS = ("simple", "explicit", "implicit")


@pytest.fixture
def example(tmp_path, monkeypatch) -> Collection:
    """That of KNOT with half of each passage, as most of the time goes into reading them."""
    folder = tmp_path / KNOT.protocol
    folder.mkdir()
    for path in KNOT.paths:
        whole = json.loads(path.read_text(encoding="utf-8"))
        for record in whole["examples"]:
            record["passage"] = record["passage"][:220]
        (folder / path.name).write_text(json.dumps(whole), encoding="utf-8")
    monkeypatch.setattr(examples, "FOLDER", tmp_path)
    return load(KNOT)[0]


def answered(collection: Collection) -> Run:
    """A run of the embedded model over the example, finished."""
    known = protocol_prompts.of_protocol(collection.protocol)
    options = {"temperature": 0, "max_tokens": 8}
    whom, _ = registry.add_probed("embedded", SMOLLM2, options, systems=("",))
    prompts = [known[name] for name in ASKED]
    run, left_out = runs.create(collection=collection, models=[whom], prompts=prompts)
    assert (run.responses.count(), left_out) == (len(ASKED) * 8, [])
    return finished(run)


def normalised(text: str) -> str:
    """As the script of SQuAD does, written once more."""
    words = re.sub(r"[!-/:-@\[-`{-~]", "", text.lower()).split()
    return " ".join(word for word in words if word not in ("a", "an", "the"))


def counted(run: Run, prompt: str, field: str) -> dict[str, tuple[int, int]]:
    """By level, (right, n): responses of whose answer an alias in this field is the first line."""
    found = {level: [0, 0] for level in LEVELS}
    rows = run.responses.filter(prompt=f"knot-{prompt}").select_related("instance__contradiction")
    for row in rows:
        record = row.instance.contradiction.fields
        if field in record:
            answer = next(iter(row.text.strip().splitlines()), "")
            aliases = map(normalised, record[field])
            found[record["level"]][0] += normalised(answer) in aliases
            found[record["level"]][1] += 1
    return {level: (k, n) for level, (k, n) in found.items()}


def of_report(report: dict, table: str, measure: str) -> dict[str, tuple]:
    """(k, n) in each column of a table, by its last value; that of all levels together is "pooled"."""
    one = next(one for one in report["scores"]["tables"] if one["name"] == table)
    found = {}
    for figure in one["figures"]:
        column = one["columns_shown"][figure["column"]]
        if figure["measure"] == measure:
            name = column["values"][-1] if column["kind"] == "value" else column["kind"]
            found[name] = (figure["k"], figure["n"])
    return found


def together(of: dict[str, tuple[int, int]]) -> tuple[int, int]:
    return sum(k for k, _ in of.values()), sum(n for _, n in of.values())


def test_a_study_in_small(model, client, tmp_path, example):
    run = answered(example)
    study = scored([run])
    rosa = person("rosa", Role.RESEARCHER)
    snapshot, _ = snapshots.freeze(study, by=rosa)
    report = json.loads(snapshot.text)

    # What is counted here from the rows: of seven records the memorised answer is known.
    right, memorised = (counted(run, "b1-1", f"{of}_aliases") for of in ("answer", "memorised"))
    assert of_report(report, "table-2", "accuracy") == right | {"pooled": together(right)}
    assert of_report(report, "table-6", "memorised") == memorised | {"pooled": together(memorised)}
    assert (together(right)[1], together(memorised)[1]) == (8, 7)
    shots = {n: together(counted(run, f"b1-{n}", "answer_aliases")) for n in ("0", "1")}
    assert of_report(report, "figure-7", "accuracy") == shots
    drawn = {
        row.prompt: row.drawn
        for row in run.responses.filter(instance=run.responses.first().instance_id)
    }
    assert len({json.dumps(one) for name, one in drawn.items() if "-1" in name}) == 1

    # The pages that name the canary; the published page, and the zip that counts again by itself.
    signed_in(client, rosa)
    canary = run.collection.canary
    for address in ("/reports/snapshots/{}/", "/reports/{}/", "/studies/{}/"):
        key = snapshot.pk if "snapshots" in address else study.pk
        assert canary in client.get(address.format(key)).content.decode(), address
    assert shown_alike(client, snapshot, rosa, tmp_path) > 50
