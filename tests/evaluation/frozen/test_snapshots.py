import pytest

from evaluation.frozen import snapshots
from evaluation.models import ReportSnapshot
from evaluation.report.display import read_display
from evaluation.rows.export import records
from evaluation.sections.clustering import Clustering
from evaluation.sections.study import study_report
from judging import pool, verdicts
from leases.refusal import Conflict, Refusal
from tests.evaluation.factories import judged_study, resolve_all
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


def test_a_snapshot_keeps_its_numbers_when_verdicts_change(rita, study):
    frozen, made = snapshots.freeze(study, by=rita, note="Before resolution")
    before = snapshots.report_of(frozen)
    assert (made, snapshots.has_changed(frozen)) == (True, False)
    resolve_all(study)
    frozen.refresh_from_db()
    assert snapshots.report_of(frozen) == before
    assert snapshots.has_changed(frozen)


def test_a_second_click_finds_the_first_snapshot(rita, study):
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


def test_a_verdict_that_comes_in_between_is_refused_and_nothing_kept(rita, monkeypatch, study):
    """As a third person's decision does, where the database lets others write meanwhile."""

    def overtaken(of, clustering=None):
        body = study_report(of, clustering)
        resolve_all(of)
        return body

    monkeypatch.setattr(snapshots, "study_report", overtaken)
    with pytest.raises(Conflict, match="Freeze it again"):
        snapshots.freeze(study, by=rita)
    assert not ReportSnapshot.objects.exists()


def test_a_study_of_nothing_is_not_frozen(rita):
    study = judging.draft()
    study.items.all().delete()
    with pytest.raises(Refusal, match="nothing to freeze"):
        snapshots.freeze(study, by=rita)


def test_a_note_that_is_too_long_is_refused(rita):
    with pytest.raises(Refusal, match="200 characters"):
        snapshots.freeze(judged_study(), by=rita, note="x" * 201)
    assert not ReportSnapshot.objects.exists()


def test_what_is_resampled_is_frozen_as_it_was_asked(rita, study):
    usual, _ = snapshots.freeze(study, by=rita)
    asked = Clustering(by="instance", resamples=500, seed=99)
    frozen, made = snapshots.freeze(study, by=rita, clustering=asked)
    assert made
    assert frozen.pk != usual.pk
    interval = snapshots.report_of(frozen)["agreement"]["interval"]
    assert (interval["cluster"], interval["resamples"], interval["seed"]) == ("instance", 500, 99)
    again, made = snapshots.freeze(study, by=rita, clustering=asked)
    assert (again.pk, made) == (frozen.pk, False)


def test_names_and_order_are_frozen_with_the_report_and_can_still_be_changed(rita, study):
    body = snapshots.report_of(snapshots.freeze(study, by=rita)[0])
    first, second = (model["id"] for model in body["models"])
    names = {
        "form": "full",
        f"name-model-{first}": " Ours ",
        f"place-model-{second}": "1",
        f"name-model-{second}": body["models"][1]["name"],
        "csrfmiddlewaretoken": "x",
        "note": "",
    }
    frozen, _ = snapshots.freeze(study, by=rita, names=names)
    report = snapshots.report_of(frozen)
    assert report["display"] == {
        "form": "full",
        f"name-model-{first}": "Ours",
        f"place-model-{second}": "1",
    }
    shown = read_display({}, report)
    assert shown.form == "full"
    assert [model.label for model in shown.models] == [body["models"][1]["name"], "Ours"]
    changed = read_display({"form": "compact", f"place-model-{second}": ""}, report)
    assert (changed.form, changed.models[0].label) == ("compact", "Ours")


def test_names_that_are_the_report_s_own_are_no_choice(rita, study):
    body = snapshots.report_of(snapshots.freeze(study, by=rita)[0])
    names = {f"name-model-{model['id']}": model["name"] for model in body["models"]}
    _, made = snapshots.freeze(study, by=rita, names={**names, "form": "compact"})
    assert not made
    assert "display" not in body


@pytest.mark.parametrize("names", [{"form": "wide"}, {"place-prompt-passage-1": "x"}])
def test_names_that_no_table_can_have_freeze_nothing(rita, names):
    with pytest.raises(Refusal):
        snapshots.freeze(judged_study(), by=rita, names=names)
    assert not ReportSnapshot.objects.exists()


def test_a_draw_from_a_pool_changes_no_frozen_report_and_no_judge_without_a_verdict_counts(rita):
    study = judging.open_study("alice", "bob", pairing="pool", judges_per_response=1)
    frozen, _ = snapshots.freeze(study, by=rita)
    pool.draw(judging.judge("alice"), study)
    assert not snapshots.has_changed(frozen)
    assert {record["judge"] for record in records(study.items.all())} == {None}
    assert study_report(study)["study"]["judges"] == 0
    for slot in judging.slots(study, judging.judge("alice")):
        verdicts.give(slot, "correct")
    verdicts.hand_in(judging.judge("alice"), study)
    assert snapshots.has_changed(frozen)
    assert study_report(study)["study"]["judges"] == 1
