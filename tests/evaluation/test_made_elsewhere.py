"""From a file of responses to kappa: they are judged blind by two people, and the report says what is not verified."""

import csv
import io

import pytest

from accounts.roles import Role
from evaluation.frozen import snapshots
from evaluation.report.study_facts import study_facts
from evaluation.sections.study import study_report
from evaluation.tables import sentences
from generation.elsewhere import undoing
from judging import studies, verdicts
from judging.selections import Selection
from judging.studies import StudyDesign
from leases.refusal import Conflict
from tests.factories import person, signed_in
from tests.generation.elsewhere.factories import brought, instances_of, line, released
from tests.generation.factories import canals
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Twelve responses, four with a prompt that is not verified, judged by two who differ on three."""
    release = released(canals(12))
    lines = [line(one, model=f"lab/llm-{n % 2}") for n, one in enumerate(instances_of(release))]
    for one in lines[:4]:
        del one["prompt_sha256"]
    run = brought(release, *lines, name="Lab")
    study = studies.create(
        "Canals", Selection([run]), StudyDesign(seed=7), by=person("olga", Role.ADMIN)
    )
    alice, bob = map(judging.judge, ("alice", "bob"))
    studies.open_study(study, [alice, bob])
    for who, few in ((alice, 6), (bob, 3)):
        for slot in judging.slots(study, who):
            verdicts.give(slot, "correct" if slot.item.position < few else "incorrect")
        verdicts.hand_in(who, study)
    studies.close_study(study)
    study.refresh_from_db()
    return study


def test_kappa_is_that_of_the_two_people(study):
    [of_prompt] = study_report(study)["agreement"]["prompts"]
    [pair] = of_prompt["pairs"]
    kappa = sentences.coefficient_of(pair["coefficients"], "cohen_kappa")
    # 9 of 12 agree; by chance (6 * 3 + 6 * 9) / 144 = 1/2.
    assert (of_prompt["n"], kappa["value"]) == (12, pytest.approx(0.5))


def test_the_report_its_rows_and_their_pages_say_what_is_not_verified(study, client):
    report = study_report(study)
    assert report["study"]["prompts_not_verified"] == 4
    assert dict(study_facts(report))["Prompt not verified"].startswith("4 of 12 responses")
    signed_in(client, person("rita", Role.RESEARCHER))
    file = b"".join(client.get(f"/reports/{study.pk}/rows.csv")).decode()
    rows = csv.DictReader(io.StringIO(file))
    assert sorted(row["prompt_verified"] for row in rows) == ["False"] * 8 + ["True"] * 16
    assert (
        client.get(f"/reports/{study.pk}/rows/").content.decode().count("Prompt not verified") == 4
    )


def test_a_frozen_report_is_named_as_a_use_of_its_run(study):
    frozen, _ = snapshots.freeze(study, by=person("rita", Role.RESEARCHER))
    with pytest.raises(Conflict, match=f"closed study Canals, report {frozen.pk} of Canals"):
        undoing.hide(study.items.first().response.run_id)
