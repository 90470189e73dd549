"""The page that brings in a human evaluation."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.roles import Role
from datasets.models import Collection
from datasets.readers import json_text
from generation.models import Response
from judging.models import Study
from tests.factories import PASSWORD, person
from tests.judging import humanfile

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/import/"


@pytest.fixture
def olga(client):
    someone = person("olga", Role.ADMIN)
    client.login(username="olga", password=PASSWORD)
    return someone


def bring(client, data, name="Abbeys judged", **fields):
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    file = SimpleUploadedFile("abbeys.json", content, "application/json")
    return client.post(ADDRESS, {"name": name, "file": file, **fields})


def text(answer):
    return answer.content.decode()


def nothing_is_stored():
    return not (Study.objects.exists() or Collection.objects.exists() or Response.objects.exists())


def test_a_file_becomes_a_study_of_the_person_who_uploads_it(client, olga):
    answer = bring(client, humanfile.data())
    study = Study.objects.get()
    assert answer["Location"] == f"/studies/{study.pk}/"
    assert (study.name, study.created_by, study.is_imported) == ("Abbeys judged", olga, True)
    page = text(client.get(answer["Location"]))
    assert "Imported: 30 responses of 2 models to 3 questions, 0 of them without a label" in page
    assert "Kept as in the file" in page
    assert "no first verdicts" in text(client.get(f"/reports/{study.pk}/")).lower()


def test_the_same_file_again_adds_nothing(client, olga):
    bring(client, humanfile.data())
    page = text(client.get(bring(client, humanfile.data())["Location"]))
    assert "nothing was added" in page
    assert Study.objects.count() == 1


def test_every_place_at_fault_is_listed_and_nothing_is_stored(client, olga):
    data = humanfile.data()
    data["quokka-7b"][0]["ModelAnswer_prompt_0_humanEval"] = "Perfect"
    del data["wombat-13b"][1]["question1"]
    answer = bring(client, data)
    page = text(answer)
    assert answer.status_code == 400
    assert "Perfect" in page
    assert "question1" in page
    assert "Nothing was stored" in page
    assert 'value="Abbeys judged"' in page
    assert nothing_is_stored()


def test_a_missing_row_needs_a_word(client, olga):
    data = humanfile.data()
    data["quokka-7b"].pop()
    assert bring(client, data).status_code == 400
    assert nothing_is_stored()
    page = text(client.get(bring(client, data, allow_missing="on")["Location"]))
    assert "quokka-7b" in page


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"[", "not JSON"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"{}", "model"),
        (b"PK\x03\x04zip", "not"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_a_sentence(client, olga, content, words):
    answer = bring(client, content)
    assert answer.status_code == 400
    assert words in text(answer)
    assert nothing_is_stored()


def test_a_file_that_is_too_large_is_refused_before_it_is_read(client, olga, monkeypatch):
    monkeypatch.setattr("judging.forms.study_forms.MAX_BYTES", 100)
    monkeypatch.setattr(json_text, "MAX_BYTES", 100)
    assert "larger than" in text(bring(client, humanfile.data()))
    assert nothing_is_stored()


def test_another_file_needs_another_name(client, olga):
    bring(client, humanfile.data())
    answer = bring(client, humanfile.data("emu-3b"))
    assert answer.status_code == 400
    assert "Choose another name" in text(answer)
    assert Study.objects.count() == 1


def test_markup_in_a_file_stays_text(client, olga):
    data = humanfile.data()
    for rows in data.values():
        for row in rows:
            row["title"] = "<script>alert(1)</script>"
    study_page = bring(client, data)["Location"]
    for address in (study_page, f"/reports/{Study.objects.get().pk}/rows/"):
        assert "<script>alert" not in text(client.get(address))
