"""Responses made elsewhere are judged like others; a study keeps their run from being removed."""

import pytest

from accounts.roles import Role
from generation.elsewhere import undoing
from judging import studies
from judging.models import Study
from judging.selections import Selection
from judging.studies import StudyDesign
from leases.refusal import Conflict
from tests.factories import person
from tests.generation.elsewhere.factories import brought, released

pytestmark = pytest.mark.django_db


def test_a_run_that_a_study_uses_stays_and_the_study_is_named():
    run, admin = brought(released()), person("olga", Role.ADMIN)
    study = studies.create("Pilot", Selection([run]), StudyDesign(), by=admin)
    with pytest.raises(Conflict, match="are used: draft study Pilot"):
        undoing.hide(run.pk)
    studies.discard(study, by=admin)
    undoing.hide(run.pk)


def test_no_study_takes_responses_of_a_run_that_is_removed_meanwhile(monkeypatch):
    run, admin = brought(released()), person("olga", Role.ADMIN)
    shuffled = studies.shuffled

    def then_undone(*drawn):
        undoing.hide(run.pk)
        return shuffled(*drawn)

    monkeypatch.setattr(studies, "shuffled", then_undone)
    with pytest.raises(Conflict, match="undone a moment ago"):
        studies.create("Pilot", Selection([run]), StudyDesign(), by=admin)
    assert not Study.objects.exists()
