"""What bin/test reports and returns at its end, and which rooms its --quick takes as changed."""

import argparse
import importlib.machinery
import importlib.util
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

from tests.setup.test_environment import has_ended, wait_until

BIN = Path(__file__).resolve().parents[2] / "bin"


@pytest.fixture
def bin_test(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BIN), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader = importlib.machinery.SourceFileLoader("bin_test", str(BIN / "test"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bin_test", loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def ended(bin_test, tmp_path):
    """`ended(0, 1, …)`: a run of bin/test whose stages ended with these codes."""

    def run(*codes):
        result = bin_test.Round(
            argparse.Namespace(seeds=1, faults=False, reversed=False, pytest=[]), tmp_path
        )
        result.results = [(f"Stage {n}", code, 1.0) for n, code in enumerate(codes)]
        return result

    return run


@pytest.mark.parametrize(
    ("codes", "status"),
    [
        ([0, 0], 0),
        ([0, 1], 1),
        ([1, 0], 1),
        ([0, 5], 0),  # all tests of this name run in one of the stages
        ([5, 5], 1),
        ([0, -9], 1),
    ],
)
def test_a_stage_that_fails_fails_the_run(bin_test, ended, codes, status):
    assert bin_test.summary(ended(*codes)) == status


@pytest.mark.parametrize(
    ("marks", "databases"),
    [
        ({"pure"}, ["SQLite"]),
        (set(), ["SQLite"]),
        ({"postgres"}, ["PostgreSQL and Redis"]),
        ({"both"}, ["SQLite", "PostgreSQL and Redis"]),
        ({"alone"}, ["SQLite, alone"]),
        ({"alone", "both"}, ["SQLite, alone", "PostgreSQL and Redis, alone"]),
        ({"alone", "postgres"}, ["PostgreSQL and Redis, alone"]),
    ],
)
def test_a_test_runs_in_one_stage_for_each_database_it_is_for(
    bin_test, ended, monkeypatch, marks, databases
):
    from tests import servers

    for name in ("a_postgresql", "a_redis"):
        monkeypatch.setattr(servers, name, lambda url: nullcontext("redis://here/0"))
    result, chosen = ended(), []

    def run(name, command, variables, **options):
        if Expression.compile(command[command.index("-m", 3) + 1]).evaluate(marks.__contains__):
            chosen.append(name.removeprefix("Tests on "))
        return subprocess.CompletedProcess(command, 0, stdout="")

    monkeypatch.setattr(result, "run", run)
    bin_test.tests(result, [])
    assert sorted(chosen) == sorted(databases)


def test_a_skipped_stage_fails_the_run_if_services_are_required(bin_test, ended, monkeypatch):
    monkeypatch.setenv("REQUIRE_SERVICES", "")
    result = ended(0)
    result.skip("No Redis.")
    assert bin_test.summary(result) == 0
    monkeypatch.setenv("REQUIRE_SERVICES", "1")
    result.skip("No Redis.")
    assert bin_test.summary(result) == 1


def test_the_ten_slowest_tests_are_listed_slowest_first(bin_test, ended, capsys):
    result = ended(0)
    times = [f"{seconds:7.1f} s  test_{seconds}" for seconds in (9, 100, *range(20, 30), 1000)]
    result.times.write_text("".join(f"{line}\n" for line in times), encoding="utf-8")
    bin_test.summary(result)
    listed = capsys.readouterr().out.partition("The slowest tests:\n")[2].split()[2::3]
    assert listed == [f"test_{seconds}" for seconds in (1000, 100, *range(29, 21, -1))]


def test_a_room_is_changed_by_a_file_that_differs_from_head_or_is_new(
    bin_test, tmp_path, monkeypatch
):
    for room in ("leases", "pages", "judging", "datasets"):
        for path in (tmp_path / room, tmp_path / "tests" / room):
            path.mkdir(parents=True)
            (path / "__init__.py").touch()
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "First"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.setattr(bin_test, "ROOT", tmp_path)
    assert bin_test.changed_rooms() == []
    (tmp_path / "leases" / "__init__.py").write_text("A = 1\n", encoding="utf-8")
    (tmp_path / "tests" / "pages" / "test_new.py").touch()
    (tmp_path / "templates" / "judging").mkdir(parents=True)
    (tmp_path / "templates" / "judging" / "study.html").touch()
    assert bin_test.changed_rooms() == ["judging", "leases", "pages"]


# Runs one stage, whose process and its child ignore Ctrl-C, and reports their numbers.
INTERRUPTED = """
import argparse, importlib.machinery, importlib.util, pathlib, sys
sys.path.insert(0, "{bin}")
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("bin_test", "{bin}/test")
bin_test = importlib.util.module_from_spec(importlib.util.spec_from_loader("bin_test", loader))
loader.exec_module(bin_test)
bin_test.STOP_SECONDS = 0.2
round_ = bin_test.Round(argparse.Namespace(seeds=1, faults=False, reversed=False), pathlib.Path("{folder}"))
bin_test.tests = lambda round_, checks: round_.together(
    [(f"Stage {{n}}", ["sh", "-c", "trap '' INT; sleep 60 & echo $$ $! > {folder}/pids; wait"], {{}}) for n in range(9)]
)
bin_test.prepare.environment = lambda *groups: None
sys.argv = ["bin/test", "-k", "nothing"]
bin_test.main()
"""


def test_who_stops_bin_test_stops_all_that_it_started(tmp_path):
    driver = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(bin=BIN, folder=tmp_path)],
        stderr=subprocess.PIPE,
        text=True,
    )
    pids = tmp_path / "pids"
    wait_until(lambda: pids.exists() and pids.read_text().endswith("\n"))
    for _ in range(2):
        driver.send_signal(signal.SIGINT)
    assert driver.communicate(timeout=10)[1] == "Stopped.\n"
    assert all(has_ended(int(pid)) for pid in pids.read_text().split())


def test_files_of_a_folder_find_its_fixtures_in_any_order(tmp_path):
    """pytest 9.1 loses them when a file of the folder above comes between."""
    folder = tmp_path / "room"
    folder.mkdir()
    text = "import pytest\n\n@pytest.fixture\ndef alice():\n    return 1\n"
    (folder / "conftest.py").write_text(text, encoding="utf-8")
    files = [folder / "test_a.py", tmp_path / "test_b.py", folder / "test_c.py"]
    for file in files:
        given = "alice" if file.parent == folder else ""
        file.write_text(f"def test_it({given}):\n    pass\n", encoding="utf-8")
    options = ["-q", "-p", "no:django", "-p", "no:cacheprovider", f"--rootdir={tmp_path}"]
    command = [sys.executable, "-m", "pytest", *options, *map(str, files)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
