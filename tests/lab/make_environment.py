"""Make the environment in which a lab loads and runs the bundle of a release, for the tests in this folder.

LAB_ENVIRONMENT=/path python tests/lab/make_environment.py

It installs the pinned packages of requirements.txt (1 GB) into that folder, which holds nothing else.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
VARIABLE = "LAB_ENVIRONMENT"


def main() -> None:
    if not (named := os.environ.get(VARIABLE)):
        sys.exit(f"Name the folder of the environment in {VARIABLE}.")
    folder = Path(named)
    if folder.exists() and not (folder / "pyvenv.cfg").exists() and any(folder.iterdir()):
        sys.exit(f"{folder} holds something else. Name an empty or a new folder.")
    venv.create(folder, with_pip=True)
    # The file names all packages, and pip finds no hash for one that another asks for with an extra.
    options = ["-q", "--no-deps", "--require-hashes", "-r", REQUIREMENTS]
    if code := subprocess.call([folder / "bin" / "pip", "install", *options]):
        sys.exit(code)
    (folder / "made").write_bytes(REQUIREMENTS.read_bytes())


if __name__ == "__main__":
    main()
