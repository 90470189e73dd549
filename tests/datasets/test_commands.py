import hashlib
import json

import pytest
from django.core.management import CommandError, call_command

from datasets.models import Collection
from datasets.records import collection_named
from datasets.releasing.freezing import freeze
from tests.datasets.factories import annotation, imported, mills, record, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path):
    """`file(*records)`: a file of them."""

    def write(*records):
        path = tmp_path / "mills.json"
        path.write_bytes(text_of(*records))
        return path

    return write


def output_of(capsys):
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_an_import_reports_its_result(file, capsys):
    odd = record(title="B", given=annotation(confidence=""))
    call_command("import_dataset", "wikicontradict", file(record(), odd, odd), collection="mills")
    assert output_of(capsys) == [
        "Collection mills",
        "records in the file 3",
        "added 2",
        "already there 0",
        "twice in the file 1",
        "record 3 equals record 2",
        "questions 3",
        "records with deviations 2, stored unchanged",
        "2 no confidence given",
    ]


def test_each_deviation_can_be_listed(file, capsys):
    odd = record(given=annotation(relevantInfo_comment_A_Span="1792"))
    call_command("import_dataset", "wikicontradict", file(odd), "--collection=mills", "--list")
    assert output_of(capsys)[-1] == (
        "record 1: contradicted span is in neither form of its passage (span_1) 1792"
    )


def test_a_dry_run_says_the_same_and_stores_nothing(file, capsys):
    sent = ("import_dataset", "wikicontradict", file(record(), record()), "--collection=mills")
    call_command(*sent, "--dry-run")
    first, *said = capsys.readouterr().out.splitlines()
    assert first == "Nothing is stored. This would go into collection mills"
    assert not Collection.everything.exists()
    call_command(*sent)
    assert capsys.readouterr().out.splitlines() == ["Collection mills", *said]


def test_a_second_import_adds_nothing(file, capsys):
    path = file(record())
    for _ in range(2):
        call_command("import_dataset", "wikicontradict", path, collection="mills")
    assert output_of(capsys)[-6:-3] == ["records in the file 1", "added 0", "already there 1"]


def test_a_refused_file_is_reported_with_its_problems(file):
    path = file(record(title=None))
    with pytest.raises(CommandError) as refused:
        call_command("import_dataset", "wikicontradict", path, collection="mills")
    assert str(refused.value).splitlines() == [
        f"{path}: The record cannot be read; nothing was imported.",
        "  record 1 (index 0): 'title' is missing",
    ]
    assert not Collection.objects.exists()


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(CommandError, match=r"none\.json cannot be read: No such file"):
        call_command("import_dataset", "wikicontradict", tmp_path / "none.json", collection="mills")


def test_a_bad_name_is_one_line(file):
    with pytest.raises(CommandError, match="'My Mills' cannot name a collection"):
        call_command("import_dataset", "wikicontradict", file(record()), collection="My Mills")


def test_an_export_prints_its_hash(tmp_path, capsys):
    mills()
    out = tmp_path / "out.json"
    call_command("export_dataset", "mills", format="wikicontradict-json", out=out)
    assert json.loads(out.read_text()) == [record()]
    assert output_of(capsys) == [
        f"{out}: {out.stat().st_size} bytes, sha256 {hashlib.sha256(out.read_bytes()).hexdigest()}"
    ]


def test_a_release_is_exported_as_it_was_frozen(tmp_path):
    freeze(collection=mills(), version="1.0")
    imported(record(title="Later"))
    out = tmp_path / "out.json"
    call_command(
        "export_dataset", "mills", "--format=wikicontradict-json", f"--out={out}", "--release=1.0"
    )
    assert json.loads(out.read_text()) == [record()]
    assert collection_named("mills").contradictions.count() == 2


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("none", [], "There is no collection 'none'"),
        ("mills", ["--release=9"], "mills has no release '9'"),
    ],
)
def test_what_is_not_there_is_one_line(tmp_path, name, options, says):
    mills()
    with pytest.raises(CommandError, match=says):
        call_command(
            "export_dataset", name, "--format=wikicontradict-csv", f"--out={tmp_path}/o", *options
        )
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_line(tmp_path):
    mills()
    with pytest.raises(CommandError, match="could not be written"):
        call_command(
            "export_dataset", "mills", "--format=wikicontradict-csv", f"--out={tmp_path}/no/o"
        )


@pytest.mark.parametrize("option", ["--name", "--column"])
@pytest.mark.parametrize("pairs", [["mood"], ["mood=qa_comment", "mood=title"]])
def test_a_pair_without_its_key_or_a_name_given_twice_is_refused(file, option, pairs):
    given = [f"{option}={pair}" for pair in pairs]
    with pytest.raises(CommandError, match="is not NAME=KEY"):
        call_command("import_dataset", "csv", file(record()), *given, collection="mills")


def test_the_columns_of_a_csv_file_are_named(tmp_path, capsys):
    (tmp_path / "table.csv").write_text("a=b,p1,p2,a1,a2\nq?,One.,Two.,1,2\n", encoding="utf-8")
    fields = ["question", "passage_1_copied", "passage_2_copied", "answer_1", "answer_2"]
    pairs = zip(["a=b", "p1", "p2", "a1", "a2"], fields, strict=True)
    given = [f"--column={name}={field}" for name, field in pairs]
    call_command("import_dataset", "csv", tmp_path / "table.csv", *given, collection="mills")
    assert "added 1" in output_of(capsys)
