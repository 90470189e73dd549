"""An invented file of the published kind: two models' answers to three questions, as plain data."""

from typing import Any

QUESTIONS = {
    3: ("When was Abbey 3 founded?", " 1103", "1203", "Different", "Explicit"),
    1: ("Was Abbey 1 ever burnt?", "Yes", "No", "Different", "Implicit (reasoning required)"),
    7: ("How high is Abbey 7?", "40 m", "42 m", "Same", "unknown"),
}
LABELS = ("Correct", "Partially correct", "Incorrect", "Correct", "Partially correct")


def row(model: str, number: int, **changed: Any) -> dict[str, Any]:
    question, one, two, same, type_4 = QUESTIONS[number]
    contexts = (f"Abbey {number} is {one}.", f"Abbey {number} is {two}.")
    if same == "Same":
        contexts = (contexts[0], contexts[0])
    golds = {0: f"{one} | {two}", 1: one, 2: two, 3: f"{one} | {two}", 4: f"{one} | {two}"}
    record: dict[str, Any] = {
        "modelName": f"{model}_annotated",
        "title": f"Abbey {number}",
        "url": f"https://en.wikipedia.org/wiki/Abbey_{number}",
        "question_ID": number,
        "question1": question,
        "question1_context1": contexts[0],
        "question1_context2": contexts[1],
        "question1_answer1": one,
        "question1_answer2": two,
        "samepassage": same,
        "taxonomy-contradictTypeI": "(DiscourseLevel) Event/Relation-related ",
        "taxonomy-contradictTypeII": "Text - Text",
        "taxonomy-contradictTypeIII": "Within the same article",
        "taxonomy-contradictTypeIV": type_4,
    }
    for place, label in enumerate(LABELS):
        text = f"\n{model} says {one} to {place}."
        record |= {
            f"ModelInput_prompt_{place}": text if place == 1 else f"Question: {question}\n",
            f"ModelAnswer_prompt_{place}": text,
            f"goldAnswer_prompt_{place}": golds[place],
            f"ModelAnswer_prompt_{place}_humanEval": label,
        }
    return record | changed


def data(*models: str) -> dict[str, list[dict[str, Any]]]:
    """Every question for each model (quokka-7b and wombat-13b by default)."""
    names = models or ("quokka-7b", "wombat-13b")
    return {model: [row(model, number) for number in QUESTIONS] for model in names}
