"""README.md, the card that Hugging Face reads, and CITATION.cff. Pure."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from datasets.description import doi_of
from datasets.releasing.bundle.composition import annotators, in_it
from datasets.releasing.bundle.facts import DataFile, Facts
from datasets.releasing.bundle.fields import Field, LineFile, Type
from datasets.releasing.bundle.licence_texts import known_licences
from datasets.releasing.bundle.source import Source
from datasets.releasing.bundle.texts import block, fenced, inline, yaml_text

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGER = "1M<n<10M"
# As schema of CFF 1.2.0 has it.
_DOI = re.compile(r"10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+\Z")
_LONGEST_SHOWN = 300  # characters of a text in the example
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
        cut=_LONGEST_SHOWN,
        example=fenced(_example(facts.counted.example)),
        in_it=in_it(facts),
        annotators=annotators(facts),
        how_made=block(facts.said("how_made")),
        limits=block(facts.said("limits")),
        biases=block(facts.said("biases")),
        personal_data=block(facts.said("personal_data")),
        source=block(facts.from_where),
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
    counted = facts.counted
    said = f"{counted.records} records"
    if counted.invalid:
        said += f" ({counted.invalid} of them invalid tags)"
    return f"{said}, {counted.questions} questions, {facts.left_out} questions left out"


def _example(line: Mapping[str, Any]) -> str:
    """The line over several, with long texts cut."""
    return json.dumps(
        {name: _cut(value) for name, value in line.items()}, ensure_ascii=False, indent=2
    )


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST_SHOWN:
        return f"{value[:_LONGEST_SHOWN]}…"
    return value


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
        *_listed("annotations_creators", filter(None, [facts.said("annotated_by")])),
        *_listed("source_datasets", _sources(facts)),
        *_listed("size_categories", [_size(facts.counted.questions)]),
        *_listed("task_categories", ["question-answering"]),
        *_listed("tags", _tags(facts)),
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


def _listed(key: str, values: Iterable[str]) -> list[str]:
    """A key with its values; nothing where there are none."""
    lines = [f"- {yaml_text(value)}" for value in values]
    return [f"{key}:", *lines] if lines else []


def _licence(facts: Facts) -> list[str]:
    """Hugging Face knows licences in small letters; another has a name and a link."""
    if known := known_licences(facts):
        return ["license:", *(f"- {name.lower()}" for name in known)]
    return ["license: other", "license_name: several-parts", "license_link: LICENSES.md"]


def _sources(facts: Facts) -> list[str]:
    """What the data extend, in the words of Hugging Face; original where they extend nothing that is known."""
    hosts = [host for host in facts.wikis if host]
    named = [facts.said("source"), *([facts.source.name] if facts.source else [])]
    others = [*named, *(host for host in hosts if not _is_wikipedia(host))]
    found = ["extended|wikipedia"] if any(map(_is_wikipedia, hosts)) else []
    slugs = (re.sub(r"\W+", "-", other.lower()).strip("-")[:60] for other in others)
    named_so = dict.fromkeys(f"extended|other-{slug}" for slug in slugs if slug)
    return [*found, *named_so] or ["original"]


def _tags(facts: Facts) -> list[str]:
    own = [] if facts.protocol else ["contradiction"]
    wikipedia = ["wikipedia"] if any(map(_is_wikipedia, facts.wikis)) else []
    return list(dict.fromkeys([*facts.keywords, *own, *wikipedia]))


def _is_wikipedia(host: str) -> bool:
    return host == "wikipedia.org" or host.endswith(".wikipedia.org")


def _size(questions: int) -> str:
    return next((name for bound, name in _SIZES if questions < bound), _LARGER)


def citation(facts: Facts) -> str:
    """CITATION.cff. A creator is written as an entity: of a person's name we do not know which part is the family's."""
    lines = [
        "cff-version: 1.2.0",
        'message: "If you use this data set, cite it as below."',
        "type: dataset",
        f"title: {yaml_text(facts.title)}",
        f"version: {yaml_text(facts.version)}",
        f"date-released: {facts.frozen:%Y-%m-%d}",
        "authors:",
        *_entities(facts.about.get("creators", []), "(creators not given)"),
    ]
    if facts.said("description"):
        lines.append(f"abstract: {yaml_text(facts.said('description'))}")
    lines += _listed("keywords", facts.keywords)
    # Several licences are a choice between them in this format; LICENSES.md has that of each part.
    if len(known := known_licences(facts)) == 1:
        lines.append(f"license: {known[0]}")
    if facts.doi:
        lines.append(_doi_or_url(facts.doi))
    if facts.source:
        lines += ["references:", *_references(facts.source, facts.about.get("source_authors", []))]
    return "\n".join(lines) + "\n"


def _entities(people: Sequence[Mapping[str, str]], nobody: str, indent: str = "") -> Iterator[str]:
    """Each once, as the format asks."""
    found = {" ".join(each["name"].split()): each.get("orcid", "") for each in people}
    for name, orcid in (found or {nobody: ""}).items():
        yield f"{indent}- name: {yaml_text(name)}"
        if orcid:
            yield f"{indent}  orcid: {yaml_text('https://orcid.org/' + orcid)}"


def _references(source: Source, people: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """The paper of the source and its data; what neither has an address of is of no kind."""
    links = {"article": source.paper, "data": source.data}
    known = {kind: link for kind, link in links.items() if link} or {"generic": ""}
    for kind, link in known.items():
        yield f"- type: {kind}"
        yield f"  title: {yaml_text(source.name)}"
        yield "  authors:"
        yield from _entities(people, "(authors not given apart)", "  ")
        if source.year:
            yield f"  year: {source.year}"
        if source.citation and source.citation != source.name:
            yield f"  notes: {yaml_text(source.citation)}"
        if doi := doi_of(link):
            yield f"  {_doi_or_url(doi)}"
        elif link:
            yield f"  url: {yaml_text(link)}"


def _doi_or_url(doi: str) -> str:
    if _DOI.match(doi):
        return f"doi: {yaml_text(doi)}"
    return f"url: {yaml_text(f'https://doi.org/{quote(doi)}')}"


_README = """\
---
{front}
---

# {title}

{description}

Version {version}, {made} on {day} with Sic et Non {app}: {counts}.
{canary}
## An example

The first question, with texts cut after {cut} characters:

{example}

## What is in it

{in_it}

## How it was made

Where the records come from:

{source}

{how_made}

{annotators}

## Limits

{limits}

Biases:

{biases}

## Personal data

{personal_data}

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
