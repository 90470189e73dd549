"""DATASHEET.md: the sections of “Datasheets for Datasets” (Gebru et al. 2021). Pure.

Numbers come from the rows, words from the description; what nobody wrote stays visibly empty.
"""

from datasets.releasing.bundle.composition import annotators, in_it
from datasets.releasing.bundle.facts import Facts
from datasets.releasing.bundle.texts import NOT_GIVEN, block, inline


def datasheet(facts: Facts) -> str:
    """The file."""
    return _SHEET.format(
        title=inline(facts.title),
        version=facts.version,
        description=block(facts.said("description")),
        creators=_creators(facts),
        funding=block(facts.said("funding")),
        kind=_kind(facts),
        records=facts.counted.records,
        invalid=facts.counted.invalid,
        questions=facts.counted.questions,
        left_out=facts.left_out,
        why=_OF_SUBSET if facts.subset else _OF_RELEASE,
        language=inline(facts.said("language")),
        source=inline(facts.said("source")),
        source_citation=block(facts.source.plain if facts.source else ""),
        in_it=in_it(facts),
        annotators=annotators(facts),
        **{
            name: block(facts.said(name))
            for name in ("how_made", "limits", "biases", "personal_data")
        },
        app=facts.app_version,
        licence=inline(facts.said("licence")),
        contact=inline(facts.said("contact")),
        lasting=facts.lasting,
        notes=block(facts.notes),
        not_given=NOT_GIVEN,
    )


def _kind(facts: Facts) -> str:
    if facts.protocol:
        return f"A record as the protocol {inline(facts.protocol)} declares it ({inline(facts.protocol_source)})."
    return "A tag in an article that says that it contradicts itself or another one, with its annotation."


def _creators(facts: Facts) -> str:
    lines = [
        f"- {inline(creator['name'])}"
        + (f", {inline(creator['affiliation'])}" if creator.get("affiliation") else "")
        for creator in facts.about.get("creators", ())
    ]
    return "\n".join(lines) or NOT_GIVEN


_OF_RELEASE = "The page of the release says why questions were left out."
_OF_SUBSET = (
    "Questions were left out that were not drawn, or that were excluded or withheld later. The notes below say how the "
    "subset was drawn."
)
_SHEET = """\
# Datasheet of {title}, version {version}

After “Datasheets for Datasets” (Gebru et al. 2021). Numbers were counted in the release; words are those of the people
who made it. {not_given} marks what they left empty.

## 1. Motivation

What the data set is for:

{description}

Who made it:

{creators}

Who paid for it:

{funding}

## 2. Composition

What a record is: {kind}

| | |
|---|---|
| Records | {records} |
| of them invalid tags | {invalid} |
| Questions | {questions} |
| Questions left out | {left_out} |
| Language of the texts | {language} |

{why} All records are one split, `test`.

{in_it}

Biases:

{biases}

Personal data:

{personal_data}

## 3. Collection process

Where the records come from: {source}

How that source is cited:

{source_citation}

How it was made:

{how_made}

{annotators}

## 4. Preprocessing, cleaning, labelling

The annotations are those of the records; nothing was changed when the files were made with Sic et Non {app}.
The complete records say which answers were inferred and where passages were copied from, where that is known; section
2 says of how many.

## 5. Uses

All of it is one split, `test`: it is for evaluation, and not for training. Limits:

{limits}

## 6. Distribution

Licence of the annotations: {licence}. `LICENSES.md` has the licence of each part.

## 7. Maintenance

Contact: {contact}

{lasting}

Notes on this version:

{notes}
"""
