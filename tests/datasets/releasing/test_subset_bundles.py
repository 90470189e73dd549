"""The bundle of a subset: its questions and no others, the same bytes each time."""

import csv
import io
import json
import re
import zipfile

import pytest

from accounts.models import AuditEvent
from accounts.roles import Role
from datasets.drawing import SubsetPlan
from datasets.exclusions import exclude
from datasets.models import Collection, Instance, Subset
from datasets.releasing.subset_bundles import spooled_bundle
from datasets.releasing.withholding import HIDDEN, withhold
from datasets.subsets import ALL, Query, freeze
from leases.refusal import Refusal
from tests import conflictbank
from tests.datasets.factories import annotation, mills, newer, record
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def few() -> Subset:
    """Two of six questions, of two records."""
    two = annotation(
        question2="And when burnt?", question2_answer1="1830", question2_answer2="1831"
    )
    collection = mills(*(record(title=title, given=two) for title in "ABC"))
    Collection.objects.filter(pk=collection.pk).update(title="Old mills", licence="CC BY 4.0")
    collection.refresh_from_db()
    return freeze(
        "Few: Mühlen",
        collection,
        Query(),
        SubsetPlan(7, one_per_tag=True, wanted={ALL: 2}),
        by=None,
    )


def bytes_of(subset: Subset) -> bytes:
    file, _ = spooled_bundle(subset)
    with file:
        return file.read()


def files_in(data: bytes) -> dict:
    zipped = zipfile.ZipFile(io.BytesIO(data))
    return {entry.filename: zipped.read(entry) for entry in zipped.infolist()}


def lines_in(data: bytes) -> list:
    return [json.loads(line) for line in data.decode().splitlines()]


@pytest.mark.both
def test_it_has_the_questions_of_the_subset_in_every_file(few):
    files = files_in(bytes_of(few))
    questions = lines_in(files["data/questions.jsonl"])
    drawn = few.instances.values_list("contradiction__external_id", "n")
    assert {(line["record_id"], line["n"]) for line in questions} == set(drawn)
    prompts = lines_in(files["data/prompts.jsonl"])
    assert {(line["record_id"], line["n"]) for line in prompts} == set(drawn)
    assert len(prompts) == 2 * 7
    published = json.loads(files["data/mills-few-muhlen-records.json"])
    of_records = [key for one in published for key in one["annotationResult"]]
    assert len([key for key in of_records if re.fullmatch(r"question\d", key)]) == 2
    assert (
        len(list(csv.reader(io.StringIO(files["data/mills-few-muhlen-questions.csv"].decode()))))
        == 3
    )
    assert "inspect/wikicontradict.py" in files
    text = files["README.md"].decode()
    assert "# Old mills, subset Few: Mühlen" in text
    assert "2 records, 2 questions, 1 questions left out" in text
    assert "drawn with the seed 7 from 3" in text
    assert "release page" not in text


def test_its_bytes_stay_while_the_collection_goes_on(few):
    before = bytes_of(few)
    newer(few.instances.first().contradiction)
    assert bytes_of(few) == before


def test_an_excluded_question_is_left_out(few):
    olga = person("olga", Role.RESEARCHER)
    for left, question in zip((1, 0), few.instances.order_by("pk"), strict=True):
        exclude(instance=question, reason="A slip", by=olga)
        if left:
            files = files_in(bytes_of(few))
            assert len(lines_in(files["data/questions.jsonl"])) == left
    with pytest.raises(Refusal, match="All questions of this subset are excluded"):
        spooled_bundle(few)


def test_a_question_of_a_withheld_record_is_left_out(few):
    hidden, left = (question.contradiction for question in few.instances.order_by("pk"))
    withhold([hidden], HIDDEN, by=None)
    files = files_in(bytes_of(few))
    assert [line["record_id"] for line in lines_in(files["data/questions.jsonl"])] == [
        left.external_id
    ]
    assert len(lines_in(files["data/records.jsonl"])) == 1


def test_a_protocols_subset_has_the_files_of_its_protocol():
    collection = conflictbank.collection(3)
    subset = freeze("one", collection, Query(), SubsetPlan(1, wanted={ALL: 1}), by=None)
    files = files_in(bytes_of(subset))
    [record_] = lines_in(files["data/records.jsonl"])
    question = Instance.objects.get(subsets=subset)
    assert record_["id"] == question.contradiction.external_id
    assert not [path for path in files if path.startswith("inspect/")]


def test_it_is_downloaded_from_the_page_of_the_subset(client, few):
    signed_in(client, person("rosa", Role.RESEARCHER))
    page = f"/collections/mills/subsets/{few.pk}/"
    assert f'href="{page}bundle/"' in client.get(page).content.decode()
    answer = client.get(f"{page}bundle/")
    assert answer["Content-Type"] == "application/zip"
    assert "mills-few-" in answer["Content-Disposition"]
    assert b"".join(answer.streaming_content) == bytes_of(few)
    assert AuditEvent.objects.filter(kind="export").count() == 1
