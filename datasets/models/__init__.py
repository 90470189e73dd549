"""Contradictions, their questions, and releases.

Contradictions and instances are append-only: an edit makes a new version that supersedes the old one,
so that a response or a verdict always points at the text it was given for. Keys of the published file
are spelled in schema.py alone. In text columns null means that the source record lacks the key,
"" that it holds an empty text.
"""

from datasets.models.collections import Collection, SeenCollections
from datasets.models.decisions import Exclusion, PastExclusion, RevisedPassage, Subset
from datasets.models.freezes import FreezeJob
from datasets.models.imports import ImportJob
from datasets.models.records import (
    Contradiction,
    Instance,
    Modality,
    QuestionKind,
    SamePassage,
    Validity,
)
from datasets.models.releases import (
    Erratum,
    Publication,
    PublishedName,
    Release,
    ReleaseExclusion,
    ReleaseFile,
    ReleaseRow,
    WithheldRecord,
)

__all__ = [
    "Collection",
    "Contradiction",
    "Erratum",
    "Exclusion",
    "FreezeJob",
    "ImportJob",
    "Instance",
    "Modality",
    "PastExclusion",
    "Publication",
    "PublishedName",
    "QuestionKind",
    "Release",
    "ReleaseExclusion",
    "ReleaseFile",
    "ReleaseRow",
    "RevisedPassage",
    "SamePassage",
    "SeenCollections",
    "Subset",
    "Validity",
    "WithheldRecord",
]
