"""A complete form comes in whole as a collection of its own, or not at all."""

import io
import json

import pytest
from django.core.management import call_command

from datasets import exclusions
from datasets.identity import external_id
from datasets.importers import IMPORTERS, arriving
from datasets.importers.complete_form import MODALITIES
from datasets.importers.formats import format_for
from datasets.importers.import_files import deviations_in, import_file
from datasets.importers.same_tag import named_by
from datasets.models import Collection, Contradiction, Instance, Modality
from datasets.readers.json_text import Unreadable
from datasets.records import (
    Draft,
    checked,
    columns_of,
    current,
    questions_of,
    record_of,
    returning,
    supersede,
)
from datasets.releasing.freezing import freeze
from leases.refusal import Conflict, Refusal
from protocols.installed import install
from tests import conflictbank
from tests.datasets.complete import PIECE, back, changed, file_of, files_of, full
from tests.datasets.declared import small, test_parts
from tests.datasets.factories import edited, mills, record, text_of
from tests.datasets.importing import brought

pytestmark = pytest.mark.django_db

GONE = ...


@pytest.fixture
def data():
    return file_of(full())


def message_of(data, error=Refusal):
    before = Collection.everything.count(), Contradiction.objects.count()
    with pytest.raises(error) as refused:
        back(data)
    assert (Collection.everything.count(), Contradiction.objects.count()) == before
    return " ".join([refused.value.message, *(refused.value.details or [])])


# ---------------------------------------------------------------- what comes back


@pytest.mark.both
def test_all_that_is_known_of_records_comes_back():
    collection = full()
    report = back(file_of(collection))
    assert (report.added, report.questions, report.collection.about) == (3, 3, collection.about)
    assert files_of(report.collection) == files_of(collection)
    first, second, third = current(report.collection)
    assert (first.version, first.supersedes, first.oldid) == (2, None, 1_234_567_890)
    assert first.provenance["1"][0] == PIECE
    assert [row.derived_2 for row in first.instances.order_by("n")] == [False, True]
    assert {first.same_tag_as, second.same_tag_as} == {None, first} or second.same_tag_as is None
    assert third.validity == "Invalid"


def test_our_own_number_of_a_revision_is_not_in_the_file(data):
    assert b'"revision"' not in data
    assert json.loads(data)["records"][0]["provenance"]["1"][0] == PIECE


def test_the_head_names_the_format_and_its_version(data):
    assert data.startswith(b'{"format": "sicetnon-complete", "version": 1, "about": {"title": ')


def test_an_excluded_question_stays_left_out(olga):
    collection = full()
    question = Instance.objects.get(contradiction=current(collection).first(), n=1)
    exclusions.exclude(instance=question, reason="Both can be true.", by=olga)
    first = json.loads(file_of(collection))["records"][0]
    assert (first["left_out"], "question1" in first["record"]["annotationResult"]) == ([1], False)
    again = back(file_of(collection)).collection
    assert files_of(again) == files_of(collection)
    assert current(again).first().external_id == question.contradiction.external_id


def test_a_content_that_came_back_keeps_its_own_id():
    collection = mills()
    first = current(collection).get()
    edited(first, title="B")
    old = returning(collection, checked(Draft(columns_of(first), questions_of(first))))
    newest = supersede(contradiction=current(collection).get(), draft=old)
    again = back(file_of(collection)).collection
    row = current(again).get()
    assert (row.external_id, row.version) == (newest.external_id, 3)
    assert record_of(row) == record_of(first)


def test_a_record_that_came_in_can_be_edited_again():
    row = current(back(file_of(full())).collection).first()
    assert edited(row, title="D").version == 3


def test_a_release_and_what_comes_of_it_are_equal(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    collection = full()
    freeze(collection=collection, version="1.0")
    again = back(file_of(collection)).collection
    released = [freeze(collection=one, version="2.0") for one in (collection, again)]
    files = [{file.format: file.sha256 for file in release.files.all()} for release in released]
    for bundle in files:
        del bundle["bundle"]  # which has the moment
    assert files[0] == files[1]


@pytest.mark.both
def test_the_same_file_twice_adds_nothing(data):
    assert back(data).added == 3
    report = back(data)
    assert (report.added, report.already_there) == (0, 3)
    assert Collection.objects.filter(name="back").count() == 1


@pytest.mark.both
def test_a_collection_that_lacks_records_of_the_file_is_left_as_it_is(data):
    edited(current(Collection.objects.get(name="mills")).last(), title="D")
    newer = file_of(Collection.objects.get(name="mills"))
    back(data)
    with pytest.raises(Conflict, match="back is there, and lacks records of this file"):
        back(newer)
    assert [row.title for row in current(Collection.objects.get(name="back"))] == ["A", "B", "C"]


def test_keys_that_a_line_may_lack_are_empty():
    given = {"format": "sicetnon-complete", "version": 1, "records": [entry()]}
    row = current(back(json.dumps(given).encode()).collection).get()
    assert (row.oldid, row.modality_1, row.provenance, row.version) == (None, "", {}, 1)


def test_its_deviations_are_those_of_the_published_records(data):
    report = back(data)
    listed = deviations_in(report.importer, io.BytesIO(data))
    assert sum(1 for _ in listed) == sum(report.kinds.values()) > 0


def test_the_modalities_are_those_of_the_form():
    assert list(MODALITIES) == Modality.values


# ---------------------------------------------------------------- records of a protocol


def ferries(file):
    install(small.toml(file), "ferries.toml")
    importer, protocol = format_for("ferries", "ferries")
    whole = {
        "canary": "é",
        "made": "",
        "ferries": [small.ferry(), small.ferry(river="Oker", right="A", wrong="B")],
    }
    return import_file(
        importer=importer,
        protocol=protocol,
        file=io.BytesIO(json.dumps(whole, indent=4).encode() + b"\n"),
        collection_name="ferries",
    ).collection


def ponds():
    test_parts.imported(test_parts.dumped(test_parts.pond(1), end="\n"), "implicit")
    return test_parts.imported(test_parts.dumped(test_parts.pond(2)), "simple").collection


@pytest.mark.both
@pytest.mark.parametrize(
    "collection",
    [
        lambda: conflictbank.collection(3),
        lambda: ferries(small.OBJECT + "\nindent = 4"),
        ponds,
    ],
)
def test_records_of_a_protocol_come_back_with_what_is_kept_of_their_files(collection):
    made = collection()
    again = back(file_of(made)).collection
    assert (again.protocol, again.file_kept) == (made.protocol, made.file_kept)
    assert files_of(again) == files_of(made)


def test_a_protocol_that_is_not_here_is_named():
    data = file_of(conflictbank.collection(1))
    assert "conflictbank version 7, which is not installed here. Install it" in message_of(
        changed(data, protocol={"name": "conflictbank", "version": 7})
    )


@pytest.mark.parametrize(
    ("n", "changes", "says"),
    [
        (0, {"canary": "Other."}, "'canary' is not the one in the file's head"),
        (0, {"canary": GONE}, "'canary' is missing"),
        (0, {"oldid": 7}, "'oldid' is no key of a complete record"),
        (0, {"record": {}}, "'question' is missing"),
        (None, {"file": 5}, "'file' is a number, not an object"),
        (None, {"file": {"deep": {}}}, "'file.deep' is no part of ponds"),
        (None, {"file": {"simple": {}}}, "'file.simple' is no object with the keys end, kept"),
        (None, {"file": {"simple": {"end": "x", "kept": {}}}}, "'file.simple.end' is neither empty nor a line feed"),
        (None, {"file": {"simple": {"end": "", "kept": {"canary": 5}}}}, "'file.simple.kept.canary' is a number"),
        (None, {"protocol": "ponds"}, "'protocol' is no object with the keys name, version"),
        (None, {"protocol": {"name": "ponds", "version": "1"}}, "'protocol.version' is text, not a whole number"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_records_of_a_protocol_is_named(n, changes, says):
    assert says in message_of(changed(file_of(ponds()), n, **changes))


# ---------------------------------------------------------------- what is refused


def entry(**changes):
    whole = record(**changes)
    return {"id": external_id(whole), "version": 1, "record": whole}


OTHER = "f" * 64
BROKEN = [
    ({"id": OTHER}, "'id' does not fit the record, which is another than it was"),
    ({"record": record(title="Z")}, "'id' does not fit the record"),
    ({"id": "F" * 64}, "'id' is no id of 64 hexadecimal digits"),
    ({"id": 5}, "'id' is no id of 64"),
    ({"id": GONE}, "'id' is missing"),
    ({"version": GONE}, "'version' is missing"),
    ({"version": 0}, "'version' is 0, not from 1 to 2147483647"),
    ({"version": -1}, "'version' is -1, not from 1"),
    ({"version": 2**31}, "'version' is 2147483648, not from 1"),
    ({"version": "2"}, "'version' is text, not a whole number"),
    ({"version": 1.5}, "'version' is 1.5, not a whole number"),
    ({"version": True}, "'version' is true or false, not a whole number"),
    ({"version": None}, "'version' is null, not a whole number"),
    ({"record": GONE}, "'record' is missing"),
    ({"record": []}, "is a list, not an object with keys"),
    ({"revision": 7}, "'revision' is no key of a complete record"),
    ({"oldid": 0}, "'oldid' is 0, not from 1"),
    ({"oldid": "7"}, "'oldid' is text, not a whole number"),
    ({"oldid": 2**63}, "'oldid' is 9223372036854775808, not from 1"),
    ({"modality_1": None}, "'modality_1' is null, not text"),
    ({"modality_2": "sound"}, "'modality_2' is \"sound\", none of text, table, infobox, list, other"),
    ({"span_1_ranges": {}}, "'span_1_ranges' is an object, not a list"),
    ({"span_1_ranges": [[1]]}, "'span_1_ranges.1' is not [start, end]"),
    ({"span_2_ranges": [[1, 2], [3, "4"]]}, "'span_2_ranges.2' is text, not a whole number"),
    ({"span_2_ranges": [[5, 4]]}, "'span_2_ranges.1' ends before it starts"),
    ({"span_1_ranges": [[-1, 4]]}, "'span_1_ranges.1' is -1, not from 0"),
    ({"filled": "title"}, "'filled' is text, not a list"),
    ({"filled": ["title", 5]}, "'filled.2' is a number, not text"),
    ({"filled": ["a\0"]}, "'filled.1' holds a NUL character"),
    ({"filled": ["\ud800"]}, "'filled.1' holds half of a surrogate pair"),
    ({"filled": ["x"] * 1001}, "'filled' has 1001 entries, more than the 1000"),
    ({"derived": {}}, "'derived' is an object, not a list"),
    ({"derived": [1]}, "'derived.1' is not [question, answer]"),
    ({"derived": [[1, 3]]}, "'derived.1' is 3, not from 1 to 2"),
    ({"derived": [[9, 1]]}, "'derived' is of question 9, which the record does not have"),
    ({"left_out": 3}, "'left_out' is a number, not a list"),
    ({"left_out": [0]}, "'left_out.1' is 0, not from 1 to 99"),
    ({"left_out": [1]}, "'left_out' names question 1, which the record has"),
    ({"same_tag": "x"}, "'same_tag' is text, not a list"),
    ({"same_tag": ["x"]}, "'same_tag.1' is no id of 64"),
    ({"provenance": []}, "'provenance' is a list, not an object"),
    ({"provenance": {"3": []}}, "'provenance.3' is no passage: there are 1 and 2"),
    ({"provenance": {"1": {}}}, "'provenance.1' is an object, not a list"),
    ({"provenance": {"1": [5]}}, "'provenance.1.1' is a number, not an object"),
    ({"provenance": {"1": [PIECE, {**PIECE, "revision": 7}]}}, "'provenance.1.2.revision' is no key of a piece"),
    ({"provenance": {"1": [{"revid": 7}]}}, "'provenance.1.1.text' is missing"),
    *(
        ({"provenance": {"2": [{**PIECE, key: value}]}}, f"'provenance.2.1.{key}' {says}")
        for key, value, says in (
            ("revid", "7", "is text, not a whole number"),
            ("revid", None, "is null, not a whole number"),
            ("date", 2023, "is a number, not text"),
            ("date", "x" * 11, "has 11 characters, more than 10"),
            ("title", None, "is null, not text"),
            ("section", 5, "is a number, not text"),
            ("kind", [], "is a list, not text"),
            ("start", "12", "is text, not a whole number"),
            ("end", -1, "is -1, not from 0"),
            ("sha256", None, "is null, not text"),
            ("wikitext", [1], "is not [start, end]"),
            ("text", "a\0", "holds a NUL character"),
            ("text", "\udc00", "holds half of a surrogate pair"),
        )
    ),
    ({"record": record(tag="a\0")}, "'tag' holds a NUL character"),
    ({"record": record(tag="\ud800")}, "'tag' holds half of a surrogate pair"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "says"), BROKEN)
def test_what_is_wrong_with_a_record_is_named_with_its_row_and_key(data, changes, says):
    message = message_of(changed(data, 1, **changes))
    assert "1 of 3 records cannot be read; nothing was imported." in message
    named = "" if "record" in changes else ", 'B')"
    assert f"record 2 (index 1{named}" in message
    assert says in message


def test_every_fault_is_named(data):
    message = message_of(changed(changed(data, 0, version=0, oldid="x"), 2, filled=5))
    assert "2 of 3 records cannot be read" in message
    for says in (
        "record 1",
        "'version' is 0",
        "'oldid' is text",
        "record 3",
        "'filled' is a number",
    ):
        assert says in message


def test_an_id_that_two_records_have_is_refused():
    one, two = entry(), entry(title="B")
    given = {"format": "sicetnon-complete", "version": 1, "records": [one, two, one]}
    message = message_of(json.dumps(given).encode())
    assert "record 3 (index 2" in message
    assert "'id' is that of record 1 too" in message


IDS = [bytes([n]) * 32 for n in range(5)]
A, B, C, D, E = IDS
CHAIN = {A: [B], B: [A, C], C: [B]}


@pytest.mark.parametrize(
    ("links", "says"),
    [
        ({A: [bytes.fromhex(OTHER)]}, f"record 1: 'same_tag' names {OTHER}, which is no record of this file"),
        ({A: [B]}, f"record 1: 'same_tag' names {B.hex()}, which does not name it: see record 2"),
        ({C: [C]}, f"record 3: 'same_tag' names {C.hex()}, which is the record itself"),
        ({A: [B, C], B: [A, C], C: [A, B]}, "record 1: 'same_tag' leads back to the record in a circle"),
    ],
)  # fmt: skip
def test_links_that_no_file_of_ours_has_are_refused(links, says):
    records = [entry(title=str(n)) for n in range(5)]
    ids = {one: record["id"] for one, record in zip(IDS, records, strict=True)}
    for one, others in links.items():
        records[IDS.index(one)]["same_tag"] = [ids.get(other, other.hex()) for other in others]
    given = {"format": "sicetnon-complete", "version": 1, "records": records}
    message = message_of(json.dumps(given).encode())
    for one, identity in ids.items():
        says = says.replace(one.hex(), identity)
    assert says in message


@pytest.mark.parametrize(
    "links",
    [{}, {A: [B], B: [A]}, CHAIN, {A: [B, C, D], B: [A], C: [A], D: [A, E], E: [D]}, {**CHAIN, D: [E], E: [D]}],
)  # fmt: skip
def test_each_record_names_at_most_one_and_all_pairs_are_kept(links):
    named, problems = named_by(links, {one: n for n, one in enumerate(IDS)})
    assert problems == []
    pairs = {
        frozenset((one.hex(), other.hex())) for one, others in links.items() for other in others
    }
    assert {frozenset(pair) for pair in named.items()} == pairs
    assert len(named) == len(pairs)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"format": GONE}, "does not begin as a complete form does, with the format “sicetnon-complete”"),
        ({"format": "other"}, "does not begin as a complete form does"),
        ({"version": 2}, "'version' at the head of the file is not 1"),
        ({"version": GONE}, "'version' at the head of the file is not 1"),
        ({"version": 0}, "'version' at the head of the file is not 1"),
        ({"version": "1"}, "'version' at the head of the file is not 1"),
        ({"version": True}, "'version' at the head of the file is not 1"),
        ({"version": 1.0}, "'version' at the head of the file is not 1"),
        ({"made": "today"}, "'made' is no key of the head"),
        ({"about": []}, "'about' is a list, not an object"),
        ({"about": {"doi": "x"}}, "'about.doi' is no key of a description"),
        ({"about": {"title": None}}, "'about.title' is null, not text"),
        ({"about": {"title": "x" * 201}}, "'about.title' has 201 characters, more than 200"),
        ({"about": {"funding": "a\0"}}, "'about.funding' holds a NUL character"),
        ({"about": {"contact": "\ud800"}}, "'about.contact' holds half of a surrogate pair"),
        ({"about": {"language": "no language"}}, "'about.language' is no language code"),
        ({"about": {"source_paper": "javascript:a()"}}, "'about.source_paper' is no address that begins with https://"),
        ({"about": {"source_year": "MMXX"}}, "'about.source_year' is no year"),
        ({"about": {"annotated_by": "robots"}}, "'about.annotated_by' is none of expert-generated"),
        ({"about": {"source_authors": {}}}, "'about.source_authors' is an object, not a list"),
        ({"about": {"creators": {}}}, "'about.creators' is an object, not a list"),
        ({"about": {"creators": [{}] * 501}}, "'about.creators' has 501 entries, more than 500"),
        ({"about": {"creators": [{"name": "A"}]}}, "'about.creators.1' is no object with the keys name, orcid"),
        ({"about": {"creators": [{"name": " ", "orcid": "", "affiliation": ""}]}}, "'about.creators.1.name' is empty"),
        ({"about": {"creators": [{"name": "A", "orcid": "1", "affiliation": ""}]}}, "'about.creators.1.orcid' is no"),
        ({"about": {"creators": [{"name": "A", "orcid": "", "affiliation": 5}]}}, "affiliation' is a number, not text"),
        ({"protocol": {"name": "mills", "version": 1}}, "the protocol mills version 1, which is not installed here"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_head_is_named(data, changes, says):
    assert says in message_of(changed(data, **changes))


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda data: data[:-4], "The file is not JSON: Expecting"),
        (lambda data: data[: len(data) // 2], "The file is not JSON"),
        (lambda data: data[:30], "The file is not JSON"),
        (lambda data: data.replace(b', "records": [', b', "records": 5, "x": ['), "'records' in the file is a number"),
        (lambda data: data[:-2] + b', "about": {}}', "has the key \"about\" twice"),
        (lambda data: changed(data)[:-1] + b', "protocol": null}', "'protocol' stands after the records"),
        (lambda data: data.partition(b'"records": [')[0] + b'"records": []}', "a list without a record"),
        (lambda data: b"", "The file is empty"),
    ],
)  # fmt: skip
def test_a_file_that_was_cut_off_or_changed_leaves_nothing(data, damage, says):
    assert says in message_of(damage(data))


@pytest.mark.parametrize("bad", [lambda d: changed(d, 2, version=0), lambda d: d[:-4]])
def test_a_fault_after_batches_were_written_leaves_nothing(data, monkeypatch, bad):
    monkeypatch.setattr(arriving, "BATCH", 1)
    message_of(bad(data))


def test_a_file_of_another_format_is_known():
    conflictbank.protocol()
    assert "This is a file of wikicontradict, not of complete-json" in message_of(text_of(record()))
    declared = conflictbank.file_of_records(conflictbank.record(1))
    assert "This is a file of conflictbank, not of complete-json" in message_of(declared)


@pytest.mark.parametrize("of", [full, lambda: conflictbank.collection(1)])
def test_a_complete_form_is_known_as_one(of):
    with pytest.raises(Unreadable, match="This is a file of complete-json, not of wikicontradict"):
        import_file(
            importer=IMPORTERS["wikicontradict"],
            file=io.BytesIO(file_of(of())),
            collection_name="back",
        )


# ---------------------------------------------------------------- page and command


def test_the_page_brings_it_in(client, olga, data):
    client.force_login(olga)
    assert "Complete records (JSON)" in client.get("/collections/new/import/").content.decode()
    page = brought(client, data, collection="back", format="complete-json")
    assert "<dt>Added</dt><dd>3 of 3</dd>" in page
    assert "An export gives" not in page
    assert "Old mills: “a”" in client.get("/collections/back/").content.decode()


def test_the_command_brings_it_in_and_lists_deviations_of_a_protocols_records(tmp_path, capsys):
    path = tmp_path / "conflicts.json"
    odd = conflictbank.file_of_records(conflictbank.record(1, replaced_object="Nobody"))
    path.write_bytes(file_of(conflictbank.imported(odd).collection))
    call_command("import_dataset", "complete-json", path, "--collection=back", "--list")
    lines = capsys.readouterr().out.splitlines()
    assert "  added                1" in lines
    assert lines[-1].startswith("    record 1: the option and the field that it stands for differ")
