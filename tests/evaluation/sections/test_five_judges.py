"""The check of ConflictBank by people: five judges of 200 given texts, who differ on one of them."""

from fractions import Fraction

import pytest

from evaluation.sections.study import study_report
from evaluation.tables.agreement import agreement_table
from judging.models import StudyItem
from tests.evaluation.factories import judge_all
from tests.judging import declared

pytestmark = pytest.mark.django_db

JUDGES = ("alice", "bob", "charlie", "dora", "emil")
N = 200


@pytest.fixture
def report():
    study = declared.open_study(
        *JUDGES,
        run=declared.given_run(N, ["entails-default"]),
        judges_per_response=5,
        resolved_by="majority",
    )
    disputed = StudyItem.objects.get(study=study, position=0).pk

    def choose(who: str, slot: object) -> str:
        return "no" if slot.item_id == disputed and who in JUDGES[:2] else "yes"

    return study_report(judge_all(study, choose))


def test_the_coefficients_are_those_of_the_paper_and_kappa_does_not_stand_alone(report):
    [entry] = report["agreement"]["prompts"]
    assert entry["n"] == N
    values = {one["name"]: one["value"] for one in entry["all"]}
    assert values["percent_agreement"] == pytest.approx(0.997, abs=1e-12)
    assert values["fleiss_kappa"] == pytest.approx(Fraction(124, 499), abs=1e-12)
    assert values["krippendorff_alpha_nominal"] == pytest.approx(Fraction(995, 3992), abs=1e-12)
    [group] = agreement_table(report).groups
    by_judges = {line.keys[1]: line for line in group.lines}
    assert by_judges["all (Fleiss' kappa)"].note.startswith(
        "The raters agree on most items, yet kappa is low"
    )
    apart = [pair["warning"] for pair in entry["pairs"] if pair["warning"]]
    # On the page one row stands for the ten pairs.
    assert group.n_folded == 10
    agreed = by_judges["mean of 10 pairs"].cells[1].words
    assert (agreed.value, agreed.beside) == ("99.7 %", ("lowest 99.5 %", "highest 100.0 %"))
    assert agreed.reason == "No interval: the mean of 10 pairs."
    # Two said no and three yes of one text: six pairs of two differ once.
    assert (len(entry["pairs"]), len(apart)) == (10, 6)
