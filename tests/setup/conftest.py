"""bin/run as a person has it: a copy to install into, a bare environment, words on two streams."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ("bin", "requirements.txt", "requirements-llm.txt", "requirements-dev.txt")
# What a login shell would give, and what this machine's pip needs to be itself.
KEPT = ("PATH", "LANG", "TMPDIR")


def pytest_collection_modifyitems(items) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.setup)


@pytest.fixture
def bare(tmp_path) -> dict[str, str]:
    """The environment of somebody who has set nothing up: an empty home, no settings."""
    home = tmp_path / "home"
    home.mkdir()
    return {name: os.environ[name] for name in KEPT if name in os.environ} | {"HOME": str(home)}


@pytest.fixture
def copy(tmp_path) -> Path:
    """As much of the project as is needed to install it, with nothing installed."""
    place = tmp_path / "copy"
    place.mkdir()
    for name in INSTALLED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, place / name)
    return place


@pytest.fixture
def empty_copy(copy) -> Path:
    """The same, with nothing to download: requirements files that ask for no package."""
    for file in copy.glob("requirements*.txt"):
        file.write_text("# no package\n", encoding="utf-8")
    return copy


def run(place: Path, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """bin/run of `place`, to its end."""
    command = [sys.executable, str(place / "bin" / "run"), *arguments]
    return subprocess.run(
        command, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def one_line_of(done: subprocess.CompletedProcess[str]) -> str:
    """The one line by which a command that failed says so; fails the test for more or fewer."""
    assert done.returncode == 1, done
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr.strip()


@pytest.fixture
def installed() -> None:
    """Skips where the project's own .venv is not what bin/run would make: it would install here."""
    sys.path.insert(0, str(ROOT / "bin"))
    import prepare

    groups = ("requirements.txt", "requirements-llm.txt")
    stamps = prepare._stamps()
    if any(stamps.get(group) != prepare._stamp(group) for group in groups):
        pytest.skip("The project's .venv was not made by bin/run or bin/test. Run bin/test.")
