"""What a process of the web server has loaded before its first request."""

import os
import subprocess
import sys

import pytest

VIEWS = "'judging.views.judge' in sys.modules"
# The collector has put aside far more objects than it still looks at.
FROZEN = "gc.isenabled() and gc.get_freeze_count() > 50_000 > len(gc.get_objects())"


@pytest.mark.parametrize("holds", [VIEWS, FROZEN])
def test_all_is_loaded_and_set_aside_before_the_first_request(ready_database, tmp_path, holds):
    env = {**os.environ, "DATABASE_URL": f"sqlite:///{ready_database}", "DATA_DIR": str(tmp_path)}
    env |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    asked = [sys.executable, "-c", f"import gc, sys, config.wsgi; sys.exit(not ({holds}))"]
    assert subprocess.run(asked, env=env, check=False).returncode == 0
