"""The virtual environment that bin/run and bin/test share: made once, mended, renewed when asked for more."""

import shutil
import subprocess
import sys
import time

import pytest

from tests.setup.conftest import ROOT

sys.path.insert(0, str(ROOT / "bin"))
import prepare


@pytest.fixture
def made(empty_copy, bare):
    """`made()` sets the copy's environment up and returns what that said."""

    def environment() -> str:
        code = "import prepare; prepare.environment('requirements.txt')"
        command = [sys.executable, "-c", code]
        return subprocess.run(
            command, cwd=empty_copy / "bin", env=bare, capture_output=True, text=True, check=True
        ).stdout

    return environment


def test_it_is_made_once_and_renewed_only_for_new_requirements(made, empty_copy):
    assert "Installing requirements.txt" in made()
    assert made() == ""
    (empty_copy / "requirements.txt").write_text("# another wish\n", encoding="utf-8")
    assert made().startswith("Installing requirements.txt")


def test_an_installation_that_was_cut_off_is_started_afresh(made, empty_copy):
    made()
    half = empty_copy / ".venv" / "half-unpacked"
    half.touch()
    (empty_copy / ".venv" / "unfinished").touch()
    assert made().startswith("The last installation was cut off; starting it afresh.")
    assert not half.exists()
    assert made() == ""


def test_an_environment_that_was_cut_off_before_it_had_pip_is_made_again(made, empty_copy):
    made()
    (pip,) = (empty_copy / ".venv" / "lib").glob("python3*/site-packages/pip")
    shutil.rmtree(pip)
    assert "Making a virtual environment" in made()
    assert made() == ""


def test_an_installer_ends_with_the_command_that_started_it(empty_copy, bare):
    """Or it would go on writing into a folder that the next start has begun afresh."""
    code = "import prepare; prepare._output_of(['sh', '-c', 'echo $$ > ../pid; exec sleep 60'])"
    command = [sys.executable, "-c", code]
    killed = subprocess.Popen(command, cwd=empty_copy / "bin", env=bare)
    wait_until(lambda: (empty_copy / "pid").exists() and (empty_copy / "pid").read_text())
    installer = int((empty_copy / "pid").read_text())
    killed.kill()
    killed.wait()
    wait_until(lambda: has_ended(installer))


def test_a_folder_into_which_something_still_writes_is_cleared_away_in_the_end(tmp_path):
    code = "import pathlib, sys; [pathlib.Path(sys.argv[1], str(n)).touch() for n in range(20_000)]"
    folder = tmp_path / "venv"
    folder.mkdir()
    writer = subprocess.Popen([sys.executable, "-c", code, str(folder)], stderr=subprocess.DEVNULL)
    wait_until(lambda: (folder / "100").exists())
    prepare._clear_away(folder)
    writer.wait()
    assert not folder.exists()


def wait_until(true, seconds=10):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def has_ended(pid):
    """Whether the process is gone, or a zombie that nobody has asked after."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_an_environment_whose_python_is_gone_is_made_again(made, empty_copy):
    made()
    (empty_copy / ".venv" / "bin" / "python").unlink()
    assert "Making a virtual environment" in made()


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
            "No space left on the disk",
        ),
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError(\"Failed to establish "
            "a new connection: [Errno 111] Connection refused\")': /simple/django/\n"
            "ERROR: Could not find a version that satisfies the requirement django",
            "No network: requirements.txt could not be downloaded.",
        ),
        (
            "ERROR: Ignored the following versions that require a different python version\n"
            "ERROR: No matching distribution found for numpy==2.4.6",
            "Not installed: requirements.txt. ERROR: No matching distribution found for numpy==2.4.6",
        ),
        ("", "Not installed: requirements.txt. pip gave no reason."),
    ],
    ids=["no space", "no network", "no such version", "silence"],
)
def test_the_installers_words_become_one_line(output, line):
    told = prepare.diagnosis(output, "requirements.txt")
    assert told.startswith(line)
    assert "\n" not in told
