"""A real MediaWiki of our own: Debian's code, SQLite in a folder of ours, PHP's server on loopback."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tests.mediawiki.seed import export_text, seed
from tests.servers import Missing, Server

CODE = Path("/usr/share/mediawiki")
HOW_TO_GET = (
    "apt-get install --no-install-recommends mediawiki php-cli php8.2-cgi php-sqlite3 "
    "php-intl php-mbstring php-xml"
)
HERE = Path(__file__).parent


class MediaWiki(Server):
    """The seeded wiki, served. `requests` is what it was asked; `fail_next` and `lag` make it busy."""

    def __init__(self) -> None:
        if not shutil.which("php") or not (CODE / "api.php").exists():
            raise Missing("There is no MediaWiki on this machine")
        super().__init__("mediawiki")
        self.root = self.folder / "wiki"
        _fill(self.folder)
        self.address = f"http://127.0.0.1:{self.port}"
        os.environ["MW_ADDRESS"] = self.address
        os.environ["MW_CONFIG_FILE"] = str(self.root / "LocalSettings.php")
        gzip = ["-d", "zlib.output_compression=On"]
        server = ["-S", f"127.0.0.1:{self.port}", "-t", str(CODE), str(HERE / "router.php")]
        self.launch(["php", *gzip, *server])

    def requests(self) -> list[dict]:
        """Every request since the last `forget`: method, path, params, agent, encoding."""
        log = self.root / "requests.log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def forget(self) -> None:
        """Empty the log and take all faults away."""
        for name in ("requests.log", "faults.json", "lag", "language", "rights", "no-rest"):
            (self.root / name).unlink(missing_ok=True)

    def fail_next(self, *faults: tuple[int, dict[str, str]]) -> None:
        """Answer the next requests with these statuses and headers, in HTML."""
        planned = [{"status": status, "headers": headers} for status, headers in faults]
        (self.root / "faults.json").write_text(json.dumps(planned))

    def speak(self, language: str) -> None:
        """Name namespaces and months as wikis in this language do, until `forget`."""
        (self.root / "language").write_text(language)

    def say_rights(self, text: str, url: str) -> None:
        """Name this licence, until `forget`."""
        (self.root / "rights").write_text(f"{text}\n{url}")

    def without_rest(self) -> None:
        """Have no REST endpoint, until `forget`."""
        (self.root / "no-rest").touch()

    def lag(self, seconds: float) -> None:
        (self.root / "lag").write_text(str(seconds))

    def edit(self, title: str, text: str) -> None:
        _php(self.root, "edit.php", "--no-rc", title, given=text)

    @contextmanager
    def hiding(self, revid: int) -> Iterator[None]:
        """Conceal a revision's text and editor for a while, as an administrator does."""
        for bits in (1 | 4, 0):
            with self._database() as database:
                set_ = "UPDATE revision SET rev_deleted = ? WHERE rev_id = ?"
                database.execute(set_, [bits, revid])
            if bits:
                yield

    @contextmanager
    def deleted(self, title: str) -> Iterator[None]:
        """Take a page away for a while, revisions and all."""
        name = title.replace(" ", "_")
        with self._database() as database:
            result = "SELECT page_id FROM page WHERE page_title = ? AND page_namespace = 0"
            (pageid,) = database.execute(result, [name]).fetchone()
        for old, new in ((pageid, 1_000_000 + pageid), (1_000_000 + pageid, pageid)):
            with self._database() as database:
                move = "UPDATE page SET page_id = ?, page_namespace = ? WHERE page_id = ?"
                database.execute(move, [new, 14 if new > old else 0, old])
                database.execute("UPDATE revision SET rev_page = ? WHERE rev_page = ?", [new, old])
            if new > old:
                yield

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        with (
            closing(
                sqlite3.connect(self.root / "data" / "testwiki.sqlite", timeout=30)
            ) as database,
            database,
        ):
            yield database

    def parsed(self, pages: list[str], templates: dict[str, str]) -> list[str]:
        """The HTML of each page where there are these templates and no others."""
        given = json.dumps({"pages": pages, "templates": templates})
        return json.loads(_php(self.root, str(HERE / "parse_pages.php"), given=given))

    def dump(self) -> str:
        """The whole wiki with its histories, as its own export."""
        return _php(self.root, "dumpBackup.php", "--full", "--quiet")


def _fill(folder: Path) -> None:
    """The seeded wiki into `folder`; from MEDIAWIKI_CACHE, where that is set, once it has been built there."""
    if not os.environ.get("MEDIAWIKI_CACHE"):
        _build(folder / "wiki")
        return
    files = [*sorted(HERE.glob("*.p[hy]*")), HERE.parent / "wikifetch" / "factories.py"]
    state = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    kept = Path(os.environ["MEDIAWIKI_CACHE"]) / f"mediawiki-{state}"
    if kept.exists():
        shutil.copytree(kept, folder / "wiki")
        return
    _build(folder / "wiki")
    # Renamed when it is whole: another process may be looking for it.
    whole = shutil.copytree(folder / "wiki", kept.with_suffix(f".{os.getpid()}"))
    with suppress(OSError):  # another process was faster
        whole.rename(kept)


def _build(root: Path) -> None:
    for name in ("data", "cache"):
        (root / name).mkdir(parents=True)
    os.environ.pop("MW_CONFIG_FILE", None)
    options = {"dbtype": "sqlite", "dbpath": root / "data", "dbname": "testwiki", "confpath": root}
    options |= {"scriptpath": "/w", "server": "http://127.0.0.1", "pass": "Kettle-Mill-1801"}
    _php(root, "install.php", *(f"--{k}={v}" for k, v in options.items()), "Example", "Alice")
    config = root / "LocalSettings.php"
    movable = config.read_text().replace(f'"{root}/data"', "__DIR__ . '/data'")
    config.write_text(movable + (HERE / "settings.php").read_text())
    os.environ["MW_CONFIG_FILE"] = str(config)
    (root / "seed.xml").write_text(export_text(seed()), encoding="utf-8")
    _php(root, "importDump.php", "--quiet", "--no-updates", str(root / "seed.xml"))
    for step in (["refreshLinks.php"], ["runJobs.php", "--quiet"]):
        _php(root, *step)


def _php(root: Path, script: str, *arguments: str, given: str = "") -> str:
    done = subprocess.run(
        ["php", str(CODE / "maintenance" / script), *map(str, arguments)],
        input=given,
        capture_output=True,
        text=True,
        cwd=root,
        timeout=300,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{script} failed: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout
