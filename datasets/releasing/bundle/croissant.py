"""croissant.json: the data files and their columns, as mlcroissant loads them (Croissant 1.0 and RAI 1.0). Pure.

`conformsTo` 1.0 and `@vocab` with https: mlcroissant 1.1 refuses the http that the text of 1.1 recommends.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from datasets.releasing.bundle.facts import DataFile, Facts
from datasets.releasing.bundle.fields import Field, LineFile, Type
from datasets.releasing.bundle.licence_texts import known_licences
from datasets.releasing.bundle.licences import spdx_address
from datasets.releasing.bundle.source import Source

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_SEMANTIC = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){0,2}", re.ASCII)
_TYPES = {
    Type.TEXT: "sc:Text",
    Type.NUMBER: "sc:Integer",
    Type.FLAG: "sc:Boolean",
    Type.TEXTS: "sc:Text",
}


def croissant(facts: Facts, files: Sequence[DataFile]) -> bytes:
    """The file, with the sha256 of each data file."""
    whole = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.0",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": facts.name,
        "alternateName": facts.title,
        "description": facts.said("description") or f"{facts.title}, version {facts.version}.",
        "version": semantic(facts.version),
        "datePublished": f"{facts.frozen:%Y-%m-%d}",
        "inLanguage": facts.said("language") or "und",
        "license": [spdx_address(name) for name in known_licences(facts)] or "LICENSES.md",
        "keywords": facts.keywords,
        "citeAs": facts.bibtex,
        **source_fields(facts.source),
        "url": f"https://doi.org/{facts.doi}" if facts.doi else "LICENSES.md",
        "creator": [creator(each) for each in facts.about.get("creators", ())],
        **_responsible(facts),
        "distribution": [_file(file) for file in files],
        "recordSet": [_record_set(of) for of in facts.lines.files],
    }
    whole = {name: value for name, value in whole.items() if value}
    return json.dumps(whole, ensure_ascii=False, indent=2).encode("utf-8") + b"\n"


def semantic(version: str) -> str:
    """The version as Croissant wants it, MAJOR.MINOR.PATCH; another one is a build of 0.0.0, which has no order."""
    if _SEMANTIC.fullmatch(version):
        return version
    return f"0.0.0+{re.sub('[^0-9A-Za-z]+', '-', version)}"


def creator(person: Mapping[str, str]) -> dict[str, str]:
    """A creator or an author, as schema.org has one."""
    # It may be an institution, which nobody says; the format allows no third.
    found = {"@type": "Person", "name": " ".join(person["name"].split())}
    if person.get("orcid"):
        found["url"] = f"https://orcid.org/{person['orcid']}"
    return found


def source_fields(source: Source | None) -> dict[str, Any]:
    """What is cited beside the data set, and what it is based on, as schema.org says it."""
    if source is None:
        return {}
    work: dict[str, Any] = {
        # Not a data set of its own: a reader of the file looks for one alone.
        "@type": "CreativeWork",
        "name": source.name,
        "author": [{"@type": "Person", "name": name} for name in source.authors],
        "datePublished": source.year,
        "url": source.data or source.paper,
        "citation": source.plain,
    }
    return {
        "citation": source.plain,
        "isBasedOn": {name: value for name, value in work.items() if value},
    }


def _responsible(facts: Facts) -> dict[str, Any]:
    """The fields of Croissant RAI: words that people entered, and what was counted."""
    annotated = facts.annotated
    return {
        "rai:dataCollection": facts.said("how_made"),
        "rai:dataCollectionRawData": facts.from_where,
        "rai:dataAnnotationPlatform": f"Sic et Non {facts.app_version}"
        if annotated.per_record
        else "",
        "rai:annotationsPerItem": annotated.per_item,
        "rai:dataAnnotationAnalysis": list(annotated.agreement),
        "rai:dataLimitations": facts.said("limits"),
        "rai:dataBiases": facts.said("biases"),
        "rai:personalSensitiveInformation": facts.said("personal_data"),
        "rai:dataUseCases": "Evaluation: all of it is one split, test.",
        "rai:dataReleaseMaintenancePlan": facts.lasting,
    }


def _file(file: DataFile) -> dict[str, str]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path.rpartition("/")[2],
        "description": f"{file.label}. {file.holds}",
        "contentUrl": file.path,
        "contentSize": f"{file.bytes} B",
        "encodingFormat": file.content_type.partition(";")[0],
        "sha256": file.sha256,
    }


def _record_set(of: LineFile) -> dict[str, Any]:
    """The flat fields: no type of Croissant holds nested data."""
    return {
        "@type": "cr:RecordSet",
        "@id": of.name,
        "name": of.name,
        "description": of.holds,
        "field": [_field(of.name, of.path, field) for field in of.fields if field.type in _TYPES],
    }


def _field(of: str, path: str, field: Field) -> dict[str, Any]:
    whole = {
        "@type": "cr:Field",
        "@id": f"{of}/{field.name}",
        "name": field.name,
        "description": field.about,
        "dataType": _TYPES[field.type],
        "source": {"fileObject": {"@id": path}, "extract": {"column": field.name}},
    }
    return whole | ({"repeated": True} if field.type == Type.TEXTS else {})
