import csv
import hashlib
import io
import json
import resource
from contextlib import contextmanager

import pytest

from datasets import streaming
from datasets.exporters import EXPORTERS, exporter_named
from datasets.exporters.export_files import ExportFailed, spooled, write_chunks
from datasets.exporters.wikicontradict_json import indented
from datasets.models import Collection, Contradiction, Instance
from datasets.records import current
from datasets.streaming import streamed
from leases.refusal import NotFoundHere
from tests.datasets.factories import annotation, edited, mills, record
from tests.races import at_once

JSON, CSV = EXPORTERS["wikicontradict-json"], EXPORTERS["wikicontradict-csv"]
COMPLETE = EXPORTERS["complete-json"]
SECOND = {"question2_answer1": "", "question2_answer2": "\x7f"}


def text_by(exporter, collection):
    return "".join(exporter.chunks(streamed(current(collection))))


def lines_of(*whole):
    return list(csv.DictReader(io.StringIO(text_by(CSV, mills(*whole)))))


@pytest.mark.django_db
def test_records_come_out_as_they_went_in():
    whole = [record(title="B", given=annotation(valid_comment="ü\n\u2028")), record(title="A")]
    text = text_by(JSON, mills(*whole))
    assert json.loads(text) == whole
    assert text.startswith('[\n    {\n        "title": "B",\n')


@pytest.mark.parametrize(
    "value",
    [
        *([], {}, "", None, 1.5, True, [[]], [{}], {"": {}}, ["a", ["b", "c"], {"d": ["e"]}]),
        '\x00 \x1f\x7f"\\/\b\n\t\u2028 é 😀 </script>',
        record(given=annotation(valid_comment="ü\n\u2028", taxonomy=[])),
    ],
)
def test_an_indented_value_is_byte_for_byte_what_the_library_writes(value):
    assert indented(value) == json.dumps(value, ensure_ascii=False, indent=4)


@pytest.mark.django_db
def test_the_file_is_byte_for_byte_the_indented_list_of_its_records():
    whole = [
        record(title="B", given=annotation(taxonomy=[], question2="\u2028?", **SECOND)),
        record(),
    ]
    text = text_by(JSON, mills(*whole))
    assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=4) + "\n"


@pytest.mark.django_db
def test_everything_comes_out_next_to_the_published_record():
    collection = mills(record(title="B"), record(title="A"))
    piece = {"revid": 7, "start": 2, "end": 9, "text": "x \u2028 </script>"}
    # Our own number of the revision is no one else's.
    Contradiction.objects.filter(title="A").update(
        filled=["article_1"],
        provenance={"1": [{"revision": 3, **piece}]},
        modality_1="table",
        oldid=7,
    )
    Instance.objects.filter(contradiction__title="A", n=1).update(derived_2=True)
    before, after = json.loads(text_by(COMPLETE, collection))["records"]
    assert [before["record"], after["record"]] == json.loads(text_by(JSON, collection))
    assert (before["filled"], before["provenance"], before["derived"]) == ([], {}, [])
    assert (after["filled"], after["provenance"], after["derived"]) == (
        ["article_1"],
        {"1": [piece]},
        [[1, 2]],
    )
    assert (after["oldid"], after["modality_1"], len(after["id"])) == (7, "table", 64)


@pytest.mark.django_db
def test_an_empty_collection_is_an_empty_list_and_a_lone_header():
    collection = mills()
    nothing = current(collection).none()
    assert json.loads("".join(COMPLETE.chunks(streamed(nothing))))["records"] == []
    assert json.loads("".join(JSON.chunks(streamed(nothing)))) == []
    assert "".join(CSV.chunks(streamed(nothing))).count("\n") == 1


@pytest.mark.django_db
def test_questions_are_numbered_in_page_order_and_the_first_of_a_page_comes_last():
    more = {
        f"question{n}{suffix}": f"{n}{suffix}"
        for n in (2, 3)
        for suffix in ("", "_answer1", "_answer2")
    }
    lines = lines_of(record(title="A", given=annotation(**more)), record(title="B"))
    assert [(line["question_ID"], line["question"]) for line in lines] == [
        ("2", "2"),
        ("3", "3"),
        ("1", "When was the Old Mill built?"),
        ("4", "When was the Old Mill built?"),
    ]


@pytest.mark.django_db
def test_a_page_that_lacks_a_first_question_keeps_its_order():
    gap = annotation(question1="")
    gap |= {f"question{n}{end}": str(n) for n in (2, 3) for end in ("", "_answer1", "_answer2")}
    assert [line["question"] for line in lines_of(record(given=gap))] == ["2", "3"]


@pytest.mark.django_db
def test_a_line_of_the_question_table_is_derived_from_its_record():
    given = annotation(question1_answer1="1791 ", paragraphB_information_standalone=None)
    (line,) = lines_of(record(given=given))
    assert line == {
        "question_ID": "1",
        "question": "When was the Old Mill built?",
        "context1": "The Old Mill was built in 1791.",
        "context2": "Begun in 1803, the mill ",
        "answer1": "1791 ",
        "answer2": "1803",
        "contradictType": "Explicit",
        "samepassage": "Different",
        "merged_context": "The Old Mill was built in 1791.\nBegun in 1803, the mill ",
        "ref_answer": "1791 |1803",
        "WikipediaArticleTitle": "Old Mill, Ahrfeld",
        "url": "https://en.wikipedia.org/wiki/Old_Mill,_Ahrfeld",
    }


@pytest.mark.django_db
def test_the_question_table_has_same_only_by_the_annotators_answer_and_implicit_without_a_type():
    untyped = annotation(
        wikitag_label_samepassage=None, taxonomy=[], **{"Contradict type IV": None}
    )
    same = annotation(wikitag_label_samepassage="Same")
    lines = lines_of(record(given=untyped), record(given=same))
    assert [(line["samepassage"], line["contradictType"]) for line in lines] == [
        ("Different", "Implicit (reasoning required)"),
        ("Same", "Explicit"),
    ]
    assert lines[1]["merged_context"] == lines[1]["context1"]


@pytest.mark.both
@pytest.mark.django_db
def test_an_export_is_read_a_row_at_a_time():
    pulled = []

    def rows():
        for row in streamed(current(mills(record(title="A"), record(title="B")))):
            pulled.append(row.columns["title"])
            yield row

    chunks = JSON.chunks(rows())
    next(chunks)
    assert pulled == ["A"]


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_an_export_is_one_snapshot_while_others_write(monkeypatch):
    monkeypatch.setattr(streaming, "BATCH", 1)
    collection = mills(*(record(title=title) for title in "ABC"))
    before = text_by(JSON, collection)
    chunks = JSON.chunks(streamed(current(collection)))
    seen = next(chunks)
    at_once(lambda: edited(current(collection).last(), title="C, corrected"))
    assert seen + "".join(chunks) == before
    assert current(collection).last().title == "C, corrected"


class Long:
    """An exporter of many bytes, whatever rows it is given."""

    name, label, suffix, content_type = "long", "Long", ".txt", "text/plain"

    def chunks(self, rows):
        for _ in range(64):
            yield "x" * 64_000


@contextmanager
def room_for(size):
    """Files of this process can grow to `size` bytes, as on a disk that is nearly full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_written_file_has_the_returned_size_and_hash(tmp_path):
    size, sha256 = write_chunks(Long().chunks([]), tmp_path / "long.txt")
    data = (tmp_path / "long.txt").read_bytes()
    assert (size, sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert list(tmp_path.iterdir()) == [tmp_path / "long.txt"]


def test_no_space_leaves_the_older_file_and_no_other(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("older")
    with (
        room_for(100_000),
        pytest.raises(ExportFailed, match="could not be written: File too large"),
    ):
        write_chunks(Long().chunks([]), path)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("long.txt", "older")]


def test_no_space_for_a_download_is_reported_before_its_first_byte():
    with room_for(100_000), pytest.raises(ExportFailed) as refused:
        spooled(Long(), [])
    assert (refused.value.status, refused.value.retry) == (507, True)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ExportFailed, match=r"nowhere/out\.json could not be written: No such file"):
        write_chunks(Long().chunks([]), tmp_path / "nowhere" / "out.json")


def test_a_folder_in_the_files_place_is_left_alone(tmp_path):
    (tmp_path / "out.json").mkdir()
    with pytest.raises(ExportFailed, match="Is a directory"):
        write_chunks(Long().chunks([]), tmp_path / "out.json")
    assert list(tmp_path.iterdir()) == [tmp_path / "out.json"]


def test_a_failure_midway_leaves_no_file(tmp_path):
    class Breaks(Long):
        def chunks(self, rows):
            yield "x"
            raise LookupError("the database went away")

    with pytest.raises(LookupError):
        write_chunks(Breaks().chunks([]), tmp_path / "out.json")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_is_refused_with_the_known_ones():
    with pytest.raises(NotFoundHere, match="wikicontradict-json, wikicontradict-csv"):
        exporter_named(Collection(name="mills"), "xlsx")
