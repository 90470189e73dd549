"""The settings under test: config.settings with a secret, a folder and queues of the test's own.

DATABASE_URL and CELERY_BROKER_URL are still obeyed: `bin/test` runs the suite on SQLite, then on
PostgreSQL and Redis.
"""

import atexit
import os
import shutil
import tempfile

_given = os.environ.get("TEST_DATA_DIR")
_folder = _given or tempfile.mkdtemp(prefix="sicetnon-test-")
if not _given:
    atexit.register(shutil.rmtree, _folder, ignore_errors=True)

os.environ["DATA_DIR"] = _folder
os.environ["SECRET_KEY"] = "for-tests-only-" + "0" * 50
for _name in ("BASE_URL", "INFERENCE_SERVICES", "DEBUG", "WIKI_ALLOWED", "EMBEDDED_MODEL_PATH"):
    os.environ.pop(_name, None)
# Queues in memory: nothing runs until a test says so (fixture `work`), so on_commit keeps its meaning.
os.environ.setdefault("CELERY_BROKER_URL", "memory://")

from config.settings import *  # noqa: E402, F403
from config.settings import DATA_DIR, DATABASES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: WAL, locks and other processes behave as they do in use.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
