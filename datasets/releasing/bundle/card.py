"""README.md, the card that Hugging Face reads, and CITATION.cff. Pure."""

from collections.abc import Iterator, Sequence

from datasets.releasing.bundle.facts import DataFile, Facts
from datasets.releasing.bundle.fields import Field, LineFile, Type
from datasets.releasing.bundle.licences import spdx, spdx_of_passages
from datasets.releasing.bundle.texts import block, fenced, inline, yaml_text

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGER = "1M<n<10M"
_TYPES = {Type.TEXT: "string", Type.NUMBER: "int64", Type.FLAG: "bool"}


def readme(facts: Facts, files: Sequence[DataFile]) -> str:
    """README.md: YAML in front, then what the release is, what the files are, how to load and cite it."""
    listed = "\n".join(f"| `{file.path}` | {inline(file.holds)} | {file.bytes} |" for file in files)
    return _README.format(
        front=_front(facts),
        title=inline(facts.title),
        description=block(facts.said("description")),
        version=facts.version,
        made="drawn" if facts.subset else "frozen",
        day=f"{facts.frozen:%Y-%m-%d}",
        app=facts.app_version,
        counts=_counts(facts),
        canary=f"\nCanary: {inline(facts.canary)}\n" if facts.canary else "",
        files=listed,
        attribution="" if facts.protocol else "- `attribution.csv`: where each passage is from\n",
        schemas=", ".join(f"`{of.name}.jsonl`" for of in facts.lines.files),
        later="" if facts.subset else _LATER,
        harness_files="".join(
            f"- `{path}`: for {harness.name}\n" for harness in facts.harnesses for path in harness.files
        ),
        fields=_fields(facts.lines.questions),
        prompts=_prompts(facts),
        licence=inline(facts.said("licence")),
        records_licence=f" Of the records: {inline(facts.protocol_licence)}." if facts.protocol else "",
        notes=block(facts.notes),
        citation=inline(facts.citation),
        bibtex=fenced(facts.bibtex),
    )  # fmt: skip


def _fields(of: LineFile) -> str:
    """The rows of a table."""
    return "\n".join(
        f"| `{field.name}` | {_type(field)} | {inline(field.about)} |" for field in of.fields
    )


def _prompts(facts: Facts) -> str:
    """What prompts.jsonl is, and how harnesses run it; "" where there is none."""
    if not facts.lines.prompts:
        return ""
    whole = _PROMPTS.format(fields=_fields(facts.lines.prompts))
    if facts.harnesses:
        whole += _HARNESSES.format(names=" or ".join(of.name for of in facts.harnesses))
    for harness in facts.harnesses:
        whole += f"\n### {harness.name}\n\n{harness.about}\n\n{fenced(harness.run)}\n"
    return whole


def _counts(facts: Facts) -> str:
    said = f"{facts.records} records"
    if facts.invalid:
        said += f" ({facts.invalid} of them invalid tags)"
    return f"{said}, {facts.questions} questions, {facts.left_out} questions left out"


def _type(field: Field) -> str:
    name = "list of texts" if field.type == Type.TEXTS else field.type.value
    return f"{name} or null" if field.can_be_null else name


def _front(facts: Facts) -> str:
    """The YAML of the card, without its rules."""
    lines = [f"pretty_name: {yaml_text(' '.join(facts.title.split()))}"]
    if facts.said("language"):
        lines += ["language:", f"- {yaml_text(facts.said('language'))}"]
    lines += [
        *_licence(facts),
        "size_categories:",
        f"- {yaml_text(_size(facts.questions))}",
        "task_categories:",
        '- "question-answering"',
        "configs:",
    ]
    for of in facts.lines.files:
        lines += [
            f"- config_name: {of.name}", "  data_files:", "  - split: test", f"    path: {of.path}",
            *(["  default: true"] if of is facts.lines.questions else []),
        ]  # fmt: skip
    lines.append("dataset_info:")
    for of in facts.lines.files:
        # Nested data have the type that the library finds.
        if of is not facts.lines.records:
            lines += [f"- config_name: {of.name}", "  features:", *_features(of)]
    return "\n".join(lines)


def _features(of: LineFile) -> Iterator[str]:
    for field in of.fields:
        # A list of texts has been called both; all versions of the library read this one.
        kind = "sequence: string" if field.type == Type.TEXTS else f"dtype: {_TYPES[field.type]}"
        yield from (f"  - name: {yaml_text(field.name)}", f"    {kind}")


def _licence(facts: Facts) -> list[str]:
    """Hugging Face knows licences in small letters; another has a name and a link."""
    known = spdx(facts.said("licence")).lower()
    passages = spdx_of_passages(facts.wikis)
    if not known or facts.protocol or (facts.wikis and not passages):
        return ["license: other", "license_name: several-parts", "license_link: LICENSES.md"]
    names = dict.fromkeys([known, *map(str.lower, passages)])
    return ["license:", *(f"- {name}" for name in names)]


def _size(questions: int) -> str:
    return next((name for bound, name in _SIZES if questions < bound), _LARGER)


def citation(facts: Facts) -> str:
    """CITATION.cff. A creator is written as an entity: of a person's name we do not know which part is the family's."""
    creators = facts.about.get("creators") or [{"name": "(creators not given)"}]
    lines = [
        "cff-version: 1.2.0",
        'message: "If you use this data set, cite it as below."',
        "type: dataset",
        f"title: {yaml_text(facts.title)}",
        f"version: {yaml_text(facts.version)}",
        f"date-released: {facts.frozen:%Y-%m-%d}",
        "authors:",
    ]
    for creator in creators:
        lines.append(f"- name: {yaml_text(' '.join(creator['name'].split()))}")
        if creator.get("orcid"):
            lines.append(f"  orcid: {yaml_text('https://orcid.org/' + creator['orcid'])}")
    if facts.said("description"):
        lines.append(f"abstract: {yaml_text(facts.said('description'))}")
    if known := spdx(facts.said("licence")):
        lines.append(f"license: {known}")
    if facts.doi:
        lines.append(f"doi: {yaml_text(facts.doi)}")
    return "\n".join(lines) + "\n"


_README = """\
---
{front}
---

# {title}

{description}

Version {version}, {made} on {day} with Sic et Non {app}: {counts}.
{canary}
## Files

| File | What it holds | Bytes |
|---|---|---|
{files}

- `schema/`: a JSON Schema for the lines of {schemas}
- `croissant.json`: the files and their columns, for machines
- `DATASHEET.md`: how the data were made
- `LICENSES.md`: the licence of each part
{attribution}{harness_files}- `CITATION.cff`: how to cite it
- `SHA256SUMS`: `sha256sum -c SHA256SUMS` checks all files
{later}
## Load it

With `datasets`, by the path of the folder where the zip was unpacked:

```python
from datasets import load_dataset

questions = load_dataset("/path/of/the/folder", "questions", split="test")
```

Or in that folder, without a library:

```python
import json

questions = [json.loads(line) for line in open("data/questions.jsonl", encoding="utf-8")]
```

## Fields of a question

| Field | Type | |
|---|---|---|
{fields}
{prompts}
## Licence

Of the annotations: {licence}.{records_licence} `LICENSES.md` says it for each part.

## Notes on this version

{notes}

## Cite it

{citation}

{bibtex}
"""

_LATER = """
The release page has the sha256 of this zip. A DOI or errata that were added later are there too.
"""
_PROMPTS = """
## Prompts

`data/prompts.jsonl` has each question in each prompt, with the text as it is sent. Left out are prompts that draw
examples or an order anew in each run, that show revised passages, or to which no model replies; and each question that
lacks a passage that the prompt shows.

| Field | Type | |
|---|---|---|
{fields}
"""
_HARNESSES = """
## Run it in a lab

Unpack the zip and go to its folder. {names} asks any model the prompts. What either shows is no person's verdict.
"""
