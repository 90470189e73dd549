"""An invalid setting stops the program with one line that names it."""

import json
import os
import pickle
import re
import runpy
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from django.db import connection

from config import environment
from generation.inference.service_entries import ServiceEntry

ROOT = Path(__file__).parents[2]


def clean(tmp_path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "SECRET_KEY": "s" * 60}


def start(tmp_path, **variables) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**clean(tmp_path), **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("variables", "error"),
    [
        ({"SECRET_KEY": ""}, "Setting SECRET_KEY: is not set"),
        ({"SECRET_KEY": "short"}, "Setting SECRET_KEY: is shorter than 50"),
        ({"DEBUG": "perhaps"}, "Setting DEBUG: 'perhaps' is neither yes nor no"),
        ({"BASE_URL": "lab.example"}, "Setting BASE_URL"),
        ({"BASE_URL": "http://lab.example"}, "plain http"),
        ({"INFERENCE_SERVICES": "{"}, "Setting INFERENCE_SERVICES: is not JSON"),
        ({"INFERENCE_SERVICES": '{"a": {}}'}, "service 'a' has no url"),
        ({"INFERENCE_SERVICES": '{"a": {"url": "http://x", "key": 1}}'}, "unknown keys: ['key']"),
        ({"DATABASE_URL": "oracle-of://delphi"}, "Setting DATABASE_URL"),
        (
            {"WIKI_TEMPLATES": '{"https://fr.wikipedia.org": ["x"]}'},
            "Setting WIKI_TEMPLATES: must be JSON",
        ),
        (
            {"WIKI_TEMPLATES": '{"https://fr.wikipedia.org": {"incohérent": ["x"]}}'},
            "['incohérent']; there are",
        ),
        ({"WIKI_TOKENS": "s3cret"}, "Setting WIKI_TOKENS: must be JSON such as"),
        ({"WIKI_TOKENS": '["s3cret"]'}, "Setting WIKI_TOKENS: must be JSON such as"),
        ({"WIKI_TOKENS": '{"https://en.wikipedia.org": 7}'}, "Setting WIKI_TOKENS: must be JSON"),
        ({"WIKI_TOKENS": '{"https://en.wikipedia.org": "a b"}'}, "Setting WIKI_TOKENS: must be"),
        (
            {"WIKI_TOKENS": '{"https://fr.wikipedia.org": "s3cret"}'},
            "Setting WIKI_TOKENS: 'https://fr.wikipedia.org' is not in WIKI_ALLOWED.",
        ),
        (
            {"WIKI_TOKENS": '{"http://w.org": "s3cret"}', "WIKI_ALLOWED": "http://w.org"},
            "Setting WIKI_TOKENS: 'http://w.org' would get its token unencrypted: use https.",
        ),
        ({"WIKI_MAXLAG": "five"}, "Setting WIKI_MAXLAG: 'five' is not a number"),
        ({"TRUSTED_PROXIES": "one"}, "Setting TRUSTED_PROXIES: 'one' is not a whole number"),
        (
            {"OIDC_ISSUER": "login.example"},
            "Setting OIDC_ISSUER: 'login.example' is not an address",
        ),
        ({"OIDC_ISSUER": "http://login.example"}, "Setting OIDC_ISSUER"),
        (
            {"OIDC_ISSUER": "https://login.example"},
            "OIDC_CLIENT_ID: is not set, but OIDC_ISSUER is",
        ),
        ({"LOG_FORMAT": "xml"}, "Setting LOG_FORMAT: 'xml' is none of text, json"),
    ],
)
def test_an_invalid_setting_is_named(tmp_path, monkeypatch, variables, error):
    for name, value in {**clean(tmp_path), **variables}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(environment.SettingError, match=re.escape(error)) as refused:
        runpy.run_path(str(ROOT / "config" / "settings.py"))
    assert "s3cret" not in str(refused.value)


def test_an_invalid_setting_ends_the_program_with_one_line(tmp_path):
    outcome = start(tmp_path, SECRET_KEY="short")
    assert outcome.returncode != 0
    assert "Setting SECRET_KEY: is shorter than 50" in outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1


@pytest.mark.long
def test_valid_settings_start(tmp_path):
    outcome = start(tmp_path, BASE_URL="https://lab.example/sicetnon")
    assert outcome.returncode == 0, outcome.stderr


def test_the_secret_is_written_once_and_readable_by_its_owner_only(tmp_path):
    environment.write_secret_key(tmp_path)
    path = tmp_path / "secret_key"
    first = path.read_text()
    environment.write_secret_key(tmp_path)
    assert path.read_text() == first
    assert len(first) >= 50
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o700, 0o2770])
def test_what_a_program_writes_into_its_folder_is_its_owners_alone(tmp_path, mode):
    """Also where the folder was there, open to others."""
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(mode)
    wrote = "import config.settings as s; (s.DATA_DIR / 'a').touch(); (s.DATA_DIR / 'b').mkdir()"
    done = subprocess.run(
        [sys.executable, "-c", wrote], cwd=ROOT, env=clean(folder), umask=0o022, check=False
    )
    assert done.returncode == 0
    modes = {path.name: path.stat().st_mode & 0o777 for path in [folder, *folder.iterdir()]}
    assert modes == {"data": 0o700, "a": 0o600, "b": 0o700, "static": 0o700}


@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_a_folder_that_others_write_to_is_refused_and_left_as_it_is(tmp_path, monkeypatch, mode):
    """Such as /tmp, which would be closed to everybody else."""
    tmp_path.chmod(mode)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    with pytest.raises(environment.SettingError, match=f"mode {mode:o}.*chmod 700"):
        environment.data_dir()
    assert tmp_path.stat().st_mode & 0o7777 == mode


@pytest.mark.parametrize("mode", [0o755, 0o777])
def test_a_folder_whose_mode_cannot_be_changed_gets_advice_that_works_there(
    tmp_path, monkeypatch, mode
):
    """A drive of Windows under WSL takes a new mode and keeps its own."""
    tmp_path.chmod(mode)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    with pytest.raises(environment.SettingError, match=r"under WSL.*DATA_DIR=~/sicetnon"):
        environment.data_dir()


def test_authorities_that_are_none_are_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("CA_CERTIFICATES", "-----BEGIN CERTIFICATE-----")
    with pytest.raises(environment.SettingError, match="CA_CERTIFICATES: holds no certificates"):
        environment.trust_authorities(tmp_path)


def test_sqlite_answers_a_save_once_it_is_on_the_disk(db):
    """And writes over what is deleted. PostgreSQL does the first by itself."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            found = [
                cursor.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("synchronous", "secure_delete")
            ]
        assert found == [2, 1]


def test_plain_http_off_loopback_needs_a_setting(monkeypatch):
    monkeypatch.setenv("BASE_URL", "http://lab.example")
    monkeypatch.setenv("ALLOW_PLAIN_HTTP", "yes")
    assert environment.base_url() == "http://lab.example"


def test_commands_use_the_services_of_the_running_installation(monkeypatch, tmp_path):
    content = {"settings": {"INFERENCE_SERVICES": '{"embedded": {"url": "http://127.0.0.1:1/v1"}}'}}
    (tmp_path / "running.lock").write_text(json.dumps(content))
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.delenv("INFERENCE_SERVICES", raising=False)
    assert list(environment.services()) == ["embedded"]
    monkeypatch.setenv("INFERENCE_SERVICES", '{"own": {"url": "http://127.0.0.1:2/v1"}}')
    assert list(environment.services()) == ["own"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"settings": 3}', '{"pid": 1}'])
def test_a_damaged_lock_file_gives_no_setting(monkeypatch, tmp_path, text):
    (tmp_path / "running.lock").write_text(text)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.delenv("BASE_URL", raising=False)
    assert environment.base_url() == "http://127.0.0.1:8000"


# ---------------------------------------------------------------- from files


@pytest.fixture
def read(tmp_path, monkeypatch):
    """`read(NAME=value)`: config.settings with these variables; `read.file(text)` is a file's path."""

    def settings(**variables):
        for name, value in {**clean(tmp_path), **variables}.items():
            monkeypatch.setenv(name, value)
        return runpy.run_path(str(ROOT / "config" / "settings.py"))

    def file(text):
        path = tmp_path / "secret"
        path.write_text(text, encoding="utf-8")
        return str(path)

    for name in ("DATABASE_URL", "CELERY_BROKER_URL", "REDIS_PASSWORD", "LAB_KEY"):
        monkeypatch.setenv(name, "")  # and back to what it was, whatever the settings put there
    settings.file = file
    return settings


def test_a_secret_may_be_in_a_file(read):
    long = "k" * 60
    assert read(SECRET_KEY="", SECRET_KEY_FILE=read.file(f"{long}\n"))["SECRET_KEY"] == long


def test_the_variable_goes_before_the_file(read):
    assert read(SECRET_KEY_FILE="/nowhere")["SECRET_KEY"] == "s" * 60


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (None, r"METRICS_TOKEN_FILE: cannot read .*: No such file"),
        (" \n", r"METRICS_TOKEN_FILE: .* is empty"),
        ("short", r"METRICS_TOKEN: is shorter"),
    ],
)
def test_a_file_that_gives_no_secret_is_named(read, text, error):
    path = "/nowhere/at/all" if text is None else read.file(text)
    with pytest.raises(environment.SettingError, match=error):
        read(METRICS_TOKEN_FILE=path)


def test_the_file_for_a_secret_that_is_not_set_gives_none(read):
    """Compose always mounts a file."""
    path = str(environment.ROOT / "config" / "no-secret")
    assert read(METRICS_TOKEN_FILE=path)["METRICS_TOKEN"] == ""
    assert read(OIDC_CLIENT_SECRET_FILE=path)["OIDC_CLIENT_SECRET"] == ""


def test_a_file_that_is_no_text_is_named(read, tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(environment.SettingError, match="it is no text"):
        read(METRICS_TOKEN_FILE=str(tmp_path / "binary"))


def test_passwords_of_the_servers_may_be_in_files(read):
    made = read(
        DATABASE_URL="postgres://sicetnon@postgres/sicetnon",
        POSTGRES_PASSWORD_FILE=read.file("p@ss/word"),
        CELERY_BROKER_URL="redis://redis:6379/0",
        REDIS_PASSWORD_FILE=read.file("p@ss/word"),
    )
    assert made["DATABASES"]["default"]["PASSWORD"] == "p@ss/word"
    assert made["CELERY_BROKER_URL"] == "redis://:p%40ss%2Fword@redis:6379/0"
    assert os.environ["CELERY_BROKER_URL"] == made["CELERY_BROKER_URL"]


def test_a_password_in_an_address_is_kept(read):
    made = read(
        DATABASE_URL="postgres://sicetnon:own@postgres/sicetnon",
        POSTGRES_PASSWORD="other",
        CELERY_BROKER_URL="redis://:own@redis/0",
        REDIS_PASSWORD="other",
    )
    assert made["DATABASES"]["default"]["PASSWORD"] == "own"
    assert made["CELERY_BROKER_URL"] == "redis://:own@redis/0"


def test_a_key_of_a_model_server_may_be_in_a_file(read):
    service = {"lab": {"url": "http://gpu1:8000/v1", "key_env": "LAB_KEY"}}
    read(INFERENCE_SERVICES=json.dumps(service), LAB_KEY_FILE=read.file("of-the-lab\n"))
    assert os.environ["LAB_KEY"] == "of-the-lab"


def test_a_service_may_have_each_key_that_an_entry_knows_and_the_docs_name(monkeypatch):
    entry = {"url": "http://x/v1", "key_env": "K", "in_flight": 2, "per_minute": 9, "timeout": 5}
    entry |= {"headers": {"api-key": "$K"}, "query": {"api-version": "1"}}
    monkeypatch.setenv("INFERENCE_SERVICES", json.dumps({"lab": entry}))
    assert environment.services() == {"lab": entry}
    assert set(entry) == {field.name for field in fields(ServiceEntry)} - {"name"}
    docs = (ROOT / "docs" / "operators" / "model-server.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", docs, re.M)) == set(entry)


def test_a_setting_that_is_wrong_ends_another_process_with_its_sentence():
    with pytest.raises(SystemExit, match="Setting DEBUG: is wrong"):
        raise pickle.loads(pickle.dumps(environment.SettingError("DEBUG", "is wrong.")))


@pytest.mark.postgres
@pytest.mark.django_db
def test_postgresql_compiles_no_statement():
    with connection.cursor() as cursor:
        assert cursor.execute("SHOW jit").fetchone() == ("off",)
