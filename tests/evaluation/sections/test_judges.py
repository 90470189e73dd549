"""Judge models in a report, against a separate count of the file that they came from."""

import csv
import io
import json
from collections import Counter

import pytest

from evaluation.report.judge_sections import judge_sections
from evaluation.report.judge_sentences import halves_sentence, variants_sentence
from evaluation.rows import replies as export
from evaluation.rows.hashing import digest, hashed_lines
from evaluation.sections.study import study_report
from evaluation.tables.all_tables import sheet
from evaluation.tables.judges import HALVES, classes_table
from evaluation.tables.verdicts import offered
from generation.models import LanguageModel
from judging import rounds, rubric_versions, studies
from judging.files.predictions import import_predictions
from judging.machine import judge_prompts
from judging.machine.scope import halves_of
from judging.models import MachineVerdict
from judging.states import MachineState
from tests.evaluation.factories import cells, exclude, judged_study, judged_twice, resolve_all
from tests.judging import factories as judging

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


@pytest.mark.both
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


@pytest.mark.both
def test_excluded_questions_stay_out(study):
    before = judge_of(study)["prompts"][0]["n"]
    exclude(study, 1)
    assert judge_of(study)["prompts"][0]["n"] == before - 2


def test_what_waits_or_failed_is_in_no_share(study):
    item = study.items.filter(response__prompt="both-passages").first()
    MachineVerdict.objects.filter(item=item).update(
        state=MachineState.FAILED, verdict=None, holds=""
    )
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


@pytest.mark.both
@pytest.mark.parametrize("with_another", [False, True])
def test_every_number_leads_to_the_rows_it_is_computed_from(study, client, with_another, rita):
    if with_another:  # whose verdicts are in no link of the first one's
        ask(study, lambda n: "incorrect", "Another")
    body = study_report(study)
    section = next(one for one in judge_sections(body) if one.judge == "Elsewhere (model)")
    followed = 0
    for result in section.prompts:
        for table in (result.halves, result.classes, result.models, result.matrix):
            for _, line, column, cell in table.cells:
                for n, rows in ((cell.k, cell.rows), (cell.n, cell.whole)):
                    if rows and n is not None:
                        assert counted(client, study, rows) == n, (table.title, line.keys, column)
                        followed += 1
        assert counted(client, study, result.wrong.rows) == result.wrong.k
        for line in result.classes.groups[0].lines:
            precision, recall, f = line.cells
            if f.value is not None:
                either = precision.n + recall.n - precision.k
                assert counted(client, study, f.whole) == either, line.keys
    assert followed > 50


def test_every_share_by_model_has_an_interval(study):
    [section] = judge_sections(study_report(study))
    shares = [
        cell
        for result in section.prompts
        for _, _, column, cell in result.models.cells
        if column != "n" and cell.k is not None
    ]
    assert len(shares) > 10
    assert all(cell.intervals for cell in shares)


def test_the_rows_show_what_the_judge_model_replied(study, client, rita):
    judge = judge_of(study)["id"]
    page = client.get(
        f"/reports/{study.pk}/rows/?judge_model={judge}&said=unparsed"
    ).content.decode()
    assert page.count("Reply without a verdict") == 6
    assert "evaluation: ?" in page


def test_what_people_decided_comes_before_what_judge_models_said(study, client, rita):
    page = client.get(f"/reports/{study.pk}/rows/?said=incorrect").content.decode()
    for card in page.split("<article")[1:]:
        assert 0 < card.index("Final: ") < card.index("Elsewhere (model)")
    columns = list(export.COLUMNS)
    assert columns.index("final_verdict") < columns.index("judge")


def test_the_page_has_the_judge_model_and_escapes_its_name(study, client, rita):
    ask(study, lambda n: "correct", "<b>=1+1</b>")
    page = client.get(f"/reports/{study.pk}/").content.decode()
    assert "Elsewhere (model)" in page
    assert "<b>=1+1" not in page


def test_the_sheets_have_a_row_for_each_number(study):
    body = study_report(study)
    scores = sheet(body, "judge-models")
    of_4 = body["judge_models"][0]["prompts"][2]
    (row,) = [
        row for row in scores.rows if row[1][0] == "4" and row[2:4] == ["All articles", "Accuracy"]
    ]
    assert row[6:8] == [of_4["accuracy"]["k"], 8]
    assert len(scores.rows) == 3 * (3 * 3 + 3 * 3 * 3)
    by_model = sheet(body, "judge-by-model")
    assert len(by_model.rows) == 3 * 2 * (1 + 3 + 1 + 4)
    everything = sheet(body, "judge-verdicts")
    lines = body["judge_models"][0]["table"]["lines"]
    assert len(everything.rows) == len(lines) * (1 + 4)
    for one in (scores, by_model, everything):
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
    (shown,) = [one for one in section.prompts if one.title.startswith("4")]
    # Bob differs on the two responses to the implicit question.
    (pair,) = next(one for one in report["agreement"]["prompts"] if one["prompt"] == "4")["pairs"]
    n, same = sum(map(sum, pair["table"])), sum(pair["table"][i][i] for i in range(3))
    assert (n, same) == (8, 6)
    assert (
        "The ceiling is people’s own agreement: 75.0 % of 8 responses (Cohen's kappa"
        in (shown.sentences[-1])
    )


def test_a_ceiling_without_kappa_says_so(study):
    (section,) = judge_sections(study_report(study))
    shown = next(one for one in section.prompts if one.title.startswith("1"))
    assert "100.0 % of 8 responses (Cohen's kappa undefined)" in shown.sentences[-1]


def test_without_two_judges_the_ceiling_is_not_measured():
    alone = judged_study("alice", judges_per_response=1)
    ask(alone, lambda n: SAYS[n % 4])
    for one in judge_sections(study_report(alone))[0].prompts:
        assert one.sentences[-1] == (
            "People’s own agreement, the ceiling of these scores, is not measured. Each response is for one judge, so "
            "agreement is not measured."
        )


def test_the_number_of_variants_tried_is_given(study):
    assert variants_sentence(study_report(study)).startswith("One variant")
    ask(study, lambda n: SAYS[n % 3], "Another prompt")
    assert variants_sentence(study_report(study)).startswith("2 variants of judge models")


# ---------------------------------------------------------------- halves


def test_both_halves_have_whole_articles_and_add_up_to_all(sample):
    ask(sample, lambda n: SAYS[n % 4])
    report = study_report(sample)
    halves = halves_of(sample)
    assert not halves.development & halves.held_out
    parts = len(halves.development), len(halves.held_out)
    assert (report["halves"]["development"], report["halves"]["held_out"]) == parts
    assert parts[1] - parts[0] in (0, 1)
    for scores in report["judge_models"][0]["prompts"]:
        held_out, development = scores["halves"]
        assert (held_out["half"], development["half"]) == ("held_out", "development")
        assert held_out["n"] + development["n"] == scores["n"]
        assert held_out["accuracy"]["k"] + development["accuracy"]["k"] == scores["accuracy"]["k"]
        assert 0 < held_out["n"] < scores["n"]


def test_every_number_of_a_half_leads_to_its_rows(sample, client, rita):
    ask(sample, lambda n: SAYS[n % 4])
    (section,) = judge_sections(study_report(sample))
    for result in section.prompts:
        lines = result.halves.groups[0].lines
        assert [line.keys[0] for line in lines] == [
            "Held-out half",
            "Development half",
            "All articles",
        ]
        for line in lines:
            for cell in line.cells[:2]:
                assert counted(client, sample, cell.rows) == cell.k


def test_a_variant_that_was_asked_about_the_development_half_alone_has_not_seen_the_other(sample):
    titles = halves_of(sample).development
    out = ["item,reply"]
    for item in sample.items.select_related("response__instance__contradiction"):
        if item.response.instance.contradiction.title in titles:
            out.append(f"{item.position},evaluation: correct")
    import_predictions(sample, "\n".join(out).encode(), "Tuned")
    report = study_report(sample)
    assert report["halves"]["tried"] == 0
    assert "0 variants have been compared" in halves_sentence(report)
    (section,) = judge_sections(report)
    assert {one.sentences[0] for one in section.prompts} == {
        "On the held-out half of the articles, Tuned (model) has no reply to compare yet."
    }
    ask(sample, lambda n: "correct", "Chosen")
    assert "1 variant has been compared" in halves_sentence(study_report(sample))


def test_every_score_of_a_half_is_in_the_table_of_verdicts(study):
    report = study_report(study)
    [body] = report["judge_models"]
    [group] = [one for one in classes_table(report, body).groups if one.key == "4"]
    [scores] = [one for one in body["prompts"] if one["prompt"] == "4"]
    for half in scores["halves"]:
        lines = [line for line in group.lines if line.keys[1] == HALVES[half["half"]]]
        shown = [
            (precision.k, recall.k, f.value)
            for precision, recall, f in (line.cells for line in lines)
        ]
        given = {
            one["label"]: (one["precision"]["k"], one["recall"]["k"], one["f"]["value"])
            for one in half["classes"]
        }
        assert shown == [given[key] for key in offered(report)]
        assert all(line.folded for line in lines)


def test_the_page_shows_the_held_out_half_first(sample, client, rita):
    ask(sample, lambda n: "correct")
    page = " ".join(client.get(f"/reports/{sample.pk}/").content.decode().split())
    size = len(halves_of(sample).development)
    assert f"splits its articles into two halves: {size} are the development half" in page
    first = page.index("On the held-out half of the articles, Elsewhere (model) gives")
    assert first < page.index("On prompt 1, Elsewhere (model) gives")


# ---------------------------------------------------------------- what replies hold


def test_empty_wordy_and_contradictory_replies_are_counted_apart_and_lead_to_their_words(
    study, client, rita
):
    said = {0: "", 1: "I like it.", 2: "evaluation: correct\nNo.\nevaluation: incorrect"}
    lines = [f'{n},"{said.get(n, "evaluation: correct")}"' for n in range(24)]
    import_predictions(study, "\n".join(["item,reply", *lines]).encode(), "Odd")
    judge = study_report(study)["judge_models"][1]
    assert judge["replies"] == {"one": 21, "several": 1, "none": 1, "nothing": 1}
    assert judge["states"] == {"judged": 22, "unparsed": 2}
    section = judge_sections(study_report(study))[1]
    assert [what for what, _ in section.replies] == [
        "Replies empty",
        "Replies with words but no verdict",
        "Replies with verdicts that differ, of which the last one counts",
    ]
    for (what, cell), shown in zip(
        section.replies,
        ("Empty reply", "I like it.", "The last of verdicts that differ"),
        strict=True,
    ):
        assert counted(client, study, cell.rows) == 1, what
        page = client.get(f"/reports/{study.pk}/rows/{cell.rows}").content.decode()
        assert shown in page
    report = client.get(f"/reports/{study.pk}/").content.decode()
    assert "Replies with words but no verdict:" in report


# ---------------------------------------------------------------- a model that judges itself


def itself(study, judge="Elsewhere"):
    """Let the judge be a model of the study, with other options."""
    answered = study.items.first().response.model
    same = LanguageModel.objects.create(
        service="elsewhere", model_id=answered.model_id, options_hash="1" * 64
    )
    study.judges.filter(external=judge).update(
        model=same, external="", prompt=judge_prompts.versions()[0]
    )
    return answered


def test_what_a_model_says_of_itself_is_marked_on_the_page_in_files_and_in_the_hashed_rows(
    study, client, rita
):
    answered = itself(study)
    report = study_report(study)
    (judge,) = report["judge_models"]
    own = study.items.filter(response__model=answered).count()
    assert (judge["itself"], judge["own_models"]) == (own, [str(answered)])
    (section,) = judge_sections(report)
    (cell,) = [cell for words, cell in section.replies if "this model itself" in words]
    assert counted(client, study, cell.rows) == own
    page = client.get(f"/reports/{study.pk}/rows/{cell.rows}").content.decode()
    assert "on its own response" in page
    rows = sheet(report, "judge-by-model").rows
    assert {row[2] for row in rows if "(itself)" in row[3]} == {str(answered)}
    rows = [json.loads(line) for line in hashed_lines(study)]
    assert sum(row[-1] is True for row in rows if row[0] == "reply") == own


def test_of_a_file_it_is_not_known_whether_a_model_judged_itself(study):
    report = study_report(study)
    assert report["judge_models"][0]["itself"] is None
    assert not any("itself" in row[3] for row in sheet(report, "judge-by-model").rows)
    rows = [json.loads(line) for line in hashed_lines(study)]
    assert {row[-1] for row in rows if row[0] == "reply"} == {None}


# ---------------------------------------------------------------- versions of the rubric


def test_a_verdict_by_a_version_that_a_later_round_replaced_is_in_no_number(client, rita):
    study = judged_twice()
    first, second = study.rounds.order_by("n")
    ask(study, lambda n: "correct")
    again = study.items.filter(resolution__round=second)
    by_new = MachineVerdict.objects.filter(rubric=second.rubric)
    assert set(by_new.values_list("item", flat=True)) == set(again.values_list("pk", flat=True))
    by_new.update(rubric=first.rubric)
    judge = judge_of(study)
    assert judge["other_versions"] == again.count() == 8
    assert judge["versions"] == {str(first.rubric): 16}
    assert sum(one["n"] for one in judge["prompts"]) == sum(
        one["n"] for one in judge["prompts"] if one["prompt"] != "4"
    )
    (section,) = judge_sections(study_report(study))
    (other,) = [cell for words, cell in section.replies if "no longer counts" in words]
    page = client.get(f"/reports/{study.pk}/rows/{other.rows}")
    assert page.context["page"].paginator.count == 8
    assert f"By {first.rubric}, which no longer counts here." in page.content.decode()
    assert any(f"{first.rubric} (16 replies)" in fact for fact in section.facts)


def test_replies_as_csv_are_those_that_the_page_counts(client, rita):
    study = judged_twice()
    first, second = study.rounds.order_by("n")
    ask(study, lambda n: SAYS[n % 4])
    for asked_before in MachineVerdict.objects.filter(rubric=second.rubric):
        asked_before.pk, asked_before.rubric = None, first.rubric
        asked_before.save()
    judge = study.judges.get(external="Elsewhere").pk
    assert MachineVerdict.objects.count() == 32

    def numbers(**chosen):
        address = f"/reports/{study.pk}/replies.csv"
        sent = b"".join(client.get(address, chosen).streaming_content).decode()
        rows = list(csv.DictReader(io.StringIO(sent)))
        found = client.get(f"/reports/{study.pk}/rows/", chosen).context["page"].paginator.count
        return len(rows), found, {row["counts"] for row in rows}

    assert numbers() == (32, 24, {"yes", "no"})
    assert numbers(judge_model=judge) == (32, 24, {"yes", "no"})
    assert numbers(other="yes") == (8, 8, {"no"})
    assert numbers(holds="none") == (6, 6, {"yes"})
    n, rows, counts = numbers(judge_model=judge, said="incorrect")
    assert n == rows == 6
    assert counts == {"yes"}
    assert numbers(either="correct", said="replied")[2] == {"yes"}


def test_a_variant_that_was_once_compared_stays_compared_after_a_new_round(study):
    before = study_report(study)["halves"]["tried"]
    assert before == 1
    studies.close_study(study)
    body = {**study.rubric.body, "title": "Clearer"}
    new = rubric_versions.save(body, newest=study.rubric.version, by=study.created_by)
    judges = [judging.judge("dora"), judging.judge("emil")]
    plan = rounds.RoundPlan("Why", new, True, judges)
    rounds.judge_again(study, rounds.JudgedAgain(), plan, by=study.created_by)
    report = study_report(study)
    assert not any(one["n"] for one in report["judge_models"][0]["prompts"])
    assert report["halves"]["tried"] == 1
    (section,) = judge_sections(report)
    assert not any(fact.startswith("Responses") for fact in section.facts)


def test_a_later_round_that_keeps_earlier_verdicts_keeps_the_judge_models_too(study):
    before = judge_of(study)
    studies.close_study(study)
    body = {**study.rubric.body, "title": "Clearer"}
    new = rubric_versions.save(body, newest=study.rubric.version, by=study.created_by)
    judges = [judging.judge("dora"), judging.judge("emil")]
    rounds.judge_again(
        study,
        rounds.JudgedAgain(),
        rounds.RoundPlan("Why", new, False, judges),
        by=study.created_by,
    )
    assert judge_of(study) == before
