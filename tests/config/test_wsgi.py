"""What a process of the web server has loaded before its first request."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

LOADED = "import sys, config.wsgi; sys.exit('judging.views.judge' not in sys.modules)"


def test_all_views_are_loaded_before_the_first_request(ready_database, tmp_path):
    env = {**os.environ, "DATABASE_URL": f"sqlite:///{ready_database}", "DATA_DIR": str(tmp_path)}
    env |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    assert subprocess.run([sys.executable, "-c", LOADED], env=env, check=False).returncode == 0
