import os
from pathlib import Path

import pytest

from tests.lab.make_environment import REQUIREMENTS, VARIABLE


@pytest.fixture(scope="session")
def lab() -> Path:
    """The folder of the environment's programs."""
    how = f"Set {VARIABLE} to a folder, and run python tests/lab/make_environment.py (1 GB)"
    if not os.environ.get(VARIABLE):
        pytest.skip(f"{VARIABLE} is not set. {how}.")
    made = Path(os.environ[VARIABLE]) / "made"
    if not made.exists() or made.read_bytes() != REQUIREMENTS.read_bytes():
        pytest.fail(f"{VARIABLE} has no environment by today's requirements.txt. {how}.")
    return made.parent / "bin"
