"""How a model's reasoning is kept from judges: found by the test call, chosen by an admin, or held."""

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from accounts.roles import Role
from generation import registry
from generation.inference import markup
from generation.models import Response
from judging import studies
from judging.selections import Selection
from judging.studies import StudyDesign
from leases.refusal import Refusal
from tests.factories import person, signed_in
from tests.generation.factories import answer_all, echo, run, spanned
from tests.generation.fake_service import Fault, Say

pytestmark = pytest.mark.django_db

ANSWERS = [
    "<|channel|>analysis<|message|>Pick 12.<|end|><|start|>assistant<|channel|>final<|message|>12 m",
    "analysisThey conflict, I pick 12.assistantfinal12 m",
    "[THINK]They conflict; I pick 12.[/THINK]12 m",
    "<thinking>They conflict.</thinking>\n12 m",
    "◁think▷They conflict.◁/think▷12 m",
    "Here is my thought process:\nThey conflict.\n\nHere is my response:\n12 m",
]
BARE = ["<answer>12 m</answer>", "<|begin_of_box|>12 m<|end_of_box|>", "12 m<|im_end|>", "12 m</s>"]
UNKNOWN = "<my_thoughts>They conflict.</my_thoughts>12 m"


@pytest.fixture(autouse=True)
def one_by_one(fake, settings):
    """Answers come in the order of the questions."""
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1)


def answered(fake, *texts, **options):
    """A finished run with these answers, and its responses in their order."""
    made = run(questions=len(texts), **options)
    fake.enqueue(*map(Say, texts))
    answer_all(made)
    return made, list(made.responses.order_by("order"))


@pytest.mark.parametrize("text", ANSWERS)
def test_judges_read_the_answer_alone(fake, text):
    _, (row,) = answered(fake, text)
    assert (row.text, row.held) == ("12 m", False)
    assert row.reasoning
    assert row.reply["choices"][0]["message"]["content"] == text


@pytest.mark.parametrize("text", BARE)
def test_judges_read_no_tokens_and_wrappers(fake, text):
    _, (row,) = answered(fake, text)
    assert (row.text, row.reasoning, row.held) == ("12 m", "", False)
    assert row.reply["choices"][0]["message"]["content"] == text


@pytest.mark.parametrize(
    ("message", "text", "held"),
    [
        ({"content": "It is<|im_end|>"}, "It is", False),
        ({"content": "It is <|a|> b"}, "It is <|a|> b", True),
        ({"content": None, "refusal": "No.</s>"}, "No.", False),
    ],
)
def test_the_text_of_a_finding_has_no_markup_either(fake, message, text, held):
    made = run(questions=1)
    fake.enqueue(Fault(200, {"choices": [{"message": message, "finish_reason": "SAFETY"}]}))
    answer_all(made)
    row = made.responses.get()
    assert row.finding
    assert (row.text, row.held) == (text, held)
    if held:
        registry.choose_marks(row.model, markup.SHOWN, False)
        assert made.responses.get().held is False


@pytest.mark.parametrize(
    ("text", "marks", "opens"),
    [(ANSWERS[2], "[THINK]", False), ("Hm.◁/think▷Yes.", "◁think▷", True), ("Yes.", "", False)],
)
def test_a_test_call_chooses_the_mark(fake, text, marks, opens):
    model = echo()
    fake.enqueue(Say(text))
    registry.test(model)
    assert (model.able.marks, model.able.opens_reasoning) == (marks, opens)


def test_a_test_call_does_not_change_an_admins_choice(fake):
    model = echo()
    registry.choose_marks(model, markup.SHOWN, False)
    fake.enqueue(Say(ANSWERS[2]))
    registry.test(model)
    assert model.able.marks == markup.SHOWN


def test_marks_are_no_part_of_a_models_identity(fake):
    model = echo()
    registry.choose_marks(model, "[THINK]", False)
    assert echo() == model
    assert "marks" not in model.options


def test_what_is_in_no_table_is_held_out_of_studies_until_it_is_shown_as_it_is(fake):
    made, (first, second) = answered(fake, UNKNOWN, "12 m")
    assert (first.text, first.held, second.held) == (UNKNOWN, True, False)
    selection = Selection([made])
    assert (selection.chosen(), selection.held(), selection.left_out()) == ([second], 1, 0)
    registry.choose_marks(first.model, markup.SHOWN, False)
    assert (len(selection.chosen()), selection.held()) == (2, 0)


def test_a_study_without_any_other_response_says_what_to_do(fake):
    made, _ = answered(fake, UNKNOWN)
    with pytest.raises(
        Refusal, match="1 finished response may have markup or reasoning in the text"
    ):
        Selection([made]).chosen()


@pytest.mark.both
def test_a_choice_reads_stored_texts_again(fake):
    _, (row, other) = answered(fake, "They conflict.\n◁/think▷12 m", "13 m")
    assert row.held
    assert registry.choose_marks(row.model, "◁think▷", True) == 2
    row.refresh_from_db()
    other.refresh_from_db()
    assert (row.text, row.reasoning, row.held) == ("12 m", "They conflict.", False)
    # Where the model always begins within the reasoning, a text without its end is no answer.
    assert (other.text, other.held) == ("13 m", True)


@pytest.mark.both
def test_what_somebody_has_judged_is_not_read_again(fake):
    made, (row, judged) = answered(fake, UNKNOWN, "12 m")
    Response.objects.update(text=ANSWERS[2], held=False)
    design = StudyDesign(judges_per_response=0)
    study = studies.create("Scored", Selection([made], instances=[judged.instance_id]), design,
                           by=person("olga", Role.ADMIN))  # fmt: skip
    studies.open_study(study, [])
    registry.choose_marks(row.model, "[THINK]", False)
    row.refresh_from_db()
    judged.refresh_from_db()
    assert (row.held, judged.text) == (True, ANSWERS[2])


def test_an_asked_form_is_looked_for_in_the_answer_alone(fake):
    made = run(questions=1, prompts=(spanned(),))
    fake.enqueue(Say("[THINK]They conflict.[/THINK]1 km"))
    answer_all(made)
    row = made.responses.get()
    assert (row.text, row.askings, row.finding) == ("1 km", 1, "")


def test_reasoning_without_an_end_at_the_token_limit_says_so(fake):
    made = run(questions=1)
    fake.enqueue(Say("<thinking>They", "length"))
    answer_all(made)
    assert "used up its tokens" in made.responses.get().error


# ---------------------------------------------------------------- pages


@pytest.fixture
def alice(client):
    return signed_in(client, person("alice", Role.ADMIN))


def test_an_admin_chooses_on_the_page_of_models(client, alice, fake):
    _, (row,) = answered(fake, UNKNOWN)
    models = reverse("generation:models")
    assertContains(client.get(models), "1 held")
    page = reverse("generation:marks", args=[row.model_id])
    assertContains(client.get(page), "Markup of")
    answer = client.post(page, {"marks": markup.SHOWN}, follow=True)
    assertContains(answer, "Changed by reading it again: 1 response")
    assertContains(answer, "texts shown as they are")
    assert "1 held" not in answer.content.decode()


def test_an_unknown_mark_is_refused(client, alice):
    answer = client.post(reverse("generation:marks", args=[echo().pk]), {"marks": "<b>"})
    assertContains(answer, "Select a valid choice", status_code=400)


def test_pages_say_that_a_response_is_held(client, alice, fake):
    made, (row,) = answered(fake, UNKNOWN)
    assertContains(
        client.get(reverse("generation:responses", args=[made.pk])), "may have markup or reasoning"
    )
    page = client.get(reverse("generation:response", args=[made.pk, row.pk]))
    assertContains(page, "No study takes it until an admin chooses")
    assertContains(client.get(reverse("generation:run", args=[made.pk])), "1 response</a> may have")


def test_a_content_in_parts_is_read_again_too(fake):
    body = {"choices": [{"message": {"content": [{"type": "text", "text": UNKNOWN}]}}]}
    made = run(questions=1)
    fake.enqueue(Fault(200, body))
    answer_all(made)
    row = made.responses.get()
    assert row.held
    assert registry.choose_marks(row.model, markup.SHOWN, False) == 1
