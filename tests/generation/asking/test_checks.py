"""Prompts with a check: which replies are checked, what the answer is then, and what a worker's death costs."""

import csv
import io

import pytest
from django.urls import reverse

from accounts.roles import Role
from generation import caps, costs, preview, prompt_versions, registry, runs
from generation.asking.runqueue import RunQueue
from generation.call_queues import Settled
from generation.inference import chat, markup
from generation.models import FirstReply
from generation.prompts.answers import Answer, answer_of
from generation.prompts.controlled import SKIPPED
from generation.states import ResponseState
from judging.files import studyfile
from judging.machine.calls import _said
from judging.models import Study
from judging.studies import items_of
from leases.refusal import Refusal
from tests.factories import person, signed_in
from tests.generation.factories import answer_all, echo, expire, ripen
from tests.generation.fake_service import Fault, Say
from tests.generation.knot_templates import HEAD, collection, prompts_of, record

pytestmark = pytest.mark.django_db

CHECK = "Does the text contain evidence for the answer “{reply}”? Answer yes or no."
PROMPTS = """
[[prompt]]
name = "two-step"
label = "TS"
title = "Answer, then check"
origin = "ours"
answer = "span"
times = 5
abstain = "None"
text = "Text:“{passage}” Question: “{question}”"
check = "Does the text contain evidence for the answer “{reply}”? Answer yes or no."

[[prompt]]
name = "lines"
label = "TL"
title = "Answer after a marker, then check"
origin = "ours"
after = "Answer:"
extract = "first line"
abstain = "None"
text = "{passage} {question}"
check = "{reply}? {passage}"
"""
FIRST = "Text:“ Bell 1 is cast of bronze. {answer}” Question: “Of what is bell 1?”"
SECOND = CHECK.replace("{reply}", "bronze")


def asked(*records, models=None, name="two-step"):
    of = collection(*records, text=HEAD + PROMPTS)
    made, _ = runs.create(
        collection=of, models=models or [echo(temperature=1)], prompts=[prompts_of(of)[name]]
    )
    runs.start(made)
    return made


@pytest.fixture
def made(local):
    return asked()


def answer(response):
    of = prompts_of(response.run.collection)
    [prompt] = [one for one in of.values() if one.name == response.prompt]
    return answer_of(response.text, prompt.reading, response.check_reply)


# ---------------------------------------------------------------- pure


@pytest.mark.parametrize(
    ("check_reply", "expected"),
    [
        (None, Answer("5 km")),
        ("yes", Answer("5 km")),
        ("Yes, it says so.", Answer("5 km")),
        (" “YES”", Answer("5 km")),
        ("**Yes**", Answer("5 km")),
        ("no", Answer(abstained=True)),
        ("No.", Answer(abstained=True)),
        ("\n_NO_, it does not", Answer(abstained=True)),
        ("No—the text is about a canal", Answer(abstained=True)),
        ("maybe", Answer(unread=True)),
        ("", Answer(unread=True)),
        ("Nope", Answer(unread=True)),
        ("No-one says so", Answer(unread=True)),
        ("Nothing", Answer(unread=True)),
        ("Yesterday", Answer(unread=True)),
        ("The answer is no", Answer(unread=True)),
        ("لا", Answer(unread=True)),
    ],
)
def test_what_a_check_makes_of_an_answer(check_reply, expected):
    assert answer_of("5 km", {}, check_reply) == expected


@pytest.mark.parametrize("check_reply", [None, "yes", "no", "maybe"])
def test_a_check_changes_neither_an_abstention_nor_an_unread_reply(check_reply):
    assert answer_of("None", {"abstain": "None"}, check_reply) == Answer(abstained=True)
    assert answer_of("5 km", {"after": "Answer:"}, check_reply) == Answer(unread=True)


# ---------------------------------------------------------------- asked

OFF = ("It is bronze, I think", "iron", "bronz")
SCRIPTS = [
    # replies, text, reply to the check, askings, finding, answer
    (("bronze", "Yes."), "bronze", "Yes.", 1, "", Answer("bronze")),
    (("bronze", "no"), "bronze", "no", 1, "", Answer(abstained=True)),
    (("bronze", "maybe"), "bronze", "maybe", 1, "", Answer(unread=True)),
    (("None",), "None", None, 1, "", Answer(abstained=True)),
    ((*OFF, "bronze", "yes"), "bronze", "yes", 4, "", Answer("bronze")),
    ((*OFF, "None"), "None", None, 4, "", Answer(abstained=True)),
    ((*OFF, "tin", "gold"), "", None, 5, SKIPPED, Answer("")),
]


@pytest.mark.parametrize(("replies", "text", "check_reply", "askings", "finding", "read"), SCRIPTS)
def test_the_answer_is_the_first_reply_as_the_check_leaves_it(
    fake, made, replies, text, check_reply, askings, finding, read
):
    fake.enqueue(*map(Say, replies))
    assert answer_all(made) == len(replies)
    response = made.responses.get()
    assert (response.state, response.text, response.check_reply) == (
        ResponseState.DONE,
        text,
        check_reply,
    )
    assert (response.askings, response.finding) == (askings, finding)
    assert answer(response) == read
    rejected = [reply for reply in replies if reply in (*OFF, "tin", "gold")]
    assert list(response.rejected.values_list("text", flat=True)) == rejected
    assert response.attempt_log.count() == len(replies)
    assert made.state == "done"


def test_the_check_is_sent_after_the_reply_and_both_are_kept(fake, made):
    fake.enqueue(
        Say("bronze", reasoning="Hm.", finish_reason="length"), Say("Yes.", reasoning="So.")
    )
    answer_all(made)
    response = made.responses.get()
    sent = [[(one["role"], one["content"]) for one in call["messages"]] for call in fake.calls]
    assert sent == [
        [("user", FIRST)],
        [("user", FIRST), ("assistant", "bronze"), ("user", SECOND)],
    ]
    assert (response.rendered, response.check_sent) == (FIRST, SECOND)
    # What is judged is the first reply, so its reasoning and its end are the response's.
    assert (response.reasoning, response.finish_reason) == ("Hm.", "length")
    assert (response.first_reply.text, response.first_reply.request) == ("bronze", fake.calls[0])
    assert (response.request, response.reply["choices"][0]["message"]["content"]) == (
        fake.calls[1],
        "Yes.",
    )


def test_a_reply_without_the_marker_is_unread_and_not_checked(fake, local):
    made = asked(name="lines")
    fake.enqueue(Say("It is of bronze."))
    assert answer_all(made) == 1
    assert answer(made.responses.get()) == Answer(unread=True)


def test_the_whole_reply_stands_in_the_check_and_its_marker_counts(fake, local):
    made = asked(name="lines")
    fake.enqueue(Say("It rings.\nAnswer: bronze {passage}\nor tin"), Say("No"))
    assert answer_all(made) == 2
    sent = fake.calls[1]["messages"][-1]["content"]
    assert (
        sent == "It rings.\nAnswer: bronze {passage}\nor tin?  Bell 1 is cast of bronze. {answer}"
    )
    assert answer(made.responses.get()) == Answer(abstained=True)


def test_an_answer_that_is_withheld_is_the_finding_and_not_checked(fake, made):
    fake.enqueue(Say("", finish_reason="content_filter"))
    assert answer_all(made) == 1
    response = made.responses.get()
    assert (response.finding, response.check_reply) == (chat.FILTERED, None)


def test_a_check_that_is_withheld_is_the_finding(fake, made):
    fake.enqueue(Say("bronze"), Say("", finish_reason="content_filter"))
    assert answer_all(made) == 2
    response = made.responses.get()
    assert (response.text, response.check_reply) == ("bronze", "")
    assert (response.finding, response.finish_reason) == (chat.FILTERED, "content_filter")


def test_a_check_whose_reply_may_have_markup_holds_the_response(fake, made):
    fake.enqueue(Say("bronze"), Say("Yes <|a|> it does"))
    answer_all(made)
    response = made.responses.get()
    assert (response.text, response.held) == ("bronze", True)
    registry.choose_marks(response.model, markup.SHOWN, False)
    assert made.responses.get().held is False


def test_the_seed_grows_with_the_askings_and_not_for_the_check(fake, local):
    made = asked(models=[echo(temperature=1, seed=3)])
    fake.enqueue(*map(Say, (*OFF, "bronze", "yes")))
    answer_all(made)
    assert [call["seed"] for call in fake.calls] == [3, 4, 5, 6, 3]


# ---------------------------------------------------------------- killed, failed


def claimed(made, holder):
    queue = RunQueue(made)
    [line] = queue.lines("local")
    [call] = queue.claim(line, holder, 60, 1)
    return queue, call


def replied(text, call):
    request = Settled(call, "finish").request
    return chat.Reply(text, request, 200, "echo-1", "stop", 3, 2, 5)


def first_answered(made):
    """The first turn is answered, and its worker does nothing more."""
    queue, call = claimed(made, "one")
    queue.settle("one", [Settled(call, "finish", reply=replied("bronze", call))])


@pytest.mark.both
def test_a_worker_that_dies_between_the_turns_asks_nothing_twice(fake, made):
    first_answered(made)
    waiting = made.responses.get()
    assert (waiting.state, waiting.text, waiting.askings) == (ResponseState.PENDING, "", 1)
    queue, check = claimed(made, "two")  # it dies during the check
    expire()
    queue.sweep()
    queue.settle("two", [Settled(check, "finish", reply=replied("no", check))])  # too late
    fake.enqueue(Say("yes"))
    answer_all(made)
    assert [len(call["messages"]) for call in fake.calls] == [3]
    assert FirstReply.objects.get().text == "bronze"
    response = made.responses.get()
    assert (response.text, response.check_reply, response.askings) == ("bronze", "yes", 1)


def test_a_worker_that_dies_before_it_stores_the_first_reply_loses_that_alone(fake, made):
    queue, call = claimed(made, "one")
    expire()
    queue.sweep()
    queue.settle("one", [Settled(call, "finish", reply=replied("bronze", call))])
    assert not FirstReply.objects.exists()
    fake.enqueue(Say("bronze"), Say("no"))
    assert answer_all(made) == 2
    assert made.responses.get().check_reply == "no"


def test_a_check_that_failed_is_asked_again_alone(fake, made):
    fake.enqueue(Say("bronze"), Fault(400), Say("no"))
    answer_all(made)
    failed = made.responses.get()
    assert (failed.state, failed.text, failed.check_reply) == (ResponseState.FAILED, "", None)
    runs.retry_failed(made)
    answer_all(made)
    assert [len(call["messages"]) for call in fake.calls] == [1, 3, 3]
    assert made.responses.get().check_reply == "no"


def test_a_check_has_all_attempts(fake, made):
    fake.enqueue(*[Fault(500)] * 4, Say("bronze"), *[Fault(500)] * 4, Say("yes"))
    for _ in range(12):
        answer_all(made)
        ripen()
    assert made.responses.get().check_reply == "yes"


# ---------------------------------------------------------------- what it costs


def test_a_preview_counts_the_check_that_may_come(local):
    made = asked(record(1), record(2), models=[echo(temperature=1, max_tokens=10)])
    shown = preview.run_preview(made)
    assert (shown.least, shown.calls) == (2, 2 * (5 + 1))
    pieces = len(CHECK.replace("{reply}", ""))
    # Each asking sends the text, the check that too, and the first reply twice.
    sent = 2 * (5 * len(FIRST) + len(FIRST) + pieces)
    assert shown.read == round(sent / preview.CHARACTERS_PER_TOKEN + 2 * 2 * 10)


def test_a_response_that_waits_for_its_check_has_one_call_left(made):
    first_answered(made)
    shown = preview.run_preview(made)
    assert (shown.least, shown.calls) == (1, 1)


def test_a_cap_holds_over_the_check(local):
    model = echo(temperature=1, max_tokens=10)
    registry.set_prices(model, 1e6, 1e6)
    made = asked(models=[model])
    caps.set_cap(made, 10_000)
    made.refresh_from_db()
    sent = len((FIRST + CHECK.replace("{reply}", "")).encode())
    assert made.longest == sent + 2 * 10
    assert costs.most(model, made.longest) == sent + 2 * 10 + costs.TEMPLATE + 10


# ---------------------------------------------------------------- shown


@pytest.fixture
def rosa():
    return person("rosa", Role.RESEARCHER)


def test_the_page_the_api_and_the_files_show_both(client, fake, local, rosa):
    made = asked(record(1), record(2))
    fake.enqueue(Say("bronze"), Say("None"), Say("No <b>"))
    assert answer_all(made) == 3
    signed_in(client, rosa)
    checked, abstained = made.responses.order_by("order")
    if checked.check_reply is None:  # which was answered first is the service's to say
        checked, abstained = abstained, checked
    address = reverse("generation:response", args=[made.pk, checked.pk])
    page = client.get(address).content.decode()
    for part in (checked.check_sent, "<h3>Reply to the check</h3>", "No &lt;b&gt;"):
        assert part in page
    address = reverse("generation:response", args=[made.pk, abstained.pk])
    assert "No check was sent: the reply is an abstention" in client.get(address).content.decode()
    rows = client.get(f"/api/runs/{made.pk}/responses/").json()["results"]
    assert {row["id"]: row["check_reply"] for row in rows} == {
        checked.pk: "No <b>",
        abstained.pk: None,
    }
    text = client.get(reverse("generation:responses_csv", args=[made.pk]))
    lines = csv.DictReader(io.StringIO(b"".join(text.streaming_content).decode()))
    assert {(line["text"], line["check_reply"]) for line in lines} == {
        ("bronze", "No <b>"),
        ("None", ""),
    }
    study = Study.objects.create(name="S", slug="s", seed=1, judges_per_response=0)
    study.items.bulk_create(items_of(study, [checked, abstained]))
    first, second = studyfile.entries(study)
    both = {"sent_check": checked.check_sent, "check_reply": "No <b>", "response": "bronze"}
    assert first.items() >= both.items()
    assert not {"sent_check", "check_reply", "first_reply"} & set(second)
    [line, _] = csv.DictReader(io.StringIO("".join(studyfile.csv_chunks(study))))
    assert {name: line[name] for name in both} == both
    assert "first_reply" not in line


def test_a_judge_model_is_sent_the_check_and_its_reply(fake, made):
    fake.enqueue(Say("bronze"), Say("maybe"))
    answer_all(made)
    assert (
        _said(made.responses.get()) == f"bronze\n\nIt was then asked: {SECOND}\nIt replied: maybe"
    )


def test_a_name_in_the_reply_to_the_check_tells_its_judge(fake, made):
    fake.enqueue(Say("bronze"), Say("I am Echo-1: no"))
    answer_all(made)
    assert [item.names_its_model for item in items_of(Study(), made.responses.all())] == [True]


def test_the_pages_of_the_prompt_and_its_protocol_show_the_check(client, made, rosa):
    signed_in(client, rosa)
    page = client.get("/prompts/bells-two-step/", {"collection": "bells"}).content.decode()
    assert page.count("<h3>Check</h3>") == 2
    assert CHECK in page
    assert CHECK in client.get("/protocols/bells/1/").content.decode()


# ---------------------------------------------------------------- refused

WRONG = [
    ('check = "', 'second = "Sure?"\ncheck = "', "a prompt has a second turn or a check. Leave one out."),
    ('check = "', 'check = "{gold}', "The prompt has {gold}, which is no field of a question"),
    ('check = "', 'check = "\\u0007', "the check has the control character U+0007"),
    ('answer = "span"\ntimes = 5\nabstain = "None"', 'answer = "scores"\noptions = ["A", "B"]',
     "the answer is read from the first reply alone. Leave it out."),
    ('answer = "span"\ntimes = 5\nabstain = "None"', 'answer = "given"\ngiven = "answer"\nby = "me"\nshows = ["id"]',
     "check: no model is asked. Leave it out."),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "sentence"), WRONG)
def test_a_check_that_cannot_be_is_refused(old, new, sentence):
    assert old in PROMPTS
    with pytest.raises(Refusal) as refused:
        collection(text=HEAD + PROMPTS.replace(old, new, 1))
    assert any(sentence in problem for problem in refused.value.problems), refused.value.problems


def test_a_check_is_not_lost_in_a_version_that_a_person_writes(client, made, rosa):
    first = prompt_versions.stored_as("bells-two-step")
    given = {"title": "T", "template": "{question}"}
    with pytest.raises(Refusal, match="Only a protocol's file can declare a check"):
        prompt_versions.save(first, given, newest=prompt_versions.mark_of(first), by=rosa)
    signed_in(client, rosa)
    assert "New version" not in client.get("/prompts/bells-two-step/").content.decode()
