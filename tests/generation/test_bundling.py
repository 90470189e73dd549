"""The prompts in the bundle of a release: the texts that a run sends, without those that differ from run to run."""

import pytest

from datasets.models import Collection, Instance
from datasets.records import current
from datasets.releasing.bundle.asked import Asked, prompt_lines
from datasets.streaming import streamed
from generation.prompts import declared, prompting
from generation.prompts.bundling import prompts_to_bundle
from generation.response_planning import rendered
from protocols.shipped import declaration_of
from tests import conflictbank
from tests.datasets.factories import annotation, mills, record
from tests.generation.declared_collections import collection_of

OF_WIKICONTRADICT = [
    "internal-knowledge", "passage-1", "passage-2", "both-passages", "both-passages-comprehensive",
    "both-passages-swapped", "conflict-question",
]  # fmt: skip
FERRIES = """
[protocol]
name = "ferries"
version = 1
title = "Ferries"
source = "invented"
licence = "none"

[file]
shape = "lines"

[item]
title = "question"
question = "question"
cluster = "question"

[[field]]
name = "question"

[[field]]
name = "note"
type = "passage"

[[field]]
name = "other"
type = "passage"
optional = true

[[prompt]]
name = "checked"
label = "F1"
title = "With a check"
origin = "ours"
text = "{note} {question}"
check = "You said {reply}. Does {note} say so?"

[[prompt]]
name = "both"
label = "F2"
title = "Both notes, a second turn"
origin = "ours"
text = "{note} {other} {question}"
second = "Sure? {reply}"
answer = "option"
options = ["yes", "no"]
times = 2

[[prompt]]
name = "shuffled"
label = "F3"
title = "In a drawn order"
origin = "ours"
text = "{note} {other} {question}"
shuffle = ["note", "other"]
last = ["note", "other"]
"""


def bundled(collection: Collection) -> dict:
    """{(record, question, prompt): SentTexts}."""
    declaration = collection.declaration if collection.is_declared else None
    prompts = prompts_to_bundle(declaration)
    lines = [
        line
        for row in streamed(current(collection))
        for slot in row.questions
        for line in prompt_lines(Asked(1, row.columns, slot), prompts)
    ]
    found = {tuple(line.key.split(":")): line.sent for line in lines}
    assert len(found) == len(lines)
    return found


def run_texts(collection: Collection) -> dict:
    """The same as a run renders it."""
    own = collection.declaration if collection.is_declared else None
    known = (
        prompting.prompts().values()
        if own is None
        else [prompting.parse(body, name) for name, body in declared.bodies(own).items()]
    )
    names = {prompt.name for prompt in prompts_to_bundle(own)}
    asked = [prompt for prompt in known if prompt.name in names]
    questions = Instance.objects.filter(contradiction__collection=collection)
    rows = rendered(questions.select_related("contradiction"), asked)
    return {
        (*row.key.split(":"), row.prompt.name): (row.text, row.gold, row.follow_up)
        for row in rows
        if not row.problem
    }


def check_same(collection: Collection) -> dict:
    found = bundled(collection)
    texts = {key: (sent.text, list(sent.gold), sent.second) for key, sent in found.items()}
    assert texts == run_texts(collection)
    return found


@pytest.mark.django_db
def test_a_prompt_has_the_text_and_the_gold_of_a_run():
    found = check_same(
        mills(
            record(title="A"),
            record(title="B", given=annotation(wikitag_label_samepassage="Same")),
            record(title="C", given=annotation(paragraphB_information=" ",
                                               paragraphB_information_standalone=None)),
            record(title="E", given=annotation(
                question2="Was it {context2}?", question2_answer1="yes", question2_answer2="no"
            )),
        )
    )  # fmt: skip
    assert len(found) == 7 * 5 - 5
    assert {prompt for _, _, prompt in found} == set(OF_WIKICONTRADICT)


@pytest.mark.django_db
def test_a_prompt_of_a_protocol_has_the_text_of_a_run():
    check_same(conflictbank.collection(4))


@pytest.mark.django_db
def test_what_a_record_lacks_is_not_asked():
    whole = {"question": "Where?", "note": "It is {other}.", "other": "Here."}
    found = check_same(
        collection_of(FERRIES, [
            whole,
            {"question": "When?", "note": "Never."},
            {**whole, "note": " "},
        ])
    )  # fmt: skip
    prompts = [name.removeprefix("ferries-") for _, _, name in found]
    assert sorted(prompts) == ["both", "checked", "checked"]
    [both] = [sent for (*_, name), sent in found.items() if name == "ferries-both"]
    assert (both.text, both.second) == ("It is {other}. Here. Where?", ["Sure? ", ""])


def test_what_a_prompt_of_a_protocol_asks_for_is_said():
    prompts = {one.name: one for one in prompts_to_bundle(declaration_of("conflictbank"))}
    one = prompts["conflictbank-default"]
    assert (one.answer, list(one.options)[:2], one.is_check) == ("scores", ["A", "B"], False)
    checks = [one.is_check for one in prompts_to_bundle(declaration_of("hypotheticals"))]
    assert 0 < sum(checks) < len(checks)


@pytest.mark.parametrize("protocol", ["conflictbank", "knot", "hypotheticals"])
def test_nothing_that_a_run_draws_or_a_person_wrote_is_in_it(protocol):
    declaration = declaration_of(protocol)
    kept = {prompt.name for prompt in prompts_to_bundle(declaration)}
    bodies = [prompting.parse(body, name) for name, body in declared.bodies(declaration).items()]
    drawn = {one.name for one in bodies if one.shuffle or one.shots or one.given}
    assert kept == {one.name for one in bodies} - drawn
    assert kept


def test_revised_passages_are_no_part_of_a_release():
    assert [prompt.name for prompt in prompts_to_bundle(None)] == OF_WIKICONTRADICT
