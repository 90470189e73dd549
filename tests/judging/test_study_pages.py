"""The pages of studies, for admins and researchers."""

import pytest
from pytest_django.asserts import assertContains, assertNotContains

from accounts.roles import Role
from generation.models import Response
from judging import verdicts
from judging.models import JudgingSlot, Study
from tests.factories import person, signed_in, stored
from tests.judging import factories as make

pytestmark = [pytest.mark.once, pytest.mark.django_db]


@pytest.fixture
def admin(client):
    return signed_in(client, person("admin", Role.ADMIN))


@pytest.fixture
def researcher(client):
    return signed_in(client, person("dora", Role.RESEARCHER))


def new_study(run, **changed):
    return {
        "name": "Pilot",
        "runs": [run.pk],
        "judges_per_response": 2,
        "resolved_by": "third_person",
        "order": "grouped",
        "seed": 7,
        **changed,
    }


def test_an_empty_list_says_what_to_do(client, admin):
    assert "No study yet." in client.get("/studies/").content.decode()


def test_without_responses_there_is_nothing_to_judge_yet(client, admin):
    assert "nothing to judge yet" in client.get("/studies/new/").content.decode()


def test_a_study_is_made_opened_and_closed(client, admin):
    run = make.finished_run()
    answer = client.post("/studies/new/", new_study(run))
    study = Study.objects.get()
    assert answer.url == f"/studies/{study.pk}/"
    assert study.items.count() == 12
    judges = [make.judge("alice").pk, make.judge("bob").pk]
    client.post(f"/studies/{study.pk}/open/", {"judges": judges})
    assert JudgingSlot.objects.count() == 24
    client.post(f"/studies/{study.pk}/close/")
    assert stored(study).state == "closed"


def test_a_share_may_come_twice(client, admin):
    client.post("/studies/new/", new_study(make.finished_run(instances=4), repeat_percent=25))
    study = Study.objects.get()
    client.post(f"/studies/{study.pk}/open/", {"judges": [make.judge(n).pk for n in ("a", "b")]})
    assert JudgingSlot.objects.filter(repeat=2).count() == 2 * 6
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert (
        "25 % of each judge&#x27;s responses come twice" in page or "25 % of each judge's" in page
    )


def test_a_study_of_some_prompts_and_models_only(client, admin):
    run = make.finished_run()
    model = make.language_model()
    data = new_study(run, prompts=["passage-1"], language_models=[model.pk])
    client.post("/studies/new/", data)
    drawn = Study.objects.get().items.values_list("response__prompt", "response__model")
    assert set(drawn) == {("passage-1", model.pk)}


def test_unfinished_responses_are_left_out_and_counted(client, admin):
    run = make.finished_run()
    Response.objects.filter(prompt="passage-1").update(state="failed")
    page = client.post("/studies/new/", new_study(run), follow=True).content.decode()
    assert "not finished: 4 chosen responses." in page


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": ""}, "This field is required"),
        ({"runs": []}, "This field is required"),
        ({"judges_per_response": 0}, "greater than or equal to 1"),
        ({"resolved_by": "discussion"}, "Select a valid choice"),
        ({"resolved_by": "majority"}, "at least three judges"),
        ({"order": ""}, "This field is required"),
        ({"repeat_percent": 51}, "less than or equal to 50"),
        ({"seed": "x"}, "Enter a whole number"),
        ({"prompts": ["home-made"]}, "Select a valid choice"),
    ],
)
def test_a_refused_study_keeps_what_was_entered(client, admin, changed, sentence):
    run = make.finished_run()
    answer = client.post("/studies/new/", new_study(run, **changed))
    page = answer.content.decode()
    assert answer.status_code == 400
    assert sentence in page
    assert "Please check these entries" in page
    if "name" not in changed:
        assert 'value="Pilot"' in page
    assert not Study.objects.exists()


def test_a_double_click_makes_one_study(client, admin):
    run = make.finished_run()
    client.post("/studies/new/", new_study(run))
    answer = client.post("/studies/new/", new_study(run))
    assertContains(answer, "Choose another name", status_code=400)
    assert Study.objects.count() == 1


def test_too_few_judges_are_refused_on_the_page(client, admin):
    study = make.draft()
    answer = client.post(f"/studies/{study.pk}/open/", {"judges": [make.judge("alice").pk]})
    assertContains(answer, "2 judges per response are needed", status_code=400)
    assert stored(study).state == "draft"


def test_a_person_without_the_role_is_not_among_the_judges(client, admin):
    study = make.draft()
    dave = person("dave", Role.ANNOTATOR)
    assertNotContains(client.get(f"/studies/{study.pk}/"), "Dave")
    answer = client.post(f"/studies/{study.pk}/open/", {"judges": [dave.pk]})
    assert answer.status_code == 400


def test_the_page_counts_what_the_rows_hold(client, researcher):
    study, _ = make.one_disputed()
    for name in ("alice", "bob"):
        verdicts.hand_in(make.judge(name), study)
    page = " ".join(client.get(f"/studies/{study.pk}/").content.decode().split())
    assert "Responses with a final verdict: 1 of 2" in page
    assert "1 waits for a third person, 0 for their judges." in page
    assert "Correct · Incorrect" in page or "Incorrect · Correct" in page


def test_a_study_closed_early_says_how_many_lack_which_verdicts_and_leads_to_them(
    client, researcher
):
    study, *_ = make.closed_early()
    page = " ".join(client.get(f"/studies/{study.pk}/").content.decode().split())
    assert "2 wait for a third person, 0 for their judges." in page
    assert "1 with 0 of 2 verdicts, 2 with 1 of 2 verdicts." in page
    assert f'href="/reports/{study.pk}/rows/?verdict=incomplete"' in page


def test_judges_appear_by_pseudonym_to_researchers_by_name_to_admins(client, researcher):
    study = make.open_study()
    alice = make.judge("alice")
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert alice.pseudonym in page
    assert "Alice" not in page
    client.force_login(study.created_by)
    assert "Alice" in client.get(f"/studies/{study.pk}/").content.decode()


def test_responses_that_name_their_model_are_listed_for_the_admin(client, researcher):
    run = make.finished_run(instances=1, prompts=["passage-1"])
    Response.objects.filter(model__model_id=make.MODEL_IDS[1]).update(
        text="As wombat-13b-secret I say 1101."
    )
    study = make.draft(drawn_from=run)
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "Responses that name their own model" in page
    assert "As wombat-13b-secret I say 1101." in page


def test_what_judges_flagged_is_listed_with_their_words(client, researcher):
    study = make.open_study()
    one, two, *_ = make.slots(study, make.judge("alice"))
    verdicts.flag(one, True, "It says who it is.")
    verdicts.skip(two, "The passage is cut.")
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "It says who it is." in page
    assert "The passage is cut." in page


def test_a_study_that_is_not_there(client, admin):
    assert client.get("/studies/99/").status_code == 404
