"""What bin/test tries again: a few failed tests of several programs, never one of logic."""

import argparse
import importlib.machinery
import importlib.util
import sys
from pathlib import Path

import pytest

BIN = Path(__file__).resolve().parents[2] / "bin"


@pytest.fixture
def bin_test(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BIN), *sys.path])
    loader = importlib.machinery.SourceFileLoader("bin_test", str(BIN / "test"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_loader("bin_test", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def runs(bin_test, tmp_path, monkeypatch):
    """`runs(failed, second)`: a round whose first pytest fails these lines and whose second ends with this code."""

    def play(failed, second):
        round_ = bin_test.Round(argparse.Namespace(seeds=1, faults=False, pytest=[]), tmp_path)
        commands = []

        def stage(name, command, **extra):
            commands.append(command)
            code = second if len(commands) > 1 else int(bool(failed))
            if len(commands) == 1:
                round_.failures.write_text("".join(f"{line}\n" for line in failed))
            round_.results.append((name, code, 1.0))

        monkeypatch.setattr(round_, "stage", stage)
        bin_test.pytest(round_, "Tests", "not postgres")
        return round_, commands

    return play


SEAM = ["seam\ttests/a.py::one", "seam\ttests/b.py::two"]


@pytest.mark.parametrize(
    ("failed", "tried"),
    [
        ([], None),
        (SEAM, ["tests/a.py::one", "tests/b.py::two"]),
        ([SEAM[0], SEAM[0]], ["tests/a.py::one"]),  # failed in itself, and in what follows it
        ([*SEAM, "logic\ttests/c.py::three"], None),
        ([f"seam\ttests/a.py::{n}" for n in range(4)], None),
    ],
)
def test_what_is_tried_again(runs, failed, tried):
    _, commands = runs(failed, 0)
    assert [command[3:] for command in commands[1:]] == ([tried] if tried else [])


def test_what_passes_then_is_named_and_the_run_passes(bin_test, runs, capsys):
    round_, _ = runs(SEAM, 0)
    assert bin_test.summary(round_) == 0
    assert "passed alone, to be made steady:\n  tests/a.py::one (Tests)" in capsys.readouterr().out


def test_what_fails_again_fails_the_run(bin_test, runs, capsys):
    round_, _ = runs(SEAM, 1)
    assert bin_test.summary(round_) == 1
    assert "made steady" not in capsys.readouterr().out


def test_a_failure_before_any_test_has_no_second_try(bin_test, runs, monkeypatch):
    """A collection that fails reports no test of several programs."""
    round_, commands = runs(["logic\ttests/broken.py"], 0)
    assert len(commands) == 1
    assert bin_test.summary(round_) == 1
