"""Script and style as people get them: minified, named by a hash of their content, with brotli and gzip copies."""

import hashlib
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import rcssmin
import rjsmin
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.core.files import File
from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

MINIFIERS = {".js": rjsmin.jsmin, ".css": rcssmin.cssmin}


class CollectedFiles(CompressedManifestStaticFilesStorage):
    """What collectstatic makes of static/; until then, pages link the sources, which whitenoise finds.

    The manifest is named by what the sources contain, so one that was made of others is not read.
    """

    support_js_module_import_aggregation = True

    def __init__(self, *args: Any, **options: Any) -> None:
        self.manifest_name = f"collected-{_sources_hash()}.json"
        self._addresses: dict[str | None, str] = {}  # of what is collected; a page has a dozen
        super().__init__(*args, **options)

    @property
    def is_collected(self) -> bool:
        return bool(self.hashed_files)

    def url(self, name: str | None, force: bool = False) -> str:
        if not self.is_collected:
            return StaticFilesStorage.url(self, name)
        if force or settings.DEBUG:
            return super().url(name, force)
        if name not in self._addresses:
            self._addresses[name] = super().url(name)
        return self._addresses[name]

    def save(self, name: str | None, content: Any, max_length: int | None = None) -> str:
        """For collectstatic's copies; files with hashes are not saved by it."""
        return super().save(name, _minified(str(name), content), max_length)

    def post_process(self, paths: dict[str, Any], **options: Any) -> Iterator[Any]:
        """Hash the minified copies; `paths` names the sources."""
        yield from super().post_process({name: (self, name) for name in paths}, **options)


def _sources_hash() -> str:
    """Of all sources, and of what makes files of them."""
    made_by = f"{rjsmin.__version__} {rcssmin.__version__}"
    hasher = hashlib.sha256(made_by.encode())
    for finder in get_finders():
        for name, storage in sorted(finder.list([]), key=itemgetter(0)):
            with storage.open(name) as source:
                hasher.update(name.encode() + source.read())
    return hasher.hexdigest()[:12]


def _minified(name: str, content: File) -> File:
    minify = next((made for ending, made in MINIFIERS.items() if name.endswith(ending)), None)
    if minify is None or ".min." in name:
        return content
    return ContentFile(minify(content.read().decode()).encode(), name=name)
