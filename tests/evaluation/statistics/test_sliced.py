"""Agreement of judges on a part of the responses."""

import pytest
from sklearn.metrics import cohen_kappa_score

from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.sliced import sliced_agreement

PLAN = ResamplePlan(1, 200)
LABELS = ["ignored", "knowledge", "other"]


def test_each_two_judges_have_their_kappa_and_all_have_alpha():
    given = {
        "ann": [
            "ignored",
            "ignored",
            "other",
            "knowledge",
            "other",
            "knowledge",
            "ignored",
            "other",
        ],
        "bob": ["ignored", "other", "other", "knowledge", "other", "ignored", "ignored", "other"],
    }
    responses = [(n, {who: of[n] for who, of in given.items()}) for n in range(8)]
    responses += [(9, {"ann": "other"}), (10, {"bob": "other", "cyd": "other"})]
    made = sliced_agreement(responses, LABELS, PLAN)
    assert made["n"] == 9
    assert [pair["judges"] for pair in made["pairs"]] == [["ann", "bob"], ["bob", "cyd"]]
    agreed, kappa = made["pairs"][0]["coefficients"]
    assert agreed["value"] == 6 / 8
    assert kappa["value"] == pytest.approx(cohen_kappa_score(given["ann"], given["bob"]))
    assert made["pairs"][1]["coefficients"][1]["value"] is None
    assert made["alpha"]["name"] == "krippendorff_alpha_nominal"
    assert made["alpha"]["n"] == 9


def test_nothing_judged_twice_has_no_pair_and_a_reason():
    made = sliced_agreement([(1, {"ann": "other"})], LABELS, PLAN)
    assert (made["n"], made["pairs"], made["alpha"]["value"]) == (0, [], None)
    assert made["alpha"]["reason"]
