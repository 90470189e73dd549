"""Records of a protocol as CSV: byte for byte in and out, and what is refused."""

import csv
import io
import json

import pytest

from datasets.declared.writing import FileNoted, writer_of
from datasets.exporters import exporters_of
from datasets.importers.csv_files.columns import Chosen, ColumnsUnclear
from datasets.importers.declared_records import DeclaredRecords
from datasets.importers.formats import format_for
from datasets.importers.import_files import import_file
from datasets.models import Collection
from datasets.readers.json_text import Unreadable
from datasets.records import current
from datasets.streaming import streamed
from protocols.installed import install
from tests.datasets.declared.small import declaration, ferry, toml

CSV = 'shape = "csv"'
NAMES = ["river", "season", "note", "question", "options", "right", "wrong"]
TWO = [ferry(), ferry(river="Oker", note='=1+1, "é"\n😀', options=["Oker", "\u2028"], right="A")]


def table(records=TWO, *, end="\n", names=None, **form):
    """The file as Python's module writes it, the last line with its end."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator=end, **form)
    lines.writerow(names or NAMES)
    for record in records:
        cells = [record.get(name, "") for name in NAMES]
        lines.writerow(
            json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else cell
            for cell in cells
        )
    return text.getvalue()


def read(text, chosen=None, file=CSV):
    noted = FileNoted()
    reader = DeclaredRecords(declaration(file), "", chosen)
    return [one.record for one in reader.records(io.BytesIO(text.encode()), noted)], noted


def imported(text, chosen=None, file_name=""):
    importer, protocol = format_for("ferries", "ferries", file_name=file_name, chosen=chosen)
    return import_file(
        importer=importer,
        protocol=protocol,
        file=io.BytesIO(text.encode()),
        collection_name="ferries",
    )


def exported(name="records"):
    collection = Collection.objects.get(name="ferries")
    return "".join(exporters_of(collection)[name].chunks(streamed(current(collection))))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "form", [{}, {"delimiter": ";"}, {"delimiter": "\t"}, {"quoting": csv.QUOTE_ALL}]
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("ends", [True, False])
def test_a_file_is_read_and_written_as_it_is(end, form, mark, ends):
    text = mark + table(end=end, **form)
    text = text if ends else text[: -len(end)]
    records, noted = read(text)
    assert records == TWO
    assert noted.differs is None
    writer = writer_of(declaration(CSV), noted)
    assert "".join([*map(writer.next, TWO), writer.last()]) == text


def test_where_no_file_was_read_it_is_as_the_fields_are_declared():
    writer = writer_of(declaration(CSV), FileNoted(end="\n"))
    assert "".join([*map(writer.next, TWO), writer.last()]) == table()
    assert writer_of(declaration(CSV), FileNoted()).last() == ",".join(NAMES)


def test_columns_of_other_names_and_order_come_out_as_they_were():
    names = ["Fluss", "Zeit", "Text", "Frage", "Antworten", "richtig", "falsch"]
    chosen = Chosen(dict(zip(names, NAMES, strict=True)))
    records, noted = read(table(names=names), chosen)
    assert (records, noted.differs) == (TWO, None)


def test_a_column_that_is_no_field_is_counted_and_comes_out_empty():
    text = (
        table()
        .replace("wrong", "wrong,by")
        .replace(",B,A\n", ",B,A,ann\n")
        .replace(",A,A\n", ",A,A,\n")
    )
    records, noted = read(text)
    assert (records, noted.reported, noted.differs) == (TWO, {"column “by”": 1}, 2)


@pytest.mark.django_db
def test_what_a_record_may_lack_is_an_empty_cell():
    optional = toml(CSV).replace(b'name = "note"\n', b'name = "note"\noptional = true\n')
    install(optional, "ferries.toml")
    lacking = [ferry(note=None), ferry(river="Oker", options=["Oker"], right="A", wrong="A")]
    report = imported(table(lacking))
    assert [row.fields for row in current(report.collection).defer(None)] == lacking
    assert exported() == table(lacking)


@pytest.mark.both
@pytest.mark.django_db
def test_a_collection_gives_the_file_again_and_its_complete_form_too():
    install(toml(CSV), "ferries.toml")
    text = "\ufeff" + table(end="\r\n", delimiter=";")
    assert imported(text).how_it_comes_out == "An export gives the same bytes."
    assert exported() == text
    importer, _ = format_for("complete-json", "again")
    whole = io.BytesIO(exported("complete-json").encode())
    import_file(importer=importer, file=whole, collection_name="again")
    again = Collection.objects.get(name="again")
    assert "".join(exporters_of(again)["records"].chunks(streamed(current(again)))) == text
    names = [one.suffix for one in exporters_of(again).values()]
    assert len(set(names)) == len(names)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("delimiter", "|"), ("line_end", ""), ("bom", "no"), ("all_quoted", "no"), ("header", "river"),
        ("fields", "river,season,note,question,options,right,right"), ("fields", 7), ("header", "a\0"),
    ],
)  # fmt: skip
def test_a_complete_form_whose_csv_cannot_be_written_is_refused(key, value):
    install(toml(CSV), "ferries.toml")
    imported(table())
    head, rest = exported("complete-json").split("\n", 1)
    whole = json.loads(head + "]}")
    whole["file"]["kept"][key] = value
    data = json.dumps(whole)[:-2] + "\n" + rest
    importer, _ = format_for("complete-json", "again")
    with pytest.raises(Unreadable) as refused:
        import_file(importer=importer, file=io.BytesIO(data.encode()), collection_name="again")
    assert f"'file.kept.{key}'" in str(refused.value.problems)


@pytest.mark.django_db
def test_a_csv_file_comes_into_a_protocol_of_another_shape_where_its_columns_are_named():
    install(toml(), "ferries.toml")
    chosen = Chosen({name: name for name in NAMES})
    report = imported(table(), chosen)
    assert report.how_it_comes_out == "An export gives the same records, but other bytes in line 1."
    assert [json.loads(line) for line in exported().split("\n")[:-1]] == TWO


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (table().replace('"[""Weser"", ""Aller""]"', "Weser"), "line 2: 'options' is no list in JSON"),
        (table().replace('"[""Weser"", ""Aller""]"', "{}"), "line 2: 'options' is no list in JSON"),
        (table().replace('"[""Weser"", ""Aller""]"', "[1]"), "line 2: 'options.1' is a number, not text"),
        (table().replace(",B,A\n", ",C,A\n"), "line 2: 'right' is \"C\", no letter of options from A to B"),
        (table().replace("Which river does it cross?", ""), "'question' is empty, and is what lists show"),
    ],
)  # fmt: skip
def test_a_row_that_is_no_record_is_refused_by_line_and_key(text, says):
    with pytest.raises(Unreadable) as refused:
        read(text)
    assert says in " ".join([refused.value.message, *refused.value.problems])


def test_a_value_that_the_slice_does_not_name_is_a_deviation():
    reader = DeclaredRecords(declaration(CSV))
    text = table([ferry(season="spring")])
    [parsed] = reader.records(io.BytesIO(text.encode()))
    assert [one.detail for one in reader.deviations(parsed)] == ["spring"]


def test_required_fields_without_a_column_are_named():
    with pytest.raises(
        ColumnsUnclear, match=r"No column is mapped to Note \(note\), Wrong \(wrong\)"
    ):
        read(table(names=["river", "season", "n", "question", "options", "right", "w"]))


PARTED = f'{CSV}\nby = "season"\nnames = {{ summer = "warm.csv", winter = "cold.csv" }}'


@pytest.mark.django_db
def test_files_by_a_slice_hold_no_column_of_it():
    install(toml(PARTED), "ferries.toml")
    names = [name for name in NAMES if name != "season"]
    text = ",".join(names) + '\nAller,note,q?,"[""Aller""]",A,A\n'
    imported(text, file_name="warm.csv")
    imported(text, file_name="cold.csv")
    assert (exported("records-summer"), exported("records-winter")) == (text, text)
