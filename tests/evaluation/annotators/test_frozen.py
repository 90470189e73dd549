"""The agreement of annotators in the report of a study: frozen with it, and under its hash."""

import io
import json
import zipfile

import pytest

from annotation.models import Annotation, Campaign
from evaluation.archive import bundles
from evaluation.frozen.publishing import publish
from evaluation.frozen.snapshots import freeze, has_changed
from evaluation.frozen.verifying import verify
from evaluation.rows.hashing import hashed_lines
from evaluation.sections.study import study_report
from evaluation.views import files
from judging.models import Study
from tests.annotation import factories as make
from tests.evaluation.factories import judged_study

pytestmark = pytest.mark.django_db

OTHER = {
    "type_2": ["Text - Infobox/table"],
    "passage_2_copied": "It was finished in 1820.",
    "span_1": "",
}
TWO = {"type_1": ["(PhraseLevel) Entity - Date/time", "(PhraseLevel) Entity - Number"]}


@pytest.fixture
def study():
    """A judged study on questions of a closed campaign, whose three annotators do not agree on everything."""
    study = judged_study()
    campaign = make.campaign(tags=3, people=3, into="abbeys")
    entered = {
        "anna": (make.whole(), make.whole(**TWO), make.whole()),
        "aron": (make.whole(**OTHER), make.whole(**TWO), make.nothing(validity="Invalid")),
        "axel": (make.whole(), make.nothing(validity="Invalid"), make.whole(**OTHER)),
    }
    for name, of_tags in entered.items():
        person = make.annotator(name)
        for entries in of_tags:
            make.submitted(person, within=campaign, entries=entries)
    Annotation.objects.filter(author__username__in=["anna", "aron"]).update(state="accepted")
    Campaign.objects.update(state="closed")
    return study


@pytest.fixture
def good(study):
    text = bundles.text_of(bundles.sealed(study_report(study)))
    return bytes(files.bundle_file(study, text, "x").content)


def report_in(data):
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        return json.loads(zipped.read(bundles.REPORT))


def test_it_is_named_as_not_recomputed_and_a_changed_number_is_found_by_the_reports_hash(good):
    report = report_in(good)
    (campaign,) = report["annotators"]
    stages = [stage for entry in campaign["rounds"] for stage in entry["stages"]]
    assert [(stage["tags"], stage["comparisons"]) for stage in stages] == [(3, 9), (3, 3)]
    outcome = verify(good)
    assert outcome.wrong == []
    assert any(note.startswith("Not checked: annotators[].") for note in outcome.notes)
    stages[0]["measures"][0]["all"][0]["value"] += 0.1
    (found,) = verify(json.dumps(report).encode()).wrong
    assert found.startswith("the report's hash: ")


def test_an_open_campaign_has_no_number_and_no_row_in_the_report(study):
    Campaign.objects.update(state="open")
    (campaign,) = study_report(study)["annotators"]
    assert (campaign["rounds"], campaign["measured"]) == ([], False)
    assert "open" in campaign["reason"]
    assert not any(b"axel" in line or b"before" in line for line in hashed_lines(study))


def test_a_campaign_opened_or_closed_since_changes_no_frozen_report(rita, study):
    closed, _ = freeze(study, by=rita)
    Campaign.objects.update(state="open")
    assert not has_changed(closed)
    opened, _ = freeze(study, by=rita)
    Campaign.objects.update(state="closed")
    assert not has_changed(opened)
    assert opened.rows_hash != closed.rows_hash


def test_a_frozen_report_shows_it_to_readers_too_and_says_if_annotations_changed_since(
    client, rita, study
):
    snapshot, _ = freeze(study, by=rita)
    assert not has_changed(snapshot)
    page = client.get(f"/reports/snapshots/{snapshot.pk}/").content.decode()
    assert "Agreement of annotators" in page
    assert "before review" in page
    sheet = client.get(f"/reports/snapshots/{snapshot.pk}/annotators.csv")
    assert b"Mills,,1,before,validity" in b"".join(sheet.streaming_content)
    Study.objects.update(state="closed")
    shown = publish(snapshot, by=rita)
    page = client.get(f"/published/{shown.pk}/{shown.token}/").content.decode()
    assert "before review" in page
    Annotation.objects.filter(state="accepted").update(state="ambiguous")
    assert has_changed(snapshot)
