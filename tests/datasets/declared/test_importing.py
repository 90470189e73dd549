"""Records of a protocol come in as they are, into collections of that protocol alone."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from datasets.importers import IMPORTERS
from datasets.importers.formats import format_for, formats
from datasets.importers.import_files import import_file
from datasets.models import Collection, Contradiction
from datasets.readers.json_text import Unreadable
from leases.refusal import Conflict, NotFoundHere
from protocols.installed import install
from protocols.models import Protocol
from tests import conflictbank
from tests.conflictbank import file_of_records, imported, record, records
from tests.datasets import factories as mills
from tests.datasets.declared.small import ferry, toml

pytestmark = pytest.mark.django_db


def of_wikicontradict(data, into="mills"):
    return import_file(
        importer=IMPORTERS["wikicontradict"], file=io.BytesIO(data), collection_name=into
    )


def ferries(data, into="ferries", text=None):
    install(text or toml(), "ferries.toml")
    importer, protocol = format_for("ferries", into)
    return import_file(
        importer=importer, protocol=protocol, file=io.BytesIO(data), collection_name=into
    )


def message_of(refused):
    return " ".join([refused.value.message, *(refused.value.details or [])])


# ---------------------------------------------------------------- what is kept


@pytest.mark.both
def test_each_record_is_kept_whole_with_what_lists_show():
    collection = conflictbank.collection(3)
    rows = list(collection.contradictions.order_by("position"))
    assert [row.fields for row in rows] == records(3)
    assert [row.title for row in rows] == [one["subject"] for one in records(3)]
    assert [row.instances.get().question for row in rows] == [one["question"] for one in records(3)]
    assert {row.validity for row in rows} == {"Valid"}


def test_the_collection_has_the_protocol_which_never_changes_from_now_on():
    protocol = conflictbank.protocol()
    assert protocol.used_at is None
    collection = conflictbank.collection(1)
    assert collection.protocol == protocol
    assert collection.file_kept == {"end": "\n", "kept": {}}
    assert Protocol.objects.get().used_at is not None


@pytest.mark.both
def test_a_second_import_adds_nothing():
    data = file_of_records(*records(3))
    first, second = imported(data), imported(data)
    assert (first.added, first.already_there) == (3, 0)
    assert (second.added, second.already_there) == (0, 3)
    assert imported(file_of_records(*records(4))).added == 1


def test_a_record_that_is_twice_in_the_file_is_kept_once():
    report = imported(file_of_records(record(1), record(2), record(1)))
    assert (report.added, report.duplicates) == (2, [(3, 1)])
    assert report.how_it_comes_out.endswith("without what is twice.")


@pytest.mark.both
def test_the_same_data_with_keys_in_another_order_is_the_same_record():
    imported(file_of_records(record(1)))
    assert imported(json.dumps(record(1), sort_keys=True).encode()).added == 0


def test_deviations_are_counted_and_nothing_is_changed():
    odd = record(1, default_evidence="", default_evidence_category="blog")
    report = imported(file_of_records(odd, record(2)))
    assert [(str(kind), n) for kind, n in report.deviations_by_kind] == [
        ("a passage is empty", 1),
        ("not a value that the protocol knows", 1),
    ]
    assert report.deviating_records == 1
    assert Contradiction.objects.first().fields == odd


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (file_of_records(record(1)), "An export gives the same bytes."),
        (
            file_of_records(record(1)) + b"\n",
            "An export gives the same records, but other bytes in line 2.",
        ),
    ],
)
def test_an_import_says_whether_the_file_comes_out_as_it_was(data, says):
    assert imported(data).how_it_comes_out == says


def test_a_protocol_with_fifty_passages_has_records_of_fifty():
    field = '\n[[field]]\nname = "piece-{}"\ntype = "passage"\n'
    text = toml() + "".join(field.format(n) for n in range(50)).encode()
    whole = ferry() | {f"piece-{n}": f"The {n}th ferry." for n in range(50)}
    collection = ferries(json.dumps(whole).encode(), text=text).collection
    assert collection.contradictions.get().fields == whole


# ---------------------------------------------------------------- what is refused


@pytest.mark.both
def test_a_refused_file_leaves_nothing():
    with pytest.raises(Unreadable) as refused:
        imported(
            file_of_records(*records(600), record(601, options="A, B, C"), record(7, object=7))
        )
    assert message_of(refused) == (
        "2 of 602 records cannot be read; nothing was imported. "
        "record 601 (index 600, 'Quillmere Abbey 601'): 'options' is text, not a list "
        "record 602 (index 601, 'Quillmere Abbey 7'): 'object' is a number, not text"
    )
    assert not Collection.everything.exists()
    assert not Contradiction.objects.exists()
    assert Protocol.objects.get().used_at is None


def test_a_file_of_wikicontradict_is_no_file_of_a_protocol():
    with pytest.raises(Unreadable) as refused:
        imported(mills.text_of(mills.record()))
    assert message_of(refused) == (
        "This is a file of wikicontradict, not of conflictbank. Choose that format; nothing was imported."
    )


def test_a_file_of_a_protocol_is_none_of_wikicontradict():
    conflictbank.protocol()
    with pytest.raises(Unreadable, match="This is a file of conflictbank, not of wikicontradict"):
        of_wikicontradict(file_of_records(record(1)))


def test_a_file_of_a_protocol_is_none_of_another():
    conflictbank.protocol()
    with pytest.raises(Unreadable, match="This is a file of conflictbank, not of ferries"):
        ferries(file_of_records(record(1)))


class Counted(io.BytesIO):
    """A file that counts the bytes read."""

    taken = 0

    def read(self, size=-1):
        data = super().read(size)
        self.taken += len(data)
        return data


def test_a_refused_file_is_read_once_whatever_protocols_there_are():
    conflictbank.protocol()
    for name in ("ferries", "boats", "rafts"):
        install(toml().replace(b'name = "ferries"', f'name = "{name}"'.encode(), 1), f"{name}.toml")
    file = Counted(file_of_records(*(record(n, question=None) for n in range(3_000))))
    importer, protocol = format_for("conflictbank", "conflicts")
    with pytest.raises(Unreadable, match="records cannot be read"):
        import_file(importer=importer, protocol=protocol, file=file, collection_name="conflicts")
    pieces = len(formats()) * 2 * 256 * 1024
    assert file.taken < len(file.getvalue()) + pieces < 2 * len(file.getvalue())


def test_a_file_with_a_fault_further_down_is_not_taken_for_another():
    with pytest.raises(Unreadable, match="1 of 2 records cannot be read"):
        imported(file_of_records(record(1), record(2, question=None)))


@pytest.mark.both
@pytest.mark.parametrize(
    ("bring", "says"),
    [
        (
            lambda: of_wikicontradict(mills.text_of(mills.record()), "conflicts"),
            "The collection conflicts has records of conflictbank version 1, which this file's are not.",
        ),
        (
            lambda: ferries(json.dumps(ferry()).encode(), "conflicts"),
            "The collection conflicts has records of conflictbank version 1, which this file's are not.",
        ),
        (
            lambda: imported(file_of_records(record(2)), "mills"),
            "The collection mills has records of wikicontradict version 1, which this file's are not.",
        ),
    ],
)
def test_a_collection_holds_records_of_one_protocol(bring, says):
    mills.mills()
    conflictbank.collection(1)
    with pytest.raises(Conflict, match=says):
        bring()
    assert Contradiction.objects.count() == 2


def test_a_protocol_that_was_changed_while_its_file_was_read_is_not_used():
    install(toml(), "ferries.toml")
    importer, protocol = format_for("ferries", "ferries")
    install(toml() + b"\n", "ferries.toml")
    with pytest.raises(Conflict, match="ferries version 1 was changed in the meantime"):
        import_file(
            importer=importer,
            protocol=protocol,
            file=io.BytesIO(json.dumps(ferry()).encode()),
            collection_name="ferries",
        )
    assert not Collection.everything.exists()


# ---------------------------------------------------------------- formats


def test_formats_are_the_programs_and_the_newest_version_of_each_installed_protocol():
    assert list(formats()) == ["wikicontradict", "csv", "label-studio", "complete-json"]
    install(toml(), "ferries.toml")
    later, _ = install(toml().replace(b"version = 1", b"version = 2"), "ferries.toml")
    assert list(formats()) == ["wikicontradict", "csv", "label-studio", "complete-json", "ferries"]
    assert format_for("ferries", "new").protocol == later
    with pytest.raises(
        NotFoundHere,
        match="no format 'knot'; there are wikicontradict, csv, label-studio, complete-json, ferries",
    ):
        format_for("knot", "new")


def test_a_collection_gets_more_records_in_its_own_version():
    ferries(json.dumps(ferry()).encode())
    install(toml().replace(b"version = 1", b"version = 2"), "ferries.toml")
    importer, protocol = format_for("ferries", "ferries")
    assert (importer.declaration.version, protocol.version) == (1, 1)


def test_the_command_reports_how_the_file_comes_out(tmp_path, capsys):
    conflictbank.protocol()
    path = tmp_path / "questions.jsonl"
    path.write_bytes(file_of_records(record(1, replaced_object="Nobody"), record(2)))
    call_command("import_dataset", "conflictbank", path, "--collection=conflicts", "--list")
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[-4:] == [
        "records with deviations 1, stored unchanged",
        "1 the option and the field that it stands for differ",
        "An export gives the same bytes.",
        "record 1: the option and the field that it stands for differ (replace_option) "
        "A, Bertrand Vale 1, and not Nobody",
    ]


def test_the_command_names_the_formats_that_there_are(tmp_path):
    (tmp_path / "x").touch()
    with pytest.raises(CommandError, match="There is no format 'conflictbank'; there are wiki"):
        call_command("import_dataset", "conflictbank", tmp_path / "x", "--collection=conflicts")
