"""The virtual environment of bin/run and bin/test: made once, repaired, updated for new requirements."""

import hashlib
import re
import shutil
import subprocess
import sys
import time
import zipfile

import pytest

from tests.setup.conftest import ROOT, bare_environment, empty_copy_to

sys.path.insert(0, str(ROOT / "bin"))
import prepare


def set_up(place, env):
    """What setting the environment of a copy up says."""
    command = [sys.executable, "-c", "import prepare; prepare.environment('requirements.txt')"]
    return subprocess.run(
        command, cwd=place / "bin", env=env, capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A copy that has been set up with Python's own pip, and what that said; the tests here work on copies of it."""
    folder = tmp_path_factory.mktemp("first")
    place = empty_copy_to(folder / "copy")
    return place, set_up(place, bare_environment(folder / "home"))


@pytest.fixture
def place(first, tmp_path):
    """A copy of the project that has been set up."""
    return shutil.copytree(first[0], tmp_path / "copy", symlinks=True)


@pytest.fixture
def made(place, bare, quick_pip):
    """`made()` sets the copy's environment up again and returns what that said."""
    return lambda: set_up(place, bare | quick_pip)


def test_it_is_made_once_and_renewed_only_for_new_requirements(first, made, place):
    assert "Installing requirements.txt" in first[1]
    assert made() == ""
    (place / "requirements.txt").write_text("# another wish\n", encoding="utf-8")
    assert made().startswith("Installing requirements.txt")


def test_an_installation_that_was_cut_off_is_started_afresh(made, place):
    half = place / ".venv" / "half-unpacked"
    half.touch()
    (place / ".venv" / "unfinished").touch()
    assert made().startswith("The last installation was interrupted. Starting it again.")
    assert not half.exists()
    assert made() == ""


def test_an_environment_that_was_cut_off_before_it_had_pip_is_made_again(made, place):
    (pip,) = (place / ".venv" / "lib").glob("python3*/site-packages/pip")
    shutil.rmtree(pip)
    assert "Making a virtual environment" in made()
    assert made() == ""


def test_an_installer_ends_with_the_command_that_started_it(empty_copy, bare):
    """Or it would go on writing into the folder of the next installation."""
    code = "import prepare; prepare._output_of(['sh', '-c', 'echo $$ > ../pid; exec sleep 60'])"
    command = [sys.executable, "-c", code]
    killed = subprocess.Popen(command, cwd=empty_copy / "bin", env=bare)
    wait_until(lambda: (empty_copy / "pid").exists() and (empty_copy / "pid").read_text())
    installer = int((empty_copy / "pid").read_text())
    killed.kill()
    killed.wait()
    wait_until(lambda: has_ended(installer))


def test_a_folder_is_removed_even_while_a_process_writes_into_it(tmp_path):
    code = "import pathlib, sys; [pathlib.Path(sys.argv[1], str(n)).touch() for n in range(20_000)]"
    folder = tmp_path / "venv"
    folder.mkdir()
    writer = subprocess.Popen([sys.executable, "-c", code, str(folder)], stderr=subprocess.DEVNULL)
    wait_until(lambda: (folder / "100").exists())
    prepare._remove(folder)
    writer.wait()
    assert not folder.exists()


def wait_until(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def has_ended(pid):
    """Whether the process is gone, or a zombie that nobody has waited for."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_nothing_is_installed_into_an_environment_that_is_a_link(made, place):
    """It may be another checkout's."""
    elsewhere = place.parent / "elsewhere"
    (place / ".venv").rename(elsewhere)
    (place / ".venv").symlink_to(elsewhere)
    assert made() == ""
    (place / "requirements.txt").write_text("# another wish\n", encoding="utf-8")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        made()
    assert f".venv is a link to {elsewhere}, which lacks packages" in refused.value.stderr


def test_an_environment_whose_python_is_gone_is_made_again(made, place):
    (place / ".venv" / "bin" / "python").unlink()
    assert "Making a virtual environment" in made()


# ---------------------------------------------------------------- hashes


def wheel(folder):
    """A package that an index could offer; returns its file."""
    folder.mkdir()
    path = folder / "parcel-1.0-py3-none-any.whl"
    info = "parcel-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("parcel.py", "")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: parcel\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(
            f"{info}/RECORD", f"parcel.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"
        )
    return path


def wants(place, pin):
    """Set the copy up with this requirement, from a folder instead of an index; returns what failed, or ""."""
    offered = wheel(place.parent / "index")
    pin = pin.format(hash=hashlib.sha256(offered.read_bytes()).hexdigest())
    (place / "requirements.txt").write_text(f"{pin}\n", encoding="utf-8")
    env = bare_environment(place.parent / "other-home")
    try:
        set_up(place, env | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(offered.parent)})
    except subprocess.CalledProcessError as failed:
        return failed.stderr.splitlines()[-1].removeprefix("prepare.Trouble: ")
    return ""


def test_a_package_is_installed_only_with_its_hash(place):
    assert wants(place, "parcel==1.0 --hash=sha256:{hash}") == ""
    assert list((place / ".venv" / "lib").glob("python3*/site-packages/parcel.py"))


def test_a_package_with_another_hash_is_refused_in_one_line(place):
    line = wants(place, f"parcel==1.0 --hash=sha256:{'0' * 64}")
    assert line.startswith("Not installed: a download is not the file that requirements.txt names")
    assert "PIP_INDEX_URL" in line
    assert not list((place / ".venv" / "lib").glob("python3*/site-packages/parcel.py"))


def test_a_package_without_a_hash_is_refused(place):
    assert wants(place, "parcel==1.0").startswith("Not installed: requirements.txt.")


@pytest.mark.parametrize("name", [path.name for path in ROOT.glob("requirements*.txt")])
def test_every_package_is_pinned_with_hashes_and_no_index_is_named(name):
    lines = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    packages = [line for line in lines if line and not line.lstrip().startswith("#")]
    pin = re.compile(r"[a-z0-9-]+(\[[a-z]+\])?==\S+( ; [^-]+)?(\s+--hash=sha256:[0-9a-f]{64})+")
    assert packages
    assert [line for line in packages if not pin.fullmatch(line)] == []


@pytest.mark.parametrize("name", [path.name for path in ROOT.glob("requirements*.in")])
def test_a_file_of_pins_holds_all_that_is_asked_for(name):
    asked = re.findall(
        r"^([A-Za-z0-9_-]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE
    )
    pinned = (ROOT / name.replace(".in", ".txt")).read_text(encoding="utf-8")
    asked = {package.lower().replace("_", "-") for package in asked}
    assert asked - {"-c"} <= set(
        re.findall(r"^([a-z0-9-]+)==", pinned.replace("[", "=="), re.MULTILINE)
    )


def test_the_image_is_built_with_hashes():
    (line,) = [
        line for line in (ROOT / "Dockerfile").read_text().splitlines() if "pip install" in line
    ]
    assert "--require-hashes" in line


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
def test_the_installers_output_becomes_one_line(output, line):
    diagnosis = prepare.diagnosis(output, "requirements.txt")
    assert diagnosis.startswith(line)
    assert "\n" not in diagnosis
