"""What goes into a paper: LaTeX tables and the paragraph on methods."""

import json
import re

import pytest

from evaluation.paper.latex import latex
from evaluation.report.display import read_display
from evaluation.report.methods import methods_paragraph
from evaluation.report.study_facts import study_facts
from evaluation.sections.study import study_report
from evaluation.tables import sentences
from judging import studies, verdicts
from judging.models import JudgingSlot, Study
from leases.refusal import Refusal
from tests.evaluation import frozen
from tests.evaluation.factories import exclude, judged_study, resolve_all, run_of_all_kinds
from tests.judging import factories as judging


@pytest.fixture
def report():
    return frozen.body()


def source(report, **query):
    return latex(report, read_display(query, report))


def check(text):
    """What LaTeX would stumble over: braces, environments, cells a row, letters with a meaning."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert code.count("{") == code.count("}")
    # A row that begins so gives its beginning to the \\ before it.
    assert not re.search(r"\\\\\s*\[|\\\\\s+\*", code)
    opened = re.findall(r"\\begin\{(\w+)\}", code)
    assert sorted(opened) == sorted(re.findall(r"\\end\{(\w+)\}", code))
    found = list(tables(code))
    assert found
    for rows, widths in found:
        for row in rows:
            spans = [
                int(re.search(r"\\multicolumn\{(\d+)\}|$", cell)[1] or 1)
                for cell in re.split(r"(?<!\\)&", row)
            ]
            assert sum(spans) == len(widths) or r"\caption" in row, row
    assert not re.search(r"(?<!\\)[%#~^]", code.replace(r"\textasciitilde", ""))
    assert not re.search(r"(?<!\\)_", code)


def tables(code):
    """Each table's rows, and the widths of its columns in points."""
    for _, columns, inside in re.findall(
        r"\\begin\{(tabular|longtable)\}\{@\{\}\n(.*?)\n@\{\}\}(.*?)\\end\{\1\}", code, re.DOTALL
    ):
        rows = [line for line in inside.splitlines() if line.endswith(r"\\")]
        yield rows, [float(width) for width in re.findall(r"p\{([\d.]+)pt\}", columns)]


def called(report, old, new):
    """The report with another name of a model, wherever it stands."""
    return json.loads(json.dumps(report).replace(json.dumps(old), json.dumps(new)))


@pytest.mark.parametrize("form", ["compact", "full"])
def test_the_source_is_sound(form, report):
    text = source(report, form=form)
    check(text)
    assert "booktabs" in text
    assert text.count(r"\toprule") >= 1
    labels = re.findall(r"\\label\{([^}]*)\}", text)
    assert len(labels) == len(set(labels))


@pytest.mark.parametrize("form", ["compact", "full"])
@pytest.mark.parametrize(
    "name",
    [
        r"a_b & 100 % #1 ~ ^ \ {x} $",
        "Книга 本",
        "m" * 200,
        "<script>",
        r"\end{document}",
        "[7b]",
        "*",
    ],
)
def test_any_name_of_a_model_is_set_as_text(form, name, report):
    report = called(report, report["models"][-1]["name"], name)  # follows another row
    for judge in report["judge_models"]:
        report = called(report, judge["judge"], name)
    text = source(report, form=form)
    check(text)
    assert r"\end{document}" not in text
    assert ("LuaLaTeX" in text) == ("Книга" in name)


@pytest.mark.parametrize("form", ["compact", "full"])
def test_comparisons_and_judge_models_are_there_with_the_researchers_names(form, report):
    (judge,) = report["judge_models"]
    names = {f"name-model-{model['id']}": f"Model_{model['id']}" for model in report["models"]}
    names |= {
        f"name-prompt-{prompt['name']}": f"P{prompt['label']}!" for prompt in report["prompts"]
    }
    text = source(report, form=form, **names, **{f"name-judge-{judge['id']}": "Our judge & Co"})
    check(text)
    for old in (judge["judge"], *(model["name"] for model in report["models"])):
        assert old not in text
    for title in (family["title"] for family in report["comparisons"]["families"]):
        assert title in text
    assert r"Our judge \& Co" in text
    assert f"P{judge['prompts'][0]['prompt']}!" in text
    model = report["models"][0]["id"]
    assert rf"Model\_{model} & P1! & P4! & " in text


def test_rows_of_comparisons_stand_in_the_order_wanted(report):
    first, second = (model["id"] for model in report["models"])
    text = source(report, **{f"place-model-{second}": "1", f"place-model-{first}": "2"})
    part = text[text.index("-comparisons-") :]
    names = [model["name"] for model in report["models"]]
    assert part.index(f"{names[1]} &") < part.index(f"{names[0]} &")


def test_every_score_of_a_judge_model_is_in_the_full_form(report):
    text = source(report, form="full")
    (judge,) = report["judge_models"]
    for result in judge["prompts"]:
        shares = [result["accuracy"]]
        shares += [one[name] for one in result["classes"] for name in ("precision", "recall")]
        shares += [share for model in result["models"] for share in model["shares"]]
        for share in shares:
            if share["n"]:
                assert (
                    f"{share['k']}/{share['n']} {100 * share['k'] / share['n']:.1f} \\mbox{{["
                    in text
                )
        for value in [
            result["macro_f"]["value"],
            *(one["f"]["value"] for one in result["classes"]),
        ]:
            if value is not None:
                assert f"{value:.3f}" in text
    for cell in judge["table"]["rows"]:
        if cell["n"] and cell["verdict"] != "unlabelled":
            assert f"{cell['k']}/{cell['n']} " in text


def test_a_table_says_what_is_subtracted_from_what(report):
    """A gain is compared the other way round than two prompts: the table says which is less which."""
    family = report["comparisons"]["families"][0]
    row = family["rows"][0]
    explicit = {"value": 0.2, "k_1": 1, "n_1": 5, "k_2": 2, "n_2": 5, "low": None, "high": None}
    gains = {**row, "value": 0.2, "explicit": explicit, "implicit": {**explicit, "value": 0.0}}
    report["comparisons"]["families"] = [
        family,
        {**family, "kind": "gains", "title": "Gains", "margin": 0.1, "rows": [gains]},
    ]
    text = source(report, form="full")
    check(text)
    assert "(second prompt less first prompt)" in text
    assert "(gain on explicit less gain on implicit; margin 10 points)" in text
    assert r"+20.0 n = 5 & 0.0 n = 5 & +20.0" in text


def captions(text):
    return {
        label: caption
        for caption, label in re.findall(r"\\caption\{(.*)\}\\label\{tab:frozen-(.*)\}", text)
    }


@pytest.mark.parametrize("form", ["compact", "full"])
def test_every_dash_of_a_table_has_its_reason_in_the_caption(form, report):
    first, second = report["comparisons"]["families"][0]["rows"][:2]
    nothing = {"value": None, "low": None, "high": None, "p_clustered": None, "p_exact": None}
    nothing |= {"p_clustered_corrected": None, "p_exact_corrected": None}
    first |= {**nothing, "k_1": 0, "n_1": 0, "reason": "No question has a verdict on both sides."}
    second |= {**nothing, "value": 0.1, "reason": "", "interval_reason": f"{few(5)}"}
    report["comparisons"]["families"][0]["rows"].append({**second, "interval_reason": few(4)})
    cell = next(one for one in report["tables"][0]["rows"] if one["slice"] == "all")
    for one in report["tables"][0]["rows"]:
        if (one["model"], one["prompt"]) == (cell["model"], cell["prompt"]):
            one |= {"k": 0, "n": 0}
    [pair] = report["agreement"]["prompts"][0]["pairs"]
    for one in pair["coefficients"]:
        one |= {"value": None, "reason": "Both raters used one category only."}
    report["agreement"]["prompts"][1]["pairs"] = []
    text = source(report, form=form)
    check(text)
    told = captions(text)
    why = "Where a number (--) or an interval is missing: "
    of_differences = (
        "no question has a verdict on both sides; fewer than 8 articles: too few for an interval"
    )
    assert f"{why}{of_differences}" in told["comparisons-passages"]
    assert "no response has a verdict" in told["compact" if form == "compact" else "verdicts"]
    of_kappa = told["compact" if form == "compact" else "agreement"]
    assert "both raters used one category only" in of_kappa
    assert ("kappa is of two people who judged all these responses" in of_kappa) == (
        form == "compact"
    )
    for label, caption in told.items():
        table = text.split(f"{{tab:frozen-{label}}}")[1].split(r"\bottomrule")[0]
        assert why in caption or not re.search(r"(& |\n)--( |$)", table), label


def few(clusters):
    return f"Fewer than 8 clusters ({clusters}): too few for an interval."


def test_kappa_of_the_compact_form_has_its_interval_as_shares_have(report):
    text = source(report)
    for entry in report["agreement"]["prompts"]:
        [pair] = entry["pairs"]
        kappa = sentences.coefficient_of(pair["coefficients"], "cohen_kappa")
        low, high = sentences.ends_of(kappa)
        assert rf"{kappa['value']:.3f} \mbox{{[{low:.3f} to {high:.3f}]}} ({kappa['n']})" in text


def test_comparisons_that_were_not_computed_are_named_in_a_comment(report):
    for family in report["comparisons"]["families"]:
        family |= {"rows": [], "reason": "Too many.\n\\input{x}"}
    text = source(report)
    check(text)
    assert "Too many." in text
    assert not [line for line in text.splitlines() if line.startswith(r"\input")]


def test_a_name_with_a_line_break_does_not_leave_its_comment(report):
    report["study"]["name"] = "A\n\\input{x}\u2028y"
    assert not [line for line in source(report).splitlines() if line.startswith(r"\input")]


def test_names_and_order_are_the_researchers(report):
    first, second = (model["id"] for model in report["models"])
    text = source(
        report,
        **{
            f"place-model-{first}": "2",
            f"place-model-{second}": "1",
            f"name-model-{first}": "Ours",
        },
    )
    assert text.index(report["models"][1]["name"]) < text.index("Ours")
    assert report["models"][0]["name"] not in text


def test_prompts_have_the_researchers_names_and_order_in_the_table_of_agreement(report):
    first, second = (f"prompt-{prompt['name']}" for prompt in report["prompts"])
    names = {f"place-{first}": "2", f"place-{second}": "1", f"name-{first}": "Ours"}
    text = source(report, form="full", **names)
    table = text.split("tab:frozen-agreement}")[1].split(r"\bottomrule")[0]
    prompt = report["prompts"][1]
    assert table.index(f"{prompt['label']}: {prompt['title']}") < table.index("Ours &")


@pytest.mark.parametrize("form", ["compact", "full"])
def test_a_judge_model_that_was_asked_nothing_has_no_table(form, report):
    idle = {**report["judge_models"][0], "id": 99, "judge": "Idle", "prompts": []}
    report["judge_models"].append({**idle, "table": {**idle["table"], "rows": [], "lines": []}})
    text = source(report, form=form)
    check(text)
    assert "Idle" not in text


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"form": "wide"}, "compact or full"),
        ({"place-prompt-question-alone": "first"}, "whole number"),
        ({"place-prompt-question-alone": "-1"}, "whole number"),
        ({"name-prompt-question-alone": "x" * 121}, "at most 120"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_sentence(query, words, report):
    report["prompts"][0]["name"] = "question-alone"
    with pytest.raises(Refusal, match=words):
        read_display(query, report)


def test_every_share_of_the_compact_form_is_k_of_n(report):
    text = source(report)
    for cell in report["tables"][0]["rows"]:
        if (cell["slice"], cell["verdict"]) == ("all", "correct") and cell["n"]:
            assert f"{100 * cell['k'] / cell['n']:.1f}" in text


# ---------------------------------------------------------------- methods


def test_the_methods_have_the_numbers_of_the_report(study):
    resolve_all(study)
    exclude(study, 1)
    text = methods_paragraph(study_report(study))
    for words in (
        "24 responses of 2 models to 4 questions from 4 articles under 3 prompts were to be judged, one for each of "
        "them.",
        "went to 2 people (2 people in all), who judged independently",
        f"drawn with seed {study.seed}",
        "Cohen's kappa is undefined on prompt 1 (n = 8)",
        "Excluded: 1 question after results existed.",
        "settled by a third person",
    ):
        assert words in text


@pytest.mark.django_db
def test_a_study_closed_early_claims_no_verdict_that_nobody_gave():
    study = judging.open_study("alice", "bob")
    for slot in JudgingSlot.objects.filter(item__position__lt=5):
        verdicts.give(slot, "correct")
    studies.close_study(study)
    text = methods_paragraph(study_report(study))
    assert "were to be judged, one for each of them, 5 of which got a verdict." in text
    assert "Each response was to go to 2 people (2 people in all), who judged independently" in text
    assert "(rubric wikicontradict v1). There are verdicts by 2 people on 5, none on 7." in text


@pytest.mark.django_db
def test_a_study_closed_without_a_verdict_was_judged_by_nobody():
    study = judging.open_study("alice", "bob", repeat_percent=10)
    studies.close_study(study)
    report = study_report(study)
    text = methods_paragraph(report)
    assert (
        "0 of which got a verdict. Nobody has handed in a verdict (rubric wikicontradict v1)."
        in text
    )
    assert not re.search("in all|independently|second time|was drawn", text)
    assert report["agreement"]["reason"] == "No response has two first verdicts."
    assert (
        dict(study_facts(report))["Judges"]
        == "Nobody has handed in a verdict, with 2 planned for each response"
    )


@pytest.mark.django_db
def test_one_judge_is_told_as_one():
    text = methods_paragraph(study_report(judged_study("alice", judges_per_response=1)))
    assert "went to one person (1 person in all)" in text
    assert "Agreement between judges was not measured." in text
    assert "independently" not in text


@pytest.mark.django_db
def test_changing_pairs_are_told_with_alpha():
    text = methods_paragraph(study_report(judged_study("alice", "bob", "carl", order="random")))
    assert "over 3 pairs of judges" in text
    assert "Krippendorff's alpha" in text


@pytest.mark.django_db
def test_an_imported_study_claims_no_judges():
    study = judging.draft(drawn_from=run_of_all_kinds())
    Study.objects.filter(pk=study.pk).update(is_imported=True, state="closed")
    study.refresh_from_db()
    text = methods_paragraph(study_report(study))
    assert "does not say who judged" in text
    assert "people" not in text
    assert "kappa" not in text
    assert "24 have no final verdict" in text


@pytest.mark.django_db
def test_a_study_of_nothing_says_so():
    study = judging.draft()
    study.items.all().delete()
    assert methods_paragraph(study_report(study)) == "This study has no responses."


# ---------------------------------------------------------------- pages


def test_the_page_keeps_what_was_chosen_in_its_address(client, rita, study):
    model = study_report(study)["models"][0]["id"]
    query = {"form": "full", f"name-model-{model}": "Ours <&>"}
    page = client.get(f"/reports/{study.pk}/paper/", query).content.decode()
    assert "Ours &lt;&amp;&gt;" in page
    assert f"tables.tex?form=full&amp;name-model-{model}=Ours" in page
    answer = client.get(f"/reports/{study.pk}/paper/tables.tex", query)
    assert r"Ours \textless{}\&\textgreater{}" in answer.content.decode()
    assert answer["Content-Disposition"].endswith('-tables.tex"')


def test_forty_models_of_long_names_have_a_report_and_tables(client, rita):
    names = [f"{'very-long-name-' * 12}{n}" for n in range(40)]
    drawn_from = run_of_all_kinds(prompts=judging.PROMPTS[:1], models=names)
    study = judged_study(drawn_from=drawn_from)
    for ending in ("", "paper/", "charts/shares-0.svg", "charts/shares-0.png"):
        assert client.get(f"/reports/{study.pk}/{ending}").status_code == 200, ending
    check(source(study_report(study), form="full"))
