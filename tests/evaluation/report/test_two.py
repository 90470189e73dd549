"""Two reports, or two rounds of a study, next to each other."""

import re
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import RoleGrant
from accounts.roles import Role
from evaluation.frozen.snapshots import freeze
from evaluation.sections.study import study_report
from evaluation.tables.joined import Side, verdicts_of_two
from generation.models import Run
from judging import rounds
from judging.models import Resolution
from tests.evaluation.factories import (
    exclude,
    judge_all,
    judged_study,
    judged_twice,
    resolve_all,
)
from tests.factories import person
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db
BOTH = "both-passages"


@pytest.fixture
def study(rita):
    """22 of 24 responses have a final verdict, correct; two wait for a third person."""
    return judged_study()


@pytest.fixture
def other(study):
    """Another study over the same run, one judge each, all incorrect."""
    made = judging.open_study(
        "erin", name="Another", drawn_from=Run.objects.get(), judges_per_response=1
    )
    return judge_all(made, lambda who, slot: "incorrect")


def side(study):
    return Side.of_report(study_report(study))


def prompt_of(table, label):
    (found,) = [one for one in table.groups if one.title.startswith(f"{label}: ")]
    return found


def over_all(table, label="4"):
    return [line for line in prompt_of(table, label).lines if line.keys[1] == "All"]


def texts(line):
    first, second, difference = line.cells
    return [counts_of(first), counts_of(second)], difference.words.value


def counts_of(cell):
    return f"{cell.k}/{cell.n}" if cell.n else cell.words.value


def test_shares_are_matched_by_prompt_model_and_slice(study, other):
    first, second = side(study), side(other)
    table = verdicts_of_two(first, second, "correct")
    prompts = first.report["prompts"]
    assert [one.title for one in table.groups] == [
        f"{one['label']}: {one['title']}" for one in sorted(prompts, key=lambda one: one["label"])
    ]
    assert table.column_words == ["First", "Second", "Difference"]
    assert [*map(texts, over_all(table))] == [(["3/3", "0/4"], "−100.0")] * 2
    turned = verdicts_of_two(second, first, "incorrect")
    assert [*map(texts, over_all(turned))] == [(["4/4", "0/3"], "−100.0")] * 2


def test_agreement_is_given_where_it_was_measured(study, other):
    for prompt in verdicts_of_two(side(study), side(other), "correct").groups:
        assert prompt.sentence.startswith("First: Cohen's kappa")
        assert ", n = 8. " in prompt.sentence
        assert prompt.sentence.endswith("Second: not measured.")


def test_models_are_matched_by_their_numbers_whatever_a_report_calls_them(study, other):
    first, second = study_report(study), study_report(other)
    (table,) = second["tables"]
    one, two = (model["name"] for model in second["models"])
    turned = {one: two, two: f"{one} (local)"}
    renamed = {
        **second,
        "models": [{**model, "name": turned[model["name"]]} for model in second["models"]],
        "tables": [
            {
                **table,
                **{
                    part: [{**row, "model": turned[row["model"]]} for row in table[part]]
                    for part in ("rows", "lines")
                },
            }
        ],
    }
    one, two, turned = map(Side.of_report, (first, second, renamed))
    assert verdicts_of_two(one, turned, "correct") == verdicts_of_two(one, two, "correct")


def test_another_model_of_the_same_name_stands_alone(study, other):
    first, second = side(study), side(other)
    report = second.report
    second = replace(
        second,
        report={
            **report,
            "models": [{**one, "id": one["id"] + 100} for one in report["models"]],
        },
    )
    lines = over_all(verdicts_of_two(first, second, "correct"))
    names = [model["name"] for model in report["models"]]
    numbers = [model["id"] + 100 for model in report["models"]]
    assert [line.keys[0] for line in lines] == [
        *names,
        *(f"{name} (no. {number})" for name, number in zip(names, numbers, strict=True)),
    ]
    assert {line.cells[2].words.value for line in lines} == {""}


def test_a_prompt_or_model_of_one_report_has_a_dash_in_the_other(study):
    whole = study_report(study)
    gone, model = whole["prompts"][0], whole["models"][0]["name"]
    (table,) = whole["tables"]
    part = {
        **whole,
        "prompts": whole["prompts"][1:],
        "tables": [
            {
                **table,
                **{
                    part: [row for row in table[part] if row["model"] != model]
                    for part in ("rows", "lines")
                },
            }
        ],
    }
    table = verdicts_of_two(Side.of_report(whole), Side.of_report(part), "correct")
    for prompt in table.groups:
        assert prompt.lines
        for line in prompt.lines:
            is_absent = prompt.key == gone["name"] or line.keys[0] == model
            (_, second), difference = texts(line)
            assert (second == "–") is is_absent
            assert (difference == "") is is_absent


def test_the_page_offers_frozen_and_other_reports_and_shows_the_chosen_one(client, study, other):
    frozen, _ = freeze(study, by=person("ada", Role.ADMIN))
    resolve_all(study)
    address = f"/reports/{study.pk}/next-to/"
    page = client.get(address).content.decode()
    assert re.findall(r'<option value="([a-z]+-\d+)"', page) == [
        f"snapshot-{frozen.pk}",
        f"study-{other.pk}",
    ]
    page = client.get(address, {"with": f"snapshot-{frozen.pk}", "verdict": "partially correct"})
    shown = page.content.decode()
    assert "0/3" in shown
    assert "−25.0" in shown
    links = re.findall(r'href="(/reports/\d+/rows/\?[^"]+)">1</a>/4\s*<', shown)
    rows = client.get(links[0].replace("&amp;", "&")).content.decode()
    assert "1 response" in rows


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"with": "study-999"}, 404),
        ({"with": "snapshot-999"}, 404),
        ({"with": "study-"}, 400),
        ({"with": "study-" + "9" * 30}, 400),
        ({"with": "person-1"}, 400),
        ({"verdict": "perfect"}, 400),
    ],
)
def test_a_report_that_is_not_there_is_refused_in_words(client, study, query, status):
    assert client.get(f"/reports/{study.pk}/next-to/", query).status_code == status


def test_a_report_that_is_hidden_is_neither_offered_nor_shown(client, study, rita):
    RoleGrant.objects.create(person=rita, role=Role.JUDGE)
    drawn = judging.run("hidden")
    judging.response(drawn, judging.instance(51), BOTH, judging.language_model())
    hidden = judging.open_study("erin", "rita", name="Hidden", drawn_from=drawn)
    address = f"/reports/{study.pk}/next-to/"
    assert f"study-{hidden.pk}" not in client.get(address).content.decode()
    assert client.get(address, {"with": f"study-{hidden.pk}"}).status_code == 403


# ---------------------------------------------------------------- two rounds of a study


@pytest.fixture
def twice(rita):
    """Round 2 judged the 8 responses to prompt 4 again; on 2 of them judges of round 1 had differed."""
    return judged_twice(BOTH)


def shown_rounds(client, study, first="round-1", second="round-2", **query):
    return client.get(f"/reports/{study.pk}/next-to/", {"first": first, "with": second, **query})


def counted(study, n, prompt, model, verdict="correct"):
    """k/n of the verdicts that a round ended with, counted one by one."""
    ended = Resolution.objects.filter(
        item__study=study, round__n=n, item__response__prompt=prompt, item__response__model=model
    )
    return f"{ended.filter(verdict=verdict).count()}/{ended.count()}"


def test_a_round_has_the_verdicts_that_it_ended_with_whichever_are_final(client, twice):
    answer = shown_rounds(client, twice)
    lines = over_all(answer.context["tables"][0])
    models = [item["id"] for item in side_of(answer, 0).report["models"]]
    assert [texts(line)[0] for line in lines] == [
        [counted(twice, 1, BOTH, model), counted(twice, 2, BOTH, model)] for model in models
    ]
    assert {counts_of(line.cells[0]) for line in lines} == {"3/4"}
    for line in lines:
        k, n = line.cells[1].k, line.cells[1].n
        assert texts(line)[1] == texts_of_points(100 * (k / n - 3 / 4))
        assert all(cell.intervals for cell in line.cells[:2])


def side_of(answer, place):
    return answer.context["sides"][place][1].side


def texts_of_points(value):
    return f"{value:+.1f}".replace("-", "−") if value else "0.0"


def test_a_prompt_that_a_round_did_not_judge_has_a_dash(client, twice):
    for prompt in shown_rounds(client, twice).context["tables"][0].groups:
        if prompt.key != BOTH:
            assert {texts(line)[0][1] for line in prompt.lines} == {"–"}
            assert {texts(line)[1] for line in prompt.lines} == {""}
            assert prompt.sentence.endswith("Second: not measured.")


def test_agreement_is_that_of_each_round(client, twice):
    words = prompt_of(shown_rounds(client, twice).context["tables"][0], "4").sentence
    of_four = words.removeprefix("First: ").split(" Second: ")
    in_report = study_report(twice)["agreement"]["prompts"]
    entries = [one for one in in_report if one["prompt"] == "4"]
    assert of_four[0] != of_four[1]
    for words, entry in zip(of_four, entries, strict=True):
        kappa = entry["pairs"][0]["coefficients"][1]["value"]
        assert words.startswith(f"Cohen's kappa {kappa:.2f}")
        assert ", n = 8. Fewer than 8 articles" in words
    [by_tag] = shown_rounds(client, twice, cluster="tag").context["tables"]
    assert "Fewer than 8 tags" in prompt_of(by_tag, "4").sentence


def test_the_page_says_what_each_round_was_and_how_far_both_agree(client, twice):
    page = " ".join(shown_rounds(client, twice).content.decode().split())
    assert "round 1, by wikicontradict v1" in page
    assert "round 2, by wikicontradict v2" in page
    assert "Why: <bdi>The criteria left it open.</bdi>" in page
    assert "It was of 24 responses." in page
    assert "On 8 responses with a verdict of rounds 1 and 2 the two agree in" in page
    assert "Counted below: n = 8." in page


def test_the_same_responses_of_both_rounds_can_be_compared(client, twice):
    resolved = Resolution.objects.filter(item__study=twice, round__n=2)
    resolved.filter(item__position=resolved.first().item.position).delete()
    answer = shown_rounds(client, twice, on="both")
    assert "No response to this prompt has a verdict of both." in answer.content.decode()
    assert [side_of(answer, place).n for place in (0, 1)] == [7, 7]
    assert side_of(shown_rounds(client, twice), 0).n > 7
    assert prompt_of(answer.context["tables"][0], "1").lines == ()


def test_next_to_a_report_all_responses_of_a_round_are_counted_and_the_list_says_so(client, twice):
    answer = shown_rounds(client, twice, first="round-2", second="", on="both")
    assert '<option value="both" selected dir="auto">' in answer.content.decode()
    for sides in ({"first": "", "second": "round-1"}, {"second": f"study-{twice.pk}"}):
        answer = shown_rounds(client, twice, **sides, on="both")
        assert '<option value="" selected dir="auto">All of each round' in answer.content.decode()
        assert [shown.side.n for _, shown in answer.context["sides"] if shown.round] == [22]


def test_no_share_of_a_round_leads_to_rows_which_are_those_of_final_verdicts(client, twice):
    page = shown_rounds(client, twice).content.decode()
    assert "/rows/?" not in page
    mixed = shown_rounds(client, twice, first="").content.decode()
    assert f"/reports/{twice.pk}/rows/?of=final" in mixed


def test_excluded_questions_are_in_no_share_of_a_round(client, twice):
    before = shown_rounds(client, twice)
    exclude(twice, 1)
    after = shown_rounds(client, twice)
    assert (side_of(before, 1).n, side_of(after, 1).n) == (8, 6)
    assert side_of(after, 0).n < side_of(before, 0).n


def test_a_round_without_a_verdict_says_so(client, twice):
    plan = rounds.RoundPlan(
        "Once more.", twice.rubric, True, [judging.judge("finn"), judging.judge("gus")]
    )
    rounds.judge_again(twice, rounds.JudgedAgain(prompts=[BOTH]), plan, by=twice.created_by)
    page = shown_rounds(client, twice, second="round-3").content.decode()
    assert "No response has a verdict of it." in page
    assert "still open" in page
    assert (
        "No response has a verdict of"
        in shown_rounds(client, twice, second="round-3", on="both").content.decode()
    )


def test_rounds_are_offered_where_there_are_several(client, twice, study_of_one_round):
    address = "/reports/{}/next-to/"
    page = client.get(address.format(twice.pk)).content.decode()
    assert page.count('<option value="round-1"') == page.count('<option value="round-2"') == 2
    assert "round-" not in client.get(address.format(study_of_one_round.pk)).content.decode()
    report = client.get(f"/reports/{twice.pk}/").content.decode()
    assert f"/reports/{twice.pk}/next-to/?first=round-1&amp;with=round-2" in report


@pytest.fixture
def study_of_one_round(twice):
    """Over the same run."""
    return judging.open_study(
        "erin", name="Once", drawn_from=Run.objects.get(), judges_per_response=1
    )


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ({"first": "round-1", "with": "round-1"}, 400, "Both sides are the same"),
        ({"first": "round-1", "with": "round-01"}, 400, "Both sides are the same"),
        ({"with": "round-3"}, 404, "no round 3, but 2 rounds"),
        ({"first": "round-0"}, 404, "no round 0"),
        ({"with": "round-x"}, 400, "no such report or round"),
        ({"with": "round-"}, 400, "no such report or round"),
        ({"first": "snapshot-1", "with": "round-1"}, 400, "First is this report, or one of"),
        ({"with": "round-1", "on": "all"}, 400, "on=all is not known"),
        ({"with": "round-1", "cluster": "moon"}, 400, "cluster=moon is not known"),
    ],
)
def test_a_round_that_cannot_be_compared_is_refused_in_words(client, twice, query, status, words):
    answer = client.get(f"/reports/{twice.pk}/next-to/", query)
    assert answer.status_code == status
    assert words in answer.content.decode()


def test_a_study_is_not_compared_with_itself(client, study):
    answer = client.get(f"/reports/{study.pk}/next-to/", {"with": f"study-{study.pk}"})
    assert answer.status_code == 400


def test_a_round_of_another_study_is_not_one_of_this(client, twice, study_of_one_round):
    """A round is named by its number in its own study."""
    answer = shown_rounds(client, study_of_one_round, second="round-2")
    assert answer.status_code == 400
    assert "one round only" in answer.content.decode()


def test_rounds_of_a_study_that_is_hidden_are_not_shown(client, twice, rita):
    RoleGrant.objects.create(person=rita, role=Role.JUDGE)
    plan = rounds.RoundPlan("Once more.", twice.rubric, True, [rita, judging.judge("gus")])
    rounds.judge_again(twice, rounds.JudgedAgain(prompts=[BOTH]), plan, by=twice.created_by)
    assert shown_rounds(client, twice).status_code == 403


def test_rounds_take_as_many_statements_for_more_responses(client, rita):
    def statements(study):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert shown_rounds(client, study).status_code == 200
        return len(asked)

    few, many = judging.run("Few"), judging.run("Many")
    judging.responses(few, [judging.instance(n) for n in range(61, 63)], [BOTH])
    judging.responses(many, [judging.instance(n) for n in range(71, 91)], [BOTH])
    study = judged_twice(BOTH, name="Few", drawn_from=few)
    fewer = statements(study)
    study = judged_twice(BOTH, again=("finn", "gus"), name="Many", drawn_from=many)
    assert statements(study) == fewer
