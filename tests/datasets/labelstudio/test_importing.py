"""A real export of Label Studio is imported by the page and by the command."""

import json
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from datasets.forms import ControlsForm
from datasets.importers import import_jobs
from datasets.labelstudio.made import of_json
from datasets.models import Collection, ImportJob
from datasets.records import current, record_of
from tests.annotation import factories as make
from tests.datasets.importing import brought, checked, page_of, sent
from tests.datasets.labelstudio.make_export import record, seconds
from tests.datasets.labelstudio.test_reading import with_types

HERE = Path(__file__).parent
EXPORT = HERE / "export.json"
CAMPAIGN = ("campaign.json", "campaign-returned.json", "campaign-returned-min.json")

pytestmark = pytest.mark.django_db


def records(name):
    return [record_of(row) for row in current(Collection.objects.get(name=name))]


@pytest.fixture
def uploading(client):
    client.force_login(make.admin())
    return client


def post(client, **entered):
    form = {"collection": "moved", "format": "label-studio", **entered}
    return brought(client, EXPORT.read_bytes(), "export.json", **form)


def test_the_page_takes_one_annotators_work_and_counts_the_rest(uploading):
    page = post(uploading, taken="annotator", annotator="2")
    assert "<dt>Added</dt><dd>9 of 9</dd>" in page
    assert "annotations of annotator 1, not taken: 10" in page
    assert records("moved") == [with_types(seconds(n)) for n in range(1, 10)]


OF_LABEL_STUDIO = {"collection": "moved", "format": "label-studio"}
RENAMED = EXPORT.read_bytes().replace(b'"wikitag_label_valid"', b'"valid?"')


def test_controls_of_other_names_are_named_on_a_page(uploading):
    job = checked(uploading, RENAMED, **OF_LABEL_STUDIO)
    page = page_of(uploading, job)
    assert "Names that are not the study's" in page
    assert "'valid?' (choices, 10 times) is no name of the study; it may be" in page
    assert reverse("datasets:confirm_import", args=[job.pk]) not in page
    address = reverse("datasets:import_controls", args=[job.pk])
    named = '<span class="badge badge-warn">Name controls</span>'
    assert named in page
    assert named in uploading.get(reverse("datasets:imports")).content.decode()
    asked = uploading.get(address).content.decode()
    assert "choices, 10 entries, such as “<bdi>Valid" in asked
    assert '<option value="wikitag_label_valid" selected>' in asked
    [field] = re.findall(r'name="(control-\d+)"', asked)
    uploading.post(address, {field: "wikitag_label_valid"})
    import_jobs.carry_out(job.pk)
    assert "Would be added" in page_of(uploading, job)
    assert 'value="wikitag_label_valid" selected' in uploading.get(address).content.decode()


def test_as_many_questions_can_be_named_as_the_file_has(uploading):
    text = RENAMED.replace(b'"question2_answer2"', b'"Frage 14, zweite"')
    job = checked(uploading, text, **OF_LABEL_STUDIO)
    asked = uploading.get(reverse("datasets:import_controls", args=[job.pk])).content.decode()
    assert '<option value="question14_answer2">' in asked
    assert "question15" not in asked


def test_a_form_of_one_question_offers_ten():
    one = {"name": "mood", "kind": "textarea", "n": 1, "key": "", "proposed": ""}
    assert re.findall(r'"question(\d+)"', str(ControlsForm([one])))[-1] == "10"
    many = [{**one, "name": "q" * n} for n in range(1, 37)]
    assert re.findall(r'"question(\d+)"', str(ControlsForm(many)))[-1] == "12"


def test_the_command_says_how_controls_are_named(tmp_path):
    (tmp_path / "export.json").write_bytes(RENAMED)
    with pytest.raises(CommandError, match="Name its controls by --name CONTROL=KEY") as refused:
        call_command("import_dataset", "label-studio", tmp_path / "export.json", collection="moved")
    assert "'valid?' (choices, 10 times) is no name of the study" in str(refused.value)


def test_two_controls_of_one_key_are_refused_with_what_was_chosen(uploading):
    text = RENAMED.replace(b'"qa_comment"', b'"mood"')
    job = checked(uploading, text, **OF_LABEL_STUDIO)
    address = reverse("datasets:import_controls", args=[job.pk])
    fields = re.findall(r'name="(control-\d+)"', uploading.get(address).content.decode())
    answer = uploading.post(address, dict.fromkeys(fields, "valid_comment"))
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "The key &#x27;valid_comment&#x27; is chosen for" in page
    assert page.count('value="valid_comment" selected') == 2


def test_each_annotators_work_becomes_a_collection_by_one_button(uploading):
    job = checked(uploading, EXPORT.read_bytes(), **OF_LABEL_STUDIO)
    assert "Import each annotator's work into a collection of its own" in page_of(uploading, job)
    address = reverse("datasets:import_annotators", args=[job.pk])
    assert "was checked again" in uploading.post(address, follow=True).content.decode()
    for _ in range(2):  # a double click
        page = uploading.post(address, {"read": job.same}, follow=True).content.decode()
        assert all(f"<bdi>moved-annotator-{n}</bdi></a>" in page for n in (1, 2))
        assert "Nothing was imported" not in page
    assert ImportJob.objects.count() == 3
    for n, begun in enumerate(ImportJob.objects.filter(state="waiting").order_by("pk"), 1):
        import_jobs.carry_out(begun.pk)
        assert f"<dt>Of the annotator</dt><dd><bdi>{n}</bdi></dd>" in page_of(uploading, begun)
    assert len(records("moved-annotator-1")) == 10
    assert len(records("moved-annotator-2")) == 9


def test_a_job_of_another_format_has_no_controls(uploading):
    job = checked(uploading, b"[]", collection="mills")
    answer = uploading.get(reverse("datasets:import_controls", args=[job.pk]))
    assert answer.url == reverse("datasets:import_job", args=[job.pk])


def test_one_annotator_has_to_be_named(uploading):
    page = sent(uploading, EXPORT.read_bytes(), format="label-studio", taken="annotator")
    assert page.status_code == 400
    assert "Name the annotator whose annotations are taken." in page.content.decode()


def test_the_command_takes_it_too(capsys):
    call_command("import_dataset", "label-studio", EXPORT, "--take=1", collection="moved")
    assert "no part of a record: cancelled annotations: 3" in capsys.readouterr().out
    assert records("moved") == [with_types(record(n)) for n in range(1, 11)]


def test_the_command_takes_names_of_controls(capsys, tmp_path):
    text = EXPORT.read_text(encoding="utf-8").replace('"qa_comment"', '"mood"')
    (tmp_path / "export.json").write_text(text, encoding="utf-8")
    sent = ("import_dataset", "label-studio", tmp_path / "export.json", "--take=1")
    call_command(*sent, collection="lacking")
    said = capsys.readouterr().out
    assert "'mood' (textarea, 8 times) is no name of the study" in said
    assert "annotations of annotator 2: 9" in said
    call_command(*sent, "--name=mood=qa_comment", collection="moved")
    assert "mood" not in capsys.readouterr().out
    assert records("moved") == [with_types(record(n)) for n in range(1, 11)]


def test_what_goes_out_is_what_label_studio_gives_back_and_comes_in_again(uploading):
    """returned.json was exported by Label Studio after it had imported the app's file of the same records."""
    call_command("import_dataset", "label-studio", EXPORT, "--take=1", collection="moved")
    sent = json.loads(download(uploading, "label-studio-json"))
    returned = json.loads((HERE / "returned.json").read_text(encoding="utf-8"))
    assert [results(task) for task in sent] == [results(task) for task in returned][: len(sent)]
    assert [task["data"] for task in sent] == [task["data"] for task in returned][: len(sent)]
    call_command("import_dataset", "label-studio", HERE / "returned.json", collection="again")
    assert records("again")[: len(sent)] == records("moved")


def test_a_campaign_comes_back_from_label_studio_equal_in_every_result():
    """campaign-returned.json was exported by Label Studio after it had imported campaign.json."""
    sent, back = (json.loads((HERE / name).read_text(encoding="utf-8")) for name in CAMPAIGN[:2])
    for before, after in zip(sent, back, strict=True):
        assert before["data"] == after["data"]
        of_each = zip(before["annotations"], after["annotations"], strict=True)
        for one, other in of_each:
            for key in ("result", "was_cancelled", "ground_truth"):
                assert one[key] == other[key]


def test_each_annotators_work_of_a_campaign_comes_in_again_from_label_studio(capsys):
    people = {of_json(task)[0].name for task in json.loads((HERE / CAMPAIGN[0]).read_text())}
    assert len(people) == 2
    for person in people:
        for n, name in enumerate(CAMPAIGN):
            asked = {"collection": f"{person}-{n}", "take": person}
            call_command("import_dataset", "label-studio", HERE / name, **asked)
        first, *others = (records(f"{person}-{n}") for n, _ in enumerate(CAMPAIGN))
        assert len(first) in (2, 3)
        assert others == [first] * 2
    assert "is no name of the study" not in capsys.readouterr().out


def results(task):
    """In no order: the columns of a record have another one than the file that was sent to Label Studio."""
    [made] = task["annotations"]
    return sorted(made["result"], key=lambda result: result["from_name"])


def download(client, name):
    answer = client.get(reverse("datasets:export", args=("moved", name)))
    return b"".join(answer.streaming_content).decode()


def test_the_configuration_has_fields_for_each_question(uploading):
    post(uploading, taken="annotator", annotator="1")
    assert 'name="question2_answer2"' in download(uploading, "label-studio-xml")


def test_the_configuration_of_an_empty_collection_is_that_of_the_study(uploading):
    Collection.objects.create(name="moved")
    assert 'name="question2"' in download(uploading, "label-studio-xml")


def test_a_file_of_another_format_says_so(uploading):
    page = post(uploading, format="wikicontradict")
    assert "This is a file of label-studio, not of wikicontradict." in page
