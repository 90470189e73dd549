"""What the public page of a release says to catalogues: a data set of schema.org, as JSON-LD."""

import json
from collections.abc import Sequence
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from datasets.models import Release
from datasets.releasing.bundle.croissant import creator, source_fields
from datasets.releasing.bundle.facts import keywords_in
from datasets.releasing.bundle.licences import spdx_address
from datasets.releasing.citing import source_of, title_of
from datasets.releasing.members import Member

# JSON has these letters as escapes too, and then no text ends the element that holds it.
_NOT_IN_HTML = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def linked_data(release: Release, address: str, members: Sequence[Member]) -> SafeString:
    """The text of a data block; `members` are the files below the address."""
    whole = json.dumps(_dataset(release, address, members), ensure_ascii=False)
    return mark_safe(whole.translate(_NOT_IN_HTML))  # noqa: S308


def _dataset(release: Release, address: str, members: Sequence[Member]) -> dict[str, Any]:
    about = release.about
    paths = {member.path for member in members}
    licences = [f"{address}{path}" for path in ("LICENSES.md",) if path in paths]
    title = title_of(release)
    whole = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "@id": address,
        "name": title,
        "description": about.get("description") or f"{title}, version {release.version}.",
        "url": address,
        "identifier": f"https://doi.org/{release.doi}" if release.doi else "",
        "version": release.version,
        "datePublished": f"{release.created_at:%Y-%m-%d}",
        "inLanguage": about.get("language"),
        "license": licences or spdx_address(about.get("licence", "")),
        "keywords": keywords_in(about),
        "isAccessibleForFree": True,
        "creator": [creator(each) for each in about.get("creators", [])],
        **source_fields(source_of(release)),
        "distribution": [_download(address, member) for member in members],
    }
    return {name: value for name, value in whole.items() if value}


def _download(address: str, member: Member) -> dict[str, Any]:
    return {
        "@type": "DataDownload",
        "name": member.path,
        "contentUrl": f"{address}{member.path}",
        "contentSize": f"{member.bytes} B",
        "encodingFormat": member.content_type.partition(";")[0],
        "sha256": member.sha256,
    }
