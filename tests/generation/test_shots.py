"""Shots in runs: the texts that are sent, what is kept of the drawing, and where it is shown."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.roles import Role
from generation import prompt_versions, protocol_prompts, response_planning, runs
from generation.models import PromptVersion, Response
from generation.states import ResponseState
from judging.files import studyfile
from judging.models import Study
from judging.studies import items_of
from leases.refusal import Refusal
from protocols.installed import install, use
from tests.factories import person, signed_in
from tests.generation.factories import answer_all, echo
from tests.generation.fake_service import CONTEXT_TOO_LONG
from tests.generation.knot_templates import TEXT, collection, example, prompts_of, record

pytestmark = pytest.mark.django_db

R = (
    "ead the passage and answer the question. You may do some analysis on the passage and question before answering. "
    "But you should directly give out in the answer in the end and in the form of answer"
)
P, Q = " Bell 1 is cast of bronze. {answer}", "Of what is bell 1?"
# The head, a shot and the question of each template, ⏎ for a line end; p, q and a are those of an example.
SENT = {
    "b1": (f"r{R}.⏎⏎", "Passage: {p}⏎Question: {q}⏎Answer: {a}⏎⏎", "Passage: {P}⏎Question: {Q}⏎Answer:"),
    "b2": (
        "Below is an instruction that describes a task, paired with an input that provides further context. Write a "
        f"response that appropriately completes the request.⏎⏎### Instruction:⏎R{R}.⏎⏎",
        "### Input:⏎Passage: {p}⏎Question: {q}⏎⏎### Response:⏎Answer: {a}⏎⏎",
        "### Input:⏎Passage: {P}⏎Question: {Q}⏎⏎### Response:",
    ),
    "b3": (
        "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, "
        f"detailed, and polite answers to the user's questions. USER: R{R}. ASSISTANT: OK, I got it.</s>⏎",
        "USER: Passage: {p} Question: {q} ASSISTANT: Answer: {a}</s>⏎",
        "USER: Passage: {P} Question: {Q} ASSISTANT: Answer:",
    ),
    "b4": (
        f"<|user|>⏎R{R}⏎<|assistant|>⏎OK, I got it.⏎",
        "<|user|>⏎Passage: {p}⏎Question: {q}⏎<|assistant|>⏎Answer: {a}⏎",
        "<|user|>⏎Passage: {P}⏎Question: {Q}⏎<|assistant|>",
    ),
    "b5": (f"R{R}.⏎⏎", "<human>:⏎Passage: {p}⏎Question: {q}⏎<bot>: {a}⏎⏎",
           "<human>:⏎Passage: {P}⏎Question: {Q}⏎<bot>:"),
}  # fmt: skip
# What the record draws with seed 7, as written here on every database.
DRAWN = ["simple-1", "simple-3", "simple-4", "simple-2"]


@pytest.fixture
def rosa():
    return person("rosa", Role.RESEARCHER)


def made(*names, of=None, **more):
    of = of or collection()
    prompts = prompts_of(of)
    run, _ = runs.create(
        collection=of, models=[echo()], prompts=[prompts[name] for name in names], **more
    )
    return run


def expected(template, shots, document):
    head, shot, asked = SENT[template]
    if not document:
        head, shot, asked = (
            part.replace("Passage: {p}⏎", "").replace("Passage: {P}⏎", "")
            .replace("Passage: {p} ", "").replace("Passage: {P} ", "")
            for part in (head, shot, asked)
        )  # fmt: skip
    numbers = [name.split("-")[1] for name in DRAWN[:shots]]
    of = [
        shot.replace("{p}", f"Bell simple {n} is cast of tin. {{question}}")
        .replace("{q}", f"Of what is bell simple {n}?")
        .replace("{a}", f"tin {n}")
        for n in numbers
    ]
    whole = head + "".join(of) + asked.replace("{P}", P).replace("{Q}", Q)
    return whole.replace("⏎", "\n")


def test_the_text_that_is_sent_is_the_papers(local, seeded):
    of = collection()
    rows = made(*prompts_of(of), of=of).responses.all()
    sent = {row.prompt.removeprefix("bells-"): (row.rendered, row.drawn) for row in rows}
    assert sent == {
        f"{template}{'' if document else '-bare'}-{shots}": (
            expected(template, shots, document),
            {"shots": DRAWN[:shots]} if shots else None,
        )
        for template in SENT
        for document in (True, False)
        for shots in (0, 1, 4)
    }
    assert not any(text.endswith("\n") for text, _ in sent.values())


def test_one_text_letter_by_letter(local, seeded):
    [row] = made("b5-1").responses.all()
    assert row.rendered == (
        "Read the passage and answer the question. You may do some analysis on the passage and question before "
        "answering. But you should directly give out in the answer in the end and in the form of answer.\n\n"
        "<human>:\nPassage: Bell simple 1 is cast of tin. {question}\nQuestion: Of what is bell simple 1?\n"
        "<bot>: tin 1\n\n"
        "<human>:\nPassage:  Bell 1 is cast of bronze. {answer}\nQuestion: Of what is bell 1?\n<bot>:"
    )


def test_all_models_samples_and_later_prompts_of_a_run_have_the_same_shots(local, seeded):
    run = made("b1-1", of=collection(record(1), record(2, level="implicit")), samples=2)
    assert run.seed == 7
    runs.extend(run, [echo(seed=5)], [prompts_of(run.collection)["b4-4"]])
    drawn = {}
    for row in run.responses.all():
        drawn.setdefault(row.instance_id, {}).setdefault(row.prompt, set()).add(
            tuple(row.drawn["shots"])
        )
    assert len(drawn) == 2
    for one in drawn.values():
        [(first,)], [four] = one["bells-b1-1"], one["bells-b4-4"]
        assert (first, len(four)) == (four[0], 4)


def test_a_run_without_shots_has_no_seed(local):
    assert made("b1-0").seed is None


def test_a_record_that_has_too_few_examples_is_named_and_no_run_made(local):
    of = collection(record(), record(2, level="explicit"), text=TEXT)
    with pytest.raises(
        Refusal,
        match=r"Records lack what prompts show: “bell 2” \(\w{8}\) for prompt KB b1-1: examples of level "
        r"'explicit' without its own question: 0; the prompt draws 1\. Correct or exclude them",
    ):
        made("b1-1", of=of)
    assert not Response.objects.exists()


def test_a_text_that_is_too_long_for_the_model_fails_with_that_reason(local, fake):
    run = made("b1-4")
    runs.start(run)
    fake.enqueue(CONTEXT_TOO_LONG)
    assert answer_all(run) == 1
    row = run.responses.get()
    assert row.state == ResponseState.FAILED
    assert "exceeds the available context size (8192 tokens)" in row.error


def test_a_changed_example_is_a_new_version_of_the_prompts_that_show_it():
    of = collection()
    first = prompts_of(of)
    use(of.protocol)
    changed = TEXT.replace("version = 1", "version = 2").replace(
        example(5, "implicit"), example(5, "implicit", passage="Bell implicit 5 is of tin.")
    )
    second = protocol_prompts.of_protocol(install(changed.encode(), "bells.toml")[0])
    newer = {name for name in first if first[name].name != second[name].name}
    assert newer == {f"b{n}-{shots}" for n in range(1, 6) for shots in (1, 4)}
    assert second["b1-4"].name == "bells-b1-4-v2"
    row = PromptVersion.objects.get(key="bells-b1-4-v2")
    assert row.prompt.drawn_from[-1]["fields"]["passage"] == "Bell implicit 5 is of tin."


# ---------------------------------------------------------------- where it is shown


def test_what_was_drawn_is_on_the_page_in_the_api_and_in_the_files(local, seeded, client, rosa):
    run = made("b1-4", "b1-0")
    signed_in(client, rosa)
    row = run.responses.get(prompt="bells-b1-4")
    page = client.get(reverse("generation:response", args=[run.pk, row.pk])).content.decode()
    assert f"Examples drawn for this question: {', then '.join(DRAWN)}." in page
    [four, none] = client.get(f"/api/runs/{run.pk}/responses/").json()["results"]
    assert (four["drawn"], none["drawn"]) == ({"shots": DRAWN}, None)
    text = client.get(reverse("generation:responses_csv", args=[run.pk]))
    rows = list(csv.DictReader(io.StringIO(b"".join(text.streaming_content).decode())))
    assert [json.loads(line["drawn"] or "null") for line in rows] == [{"shots": DRAWN}, None]
    study = Study.objects.create(name="S", slug="s", seed=1, judges_per_response=0)
    study.items.bulk_create(items_of(study, run.responses.order_by("order")))
    entries = list(studyfile.entries(study))
    assert [entry.get("drawn_shots") for entry in entries] == [DRAWN, None]
    assert not any("drawn_order" in entry for entry in entries)
    [line, _] = csv.DictReader(io.StringIO("".join(studyfile.csv_chunks(study))))
    assert json.loads(line["drawn_shots"]) == DRAWN
    assert "drawn_order" not in line


def test_the_command_renders_them_by_a_seed(capsys):
    collection()
    call_command("render_prompts", "bells", "--prompt", "KB b1-4", "--json", "--seed", "7")
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line)["shots"] == DRAWN
    assert json.loads(line)["text"] == expected("b1", 4, document=True)
    call_command("render_prompts", "bells", "--prompt", "KB b1-4", "--seed", "7")
    assert f"examples: {', '.join(DRAWN)}\n" in capsys.readouterr().out


def test_the_pages_of_a_prompt_and_of_its_protocol_show_its_examples(client, rosa):
    collection()
    signed_in(client, rosa)
    list(prompt_versions.stored())
    page = client.get("/prompts/bells-b1-4/", {"collection": "bells"}).content.decode()
    for part in (
        "Examples drawn for a question: 4, of the same level. Each is shown as:",
        "Example implicit-5",
        "passage: Bell implicit 5 is cast of tin. {question}",
        "Here with examples drawn by the seed 0",
    ):
        assert part in page
    shown = client.get("/protocols/bells/1/").content.decode()
    assert "Bell implicit 5 is cast of tin. {question}" in shown
    assert ">Each example</h4>" in shown


def test_a_prompt_over_a_record_with_too_few_says_so_in_its_preview():
    of = collection(record(level="explicit"))
    [row] = response_planning.rendered(response_planning.instances_of(of), [prompts_of(of)["b1-1"]])
    assert row.is_unfit
    assert "of level 'explicit'" in row.problem
