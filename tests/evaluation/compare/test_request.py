"""Comparisons that a researcher chooses."""

import pytest

from evaluation.compare.request import AskedComparison, read_comparison
from leases.refusal import Refusal
from tests.evaluation.factories import SCALE, judged_study, resolve_all

PROMPTS = ("internal-knowledge", "both-passages")


def asked(models=(), **query):
    given = {"kind": "prompts", "first": PROMPTS[0], "second": PROMPTS[1], "verdict": "correct"}
    return read_comparison(
        {**given, **query}, models, prompts=PROMPTS, verdicts=SCALE, known_models=[3, 5]
    )


def test_a_question_is_a_family_of_its_own():
    family = asked(margin="10").family
    assert (family.kind, family.prompts, family.margin) == ("prompts", (PROMPTS,), 0.1)


@pytest.mark.parametrize(
    ("margin", "share"), [("", None), (" 5 ", 0.05), ("2,5", 0.025), ("0.5", 0.005)]
)
def test_a_margin_in_points(margin, share):
    result = asked(margin=margin).margin
    assert result is share if share is None else result == pytest.approx(share)


@pytest.mark.parametrize("margin", ["0", "-3", "100", "ten", "nan", "inf", "1e9"])
def test_a_margin_that_is_none(margin):
    with pytest.raises(Refusal, match="percentage points above 0 and below 100"):
        asked(margin=margin)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"kind": "everything"}, "kind=everything is not known"),
        ({"first": "passage-9"}, "first=passage-9 is not known"),
        ({"second": ""}, "second= is not known"),
        ({"second": PROMPTS[0]}, "not the same"),
        ({"verdict": "great"}, "verdict=great is not known"),
    ],
)
def test_what_cannot_be_asked(query, words):
    with pytest.raises(Refusal, match=words):
        asked(**query)


def test_one_prompt_is_enough_to_compare_models():
    assert asked(kind="models", second="").family.prompts == ((PROMPTS[0],),)
    assert asked(["5", "3"], kind="models") == AskedComparison(
        "models", PROMPTS[0], PROMPTS[1], "correct", (3, 5)
    )


@pytest.mark.parametrize("models", [["9"], ["x"], ["\N{SUPERSCRIPT THREE}"], ["9" * 30]])
def test_a_model_of_another_study(models):
    with pytest.raises(Refusal, match="no responses of such a model"):
        asked(models)


def test_one_model_cannot_be_compared_with_itself():
    with pytest.raises(Refusal, match="two models or more"):
        asked(["3"], kind="models")


# ---------------------------------------------------------------- the page

QUESTION = {"kind": "prompts", "first": PROMPTS[0], "second": PROMPTS[1], "verdict": "correct"}


@pytest.fixture
def study(db):
    result = judged_study()
    resolve_all(result, "incorrect")
    return result


@pytest.mark.both
def test_an_answer_counts_what_a_separate_count_finds(study, client, rita):
    result = client.get(f"/reports/{study.pk}/compare.json", QUESTION).json()["comparisons"]
    (family,) = result["families"]
    for row in family["rows"]:
        of = study.items.filter(response__model__model_id=row["model"])
        for prompt, side in zip(PROMPTS, ("1", "2"), strict=True):
            right = of.filter(response__prompt=prompt, resolution__verdict="correct").count()
            assert (row[f"k_{side}"], row[f"n_{side}"]) == (right, 4)
    assert len(family["rows"]) == 2


@pytest.mark.both
def test_only_the_chosen_models_are_compared(study, client, rita):
    model = study.items.first().response.model
    result = client.get(f"/reports/{study.pk}/compare.json", {**QUESTION, "model": model.pk}).json()
    assert [row["model"] for row in result["comparisons"]["families"][0]["rows"]] == [
        model.model_id
    ]


def test_the_page_answers_in_a_table_and_in_words(study, client, rita):
    page = client.get(f"/reports/{study.pk}/compare/", {**QUESTION, "margin": "10"})
    text = page.content.decode()
    assert page.status_code == 200
    assert "margin 10 points" in text
    assert "under prompt 4" in text


def test_a_question_that_cannot_be_asked_keeps_what_was_entered(study, client, rita):
    page = client.get(f"/reports/{study.pk}/compare/", {**QUESTION, "margin": "all of it"})
    assert page.status_code == 400
    assert "all of it" in page.content.decode()
    assert "percentage points" in page.content.decode()


@pytest.mark.both
def test_links_lead_to_as_many_rows(study, client, rita):
    page = client.get(f"/reports/{study.pk}/compare/", QUESTION)
    for _, _, _, cell in page.context["families"][0].table.cells:
        if cell.rows:
            rows = client.get(f"/reports/{study.pk}/rows/{cell.rows}")
            assert rows.context["page"].paginator.count == cell.k


def test_a_study_without_final_verdicts_has_nothing_to_compare(client, rita):
    study = judged_study(
        "alice", "bob", choose=lambda who, _: "correct" if who == "bob" else "incorrect"
    )
    page = client.get(f"/reports/{study.pk}/compare/", QUESTION)
    assert "This comparison is not possible." in page.content.decode()
