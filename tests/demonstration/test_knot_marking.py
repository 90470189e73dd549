"""KNOT's marking: what people say of drawn responses, next to the scorer, over five models."""

import pytest

from accounts.roles import Role
from datasets.models import Instance
from demonstration.examples import KNOT, load
from evaluation.report.methods import methods_paragraph
from evaluation.sections.study import study_report
from generation import protocol_prompts
from generation.models import Response, Run
from generation.states import ResponseState, RunState
from judging import rubric_versions, studies
from judging.selections import Selection
from judging.studies import StudyDesign
from tests.evaluation.factories import judge_all
from tests.factories import person, stored
from tests.judging.factories import language_model

pytestmark = pytest.mark.django_db
MODELS = ("antlion", "bittern", "civet", "dunlin", "egret")


def replies(of: int, record: dict, n: int) -> str:
    """Of the of-th model: the first questions right, one of them in a sentence, which no alias equals."""
    if n >= of:
        return "I cannot tell."
    return f"It is {record['answer']}." if n == 0 else f"{record['answer']}\nQuestion: Who?"


@pytest.fixture
def marked():
    """A closed study of the drawn questions: alice says right where the answer is in the reply."""
    collection, _ = load(KNOT)
    run = Run.objects.create(name="Marked", collection=collection, state=RunState.DONE)
    prompt = protocol_prompts.of_protocol(collection.protocol)["b1-1"]
    drawn = collection.subsets.get()
    asked = Instance.objects.filter(subsets=drawn).select_related("contradiction")
    Response.objects.bulk_create(
        Response(
            run=run,
            instance=question,
            model=language_model(name),
            prompt=prompt.name,
            prompt_hash=prompt.sha256,
            rendered="Q",
            state=ResponseState.DONE,
            text=replies(of, question.contradiction.fields, n),
            drawn={"shots": []},
        )
        for of, name in enumerate(MODELS)
        for n, question in enumerate(asked.order_by("contradiction__position"))
    )
    rubric = rubric_versions.versions("knot").get(name="knot-marking")
    design = StudyDesign(judges_per_response=1, rubric=rubric)
    study = studies.create(
        "Marking", Selection([run], subset=drawn), design, by=person("olga", Role.ADMIN)
    )
    studies.open_study(study, [person("alice", Role.JUDGE)])
    judge_all(study, lambda _, slot: "wrong" if "cannot" in slot.item.response.text else "right")
    studies.close_study(study)
    return stored(study)


def test_people_and_the_scorer_are_compared_over_the_models(marked):
    """Of 20 responses people find 10 right; the scorer does not see the 4 that are a sentence, unless contained."""
    report = study_report(marked)
    equal, contained = report["scores"]["validations"]
    assert (equal["labels"], equal["table"]) == (["wrong", "right"], [[10, 0], [4, 6]])
    assert [(one["people"], one["scorer"]) for one in equal["models"]] == [
        (0, 0), (1, 0), (2, 1), (3, 2), (4, 3),
    ]  # fmt: skip
    kappa = next(one for one in equal["coefficients"] if one["name"] == "cohen_kappa")
    assert kappa["value"] == pytest.approx(0.6)
    assert equal["correlation"]["pearson"] == pytest.approx(8 / 68**0.5)
    assert contained["table"] == [[10, 0], [0, 10]]
    assert contained["correlation"]["pearson"] == pytest.approx(1)
    said = methods_paragraph(report)
    assert "By “answer” and “memorised” an answer is right that equals a right one; by" in said
    assert said.count("abstaining is right") == said.count("Fisher's z") == 1
