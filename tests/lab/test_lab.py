"""A lab loads and runs the bundle of a release, in an environment of its own and without a network.

Skipped where LAB_ENVIRONMENT names no environment; make_environment.py makes one.
"""

import io
import json
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from sicetnon import lm_eval_files

from datasets.importers import IMPORTERS
from datasets.importers.import_files import import_file
from datasets.models import Collection
from datasets.releasing.freezing import freeze
from datasets.releasing.stored_files import opened
from demonstration.loading import load
from judging.machine.prompt import find_prompt, render
from tests import conflictbank
from tests.datasets.declared import test_parts
from tests.lab.programs import HERE, run

pytestmark = pytest.mark.django_db

OURS = ("published", "demonstration")
NAMES = ("correct", "partially correct", "incorrect", "unparsed")
GRADES = (
    ("Both are there.\n\nevaluation: correct", "correct"),
    ("evaluation: incorrect\nNo: Evaluation: **partially correct**", "unparsed"),
    ("comment: one of them. Evaluation: Partically correct.", "partially correct"),
    ("incorrect", "unparsed"),
    ("evaluation: correct\nevaluation: incorrect", "incorrect"),
    ("It has 9 letters.\nevaluation: correct, mostly", "unparsed"),
    ("EVALUATION:  partially  correct .\nThat is all.", "partially correct"),
)  # fmt: skip


@pytest.fixture(scope="module")
def folders():
    return {}


@pytest.fixture(params=[*OURS, "parts", "conflictbank"])
def unpacked(request, lab, folders, settings, tmp_path_factory) -> Path:
    """The folder of a bundle, made once; the name of the data set is the folder's."""
    name = request.param
    if name not in folders:
        made = tmp_path_factory.mktemp("lab") / name
        settings.DATA_DIR = tmp_path_factory.mktemp("data")
        release = freeze(collection=collection(name, request), version="lab")
        with opened(release.files.get(format="bundle")) as file:
            zipfile.ZipFile(file).extractall(made)
        folders[name] = made
    return folders[name]


def collection(name, request) -> Collection:
    if name == "conflictbank":
        return conflictbank.collection(3)
    if name == "parts":
        ponds = (test_parts.pond(1), test_parts.pond(2, memorised_aliases=["B"]))
        return test_parts.imported(test_parts.dumped(*ponds)).collection
    if name == "demonstration":
        load()
        whole = Collection.objects.get(name="demonstration")
    else:
        data = request.getfixturevalue("study_file")("wikicontradict/wikicontradict.json")
        importer, file = IMPORTERS["wikicontradict"], io.BytesIO(data.read_bytes())
        whole = import_file(importer=importer, file=file, collection_name=name).collection
    Collection.objects.filter(pk=whole.pk).update(
        licence="CC BY 4.0", creators=[{"name": "A. Mill", "orcid": "", "affiliation": ""}]
    )
    whole.refresh_from_db()
    return whole


def lines(folder: Path, name: str) -> list:
    with (folder / "data" / f"{name}.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_every_library_reads_every_data_file(unpacked, lab):
    run(unpacked, "sha256sum", "-c", "--strict", "--quiet", "SHA256SUMS")
    run(unpacked, lab / "cffconvert", "--validate")
    names = [path.stem for path in (unpacked / "schema").iterdir()]
    run(unpacked, lab / "python", HERE / "read_files.py", *names)
    found = json.loads((unpacked / "read.json").read_text())
    counts = {name: len(lines(unpacked, name)) for name in names}
    assert min(counts.values()) > 0
    assert found["croissant"] == {"counts": counts, "problems": []}
    assert found["configurations"] == counts
    for library in ("pandas", "pyarrow", "datasets"):
        assert {name: found[library][f"{name}.jsonl"] for name in names} == counts, library
    for name, number in found["csv"].items():
        read = [found[of].get(name, number) for of in ("pandas", "pyarrow", "datasets")]
        assert read == [number] * 3, name


@pytest.mark.parametrize("unpacked", OURS, indirect=True)
def test_inspect_gives_the_shares_of_a_scripted_grader(unpacked, lab):
    asked = [line for line in lines(unpacked, "prompts") if line["prompt"] == "both-passages"]
    script = [GRADES[n % len(GRADES)] for n in range(len(asked))]
    (unpacked / "grader.json").write_text(json.dumps([text for text, _ in script]))
    run(unpacked, lab / "python", HERE / "run_inspect.py")
    found = json.loads((unpacked / "inspect.json").read_text())
    assert (found["status"], found["samples"]) == ("success", len(asked))
    counted = Counter(verdict for _, verdict in script)
    assert found["shares"] == pytest.approx({name: counted[name] / len(asked) for name in NAMES})
    sent = [[["user", line["text"]], 0.0, 250] for line in asked]
    assert sorted(found["sent"]) == sorted(sent)
    template = find_prompt().template
    judged = [
        render(template, question=line["question"], gold=line["gold"],
               response=f"It has {len(line['text'])} letters.")
        for line in asked
    ]  # fmt: skip
    assert sorted(found["judged"]) == sorted(judged)
    status, why = found["without a grader"]
    assert status == "error"
    assert "grader" in why


@pytest.mark.parametrize("unpacked", OURS, indirect=True)
def test_lm_eval_asks_every_question_and_keeps_the_replies(unpacked, lab):
    out = unpacked / "replies"
    run(
        unpacked, lab / "lm_eval", "run", "--model", "dummy", "--include_path", "lm_eval", "--tasks",
        "wikicontradict", "--log_samples", "--output_path", out,
    )  # fmt: skip
    [result] = out.rglob("results_*.json")
    numbers = json.loads(result.read_text())["results"]["wikicontradict"]
    assert numbers["both_gold_answers_occur,none"] == 0.0
    [samples] = out.rglob("samples_wikicontradict_*.jsonl")
    kept = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
    asked = [line for line in lines(unpacked, "prompts") if line["prompt"] == "both-passages"]
    assert {each["doc"]["id"] for each in kept} == {line["id"] for line in asked}
    assert len(kept) == len(asked)
    texts = {line["id"]: line["text"] for line in asked}
    assert all(
        each["arguments"]["gen_args_0"]["arg_0"] == texts[each["doc"]["id"]] for each in kept
    )
    assert {each["resps"][0][0] for each in kept} == {"lol"}
    # And the client takes them over.
    rows = list(lm_eval_files.responses(samples))
    known = {line["id"]: line["prompt_sha256"] for line in asked}
    assert {row["row"]: row["prompt_sha256"] for row in rows} == known
    assert {(row["text"], row["options"]["max_tokens"]) for row in rows} == {("lol", 250)}
