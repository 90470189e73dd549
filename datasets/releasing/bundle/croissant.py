"""croissant.json: the data files and their columns, as mlcroissant loads them (Croissant 1.0). Pure.

`conformsTo` 1.0 and `@vocab` with https: mlcroissant 1.1 refuses the http that the text of 1.1 recommends.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from datasets.releasing.bundle.facts import DataFile, Facts
from datasets.releasing.bundle.fields import Field, LineFile, Type
from datasets.releasing.bundle.licences import spdx

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
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": facts.name,
        "alternateName": facts.title,
        "description": facts.said("description") or f"{facts.title}, version {facts.version}.",
        "version": semantic(facts.version),
        "datePublished": f"{facts.frozen:%Y-%m-%d}",
        "inLanguage": facts.said("language") or "und",
        "license": _licence(facts),
        "citeAs": facts.bibtex,
        "url": f"https://doi.org/{facts.doi}" if facts.doi else "LICENSES.md",
        "creator": [_creator(creator) for creator in facts.about.get("creators", ())],
        "distribution": [_file(file) for file in files],
        "recordSet": [_record_set(of) for of in facts.lines.files],
    }
    return json.dumps(whole, ensure_ascii=False, indent=2).encode("utf-8") + b"\n"


def semantic(version: str) -> str:
    """The version as Croissant wants it, MAJOR.MINOR.PATCH; another one is a build of 0.0.0, which has no order."""
    if _SEMANTIC.fullmatch(version):
        return version
    return f"0.0.0+{re.sub('[^0-9A-Za-z]+', '-', version)}"


def _licence(facts: Facts) -> str:
    known = spdx(facts.said("licence"))
    return f"https://spdx.org/licenses/{known}.html" if known else "LICENSES.md"


def _creator(creator: dict[str, str]) -> dict[str, str]:
    # It may be an institution, which nobody says; the format allows no third.
    found = {"@type": "Person", "name": " ".join(creator["name"].split())}
    if creator.get("orcid"):
        found["url"] = f"https://orcid.org/{creator['orcid']}"
    return found


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
