"""Programs of the lab's environment, run without a network."""

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLIENT = HERE.parents[1] / "clients" / "python"
OFFLINE = {
    **dict.fromkeys(("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "NO_COLOR"), "1"),
    **dict.fromkeys(
        ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9"
    ),
    # The server of a test is on this machine.
    "NO_PROXY": "localhost,127.0.0.1",
}


def run(folder: Path, *command: object) -> str:
    """The program's output, which must be without an error."""
    env = {
        **os.environ,
        **OFFLINE,
        "HF_HOME": str(folder.parent / "hf"),
        "HOME": str(folder.parent),
        "PYTHONPATH": str(CLIENT),
    }
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout
