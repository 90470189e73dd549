"""Studies of a small protocol: models choose an option, people code their errors and filter records. Invented."""

import io
import json
from collections.abc import Callable, Sequence
from typing import Any

from datasets.importers.formats import format_for
from datasets.importers.import_files import import_file
from datasets.models import Collection, Instance
from generation import protocol_prompts, runs
from generation.models import Response, Run
from generation.prompts.prompting import Prompt
from generation.states import ResponseState, RunState
from judging import rubric_versions, studies
from judging.models import JudgingSlot, Rubric, Study
from judging.selections import Selection
from judging.studies import StudyDesign
from protocols.installed import install
from protocols.models import Protocol
from tests.evaluation.factories import judge_all
from tests.factories import person
from tests.judging.factories import judge, language_model

FORMS, CONDITIONS = ("affirmative", "negative"), ("supported", "contradicting")
CODES = ("ignored", "knowledge", "other")
TEXT = """
[protocol]
name = "coded"
version = 1
title = "Errors coded by people"
source = "Invented"
licence = "CC0"
[file]
shape = "lines"
[item]
title = "title"
question = "question"
cluster = "base"
[[field]]
name = "title"
[[field]]
name = "base"
[[field]]
name = "form"
slice = true
values = ["affirmative", "negative"]
[[field]]
name = "condition"
slice = true
values = ["supported", "contradicting"]
[[field]]
name = "question"
[[field]]
name = "context"
type = "passage"
[[field]]
name = "options"
type = "list"
[[field]]
name = "correct"
type = "letter"
of = "options"
[[prompt]]
name = "asked"
label = "C 1"
title = "Asked with the text"
tags = { technique = "basic" }
answer = "option"
options = ["A", "B"]
times = 1
origin = "ours"
text = "{context} {question} A. {options.1} B. {options.2}"
[[prompt]]
name = "closed"
label = "C 0"
title = "Asked without the text"
tags = { technique = "closed" }
answer = "option"
options = ["A", "B"]
times = 1
origin = "ours"
text = "{question} A. {options.1} B. {options.2}"
[[prompt]]
name = "fit"
label = "C F"
title = "Is the text fit?"
answer = "given"
given = "context"
by = "Ada Thorn"
shows = ["question"]
origin = "ours"
text = "Does this text say something of its subject?"
[[rubric]]
name = "codes"
title = "Errors"
source = "Invented"
ordered = false
verdicts = [
  { key = "ignored", label = "Ignored the modification" },
  { key = "knowledge", label = "World knowledge" },
  { key = "other", label = "Other" },
]
[rubric.criteria.asked]
ignored = ["It answers as if the statement were plain."]
knowledge = ["It answers from elsewhere."]
other = ["Anything else."]
[[rubric]]
name = "filter"
title = "Fit or not"
source = "Invented"
excludes = "no"
verdicts = [{ key = "no", label = "No" }, { key = "yes", label = "Yes" }]
[rubric.criteria.fit]
yes = ["It says something."]
no = ["It says nothing."]
[[scorer]]
name = "answer"
kind = "option"
labels = { right = "correct" }
"""
# With people's verdicts as scorers: error codes in tables, marks next to a scorer, a filter next to each response.
MARKED = (
    TEXT.replace("[[prompt]]", '[[field]]\nname = "golds"\ntype = "list"\n[[prompt]]', 1)
    + """
[[prompt]]
name = "free"
label = "C 2"
title = "Asked for words"
tags = { technique = "free" }
answer = "text"
origin = "ours"
text = "{context} {question}"
[[rubric]]
name = "marks"
title = "Right or wrong"
source = "Invented"
verdicts = [{ key = "wrong", label = "Wrong" }, { key = "right", label = "Right" }]
[rubric.criteria.free]
right = ["It names what stands there."]
wrong = ["It does not."]
[[scorer]]
name = "exact"
kind = "squad"
gold = ["golds"]
[[scorer]]
name = "codes"
kind = "people"
rubric = "codes"
[[scorer]]
name = "marks"
kind = "people"
rubric = "marks"
[[prompt]]
name = "stands"
label = "C S"
title = "Does it stand there?"
answer = "given"
given = "context"
by = "Ada Thorn"
shows = ["question"]
origin = "ours"
text = "Does it stand there?"
[[rubric]]
name = "stands"
title = "Stands or not"
source = "Invented"
verdicts = [{ key = "other", label = "Other" }, { key = "right", label = "Right" }]
[rubric.criteria.stands]
right = ["It stands."]
other = ["It does not."]
[[scorer]]
name = "stands"
kind = "people"
rubric = "stands"
[[measure]]
name = "ignored"
title = "Ignored the modification"
label = "Ignored"
share = { scorer = "codes", label = "ignored" }
[[measure]]
name = "knowledge"
title = "World knowledge"
share = { scorer = "codes", label = "knowledge" }
[[table]]
name = "errors"
title = "Errors by condition"
origin = "ours"
rows = ["model"]
columns = ["condition"]
cells = ["ignored", "knowledge"]
pooled = "condition"
[[validation]]
name = "marking"
title = "Marking by people next to exact match"
origin = "ours"
people = "marks"
scorer = "exact"
label = "right"
[[validation]]
name = "standing"
title = "People on the text next to models on the question"
origin = "ours"
people = "stands"
scorer = "answer"
label = "right"
by = "record"
"""
)
# Of a model, a prompt and the number of a record, from 0: whether the answer is right, or a state of the response.
Answers = Callable[[str, str, int], str]
Codes = Callable[[str, JudgingSlot], str]


def usual(model: str, prompt: str, n: int) -> str:
    return "right" if prompt == "closed" or n % 3 == 0 else "other"


def protocol(text: str = TEXT) -> Protocol:
    return install(text.encode(), "coded.toml")[0]


def prompts(of: Protocol) -> dict[str, Prompt]:
    return protocol_prompts.of_protocol(of)


def record(n: int) -> dict[str, Any]:
    """The n-th record, from 0; four of them are of one base."""
    return {
        "title": f"Statement {n}",
        "base": f"Base {n // 4}",
        "form": FORMS[n % 2],
        "condition": CONDITIONS[n // 2 % 2],
        "question": f"What stands on hill {n}?",
        "context": f"It is said that a mill stands on hill {n}.",
        "options": ["a mill", "a tower"],
        "correct": "AB"[n % 2],
    }


def collection(n: int = 12, text: str = TEXT) -> Collection:
    golds = {"golds": ["a mill", "mill"]} if text != TEXT else {}
    protocol(text)
    data = "".join(json.dumps(record(number) | golds) + "\n" for number in range(n)).encode()
    importer, of = format_for("coded", "coded")
    made = import_file(
        importer=importer, protocol=of, file=io.BytesIO(data), collection_name="coded"
    )
    return made.collection


def answered(
    n: int = 12,
    models: Sequence[str] = ("quokka", "wombat"),
    asked: Sequence[str] = ("asked", "closed"),
    answers: Answers = usual,
    text: str = TEXT,
) -> Run:
    """A run over n records in which every model has answered."""
    of = collection(n, text)
    run = Run.objects.create(name="Coded", collection=of, state=RunState.DONE)
    questions = Instance.objects.filter(contradiction__collection=of)
    questions = questions.select_related("contradiction").order_by("contradiction__position")
    known = prompts(of.protocol)
    Response.objects.bulk_create(
        _response(run, question, model, known[prompt], answers(model, prompt, place))
        for model in models
        for prompt in asked
        for place, question in enumerate(questions)
    )
    return run


def _response(run: Run, about: Instance, model: str, known: Prompt, label: str) -> Response:
    right = about.contradiction.fields["correct"]
    states = {"failed": ResponseState.FAILED, "waiting": ResponseState.PENDING}
    texts = {"right": right, "other": "B" if right == "A" else "A"}
    if not known.options:
        texts = {"right": "The mill.", "other": "A tower"}
    return Response(
        run=run,
        instance=about,
        model=language_model(model),
        prompt=known.name,
        prompt_hash=known.sha256,
        rendered="Q",
        scored=["A", "B"],
        state=states.get(label, ResponseState.DONE),
        finding=label if label in ("undecided", "skipped", "refused") else "",
        text=texts.get(label, ""),
    )


def given(n: int = 4, name: str = "fit", text: str = TEXT) -> Run:
    """A finished run of given texts."""
    of = collection(n, text)
    return runs.create(collection=of, models=[], prompts=[prompts(of.protocol)[name]])[0]


def rubric_named(name: str) -> Rubric:
    return rubric_versions.versions("coded").get(name=f"coded-{name}")


def draft(run: Run, rubric: str = "codes", name: str = "Coded", **changes: Any) -> Study:
    selected = {key: changes.pop(key) for key in ("label", "prompts") if key in changes}
    design = StudyDesign(**{"seed": 7, "rubric": rubric_named(rubric), **changes})
    return studies.create(
        name, Selection([run], **selected), design, by=person(f"maker-of-{name}".lower())
    )


def opened(study: Study, *usernames: str) -> Study:
    studies.open_study(study, [judge(name) for name in usernames or ("alice", "bob")])
    return Study.objects.get(pk=study.pk)


def codes_of_two(who: str, slot: JudgingSlot) -> str:
    """Bob differs from alice on every fourth response."""
    n = slot.item.position
    return CODES[(n + (who == "bob" and n % 4 == 0)) % 3]


def coded(run: Run | None = None, codes: Codes = codes_of_two, **design: Any) -> Study:
    """A closed study whose errors two people have coded; differences are left open."""
    judges = design.pop("judges", ())
    study = judge_all(opened(draft(run or answered(), **design), *judges), codes)
    studies.close_study(study)
    return Study.objects.get(pk=study.pk)
