"""Agreement in a report by cluster, by round, over time and with oneself, next to counts of its rows."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command

from evaluation.counts.judged import Judged
from evaluation.sections.clustering import Clustering
from evaluation.sections.study import study_report
from evaluation.sections.study_agreement import (
    NOT_MEASURED_IMPORTED,
    NOT_REPEATED,
    all_entries,
    study_agreement,
)
from evaluation.statistics import two_raters
from evaluation.statistics.bootstrap import METHOD, ResamplePlan, intervals
from evaluation.statistics.groups import Groups
from evaluation.tables import sentences
from judging.models import JudgingSlot, Judgment, Round, Study
from leases.refusal import Refusal
from tests.evaluation.factories import judged_study
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db

VERDICTS = ["incorrect", "partially correct", "correct"]
PROMPT = "both-passages"


def by_article(who, slot):
    """Alice and bob differ on every third article under both passages, each time alike."""
    article = slot.item.response.instance.contradiction.position
    if who == "bob" and article % 3 == 0 and slot.item.response.prompt == PROMPT:
        return "incorrect"
    return "correct" if article % 2 else "partially correct"


@pytest.fixture
def study():
    drawn_from = judging.finished_run(instances=10, prompts=(PROMPT, "internal-knowledge"))
    return judged_study(drawn_from=drawn_from, choose=by_article, seed=7)


def prompts(study, **clustering):
    names = [{"name": PROMPT, "label": "4"}]
    return study_agreement(Judged.of_study(study), names, Clustering(**clustering))["prompts"]


def kappa(entry):
    return sentences.coefficient_of(entry["coefficients"], "cohen_kappa")


def separately_counted(study):
    """Articles x 9 counts, by plain loops over the rows."""
    counted = Counter()
    for item in study.items.filter(response__prompt=PROMPT):
        slots = item.slots.order_by("judge__pseudonym")
        first, second = (VERDICTS.index(slot.judgment.first_verdict) for slot in slots)
        counted[item.response.instance.contradiction.title, 3 * first + second] += 1
    titles = sorted({title for title, _ in counted})
    return np.array([[counted[title, cell] for cell in range(9)] for title in titles], float)


def test_the_interval_resamples_whole_articles_from_the_studys_seed(study):
    (pair,) = prompts(study)[0]["pairs"]
    result = kappa(pair)["clustered"]

    def statistic(sums):
        return two_raters.kappa(sums.reshape(3, 3, *sums.shape[1:]))[None]

    (expected,) = intervals(separately_counted(study), statistic, ResamplePlan(seed=7))
    assert (result["low"], result["high"]) == (expected["low"], expected["high"])
    assert result["low"] < kappa(pair)["value"] < result["high"]
    assert (result["clusters"], result["resamples"], result["seed"]) == (10, 10_000, 7)
    assert result["method"] == METHOD


def test_the_closed_form_is_given_too_and_is_narrower_when_articles_hang_together(study):
    (pair,) = prompts(study)[0]["pairs"]
    result = kappa(pair)
    assert result["method"].startswith("closed form")
    assert result["high"] - result["low"] < result["clustered"]["high"] - result["clustered"]["low"]


def test_the_report_names_what_was_resampled(study):
    made = study_report(study, Clustering("tag", 500, 3))["agreement"]["interval"]
    drawn = {"resamples": 500, "generator": "PCG64", "seed": 3}
    assert made == {"cluster": "tag", "method": METHOD, **drawn}


@pytest.mark.both
def test_two_tags_of_one_article_are_one_article_and_two_tags(study):
    about = [item.response.instance.contradiction for item in study.items.all()]
    type(about[0]).objects.filter(position=2).update(title="Abbey 1")
    clusters = {
        by: kappa(prompts(study, by=by)[0]["pairs"][0])["clustered"]["clusters"]
        for by in ("article", "tag", "instance")
    }
    assert clusters == {"article": 9, "tag": 10, "instance": 10}


def test_few_articles_have_no_interval_but_a_reason():
    (pair,) = prompts(judged_study())[0]["pairs"]
    result = kappa(pair)["clustered"]
    assert result["low"] is None
    assert result["reason"] == "Fewer than 8 clusters (4): too few for an interval."


@pytest.mark.both
def test_articles_that_one_judge_has_finished_do_not_count_for_the_interval():
    """Half finished: 3 articles with two verdicts on each response, 37 with one."""
    rows = [[0, 2], [1, 1], [1, 1], *[[0, 1]] * 37]
    responses = Groups(np.array(rows), np.repeat([2, 1], [3, 37]), np.arange(40))
    result = all_entries(["incorrect", "correct"], responses, ResamplePlan(1, 1_000))
    assert {one["clustered"]["clusters"] for one in result} == {3}
    assert all(one["clustered"]["low"] is None for one in result)


def test_each_verdict_has_intervals_too(study):
    """Partially correct was used in 5 of the 10 articles, so the share of its uses comes from 5."""
    (pair,) = prompts(study)[0]["pairs"]
    unused, partly, _ = pair["per_class"]
    for row in (unused, partly):
        assert row["clustered"]["kappa"]["clusters"] == 10
    assert partly["clustered"]["kappa"]["low"] < partly["kappa"]
    specific = partly["clustered"]["specific_agreement"]
    assert (specific["clusters"], specific["low"]) == (5, None)


@pytest.mark.both
def test_the_work_in_thirds_by_when_the_last_verdict_came(study):
    """The order of the last verdicts is turned round: bob's are dated, the first item latest."""
    start = datetime(2024, 5, 1, tzinfo=UTC)
    items = list(study.items.filter(response__prompt=PROMPT).order_by("position"))
    for day, item in enumerate(reversed(items)):
        late = JudgingSlot.objects.filter(item=item).order_by("judge__pseudonym").last()
        Judgment.objects.filter(slot__item=item).update(judged_at=start - timedelta(days=1))
        Judgment.objects.filter(slot=late).update(judged_at=start + timedelta(days=day))
    thirds = prompts(study)[0]["over_time"]
    assert [one["n"] for one in thirds] == [7, 7, 6]
    days = ["2024-05-01", "2024-05-07", "2024-05-08", "2024-05-14", "2024-05-15", "2024-05-20"]
    assert [day for one in thirds for day in (one["since"], one["until"])] == days
    for part, third in enumerate(thirds):
        mine = list(reversed(items))[7 * part : 7 * part + 7]
        agreed = sum(
            len({slot.judgment.first_verdict for slot in item.slots.all()}) == 1 for item in mine
        )
        assert third["coefficients"][0]["value"] == pytest.approx(agreed / len(mine))


def judged_again(study, *, repeat=1, in_round=None, verdict="correct", of=6):
    """Alice's verdicts once more on the first items of the prompt, all the same."""
    alice = study.judges.get(person__username="alice")
    first = JudgingSlot.objects.filter(
        judge=alice, item__response__prompt=PROMPT, repeat=1, round__n=1
    ).order_by("item__position")[:of]
    for slot in first:
        same = {"item": slot.item, "judge": alice, "seat": slot.seat, "state": slot.state}
        again = JudgingSlot.objects.create(**same, round=in_round or slot.round, repeat=repeat)
        Judgment.objects.create(slot=again, verdict=verdict, first_verdict=verdict)
    return [slot.judgment.first_verdict for slot in first]


@pytest.mark.both
def test_a_judge_with_themself(study):
    before = judged_again(study, repeat=2)
    result = study_report(study)["agreement"]["self"]
    (own,) = result["judges"]
    assert (result["n"], own["n"], result["reason"]) == (6, 6, "")
    counted = Counter(before)
    assert [row[2] for row in own["table"]] == [counted[verdict] for verdict in VERDICTS]
    assert own["coefficients"][0]["value"] == pytest.approx(counted["correct"] / 6)


def test_a_study_that_has_responses_judged_twice_measures_it():
    result = study_report(judged_study(repeat_percent=25))["agreement"]["self"]
    assert [(own["judge"][:1], own["n"]) for own in result["judges"]] == [("P", 6), ("P", 6)]
    assert result["n"] == 12
    assert all(own["coefficients"][0]["value"] == 1 for own in result["judges"])


def test_repeats_are_in_no_agreement_between_judges(study):
    before = study_report(study)["agreement"]["prompts"]
    judged_again(study, repeat=2)
    assert study_report(study)["agreement"]["prompts"] == before


def test_nobody_judged_twice(study):
    assert study_report(study)["agreement"]["self"]["reason"] == NOT_REPEATED
    assert study_report(study)["agreement"]["other_rounds"] == []


def test_a_second_round_is_told_apart_and_repeats_the_first(study):
    study.rounds.update(is_latest=False)
    second = Round.objects.create(study=study, n=2, reason="A week later", rubric=study.rubric)
    judged_again(study, in_round=second)
    (result,) = prompts(study)
    assert (result["round"], result["n"]) == (1, 20)
    assert study_report(study)["agreement"]["self"]["n"] == 6


def test_an_imported_study_has_no_number_in_any_part(study):
    Judgment.objects.update(first_verdict=None)
    Study.objects.filter(pk=study.pk).update(is_imported=True)
    study.refresh_from_db()
    result = study_report(study)["agreement"]
    assert not result["measured"]
    assert result["reason"] == NOT_MEASURED_IMPORTED
    assert all(one["value"] is None for part in result["prompts"] for one in part["all"])
    assert all(part["over_time"] == [] for part in result["prompts"])


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"cluster": "moon"}, "cluster=moon is not known. Use one of: article, tag, instance."),
        ({"seed": "-1"}, "seed=-1 is no whole number."),
        ({"seed": "9" * 30}, "is no whole number"),
        ({"resamples": "ten"}, "resamples=ten is no whole number."),
        ({"resamples": "5"}, "lies between 100 and 100,000"),
        ({"resamples": "0"}, "lies between 100 and 100,000"),
        ({"resamples": "9999999"}, "lies between 100 and 100,000"),
    ],
)
def test_what_cannot_be_resampled_is_refused(query, message):
    with pytest.raises(Refusal, match=message):
        Clustering.from_query(query)


def test_nothing_asked_is_the_studys_seed_and_articles(study):
    assert Clustering.from_query({"seed": "", "cluster": ""}).plan(study) == ResamplePlan(seed=7)


def test_the_page_shows_both_intervals_and_lets_one_choose(study, client, rita):
    page = client.get(f"/reports/{study.pk}/?cluster=tag&resamples=500&seed=3").content.decode()
    assert "whole tags drawn 500 times from seed 3 (PCG64)" in page
    assert "(closed form " in page
    assert '<option value="tag" selected>' in page
    assert "Agreement over time" in page
    assert NOT_REPEATED in page
    asked = "?cluster=tag&amp;resamples=500&amp;seed=3"
    assert f'/reports/{study.pk}.json{asked}"' in page
    for sheet in ("agreement", "confusion", "verdicts", "comparisons"):
        assert f'href="{sheet}.csv{asked}"' in page


def test_an_unknown_cluster_is_refused_on_the_page(study, client, rita):
    assert client.get(f"/reports/{study.pk}/?cluster=moon").status_code == 400


def test_the_command_chooses_too(study):
    out = StringIO()
    call_command("report", study.slug, "--json", "--cluster", "instance", "--seed", "9", stdout=out)
    made = json.loads(out.getvalue())["agreement"]["interval"]
    assert (made["cluster"], made["seed"], made["resamples"]) == ("instance", 9, 10_000)
