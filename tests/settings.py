"""The settings under test: config.settings with a secret and a folder of the test's own.

DATABASE_URL and CELERY_BROKER_URL are still obeyed: `bin/test` runs the suite on SQLite, then on
PostgreSQL and Redis.
"""

import atexit
import os
import shutil
import tempfile


def _folder() -> str:
    """TEST_DATA_DIR, or a folder that goes with the test run. What only reads settings shares one."""
    if given := os.environ.get("TEST_DATA_DIR"):
        return given
    if "PYTEST_VERSION" not in os.environ:
        return f"{tempfile.gettempdir()}/sicetnon-settings-{os.getuid()}"
    made = tempfile.mkdtemp(prefix="sicetnon-test-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


os.environ["DATA_DIR"] = _folder()
os.environ["SECRET_KEY"] = "for-tests-only-" + "0" * 50
for _name in ("BASE_URL", "INFERENCE_SERVICES", "DEBUG", "WIKI_ALLOWED", "EMBEDDED_MODEL_PATH"):
    os.environ.pop(_name, None)
from config.settings import *  # noqa: E402, F403
from config.settings import DATA_DIR, DATABASES  # noqa: E402

# Django's test client asks http://testserver for its pages.
ALLOW_PLAIN_HTTP = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: WAL, locks and other processes behave as they do in use.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
