"""What Docker Compose makes of docker-compose.yml; no Docker engine is needed to read it."""

import functools
import os
import shutil
import subprocess

from tests.conftest import require_or_skip
from tests.setup.conftest import ROOT

NEEDED = {"BASE_URL": "https://annotate.example"}
# In files of the folder SECRETS, by these names.
SECRETS = {"SECRET_KEY": "s" * 50, "POSTGRES_PASSWORD": "p-1", "REDIS_PASSWORD": "r-1"}
OPTIONAL_SECRETS = ("METRICS_TOKEN", "OIDC_CLIENT_SECRET", "WIKI_TOKENS", "CA_CERTIFICATES")


def composed(env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """`docker compose config` in this environment; skips the test where there is no Compose.

    The answer depends on the variables alone, so each set of them is asked for once; HOME is not among them.
    """
    return _composed(frozenset((env | {"HOME": os.devnull}).items()))


@functools.cache
def _composed(variables: frozenset[tuple[str, str]]) -> subprocess.CompletedProcess[str]:
    if (command := _command()) is None:
        require_or_skip("No Docker Compose", "Debian: apt-get install docker-compose.")
    return subprocess.run(
        [*command, "config"],
        cwd=ROOT,
        env=dict(variables),
        capture_output=True,
        text=True,
        check=False,
    )


@functools.cache
def _command() -> list[str] | None:
    for command in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]) and _answers([*command, "version"]):
            return command
    return None


def _answers(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
