"""The templates of KNOT over a small invented study with few examples, as a protocol's file."""

import json

from datasets.models import Collection
from generation import protocol_prompts
from generation.prompts.declared import bodies
from generation.prompts.prompting import Prompt
from protocols.shipped import declaration_of
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

KNOT = bodies(declaration_of("knot"))
# The text of each template with shots, and the text of one.
TEMPLATES = {
    name: (KNOT[f"{name}-4"]["template"], KNOT[f"{name}-4"]["shot"])
    for name in ("b1", "b2", "b3", "b4", "b5")
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
