"""Judge models in a report, against a separate count of the file that they came from."""

import csv
import io
import json
from collections import Counter

import pytest

from evaluation.report.judges import judge_sections, variants_sentence
from evaluation.report.sheets import SHEETS
from evaluation.rows.hashing import digest, hashed_lines
from evaluation.sections.study import study_report
from judging.files.predictions import import_predictions
from judging.models import MachineVerdict
from judging.states import MachineState
from tests.evaluation.factories import cells, exclude, judged_study, resolve_all

pytestmark = pytest.mark.django_db

SAYS = ("correct", "partially correct", "incorrect", "?")


def replies(study, reply):
    """A file with `reply(position)` on each of the study's items."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["item", "reply"])
    for position in study.items.values_list("position", flat=True):
        writer.writerow([position, f"comment.\nevaluation: {reply(position)}"])
    return out.getvalue().encode()


@pytest.fixture
def study():
    """Judged by people, resolved, and by a machine that says one thing after the other."""
    result = judged_study()
    resolve_all(result)
    ask(result, lambda n: SAYS[n % 4])
    return result


def ask(study, reply, name="Elsewhere"):
    import_predictions(study, replies(study, reply), name)


def judge_of(study):
    (judge,) = study_report(study)["judge_models"]
    return judge


def on_prompt_4(judge):
    (result,) = [result for result in judge["prompts"] if result["prompt"] == "4"]
    return result


def test_the_scores_equal_a_separate_count(study):
    for result in judge_of(study)["prompts"]:
        pairs = Counter()
        for item in study.items.select_related("response__instance__contradiction", "resolution"):
            same = item.response.instance.contradiction.same_passage == "Same"
            label = {"internal-knowledge": "1", "passage-1": "2", "both-passages": "4"}
            if label[item.response.prompt] != result["prompt"] or (
                result["prompt"] == "2" and same
            ):
                continue
            pairs[item.resolution.verdict, SAYS[item.position % 4]] += 1
        assert result["n"] == pairs.total()
        assert result["unparsed"] == sum(n for (_, reply), n in pairs.items() if reply == "?")
        right = sum(n for (people, reply), n in pairs.items() if people == reply)
        assert (result["accuracy"]["k"], result["accuracy"]["n"]) == (right, pairs.total())
        assert sum(map(sum, result["table"])) + result["unparsed"] == result["n"]


def test_excluded_questions_stay_out(study):
    before = judge_of(study)["prompts"][0]["n"]
    exclude(study, 1)
    assert judge_of(study)["prompts"][0]["n"] == before - 2


def test_what_waits_or_failed_is_in_no_share(study):
    item = study.items.filter(response__prompt="both-passages").first()
    MachineVerdict.objects.filter(item=item).update(state=MachineState.FAILED, verdict=None)
    judge = judge_of(study)
    assert judge["states"]["failed"] == 1
    of_4 = on_prompt_4(judge)
    assert of_4["n"] == 7
    lines = [line for line in judge["table"]["lines"] if line["prompt"] == "4"]
    assert sum(line["unlabelled"] for line in lines if line["slice"] == "all") == 1


def test_a_response_without_a_final_verdict_is_counted_separately():
    study = judged_study()  # two responses wait for a third person
    ask(study, lambda n: "correct")
    of_4 = on_prompt_4(judge_of(study))
    assert (of_4["n"], of_4["without_final_verdict"]) == (6, 2)


def test_its_verdicts_on_everything_count_unparsed_replies_in_n(study):
    table = judge_of(study)["table"]
    counts = cells({"tables": [table]})
    for (prompt, model, part, _), (_, n) in counts.items():
        parts = [k for key, (k, _) in counts.items() if key[:3] == (prompt, model, part)]
        assert sum(parts) == n
    assert sum(k for key, (k, _) in counts.items() if key[2:] == ("all", "unparsed")) > 0


def test_spellings_are_counted(study):
    assert sum(judge_of(study)["spellings"].values()) == 18
    assert set(judge_of(study)["spellings"]) == set(SAYS[:3])


def test_people_s_tables_and_agreement_do_not_change(study):
    with_it = study_report(study)
    MachineVerdict.objects.all().delete()
    without = study_report(study)
    for part in ("agreement", "tables", "resolution", "comparisons", "study"):
        assert with_it[part] == without[part]
    assert without["judge_models"] == []


def test_the_hash_of_a_report_knows_the_judge_models_verdicts(study):
    before = digest(study)
    MachineVerdict.objects.filter(verdict="correct").update(verdict="incorrect")
    assert digest(study)[0] != before[0]
    MachineVerdict.objects.all().delete()
    assert digest(study)[1] == before[1] - 24


def counted(client, study, link):
    page = client.get(f"/reports/{study.pk}/rows/{link}")
    assert page.status_code == 200
    assert "Judge model" in page.content.decode()
    return page.context["page"].paginator.count


def test_every_link_of_the_matrix_leads_to_as_many_rows(study, client, rita):
    (section,) = judge_sections(study_report(study))
    matrices = [result.matrix for result in section.prompts]
    linked = [cell for matrix in matrices for _, row in matrix for cell in row if cell.query]
    numbers = [int(cell.value) for cell in linked]
    assert len(linked) > 5
    assert [counted(client, study, cell.query) for cell in linked] == numbers


@pytest.mark.parametrize("with_another", [False, True])
def test_every_score_leads_to_the_rows_it_is_computed_from(study, client, with_another, rita):
    if with_another:  # whose verdicts are in no link of the first one's
        ask(study, lambda n: "incorrect", "Another")
    body = study_report(study)
    section = next(one for one in judge_sections(body) if one.judge == "Elsewhere (model)")
    for result in section.prompts:
        shares = [result.accuracy, *(figure for _, three in result.classes for figure in three[:2])]
        for figure in shares:
            if figure.query:
                assert counted(client, study, figure.query) == int(figure.value)
            if figure.of:
                assert counted(client, study, figure.whole) == int(figure.of)
        right, n = int(result.accuracy.value), int(result.accuracy.of)
        assert int(result.wrong.value) == n - right == counted(client, study, result.wrong.query)
        for label, (precision, recall, f) in result.classes:
            if f.query and precision.of and recall.of:
                either = int(precision.of) + int(recall.of) - int(precision.value)
                assert counted(client, study, f.query) == either, label


def test_every_number_by_model_leads_to_as_many_rows_and_has_an_interval(study, client, rita):
    (section,) = judge_sections(study_report(study))
    followed = 0
    for result in section.prompts:
        for _, n, row in result.models:
            assert counted(client, study, n.query) == int(n.value)
            for cell in row:
                assert cell.interval
                if cell.query:
                    assert counted(client, study, cell.query) == int(cell.value)
                    followed += 1
    assert followed > 10


def test_the_rows_show_what_the_judge_model_replied(study, client, rita):
    judge = judge_of(study)["id"]
    page = client.get(
        f"/reports/{study.pk}/rows/?judge_model={judge}&said=unparsed"
    ).content.decode()
    assert page.count("Reply without a verdict") == 6
    assert "evaluation: ?" in page


def test_every_link_of_its_table_leads_to_as_many_rows(study, client, rita):
    (section,) = judge_sections(study_report(study))
    for table in section.everything:
        for cell in (cell for row in table.rows for cell in row.cells if cell.query):
            assert counted(client, study, cell.query) == int(cell.value.split("/")[0])


def test_the_page_has_the_judge_model_and_escapes_its_name(study, client, rita):
    ask(study, lambda n: "correct", "<b>=1+1</b>")
    page = client.get(f"/reports/{study.pk}/").content.decode()
    assert "Elsewhere (model)" in page
    assert "<b>=1+1" not in page


def test_the_sheets_have_a_row_for_each_number(study):
    body = study_report(study)
    sheet = SHEETS["judge-models"](body)
    result = {tuple(row[:4]): row[4:] for row in sheet.rows}
    of_4 = body["judge_models"][0]["prompts"][2]
    assert result["Elsewhere (model)", "4", "", "accuracy"][:2] == [of_4["accuracy"]["k"], 8]
    assert len(sheet.rows) == 3 * (2 + 3 * 3)
    by_model = SHEETS["judge-by-model"](body)
    assert len(by_model.rows) == 3 * 2 * (3 + 4)
    everything = SHEETS["judge-verdicts"](body)
    assert len(everything.rows) == len(body["judge_models"][0]["table"]["rows"])
    for one in (by_model, everything):
        assert all(len(row) == len(one.header) for row in one.rows)


def test_with_enough_articles_every_share_is_resampled(sample):
    ask(sample, lambda n: SAYS[n % 4])
    judge = judge_of(sample)
    of_4 = on_prompt_4(judge)
    shares = [of_4["accuracy"]]
    shares += [one[name] for one in of_4["classes"] for name in ("precision", "recall")]
    shares += [share for model in of_4["models"] for share in model["shares"]]
    shares += [row for row in judge["table"]["rows"] if row["slice"] == "all"]
    for share in shares:
        ends = (share["cluster_low"], share["cluster_high"])
        if share["cluster_reason"]:
            assert ends == (None, None)
        else:
            assert ends[0] <= share["k"] / share["n"] <= ends[1]
    resampled = [share for share in shares if not share["cluster_reason"]]
    assert len(resampled) > len(shares) * 0.8
    assert {share["clusters"] for share in resampled} <= {8, 9, 10}


def test_the_published_labels_judged_as_themselves_are_all_right(sample):
    """The judge-model path end to end on the published sample: 250 replies that copy people's verdicts."""
    reply = dict(sample.items.values_list("position", "resolution__verdict"))
    ask(sample, reply.get, "Copy")
    for result in judge_of(sample)["prompts"]:
        assert result["accuracy"]["k"] == result["accuracy"]["n"] == result["n"] > 0
        assert json.dumps(result, allow_nan=False)


def test_the_hash_does_not_ask_the_database_for_the_order_of_names(study):
    """A database may sort Zeta before alpha, or alpha before Zeta; the hash must survive a move to another."""
    for name in ("Zeta", "alpha"):
        ask(study, lambda n: "correct", name)
    lines = [json.loads(line) for line in hashed_lines(study)]
    reply = [values for kind, *values in lines if kind == "reply"]
    assert reply == sorted(reply)
    judges = ["Elsewhere (model)", "Zeta (model)", "alpha (model)"]
    assert [judge for _, judge, *_ in reply[:3]] == judges


def test_people_s_own_agreement_is_the_ceiling(study):
    report = study_report(study)
    (section,) = judge_sections(report)
    (shown,) = [one for one in section.prompts if one.prompt == "4"]
    # Bob differs on the two responses to the implicit question.
    (pair,) = next(one for one in report["agreement"]["prompts"] if one["prompt"] == "4")["pairs"]
    n, same = sum(map(sum, pair["table"])), sum(pair["table"][i][i] for i in range(3))
    assert (n, same) == (8, 6)
    assert "The ceiling is people’s own agreement: 75.0 % of 8 responses (Cohen's kappa" in (
        shown.ceiling
    )


def test_a_ceiling_without_kappa_says_so(study):
    (section,) = judge_sections(study_report(study))
    shown = next(one for one in section.prompts if one.prompt == "1")
    assert "100.0 % of 8 responses (Cohen's kappa undefined)" in shown.ceiling


def test_without_two_judges_the_ceiling_is_not_measured():
    alone = judged_study("alice", judges_per_response=1)
    ask(alone, lambda n: SAYS[n % 4])
    for one in judge_sections(study_report(alone))[0].prompts:
        assert one.ceiling == (
            "People’s own agreement, the ceiling of these scores, is not measured. Each response had one judge, so "
            "agreement was not measured."
        )


def test_the_number_of_variants_tried_is_given(study):
    assert variants_sentence(study_report(study)).startswith("One variant")
    ask(study, lambda n: SAYS[n % 3], "Another prompt")
    assert variants_sentence(study_report(study)).startswith("2 variants of judge models")
