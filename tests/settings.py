"""The settings under test: config.settings with a secret and a folder of their own.

DATABASE_URL and CELERY_BROKER_URL are still obeyed: `bin/test` runs the suite on SQLite, then on
PostgreSQL and Redis. Where workers share the tests, each has a folder, a database (by pytest-django)
and a number in Redis of its own.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

# Removed, since a process that a test starts is no worker.
WORKER = os.environ.pop("PYTEST_XDIST_WORKER", "")


def _folder() -> str:
    """TEST_DATA_DIR, or a temporary folder of the test run. Programs that only read settings share one."""
    if given := os.environ.get("TEST_DATA_DIR"):
        return given
    if WORKER:
        own = Path(os.environ["DATA_DIR"], WORKER)  # in the folder of the run
        own.mkdir(exist_ok=True)
        return str(own)
    if "PYTEST_VERSION" not in os.environ:
        return f"{tempfile.gettempdir()}/sicetnon-settings-{os.getuid()}"
    made = tempfile.mkdtemp(prefix="sicetnon-test-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


os.environ["DATA_DIR"] = _folder()
if WORKER and os.environ.get("CELERY_BROKER_URL", "").startswith("redis"):
    _server, _, _number = os.environ["CELERY_BROKER_URL"].rpartition("/")
    os.environ["CELERY_BROKER_URL"] = f"{_server}/{int(_number) + int(WORKER.removeprefix('gw'))}"
os.environ["SECRET_KEY"] = "for-tests-only-" + "0" * 50
for _name in ("BASE_URL", "INFERENCE_SERVICES", "DEBUG", "WIKI_ALLOWED", "EMBEDDED_MODEL_PATH"):
    os.environ.pop(_name, None)
from config.settings import *  # noqa: E402, F403
from config.settings import DATA_DIR, DATABASES, MIDDLEWARE  # noqa: E402

MIDDLEWARE = [*MIDDLEWARE, "tests.documented.DocumentedMiddleware"]
# Django's test client asks http://testserver for its pages.
ALLOW_PLAIN_HTTP = True
# Where the database to copy is, or a note that there is one (tests/database.py).
TABLES_DIR = Path(os.environ.get("TABLES_DIR") or (DATA_DIR.parent if WORKER else DATA_DIR))
# bin/test --reversed: what has no order comes last first (here, and tests/conftest.py).
REVERSED = bool(os.environ.get("REVERSED"))
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory, so that WAL, locks and other processes behave as in production.
    # Workers copy it (tests/database.py).
    DATABASES["default"]["TEST"] = {"NAME": str(TABLES_DIR / "test.sqlite3")}
    if REVERSED:
        DATABASES["default"]["OPTIONS"]["init_command"] += "PRAGMA reverse_unordered_selects=ON;"
elif os.environ.get("JOINS_AS_WRITTEN"):
    # Tables are joined as the statement says: looking for a better order among a few rows was a third of PostgreSQL's
    # work. Programs that tests start, and tests that run alone, leave the choice to it.
    DATABASES["default"]["OPTIONS"]["options"] += (
        " -c join_collapse_limit=1 -c from_collapse_limit=1"
    )
