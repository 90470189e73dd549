"""Scores of answers that were checked: what each script of replies becomes in a table and in the rows."""

from collections import Counter

import pytest

from evaluation.counts.scored import scored
from evaluation.rows import export
from evaluation.sections.study import study_report
from generation import runs
from tests.evaluation.scored import scored_study
from tests.generation.asking.test_checks import OFF, PROMPTS
from tests.generation.factories import answer_all, answer_one, echo
from tests.generation.fake_service import FakeService, Say
from tests.generation.knot_templates import EXAMPLES, HEAD, collection, prompt, prompts_of, record

pytestmark = [pytest.mark.both, pytest.mark.django_db]

TABLE = """
[[scorer]]
name = "squad"
kind = "squad"
gold = ["answer"]
[[measure]]
name = "f1"
title = "F1"
mean = { scorer = "squad", of = "f1" }
[[table]]
name = "techniques"
title = "All"
origin = "ours"
rows = ["model"]
columns = ["prompt"]
cells = ["f1"]
"""
# About a bell of bronze.
SCRIPTS = [
    # replies, text, reply to the check, score
    (("bronze", "yes"), "bronze", "yes", "right"),
    (("bronze", "no"), "bronze", "no", "wrong"),
    (("bronze", "maybe"), "bronze", "maybe", "unread"),
    (("None",), "None", None, "wrong"),
    ((*OFF, "bronze", "Yes."), "bronze", "Yes.", "right"),
    ((*OFF, "tin", "gold"), "", None, "skipped"),
]


@pytest.fixture
def fake(settings):
    with FakeService() as service:
        settings.INFERENCE_SERVICES = service.setting("local")
        yield service


def test_a_check_decides_what_is_scored_and_every_state_is_counted(fake):
    records = [record(n) for n in range(1, len(SCRIPTS) + 1)]
    text = HEAD + EXAMPLES + PROMPTS + prompt("b1", 1) + TABLE
    of = collection(*records, text=text)
    made, _ = runs.create(
        collection=of, models=[echo(temperature=1)], prompts=[prompts_of(of)["two-step"]]
    )
    runs.start(made)
    for replies, *_ in SCRIPTS:
        fake.enqueue(*map(Say, replies))
        assert answer_one(made) == len(replies)
    runs.extend(made, [], [prompts_of(of)["b1-1"]])
    answer_all(made)
    study = scored_study(made)
    scores = scored(study)
    rows = [
        row
        for row in export.records(study.items.all(), scores)
        if row["prompt"] == "bells-two-step"
    ]
    found = Counter((row["response"], row["check_reply"], row["score_squad"]) for row in rows)
    assert found == Counter((text, check, score) for _, text, check, score in SCRIPTS)
    [table] = study_report(study)["scores"]["tables"]
    [figure, _] = table["figures"]
    assert (figure["value"], figure["n"]) == (pytest.approx(2 / 6), 6)
    assert figure["states"] == {"skipped": 1, "unread": 1}
    drawn = [
        row["shots"]
        for row in export.records(study.items.all(), scores)
        if row["prompt"] == "bells-b1-1"
    ]
    assert all(name.startswith("simple-") for name in drawn)
