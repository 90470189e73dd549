"""Records in the published format, with invented texts."""

import hashlib
import io
import json
from typing import Any

from datasets.importers import IMPORTERS
from datasets.importers.import_files import ImportReport, import_file
from datasets.models import Collection, Contradiction, Instance
from datasets.records import Draft, columns_of, questions_of, supersede

TYPES = [
    ["Contradict type I", "(PhraseLevel) Entity - Date/time"],
    ["Contradict type II", "Text - Text"],
    ["Contradict type III", "Within the same article"],
    ["Contradict type IV", "Explicit"],
]


def annotation(**changes: Any) -> dict[str, Any]:
    """What an annotator of the old mill's tag handed in; a change to None takes the key away."""
    whole = {
        "wikitag_label_valid": "Valid",
        "paragraphA_article": "Old Mill, Ahrfeld",
        "paragraphA_information": "It was built in 1791.",
        "paragraphA_information_standalone": "The Old Mill was built in 1791.",
        "paragraphB_article": "Old Mill, Ahrfeld",
        "paragraphB_information": "Begun in 1803, the mill ",
        "paragraphB_information_standalone": "Begun in 1803, the Old Mill ",
        "wikitag_label_samepassage": "Different",
        "relevantInfo_comment_A": "The mill dates from 1791.",
        "relevantInfo_comment_A_Span": "1791",
        "relevantInfo_comment_B": "The mill dates from 1803.",
        "relevantInfo_comment_B_Span": "1803",
        **dict(TYPES),
        "taxonomy": TYPES,
        "question1": "When was the Old Mill built?",
        "question1_answer1": "1791",
        "question1_answer2": "1803",
        "confidence": "4",
    } | {key.replace("__", " "): value for key, value in changes.items()}
    return {key: value for key, value in whole.items() if value is not None}


def record(*, given: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """A record; `given` is its annotation, other changes are to its own keys."""
    whole = {
        "title": "Old Mill, Ahrfeld",
        "url": "https://en.wikipedia.org/wiki/Old_Mill,_Ahrfeld",
        "paragraph_A": "It was built in 1791.{{inconsistent|date=May 2020}} It stands.",
        "paragraph_A_clean": "It was built in 1791. It stands.",
        "tag": "inconsistent|date=May 2020",
        "tagDate": "May 2020",
        "tagReason": "",
        "annotationResult": annotation() if given is None else given,
    } | changes
    return {key: value for key, value in whole.items() if value is not None}


def text_of(*records: Any) -> bytes:
    return json.dumps(list(records), ensure_ascii=False).encode()


def imported(*records: Any, into: str = "mills", **options: Any) -> ImportReport:
    """The records brought into a collection the way a file is."""
    return import_file(
        importer=IMPORTERS["wikicontradict"],
        file=io.BytesIO(text_of(*records)),
        collection_name=into,
        **options,
    )


def mills(*records: Any) -> Collection:
    """A collection of these records; of one where none is given."""
    return imported(*(records or [record()])).collection


def asked(
    collection: Collection, n: int, question: str, answers: tuple[str, str], **fields: Any
) -> Instance:
    """The question of a new contradiction at place `n`, made without a file; `fields` are the contradiction's."""
    usual = {
        "external_id": hashlib.sha256(f"{collection.name} {n}".encode()).hexdigest(),
        "validity": "Valid",
        "same_passage": "Different",
    }
    contradiction = Contradiction.objects.create(
        collection=collection, position=n, **{**usual, **fields}
    )
    one, two = answers
    return Instance.objects.create(
        contradiction=contradiction, n=1, question=question, kind="wh", answer_1=one, answer_2=two
    )


def edited(old: Contradiction, **changes: Any) -> Contradiction:
    """A newer version of this contradiction, with these columns changed."""
    columns = columns_of(old) | changes
    return supersede(contradiction=old, draft=Draft(columns, questions_of(old)))


def newer(old: Contradiction) -> Contradiction:
    """A newer version as a row alone, of a contradiction that was made without a file."""
    columns = {field.attname: getattr(old, field.attname) for field in old._meta.concrete_fields}
    identity = hashlib.sha256(f"newer {old.external_id}".encode()).hexdigest()
    changed = {"id": None, "external_id": identity, "version": old.version + 1}
    return Contradiction.objects.create(**{**columns, **changed, "supersedes_id": old.pk})


PLACEHOLDERS = {
    "question2_answer1": "add the answer based on Passage 1",
    "question2_answer2": "add the answer based on Passage 2",
}
