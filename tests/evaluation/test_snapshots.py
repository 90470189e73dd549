import pytest

from evaluation import snapshots
from evaluation.models import ReportSnapshot
from leases.refusal import Refusal
from tests.evaluation.factories import judged_study, resolve_all
from tests.factories import person
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


@pytest.fixture
def rita():
    return person("rita")


def test_a_snapshot_keeps_its_numbers_when_verdicts_change(rita):
    study = judged_study()
    frozen, made = snapshots.freeze(study, by=rita, note="Before resolution")
    before = snapshots.report_of(frozen)
    assert (made, snapshots.has_changed(frozen)) == (True, False)
    resolve_all(study)
    frozen.refresh_from_db()
    assert snapshots.report_of(frozen) == before
    assert snapshots.has_changed(frozen)


def test_a_second_click_finds_the_first_snapshot(rita):
    study = judged_study()
    first, _ = snapshots.freeze(study, by=rita)
    again, made = snapshots.freeze(study, by=rita)
    assert (again.pk, made) == (first.pk, False)
    other, made = snapshots.freeze(study, by=rita, note="For the paper")
    assert made
    assert other.pk != first.pk


def test_a_snapshot_names_itself(rita):
    frozen, _ = snapshots.freeze(judged_study(), by=rita)
    named = snapshots.report_of(frozen)["snapshot"]
    assert named["id"] == frozen.pk
    assert (named["sha256"], named["app_version"]) == (frozen.rows_hash, frozen.app_version)


def test_a_study_of_nothing_is_not_frozen(rita):
    study = judging.draft()
    study.items.all().delete()
    with pytest.raises(Refusal, match="nothing to freeze"):
        snapshots.freeze(study, by=rita)


def test_a_note_that_is_too_long_is_refused(rita):
    with pytest.raises(Refusal, match="200 characters"):
        snapshots.freeze(judged_study(), by=rita, note="x" * 201)
    assert not ReportSnapshot.objects.exists()
