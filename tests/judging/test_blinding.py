"""What judges, also those with further roles, cannot see."""

import re

import pytest
from django.urls import reverse

from accounts.models import Person
from accounts.roles import Role
from datasets.models import Instance
from evaluation.frozen import publishing, snapshots
from generation import access
from generation.models import Response
from judging import adjudication, blinding, planning, studies, verdicts
from judging.models import Judgment, Study
from leases.refusal import Conflict, NotAllowed
from tests.factories import person, stored
from tests.judging import declared
from tests.judging import factories as make

pytestmark = pytest.mark.django_db

# Random: it can contain any digits by chance.
SLOT_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def telltales(slot):
    """What would tell the judge who wrote the response, or what others think of it."""
    response = slot.item.response
    return {
        "model": response.model.model_id,
        "service": response.model.service,
        "run": response.run.name,
        "tokens": "9876",  # 98761 to 98763: prompt tokens, completion tokens, latency
        "reason it stopped": "finish_reason",
        "other comment": "What Bob thinks",
        "other judge": make.judge("bob").pseudonym,
        "own pseudonym": make.judge("alice").pseudonym,
    }


@pytest.fixture
def slots(study, alice):
    mine = make.slots(study, alice)
    for theirs in make.slots(study, make.judge("bob")):
        verdicts.give(theirs, "incorrect", comment="What Bob thinks")
    verdicts.give(mine[1], "correct")
    return mine


@pytest.mark.parametrize("name", ["slot", "coming", "api_slot"])
def test_nothing_tells_which_model_wrote_an_item(client, alice, slots, name):
    client.force_login(alice)
    for slot in slots:
        answer = client.get(reverse(f"judging:{name}", args=[slot.pk]))
        assert answer.status_code == 200
        body = SLOT_ID.sub("", answer.content.decode())
        revealed = [what for what, words in telltales(slot).items() if words in body]
        assert revealed == []
        assert not {"ETag", "Last-Modified"} & set(answer.headers)


@pytest.mark.parametrize("path", ["/judge/", "/judge/{}/"])
def test_the_lists_tell_nothing_either(client, alice, study, slots, path):
    client.force_login(alice)
    body = client.get(path.format(study.pk)).content.decode()
    assert [what for what, words in telltales(slots[0]).items() if words in body] == []


def test_no_row_id_of_response_item_or_model_is_in_the_item(client, alice, slots):
    """Row ids count up in the order of the models, so that they would tell them apart."""
    client.force_login(alice)
    answer = client.get(reverse("judging:api_slot", args=[slots[0].pk])).json()
    assert set(answer) == {
        "slot", "response", "verdict", "comment", "flagged", "flag_note", "skip_reason", "state",
        "version", "position", "total",
    }  # fmt: skip
    assert set(answer["response"]) == {
        "question", "gold", "passages", "text", "check", "check_reply", "finding", "cut_off", "prompt_label",
        "prompt_title", "heading", "origin", "rules", "choices",
    }  # fmt: skip


def test_slot_ids_are_random_and_not_in_order(slots):
    ids = [str(slot.pk) for slot in slots]
    assert all(slot.pk.version == 4 for slot in slots)
    assert ids != sorted(ids)


def test_a_run_is_hidden_from_its_judges_while_the_study_is_open(study, alice):
    run = study.items.first().response.run
    other = person("dora", Role.RESEARCHER)
    assert not access.may_see(alice, run)
    assert access.may_see(other, run)
    assert blinding.hidden_run_ids(alice) == {run.pk}
    studies.close_study(study)
    assert access.may_see(alice, run)
    assert blinding.hidden_run_ids(alice) == set()


def test_runs_of_one_file_are_hidden_together(alice):
    """They have the same responses, so one's page, verdicts and results would tell of the other's."""
    bob = make.judge("bob")
    for who in (alice, bob):
        who.grants.create(role=Role.RESEARCHER)
        who.grants.create(role=Role.ADJUDICATOR)
    alice, bob = Person.objects.order_by("username").filter(pk__in=[alice.pk, bob.pk])
    run = make.run("copied")
    make.responses(run, Instance.objects.all(), prompts=["passage-1"], text="In 1101 or 1201.")
    copies = [run, make.copy_of(run)]
    first = make.open_study("carol", "dave", name="First", drawn_from=copies[0])
    make.hand_in(first, "carol")
    make.hand_in(first, "dave")
    second = make.draft(name="Second", drawn_from=copies[1])
    responses = list(studies.counted(second))
    studies.close_study(first)
    read = blinding.read_elsewhere([alice], second, responses)
    assert read == {alice: [(first, 2)]}
    studies.close_study(Study.objects.get(name="Pilot"))
    assert blinding.results_problem(alice, first) is None
    assert access.visible_to(alice, copies) == copies
    assert first in adjudication.studies_for(alice)
    assert blinding.sharing_with_open(alice, Study.objects.filter(pk=first.pk)) == set()
    studies.open_study(second, [alice, bob])
    assert blinding.results_problem(alice, first)
    assert access.visible_to(alice, copies) == []
    assert first not in adjudication.studies_for(alice)
    assert blinding.sharing_with_open(alice, Study.objects.filter(pk=first.pk)) == {first.pk}
    assert blinding.judged_runs(alice, copies[:1]) == {copies[0].pk}


def test_for_whom_nothing_is_hidden_no_item_is_read(study, alice, django_assert_num_queries):
    """Every page of runs and results asks, one of them every two seconds."""
    dora, run = person("dora", Role.RESEARCHER), study.items.first().response.run
    assert dora.roles == {Role.RESEARCHER}  # a request reads them with its session
    for ask in (
        lambda: blinding.judged_runs(dora, [run]),
        lambda: blinding.hidden_run_ids(dora),
    ):
        with django_assert_num_queries(1) as asked:
            assert not ask()
        assert "judging_studyitem" not in asked.captured_queries[0]["sql"]


def test_handing_in_does_not_open_the_run(study, alice):
    make.hand_in(study, "alice")
    assert not access.may_see(alice, study.items.first().response.run)


def test_results_are_hidden_from_judges_and_from_nobody_else(study, alice):
    with pytest.raises(NotAllowed, match="stay hidden from you until the study is closed"):
        blinding.require_results(alice, study)
    blinding.require_results(person("dora", Role.RESEARCHER), study)
    studies.close_study(study)
    study.refresh_from_db()
    blinding.require_results(alice, study)


def test_a_closed_study_over_the_same_run_stays_hidden_too(study, alice):
    run = study.items.first().response.run
    earlier = make.draft("Earlier", drawn_from=run)
    studies.open_study(earlier, [make.judge("charlie"), make.judge("dave")])
    studies.close_study(earlier)
    earlier.refresh_from_db()
    assert blinding.results_problem(alice, earlier)
    assert blinding.results_problem(make.judge("charlie"), earlier) is None


def test_a_judge_resolves_nothing_that_was_drawn_from_the_run_they_judge(client, study, alice):
    """The third person reads both judges' verdicts: on these very responses."""
    alice.grants.create(role=Role.ADJUDICATOR)
    other = make.draft("Other", drawn_from=study.items.first().response.run)
    studies.open_study(other, [make.judge("charlie"), make.judge("dave")])
    for who, verdict in (("charlie", "correct"), ("dave", "incorrect")):
        make.hand_in(other, who, verdict)
    addresses = [f"/resolve/{other.pk}/", f"/resolve/items/{other.items.first().pk}/"]
    client.force_login(alice)
    assert [client.get(address).status_code for address in addresses] == [404, 404]
    assert "Other" not in client.get("/resolve/").content.decode()
    studies.close_study(study)
    assert [client.get(address).status_code for address in addresses] == [200, 200]


def test_an_admin_who_judges_sees_neither_results_nor_models(client, study, alice, slots):
    for role in (Role.ADMIN, Role.RESEARCHER):
        alice.grants.create(role=role)
    client.force_login(alice)
    page = client.get(f"/studies/{study.pk}/").content.decode()
    assert "stay hidden from you" in page
    assert make.MODEL_IDS[0] not in page
    assert "What Bob thinks" not in page
    assert "Final verdicts" not in page


def test_an_admin_who_judges_can_still_close(client, study, alice):
    alice.grants.create(role=Role.ADMIN)
    client.force_login(alice)
    client.post(f"/studies/{study.pk}/close/")
    assert stored(study).state == "closed"


def test_an_admin_who_judges_is_not_offered_the_run_for_another_study(client, study, alice):
    alice.grants.create(role=Role.ADMIN)
    client.force_login(alice)
    page = client.get("/studies/new/").content.decode()
    assert "secret-run" not in page
    assert make.MODEL_IDS[0] not in page


def test_first_verdicts_are_given_without_seeing_the_others(client, alice, slots):
    client.force_login(alice)
    body = client.get(reverse("judging:slot", args=[slots[0].pk])).content.decode()
    assert 'aria-pressed="true"' not in body
    assert Judgment.objects.filter(slot__item=slots[0].item).count() == 1


@pytest.mark.parametrize(
    "address",
    [
        "/runs/{run}/", "/runs/{run}/responses/", "/runs/{run}/responses/?words=founded", "/runs/{run}/two-models/",
        "/reports/{study}/", "/reports/{study}.json",
    ],
)  # fmt: skip
def test_an_admin_who_judges_opens_neither_run_nor_report(client, study, alice, address):
    for role in (Role.ADMIN, Role.RESEARCHER):
        alice.grants.create(role=role)
    url = address.format(run=study.items.first().response.run_id, study=study.pk)
    client.force_login(alice)
    assert client.get(url).status_code in (403, 404)
    client.force_login(person("dora", Role.ADMIN, Role.RESEARCHER))
    assert client.get(url).status_code == 200
    studies.close_study(study)
    client.force_login(alice)
    assert client.get(url).status_code == 200


def test_given_texts_of_a_second_run_are_hidden_and_no_report_on_them_is_published():
    """Both runs give the same fields of the same records, of which no file says so."""
    first = declared.given_run()
    second = declared.run_over(first.collection)
    earlier = declared.open_study("carol", "dave", run=second, name="Earlier")
    studies.close_study(earlier)
    study = declared.open_study("erin", "frank", run=first, name="Later")
    erin = Person.objects.get(username="erin")
    assert access.visible_to(erin, [first, second]) == []
    assert blinding.results_problem(erin, earlier)
    frozen, _ = snapshots.freeze(earlier, by=person("rosa", Role.RESEARCHER))
    with pytest.raises(Conflict, match="still judges"):
        publishing.publish(frozen, by=frozen.created_by)
    studies.close_study(study)
    assert publishing.publish(frozen, by=frozen.created_by).public


@pytest.mark.parametrize(("text", "is_same"), [("", True), ("Another text.", False)])
def test_a_text_is_known_by_its_record_prompt_and_hash(study, alice, text, is_same):
    judged = study.items.first().response
    again = make.run("again")
    text = text or judged.text
    make.response(again, judged.instance, judged.prompt, judged.model, text=text)
    assert (access.visible_to(alice, [again]) == []) == is_same


def test_who_opens_a_study_of_one_author_is_told_so(study):
    responses = list(Response.objects.select_related("instance__contradiction"))
    assert planning.OF_ONE_AUTHOR not in planning.warnings(study, responses, [])
    of_one = [row for row in responses if row.model_id == responses[0].model_id]
    assert planning.OF_ONE_AUTHOR in planning.warnings(study, of_one, [])
