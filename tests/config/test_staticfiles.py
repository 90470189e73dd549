"""Collected scripts and styles: the same programs as their sources, and never those of another version."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import rjsmin
from django.conf import settings
from django.contrib.staticfiles.finders import FileSystemFinder

from config.staticfiles import CollectedFiles
from tests.conftest import require_or_skip

SOURCES = sorted((settings.ROOT / "static").rglob("*.js"))
HERE = Path(__file__).parent


def same_program(*pairs):
    """The names of (name, source, minified) that are no longer the same program."""
    node = shutil.which("node")
    if node is None:
        require_or_skip("No node on this machine", "Install one (Debian: apt-get install nodejs).")
    done = subprocess.run(
        [node, "--expose-internals", str(HERE / "same_program.cjs")],
        input=json.dumps(pairs),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_minifying_changes_no_script():
    """The minifier does not know a template literal inside another: write these as two."""
    sources = [(path.name, path.read_text(encoding="utf-8")) for path in SOURCES]
    assert len(sources) > 20
    pairs = [(name, source, rjsmin.jsmin(source)) for name, source in sources]
    assert same_program(*pairs, ("broken", "a(`${b ? `c d` : 1}`);", "a(`${b?`cd`:1}`);")) == [
        "broken"
    ]


@pytest.fixture
def storage(tmp_path, settings):
    """A storage of its own, for the sources in a folder."""
    sources = tmp_path / "sources"
    (sources / "js").mkdir(parents=True)
    settings.STATICFILES_DIRS = [sources]
    settings.STATIC_ROOT = tmp_path / "collected"

    def written(**modules):
        for name, text in modules.items():
            (sources / "js" / f"{name}.js").write_text(text)
        return CollectedFiles()

    return written


def collect(storage):
    paths = {}
    for path, source in FileSystemFinder().list([]):
        paths[path] = (source, path)
        with source.open(path) as file:
            storage.save(path, file)
    failed = [name for name, _, done in storage.post_process(paths) if isinstance(done, Exception)]
    assert failed == []


def test_a_module_imports_its_parts_by_their_hashes(storage):
    files = storage(
        whole='import { a } from "./part.js";\n\nimport("./later.js").then(a); // words\n',
        part="export const a = () => 1;\n",
        later="export default 1;\n",
    )
    collect(files)
    text = Path(files.path(files.stored_name("js/whole.js"))).read_text(encoding="utf-8")
    part, later = (Path(files.stored_name(f"js/{name}.js")).name for name in ("part", "later"))
    assert f'from "./{part}"' in text
    assert f'import("./{later}")' in text
    assert "words" not in text
    assert re.search(r"/static/js/whole\.[0-9a-f]{12}\.js$", files.url("js/whole.js"))
    names = {path.name for path in Path(files.location, "js").iterdir()}
    assert {part, f"{part}.gz"} & names
    assert "part.js" not in names


def test_until_they_are_collected_the_sources_are_linked(storage):
    files = storage(one="1;\n")
    assert not files.is_collected
    assert files.url("js/one.js") == "/static/js/one.js"


def test_what_was_collected_of_other_sources_is_not_linked(storage):
    files = storage(one="1;\n")
    collect(files)
    first = files.url("js/one.js")
    assert storage().url("js/one.js") == first  # read from the manifest
    changed = storage(one="2;\n")
    assert changed.url("js/one.js") == "/static/js/one.js"
    collect(changed)
    assert changed.url("js/one.js") not in (first, "/static/js/one.js")
    assert storage(one="1;\n").url("js/one.js") == first  # back to the old version


def test_a_name_that_is_no_file_stops_a_page(storage):
    files = storage(one="1;\n")
    collect(files)
    with pytest.raises(ValueError, match="nowhere"):
        files.url("js/nowhere.js")
