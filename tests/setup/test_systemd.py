"""The units in config/systemd, for a server without Docker."""

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import require_or_skip
from tests.server.compose import NEEDED, composed
from tests.setup.conftest import ROOT

UNITS = ROOT / "config" / "systemd"
COMMON = UNITS / "sicetnon-.service.d" / "common.conf"
BACKUP = UNITS / "sicetnon-backup.service"
BACKUP_FAILED = UNITS / "failed-sicetnon-backup.service"
SERVICES = sorted(set(UNITS.glob("*.service")) - {BACKUP, BACKUP_FAILED})


def section(path: Path, name: str) -> dict[str, str]:
    parser = configparser.RawConfigParser(delimiters="=", strict=False)  # a key may come twice
    parser.optionxform = str
    parser.read(path)
    return dict(parser[name])


def command(path: Path) -> list[str]:
    """What a unit starts, with the values that its variables have unless they are set."""
    service = section(path, "Service")
    values = dict(pair.split("=", 1) for pair in service.get("Environment", "").split())
    start = re.sub(r"\$\{(\w+)\}", lambda name: values[name[1]], service["ExecStart"])
    words = shlex.split(start.replace("%%", "%"))
    assert words[0].startswith("/srv/sicetnon/.venv/bin/")
    return [Path(words[0]).name, *words[1:]]


def test_the_units_start_what_compose_starts(bare):
    services = yaml.safe_load(composed(bare | NEEDED).stdout)["services"]
    names = {path.stem.removeprefix("sicetnon-"): path for path in SERVICES}
    assert names.keys() == {"migrate", "web", "worker", "generation", "scheduler"}
    for name, path in names.items():
        wanted = services[name]["command"]
        wanted = shlex.split(wanted) if isinstance(wanted, str) else wanted
        # In a container the network is the container's own; here it is the machine's.
        local = [word.replace("0.0.0.0:", "127.0.0.1:") for word in wanted]
        assert command(path) == local


def test_the_web_server_listens_on_loopback_only():
    words = command(UNITS / "sicetnon-web.service")
    assert words[words.index("--bind") + 1] == "127.0.0.1:8000"


def test_the_target_starts_every_service_and_each_waits_for_the_migrations():
    wanted = set(section(UNITS / "sicetnon.target", "Unit")["Wants"].split())
    running = {path.name for path in SERVICES} - {"sicetnon-migrate.service"}
    assert wanted == running
    for name in running:
        unit = section(UNITS / name, "Unit")
        assert unit["Requires"] == unit["After"] == "sicetnon-migrate.service"


def test_services_have_no_rights_but_to_write_their_data():
    service = section(COMMON, "Service")
    assert service["User"] == "sicetnon"
    assert service["NoNewPrivileges"] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["CapabilityBoundingSet"] == ""
    assert service["MemoryMax"]
    assert service["TasksMax"]


def test_a_backup_that_fails_says_so():
    assert section(BACKUP, "Unit")["OnFailure"] == BACKUP_FAILED.name
    # COMMON is for every unit of that prefix, and with it neither a mail is sent nor the journal read.
    assert not BACKUP_FAILED.name.startswith("sicetnon-")
    said = shlex.split(section(BACKUP_FAILED, "Service")["ExecStart"])
    done = subprocess.run(said, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("<2>The nightly backup of Sic et Non failed: ")  # <2>: critical


@pytest.mark.parametrize("name", ["worker", "generation"])
def test_a_stop_lets_the_processes_of_a_pool_finish(name):
    assert section(UNITS / f"sicetnon-{name}.service", "Service")["KillMode"] == "mixed"


def test_the_backup_may_write_where_it_writes():
    assert COMMON.parent.name == "sicetnon-.service.d"  # which is for every unit of that prefix
    words = command(BACKUP)
    assert words[:3] == ["python", "manage.py", "backup"]
    assert section(BACKUP, "Service")["ReadWritePaths"] == words[words.index("--to") + 1]
    assert section(BACKUP.with_suffix(".timer"), "Timer")["OnCalendar"]


def test_the_migrations_wait_for_a_database_that_is_not_up_yet(tmp_path):
    service = section(UNITS / "sicetnon-migrate.service", "Service")
    tried = tmp_path / "tried"
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho >> {tried}\ntest $(wc -l < {tried}) -gt 2\n")
    python.chmod(0o755)
    shell, option, script = shlex.split(service["ExecStartPre"])
    script = script.replace("/srv/sicetnon/.venv/bin/python", str(python)).replace("sleep 5", ":")
    subprocess.run([shell, option, script], check=True, timeout=60)
    assert len(tried.read_text().splitlines()) == 3


@pytest.fixture
def verify(tmp_path):
    """`verify(old, new)`: what systemd-analyze finds in the units with this change; their programs are ours."""
    if not shutil.which("systemd-analyze"):
        require_or_skip("No systemd-analyze", "Debian: apt-get install systemd.")
    shutil.copytree(UNITS, tmp_path / "units")

    def found(old="", new=""):
        for path in (tmp_path / "units").rglob("*.*"):
            if path.is_file():
                text = path.read_text().replace(
                    "/srv/sicetnon/.venv/bin", str(Path(sys.executable).parent)
                )
                path.write_text(text.replace("/srv/sicetnon", str(ROOT)).replace(old, new))
        units = [path for path in (tmp_path / "units").iterdir() if path.is_file()]
        done = subprocess.run(
            ["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False
        )
        return done.returncode, done.stderr

    return found


def test_systemd_understands_the_units(verify):
    assert verify() == (0, "")


def test_the_check_sees_a_key_that_systemd_does_not_know(verify):
    assert "PrivateTemp" in verify("PrivateTmp", "PrivateTemp")[1]
