"""A study of answers that are texts, over four invented records."""

import io
import json
from typing import Any

from datasets.importers.formats import format_for
from datasets.importers.import_files import import_file
from datasets.models import Collection, Instance
from generation import protocol_prompts
from generation.models import Response, Run
from generation.states import ResponseState, RunState
from judging.models import Study
from protocols.installed import install
from tests.evaluation.scored import scored_study
from tests.judging.factories import language_model
from tests.protocols.factories import TEXT

PROTOCOL = f"""{TEXT}
[[field]]
name = "level"
slice = true
values = ["simple", "explicit"]

[[field]]
name = "answers"
type = "list"

[[field]]
name = "remembered"
type = "list"
optional = true

[[prompt]]
name = "ask"
label = "M1"
title = "Ask"
origin = "ours"
tags = {{ way = "ask" }}
answer = "span"
times = 3
abstain = "None"
text = "{{source}} {{question}}"

[[prompt]]
name = "think"
label = "M2"
title = "Think"
origin = "ours"
tags = {{ way = "think" }}
after = "Answer:"
extract = "first line"
abstain = "None"
text = "{{source}} {{question}} Think."

[[prompt]]
name = "choose"
label = "M3"
title = "Choose"
origin = "ours"
tags = {{ way = "choose" }}
answer = "scores"
options = ["A", "B"]
text = "{{question}} {{options}}"

[[scorer]]
name = "em"
kind = "squad"
gold = ["answers"]

[[scorer]]
name = "alias"
kind = "alias"
gold = ["answers"]
match = "contained"

[[scorer]]
name = "memory"
kind = "alias"
gold = ["remembered"]

[[scorer]]
name = "choice"
kind = "option"
labels = {{ chosen = "right" }}

[[measure]]
name = "f1"
title = "F1"
mean = {{ scorer = "em", of = "f1" }}

[[measure]]
name = "exact"
title = "Exact match"
mean = {{ scorer = "em", of = "exact" }}

[[measure]]
name = "aliases"
title = "Accuracy by aliases"
share = {{ scorer = "alias", label = "right" }}

[[measure]]
name = "memory"
title = "Remembered answers"
share = {{ scorer = "memory", label = "right" }}

[[measure]]
name = "chosen"
title = "Right options"
share = {{ scorer = "choice", label = "chosen" }}

[[table]]
name = "answers"
title = "Answers"
origin = "ours"
where = {{ way = ["ask", "think"] }}
rows = ["model"]
columns = ["way"]
cells = ["f1", "exact", "aliases", "memory"]

[[table]]
name = "levels"
title = "By level"
origin = "ours"
rows = ["model", "way"]
columns = ["level"]
cells = ["exact", "chosen"]
pooled = "level"
"""


def record(n: int, level: str, *answers: str, **more: Any) -> dict[str, Any]:
    question = f"Who built mill {n}?"
    return {
        "mill": f"mill {n}",
        "question": question,
        "source": f"Mill {n} was built by the Zoë sisters’ guild.",
        "options": [question, "Nobody."],
        "right": "A",
        "level": level,
        "answers": list(answers),
        **more,
    }


RECORDS = [
    record(1, "simple", "the Zoë sisters", "Zoë’s", remembered=["Ada", "Ada M."]),
    record(2, "simple", "guild", "the guild of Zoë", "The"),
    record(3, "explicit"),
    record(4, "explicit", "欧元", "?!", remembered=[]),
]
SKIPPED, FAILED = "skipped", "failed"
# By prompt the reply to each record, or a state.
REPLIES = {
    "ask": ["Zoë sisters", SKIPPED, "None", "guild"],
    "think": ["Answer: Zoë\nAnswer: the Zoë guild\nsurely", "guild", "Answer: None", "So. Answer: 是欧元"],
    "choose": ["A", "B", "undecided", FAILED],
}  # fmt: skip


def collection(name: str = "mills") -> Collection:
    install(PROTOCOL.encode(), "mills.toml")
    chosen = format_for("mills", name)
    data = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in RECORDS).encode()
    return import_file(
        importer=chosen.importer,
        protocol=chosen.protocol,
        file=io.BytesIO(data),
        collection_name=name,
    ).collection


def answered() -> Run:
    """By one model."""
    of = collection()
    run = Run.objects.create(name="Texts", collection=of, state=RunState.DONE)
    questions = Instance.objects.filter(contradiction__collection=of)
    prompts = protocol_prompts.of_protocol(of.protocol)
    for n, question in enumerate(questions.order_by("contradiction__position")):
        for name, replies in REPLIES.items():
            reply = replies[n]
            state = reply if reply in (SKIPPED, "undecided") else ""
            Response.objects.create(
                run=run,
                instance=question,
                model=language_model("quokka"),
                prompt=prompts[name].name,
                prompt_hash=prompts[name].sha256,
                rendered="Q",
                state=ResponseState.FAILED if reply == FAILED else ResponseState.DONE,
                finding=state,
                text="" if state or reply == FAILED else reply,
            )
    return run


def study() -> Study:
    """Closed, without judges."""
    return scored_study(answered(), "Texts")
