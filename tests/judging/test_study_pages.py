"""The pages of studies, for admins and researchers."""

import pytest

from accounts.roles import Role
from generation.models import Response
from judging import verdicts
from judging.models import JudgingSlot, Study
from tests.factories import person
from tests.judging import factories as make

pytestmark = [pytest.mark.once, pytest.mark.django_db]


@pytest.fixture
def admin(client):
    who = person("admin", Role.ADMIN)
    client.force_login(who)
    return who


@pytest.fixture
def researcher(client):
    who = person("dora", Role.RESEARCHER)
    client.force_login(who)
    return who


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
    study.refresh_from_db()
    assert study.state == "closed"


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
    assert "Choose another name" in answer.content.decode()
    assert Study.objects.count() == 1


def test_too_few_judges_are_refused_on_the_page(client, admin):
    study = make.draft()
    answer = client.post(f"/studies/{study.pk}/open/", {"judges": [make.judge("alice").pk]})
    assert answer.status_code == 400
    assert "2 judges per response are needed" in answer.content.decode()
    study.refresh_from_db()
    assert study.state == "draft"


def test_a_person_without_the_role_is_not_among_the_judges(client, admin):
    study = make.draft()
    dave = person("dave", Role.ANNOTATOR)
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "Dave" not in page
    answer = client.post(f"/studies/{study.pk}/open/", {"judges": [dave.pk]})
    assert answer.status_code == 400


def test_the_page_counts_what_the_rows_hold(client, researcher):
    study = make.open_study(drawn_from=make.finished_run(instances=1, prompts=["passage-1"]))
    alice, bob = make.judge("alice"), make.judge("bob")
    for slot in make.slots(study, alice):
        verdicts.give(slot, "correct")
    first, second = make.slots(study, bob)
    verdicts.give(first, "correct")
    verdicts.give(second, "incorrect")
    for who in (alice, bob):
        verdicts.hand_in(who, study)
    page = " ".join(client.get(f"/studies/{study.pk}/").content.decode().split())
    assert "Responses with a final verdict: 1 of 2" in page
    assert "1 waits for a third person, 0 for their judges." in page
    assert "Correct · Incorrect" in page or "Incorrect · Correct" in page


def test_judges_appear_by_pseudonym_to_researchers_by_name_to_admins(client, researcher):
    study = make.open_study()
    alice = make.judge("alice")
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert alice.pseudonym in page
    assert "Alice" not in page
    client.force_login(study.created_by)
    assert "Alice" in client.get(f"/studies/{study.pk}/").content.decode()


def test_the_admin_is_told_of_responses_that_name_their_model(client, researcher):
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


@pytest.mark.parametrize("path", ["new/", "{}/open/", "{}/close/"])
def test_researchers_read_and_do_not_write(client, researcher, path):
    study = make.draft()
    assert client.post(f"/studies/{path.format(study.pk)}").status_code == 403
    study.refresh_from_db()
    assert study.state == "draft"


@pytest.mark.parametrize("path", ["", "{}/"])
def test_judges_and_annotators_stay_out(client, path):
    study = make.open_study()
    client.force_login(person("erin", Role.ANNOTATOR, Role.JUDGE, Role.ADJUDICATOR))
    assert client.get(f"/studies/{path.format(study.pk)}").status_code == 403


def test_a_study_that_is_not_there(client, admin):
    assert client.get("/studies/99/").status_code == 404
