"""Fixtures of all tests: published data, people, running queued tasks, and no network except loopback."""

import gc
import hashlib
import ipaddress
import os
import re
import shutil
import socket
from itertools import chain, count
from pathlib import Path
from uuid import UUID

import hypothesis
import pytest
from django.conf import settings
from django.contrib.staticfiles import handlers
from django.core.management import call_command
from django.core.management.commands import flush
from django.db import connection, transaction
from django.test import SimpleTestCase

from accounts.roles import Role
from tests.database import emptying, of_worker, source
from tests.factories import person

# The time of an example depends on how busy the machine is, not on whether the code is right.
hypothesis.settings.register_profile(
    "here", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("here")

# ---------------------------------------------------------------- what may be missing on a machine


def require_or_skip(reason: str, how_to_get: str) -> None:
    """Skip the test because a service is missing, or fail it with REQUIRE_SERVICES=1."""
    if os.environ.get("REQUIRE_SERVICES") == "1":
        pytest.fail(f"{reason}, and REQUIRE_SERVICES=1. {how_to_get}", pytrace=False)
    pytest.skip(f"{reason}. {how_to_get}")


def pytest_terminal_summary(terminalreporter, config) -> None:
    """Name each thing that kept tests from running, once, with its cure; bin/test repeats it at its end.

    And write down for bin/test how long each test took, with what it needed set up.
    """
    if hasattr(config, "workerinput"):
        return  # the process that started the workers says it for all
    reasons: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", []):
        if isinstance(report.longrepr, tuple):
            reason = report.longrepr[2].removeprefix("Skipped: ")
            reasons[reason] = reasons.get(reason, 0) + 1
    lines = [f"{count} skipped: {reason}" for reason, count in sorted(reasons.items())]
    for line in lines:
        terminalreporter.write_line(line)
    _append("SKIP_REPORT", lines)
    seconds: dict[str, float] = {}
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid] = seconds.get(report.nodeid, 0.0) + report.duration
    database = os.environ.get("DATABASE_URL", "sqlite").partition(":")[0]
    _append(
        "TIME_REPORT", [f"{took:7.1f} s  {name} ({database})" for name, took in seconds.items()]
    )


def _append(variable: str, lines: list[str]) -> None:
    if path := os.environ.get(variable):
        with Path(path).open("a", encoding="utf-8") as report:
            report.writelines(f"{line}\n" for line in lines)


# ---------------------------------------------------------------- published data

# Path under STUDY_DATA -> (sha256, where it is published). The study's own two files must be there.
_FACTREASONER = (
    "github.com/IBM/FactReasoner at commit 586b4ef811af1caf8e34be277f6122ba35b28386, folder data/"
)
STUDY_FILES = {
    "wikicontradict/wikicontradict.json": (
        "e74d2761197d3df6c86a83f6d7c99c9df90b66edbf081fa6e253e8965e5928ef",
        f"{_FACTREASONER}wikicontradict.json",
    ),
    "wikicontradict/wikicontradict_rag_qa.csv": (
        "cef10054f8aad3e36bca95a0873c2cbb0de8ab4d7b716cadacc5da7aa179ff2b",
        "huggingface.co/datasets/ibm-research/Wikipedia_contradict_benchmark",
    ),
}
STUDY_EXTRACTS = {
    "wikicontradict/humaneval_sample.json": (
        "7036c7f64e5bf070215201409950672dc425c7bf6ceb33ae39ac423729fff023",
        f"{_FACTREASONER}WikiContradict_HumanEval_adjudication.json (ten questions of it)",
    ),
    "wikicontradict/prompts/templates_5.1-5.4.txt": (
        "5c5f14a2787e5ad68c8d043fe68662c16b5f1d7064625d1ea9dfcaff9a0f1ef4",
        "Appendix B of the paper, as text",
    ),
    "wikicontradict/prompts/judge.txt": (
        "9197e2b163edeea671bb91919de227a29107ac53b938761873b38112faf779df",
        "Appendix C of the paper, as text",
    ),
    "wikitext/enwiki_sample.xml.bz2": (
        "a53f4648dec40467ebdcbc7a1307eddb51fe6e28e9309f6ebde81ba0d04bea2d",
        "the test data of gensim 4.4.0 on PyPI",
    ),
}


@pytest.fixture(scope="session")
def study_data() -> Path:
    """The folder STUDY_DATA with the published files, each checked against its sha256."""
    if not os.environ.get("STUDY_DATA"):
        pytest.skip(f"STUDY_DATA is not set. {_how_to_get_the_study()}")
    folder = Path(os.environ["STUDY_DATA"]).resolve()
    for name, (sha256, where) in STUDY_FILES.items():
        _check_file(folder / name, sha256, where)
    return folder


@pytest.fixture(scope="session")
def study_file(study_data):
    """`study_file(name)`: an extract next to the published files; a missing one skips the test."""

    def path_of(name: str) -> Path:
        sha256, where = (STUDY_FILES | STUDY_EXTRACTS)[name]
        if not (study_data / name).exists():
            pytest.skip(f"STUDY_DATA has no {name}. It comes from {where}; sha256 {sha256}.")
        _check_file(study_data / name, sha256, where)
        return study_data / name

    return path_of


def _check_file(path: Path, sha256: str, where: str) -> None:
    if not path.is_file():
        pytest.fail(f"STUDY_DATA has no {path}. It is published at {where}.", pytrace=False)
    actual = hashlib.sha256(path.read_bytes()).hexdigest()
    if actual != sha256:
        pytest.fail(f"{path} has sha256 {actual}, not {sha256} as at {where}.", pytrace=False)


def _how_to_get_the_study() -> str:
    files = "; ".join(
        f"{name} from {where}, sha256 {sha256}" for name, (sha256, where) in STUDY_FILES.items()
    )
    return f"Name a folder with {files}."


# ---------------------------------------------------------------- rounds of bin/test

HERE = Path(__file__).parent
FAULTS = HERE / "faults"
CHANGED = os.environ.get("CHANGED_ROOMS", "").split()
# What the tests of a folder are marked as, besides what they say of themselves.
MARKS = {
    "browser": ("browser",),
    "faults": ("faults", "alone", "both"),
    "mediawiki": ("mediawiki",),
    "server": ("setup",),
    "setup": ("setup",),
    "story": ("browser",),
}
# Marks of tests that start other programs. They take longest, so they come first; what must be alone comes last.
PROGRAMS = {"setup", "browser", "mediawiki", "model", "faults"}
# Marks by which bin/test chooses a whole round, and which files name.
ROUNDS = {"alone", "both", "postgres"}
# What a file of which no test is pure says at its top.
IMPURE = re.compile(r"^pytestmark = (?:\[[^\]]*?)?[^\n]*mark\.(?:django_db|model|setup)", re.M)
# Tests that share something costly all go to one worker.
TOGETHER = ("mediawiki",)


def pytest_generate_tests(metafunc) -> None:
    """A test that asks for `seed` runs once for each of FAULT_SEEDS (bin/test --faults --seeds N)."""
    if "seed" in metafunc.fixturenames:
        seeds = range(1, int(os.environ.get("FAULT_SEEDS", "1")) + 1)
        metafunc.parametrize("seed", seeds, scope="module")


@pytest.fixture(scope="session")
def full_size() -> bool:
    """Whether a fault test runs at its full size (bin/test --faults)."""
    return os.environ.get("FAULT_SIZE") == "full"


def pytest_ignore_collect(collection_path, config):
    """A round of few files reads no others: that would take longer than many of its tests."""
    if collection_path.suffix != ".py" or collection_path.parent == FAULTS:
        return None
    text, folder = collection_path.read_text(encoding="utf-8"), _folder(collection_path)
    for part in config.option.markexpr.split(" and "):
        marks = {*part.strip("()").split(" or ")}
        if marks <= ROUNDS and not any(f"mark.{mark}" in text for mark in marks):
            return True
        is_asked = folder in CHANGED or not (folder in MARKS or IMPURE.search(text))
        if marks == {"pure", "changed"} and not is_asked:
            return True
    return None


def _folder(path: Path) -> str:
    """The folder of tests/ in which a file of tests is."""
    return path.relative_to(HERE).parts[0]


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items):
    """Mark each test as the rules above say, before pytest chooses by marks, and put them in order."""
    for item in items:
        folder = _folder(item.path)
        for mark in MARKS.get(folder, ()):
            item.add_marker(mark)
        if "ready_database" in item.fixturenames and not item.get_closest_marker("django_db"):
            item.add_marker("django_db")  # else no tables are made where it runs alone
        marks = {mark.name for mark in item.iter_markers()}
        if folder in CHANGED:
            item.add_marker("changed")
        if not marks & {*PROGRAMS, "postgres"} and not _uses_database(item):
            item.add_marker("pure")
        for mark in marks.intersection(TOGETHER):
            item.add_marker(pytest.mark.xdist_group(mark))
        if "postgres" in marks and not os.environ.get("DATABASE_URL", "").startswith("postgres"):
            reason = "DATABASE_URL is no postgres://…; bin/test has a round with one"
            item.add_marker(pytest.mark.skip(reason=reason))
    yield
    items.sort(key=_turn)


def _turn(item) -> int:
    marks = {mark.name for mark in item.iter_markers()}
    return 2 if "alone" in marks else 0 if marks & PROGRAMS else 1


def _uses_database(item) -> bool:
    if item.get_closest_marker("django_db") or (item.cls and issubclass(item.cls, SimpleTestCase)):
        return True
    return not {"db", "transactional_db", "live_server"}.isdisjoint(item.fixturenames)


def pytest_make_parametrize_id(val) -> str | None:
    """Shorten a long value in a test's name, which each worker sends with each report: some values are whole files."""
    return f"{val[:60]!r}…" if isinstance(val, str | bytes) and len(val) > 100 else None


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays to the end, so the garbage collector need not look at it again and again.

    Nor at everything else that stays, which it would do for each quarter that is added: a fifteenth of all computing
    time. What a test leaves behind is found while it is young.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(*gc.get_threshold()[:2], 1000)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out whole files, so that what a file makes for its tests is made once; and the groups above."""
    from xdist.scheduler import LoadGroupScheduling

    class Files(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return super()._split_scope(nodeid).partition("::")[0]

    return Files(config, log)


# ---------------------------------------------------------------- the network


class NetworkRefused(RuntimeError):
    """A test tried to connect to another machine. Not an OSError, so that no retry hides it."""


def _refuse_unless_here(address: object) -> None:
    if not isinstance(address, tuple):
        return  # a Unix socket's path
    host = str(address[0])
    try:
        if ipaddress.ip_address(host.split("%")[0]).is_loopback:
            return
    except ValueError:
        if host in {"localhost", ""}:
            return
    raise NetworkRefused(f"tests may speak to this machine only, not to {host}")


def _resolve_here_only(resolve):
    def getaddrinfo(host, *args, **kwargs):
        name = host.decode() if isinstance(host, bytes) else host
        if name and name.endswith((".invalid", ".test", ".example")):
            # Reserved names (RFC 2606) never resolve.
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        if name:
            try:
                ipaddress.ip_address(name.split("%")[0])  # a literal address needs no lookup
            except ValueError:
                _refuse_unless_here((name,))
        return resolve(host, *args, **kwargs)

    return getaddrinfo


def _guarded(connect):
    def guarded(self, address):
        _refuse_unless_here(address)
        return connect(self, address)

    return guarded


def pytest_configure(config) -> None:
    """Keep every socket of the test process on this machine, from collection on."""
    patch = pytest.MonkeyPatch()
    for name in ("connect", "connect_ex"):
        patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
    patch.setattr(socket, "getaddrinfo", _resolve_here_only(socket.getaddrinfo))
    # Nothing here reads Django's tables of permissions and content types, which it would fill again after each test
    # that empties the tables.
    patch.setattr(flush, "emit_post_migrate_signal", lambda *args, **kwargs: None)
    patch.setattr(flush, "sql_flush", emptying)
    # The live server gives out static files as the app does: by whitenoise.
    patch.setattr(handlers, "StaticFilesHandler", lambda application: application)
    config.add_cleanup(patch.undo)


# ---------------------------------------------------------------- the database


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment, django_db_blocker):
    with django_db_blocker.unblock(), of_worker():
        yield


@pytest.fixture(scope="session", autouse=True)
def drawn_in_reverse():
    """With bin/test --reversed, keys and pseudonyms that are drawn at random come before those drawn earlier."""
    from accounts.models import Person
    from judging.models import JudgingSlot

    last = count(1)
    patch = pytest.MonkeyPatch()
    if settings.REVERSED:
        for field, draw in (
            (JudgingSlot._meta.pk, lambda: UUID(int=2**128 - next(last), version=4)),
            (Person._meta.get_field("pseudonym"), lambda: f"P-{10**6 - next(last):06}"),
        ):
            patch.setitem(vars(field), "_get_default", draw)
    yield
    patch.undo()


@pytest.fixture(scope="module")
def kept(django_db_setup, django_db_blocker):
    """For fixtures of a module: what they store is made once, and taken back after the module's last test.

    Each test marked `django_db` has a savepoint of its own. None in the module may empty tables after itself.
    Later tests of the module have the rows too.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def without_statistics(db) -> None:
    """SQLite plans as before anybody has analyzed its tables, whatever tests before did in this connection."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(
                "ANALYZE sqlite_schema"
            )  # makes the table of statistics if there is none
            cursor.execute("DELETE FROM sqlite_stat1")
            # A schema that is rolled back is read anew; else a table that was analyzed stays small to the planner.
            cursor.execute("SAVEPOINT planning")
            cursor.execute("CREATE TABLE planning (x)")
            cursor.execute("ROLLBACK TO planning")
            cursor.execute("RELEASE planning")


# ---------------------------------------------------------------- the installation


@pytest.fixture(scope="session", autouse=True)
def imports_do_not_wait():
    """Nobody else writes here; in programs that tests start, imports leave gaps for other writers."""
    from datasets.importers import arriving

    arriving.GAP = 0


@pytest.fixture(autouse=True)
def all_is_well():
    """Tests run without workers: pages are shown as on a healthy installation."""
    from operations.monitoring.health import HealthReport, watch

    watch.keep(HealthReport(), float("inf"))
    yield
    watch.keep(HealthReport(), 0.0)


@pytest.fixture(scope="session")
def collected() -> None:
    """Scripts and styles as people get them. From then on pages of this process link them."""
    call_command("collectstatic", interactive=False, verbosity=0)


@pytest.fixture(scope="session")
def live_server(collected, live_server):
    return live_server


@pytest.fixture(scope="session")
def ready_database(django_db_setup, tmp_path_factory) -> Path:
    """A SQLite file with every table and no row, for programs that would take seconds to make one; on SQLite only."""
    return Path(shutil.copy(source(), tmp_path_factory.mktemp("ready") / "db.sqlite3"))


# ---------------------------------------------------------------- people


@pytest.fixture
def anna():
    return person("anna", Role.ANNOTATOR)


@pytest.fixture
def rosa():
    return person("rosa", Role.RESEARCHER)


@pytest.fixture
def olga():
    return person("olga", Role.ADMIN)


# ---------------------------------------------------------------- queued work

QUEUES = ("work", "generation")


@pytest.fixture
def carry_out():
    """`carry_out()` runs all queued tasks until none is left, and returns how many.

    A worker in miniature: the message has really been through the broker, so arguments that cannot be
    written as JSON and work queued before its transaction committed show themselves. In a test without
    `transactional_db`, queue inside `django_capture_on_commit_callbacks(execute=True)`.
    """
    from config.celery import app

    app.loader.import_default_modules()
    with app.connection_for_read() as connection:
        channel = connection.default_channel
        _empty_queues(channel)
        yield lambda: _run_queued(app, channel)
        _empty_queues(channel)


def _run_queued(app, channel) -> int:
    done = 0
    while message := _next_message(channel):
        args, kwargs, _ = message.payload
        app.tasks[message.headers["task"]].apply(args=args, kwargs=kwargs, throw=True)
        done += 1
    return done


def _next_message(channel):
    for queue in QUEUES:
        if message := channel.basic_get(queue, no_ack=True):
            return message
    return None


def _empty_queues(channel) -> None:
    while _next_message(channel):
        pass
