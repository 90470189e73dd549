"""The published human evaluation as rows, and back."""

import json
from collections import Counter

import pytest

from accounts.roles import Role
from datasets.models import Collection, Contradiction, Instance
from generation import registry
from generation.models import LanguageModel, Response, Run
from judging.files import exporting
from judging.files.importing import import_human_evaluation
from judging.models import ImportedRow, Judge, JudgingSlot, Resolution, Study, StudyItem
from judging.presenting import response_view
from judging.rules import rubric
from leases.refusal import Conflict, Refusal
from tests.factories import person
from tests.judging import factories as make
from tests.judging import humanfile

pytestmark = pytest.mark.django_db

ROWS = (
    Collection, Contradiction, Instance, LanguageModel, Run, Response, Study, StudyItem, Resolution,
    ImportedRow,
)  # fmt: skip


def bring(data, name="Abbeys judged", **options):
    return import_human_evaluation(json.dumps(data).encode(), name, **options)


def all_counts():
    return {model.__name__: model.objects.count() for model in ROWS}


@pytest.fixture
def sample(study_file):
    return study_file("wikicontradict/humaneval_sample.json").read_bytes()


def test_a_file_with_nulls_and_numbers_with_a_point_is_the_file_without():
    loose, strict = humanfile.data(), humanfile.data()
    for given, empty in ((loose, None), (strict, "")):
        given["wombat-13b"][2] |= {"ModelAnswer_prompt_1_humanEval": empty, "url": empty}
    for row in loose["quokka-7b"]:
        row["question_ID"] = float(row["question_ID"])
    report = bring(loose)
    assert (report.is_new, report.unlabelled) == (True, 1)
    assert not bring(loose).is_new
    assert not bring(strict).is_new
    assert exporting.published_data(report.study) == strict


@pytest.mark.both
def test_the_published_sample_comes_in_as_its_own_lines_count_it(sample):
    report = import_human_evaluation(sample, "Published")
    labels, questions = Counter(), set()
    for model, rows in json.loads(sample).items():
        for row in rows:
            questions.add(row["question_ID"])
            for n in range(5):
                label = row[f"ModelAnswer_prompt_{n}_humanEval"]
                type_4 = row["taxonomy-contradictTypeIV"]
                labels[model, str(n + 1), type_4, label.lower()] += 1
    counts = Counter()
    by_label = {"internal-knowledge": "1", "passage-1": "2", "passage-2": "3", "both-passages": "4"}
    for item in report.study.items.select_related(
        "response__model", "response__instance__contradiction", "resolution"
    ):
        response = item.response
        number = by_label.get(response.prompt, "5")
        type_4 = response.instance.contradiction.type_4
        counts[response.model.model_id, number, type_4, item.resolution.verdict] += 1
    assert counts == labels
    assert sum(counts.values()) == report.responses == 250
    numbers = Instance.objects.values_list("external_number", flat=True)
    assert sorted(numbers) == sorted(questions)


@pytest.mark.both
def test_the_published_sample_goes_out_equal(sample):
    study = import_human_evaluation(sample, "Published").study
    assert json.loads(exporting.published_text(study)) == json.loads(sample)


def test_only_what_no_column_holds_is_kept_next_to_the_rows(sample):
    report = import_human_evaluation(sample, "Published")
    assert report.kept == {"ModelInput_prompt_1": 50}
    overwritten = Response.objects.filter(rendered="")
    assert set(overwritten.values_list("prompt", flat=True)) == {"passage-1"}
    assert set(overwritten.values_list("prompt_hash", flat=True)) == {""}
    assert not Response.objects.exclude(rendered="").filter(prompt_hash="").exists()
    # Two questions were reworded for two of the models; each such response has its own passages.
    assert Response.objects.exclude(passages=None).count() == 2 * 2 * 5


def test_an_import_has_imported_models_and_verdicts_and_no_first_ones():
    study = bring(humanfile.data()).study
    assert study.is_imported
    assert study.state == "closed"
    assert set(LanguageModel.objects.values_list("service", "model_id")) == {
        ("", "quokka-7b"), ("", "wombat-13b"),
    }  # fmt: skip
    assert Run.objects.get().state == "imported"
    assert set(Resolution.objects.values_list("how", flat=True)) == {"imported"}
    assert make.those_marked_final() == set(Resolution.objects.values_list("item", flat=True))
    assert (Judge.objects.count(), JudgingSlot.objects.count()) == (0, 0)


def test_a_published_text_is_shown_as_it_was_released_and_never_held():
    text = "<answer>12 m</answer> <|a|> Answer: \\boxed{3}.<|im_end|>"
    data = humanfile.data()
    data["quokka-7b"][0]["ModelAnswer_prompt_0"] = text
    bring(data)
    response = Response.objects.get(text=text)
    assert not Response.objects.filter(held=True).exists()
    registry.choose_marks(response.model, "", False)
    response.refresh_from_db()
    assert (response.text, bool(response.held)) == (text, False)


@pytest.mark.both
def test_importing_twice_adds_nothing():
    first = bring(humanfile.data())
    before = all_counts()
    second = bring(humanfile.data())
    assert (first.is_new, second.is_new) == (True, False)
    assert second.study == first.study
    assert all_counts() == before


@pytest.mark.both
def test_the_same_name_for_another_file_is_refused():
    bring(humanfile.data())
    before = all_counts()
    other = humanfile.data()
    other["quokka-7b"][0]["ModelAnswer_prompt_0"] = "Something else"
    with pytest.raises(Conflict, match="Choose another name"):
        bring(other)
    assert all_counts() == before


def test_every_import_has_a_collection_of_its_own():
    Collection.objects.create(name="abbeys-judged")
    first = bring(humanfile.data())
    second = bring(humanfile.data(), "Abbeys judged again")
    names = [
        study.items.first().response.run.collection.name for study in (first.study, second.study)
    ]
    assert names == ["abbeys-judged-2", "abbeys-judged-again"]
    assert Instance.objects.count() == 6


def test_a_model_of_that_name_from_a_service_stays_another_one():
    theirs = LanguageModel.objects.create(
        service="here", model_id="quokka-7b", options_hash="0" * 64
    )
    bring(humanfile.data())
    assert LanguageModel.objects.filter(model_id="quokka-7b").count() == 2
    assert not theirs.responses.exists()


@pytest.mark.parametrize(
    "changed",
    [
        {"question1_context2": "Other words", "title": "Abbey III"},
        {"goldAnswer_prompt_3": "1103 or 1203"},
        {"ModelAnswer_prompt_3_humanEval": ""},
        {"ModelAnswer_prompt_0": '=HYPERLINK("x") <script>alert(1)</script>'},
        {"question1_context1": "", "question1_context2": ""},
    ],
)
def test_a_file_with_rows_of_their_own_goes_out_equal(changed):
    data = humanfile.data()
    data["wombat-13b"][0].update(changed)
    study = bring(data).study
    assert json.loads(exporting.published_text(study)) == data


def test_an_answer_without_a_label_stays_without_a_verdict():
    data = humanfile.data()
    del data["wombat-13b"][0]["ModelAnswer_prompt_3_humanEval"]
    report = bring(data)
    assert report.unlabelled == 1
    assert report.study.items.filter(resolution=None).count() == 1
    assert json.loads(exporting.published_text(report.study)) == data


def test_a_file_with_a_row_missing_comes_in_when_allowed():
    data = humanfile.data()
    del data["wombat-13b"][1]
    with pytest.raises(Refusal):
        bring(data)
    assert all_counts() == dict.fromkeys(all_counts(), 0)
    report = bring(data, allow_missing=True)
    assert report.missing == [
        "model 'wombat-13b': has no row for question_ID 1, which other models have"
    ]
    assert exporting.published_data(report.study) == data


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"{", "not JSON"),
        (b"", "is empty"),
        (b"\xff\xfe{", "not UTF-8"),
        (b'{"quokka-7b": [], "quokka-7b": []}', 'the key "quokka-7b" twice'),
        (b'{"quokka-7b": NaN}', "NaN"),
    ],
)
def test_what_is_no_such_file_is_refused_and_nothing_stored(data, sentence):
    with pytest.raises(Refusal, match=sentence):
        import_human_evaluation(data, "Abbeys judged")
    assert all_counts() == dict.fromkeys(all_counts(), 0)


@pytest.mark.parametrize("name", ["", "  ", "x" * 121])
def test_a_study_needs_a_name_that_fits(name):
    with pytest.raises(Refusal, match="1 to 120 characters"):
        bring(humanfile.data(), name)


def test_a_name_without_letters_still_gets_a_collection():
    assert bring(humanfile.data(), "修道院").study.slug == "study"


def test_imported_responses_can_be_judged_anew_on_what_each_model_was_given():
    data = humanfile.data()
    data["wombat-13b"][0]["question1_context1"] = "Other words"
    run = bring(data).study.items.first().response.run
    study = make.open_study(drawn_from=run)
    shown = {
        (view.text, passage.text)
        for slot in make.slots(study, make.judge("alice"))
        for view in [response_view(slot.item.response, rubric.parse(study.rubric.body))]
        for passage in view.passages
        if slot.item.response.prompt == "passage-1"
    }
    assert ("\nwombat-13b says  1103 to 1.", "Other words") in shown
    assert ("\nquokka-7b says  1103 to 1.", "Abbey 3 is  1103.") in shown


def test_types_are_the_options_chosen_and_an_unknown_one_is_none():
    study = bring(humanfile.data()).study
    tags = {
        instance.external_number: instance.contradiction
        for instance in Instance.objects.select_related("contradiction")
    }
    assert ["Contradict type IV", "Explicit"] in tags[3].taxonomy
    assert (tags[7].type_4, len(tags[7].taxonomy)) == ("unknown", 3)
    assert exporting.published_data(study) == humanfile.data()


@pytest.mark.parametrize(
    ("label", "sentence"), [("", "no verdict on 1 response."), ("Correct", "")]
)
def test_the_pages_say_what_the_file_lacks(client, label, sentence):
    data = humanfile.data()
    data["quokka-7b"][0]["ModelAnswer_prompt_0_humanEval"] = label
    study = bring(data).study
    client.force_login(person("rosa", Role.RESEARCHER, Role.ADMIN))
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert ("no verdict on" in page) == bool(sentence)
    assert sentence in page
    response = Response.objects.get(prompt="passage-1", order=1)
    page = client.get(f"/runs/{response.run_id}/responses/{response.pk}/").content.decode()
    assert "Not known: the imported file does not contain it." in page
    assert "Sent elsewhere; the response was imported." in page
    tag = response.instance.contradiction_id
    assert "(no. 3 in the imported file)" in client.get(f"/contradictions/{tag}/").content.decode()
