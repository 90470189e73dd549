"""Judge models: asked by workers, apart from people's verdicts, against the fake service."""

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from django.urls import reverse
from pytest_django.asserts import assertContains

from accounts.roles import Role
from generation import chat, registry, runs
from generation.client import service
from generation.models import Run
from judging import progress, settling, studies
from judging.machine import calls, control
from judging.models import Judge, JudgeCall, MachineVerdict, Resolution
from judging.states import MachineState
from judging.tasks import judge_with_model, sweep_machine_verdicts, wake
from leases.refusal import Conflict, Refusal
from tests.factories import person, stored
from tests.generation.factories import echo
from tests.generation.fake_service import Fault, HangUp, Late, Say
from tests.judging.factories import draft, finished_run, hand_in, open_study

pytestmark = pytest.mark.django_db

PROMPT = ("both-passages",)


@pytest.fixture
def judge_model(local):
    """The fake service's model, which says partially correct of everything."""
    return echo()


@pytest.fixture
def study(judge_model, fake):
    fake.answer = lambda request: "comment: One of two.\n\nevaluation: partically correct"
    return open_study(drawn_from=finished_run(prompts=PROMPT))


def judged_by(study, model, **options):
    judge = control.begin(study, model, **options)
    while calls.judge_next("local"):
        pass
    return judge


def state_of(judge):
    return dict(
        MachineVerdict.objects.filter(judge=judge).values_list("item__position", "state").order_by()
    )


def test_every_response_is_judged_once_and_the_raw_reply_kept(study, judge_model, fake):
    judge = judged_by(study, judge_model)
    assert control.progress(judge) == control.MachineProgress(0, 0, 4, 0, 0, 0)
    call = JudgeCall.objects.first()
    assert (call.n, call.parsed, call.spelling) == (
        1, "partially correct", "partically correct",
    )  # fmt: skip
    assert call.reply == "comment: One of two.\n\nevaluation: partically correct"
    assert JudgeCall.objects.count() == len(fake.calls) == 4


def test_what_is_sent_names_question_gold_and_response_and_no_model(study, judge_model, fake):
    judged_by(study, judge_model)
    sent = fake.calls[0]["messages"][-1]["content"]
    assert "question: When was abbey" in sent
    assert "correct_answers: 1101 | 1201" in sent
    assert "response: It was founded in 1101, some say." in sent
    assert not any("quokka" in json.dumps(call) for call in fake.calls)


def test_gold_that_the_rubric_cannot_give_is_that_kept_with_the_response(study, judge_model, fake):
    response = study.items.first().response
    type(response).objects.update(gold=["kept gold"])
    type(study.rubric).objects.update(body={"name": "of another time"})
    judged_by(study, judge_model)
    assert "correct_answers: kept gold\n" in fake.calls[0]["messages"][-1]["content"]


def test_only_the_chosen_prompts_are_judged(judge_model):
    study = open_study(drawn_from=finished_run(prompts=("passage-1", "both-passages")))
    judge = control.begin(study, judge_model, ["passage-1"])
    assert control.progress(judge).total == 4
    control.begin(study, judge_model)
    assert control.progress(judge).total == 8
    assert Judge.objects.filter(model=judge_model).count() == 1


def test_beginning_twice_adds_nothing(study, judge_model):
    judged_by(study, judge_model)
    judged_by(study, judge_model)
    assert (MachineVerdict.objects.count(), JudgeCall.objects.count()) == (4, 4)


def test_its_verdicts_settle_nothing_and_are_no_first_verdicts(study, judge_model):
    judged_by(study, judge_model)
    assert not Resolution.objects.exists()
    assert progress.of_study(study).judged == 0
    for who in ("alice", "bob"):
        hand_in(study, who)
    rows = Resolution.objects.values_list("verdict", "how").distinct()
    assert list(rows) == [("correct", "unanimous")]
    item = settling.finished(study.items.all()).first()
    assert settling.first_verdicts(item) == ["correct", "correct"]


def test_closing_the_study_leaves_machine_verdicts_as_they_are(study, judge_model):
    judge = control.begin(study, judge_model)
    assert calls.judge_next("local")
    before = state_of(judge)
    studies.close_study(study)
    assert state_of(judge) == before


def test_a_reply_without_a_verdict_is_unparsed_and_not_asked_again(study, judge_model, fake):
    fake.enqueue(Say("I like it."))
    judge = judged_by(study, judge_model)
    counts = control.progress(judge)
    assert (counts.judged, counts.unparsed) == (3, 1)
    row = MachineVerdict.objects.get(state=MachineState.UNPARSED)
    assert (row.verdict, row.calls.get().reply) == (None, "I like it.")
    with pytest.raises(Conflict, match="nothing to ask again"):
        control.resume(judge)


def test_a_fault_sets_one_response_back_and_its_call_is_kept(study, judge_model, fake):
    fake.enqueue(*[Fault(500)] * 3)
    judge = control.begin(study, judge_model)
    assert calls.judge_next("local")
    row = MachineVerdict.objects.exclude(error="").get()
    assert (row.state, row.calls.get().status) == (MachineState.WAITING, 500)
    assert row.not_before is not None
    MachineVerdict.objects.update(not_before=None)
    while calls.judge_next("local"):
        pass
    assert control.progress(judge).judged == 4
    assert [call.n for call in row.calls.all()] == [1, 2]
    assert stored(row).error == ""


def test_what_cannot_be_asked_fails_at_once_and_can_be_resumed(study, judge_model, fake):
    fake.enqueue(Fault(400, {"error": {"message": "bad request"}}))
    judge = judged_by(study, judge_model)
    assert control.progress(judge).failed == 1
    assert "bad request" in control.reasons(judge)[0][0]
    assert control.resume(judge) == 1
    assert calls.judge_next("local")
    assert control.progress(judge).judged == 4


def test_an_outage_fails_a_response_after_five_calls(study, judge_model, fake, settings):
    judge = control.begin(study, judge_model)
    MachineVerdict.objects.exclude(pk=MachineVerdict.objects.first().pk).delete()
    for _ in range(5):
        fake.enqueue(HangUp(), HangUp(), HangUp())
        MachineVerdict.objects.update(not_before=None)
        assert calls.judge_next("local")
    (row,) = MachineVerdict.objects.all()
    assert row.state == MachineState.FAILED
    assert "Asked 5 times" in row.error
    assert control.progress(judge).over


def test_a_reply_that_comes_after_the_lease_ran_out_is_left(study, judge_model):
    control.begin(study, judge_model)
    queue = calls.Queue()
    entry = service("local").entry
    row = queue.claim(entry, "first")
    MachineVerdict.objects.filter(pk=row.pk).update(lease_until=Now() - timedelta(seconds=1))
    assert calls.sweep() == 1
    again = queue.claim(entry, "second")
    assert again.pk == row.pk
    reply = chat.Reply("evaluation: correct", {}, 200, "echo-1", "stop", 1, 1, 5)
    assert queue.store(row, "first", reply) is False
    assert queue.store(again, "second", reply) is True
    assert row.calls.count() == 1


def test_a_worker_lost_at_the_last_call_fails_the_response(study, judge_model):
    control.begin(study, judge_model)
    MachineVerdict.objects.update(
        state=MachineState.RUNNING, attempts=5, lease_until=Now() - timedelta(seconds=1)
    )
    calls.sweep()
    assert set(MachineVerdict.objects.values_list("state", flat=True)) == {MachineState.FAILED}
    assert "worker stopped" in MachineVerdict.objects.first().error


def test_the_task_passes_the_turn_on_until_all_is_judged(study, judge_model, monkeypatch):
    sent = []
    monkeypatch.setattr("judging.tasks.send", lambda task, *args: sent.append(args))
    judge = control.begin(study, judge_model)
    for _ in range(5):
        judge_with_model("local")
    assert sent == [("local",)] * 4
    assert control.progress(judge).judged == 4


def test_the_sweeper_sends_no_more_messages_than_calls_in_flight(study, judge_model, monkeypatch):
    sent = []
    monkeypatch.setattr("judging.tasks.send_on_commit", lambda task, *args: sent.append(args))
    control.begin(study, judge_model)
    sweep_machine_verdicts()
    assert sent == [("local",)] * 2
    MachineVerdict.objects.all().delete()
    wake()
    assert len(sent) == 2


def test_runs_and_judge_models_share_a_service_without_mixing(study, judge_model, fake):
    control.begin(study, judge_model)
    assert not runs.answer_next("local")
    assert Run.objects.get().responses.filter(text__contains="evaluation").count() == 0


def test_cancelling_asks_nothing_more(study, judge_model):
    judge = control.begin(study, judge_model)
    assert calls.judge_next("local")
    assert control.cancel(judge) == 3
    assert not calls.judge_next("local")
    assert control.resume(judge) == 3


def test_a_study_that_is_not_yet_open_is_refused(judge_model):
    with pytest.raises(Conflict, match="Open it first"):
        control.begin(draft(), judge_model)


def test_an_imported_model_and_one_without_its_service_are_refused(study):
    with pytest.raises(Refusal, match="no service to ask"):
        control.begin(study, registry.add("", "gpt-4", {}))
    with pytest.raises(Refusal, match="no inference service 'gone'"):
        control.begin(study, registry.add("gone", "x", {}))


def test_a_prompt_that_the_study_lacks_is_refused(study, judge_model):
    with pytest.raises(Refusal, match="no response to passage-1"):
        control.begin(study, judge_model, ["passage-1"])


def test_two_models_of_one_name_are_two_judges(study, judge_model):
    first = control.begin(study, judge_model)
    second = control.begin(study, echo(seed=5))
    assert [first.pseudonym, second.pseudonym] == ["echo-1 (model)", "echo-1 (model 2)"]


# ---------------------------------------------------------------- command and page


def test_the_command_judges_here(study, judge_model, capsys):
    call_command("judge_with_model", study.slug, "local/echo-1", "--prompt", "4", "--here")
    out = capsys.readouterr().out
    assert "echo-1 (model) judges 4 responses of Pilot." in out
    assert "4 judged, 0 replies without a verdict, 0 failed." in out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("nowhere", "local/echo-1"), "There is no study 'nowhere'"),
        (("pilot", "echo-1"), "is not the name of a model"),
        (("pilot", "local/echo-1", "--prompt", "7"), "There is no prompt '7'"),
    ],
)
def test_the_command_says_what_is_wrong(study, args, words):
    with pytest.raises(CommandError, match=words):
        call_command("judge_with_model", *args)


def test_the_command_refuses_a_service_with_an_unusable_entry(study, settings):
    settings.INFERENCE_SERVICES = {"local": {"url": "far.example"}}
    with pytest.raises(CommandError, match="service 'local' needs a url such as http://"):
        call_command("judge_with_model", "pilot", "local/echo-1", "--here")
    assert not MachineVerdict.objects.exists()


def page_of(client, study):
    return client.get(reverse("judging:study", args=[study.pk])).content.decode()


def test_an_admin_begins_cancels_and_resumes_on_the_studys_page(client, study, judge_model):
    client.force_login(person("ada", Role.ADMIN))
    assert "Let a model judge" in page_of(client, study)
    address = reverse("judging:judge_model", args=[study.pk])
    answer = client.post(address, {"language_model": judge_model.pk, "prompts": PROMPT})
    assert answer.status_code == 302
    judge = Judge.objects.get(model=judge_model)
    assert "echo-1 (model)" in page_of(client, study)
    args = [study.pk, judge.pk]
    assert client.post(reverse("judging:judge_model_cancel", args=args)).status_code == 302
    assert control.progress(judge).cancelled == 4
    assert client.post(reverse("judging:judge_model_resume", args=args)).status_code == 302
    assert control.progress(judge).waiting == 4


def test_a_form_without_a_model_comes_back_with_the_field(client, study):
    client.force_login(person("ada", Role.ADMIN))
    answer = client.post(reverse("judging:judge_model", args=[study.pk]), {"prompts": PROMPT})
    assertContains(answer, "language_model", status_code=400)


def test_an_admin_who_judges_here_sees_no_judge_model_while_the_study_is_open(
    client, study, judge_model
):
    judged_by(study, judge_model)
    alice = study.judges.get(person__username="alice").person
    admin = person("both", Role.ADMIN, Role.JUDGE)
    study.judges.filter(person=alice).update(person=admin)
    client.force_login(admin)
    page = page_of(client, study)
    assert "Judge models" not in page
    assert "echo-1" not in page
    address = reverse("judging:judge_model", args=[study.pk])
    answer = client.post(address, {"language_model": judge_model.pk, "prompts": PROMPT})
    assert answer.status_code == 403


def test_a_slow_service_leaves_the_row_waiting(study, judge_model, fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", timeout=0.2)
    fake.enqueue(Late())
    judge = control.begin(study, judge_model)
    assert calls.judge_next("local")
    row = MachineVerdict.objects.filter(judge=judge).exclude(error="").get()
    assert "did not answer within" in row.error
    assert row.state == MachineState.WAITING
