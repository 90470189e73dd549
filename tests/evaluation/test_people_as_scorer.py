"""Verdicts of people as labels: in tables and populations, and next to a scorer on the same responses."""

import json

import pytest
from django.core.management import call_command
from pytest_django.asserts import assertContains
from sklearn.metrics import cohen_kappa_score

from accounts.roles import Role
from evaluation.archive.bundles import sealed, text_of
from evaluation.archive.recompute import Findings, check
from evaluation.frozen import publishing, snapshots
from evaluation.paper.latex import latex
from evaluation.report.display import read_display
from evaluation.report.layout import laid_out
from evaluation.rows.hashing import hashed_lines, rows_of
from evaluation.scorers.language import score_problems
from evaluation.sections.study import study_report
from evaluation.statistics.correlation import NO_SPREAD, TOO_FEW
from evaluation.tables.validations import validation_tables
from judging import studies
from judging.models import Study
from protocols.checking import all_problems
from protocols.declaration import ProtocolError
from protocols.reading import read_protocol
from tests import coded
from tests.evaluation.factories import exclude, judge_all
from tests.factories import person, signed_in

pytestmark = pytest.mark.django_db

MODELS = ("dingo", "emu", "quokka", "wombat", "numbat")
# Of ten free answers, how many people and the scorer call right.
PEOPLE, AUTOMATIC = (6, 5, 8, 3, 5), (6, 5, 8, 3, 5)


def recomputed(study, report):
    findings = Findings()
    body = json.loads(text_of(sealed(report)))
    check(body, b"".join(hashed_lines(study, report)), rows_of(study), findings)
    return findings


def same(who, slot, codes):
    """Both judges say what `codes` has for the response."""
    return codes(slot)


def marked(right=None, *, judged=None, models=MODELS, said=None, close=True, n=10):
    """A closed study of free answers: how many each model has right, and what people say of the n-th."""
    right = right or dict(zip(models, AUTOMATIC, strict=False))
    run = coded.answered(
        n, models, ["free"], lambda model, _, place: "right" if place < right[model] else "other",
        text=coded.MARKED,
    )  # fmt: skip
    study = coded.opened(coded.draft(run, "marks"))

    def choose(_, slot):
        response = slot.item.response
        place = response.instance.contradiction.position
        return said(response.model.model_id, place) if said else ""

    judge_all(study, choose, hand_in=close)
    if close:
        studies.close_study(study)
    return Study.objects.get(pk=study.pk)


def as_the_scorer(model, place):
    """As the scorer, but for the first, and of numbat the last two."""
    right = place < dict(zip(MODELS, AUTOMATIC, strict=True))[model]
    flipped = place == 0 or (model == "numbat" and place > 7)
    return "right" if right != flipped else "wrong"


def entry_of(study):
    [entry] = study_report(study)["scores"]["validations"]
    return entry


# ---------------------------------------------------------------- verdicts as labels


def error_tables(study):
    report = study_report(study)
    return report, {table["name"]: table for table in report["scores"]["tables"]}


@pytest.mark.both
def test_shares_of_codes_stand_by_condition():
    study = coded.coded(
        coded.answered(text=coded.MARKED), lambda who, slot: coded.CODES[slot.item.position % 3]
    )
    report, tables = error_tables(study)
    table = tables["errors"]
    assert table["lines"] == [["quokka"], ["wombat"]]
    finals = study.items.filter(resolution__verdict="ignored", response__model__model_id="quokka")
    conditions = [item.response.instance.contradiction.fields["condition"] for item in finals]
    figures = {
        (figure["line"], figure["column"]): figure
        for figure in table["figures"]
        if figure["measure"] == "ignored"
    }
    assert [figures[0, n]["k"] for n in (0, 1)] == [
        conditions.count(name) for name in coded.CONDITIONS
    ]
    assert figures[0, 0]["n"] == 6
    assert figures[0, 2]["k"] == len(conditions)
    assert figures[0, 0]["states"] == {}
    assert recomputed(study, report).wrong == []


def test_where_no_verdict_stands_a_response_is_unjudged_and_in_no_share():
    """Alice and bob differ on every fourth; nobody resolves it."""
    study = coded.coded(coded.answered(text=coded.MARKED))
    report, tables = error_tables(study)
    open_ones = study.judged_items.filter(resolution=None).count()
    assert open_ones
    whole = [
        f for f in tables["errors"]["figures"] if f["column"] == 2 and f["measure"] == "ignored"
    ]
    assert sum(figure["states"].get("unjudged", 0) for figure in whole) == open_ones
    assert sum(figure["n"] for figure in whole) == 24 - open_ones
    assert recomputed(study, report).wrong == []


@pytest.mark.both
def test_the_script_counts_people_by_the_rows_of_verdicts():
    study = coded.coded(coded.answered(text=coded.MARKED))
    report = study_report(study)
    lines = [json.loads(line) for line in hashed_lines(study, report)]
    columns = rows_of(study)["columns"]
    for line in lines:
        if line[0] == "score" and "codes" in line:
            line[1 + columns["score"].index("label")] = "other"
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    findings = Findings()
    check(json.loads(text_of(sealed(report))), data, rows_of(study), findings)
    assert [wrong for wrong in findings.wrong if "hash" not in wrong] == []


def test_a_study_of_another_rubric_has_no_table_of_codes():
    study = marked(models=("emu",), said=lambda model, place: "right")
    _, tables = error_tables(study)
    assert "errors" not in tables


def test_a_response_shows_its_verdict_among_its_scores(client):
    study = coded.coded(coded.answered(n=2, text=coded.MARKED), lambda who, slot: "knowledge")
    signed_in(client, person("rita", Role.RESEARCHER))
    page = client.get(f"/reports/{study.pk}/rows/?scored=codes%3Dknowledge")
    assertContains(page, "knowledge")
    assert study.judged_items.count() == 4


# ---------------------------------------------------------------- next to a scorer


@pytest.mark.both
def test_people_and_scorer_on_the_same_responses():
    study = marked(said=as_the_scorer)
    report = study_report(study)
    entry = entry_of(study)
    assert entry["labels"] == ["wrong", "right"]
    rows = [(model, place) for model in MODELS for place in range(10)]
    scorer = [
        "right" if place < dict(zip(MODELS, AUTOMATIC, strict=True))[model] else "wrong"
        for model, place in rows
    ]
    people = [as_the_scorer(*row) for row in rows]
    agreed, kappa = entry["coefficients"]
    assert agreed["value"] == sum(a == b for a, b in zip(people, scorer, strict=True)) / 50
    assert kappa["value"] == pytest.approx(cohen_kappa_score(people, scorer))
    assert [(one["model"], one["people"], one["scorer"]) for one in entry["models"]] == [
        ("dingo", 5, 6), ("emu", 4, 5), ("numbat", 6, 5), ("quokka", 7, 8), ("wombat", 2, 3),
    ]  # fmt: skip
    made = entry["correlation"]
    assert made["n"] == 5
    assert 0.8 < made["pearson"] < 1
    assert made["low"] < made["pearson"] < made["high"]
    findings = recomputed(study, report)
    assert findings.wrong == []
    assert not [
        path for path in findings.unchecked if "validations" in path and ".coefficients" not in path
    ]


def test_it_is_on_the_page_and_in_latex(client):
    study = marked(said=as_the_scorer)
    signed_in(client, person("rita", Role.RESEARCHER))
    page = client.get(f"/reports/{study.pk}/")
    assertContains(page, "Marking by people next to exact match")
    assertContains(page, "Correlation of the two shares over 5 models: Pearson 0.")
    assertContains(page, "95 % by Fisher&#x27;s z")
    text = page.content.decode()
    assert text.index('id="result"') < text.index('id="verdicts"') < text.index('id="scores"')
    report = study_report(study)
    source = latex(report, read_display({}, report))
    assert "Marking by people next to exact match. People (marks) in rows" in source
    assert "the scorer's label of the same response. Ours: in no paper.}" in source
    assert "over 5 models" in source
    [*_, models] = laid_out(report, {})["score_tables"]
    assert models.title == "Marking by people next to exact match, by model"
    assert [line.cells[0].k for line in models.groups[0].lines] == [10] * 5


def test_it_is_on_the_published_page_and_in_the_command(client, capsys):
    study, rita = marked(said=as_the_scorer), person("rita", Role.RESEARCHER)
    snapshot, _ = snapshots.freeze(study, by=rita)
    shown = publishing.publish(snapshot, by=rita)
    page = client.get(f"/published/{shown.pk}/{shown.token}/")
    assertContains(page, "Correlation of the two shares over 5 models")
    call_command("report", study.slug)
    printed = capsys.readouterr().out
    assert "Marking by people next to exact match" in printed
    assert "50 with both labels" in printed
    assert "Pearson 0." in printed
    assert "Ours: in no paper." in printed


def test_a_study_half_judged_counts_the_rest_as_unjudged():
    study = marked(
        said=lambda model, place: as_the_scorer(model, place) if place < 5 else "", close=False
    )
    entry = entry_of(study)
    assert entry["n"] == 0
    assert entry["states"]["people"] == {"unjudged": 50}
    studies.close_study(study)
    entry = entry_of(Study.objects.get(pk=study.pk))
    assert (entry["n"], entry["states"]["people"]) == (25, {"unjudged": 25})
    assert {one["n"] for one in entry["models"]} == {5}


def test_one_model_has_no_correlation_and_the_reason():
    entry = entry_of(
        marked(models=("emu",), said=lambda model, place: "right" if place else "wrong")
    )
    assert entry["correlation"]["pearson"] is None
    assert entry["correlation"]["reason"] == TOO_FEW
    assert entry["n"] == 10


def test_equal_scores_have_no_correlation_and_the_reason():
    right = dict.fromkeys(MODELS, 5)
    entry = entry_of(marked(right, said=as_the_scorer))
    assert entry["correlation"]["reason"] == NO_SPREAD.format("the scorer")


def test_excluded_questions_are_beside():
    study = marked(said=as_the_scorer)
    exclude(study, 0)
    entry = entry_of(Study.objects.get(pk=study.pk))
    assert (entry["n"], entry["states"]["people"]) == (45, {"excluded": 5})
    table, _ = validation_tables(study_report(Study.objects.get(pk=study.pk)))
    assert "By people: 5 excluded with their question." in table.about


def test_responses_that_the_scorer_chose_are_not_compared_with_it():
    study = marked(models=("emu",), said=as_the_scorer)
    Study.objects.filter(pk=study.pk).update(only_label="exact=right")
    assert study_report(Study.objects.get(pk=study.pk))["scores"]["validations"] == []


def test_a_verdict_on_a_text_of_the_record_stands_next_to_each_models_response():
    """One run has the texts, the other the models' answers; one study has both."""
    texts = coded.given(6, "stands", coded.MARKED)
    right = {"emu": 4, "quokka": 2}
    answers = coded.answered(
        6, [*right], ["closed"], lambda model, _, place: "right" if place < right[model] else "other",
        text=coded.MARKED,
    )  # fmt: skip
    design = studies.StudyDesign(seed=7, rubric=coded.rubric_named("stands"))
    study = studies.create("Both", studies.Selection([texts, answers]), design, by=person("maya"))
    study = coded.opened(study)
    judge_all(
        study,
        lambda who, slot: (
            "right" if slot.item.response.instance.contradiction.position < 3 else "other"
        ),
    )
    studies.close_study(study)
    study = Study.objects.get(pk=study.pk)
    assert study.judged_items.count() == 6
    report = study_report(study)
    [entry] = report["scores"]["validations"]
    by_model = {one["model"]: (one["n"], one["people"], one["scorer"]) for one in entry["models"]}
    assert by_model == {"emu": (6, 3, 4), "quokka": (6, 3, 2)}
    assert entry["correlation"]["reason"] == TOO_FEW
    assert recomputed(study, report).wrong == []


# ---------------------------------------------------------------- what is wrong with a declaration


MARKS = 'kind = "people"\nrubric = "marks"'
EXACT, RIGHT = 'scorer = "exact"\nlabel', 'scorer = "exact"\nlabel = "right"'


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (MARKS, 'kind = "people"\nrubric = "scores"', "rubric: there is no rubric 'scores'."),
        (MARKS, 'kind = "people"', "rubric is missing."),
        (MARKS, f'{MARKS}\ngold = ["golds"]', "this is no key of [scorer]"),
        ('key = "other", label = "Other" },\n]', 'key = "missing", label = "Other" },\n]',
         "its verdict 'missing' means something else in scores."),
        ('people = "marks"', 'people = "judges"', "people: there is no scorer 'judges'."),
        (EXACT, 'scorer = "squad"\nlabel', "scorer: there is no scorer 'squad'."),
        ('people = "marks"', 'people = "exact"', "people: 'exact' is no scorer of kind people."),
        (EXACT, 'scorer = "codes"\nlabel', "scorer: 'codes' is a scorer of kind people."),
        (RIGHT, f'{EXACT} = "fine"', "label: 'fine' is no label of marks, which has wrong, right."),
        (RIGHT, f'{EXACT} = "other"', "label: 'other' is no label of exact, which has right, wrong."),
        ('people = "marks"\nscorer = "exact"', 'people = "marks"\nscorer = "answer"',
         "people judge no prompt that the scorer reads."),
        ('by = "record"', 'by = "model"', "by: 'model' is none of response, record."),
        ('{ scorer = "codes", label = "knowledge" }', '{ scorer = "codes", label = "right" }',
         "'right' is none of ignored, knowledge, other."),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_key(old, new, sentence):
    start = (
        coded.MARKED.index('name = "codes"')
        if "missing" in new
        else coded.MARKED.index('name = "free"')
    )
    text = coded.MARKED[:start] + coded.MARKED[start:].replace(old, new)
    assert text != coded.MARKED
    if "missing" in new:
        text = text.replace('\nother = ["Anything else."]', '\nmissing = ["Anything else."]')
    with pytest.raises(ProtocolError) as refused:
        read_protocol(text.encode(), all_problems)
    assert any(sentence in str(problem) for problem in refused.value.problems), (
        refused.value.problems
    )


def test_the_whole_declaration_has_no_mistake():
    assert score_problems(read_protocol(coded.MARKED.encode(), all_problems)) == []
