"""Two clicks on one button, the second while the first is not yet done."""

import pytest

from accounts.roles import Role
from evaluation.frozen import snapshots
from evaluation.models import ReportSnapshot
from tests.evaluation.factories import judged_study
from tests.factories import person
from tests.races import overlapping

pytestmark = [pytest.mark.both, pytest.mark.alone, pytest.mark.django_db(transaction=True)]


def test_a_report_frozen_by_two_clicks_is_frozen_once():
    study, rita = judged_study(), person("rita", Role.RESEARCHER)

    def click():
        snapshots.freeze(study, by=rita)

    assert overlapping(click, click) is None
    assert ReportSnapshot.objects.count() == 1
