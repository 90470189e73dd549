"""The pages of further rounds: opening them, what they show, and what they refuse."""

import pytest
from pytest_django.asserts import assertContains, assertNotContains, assertRedirects

from accounts.roles import Role
from generation import prompt_versions
from judging import rubric_versions, studies
from judging.models import Round, Study
from leases.refusal import Refusal
from tests.factories import person
from tests.judging import factories as judging
from tests.judging.test_rounds import closed

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(client):
    study = closed()
    client.force_login(study.created_by)
    return study


def entered(study: Study, *usernames: str, **fields: object) -> dict[str, object]:
    judges = [judging.judge(name).pk for name in usernames or ("dora", "emil")]
    form = {"reason": "Clearer criteria", "rubric": study.rubric_id, "judges": judges}
    return {**form, "counts": "yes", **fields}


def url_of(study: Study, what: str) -> str:
    return f"/studies/{study.pk}/{what}/"


def test_an_admin_judges_responses_again(client, study):
    fields = entered(study, prompts=["passage-1"], numbers="0-11")
    page = client.post(url_of(study, "rounds/again"), fields, follow=True)
    assertRedirects(page, url_of(study, "").replace("//", "/"))
    assertContains(page, "Round 2 is open")
    assertContains(page, "Clearer criteria")
    assert Round.objects.get(n=2).items.count() == 4


def test_a_dry_run_stores_nothing(client, study):
    page = client.post(url_of(study, "rounds/again"), {**entered(study), "try": "1"})
    assertContains(page, "24 items on 12 responses")
    assert Round.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"reason": ""}, "This field is required"),
        ({"numbers": "three"}, "Write numbers and ranges"),
        ({"numbers": "99"}, "no response number 99"),
        ({"counts": ""}, "This field is required"),
        ({"judges": []}, "This field is required"),
    ],
)
def test_a_refused_round_keeps_what_was_typed(client, study, fields, words):
    page = client.post(url_of(study, "rounds/again"), entered(study, **fields))
    assertContains(page, words, status_code=400)
    assert Round.objects.count() == 1


def test_a_prompt_that_was_replaced_by_a_newer_version_is_named(client, study):
    assertNotContains(client.get(url_of(study, "rounds/again")), "newer version")
    newer_version("passage-1")
    page = client.get(url_of(study, "rounds/again"))
    assertContains(
        page, "Prompt 2 has a newer version, 2 v2. The responses here answered version 1;"
    )
    fields = entered(study, prompts=["passage-1"])
    assertContains(client.post(url_of(study, "rounds/again"), fields, follow=True), "is open")
    assert Round.objects.get(n=2).items.filter(response__prompt="passage-1").count() == 4


def newer_version(key):
    row = prompt_versions.stored_as(key)
    mark = prompt_versions.mark_of(row)
    given = {**row.body, "template": "Short: {question} {context1}"}
    return prompt_versions.save(row, given, newest=mark, by=person("rosa", Role.RESEARCHER))


def test_a_study_takes_a_version_once_its_rubric_has_criteria_for_it(client):
    second = newer_version("passage-1").prompt
    run = judging.run()
    about = judging.instance()
    for prompt in ("passage-1", second.name):
        judging.response(run, about, prompt, judging.language_model())
    with pytest.raises(Refusal, match="has nothing on the prompt passage-1-v2"):
        judging.open_study("alice", drawn_from=run, judges_per_response=1)
    row = rubric_versions.current()
    prompts = {**row.body["prompts"], second.name: row.body["prompts"]["passage-1"]}
    body = {**row.body, "prompts": prompts}
    rubric_versions.save(body, newest=row.version, by=person("olga", Role.ADMIN))
    study = judging.open_study("bob", name="Both", drawn_from=run, judges_per_response=1)
    judging.give_all(study, "bob")
    studies.close_study(study)
    client.force_login(person("rita", Role.RESEARCHER))
    [table] = client.get(f"/reports/{study.pk}.json").json()["tables"]
    counted = [
        (line["prompt"], line["labelled"]) for line in table["lines"] if line["slice"] == "all"
    ]
    assert sorted(counted) == [("2", 1), ("2 v2", 1)]


def test_the_form_says_who_could_read_the_verdicts(client, study):
    person("rita", Role.JUDGE, Role.RESEARCHER)
    page = client.get(url_of(study, "rounds/again"))
    assertContains(page, "(rita), who may have read its verdicts")
    assertContains(page, "(alice), who may have read its verdicts")
    judging.judge("dora")
    assertNotContains(client.get(url_of(study, "rounds/again")), "(dora), who")


def test_an_admin_adds_a_model(client, study):
    fields = entered(study, runs=[judging.later_run().pk], anchor_percent=20)
    page = client.post(url_of(study, "rounds/added"), fields, follow=True)
    assertContains(page, "Round 2 is open")
    assert Round.objects.get(n=2).items.count() == 6 + 2


def test_a_dry_run_of_a_model_shows_what_opening_makes_and_stores_nothing(client, study):
    fields = entered(study, runs=[judging.later_run().pk], anchor_percent=20)
    page = client.post(url_of(study, "rounds/added"), {**fields, "try": "1"})
    assertContains(page, "16 items on 8 responses")
    assert (Round.objects.count(), study.items.count()) == (1, 12)
    client.post(url_of(study, "rounds/added"), fields)
    assert Round.objects.get(n=2).slots.count() == 16


def test_a_dry_run_of_a_model_is_refused_as_opening_is(client, study):
    fields = entered(study, runs=[study.items.first().response.run_id], anchor_percent=20)
    page = client.post(url_of(study, "rounds/added"), {**fields, "try": "1"})
    assertContains(page, "has all of these responses", status_code=400)


def test_the_form_names_what_anchors_are_a_percent_of_and_what_judges_see(client, study):
    page = client.get(url_of(study, "rounds/added"))
    assertContains(
        page, "Percent of the responses with a final verdict by the rubric of this round"
    )
    assertContains(page, "people who judged in one know")


def test_no_round_is_added_without_anchors(client, study):
    fields = entered(study, runs=[judging.later_run().pk], anchor_percent=0)
    page = client.post(url_of(study, "rounds/added"), fields)
    assertContains(page, "greater than or equal to 1", status_code=400)


def test_an_admin_opens_a_study_again_that_was_closed_early(client):
    study, _, _ = judging.closed_early()
    client.force_login(study.created_by)
    page = client.get(url_of(study, "").replace("//", "/"))
    assertContains(page, "4 items were not judged")
    page = client.post(url_of(study, "reopen"), {"reason": "Closed by mistake"}, follow=True)
    assertContains(page, "open again")
    assertContains(page, "Closed by mistake")
    page = client.post(url_of(study, "reopen"), {"reason": "Again"})
    assertContains(page, "not closed", status_code=409)


def test_a_reopening_without_a_reason_is_refused_on_the_studys_page(client):
    study, _, _ = judging.closed_early()
    client.force_login(study.created_by)
    page = client.post(url_of(study, "reopen"), {"reason": ""})
    assertContains(page, "This field is required", status_code=400)


@pytest.mark.parametrize("what", ["rounds/again", "rounds/added"])
def test_an_open_study_has_no_page_for_a_further_round(client, what):
    study = judging.open_study()
    client.force_login(study.created_by)
    assertContains(client.get(url_of(study, what)), "not closed", status_code=409)


@pytest.mark.parametrize("what", ["rounds/again", "rounds/added"])
def test_a_judge_of_the_same_run_elsewhere_sees_no_form(client, what):
    study = closed()
    both = person("ada", Role.ADMIN, Role.JUDGE)
    other = judging.draft("Other", drawn_from=judging.Run.objects.get())
    studies.open_study(other, [both, judging.judge("bob")])
    client.force_login(both)
    assert client.get(url_of(study, what)).status_code == 403
