"""Templates of one technique for different models are one row of a table, by their tags."""

import pytest

from evaluation.sections.study import study_report
from generation.models import Response, Run
from generation.states import ResponseState, RunState
from tests.evaluation.scored import scored_study
from tests.generation.declared_collections import collection_of
from tests.generation.knot_templates import HEAD, prompts_of, record
from tests.judging.factories import language_model

pytestmark = [pytest.mark.both, pytest.mark.django_db]

OPTIONS = """
[[field]]
name = "metals"
type = "list"
[[field]]
name = "right"
type = "letter"
of = "metals"
"""
# What each model is asked by: the template made for it, under the same tags.
PROMPT = """
[[prompt]]
name = "%s"
label = "%s"
title = "Chat template"
tags = { technique = "%s" }
origin = "ours"
answer = "scores"
options = ["A", "B"]
text = "%s {question} A. {metals.1} B. {metals.2}"
"""
TABLE = """
[[scorer]]
name = "letter"
kind = "option"
labels = { right = "right" }
[[measure]]
name = "accuracy"
title = "Right answers"
label = "Right"
share = { scorer = "letter", label = "right" }
[[table]]
name = "techniques"
title = "By technique"
origin = "ours"
rows = ["technique"]
columns = ["level"]
cells = ["accuracy"]
"""
TEMPLATES = (
    ("for-quokka", "Q", "plain", "<s>"),
    ("for-wombat", "W", "plain", "[INST]"),
    ("hard", "H", "instructed", "Think."),
)


def test_templates_with_the_same_tags_are_counted_in_one_row():
    text = HEAD + OPTIONS + "".join(PROMPT % of for of in TEMPLATES) + TABLE
    records = [record(n, metals=["bronze", "tin"], right="A") for n in range(1, 5)]
    of = collection_of(text, records)
    prompts = prompts_of(of)
    run = Run.objects.create(name="R", collection=of, state=RunState.DONE)
    asked = [("quokka", "for-quokka", "AAAB"), ("wombat", "for-wombat", "ABBB")]
    asked += [("quokka", "hard", "BBBB")]
    questions = [record.instances.get() for record in of.contradictions.order_by("position")]
    Response.objects.bulk_create(
        Response(
            run=run,
            instance=question,
            model=language_model(model),
            prompt=prompts[name].name,
            prompt_hash=prompts[name].sha256,
            rendered="Q",
            text=letter,
            state=ResponseState.DONE,
        )
        for model, name, letters in asked
        for question, letter in zip(questions, letters, strict=True)
    )
    [table] = study_report(scored_study(run))["scores"]["tables"]
    figures = [(one["k"], one["n"]) for one in table["figures"]]
    assert (table["lines"], figures) == ([["plain"], ["instructed"]], [(4, 8), (0, 4)])
