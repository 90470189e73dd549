"""Test calls: how a service takes a model's requests."""

import pytest

from generation import registry
from generation.inference import chat, client, faults, probing
from generation.inference.chat import Abilities
from tests.generation.factories import echo
from tests.generation.fake_service import FakeService, Fault, Say

OPTIONS = {"temperature": 0, "max_tokens": 250, "seed": 5}


def probed(fake, settings, **options):
    settings.INFERENCE_SERVICES = fake.setting("local")
    return probing.probe(client.service("local"), "echo-1", OPTIONS, **options)


CAN = [
    ({}, "", Abilities()),
    ({"refuses_system": True}, None, Abilities()),
    ({"refuses": ("max_tokens",)}, "", Abilities(limit="max_completion_tokens")),
    (
        {"refuses": ("max_tokens",), "refuses_system": True},
        None,
        Abilities(limit="max_completion_tokens"),
    ),
    ({"has_chat": False}, None, Abilities(completions=True)),
    ({"answer": lambda _: "Hm.</think>Yes."}, "", Abilities(opens_reasoning=True)),
    ({"answer": lambda _: "<think>Hm.</think>Yes."}, "", Abilities()),
]


@pytest.mark.parametrize(("fake", "system_message", "abilities"), CAN)
def test_a_probe_finds_out_what_a_service_takes_and_then_works(
    settings, fake, system_message, abilities
):
    with FakeService(**fake) as service:
        probe = probed(service, settings)
        assert (probe.system_message, probe.abilities) == (system_message, abilities)
        options = {**OPTIONS, chat.SYSTEM_MESSAGE: system_message}
        assert client.service("local").ask("echo-1", options, "Q", abilities).text
    limit = {abilities.limit: 250}
    asked = [call for call in service.calls if "logprobs" not in call]
    assert {"temperature": 0, "seed": 5, **limit}.items() <= asked[-2].items()


THINKING = [
    (Say("", "length", reasoning="Well, "), "used up its tokens"),
    (Say("<think>Well", "length"), "used up its tokens"),
    (Say("", reasoning="Well."), "empty text"),
]


@pytest.mark.parametrize(("reply", "remark"), THINKING)
def test_a_model_that_thinks_for_all_its_tokens_can_be_asked_all_the_same(
    fake, settings, reply, remark
):
    fake.enqueue(reply)
    probe = probed(fake, settings)
    assert probe.remark.startswith("did not answer the test")
    assert remark in probe.remark
    assert len([call for call in fake.calls if "logprobs" not in call]) == 1


CUT = [
    (Say("Well, the user wants", "length"), True),
    (Say("", "length"), True),
    (Say("Hm.</think>Yes, it", "length"), True),
    (Say("<think>Hm.</think>Yes, it", "length"), False),
    (Say("Yes."), False),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("reply", "opens"), CUT)
def test_a_test_whose_answer_was_cut_off_keeps_what_an_earlier_one_saw(local, fake, reply, opens):
    model = echo()
    fake.enqueue(Say("Hm.</think>Yes."))
    registry.test(model)
    fake.enqueue(reply)
    remark = registry.test(model)
    assert model.able.opens_reasoning == opens
    unknown = "not known whether the model reasons first: add it with more max_tokens"
    assert (unknown in remark) == reply.text.startswith("Well")


LEFT_OUT = [
    (("seed",), "the seed for this model"),
    (("temperature",), "the temperature for this model"),
    (("seed", "temperature"), "the seed and the temperature for this model"),
    (("max_tokens", "temperature"), "the temperature for this model"),
]


@pytest.mark.parametrize(("refuses", "words"), LEFT_OUT)
def test_an_option_that_a_service_does_not_take_is_named(settings, refuses, words):
    with (
        FakeService(refuses=refuses) as fake,
        pytest.raises(faults.Refused, match=f"does not take {words}. Leave it empty"),
    ):
        probed(fake, settings)


def test_a_request_refused_for_another_reason_says_the_services_own(settings):
    with (
        FakeService(refuses=("model",)) as fake,
        pytest.raises(faults.Refused, match="Unsupported parameter: model"),
    ):
        probed(fake, settings)


@pytest.mark.parametrize("status", [401, 429, 503])
def test_a_service_that_is_not_ready_is_asked_once(fake, settings, status):
    fake.always = Fault(status)
    with pytest.raises(faults.ServiceFault):
        probed(fake, settings)
    assert len(fake.calls) == 1


def test_with_a_system_message_chosen_no_other_is_tried(settings):
    with FakeService(refuses_system=True) as fake, pytest.raises(faults.Refused):
        probed(fake, settings, systems=("",))
    assert all("messages" in call for call in fake.calls)
