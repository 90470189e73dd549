"""The pages, the API and the files of a collection whose records a protocol declares."""

import csv
import hashlib
import io
import json
import re

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.asserts import assertContains

from accounts.models import Person, RoleGrant
from accounts.roles import Role
from datasets import facets
from datasets.importers.formats import format_for
from datasets.importers.import_files import import_file
from datasets.models import Collection, Instance
from datasets.releasing.freezing import freeze
from protocols.installed import install
from tests import conflictbank
from tests.conflictbank import file_of_records, imported, record, records
from tests.crawling import crawl
from tests.datasets.declared.small import LIST, OBJECT, ferry, toml
from tests.datasets.factories import mills
from tests.datasets.importing import brought
from tests.datasets.test_exclusions import excluded
from tests.factories import signed_in
from tests.judging import declared as judging

pytestmark = pytest.mark.django_db
PAGE = "/collections/conflicts/"


def question(n=1):
    return Instance.objects.get(contradiction__fields__subject=f"Quillmere Abbey {n}")


def record_page(n=1):
    return f"/contradictions/{question(n).contradiction_id}/"


def downloaded(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, answer.content
    return answer, b"".join(answer.streaming_content)


def titles(page):
    return re.findall(r"Quillmere Abbey (\d+)</a>", page)


# ---------------------------------------------------------------- the collection


@pytest.mark.both
def test_a_collection_counts_its_records_and_the_values_of_its_slices(see, rosa):
    conflictbank.collection(3)
    page = see(rosa, PAGE)
    assert '<dt>Records</dt><dd><a href="#contradictions">3</a>' in page
    assert re.search(
        r'<dt>Relation</dt> <dd> <a href="[^"]+\?slice-relation=born%20in">born in</a> 2', page
    )
    assert re.search(
        r"<dt>Style of the default evidence</dt> <dd> <a [^>]+>wikipedia</a> 1 · <a ", page
    )
    assert '<th scope="col">Subject</th> <th scope="col">Question</th>' in page


def test_nothing_of_it_is_of_wikicontradict(see, rosa):
    conflictbank.collection(2)
    for address in (
        PAGE,
        f"{PAGE}questions/",
        f"{PAGE}deviations/",
        record_page(),
        f"{PAGE}subsets/",
    ):
        page = see(rosa, address)
        for word in (
            "Reasoning",
            "Revised",
            "Validity",
            "titles, tags",
            "Passage 1",
            "passage 1",
            "in numbers",
        ):
            assert word not in page, (address, word)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("/collections/conflicts/revised/", "Revised passages are for records of WikiContradict."),
        ("/contradictions/{key}/questions/1/revised/", "Revised passages are for records of Wiki"),
        ("/reports/collections/conflicts/", "These tables are for records of WikiContradict."),
        ("/api/collections/conflicts/revised/", "Revised passages are for records of Wiki"),
    ],
)  # fmt: skip
def test_pages_for_wikicontradict_alone_say_so(client, rosa, address, says):
    key = conflictbank.collection(1).contradictions.get().pk
    answer = signed_in(client, rosa) and client.get(address.format(key=key))
    assert answer.status_code == 400
    assert says in answer.content.decode()
    assert "Those of conflicts are of conflictbank version 1." in answer.content.decode()


@pytest.mark.both
@pytest.mark.parametrize(
    ("wanted", "found"),
    [("abbey 2", ["2"]), ("who founded quillmere abbey 3", ["3"]), ("mill", [])],
)
def test_a_search_looks_into_titles_and_questions(see, rosa, wanted, found):
    conflictbank.collection(3)
    assert titles(see(rosa, f"{PAGE}?q={wanted}")) == found


@pytest.mark.both
def test_lists_leave_the_fields_in_the_database(see, rosa):
    conflictbank.collection(2)
    see(rosa, PAGE)  # the values of slices are counted
    for address in (PAGE, f"{PAGE}questions/"):
        with CaptureQueriesContext(connection) as asked:
            see(rosa, address)
        assert [one["sql"] for one in asked if '"fields"' in one["sql"]] == []


# ---------------------------------------------------------------- questions and slices


@pytest.mark.both
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["1", "2", "3", "4"]),
        ("slice-relation=born in", ["1", "3"]),
        ("slice-relation=born in&slice-default_evidence_category=book", ["1"]),
        ("slice-relation=(empty)", ["4"]),
        ("slice-relation=none of them", ["1", "2", "3", "4"]),
        ("relation=born in", ["1", "2", "3", "4"]),
    ],
)
def test_questions_are_filtered_by_slices(see, rosa, query, found):
    imported(file_of_records(*records(3), record(4, relation="")))
    assert titles(see(rosa, f"{PAGE}questions/?{query}")) == found


def test_the_chosen_filter_stays_chosen(see, rosa):
    conflictbank.collection(2)
    page = see(rosa, f"{PAGE}questions/?slice-relation=born in")
    assert re.findall(r'<option value="([^"]+)" selected dir="auto">', page) == ["born in"]


@pytest.mark.both
def test_every_value_is_a_filter_with_its_number_of_rows(see, rosa):
    conflictbank.collection(5)
    page = see(rosa, PAGE)
    links = re.findall(r'href="([^"]+\?slice-[^"]+)">[^<]+</a> (\d+)', page)
    assert len(links) == 2 + 4 * 3
    for address, number in links:
        assert len(titles(see(rosa, address))) == int(number), address


@pytest.mark.both
def test_values_that_came_later_are_filters_too(see, rosa):
    conflictbank.collection(1)
    see(rosa, PAGE)
    imported(file_of_records(record(2, relation="buried in")))
    assert "buried in</a> 1" in see(rosa, PAGE)


@pytest.mark.both
def test_values_are_counted_without_the_records_that_are_hidden_from_a_judge(see, rosa):
    judging.open_study(run=judging.given_run(2))
    imported(file_of_records(record(3)))
    alice = Person.objects.get(username="alice")
    RoleGrant.objects.create(person=alice, role=Role.RESEARCHER)
    assert "born in</a> 2" in see(rosa, PAGE)
    page = see(alice, PAGE)
    assert "born in</a> 1" in page
    assert "founded by</a> 0" in page
    assert titles(page) == titles(see(alice, f"{PAGE}questions/")) == ["3"]


@pytest.mark.both
def test_a_slice_with_too_many_values_is_no_filter(see, rosa, monkeypatch):
    monkeypatch.setattr(facets, "MOST_VALUES", 3)
    imported(file_of_records(*(record(n, relation=f"relation {n}") for n in range(1, 5))))
    page = see(rosa, f"{PAGE}questions/")
    assert "slice-relation" not in page
    assert 'name="slice-default_evidence_category"' in page


# ---------------------------------------------------------------- a record


def test_a_record_shows_all_its_fields_and_which_option_is_which(see, rosa):
    conflictbank.collection(2)
    page = see(rosa, record_page(2))
    for name, value in record(2).items():
        if isinstance(value, str) and len(value) > 1:
            assert value in page, name
    assert "<dt>Misinformation evidence</dt>" in page
    assert (
        '<dt>Counter answer</dt> <dd> <bdi dir="ltr" lang="en" translate="no">A. Bertrand Vale 2'
        in page
    )
    for letter, text, badge in [
        ("A", "Bertrand Vale 2", "Counter answer"), ("B", "Ida Thorn 2", None),
        ("C", "Ottoline Marsh 2", "Original answer"), ("D", "uncertain", "Uncertain"),
    ]:  # fmt: skip
        found = re.search(
            rf'<span class="letter">{letter}\.</span> ([^<]*?) (<span[^<]*>([^<]*)</span>)? ?</li>',
            page,
        )
        assert (found[1].strip(), found[3] and found[3].strip()) == (text, badge)
    assert "<li> 3 May, 2031 </li> <li> 9 June, 2040 </li>" in page


def test_text_of_a_record_is_escaped(see, rosa):
    imported(file_of_records(record(1, object="<script>1</script>", default_evidence="a<b>\nc")))
    page = see(rosa, record_page())
    assert "<script>1</script>" not in page
    assert "a&lt;b&gt;<br>c" in page


def test_a_record_of_fifty_passages_is_shown_whole(see, rosa):
    field = '\n[[field]]\nname = "piece-{}"\ntype = "passage"\n'
    install(toml() + "".join(field.format(n) for n in range(50)).encode(), "ferries.toml")
    importer, protocol = format_for("ferries", "ferries")
    whole = ferry() | {f"piece-{n}": f"The {n}th ferry." for n in range(50)}
    collection = import_file(
        importer=importer, protocol=protocol, file=io.BytesIO(json.dumps(whole).encode()), collection_name="ferries"
    ).collection  # fmt: skip
    page = see(rosa, f"/contradictions/{collection.contradictions.get().pk}/")
    assert all(f"The {n}th ferry." in page for n in range(50))


def test_deviations_are_on_the_page_of_the_record_and_of_the_collection(see, rosa):
    imported(
        file_of_records(record(1, default_evidence=" "), record(2), record(3, uncertain_option="B"))
    )
    assert "A passage is empty" in see(rosa, record_page())
    assert "Deviates from its protocol" not in see(rosa, record_page(2))
    page = see(rosa, f"{PAGE}deviations/")
    assert re.findall(r"<th scope=\"row\">([^<]+)</th><td class=\"num\"><a [^>]+>(\d+)<", page) == [
        ("A passage is empty", "1"), ("Two answers have the same letter", "1"),
    ]  # fmt: skip
    assert titles(see(rosa, f"{PAGE}deviations/?kind=EMPTY_PASSAGE")) == ["1"]


# ---------------------------------------------------------------- exclusions and files


@pytest.mark.both
def test_an_excluded_question_is_left_out_with_its_record(see, client, rosa):
    conflictbank.collection(3)
    excluded(question(2), rosa)
    page = see(rosa, f"/contradictions/{question(2).contradiction_id}/questions/1/exclusion/")
    assert "Misinformation evidence" in page
    assert "Excluded" in see(rosa, f"{PAGE}questions/")
    _, data = downloaded(client, f"{PAGE}export/records/")
    assert data == file_of_records(record(1), record(3))
    _, data = downloaded(client, f"{PAGE}export/records/?excluded=with")
    assert data == file_of_records(*records(3))
    for format in ("records-csv", "complete-json"):
        _, data = downloaded(client, f"{PAGE}export/{format}/")
        assert b"Quillmere Abbey 1" in data
        assert b"Quillmere Abbey 2" not in data


def test_the_list_of_releases_counts_records_without_those_left_out(see, rosa):
    collection = conflictbank.collection(3)
    freeze(collection=collection, version="1.0")
    excluded(question(2), rosa)
    freeze(collection=collection, version="2.0")
    page = see(rosa, PAGE)
    assert re.findall(r'<td class="num">(\d)</td> <td dir="auto">', page) == ["2", "3"]


@pytest.mark.parametrize("end", ["", "\n"])
def test_the_file_comes_out_byte_for_byte(client, rosa, end):
    given = file_of_records(*records(12), end=end)
    imported(given)
    signed_in(client, rosa)
    answer, data = downloaded(client, f"{PAGE}export/records/")
    assert data == given
    assert answer["Content-Type"] == "application/jsonl; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="conflicts-records.jsonl"'


@pytest.mark.parametrize(
    "shape", [LIST, LIST + "\nindent = 2\nascii = true", OBJECT + "\nindent = 4"]
)
@pytest.mark.parametrize("end", ["", "\n"])
def test_files_of_other_shapes_come_out_byte_for_byte_too(client, rosa, shape, end):
    install(toml(shape), "ferries.toml")
    two = [ferry(), ferry(river="Oker “é”", right="A")]
    whole = {"canary": "é", "made": "", "ferries": two} if "object" in shape else two
    options = {
        "indent": int(shape.partition("indent = ")[2][:1] or 0) or None,
        "ensure_ascii": "ascii" in shape,
    }
    given = (json.dumps(whole, **options) + end).encode()
    importer, protocol = format_for("ferries", "ferries")
    report = import_file(
        importer=importer, protocol=protocol, file=io.BytesIO(given), collection_name="ferries"
    )  # fmt: skip
    assert report.noted.differs is None
    signed_in(client, rosa)
    answer, data = downloaded(client, "/collections/ferries/export/records/")
    assert data == given
    assert answer["Content-Disposition"] == 'attachment; filename="ferries-records.json"'


def test_the_table_has_a_line_for_each_record(client, rosa):
    imported(file_of_records(record(1, object="=1+1"), record(2)))
    signed_in(client, rosa)
    _, data = downloaded(client, f"{PAGE}export/records-csv/")
    first, second = csv.DictReader(io.StringIO(data.decode()))
    assert list(first) == ["record id", *record(1)]
    assert first["object"] == "'=1+1"
    assert json.loads(second["options"]) == record(2)["options"]
    assert second["record id"] == question(2).contradiction.external_id


def test_the_complete_file_has_ids_and_versions(client, rosa):
    conflictbank.collection(2)
    signed_in(client, rosa)
    _, data = downloaded(client, f"{PAGE}export/complete-json/")
    first, second = json.loads(data)["records"]
    assert first == {
        "id": question(1).contradiction.external_id, "version": 1, "record": record(1),
    }  # fmt: skip
    assert list(second["record"]) == list(record(2))


def test_a_release_has_the_hash_of_the_declared_file_and_keeps_its_rows(
    client, rosa, olga, tmp_path
):
    collection = conflictbank.collection(2)
    release = freeze(collection=collection, version="1.0", by=olga)
    imported(file_of_records(record(3)))
    given = file_of_records(*records(2))
    assert release.sha256 == hashlib.sha256(given).hexdigest()
    signed_in(client, rosa)
    _, data = downloaded(client, f"{PAGE}releases/1.0/files/records/")
    assert data == given
    out = tmp_path / "out.jsonl"
    call_command("export_dataset", "conflicts", "--format=records", f"--out={out}", "--release=1.0")
    assert out.read_bytes() == given


def test_a_record_that_a_release_leaves_out_is_not_counted(client, rosa, olga):
    collection = conflictbank.collection(3)
    excluded(question(2), rosa)
    freeze(collection=collection, version="1.0", by=olga)
    signed_in(client, rosa)
    page = client.get(f"{PAGE}releases/1.0/")
    assertContains(page, "<dt>Records</dt><dd>2</dd>")
    assertContains(page, "<dt>Questions</dt><dd>2</dd>")
    _, data = downloaded(client, f"{PAGE}releases/1.0/files/records/")
    assert len(data.splitlines()) == 2


def test_formats_of_one_study_are_none_of_another(client, rosa, tmp_path):
    mills()
    conflictbank.collection(1)
    signed_in(client, rosa)
    assert client.get(f"{PAGE}export/wikicontradict-json/").status_code == 404
    assert client.get("/collections/mills/export/records/").status_code == 404
    with pytest.raises(
        CommandError,
        match="conflicts has no export format 'wikicontradict-csv'; there are records, r",
    ):
        call_command(
            "export_dataset", "conflicts", "--format=wikicontradict-csv", f"--out={tmp_path}/x"
        )


# ---------------------------------------------------------------- import page, API, crawl


def test_an_admin_imports_a_file_of_an_installed_protocol(client, olga):
    conflictbank.protocol()
    signed_in(client, olga)
    page = client.get("/collections/new/import/").content.decode()
    assert (
        '<option value="conflictbank">ConflictBank: conflicts in retrieved knowledge</option>'
        in page
    )
    data = file_of_records(*records(2)) + b"\n"
    said = brought(client, data, "questions.jsonl", collection="conflicts", format="conflictbank")
    assert "<dt>Added</dt><dd>2 of 2</dd> <dt>In the collection already</dt><dd>0</dd>" in said
    assert "An export gives the same records, but other bytes in line 3." in said
    assert Collection.objects.get().source == "questions.jsonl"


def test_a_refused_file_is_shown_with_record_and_key(client, olga):
    conflictbank.protocol()
    signed_in(client, olga)
    data = file_of_records(record(1, options=["a", 2, "c", "d"]))
    said = brought(client, data, "q.jsonl", collection="conflicts", format="conflictbank")
    assert "options.2' is a number, not text" in said
    assert not Collection.objects.exists()


def test_the_api_names_the_protocol_and_gives_records_in_declared_order(client, rosa):
    mills()
    imported(file_of_records(record(1, semantic_conflict_evidence="")))
    signed_in(client, rosa)
    listed = client.get("/api/collections/").json()["results"]
    assert [(one["name"], one["protocol"], one["protocol_version"]) for one in listed] == [
        ("conflicts", "conflictbank", 1), ("mills", "wikicontradict", 1),
    ]  # fmt: skip
    (row,) = client.get("/api/collections/conflicts/records/").json()["results"]
    assert list(row["record"].items()) == list(record(1, semantic_conflict_evidence="").items())
    assert row["deviations"] == [
        {
            "kind": "a passage is empty",
            "place": "semantic_conflict_evidence",
            "detail": "Semantic conflict evidence",
        }
    ]


def test_every_link_of_the_collection_can_be_opened(client, olga):
    conflictbank.collection(2)
    signed_in(client, olga)
    opened = dict(
        crawl(client, [PAGE, f"{PAGE}questions/", f"{PAGE}deviations/", f"{PAGE}subsets/new/"])
    )
    assert len(opened) > 20
