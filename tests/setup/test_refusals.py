"""Problems of a machine are reported in one line each, before anything is half done."""

import ast
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from tests.conftest import require_or_skip
from tests.servers import free_port
from tests.setup.conftest import ROOT, one_line_of, run

# Pip as without a network: an index address where nothing listens, and no other configuration.
OFFLINE = {
    "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_RETRIES": "0",
}


def as_python_3_9(place, env, *arguments):
    """bin/run under this Python, which claims to be 3.9.2."""
    code = f"""
        import runpy, sys
        sys.version_info = (3, 9, 2, "final", 0)
        sys.argv = [{str(place / "bin" / "run")!r}, *{list(arguments)!r}]
        sys.path.insert(0, {str(place / "bin")!r})
        runpy.run_path(sys.argv[0])
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_an_old_python_is_named_with_what_to_install(copy, bare, tmp_path):
    done = as_python_3_9(copy, bare | {"PATH": str(tmp_path / "nothing")})
    assert one_line_of(done).startswith(
        "Sic et Non needs Python 3.11, 3.12 or 3.13; this is Python 3.9.2"
    )
    assert "apt-get install" in done.stderr


def test_a_newer_python_on_the_path_is_used_instead_of_an_old_one(copy, bare, tmp_path):
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "python3.12").symlink_to(sys.executable)
    done = as_python_3_9(copy, bare | {"PATH": str(tmp_path / "path")}, "--help")
    assert done.returncode == 0, done.stderr
    assert "--no-model" in done.stdout


@pytest.mark.parametrize("name", ["run", "test", "prepare.py", "processes.py"])
def test_an_old_python_can_run_the_check_of_its_version(name):
    ast.parse((ROOT / "bin" / name).read_text(encoding="utf-8"), feature_version=(3, 7))


def test_a_port_in_use_is_reported_before_anything_is_installed(copy, bare):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run(copy, bare, "--port", str(port))
    assert one_line_of(done).startswith(f"Port {port} is in use.")
    assert f"--port {port + 10}" in done.stderr
    assert not (copy / ".venv").exists()


@pytest.mark.parametrize("port", ["0", "65536", "99999"])
def test_an_invalid_port_is_one_line(copy, bare, port):
    done = run(copy, bare, "--port", port)
    assert one_line_of(done).startswith(f"There is no port {port}. Choose one from 1024 to 65535")


def test_a_file_where_the_data_folder_should_be_is_one_line(copy, bare, tmp_path):
    (tmp_path / "data").write_text("a diary")
    done = run(copy, bare | {"DATA_DIR": str(tmp_path / "data")}, "--port", str(free_port()))
    assert "data is a file, and must be a folder" in one_line_of(done)
    assert (tmp_path / "data").read_text() == "a diary"


@pytest.fixture
def plain():
    """(Python, options for subprocess) of a user who, unlike root, may not write everywhere."""
    if os.geteuid() != 0:
        return sys.executable, {}
    nobody = pwd.getpwnam("nobody")
    options = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    new_enough = "import sys; sys.exit(sys.version_info < (3, 11))"
    try:
        if subprocess.call(["/usr/bin/python3", "-c", new_enough], cwd="/", **options) == 0:
            return "/usr/bin/python3", options
    except OSError:
        pass
    return require_or_skip("No Python 3.11 that nobody may run", "Run bin/test as a plain user.")


@pytest.mark.parametrize("shut", ["the project", "the data"])
def test_a_folder_of_another_user_is_one_line(empty_copy, bare, plain, shut):
    python, options = plain
    with tempfile.TemporaryDirectory() as folder:  # outside pytest's own, which is closed to others
        os.chmod(folder, 0o755)
        project, data = Path(folder) / "project", Path(folder) / "data"
        shutil.copytree(empty_copy, project)
        data.mkdir()
        data.chmod(0o555 if shut == "the data" else 0o777)
        project.chmod(0o777 if shut == "the data" else 0o555)
        command = [python, str(project / "bin" / "run"), "--port", str(free_port())]
        env = bare | {"DATA_DIR": str(data), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            command, env=env, capture_output=True, text=True, check=False, cwd="/", **options
        )
    assert one_line_of(done).startswith("Permission denied: ")
    assert "Start this as its owner, or in a folder of your own." in done.stderr


def test_a_missing_venv_module_is_named_with_its_package(copy, bare, tmp_path):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "ensurepip.py").write_text("raise ImportError('split off')\n", encoding="utf-8")
    done = run(copy, bare | {"PYTHONPATH": str(hidden)})
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"apt-get install python{version}-venv" in one_line_of(done)


def test_no_network_is_one_line_and_the_next_start_tries_again(copy, bare, quick_pip):
    for _ in range(2):
        done = run(copy, bare | quick_pip | OFFLINE)
        assert one_line_of(done).startswith("No network: requirements.txt could not be downloaded.")
        assert "Installing requirements.txt" in done.stdout


def on_a_small_disk(megabytes, folder, command, env):
    """Run the command with a disk of `megabytes` mounted at `folder`, visible only to it."""
    mount = f'mount -t tmpfs -o size={megabytes}m,mode=700 none "$0" && exec "$@"'
    namespace = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    if not shutil.which("unshare") or subprocess.call(
        [*namespace, "sh", "-c", mount, str(folder), "true"], stderr=subprocess.DEVNULL
    ):
        require_or_skip(
            "No disk can be mounted for one process here",
            "Linux with user namespaces, or root, can (util-linux: unshare --mount).",
        )
    command = [*namespace, "sh", "-c", mount, str(folder), *command]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_too_small_a_disk_is_reported_before_anything_is_installed(copy, bare, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    start = f"cp -r {copy}/. {small} && exec {sys.executable} {small}/bin/run"
    done = on_a_small_disk(20, small, ["sh", "-c", start], bare)
    assert one_line_of(done).startswith("No space: the packages need about 750 MB under")
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("filled", "line"),
    [
        ("2m", "No space left on device"),  # even the lock cannot be written
        ("900k", "The database refused: database or disk is full."),
    ],
)
def test_a_full_disk_under_the_data_is_one_line(bare, tmp_path, installed, filled, line):
    data = tmp_path / "data"
    data.mkdir()
    fill = f"head -c {filled} /dev/zero > {data}/filling 2> /dev/null"
    start = f"{fill}; exec {sys.executable} {ROOT}/bin/run --no-model --port {free_port()}"
    done = on_a_small_disk(1, data, ["sh", "-c", start], bare | {"DATA_DIR": str(data)})
    assert line in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert done.returncode == 1


def test_an_unusable_model_server_is_one_line(bare, tmp_path, installed):
    service = '{"lab": {"url": "lab.example"}}'
    env = bare | {"DATA_DIR": str(tmp_path / "data"), "INFERENCE_SERVICES": service}
    done = run(ROOT, env, "--no-model", "--port", str(free_port()))
    assert "service 'lab' needs a url" in one_line_of(done)
