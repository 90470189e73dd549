"""bin/run as a new user has it: a copy to install into, and an empty environment."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ("bin", "requirements.txt", "requirements-llm.txt", "requirements-dev.txt")
# Variables that any login shell has.
KEPT = ("PATH", "LANG", "TMPDIR")


def bare_environment(home: Path) -> dict[str, str]:
    """The environment of somebody who has set nothing up: an empty home, no settings."""
    home.mkdir()
    return {name: os.environ[name] for name in KEPT if name in os.environ} | {"HOME": str(home)}


def copy_to(place: Path) -> Path:
    """As much of the project as is needed to install it, with nothing installed."""
    place.mkdir()
    for name in INSTALLED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, place / name)
    return place


def empty_copy_to(place: Path) -> Path:
    """The same, with nothing to download: requirements files that ask for no package."""
    copy_to(place)
    for file in place.glob("requirements*.txt"):
        file.write_text("# no package\n", encoding="utf-8")
    return place


@pytest.fixture
def bare(tmp_path) -> dict[str, str]:
    return bare_environment(tmp_path / "home")


@pytest.fixture
def copy(tmp_path) -> Path:
    return copy_to(tmp_path / "copy")


@pytest.fixture
def empty_copy(tmp_path) -> Path:
    return empty_copy_to(tmp_path / "copy")


# Stands in for Python's own module, which unpacks and compiles pip for six seconds.
QUICK_ENSUREPIP = """
import shutil, sysconfig
if __name__ == "__main__":
    shutil.copytree({pip!r}, sysconfig.get_path("purelib") + "/pip", dirs_exist_ok=True)
"""


@pytest.fixture(scope="session")
def quick_pip(tmp_path_factory) -> dict[str, str]:
    """Variables with which a virtual environment gets a copy of the pip of these tests."""
    folder = tmp_path_factory.mktemp("quick")
    pip = importlib.util.find_spec("pip")
    assert pip
    assert pip.origin
    text = QUICK_ENSUREPIP.format(pip=str(Path(pip.origin).parent))
    (folder / "ensurepip.py").write_text(text, encoding="utf-8")
    return {"PYTHONPATH": str(folder)}


def run(place: Path, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run bin/run of `place` until it ends."""
    command = [sys.executable, str(place / "bin" / "run"), *arguments]
    return subprocess.run(
        command, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def one_line_of(done: subprocess.CompletedProcess[str]) -> str:
    """The error line of a command that failed; fails the test for more or fewer lines than one."""
    assert done.returncode == 1, done
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr.strip()


@pytest.fixture
def installed() -> None:
    """Skips unless the project's own .venv is as bin/run would make it; else the test would install packages."""
    sys.path.insert(0, str(ROOT / "bin"))
    import prepare

    groups = ("requirements.txt", "requirements-llm.txt")
    stamps = prepare._stamps()
    if any(stamps.get(group) != prepare._stamp(group) for group in groups):
        pytest.skip("The project's .venv was not made by bin/run or bin/test. Run bin/test.")
