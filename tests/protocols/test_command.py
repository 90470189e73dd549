"""`manage.py protocol`: checks, installs and shows a file, and writes one to begin from."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from protocols.models import Protocol
from protocols.reading import LARGEST_VERSION
from protocols.shipped import file_of, shipped
from tests.protocols.factories import TEXT, WHOLE, changed

pytestmark = pytest.mark.django_db

PLAIN = changed('says = "question"\n', "", WHOLE)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args, **options):
    out = StringIO()
    call_command("protocol", *args, stdout=out, **options)
    return out.getvalue()


def written(folder, text=PLAIN, name="mills.toml"):
    (folder / name).write_text(text)
    return name


def test_add_installs_a_file_or_one_that_comes_with_the_program(folder):
    path = written(folder)
    assert run("add", path).startswith("mills version 1 is installed.\n  sha256 ")
    assert run("add", path).startswith(
        "mills version 1 was installed before: nothing was changed.\n"
    )
    assert run("add", "conflictbank").startswith("conflictbank version 1 is installed.\n")
    assert Protocol.objects.get(name="conflictbank").text.encode() == file_of("conflictbank")


def test_add_says_that_a_higher_version_is_installed(folder):
    run("add", written(folder, changed("version = 1", "version = 2", PLAIN)))
    assert run("add", written(folder)).startswith(
        "mills version 1 is installed. Version 2 is installed, which is higher.\n"
    )


@pytest.mark.parametrize("action", ["check", "add", "show"])
def test_all_faults_are_printed_with_what_is_allowed(folder, action):
    text = changed("version = 1", "version = 0", changed('shape = "lines"', "shape = 7", WHOLE))
    with pytest.raises(CommandError) as refused:
        run(action, written(folder, text))
    assert str(refused.value) == (
        "mills.toml is no protocol. Nothing was installed.\n"
        f"  line 3, protocol 'mills', version: write a number from 1 to {LARGEST_VERSION}.\n"
        "  line 10, file, shape: this is not a text. shape is one of lines, list, object, csv. One record on each "
        "line, a list of records, an object with a list of records, or CSV with a row each."
    )
    assert refused.value.returncode == 1
    assert not Protocol.objects.exists()


def test_check_prints_more_faults_than_a_page_has(folder):
    with pytest.raises(CommandError) as refused:
        run("check", written(folder, TEXT + "[[field]]\n" * 200))
    assert str(refused.value).count("name is missing.") == 200


def test_check_says_that_nothing_is_wrong(folder):
    said = run("check", written(folder))
    assert said == "Nothing is wrong in mills.toml. mills version 1 is not installed yet.\n"
    assert not Protocol.objects.exists()


@pytest.mark.parametrize("given", ["conflict-bank", "wikicontradict", "."])
def test_a_file_that_cannot_be_read_is_refused(given):
    with pytest.raises(CommandError, match=r"cannot be read: (No such file|Is a directory)"):
        run("add", given)


def test_show_prints_every_part_on_an_invented_record(folder):
    shown = run("show", written(folder))
    for text in (
        "mills version 1 on an invented record",
        "=== Prompt read\n--- Sent\nText of source.\nText of question. Options 1 or Options 2?\n",
        "=== Rubric yes-no\n--- What a judge sees of M 3\nQuestion: Does the source answer the question?\n",
        "=== Table by-setting\n--- Without responses\n | alone | read\n",
    ):
        assert text in shown


def test_show_prints_a_prompt_on_a_record_of_a_file(folder):
    record = {
        "mill": "wind",
        "question": "Who?",
        "source": "Bob.",
        "options": ["A", "B"],
        "right": "B",
    }
    (folder / "records.jsonl").write_text(json.dumps(record) + "\n")
    shown = run("show", written(folder), prompt="read", records="records.jsonl")
    assert shown == (
        "mills version 1 on record 1 of records.jsonl\n\n=== Prompt read\n--- Sent\nBob.\nWho? A or B?\n"
    )
    with pytest.raises(CommandError, match=r"records\.jsonl has no record number 2\."):
        run("show", "mills.toml", records="records.jsonl", record=2)
    with pytest.raises(CommandError, match=r"none\.jsonl cannot be read"):
        run("show", "mills.toml", records="none.jsonl")
    with pytest.raises(
        CommandError, match=r"There is no prompt 'x' in mills version 1\. There are plain, read"
    ):
        run("show", "mills.toml", prompt="x")


@pytest.mark.parametrize("name", shipped())
def test_the_protocols_of_the_program_are_shown(name):
    shown = run("show", name)
    assert "Not sent" not in shown
    assert "Not judged" not in shown


@pytest.mark.parametrize("name", ["mills", "a", "mills_and_weirs_of_europe"[:24]])
def test_new_writes_a_file_that_passes_and_can_be_installed(folder, name):
    assert run("new", name) == (
        f"Wrote {name}.toml. Install it with: manage.py protocol add {name}.toml\n"
    )
    assert "Nothing is wrong" in run("check", f"{name}.toml")
    assert run("add", f"{name}.toml").startswith(f"{name} version 1 is installed.\n")
    record = '{"id": "1", "passage": "P.", "question": "When?", "options": ["1850", "1900"], "right": "A"}'
    (folder / "records.jsonl").write_text(record + "\n")
    assert "P.\n\nWhen?\nA. 1850\nB. 1900\n" in run(
        "show", f"{name}.toml", records="records.jsonl", prompt="with-passage"
    )


def test_new_never_overwrites(folder):
    (folder / "mills.toml").write_text("mine")
    with pytest.raises(CommandError, match=r"mills\.toml is there already, and stays as it is\."):
        run("new", "mills")
    assert (folder / "mills.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("My mills", "cannot be a name"),
        ("../mills", "cannot be a name"),
        ("m" * 25, "cannot be a name"),
        ("two-mills", "without hyphens"),
        ("conflictbank", "conflictbank comes with the program. Choose another name."),
        ("wikicontradict", "wikicontradict comes with the program. Choose another name."),
    ],
)
def test_what_cannot_be_a_name_is_refused(folder, name, sentence):
    with pytest.raises(CommandError, match=sentence.replace(".", r"\.")):
        run("new", name)
    assert list(folder.iterdir()) == []
