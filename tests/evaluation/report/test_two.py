"""Two reports next to each other."""

import re

import pytest

from accounts.models import RoleGrant
from accounts.roles import Role
from evaluation.frozen.snapshots import freeze
from evaluation.report.two import next_to
from evaluation.sections.study import study_report
from generation.models import Run
from tests.evaluation.factories import judge_all, judged_study, resolve_all
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


def prompt_of(prompts, label):
    (found,) = [one for one in prompts if one.label == label]
    return found


def texts(row):
    return [side.value for side in row.sides], row.difference


def test_shares_are_matched_by_prompt_model_and_slice(study, other):
    first, second = study_report(study), study_report(other)
    prompts = next_to(first, second, "correct")
    assert [one.label for one in prompts] == sorted(one["label"] for one in first["prompts"])
    shown = [texts(row) for row in prompt_of(prompts, "4").rows if row.slice == "All"]
    assert shown == [(["3/3", "0/4"], "−100.0")] * 2
    turned = next_to(second, first, "incorrect")
    shown = [texts(row) for row in prompt_of(turned, "4").rows if row.slice == "All"]
    assert shown == [(["4/4", "0/3"], "−100.0")] * 2


def test_agreement_is_given_where_it_was_measured(study, other):
    prompts = next_to(study_report(study), study_report(other), "correct")
    for prompt in prompts:
        assert prompt.agreement.n == (8, 0)
        assert prompt.agreement.words[0].startswith("Cohen's kappa")
        assert prompt.agreement.words[1] == ""


def test_models_are_matched_by_their_numbers_whatever_a_report_calls_them(study, other):
    first, second = study_report(study), study_report(other)
    (table,) = second["tables"]
    one, two = (model["name"] for model in second["models"])
    turned = {one: two, two: f"{one} (local)"}
    renamed = {
        **second,
        "models": [{**model, "name": turned[model["name"]]} for model in second["models"]],
        "tables": [
            {**table, "rows": [{**row, "model": turned[row["model"]]} for row in table["rows"]]}
        ],
    }
    assert next_to(first, renamed, "correct") == next_to(first, second, "correct")


def test_a_prompt_or_model_of_one_report_has_a_dash_in_the_other(study):
    whole = study_report(study)
    gone, model = whole["prompts"][0], whole["models"][0]["name"]
    (table,) = whole["tables"]
    part = {
        **whole,
        "prompts": whole["prompts"][1:],
        "tables": [{**table, "rows": [row for row in table["rows"] if row["model"] != model]}],
    }
    for prompt in next_to(whole, part, "correct"):
        for row in prompt.rows:
            is_absent = prompt.label == gone["label"] or row.model == model
            assert (row.sides[1].value == "–") is is_absent
            assert (row.difference == "") is is_absent


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
    assert "1/4" in shown
    assert "0/3" in shown
    assert "−25.0" in shown
    links = re.findall(r'href="(/reports/\d+/rows/\?[^"]+)">1/4<', shown)
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
