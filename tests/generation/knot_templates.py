"""The templates of KNOT's Appendix B over a small invented study, as a protocol's file."""

import json

from datasets.models import Collection
from generation import protocol_prompts
from generation.prompts.prompting import Prompt
from tests.generation.declared_collections import collection_of

HEAD = """\
[protocol]
name = "bells"
version = 1
title = "Bells: questions about a passage"
source = "Invented"
licence = "CC0"

[file]
shape = "lines"

[item]
title = "id"
question = "question"
cluster = "passage"

[[field]]
name = "id"

[[field]]
name = "passage"
type = "passage"

[[field]]
name = "question"

[[field]]
name = "answer"

[[field]]
name = "level"
slice = true
values = ["simple", "implicit"]
"""

# R of the paper, r, and R without its last full stop.
R = (
    "Read the passage and answer the question. You may do some analysis on the passage and question before answering. "
    "But you should directly give out in the answer in the end and in the form of answer."
)
SMALL, BARE = "r" + R[1:], R[:-1]

# text and shot, as they stand between the marks of a TOML text.
TEMPLATES = {
    "b1": (
        f"""\
{SMALL}

{{shots}}Passage: {{passage}}
Question: {{question}}
Answer:""",
        """\
Passage: {passage}
Question: {question}
Answer: {answer}

""",
    ),
    "b2": (
        f"""\
Below is an instruction that describes a task, paired with an input that provides further context. \
Write a response that appropriately completes the request.

### Instruction:
{R}

{{shots}}### Input:
Passage: {{passage}}
Question: {{question}}

### Response:""",
        """\
### Input:
Passage: {passage}
Question: {question}

### Response:
Answer: {answer}

""",
    ),
    "b3": (
        f"""\
A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed, \
and polite answers to the user's questions. USER: {R} ASSISTANT: OK, I got it.</s>
{{shots}}USER: Passage: {{passage}} Question: {{question}} ASSISTANT: Answer:""",
        """\
USER: Passage: {passage} Question: {question} ASSISTANT: Answer: {answer}</s>
""",
    ),
    "b4": (
        f"""\
<|user|>
{BARE}
<|assistant|>
OK, I got it.
{{shots}}<|user|>
Passage: {{passage}}
Question: {{question}}
<|assistant|>""",
        """\
<|user|>
Passage: {passage}
Question: {question}
<|assistant|>
Answer: {answer}
""",
    ),
    "b5": (
        f"""\
{R}

{{shots}}<human>:
Passage: {{passage}}
Question: {{question}}
<bot>:""",
        """\
<human>:
Passage: {passage}
Question: {question}
<bot>: {answer}

""",
    ),
}


def without_document(text: str) -> str:
    return text.replace("Passage: {passage}\n", "").replace("Passage: {passage} ", "")


def prompt(template: str, shots: int, document: bool = True) -> str:
    """One of the prompts, as b1-4 or b1-bare-4."""
    text, shot = TEMPLATES[template]
    if not document:
        text, shot = without_document(text), without_document(shot)
    name = f"{template}{'' if document else '-bare'}-{shots}"
    drawn = f'shots = {shots}\nalike = "level"\nshot = """\n{shot}"""\n' if shots else ""
    text = text if shots else text.replace("{shots}", "")
    return (
        f'\n[[prompt]]\nname = "{name}"\nlabel = "KB {name}"\ntitle = "{name}"\norigin = "reconstructed"\n'
        f'tags = {{ technique = "{"read" if document else "bare"}", shots = "{shots}" }}\n'
        f'text = """\n{text}"""\n{drawn}'
    )


def example(n: int, level: str = "simple", **changed: str) -> str:
    fields = {
        "passage": f"Bell {level} {n} is cast of tin. {{question}}",
        "question": f"Of what is bell {level} {n}?",
        "answer": f"tin {n}",
        "level": level,
    } | changed
    lines = "".join(f"{key} = {json.dumps(text)}\n" for key, text in fields.items())
    return f'\n[[example]]\nname = "{level}-{n}"\n[example.fields]\n{lines}'


EXAMPLES = "".join(example(n, level) for level in ("simple", "implicit") for n in range(1, 6))
PROMPTS = "".join(
    prompt(name, shots, document)
    for name in TEMPLATES
    for document in (True, False)
    for shots in (0, 1, 4)
)
TEXT = HEAD + EXAMPLES + PROMPTS


def record(n: int = 1, **changed: str) -> dict[str, str]:
    """The n-th record: a bell of bronze, as asked about in none of the examples."""
    return {
        "id": f"bell {n}",
        "passage": f" Bell {n} is cast of bronze. {{answer}}",
        "question": f"Of what is bell {n}?",
        "answer": "bronze",
        "level": "simple",
    } | changed


def collection(*records: dict[str, str], text: str = TEXT) -> Collection:
    return collection_of(text, records or (record(),))


def prompts_of(of: Collection) -> dict[str, Prompt]:
    """Its protocol's prompts, by their names in it."""
    assert of.protocol
    return protocol_prompts.of_protocol(of.protocol)
