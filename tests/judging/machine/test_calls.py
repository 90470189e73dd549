"""Judge models: asked by workers, apart from people's verdicts, against the fake service."""

import json
import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django.asserts import assertContains

from accounts.roles import Role
from generation import registry
from generation.asking.dispatch import ask_service, wake
from generation.asking.runqueue import RunQueue
from generation.asking.turn import take_turn
from generation.call_queues import MAX_ATTEMPTS, Settled
from generation.inference import chat
from generation.models import Response, Run, ServiceStatus
from generation.responses import progress as progress_of
from generation.tasks import sweep_calls
from judging import progress, rounds, rubric_versions, settling, studies
from judging.files.predictions import import_predictions
from judging.machine import control, judge_prompts
from judging.machine.calls import JudgeQueue
from judging.machine.scope import halves_of, of_half
from judging.models import Judge, JudgeCall, MachineVerdict, Resolution
from judging.states import MachineState
from judging.views.study_page import judge_models
from leases.refusal import Conflict, Refusal
from tests.factories import person, stored
from tests.generation.factories import echo, run
from tests.generation.fake_service import Fault, HangUp, Late, Say
from tests.judging.factories import draft, finished_run, hand_in, judge, open_study

pytestmark = pytest.mark.django_db

PROMPT = ("both-passages",)
REPLY = chat.Reply("evaluation: correct", {}, 200, "echo-1", "stop", 1, 1, 5)


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
    judge_all()
    return judge


def judge_all() -> int:
    return take_turn("local", [JudgeQueue()])


def judge_one(judge) -> int:
    """Ask for the next verdict alone."""
    waiting = MachineVerdict.objects.filter(judge=judge, state=MachineState.WAITING).order_by("pk")
    others = MachineVerdict.objects.filter(pk__in=[row.pk for row in waiting[1:]])
    others.update(not_before=Now() + timedelta(hours=1))
    calls = judge_all()
    others.update(not_before=None)
    return calls


def state_of(judge):
    return dict(
        MachineVerdict.objects.filter(judge=judge).values_list("item__position", "state").order_by()
    )


MARKED = [
    ("[THINK]evaluation: incorrect[/THINK]evaluation: correct", "judged", "correct"),
    ("<|channel|>analysis<|message|>evaluation: incorrect<|end|><|start|>assistant<|channel|>final<|message|>"
     "evaluation: correct", "judged", "correct"),
    ("<my_thoughts>\nevaluation: incorrect\n</my_thoughts>\nIt is right.", "unparsed", None),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "state", "verdict"), MARKED)
def test_a_verdict_in_a_judge_models_reasoning_does_not_count(
    study, judge_model, fake, reply, state, verdict
):
    fake.always = Say(reply)
    judged_by(study, judge_model)
    row = MachineVerdict.objects.first()
    assert (row.state, row.verdict) == (state, verdict)


def test_a_judge_model_sees_no_reasoning_and_its_own_is_kept_apart(judge_model, fake):
    fake.always = Say("4 km", reasoning="a first thought")
    study = open_study(drawn_from=finished_run(prompts=PROMPT))
    fake.always = Say("evaluation: correct", reasoning="evaluation: incorrect")
    judge = judged_by(study, judge_model)
    assert control.progress(judge).judged == 4
    assert "a first thought" not in json.dumps(fake.calls)
    call = JudgeCall.objects.first()
    assert (call.reply, call.reasoning) == ("evaluation: correct", "evaluation: incorrect")


def test_no_whole_reply_is_read_to_draw_a_study_or_to_ask_its_judge(study, judge_model):
    control.begin(study, judge_model)
    with CaptureQueriesContext(connection) as asked:
        draft("again", drawn_from=Run.objects.get())
        claimed("worker")
    assert not [one for one in asked if '"generation_response"."reply"' in one["sql"]]


@pytest.mark.both
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
    texts = [call["messages"][-1]["content"] for call in fake.calls]
    about_one = [text for text in texts if "question: When was abbey 1 founded?" in text]
    assert all("correct_answers: 1101 | 1201" in text for text in about_one)
    assert any("response: It was founded in 1101, some say." in text for text in about_one)
    assert not any("quokka" in json.dumps(call) for call in fake.calls)


def test_gold_that_the_rubric_cannot_give_is_that_kept_with_the_response(study, judge_model, fake):
    response = study.items.first().response
    type(response).objects.update(gold=["kept gold"])
    type(study.rubric).objects.update(body={"name": "of another time"})
    judged_by(study, judge_model)
    assert "correct_answers: kept gold\n" in fake.calls[0]["messages"][-1]["content"]


def test_gold_is_that_of_the_round_that_a_response_is_in(study, judge_model, fake):
    studies.close_study(study)
    prompts = {
        name: {**criteria, "gold": criteria["gold"][:1]}
        for name, criteria in study.rubric.body["prompts"].items()
    }
    body, admin = {**study.rubric.body, "prompts": prompts}, study.created_by
    new = rubric_versions.save(body, newest=study.rubric.version, by=admin)
    plan = rounds.RoundPlan("Why", new, True, [judge("dora"), judge("emil")])
    opened = rounds.judge_again(study, rounds.JudgedAgain(numbers=[0]), plan, by=admin)
    judged_by(study, judge_model)
    sent = [call["messages"][-1]["content"] for call in fake.calls]
    golds = [re.findall("correct_answers: (.*)", text)[-1] for text in sent]
    assert opened.items.count() == sum(" | " not in gold for gold in golds) == 1
    assert len(golds) == 4


def judged_again(study, numbers=(0, 1)):
    """A second round on these responses, by another version of the rubric."""
    studies.close_study(study)
    body, admin = {**study.rubric.body, "title": "Clearer"}, study.created_by
    new = rubric_versions.save(body, newest=study.rubric.version, by=admin)
    plan = rounds.RoundPlan("Why", new, True, [judge("dora"), judge("emil")])
    rounds.judge_again(study, rounds.JudgedAgain(numbers=list(numbers)), plan, by=admin)


@pytest.mark.both
def test_a_round_by_another_version_gets_verdicts_of_its_own(client, study, judge_model, fake):
    mine = judged_by(study, judge_model)
    judged_again(study)
    assert control.outdated(study) == {mine.pk: 2}
    assert control.progress(mine).total == 2
    client.force_login(study.created_by)
    page = page_of(client, study)
    assert "2 by a version of the rubric that no longer counts" in page
    assert "Let the model judge again" in page
    judged_by(study, judge_model)
    judged_by(study, judge_model)
    assert len(fake.calls) == 6
    versions = MachineVerdict.objects.order_by("item__position", "pk")
    assert [row.rubric.version for row in versions] == [1, 2, 1, 2, 1, 1]
    assert control.outdated(study) == {}
    assert control.progress(mine).judged == 4
    assert "no longer counts" not in page_of(client, study)


def test_outdated_replies_from_a_file_give_no_advice_to_ask(client, study):
    import_predictions(study, b"item,reply\n0,evaluation: correct\n", "Elsewhere")
    judged_again(study)
    client.force_login(study.created_by)
    page = page_of(client, study)
    assert "1 by a version of the rubric that no longer counts" in page
    assert "Let the model judge again" not in page


@pytest.mark.both
def test_a_further_round_cancels_what_waits_by_a_version_that_counts_no_more(
    study, judge_model, fake
):
    mine = control.begin(study, judge_model)
    judged_again(study)
    assert state_of(mine) == {0: "cancelled", 1: "cancelled", 2: "waiting", 3: "waiting"}
    judge_all()
    assert len(fake.calls) == 2


def test_a_reply_to_what_was_asked_before_a_round_is_kept_and_does_not_count_in_it(
    client, study, judge_model, fake
):
    mine = control.begin(study, judge_model)
    asked = claimed("here", 9)
    judged_again(study)
    JudgeQueue().settle("here", [Settled(call, "finish", reply=REPLY) for call in asked])
    assert state_of(mine) == dict.fromkeys(range(4), "judged")
    assert control.progress(mine) == control.MachineProgress(0, 0, 2, 0, 0, 0)
    client.force_login(study.created_by)
    assert "2 by a version of the rubric that no longer counts" in page_of(client, study)
    judged_by(study, judge_model)
    assert len(fake.calls) == 2
    assert control.progress(mine).judged == 4


@pytest.mark.parametrize("verb", ["retry", "release", "expire"])
def test_what_was_asked_before_a_round_and_is_set_back_is_not_asked_again(
    study, judge_model, fake, verb
):
    mine = control.begin(study, judge_model)
    asked = claimed("here", 9)
    judged_again(study)
    if verb == "expire":
        MachineVerdict.objects.update(lease_until=Now() - timedelta(seconds=1))
        assert JudgeQueue().sweep() == 4
    else:
        JudgeQueue().settle("here", [Settled(call, verb) for call in asked])
    assert judge_all() == len(fake.calls) == 2
    assert state_of(mine) == {0: "cancelled", 1: "cancelled", 2: "judged", 3: "judged"}
    assert not JudgeQueue().lines("local")
    judged_by(study, judge_model)
    assert len(fake.calls) == 4
    assert control.progress(mine) == control.MachineProgress(0, 0, 4, 0, 0, 0)
    with pytest.raises(Conflict, match="nothing to ask again"):
        control.resume(mine)


def test_what_was_cancelled_by_a_version_that_counts_no_more_is_not_resumed(study, judge_model):
    mine = control.begin(study, judge_model)
    control.cancel(mine)
    judged_again(study)
    assert control.progress(mine).cancelled == 2
    assert control.resume(mine) == 2
    assert judge_all() == 2


@pytest.mark.both
def test_the_list_of_judge_models_asks_as_much_for_two_as_for_one(study, judge_model):
    def asked():
        with CaptureQueriesContext(connection) as statements:
            judge_models(study)
        return len(statements)

    control.begin(study, judge_model)
    alone = asked()
    control.begin(study, echo(seed=5))
    MachineVerdict.objects.filter(item__position=0).update(error="Refused.")
    assert asked() == alone
    assert [row.reasons for row in judge_models(study)] == [[("Refused.", 1)]] * 2


def test_a_round_by_the_same_version_needs_no_further_verdict(study, judge_model, fake):
    judged_by(study, judge_model)
    studies.close_study(study)
    plan = rounds.RoundPlan("Why", study.rubric, True, [judge("dora"), judge("emil")])
    rounds.judge_again(study, rounds.JudgedAgain(), plan, by=study.created_by)
    judged_by(study, judge_model)
    assert len(fake.calls) == 4


@pytest.mark.both
@pytest.mark.parametrize("half", ["development", "held_out"])
def test_one_half_of_the_articles_is_judged_alone(client, study, judge_model, half):
    client.force_login(person("ada", Role.ADMIN))
    address = reverse("judging:judge_model", args=[study.pk])
    fields = entered(judge_model) | {"half": half}
    assert client.post(address, fields).status_code == 302
    titles = MachineVerdict.objects.values_list(
        "item__response__instance__contradiction__title", flat=True
    )
    assert set(titles) == halves_of(study).of(half)
    assert MachineVerdict.objects.count() == 2
    control.begin(study, judge_model)
    assert MachineVerdict.objects.count() == 4


def test_a_half_without_an_article_is_refused(judge_model):
    study = open_study(drawn_from=finished_run(instances=1, prompts=PROMPT))
    with pytest.raises(Refusal, match="This half has no article"):
        control.begin(study, judge_model, half="development")


def test_a_prompt_without_a_response_in_the_half_makes_no_judge(study, judge_model):
    other = of_half(study.items.all(), study, "development")
    prompt = "passage-1"
    Response.objects.filter(study_items__in=list(other)).update(prompt=prompt)
    with pytest.raises(Refusal, match="This half has no response to these prompts"):
        control.begin(study, judge_model, [prompt], "held_out")
    assert not Judge.objects.filter(model=judge_model).exists()


def test_a_reply_that_is_broken_off_each_time_has_no_verdict(judge_model, fake):
    study = open_study(drawn_from=finished_run(prompts=PROMPT))
    judge = control.begin(study, judge_model)
    MachineVerdict.objects.update(attempts=MAX_ATTEMPTS - 2)
    fake.enqueue(*[Say("evaluation: correct", "abort")] * 2)
    judge_one(judge)
    row = MachineVerdict.objects.exclude(attempts=MAX_ATTEMPTS - 2).get()
    assert (row.state, row.verdict) == (MachineState.WAITING, None)
    MachineVerdict.objects.filter(pk=row.pk).update(not_before=None, attempts=MAX_ATTEMPTS - 1)
    MachineVerdict.objects.exclude(pk=row.pk).update(not_before=Now() + timedelta(hours=1))
    judge_all()
    row.refresh_from_db()
    assert (row.state, row.verdict, row.holds) == (MachineState.UNPARSED, None, "nothing")
    assert "“abort”" in row.calls.latest("n").error


@pytest.mark.parametrize(
    ("finding", "sentence"),
    [
        ("filtered", "The answer was withheld by a content filter."),
        ("skipped", "The model gave no answer of the asked form."),
    ],
)
def test_a_finding_is_in_the_study_and_the_judge_model_is_informed(
    judge_model, fake, finding, sentence
):
    made = finished_run(prompts=PROMPT)
    made.responses.update(text="", finding=finding)
    study = open_study(drawn_from=made)
    assert study.items.count() == 4
    judged_by(study, judge_model)
    sent = fake.calls[0]["messages"][-1]["content"]
    assert f"response: {sentence}" in sent


def test_only_the_chosen_prompts_are_judged(judge_model):
    study = open_study(drawn_from=finished_run(prompts=("passage-1", "both-passages")))
    judge = control.begin(study, judge_model, ["passage-1"])
    assert control.progress(judge).total == 4
    control.begin(study, judge_model)
    assert control.progress(judge).total == 8
    assert Judge.objects.filter(model=judge_model).count() == 1


@pytest.mark.both
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
    assert judge_one(judge) == 1
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
    fake.enqueue(Fault(500))
    judge = control.begin(study, judge_model)
    judge_all()
    row = MachineVerdict.objects.exclude(error="").get()
    assert (row.state, row.calls.get().status) == (MachineState.WAITING, 500)
    assert row.not_before is not None
    MachineVerdict.objects.update(not_before=None)
    judge_all()
    assert control.progress(judge).judged == 4
    assert [call.n for call in row.calls.all()] == [1, 2]
    assert stored(row).error == ""


def test_what_cannot_be_asked_fails_at_once_and_can_be_resumed(study, judge_model, fake):
    fake.enqueue(Fault(400, {"error": {"message": "bad request"}}))
    judge = judged_by(study, judge_model)
    assert control.progress(judge).failed == 1
    assert "bad request" in control.reasons(judge)[0][0]
    assert control.resume(judge) == 1
    judge_all()
    assert control.progress(judge).judged == 4


def test_an_outage_costs_no_attempt_and_is_waited_for(study, judge_model, fake):
    judge = control.begin(study, judge_model)
    fake.always = Fault(503)
    judge_all()
    rows = set(MachineVerdict.objects.values_list("state", "attempts"))
    assert rows == {(MachineState.WAITING, 0)}
    fake.always = None
    ServiceStatus.objects.update(paused_until=None)
    judge_all()
    assert control.progress(judge).judged == 4


def test_equal_refusals_in_a_row_stop_the_judge_with_the_reason(judge_model, fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    study = open_study(drawn_from=finished_run(prompts=("passage-1", "both-passages")))
    fake.models = ()
    judge = judged_by(study, judge_model)
    counts = control.progress(judge)
    assert (counts.failed, counts.cancelled) == (5, 3)
    assert any("5 calls in a row failed alike" in reason for reason, _ in control.reasons(judge))
    assert control.resume(judge) == 8


def test_calls_that_fail_again_and_again_fail_the_response(study, judge_model, fake):
    judge = control.begin(study, judge_model)
    MachineVerdict.objects.exclude(pk=MachineVerdict.objects.first().pk).delete()
    for _ in range(5):
        fake.enqueue(HangUp())
        MachineVerdict.objects.update(not_before=None)
        assert judge_all() == 1
    (row,) = MachineVerdict.objects.all()
    assert row.state == MachineState.FAILED
    assert "Asked 5 times" in row.error
    assert control.progress(judge).over


def claimed(holder, most=1):
    queue = JudgeQueue()
    (line,) = queue.lines("local")
    return queue.claim(line, holder, 60, most)


@pytest.mark.both
def test_a_reply_that_comes_after_the_lease_ran_out_is_left(study, judge_model):
    control.begin(study, judge_model)
    (late,) = claimed("first")
    row = MachineVerdict.objects.get(pk=late.pk)
    MachineVerdict.objects.exclude(pk=row.pk).delete()
    MachineVerdict.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert JudgeQueue().sweep() == 1
    (again,) = claimed("second")
    assert again.pk == row.pk
    JudgeQueue().settle("first", [Settled(late, "finish", reply=REPLY)])
    assert row.calls.count() == 0
    JudgeQueue().settle("second", [Settled(again, "finish", reply=REPLY)])
    assert row.calls.count() == 1


@pytest.mark.both
def test_a_worker_lost_at_the_last_call_fails_the_response(study, judge_model):
    control.begin(study, judge_model)
    MachineVerdict.objects.update(
        state=MachineState.RUNNING, attempts=5, lease_until=Now() - timedelta(seconds=1)
    )
    sweep_calls()
    assert set(MachineVerdict.objects.values_list("state", flat=True)) == {MachineState.FAILED}
    assert "worker stopped" in MachineVerdict.objects.first().error


def test_one_message_has_all_judged(study, judge_model, monkeypatch):
    sent = []
    monkeypatch.setattr(
        "generation.asking.dispatch.send_on_commit", lambda task, *args: sent.append(args)
    )
    judge = control.begin(study, judge_model)
    wake()
    assert sent == [("local",)]
    ask_service("local")
    assert control.progress(judge).judged == 4
    sweep_calls()
    assert sent == [("local",)]


@pytest.mark.both
def test_a_run_and_a_judge_model_take_turns_at_a_service(study, judge_model, fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)
    made = run(questions=20, models=[judge_model])
    judge = control.begin(study, judge_model)
    left = []
    take_turn(
        "local",
        [RunQueue(), JudgeQueue()],
        stored=lambda: left.append((progress_of(made).waiting, control.progress(judge).over)),
    )
    assert progress_of(made).done == 20
    assert max(waiting for waiting, over in left if over) > 0


def test_cancelling_asks_nothing_more(study, judge_model):
    judge = control.begin(study, judge_model)
    assert judge_one(judge) == 1
    assert control.cancel(judge) == 3
    assert judge_all() == 0
    assert control.resume(judge) == 3


@pytest.mark.both
@pytest.mark.parametrize("verb", ["release", "retry"])
def test_what_is_set_back_after_its_judge_was_cancelled_is_not_asked(study, judge_model, verb):
    judge = control.begin(study, judge_model)
    (call,) = claimed("late")
    assert control.cancel(judge) == 3
    assert JudgeQueue().stopped([call.pk]) == {call.pk}
    JudgeQueue().settle("late", [Settled(call, verb)])
    assert judge_all() == 0
    sweep_calls()
    assert control.progress(judge).cancelled == 4
    assert control.resume(judge) == 4
    assert judge_all() == 4


@pytest.mark.both
def test_a_judge_whose_rows_are_all_being_asked_can_be_cancelled_and_resumed(study, judge_model):
    judge = control.begin(study, judge_model)
    calls = claimed("here", 9)
    assert control.cancel(judge) == 0
    assert control.resume(judge) == 0
    JudgeQueue().settle("here", [Settled(call, "release") for call in calls])
    assert judge_all() == 4


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


def entered(model):
    prompt = judge_prompts.versions()[0].pk
    return {"language_model": model.pk, "prompts": PROMPT, "judge_prompt": prompt}


def page_of(client, study):
    return client.get(reverse("judging:study", args=[study.pk])).content.decode()


def test_an_admin_begins_cancels_and_resumes_on_the_studys_page(client, study, judge_model):
    client.force_login(person("ada", Role.ADMIN))
    assert "Let a model judge" in page_of(client, study)
    address = reverse("judging:judge_model", args=[study.pk])
    answer = client.post(address, entered(judge_model))
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
    answer = client.post(address, entered(judge_model))
    assert answer.status_code == 403


def test_a_slow_service_leaves_the_row_waiting(study, judge_model, fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local", timeout=0.2)
    fake.enqueue(Late())
    judge = control.begin(study, judge_model)
    judge_all()
    row = MachineVerdict.objects.filter(judge=judge).exclude(error="").get()
    assert "did not answer within" in row.error
    assert row.state == MachineState.WAITING
