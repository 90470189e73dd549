"""Hypothetical statements in small: the embedded model answers on one base, two people code what it got wrong."""

import json
import re
from collections import Counter

import pytest

from accounts.roles import Role
from datasets.models import Collection
from demonstration.examples import HYPOTHETICALS, load
from evaluation.frozen import snapshots
from generation import protocol_prompts, registry, runs
from generation.inference.embedded import SMOLLM2
from generation.models import Response, Run
from judging import rubric_versions, studies
from judging.models import JudgingSlot, Study
from judging.selections import Selection
from judging.studies import StudyDesign
from protocols.shipped import declaration_of
from tests.demonstration.in_small import finished, scored, shown_alike
from tests.evaluation.factories import judge_all
from tests.factories import person, stored
from tests.generation.inference.test_embedded import model, served
from tests.judging.factories import judge

__all__ = ["model", "served"]

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]

# Of the first base: all records with the basic prompt, and the first with the others.
BASIC = ("basic-1-controlled", "basic-1-uncontrolled")
OTHERS = ("instructed-1-1-uncontrolled", "two-step-1-1-uncontrolled", "chain-1-1", "closed-book")
OF_BASE, FEW = 18, 1
FORMS = declaration_of("hypotheticals").fields["form"].values
CODED = "hypotheticals-basic-1-uncontrolled"


def answered(of: Collection) -> list[Run]:
    known = protocol_prompts.of_protocol(of.protocol)
    options = {"temperature": 0, "max_tokens": 12}
    whom, _ = registry.add_probed("embedded", SMOLLM2, options, systems=("",))
    made = []
    for names, limit in ((BASIC, OF_BASE), (OTHERS, FEW)):
        asked = [known[name] for name in names]
        run, left_out = runs.create(collection=of, models=[whom], prompts=asked, limit=limit)
        assert (run.responses.count(), left_out) == (len(names) * limit, [])
        made.append(finished(run))
    return made


def words(text: str) -> list[str]:
    """As the script of SQuAD has them, written once more."""
    plain = re.sub(r"[!-/:-@\[-`{-~]", "", text.lower()).split()
    return [word for word in plain if word not in ("a", "an", "the")]


def f1(response: Response) -> float:
    text = response.text.strip()
    said = [] if text.startswith("None") or response.finding else words(text)
    if response.finding == "skipped":
        return 0.0
    golds = [words(gold) for gold in response.instance.contradiction.fields["golds"]] or [[]]
    return max(of_two(said, gold) for gold in golds)


def of_two(said: list[str], gold: list[str]) -> float:
    both = sum((Counter(said) & Counter(gold)).values())
    return 2 * both / (len(said) + len(gold)) if said and gold else float(said == gold)


def rows_of(run: Run, prompt: str) -> dict[tuple[str, str], Response]:
    rows = run.responses.filter(prompt=f"hypotheticals-{prompt}")
    fields = [(row, row.instance.contradiction.fields) for row in rows.order_by("pk")]
    return {(record["condition"], record["form"]): row for row, record in fields}


def figures(report: dict, name: str, measure: str, *of: str) -> dict[tuple, dict]:
    """The figures of a table in the line that has these values, by the kind and the values of their columns."""
    table = next(one for one in report["scores"]["tables"] if one["name"] == name)
    return {
        (column["kind"], *column["values"]): figure
        for figure in table["figures"]
        for column in [table["columns_shown"][figure["column"]]]
        if figure["measure"] == measure and {*of} <= {*table["lines"][figure["line"]]}
    }


def values(report: dict, name: str, *of: str) -> dict[tuple, float]:
    return {key: figure["value"] for key, figure in figures(report, name, "f1", *of).items()}


def code(who: str, slot: JudgingSlot) -> str:
    """The two differ on every fourth response."""
    record = slot.item.response.instance.contradiction.fields
    if who == "kim" and slot.item.position % 4 == 0:
        return "other"
    if record["form"] == "affirmative":
        return "abstained"
    return "knowledge" if record["condition"] == "contradicting" else "ignored"


def coded(run: Run) -> Study:
    rubric = rubric_versions.versions("hypotheticals").get(name="hypotheticals-errors")
    chosen = Selection([run], prompts=[CODED], label="squad=wrong")
    design = StudyDesign(seed=3, rubric=rubric)
    study = studies.create("Errors", chosen, design, by=person("otto", Role.ADMIN))
    studies.open_study(study, [judge("jo"), judge("kim")])
    studies.close_study(judge_all(study, code))
    return stored(study)


def both_codes(study: Study) -> dict[tuple[str, str], tuple[str, str]]:
    """By condition and form, the codes of jo and kim."""
    found = {}
    for item in study.items.select_related("response__instance__contradiction"):
        record = item.response.instance.contradiction.fields
        given = {slot.judge.person.username: slot.judgment.verdict for slot in item.slots.all()}
        found[record["condition"], record["form"]] = (given["jo"], given["kim"])
    return found


def kappa(pairs: list[tuple[str, str]]) -> float | None:
    """Cohen's, written once more; None where it has no value."""
    n, (first, second) = len(pairs), map(Counter, zip(*pairs, strict=True))
    chance = sum(first[one] * second[one] for one in first) / n**2
    return (sum(a == b for a, b in pairs) / n - chance) / (1 - chance) if chance < 1 else None


def expected(right: dict[tuple, float], start: str) -> dict[tuple, float]:
    """The columns of a table over these values by the value of one axis: each, and each other one less the first."""
    less = {
        ("difference", *key): value - right[start, *key[1:]]
        for key, value in right.items()
        if key[0] != start
    }
    return {**{("value", *key): value for key, value in right.items()}, **less}


def check_figures(report: dict, run: Run, mode: str) -> None:
    """F1 of each response, counted here from the rows, and the differences between conditions and forms."""
    right = {key: f1(row) for key, row in rows_of(run, f"basic-1-{mode}").items()}
    assert len(right) == OF_BASE
    plain = {(of,): value for (of, form), value in right.items() if form == "affirmative"}
    imaginary = {(form,): value for (of, form), value in right.items() if of == "imaginary"}
    for name, by, start in (
        ("figure-2", plain, "supported"),
        ("figure-3", imaginary, "affirmative"),
        ("figure-4", right, "imaginary"),
    ):
        assert values(report, name, mode) == pytest.approx(expected(by, start)), name
    means = values(report, "figure-5", mode, "basic")
    for condition in ("supported", "contradicting", "imaginary"):
        others = [right[condition, form] for form in FORMS if form != "affirmative"]
        assert means["mean", condition, None] == pytest.approx(sum(others) / 5)


def check_errors(report: dict, study: Study, wrong: set[tuple[str, str]]) -> None:
    """Only wrong responses are coded: kappa of the two by form, and shares of what both say by condition and form."""
    codes = both_codes(study)
    assert codes.keys() == wrong
    assert [table["name"] for table in report["scores"]["tables"]] == ["errors"]
    by_form = {
        one["value"]: one["pairs"][0]["coefficients"][1]["value"]
        for one in report["by_slice"]
        if one["slice"] == "form"
    }
    assert by_form == pytest.approx(
        {
            form: kappa([given for (_, of), given in codes.items() if of == form])
            for form in {form for _, form in codes}
        }
    )
    for measure in ("ignored", "knowledge", "abstained"):
        for condition in {condition for condition, _ in codes}:
            found = figures(report, "errors", measure, condition)
            given = [both for (of, _), both in codes.items() if of == condition]
            pooled = found["pooled", None]
            open_ones = sum(a != b for a, b in given)
            counts = (given.count((measure, measure)), len(given) - open_ones)
            assert (pooled["k"], pooled["n"]) == counts
            assert pooled["states"].get("unjudged", 0) == open_ones


def test_a_study_in_small(model, client, tmp_path):
    of, _ = load(HYPOTHETICALS)
    run, few = answered(of)
    checks = few.responses.filter(prompt__contains="two-step")
    assert all((row.check_reply is None) == row.text.startswith("None") for row in checks)
    rosa = person("rosa", Role.RESEARCHER)
    snapshot, _ = snapshots.freeze(scored([run, few]), by=rosa)
    report = json.loads(snapshot.text)
    for mode in ("controlled", "uncontrolled"):
        check_figures(report, run, mode)
    known = rows_of(few, "closed-book")["supported", "affirmative"]
    assert values(report, "closed-book") == pytest.approx({("value", "supported"): f1(known)})
    assert shown_alike(client, snapshot, rosa, tmp_path / "figures") > 100

    study = coded(run)
    snapshot, _ = snapshots.freeze(study, by=rosa)
    uncontrolled = rows_of(run, "basic-1-uncontrolled")
    wrong = {key for key, row in uncontrolled.items() if f1(row) < 1}
    check_errors(json.loads(snapshot.text), study, wrong)
    shown_alike(client, snapshot, rosa, tmp_path / "errors")
