"""Read settings from the environment.

A setting that is missing or malformed stops the program with one line that names the variable and says
what to write; nothing is guessed. Pure: uses neither Django nor files outside DATA_DIR.
"""

import json
import os
import secrets
import ssl
from collections.abc import Collection
from pathlib import Path
from urllib.parse import quote, urlsplit

import certifi

from accounts.addresses import is_loopback
from wikifetch.wikitext.tag_names import KINDS


class SettingError(SystemExit):
    """An invalid setting; ends the program with one line on standard error."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"Setting {name}: {problem}")

    def __reduce__(self) -> tuple[type[SystemExit], tuple[object, ...]]:
        return SystemExit, self.args  # another process needs its text alone


# A trigger of accounts/migrations/0001 has the least too: no younger entry of the audit log can be deleted. At most a
# hundred years: further back no database has a date.
LEAST_DAYS, MOST_DAYS = 30, 36_500
ROOT = Path(__file__).resolve().parent.parent
# What config/no-secret says, which docker-compose.yml mounts for a secret that not everybody has.
NO_SECRET = "(not set)"  # noqa: S105


def text(name: str, default: str) -> str:
    return given(name) or of_running(name) or default


def given(name: str) -> str:
    """The value of the variable, or the content of the file that the variable NAME_FILE names; "" for neither."""
    value, path = (os.environ.get(key, "").strip() for key in (name, f"{name}_FILE"))
    if value or not path:
        return value
    try:
        value = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise SettingError(f"{name}_FILE", f"cannot read {path}: {reason}.") from None
    if not value:
        raise SettingError(f"{name}_FILE", f"{path} is empty.")
    return "" if value == NO_SECRET else value


def of_running(name: str) -> str:
    """The value that bin/run gave to the processes of this DATA_DIR; "" for none.

    With it manage.py uses the same address and the same model as the running installation.
    """
    if name not in {"BASE_URL", "INFERENCE_SERVICES"}:
        return ""
    path = Path(os.environ.get("DATA_DIR") or ROOT / "var").expanduser() / "running.lock"
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["settings"][name])
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def choice(name: str, options: list[str]) -> str:
    """One of `options`; the first if nothing is set."""
    raw = text(name, options[0])
    if raw not in options:
        raise SettingError(name, f"{raw!r} is none of {', '.join(options)}.")
    return raw


def flag(name: str, default: bool) -> bool:
    raw = text(name, "yes" if default else "no").lower()
    if raw in {"1", "yes", "true", "on"}:
        return True
    if raw in {"0", "no", "false", "off"}:
        return False
    raise SettingError(name, f"{raw!r} is neither yes nor no.")


def number(name: str, default: float) -> float:
    raw = text(name, str(default))
    try:
        return float(raw)
    except ValueError:
        raise SettingError(name, f"{raw!r} is not a number.") from None


def whole_number(name: str, default: int) -> int:
    """A whole number from 0 up."""
    raw = text(name, str(default))
    if not raw.isdecimal():
        raise SettingError(name, f"{raw!r} is not a whole number such as {default}.")
    return int(raw)


def audit_days() -> int:
    """AUDIT_DAYS: for how many days entries of the audit log are kept."""
    days = whole_number("AUDIT_DAYS", 730)
    if not LEAST_DAYS <= days <= MOST_DAYS:
        raise SettingError("AUDIT_DAYS", f"{days} is not between {LEAST_DAYS} and {MOST_DAYS}.")
    return days


def token(name: str) -> str:
    """A secret that gives access; "" if it is not set, which gives access to nobody."""
    value = text(name, "")
    if value and len(value) < 20:
        raise SettingError(name, "is shorter than 20 characters. Use a long random one.")
    return value


def data_dir(root: Path = ROOT) -> Path:
    """The folder for everything that is not code: database, broker, secret, uploads, exports.

    From here on this process, and what it starts, makes files that their owner alone may read.
    """
    os.umask(0o077)
    path = Path(text("DATA_DIR", str(root / "var"))).expanduser().resolve()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(
            "DATA_DIR", f"cannot make the folder {path}: {error.strerror}."
        ) from None
    _close(path)
    return path


def _close(folder: Path) -> None:
    """Take others' access to a folder that was there before. One that others may write to is not ours alone."""
    mode = folder.stat().st_mode & 0o7777
    if not mode & 0o077:
        return
    try:
        if mode & 0o002:
            raise PermissionError
        folder.chmod(mode & 0o7700)
        if folder.stat().st_mode & 0o077:  # some file systems take every mode and keep theirs
            raise PermissionError
    except OSError:
        raise SettingError(
            "DATA_DIR",
            f"others may use {folder} (mode {mode:o}), and it holds passwords' hashes and keys. Give it to the user of "
            f"the program alone: chown and chmod 700 {folder}. Where its mode cannot be changed, as on a network share "
            "or on a Windows drive under WSL (/mnt/c), name a folder on a disk of this system: DATA_DIR=~/sicetnon.",
        ) from None


def secret_key(folder: Path) -> str:
    """SECRET_KEY, or the content of DATA_DIR/secret_key (see write_secret_key)."""
    key = given("SECRET_KEY")
    path = folder / "secret_key"
    if not key and path.exists():
        key = path.read_text(encoding="ascii").strip()
    if not key:
        raise SettingError(
            "SECRET_KEY",
            f"is not set and there is no {path}. Start with bin/run, which writes one, or set it.",
        )
    if len(key) < 50:
        raise SettingError("SECRET_KEY", "is shorter than 50 characters. Use a long random one.")
    return key


def write_secret_key(folder: Path) -> None:
    """Write a new secret to DATA_DIR/secret_key, readable by its owner only, unless there is one."""
    path = folder / "secret_key"
    if not path.exists():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as handle:
            handle.write(secrets.token_urlsafe(64))


def trust_authorities(folder: Path) -> str:
    """CA_CERTIFICATES: authorities in PEM, which all requests of this process trust beside the public ones.

    Returns the file with all of them, "" where none is set.
    """
    if not (pem := given("CA_CERTIFICATES")):
        return ""
    try:
        ssl.create_default_context(cadata=pem)
    except (ssl.SSLError, ValueError):
        raise SettingError(
            "CA_CERTIFICATES", "holds no certificates in PEM (-----BEGIN CERTIFICATE-----)."
        ) from None
    # Another process may read it meanwhile.
    part, path = folder / f"authorities.{os.getpid()}.part", folder / "authorities.pem"
    part.write_text(f"{certifi.contents()}\n{pem}\n", encoding="utf-8")
    part.replace(path)
    os.environ["REQUESTS_CA_BUNDLE"] = str(path)
    return str(path)


def base_url() -> str:
    """BASE_URL without its trailing slash: scheme, host, port and an optional sub-path."""
    raw = text("BASE_URL", "http://127.0.0.1:8000").rstrip("/")
    parts = urlsplit(raw)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise SettingError(
            "BASE_URL", f"{raw!r} is not an address such as https://annotate.example.org."
        )
    if (
        parts.scheme == "http"
        and not is_loopback(parts.hostname)
        and not flag("ALLOW_PLAIN_HTTP", False)
    ):
        raise SettingError(
            "BASE_URL",
            f"{raw!r} would send passwords over plain http. Use https, or set ALLOW_PLAIN_HTTP=yes.",
        )
    return raw


def broker_url() -> str:
    """CELERY_BROKER_URL, with REDIS_PASSWORD where it has no password of its own."""
    url, password = text("CELERY_BROKER_URL", "filesystem://localhost"), given("REDIS_PASSWORD")
    parts = urlsplit(url)
    if password and parts.scheme.startswith("redis") and parts.password is None:
        user, _, host = parts.netloc.rpartition("@")
        url = parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}").geturl()
        os.environ["CELERY_BROKER_URL"] = url  # Celery prefers the variable to its setting
    return url


def oidc_issuer() -> str:
    """OIDC_ISSUER as the provider writes it, with its slash at the end if it has one; "" for no institution."""
    raw = text("OIDC_ISSUER", "")
    parts = urlsplit(raw)
    if raw and (
        not parts.hostname
        or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname)))
    ):
        raise SettingError(
            "OIDC_ISSUER",
            f"{raw!r} is not an address such as https://login.example.org/realms/lab.",
        )
    return raw


def required_with(other: str, name: str) -> str:
    """A setting that must be set where `other` is; "" where neither is."""
    if given(other) and not given(name):
        raise SettingError(name, f"is not set, but {other} is.")
    return given(name)


def wiki_templates() -> dict[str, dict[str, list[str]]]:
    """WIKI_TEMPLATES: a wiki's address -> kind of tag -> names of its templates there."""
    raw = text("WIKI_TEMPLATES", "{}")
    try:
        parsed = json.loads(raw)
        templates = {
            str(base).rstrip("/"): {
                kind: [str(name) for name in (names if isinstance(names, list) else [names])]
                for kind, names in kinds.items()
            }
            for base, kinds in parsed.items()
        }
    except (ValueError, AttributeError):
        raise SettingError(
            "WIKI_TEMPLATES",
            'must be JSON such as {"https://fr.wikipedia.org": {"inconsistent": ["Incohérence"]}}.',
        ) from None
    if unknown := {kind for kinds in templates.values() for kind in kinds} - set(KINDS):
        problem = f"names unknown kinds of tag: {sorted(unknown)}; there are {', '.join(KINDS)}."
        raise SettingError("WIKI_TEMPLATES", problem)
    return templates


def wiki_tokens(allowed: Collection[str]) -> dict[str, str]:
    """WIKI_TOKENS: a wiki's address -> the access token of an account there. No message quotes a token."""
    usage = 'must be JSON such as {"https://en.wikipedia.org": "the access token"}.'
    try:
        tokens = dict(json.loads(text("WIKI_TOKENS", "{}")))
    except (ValueError, TypeError):
        raise SettingError("WIKI_TOKENS", usage) from None
    known = {address.rstrip("/").lower() for address in allowed}
    for address, value in tokens.items():
        if (
            not isinstance(value, str)
            or not value.isascii()
            or not value.isprintable()
            or " " in value
        ):
            raise SettingError("WIKI_TOKENS", usage)
        if address.rstrip("/").lower() not in known:
            raise SettingError("WIKI_TOKENS", f"{address!r} is not in WIKI_ALLOWED.")
        parts = urlsplit(address)
        if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
            raise SettingError(
                "WIKI_TOKENS", f"{address!r} would get its token unencrypted: use https."
            )
    return tokens


def services() -> dict[str, dict[str, object]]:
    """INFERENCE_SERVICES: name -> {url, key_env, in_flight, per_minute, timeout, headers, query}; only url is required.

    A key that is in a file (NAME_FILE) is put into the variable that key_env names.
    """
    raw = text("INFERENCE_SERVICES", "{}")
    try:
        parsed = json.loads(raw)
    except json.JSONDecodeError as error:
        raise SettingError("INFERENCE_SERVICES", f"is not JSON: {error}.") from None
    if not isinstance(parsed, dict):
        raise SettingError(
            "INFERENCE_SERVICES", 'must be an object such as {"local": {"url": "http://…/v1"}}.'
        )
    known = {"url", "key_env", "in_flight", "per_minute", "timeout", "headers", "query"}
    for name, entry in parsed.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("url"), str):
            raise SettingError("INFERENCE_SERVICES", f"service {name!r} has no url.")
        if unknown := set(entry) - known:
            raise SettingError(
                "INFERENCE_SERVICES", f"service {name!r} has unknown keys: {sorted(unknown)}."
            )
        key = str(entry.get("key_env") or "")
        if key and (value := given(key)):
            os.environ[key] = value
    return parsed
