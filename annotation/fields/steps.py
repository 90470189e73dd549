"""The six steps of an annotation, as data.

Source: WikiContradict (Hou et al. 2024), section 3.2 and the form and guideline of Appendix A; the labels and
the help are this project's own words. Pure. The field names are the columns of `Annotation` and `Question`.

Two things differ from the paper's form on purpose. Nothing is set beforehand: the paper's form offered
confidence 5, "Different" and placeholder answers, so that what a person chose could not be distinguished from what
they left. And the modality of each passage can be noted in step 2, because a table row needs rewriting.
"""

from annotation.fields.walker import Field, FieldKind, FieldOption, FormStep, Need
from datasets.taxonomy import DIMENSIONS, Dimension

VALID, INVALID = "Valid", "Invalid"
SAME, DIFFERENT = "Same", "Different"

# Characters, several times the longest of the published annotations.
LINE, SHORT, PROSE, PASSAGE = 500, 1_000, 4_000, 20_000
MAX_QUESTIONS = 10

TYPE_FIELDS = ("type_1", "type_2", "type_3", "type_4")


def _passage(n: int, letter: str) -> tuple[Field, ...]:
    return (
        Field(
            f"article_{n}",
            f"Title of article {letter}",
            FieldKind.LINE,
            required=True,
            max_length=LINE,
            help="Exactly as at the top of the article. "
            + (
                "Often the same article again; it may also be another one, or the same one in another language."
                if n == 2
                else "Usually the article that carries the tag."
            ),
        ),
        Field(
            f"passage_{n}_copied",
            f"Passage {n}, as copied",
            FieldKind.TEXT,
            required=True,
            max_length=PASSAGE,
            help="The sentences, the paragraph or the row, word for word, without citation marks and without the tag.",
        ),
        Field(
            f"modality_{n}",
            f"Passage {n} comes from",
            FieldKind.ONE,
            choices=(
                FieldOption("text", "Text"),
                FieldOption("infobox", "Infobox"),
                FieldOption("table", "Table"),
                FieldOption("list", "List"),
                FieldOption("other", "Something else"),
            ),
        ),
        Field(
            f"passage_{n}_standalone",
            f"Passage {n}, stand-alone",
            FieldKind.TEXT,
            max_length=PASSAGE,
            help="The same passage, clear on its own: in its first sentence, replace pronouns and “the …” with names; "
            "rewrite a table or infobox row as prose. Leave it empty if the copied passage is clear on its own.",
            needed="required for a table or infobox",
        ),
    )


def _statement(n: int, opening: str) -> Field:
    return Field(
        f"statement_{n}",
        opening,
        FieldKind.TEXT,
        required=True,
        max_length=PROSE,
        help="One sentence with what this passage claims." if n == 1 else "",
    )


def _span(n: int) -> Field:
    return Field(
        f"span_{n}",
        f"Contradicted span of passage {n}",
        FieldKind.TEXT,
        max_length=PROSE,
        help="The few words that contradict, copied from the passage. Write … between separate pieces. "
        "Leave it empty if no short span contains the claim."
        if n == 1
        else "",
    )


def _place(n: int) -> Field:
    return Field(f"span_{n}_at", f"Place of span {n}", FieldKind.PLACE, max_length=SHORT)


def _dimension(name: str, dimension: Dimension) -> Field:
    return Field(
        name,
        f"{dimension.short}. {dimension.title}",
        FieldKind.MANY,
        required=True,
        help=dimension.question,
        choices=tuple(
            FieldOption(option.value, option.label, option.help, option.group)
            for option in dimension.options
        ),
    )


QUESTIONS = Field(
    "questions",
    "Questions",
    FieldKind.ROWS,
    required=True,
    help="Each question asks for the fact in dispute, without naming the passages, "
    "and has one answer from each passage.",
    fields=(
        Field("question", "Question", FieldKind.TEXT, required=True, max_length=SHORT),
        Field("answer_1", "Answer from passage 1", FieldKind.TEXT, required=True, max_length=SHORT),
        Field("answer_2", "Answer from passage 2", FieldKind.TEXT, required=True, max_length=SHORT),
        Field("derived_1", "Answer 1 is calculated or inferred", FieldKind.TICK),
        Field("derived_2", "Answer 2 is calculated or inferred", FieldKind.TICK),
    ),
    at_most=MAX_QUESTIONS,
)

_VALID = Need("validity", VALID)

STEPS: tuple[FormStep, ...] = (
    FormStep(
        "validity",
        1,
        "Is the tag valid?",
        "Validity",
        "step-1",
        (
            Field(
                "validity",
                "Is this tag valid?",
                FieldKind.ONE,
                required=True,
                help="Valid: you found the two statements, and they cannot both hold. Invalid: there is no "
                "contradiction, or it can no longer be found.",
                choices=(
                    FieldOption(VALID, "Valid", opens=True, key="v"),
                    FieldOption(INVALID, "Invalid", key="i"),
                ),
            ),
            Field(
                "valid_comment",
                "Comment",
                FieldKind.TEXT,
                max_length=PROSE,
                help="Where you found the reason: the tag, the edit summary, the talk page. For an invalid tag, why.",
            ),
        ),
    ),
    FormStep(
        "passages",
        2,
        "The two passages",
        "Passages",
        "step-2",
        (
            *_passage(1, "A"),
            *_passage(2, "B"),
            Field(
                "same_passage",
                "Are passage 1 and passage 2 the same?",
                FieldKind.ONE,
                required=True,
                help="Same: one piece of text contradicts itself and cannot be split into two passages.",
                choices=(
                    FieldOption(SAME, "Same", key="m"),
                    FieldOption(DIFFERENT, "Different", key="d"),
                ),
            ),
        ),
        _VALID,
    ),
    FormStep(
        "reason",
        3,
        "What contradicts what",
        "Claims",
        "step-3",
        (
            _statement(1, "Passage 1 states that …"),
            _statement(2, "However, passage 2 states that …"),
            _span(1),
            _span(2),
            _place(1),
            _place(2),
        ),
        _VALID,
        reads_passages=True,
    ),
    FormStep(
        "types",
        4,
        "The kind of contradiction",
        "Kind",
        "step-4",
        (
            *(
                _dimension(name, dimension)
                for name, dimension in zip(TYPE_FIELDS, DIMENSIONS, strict=True)
            ),
            Field(
                "contradict_comment",
                "Comment",
                FieldKind.TEXT,
                max_length=PROSE,
                help="Anything about the contradiction that no option names, such as two language editions.",
            ),
        ),
        _VALID,
        reads_passages=True,
    ),
    FormStep(
        "questions",
        5,
        "Questions with two answers",
        "Questions",
        "step-5",
        (QUESTIONS, Field("qa_comment", "Comment", FieldKind.TEXT, max_length=PROSE)),
        _VALID,
        reads_passages=True,
    ),
    FormStep(
        "confidence",
        6,
        "How sure are you?",
        "Confidence",
        "step-6",
        (
            Field(
                "confidence",
                "Your confidence in this annotation",
                FieldKind.RATING,
                required=True,
                help="1: I would not be surprised to be wrong. 5: I am sure of every part.",
                choices=tuple(FieldOption(str(n), str(n), key=str(n)) for n in range(1, 6)),
            ),
        ),
        _VALID,
        reads_passages=True,
    ),
)
