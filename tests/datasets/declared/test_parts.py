"""Records in a file for each level: each part comes in and goes out byte for byte, under one canary."""

import csv
import hashlib
import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from datasets.counts import sizes
from datasets.importers.formats import PartUnknown, format_for
from datasets.importers.import_files import ImportReport, import_file
from datasets.models import Collection, Contradiction
from datasets.readers.json_text import Unreadable
from datasets.releasing.freezing import freeze
from leases.refusal import Conflict
from protocols.installed import install
from tests import conflictbank
from tests.datasets.declared.test_pages import downloaded
from tests.datasets.importing import brought, sent
from tests.factories import signed_in

pytestmark = pytest.mark.django_db
LEVELS = ("simple", "explicit", "implicit")
TEXT = """
[protocol]
name = "ponds"
version = 1
title = "Ponds by level"
source = "invented"
licence = "none"

[file]
shape = "object"
list = "examples"
keep = ["canary"]
canary = "canary"
indent = 4
by = "level"

[file.names]
simple = "ponds_with_simple_questions.json"
explicit = "ponds_with_explicit_questions.json"
implicit = "ponds_with_implicit_questions.json"

[item]
title = "question"
question = "question"
cluster = "passage"

[[field]]
name = "id"

[[field]]
name = "level"
slice = true
values = ["simple", "explicit", "implicit"]

[[field]]
name = "passage"
type = "passage"

[[field]]
name = "question"

[[field]]
name = "answer"
one_of = "answer_aliases"

[[field]]
name = "answer_aliases"
type = "list"

[[field]]
name = "memorised_aliases"
type = "list"
optional = true
"""
CANARY = "These ponds were made for tests."
PAGE = "/collections/ponds/"


def pond(n: int = 1, **changes: object) -> dict[str, object]:
    """A record; a change to None takes the key away."""
    whole = {
        "id": f"{n:064x}",
        "passage": f" The pond Übersee {n} lies in Wendmark.",
        "question": f"Where does Übersee {n} lie?",
        "answer": "Wendmark",
        "answer_aliases": ["Wendmark", "W"],
    } | changes
    return {key: value for key, value in whole.items() if value is not None}


def dumped(*ponds: object, canary: object = CANARY, end: str = "") -> bytes:
    """As the published files are written."""
    whole = {"canary": canary, "examples": list(ponds)}
    return (json.dumps(whole, indent=4, ensure_ascii=False) + end).encode()


def imported(data: bytes, part: str = "simple", into: str = "ponds", **named: str) -> ImportReport:
    install(TEXT.encode(), "ponds.toml")
    importer, protocol = format_for("ponds", into, part=part, **named)
    return import_file(
        importer=importer, protocol=protocol, file=io.BytesIO(data), collection_name=into
    )


def exported(folder: Path, level: str) -> bytes:
    out = folder / f"{level}.json"
    call_command("export_dataset", "ponds", f"--format=records-{level}", f"--out={out}")
    return out.read_bytes()


def refusal(data: bytes) -> str:
    with pytest.raises(Unreadable) as refused:
        imported(data)
    return " ".join([refused.value.message, *refused.value.problems])


# ---------------------------------------------------------------- in and out


@pytest.mark.both
@pytest.mark.parametrize("end", ["", "\n"])
def test_each_level_comes_out_as_it_came_in(tmp_path, end):
    given = {
        "simple": dumped(pond(1), pond(2, memorised_aliases=["Ostmark"]), end=end),
        "explicit": dumped(pond(3, passage="\n«Ä»\t\u2028 😀", answer_aliases=["Wendmark"])),
        "implicit": dumped(pond(4, memorised_aliases=[]), end="\n"),
    }
    reports = {level: imported(data, level) for level, data in given.items()}
    assert {report.how_it_comes_out for report in reports.values()} == {
        "An export gives the same bytes."
    }
    assert {level: exported(tmp_path, level) for level in given} == given
    rows = Contradiction.objects.order_by("position")
    assert [row.fields["level"] for row in rows] == ["simple", "simple", "explicit", "implicit"]
    assert "memorised_aliases" not in rows[0].fields


def test_a_file_of_another_form_is_the_same_data_and_says_where_it_differs(tmp_path):
    given = json.dumps({"canary": CANARY, "examples": [pond()]}).encode()
    assert imported(given).how_it_comes_out == (
        "An export gives the same records, but other bytes in line 1."
    )
    assert exported(tmp_path, "simple") == dumped(pond())


def test_one_record_in_two_levels_is_two_records(tmp_path):
    imported(dumped(pond()), "simple")
    report = imported(dumped(pond()), "implicit")
    assert (report.added, report.already_there) == (1, 0)
    assert [exported(tmp_path, level) for level in LEVELS] == [
        dumped(pond()), dumped(), dumped(pond()),
    ]  # fmt: skip
    assert imported(dumped(pond()), "implicit").added == 0


@pytest.mark.both
def test_more_records_of_a_level_leave_its_line_end_as_it_is(tmp_path):
    imported(dumped(pond(1)))
    imported(dumped(pond(2), end="\n"))
    assert exported(tmp_path, "simple") == dumped(pond(1), pond(2))


# ---------------------------------------------------------------- the level


def test_the_level_is_taken_from_the_name_of_the_file():
    report = imported(dumped(pond()), "", file_name="ponds_with_explicit_questions (1).json")
    assert report.noted.value == "explicit"


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ("", "The file's name does not say its “Level”. Choose one of simple, explicit, implicit."),
        ("hard", "'hard' is no “Level” of ponds. Choose one of simple, explicit, implicit."),
    ],
)
def test_a_file_whose_level_is_not_known_is_not_read(part, says):
    with pytest.raises(PartUnknown) as refused:
        imported(dumped(pond()), part, file_name="ponds.json")
    assert refused.value.message == says


def test_a_data_set_in_one_file_has_no_parts():
    conflictbank.protocol()
    with pytest.raises(PartUnknown, match="A file of conflictbank holds all records"):
        format_for("conflictbank", "new", part="simple")


# ---------------------------------------------------------------- the canary


@pytest.mark.parametrize("again", [pond(1), pond(2)])
@pytest.mark.parametrize("part", ["simple", "explicit"])
def test_a_file_with_another_canary_is_refused(again, part):
    imported(dumped(pond(1)))
    with pytest.raises(Conflict) as refused:
        imported(dumped(again, canary="Other ponds."), part)
    assert refused.value.message == (
        f"The file's canary is “Other ponds.”, and that of ponds is “{CANARY}”: it is of another source. "
        "Give a new collection."
    )
    assert Contradiction.objects.count() == 1
    assert list(Collection.objects.get().file_kept) == ["simple"]


def test_the_canary_is_shown_with_every_export_and_in_every_file(
    see, client, rosa, tmp_path, capsys
):
    collection = imported(dumped(pond(1))).collection
    assert f"<dt>Canary</dt><dd>{CANARY}" in see(rosa, PAGE)
    exported(tmp_path, "simple")
    assert capsys.readouterr().out.splitlines()[-1] == f"canary: {CANARY}"
    signed_in(client, rosa)
    _, data = downloaded(client, f"{PAGE}export/records-csv/")
    assert next(csv.DictReader(io.StringIO(data.decode())))["its canary"] == CANARY
    _, data = downloaded(client, f"{PAGE}export/complete-json/")
    assert json.loads(data)["records"][0]["canary"] == CANARY
    release = freeze(collection=collection, version="1.0")
    assert release.sha256 == hashlib.sha256(data).hexdigest()


# ---------------------------------------------------------------- what is odd, and what is refused


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"answer_aliases": ["Wendmark", ""]}, "a list has an empty text"),
        ({"answer_aliases": ["Wendmark", " \n"]}, "a list has an empty text"),
        ({"answer_aliases": ["Wendmark", "W", "W"]}, "a list has the same text twice"),
        ({"answer": "Ostmark"}, "a text is not in the list that is to hold it"),
        ({"answer_aliases": []}, "the list that is to hold a text is empty"),
        ({"passage": ""}, "a passage is empty"),
        ({"answer_aliases": ["Wendmark", *(f"Wendmark {n}" for n in range(199))]}, None),
        ({"answer": "W"}, None),
        ({"passage": "Über den Teich. " * 3125}, None),
        ({"memorised_aliases": []}, None),
    ],
)
def test_a_record_that_is_odd_is_kept_and_reported(tmp_path, changes, found):
    report = imported(dumped(pond(**changes)))
    assert [str(kind) for kind, _ in report.deviations_by_kind] == ([found] if found else [])
    assert exported(tmp_path, "simple") == dumped(pond(**changes))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (dumped(pond(answer_aliases=None)), "'answer_aliases' is missing"),
        (dumped(pond(answer=None)), "'answer' is missing"),
        (dumped(pond(answer_aliases="Wendmark")), "'answer_aliases' is text, not a list"),
        (dumped(pond(memorised_aliases=None), pond(2, memorised_aliases=[1])),
         "'memorised_aliases.1' is a number, not text"),
        (dumped(pond(level="simple")), "'level' is no key of a record: the import asks for it"),
        (dumped(canary=5), "The file is a list without a record."),
        (dumped(pond(), canary=5), "'canary' is a number, not text"),
        (b'{"canary": "a"}', "The file is an object without the list 'examples'."),
        (json.dumps([pond()]).encode(), "The file holds a list, not an object with the list 'examples'."),
        (json.dumps({"examples": [pond()]}).encode(), "'canary' is missing from the file"),
        (b'{"canary": "a", "examples": {}}', "'examples' in the file is an object, not a list of records."),
        (dumped("pond"), "is text, not an object with keys"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_kept_says_why(data, says):
    assert says in refusal(data)
    assert not Collection.everything.exists()


# ---------------------------------------------------------------- pages and commands


def test_the_page_takes_the_level_from_the_name_or_asks_for_it(client, olga):
    signed_in(client, olga)
    address = "/collections/new/import/"
    assert "Part of the data set" not in client.get(address).content.decode()
    install(TEXT.encode(), "ponds.toml")
    page = client.get(address).content.decode()
    assert '<optgroup label="Ponds by level">' in page
    assert (
        "passage, question, answer, answer_aliases. A record may have memorised_aliases too."
        in page
    )

    def posted(name, part):
        return brought(client, dumped(pond()), name, collection="ponds", format="ponds", part=part)

    answer = sent(client, dumped(pond()), "ponds.json", collection="ponds", format="ponds")
    assert answer.status_code == 400
    assert "does not say its “Level”. Choose one of" in answer.content.decode()
    report = posted("ponds_with_implicit_questions.json", "")
    assert "<dt>Part of the data set</dt><dd>implicit</dd> <dt>Added</dt><dd>1 of 1</dd>" in report
    posted("ponds_with_implicit_questions.json", "simple")
    assert [row.fields["level"] for row in Contradiction.objects.order_by("pk")] == [
        "implicit",
        "simple",
    ]


def test_the_page_has_a_file_for_each_level_under_a_name_that_says_it(see, client, rosa):
    imported(dumped(pond()))
    page = see(rosa, f"{PAGE}export/")
    assert [f'href="{PAGE}export/records-{level}/"' in page for level in LEVELS] == [True] * 3
    signed_in(client, rosa)
    answer, data = downloaded(client, f"{PAGE}export/records-simple/")
    assert data == dumped(pond())
    assert answer["Content-Disposition"] == (
        'attachment; filename="ponds-ponds_with_simple_questions.json"'
    )
    assert client.get(f"{PAGE}export/records/").status_code == 404
    assert "(empty)" not in see(rosa, f"{PAGE}questions/?slice-level=simple")
    assert sizes(rosa, [Collection.objects.get()])[Collection.objects.get().pk] == (1, 1)


def test_where_the_question_is_the_title_lists_have_it_once(see, rosa):
    imported(dumped(pond(7)))
    for address in (PAGE, f"{PAGE}questions/"):
        assert see(rosa, address).count('dir="auto">Where does Übersee 7 lie?<') == 1


def test_the_command_names_the_level(tmp_path, capsys):
    install(TEXT.encode(), "ponds.toml")
    path = tmp_path / "ponds.json"
    path.write_bytes(dumped(pond()))
    with pytest.raises(CommandError, match="Choose one of simple, explicit, implicit"):
        call_command("import_dataset", "ponds", path, "--collection=ponds")
    call_command("import_dataset", "ponds", path, "--collection=ponds", "--as=explicit")
    assert "part of the data set explicit" in capsys.readouterr().out


# ---------------------------------------------------------------- the published files


@pytest.mark.parametrize("level", LEVELS)
def test_the_published_files_come_out_as_they_came_in(level, tmp_path):
    folder = os.environ.get("STUDY_DATA_KNOT")
    if not folder:
        pytest.skip(
            "STUDY_DATA_KNOT is not set. It names a folder with the files of github.com/THU-KEG/KNOT."
        )
    path = Path(folder) / f"knot_with_{level}_questions.json"
    if not path.exists():
        pytest.skip(f"STUDY_DATA_KNOT has no {path.name}.")
    report = imported(path.read_bytes(), level)
    assert report.how_it_comes_out == "An export gives the same bytes."
    assert exported(tmp_path, level) == path.read_bytes()


def test_no_file_of_the_project_has_the_canary_of_published_data():
    if not shutil.which("git"):
        pytest.skip("There is no git.")
    found = subprocess.run(
        ["git", "grep", "-lIiE", "canary GUID[^[:alnum:]]*[0-9a-f]{8}-[0-9a-f]{4}-"],
        cwd=Path(__file__).parents[3], capture_output=True, text=True,
    )  # fmt: skip
    if found.returncode not in (0, 1):
        pytest.skip("This is no working copy of git.")
    assert found.stdout == ""
