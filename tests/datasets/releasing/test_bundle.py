"""The bundle of a release: the same bytes each time, files that parse, hashes that fit, and texts of odd people."""

import csv
import hashlib
import io
import json
import re
import subprocess
import zipfile
from functools import partial
from types import SimpleNamespace

import pytest
import yaml
from django.utils import timezone

from accounts.roles import Role
from datasets.exclusions import exclude
from datasets.models import Collection, Instance
from datasets.releasing import freezing
from datasets.releasing.bundle.croissant import semantic
from datasets.releasing.bundle.fields import PROMPTS, QUESTIONS, RECORDS, fields_of
from datasets.releasing.bundle.licence_texts import known_licences
from datasets.releasing.bundle.licences import EITHER, attributions, licence_named, spdx
from datasets.releasing.bundle.texts import block, fenced, inline, yaml_text
from datasets.releasing.bundle.writing import stored_bundle
from datasets.releasing.freezing import released_rows
from datasets.releasing.stored_files import opened
from generation.prompts.prompting import prompts
from tests import conflictbank
from tests.datasets.declared import small, test_parts
from tests.datasets.factories import annotation, imported, mills, record
from tests.factories import person, signed_in
from wikifetch.models import Wiki

pytestmark = pytest.mark.django_db

ODD = {
    "title": "--- Old mills: `a` | {b}",
    "description": "# No heading\n---\n- no list\n1. no number\nA \u0085 and \u2028 line.",
    "creators": [
        {"name": "}", "orcid": "0000-0002-1825-0097", "affiliation": "Mill | Museum"},
        {"name": "Ash\nand: Sons", "orcid": "", "affiliation": ""},
        {"name": "'- \"[x](y)", "orcid": "", "affiliation": ""},
    ],
    "licence": "CC BY 4.0",
    "language": "en",
    "contact": "=HYPERLINK()",
    "source_authors": [{"name": "- a: {b}", "orcid": "", "affiliation": ""}],
    "source_title": "# `t` \u2028 | ---",
    "source_citation": "}\n---\n%",
    "keywords": "a: b, - c,, a: b",
    "how_made": "---\n## No heading",
}
HOU = {
    "source_title": "WikiContradict: A Benchmark for Evaluating LLMs",
    "source_authors": [
        {"name": "Yufang Hou", "orcid": "0000-0002-1825-0097", "affiliation": ""},
        {"name": "Alessandra Pascale", "orcid": "", "affiliation": ""},
    ],
    "source_year": "2024",
    "source_citation": "Hou et al. 2024, NeurIPS",
    "source_paper": "https://doi.org/10.48550/arXiv.2406.13805",
    "source_data": "https://data.example/wikicontradict",
}


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"


def released(*records, **about):
    collection = mills(*records)
    Collection.objects.filter(pk=collection.pk).update(**about)
    collection.refresh_from_db()
    return freezing.freeze(collection=collection, version="1.0", notes="First.")


def bytes_of(release):
    with opened(release.files.get(format="bundle")) as file:
        return file.read()


def files_of(release):
    zipped = zipfile.ZipFile(io.BytesIO(bytes_of(release)))
    return {entry.filename: zipped.read(entry) for entry in zipped.infolist()}


def lines_in(data):
    return [json.loads(line) for line in data.decode().splitlines()]


def front_of(readme):
    _, front, _ = re.split(r"^---$\n?", readme.decode(), maxsplit=2, flags=re.M)
    return yaml.safe_load(front)


@pytest.mark.both
def test_one_moment_and_the_same_rows_give_the_same_bytes(monkeypatch):
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    release = released(record(title="A"), record(title="B"), **ODD)
    assert release.created_at == now
    release.refresh_from_db()
    others = [*release.files.exclude(format="bundle")]
    again = stored_bundle(release, partial(released_rows, release), others, 0)
    assert again.sha256 == release.files.get(format="bundle").sha256
    for entry in zipfile.ZipFile(io.BytesIO(bytes_of(release))).infolist():
        assert (entry.date_time, entry.compress_type) == ((1980, 1, 1, 0, 0, 0), 0)
        assert (entry.create_system, entry.external_attr >> 16) == (3, 0o100644)


def test_the_sums_are_those_of_all_files(tmp_path):
    release = released()
    zipfile.ZipFile(io.BytesIO(bytes_of(release))).extractall(tmp_path / "out")
    listed = (tmp_path / "out" / "SHA256SUMS").read_text().splitlines()
    assert len(listed) == len(files_of(release)) - 1
    command = ["sha256sum", "-c", "--strict", "SHA256SUMS"]
    subprocess.run(command, cwd=tmp_path / "out", check=True, capture_output=True)
    (tmp_path / "out" / "README.md").write_text("changed")
    assert subprocess.run(command, cwd=tmp_path / "out", capture_output=True).returncode == 1


def test_data_are_the_stored_files_in_lines():
    release = released(record(title="A"), record(title="B"))
    files = files_of(release)
    for format_ in ("wikicontradict-json", "wikicontradict-csv"):
        file = release.files.get(format=format_)
        with opened(file) as stored:
            assert files[f"data/{file.name}"] == stored.read()
    with opened(release.files.get(format="complete-json")) as stored:
        assert lines_in(files["data/records.jsonl"]) == json.load(stored)["records"]
    questions = lines_in(files["data/questions.jsonl"])
    assert [list(line) for line in questions] == [[field.name for field in QUESTIONS]] * 2
    assert questions[1]["question_id"] == 2
    assert questions[1]["context_1"] == "The Old Mill was built in 1791."
    assert (questions[1]["same_passage"], questions[1]["kind"]) == (False, "wh")


@pytest.mark.parametrize("about", [ODD, {}], ids=["odd", "empty"])
def test_every_file_parses_whatever_the_collection_says_of_itself(about):
    release = released(record(title="A"), **about)
    files = files_of(release)
    title = about.get("title", "mills")
    card = front_of(files["README.md"])
    assert card["pretty_name"] == title
    names = ["questions", "records", "prompts"]
    assert [config["config_name"] for config in card["configs"]] == names
    assert [info["config_name"] for info in card["dataset_info"]] == ["questions", "prompts"]
    assert {split["split"] for c in card["configs"] for split in c["data_files"]} == {"test"}
    assert {split["path"] for c in card["configs"] for split in c["data_files"]} <= files.keys()
    assert card["size_categories"] == ["n<1K"]
    assert card["license"] == (["cc-by-sa-4.0", "cc-by-sa-3.0", "cc-by-4.0"] if about else "other")
    cited = yaml.safe_load(files["CITATION.cff"])
    assert (cited["title"], cited["version"]) == (title, "1.0")
    names = ["}", "Ash and: Sons", "'- \"[x](y)"] if about else ["(creators not given)"]
    assert [creator["name"] for creator in cited["authors"]] == names
    croissant = json.loads(files["croissant.json"])
    assert croissant["conformsTo"][0] == "http://mlcommons.org/croissant/1.0"
    assert croissant["@context"]["@vocab"] == "https://schema.org/"
    sums = dict(line.split("  ")[::-1] for line in files["SHA256SUMS"].decode().splitlines())
    for file in croissant["distribution"]:
        assert sums[file["contentUrl"]] == file["sha256"]
    for name in ("records", "questions", "prompts"):
        properties = json.loads(files[f"schema/{name}.json"])["properties"]
        assert all(
            line.keys() == properties.keys() for line in lines_in(files[f"data/{name}.jsonl"])
        )
    assert len(list(csv.DictReader(io.StringIO(files["attribution.csv"].decode())))) == 2


def test_the_source_is_credited_wherever_the_release_is():
    creators = [{"name": "Ada", "orcid": "", "affiliation": ""}]
    files = files_of(released(**HOU, source="Read at Ahrfeld", creators=creators))
    card = files["README.md"].decode()
    assert "> Read at Ahrfeld  \n> Hou et al. 2024, NeurIPS. Paper: https" in card
    entries = card.partition("## Cite it")[2]
    assert [line for line in entries.splitlines() if line.startswith("@")] == [
        "@misc{mills-1-0,", "@misc{mills-1-0-source,",
    ]  # fmt: skip
    for said in (
        "author = {{Yufang Hou} and {Alessandra Pascale}}", "doi = {10.48550/arXiv.2406.13805}",
        "url = {https://data.example/wikicontradict}", "note = {Hou et al. 2024, NeurIPS}", "year = {2024}",
        "Its records are from: Hou et al. 2024, NeurIPS. Paper: https://doi.org/10.48550/arXiv.2406.13805 Data: ",
    ):  # fmt: skip
        assert said in entries
    assert front_of(files["README.md"])["source_datasets"] == [
        "extended|wikipedia", "extended|other-read-at-ahrfeld",
        "extended|other-wikicontradict-a-benchmark-for-evaluating-llms",
    ]  # fmt: skip
    paper, data = yaml.safe_load(files["CITATION.cff"])["references"]
    assert (paper["type"], paper["doi"]) == ("article", "10.48550/arXiv.2406.13805")
    assert (data["type"], data["url"]) == ("data", HOU["source_data"])
    assert [each["name"] for each in paper["authors"]] == ["Yufang Hou", "Alessandra Pascale"]
    assert (paper["title"], paper["year"], paper["notes"]) == (
        HOU["source_title"], 2024, HOU["source_citation"],
    )  # fmt: skip
    croissant = json.loads(files["croissant.json"])
    assert croissant["citation"].startswith("Hou et al. 2024, NeurIPS. Paper: https://doi.org/")
    assert croissant["isBasedOn"]["name"] == HOU["source_title"]
    assert croissant["isBasedOn"]["url"] == HOU["source_data"]
    raw = croissant["rai:dataCollectionRawData"]
    assert raw.startswith("Read at Ahrfeld\nHou et al. 2024, NeurIPS. Paper: ")
    assert "Hou et al. 2024, NeurIPS." in files["DATASHEET.md"].decode()


def test_a_source_of_which_only_the_citation_is_known_is_credited_by_it():
    cited = "Hou, Y. et al. (2024): WikiContradict."
    files = files_of(released(source_citation=cited))
    [reference] = yaml.safe_load(files["CITATION.cff"])["references"]
    assert (reference["type"], reference["title"]) == ("generic", cited)
    croissant = json.loads(files["croissant.json"])
    assert (croissant["citation"], croissant["isBasedOn"]["name"]) == (cited, cited)
    assert f"title = {{{{{cited}}}}}" in files["README.md"].decode()


def test_the_source_that_a_protocol_names_is_credited():
    conflictbank.imported(conflictbank.file_of_records(conflictbank.record(1)))
    release = freezing.freeze(collection=Collection.objects.get(), version="1.0")
    croissant = json.loads(files_of(release)["croissant.json"])
    assert "Su et al." in croissant["citation"]


def test_the_card_counts_its_rows_and_has_the_words_that_were_entered():
    words = {
        "annotated_by": "expert-generated",
        "keywords": "mills, history",
        "how_made": "Two millers read each tag.",
        "limits": "Mills alone.",
        "biases": "Water mills.",
        "personal_data": "Millers of 1800.",
    }
    release = released(record(title="A"), record(title="B"), **words)
    files = files_of(release)
    front, card = front_of(files["README.md"]), files["README.md"].decode()
    assert front["annotations_creators"] == ["expert-generated"]
    assert front["tags"] == ["mills", "history", "contradiction", "wikipedia"]
    questions = lines_in(files["data/questions.jsonl"])
    lengths = sorted(len(line["context_1"]) for line in questions)
    for said in (
        *list(words.values())[2:],
        '"question_id": 1,',
        f"| `context_1` | 2 | {lengths[0]} | {lengths[0]} | {lengths[1]} |",
        "| `kind` | wh | 2 |",
        "Of 4 gold answers, 0 are marked as inferred",
        "Of 4 sources of passages, 0 name the revision",
        "Who annotated the records is not known here.",
    ):
        assert said in card
        assert said in files["DATASHEET.md"].decode() or said.startswith('"')
    responsible = json.loads(files["croissant.json"])
    assert responsible["conformsTo"][1] == "http://mlcommons.org/croissant/RAI/1.0"
    assert {name: responsible[f"rai:{name}"] for name in ("dataCollection", "dataLimitations", "dataBiases")} == {
        "dataCollection": words["how_made"], "dataLimitations": words["limits"], "dataBiases": words["biases"],
    }  # fmt: skip
    assert responsible["rai:personalSensitiveInformation"] == words["personal_data"]
    assert "rai:annotationsPerItem" not in responsible  # nobody knows


def test_a_doi_that_is_reserved_before_the_freeze_is_in_the_files():
    release = freezing.freeze(collection=mills(), version="1.0", doi="10.5281/zenodo.1")
    files = files_of(release)
    assert yaml.safe_load(files["CITATION.cff"])["doi"] == "10.5281/zenodo.1"
    assert json.loads(files["croissant.json"])["url"] == "https://doi.org/10.5281/zenodo.1"
    assert "https://doi.org/10.5281/zenodo.1" in files["README.md"].decode()


def test_what_is_empty_stays_visibly_empty():
    sheet = files_of(released())["DATASHEET.md"].decode()
    assert "Contact: (not given)" in sheet
    assert sheet.count("(not given)") >= 6
    assert [f"## {n}." in sheet for n in range(1, 9)] == [True] * 7 + [False]
    assert "| Records | 1 |" in sheet


def test_names_of_editors_and_makers_of_the_release_are_not_in_it():
    collection = mills()
    release = freezing.freeze(
        collection=collection, version="1.0", by=person("quentin", Role.ADMIN)
    )
    assert b"quentin" not in bytes_of(release)


def columns(**changes):
    return {
        "external_id": "f" * 64,
        "url": "https://en.wikipedia.org/wiki/Old_Mill",
        "title": "Old Mill",
        "article_1": "Old Mill",
        "article_2": "New Mill?",
        "passage_1_copied": "It was built in 1791.",
        "passage_2_copied": "It was built in 1803.",
        "oldid": None,
        "provenance": {},
    } | changes


def lines_for(columns):
    return list(attributions(columns, {}, {}))


def piece(day, revid=7):
    return {"revid": revid, "title": "Old Mill", "date": day}


@pytest.mark.parametrize(
    ("version", "written"),
    [
        ("1.0", "1.0"),
        ("2", "2"),
        ("1.20.3", "1.20.3"),
        ("2026-11", "0.0.0+2026-11"),
        ("v1.0_a", "0.0.0+v1-0-a"),
        ("01.2", "0.0.0+01-2"),
        ("1.2.3.4", "0.0.0+1-2-3-4"),
    ],
)
def test_croissant_has_a_version_of_numbers(version, written):
    assert semantic(version) == written


@pytest.mark.parametrize(
    ("day", "licence"),
    [
        ("2023-06-06", "CC-BY-SA-3.0"),
        ("2023-06-07", "CC-BY-SA-4.0"),
        ("2026-01-01", "CC-BY-SA-4.0"),
    ],
)
def test_a_passage_has_the_licence_of_the_day_of_its_revision(day, licence):
    one, _ = lines_for(columns(provenance={"1": [piece(day), piece(day)]}))
    assert one[3:] == (
        "https://en.wikipedia.org/wiki/Old_Mill?oldid=7",
        "https://en.wikipedia.org/wiki/Old_Mill?action=history",
        day,
        licence,
        "",
    )


def test_a_passage_without_a_revision_says_so():
    one, two = lines_for(columns())
    assert one[3] == ""
    assert one[7] == "The source names no revision."
    assert two[4] == "https://en.wikipedia.org/wiki/New_Mill%3F?action=history"
    assert one[6] == "CC-BY-SA-3.0 before 2023-06-07, CC-BY-SA-4.0 since"
    tagged, other = lines_for(columns(oldid=9))
    assert tagged[3].endswith("?oldid=9")
    assert "date of the revision is not known" in tagged[7]
    assert other[3] == ""


@pytest.mark.parametrize(
    ("title", "url", "link"),
    [
        ("AC/DC", "https://wiki.example/AC/DC", "https://wiki.example/New_Mill%3F?action=history"),
        ("A", "http://wiki.example/w/A#B", "http://wiki.example/w/New_Mill%3F?action=history"),
        (
            "A/B",
            "https://wiki.example/index.php?title=A/B",
            "https://wiki.example/index.php?title=New_Mill%3F&action=history",
        ),
    ],
)
def test_a_link_is_as_the_addresses_of_its_wiki_are(title, url, link):
    own, other = lines_for(columns(title=title, article_1=title, url=url, oldid=9))
    assert own[3] == f"{url.partition('#')[0]}{'&' if '?' in url else '?'}oldid=9"
    assert other[4] == link


@pytest.mark.parametrize(
    ("url", "licence"),
    [
        ("https://wiki.example/wiki/A", "as the wiki says"),
        ("https://en.wikipedia.org.example/wiki/A", "as the wiki says"),
        ("", ""),
        ("https://[broken", ""),
    ],
)
def test_another_wiki_has_a_licence_of_its_own(url, licence):
    one, _ = lines_for(columns(url=url, provenance={"1": [piece("2026-01-01")]}))
    assert one[6] == licence


@pytest.mark.parametrize(
    ("text", "url", "licence"),
    [
        ("CC BY-SA", "https://creativecommons.org/licenses/by-sa/4.0/deed.de", "CC-BY-SA-4.0"),
        ("", "http://www.creativecommons.org/licenses/by-nd/2.5/", "CC-BY-ND-2.5"),
        ("CC0", "https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("cc by 4.0", "https://licence.example/", "CC-BY-4.0"),
        ("Ours", "https://licence.example/", "Ours https://licence.example/"),
        ("Ours", "https://licence.example/creativecommons.org/licenses/by/4.0",
         "Ours https://licence.example/creativecommons.org/licenses/by/4.0"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_a_wiki_s_licence_is_called_by_its_name(text, url, licence):
    assert licence_named(text, url) == licence


def of_wiki(host, **rights):
    Wiki.objects.create(base_url=f"https://{host}/wiki/", name=host, **rights)
    return record(title=host, url=f"https://{host}/wiki/Mill")


def test_each_wiki_has_the_licence_that_it_says():
    by = {"rights_text": "CC BY 4.0", "rights_url": "https://creativecommons.org/licenses/by/4.0/"}
    said, silent = of_wiki("a.example", **by), of_wiki("b.example")
    own = of_wiki("en.wikipedia.org", rights_text="Nothing")
    files = files_of(released(said, own, **ODD))
    lines = csv.DictReader(io.StringIO(files["attribution.csv"].decode()))
    assert {(line["title"], line["licence"]) for line in lines if line["passage"] == "1"} == {
        ("Old Mill, Ahrfeld", "CC-BY-4.0"),
        ("Old Mill, Ahrfeld", EITHER),
    }
    assert "| Passages copied from a.example | CC-BY-4.0 |" in files["LICENSES.md"].decode()
    assert f"| Passages copied from en.wikipedia.org | {EITHER} |" in files["LICENSES.md"].decode()
    assert front_of(files["README.md"])["license"] == ["cc-by-4.0", "cc-by-sa-4.0", "cc-by-sa-3.0"]
    imported(silent, record(url=""), into="silent")
    files = files_of(
        freezing.freeze(collection=Collection.objects.get(name="silent"), version="1.0")
    )
    assert "| Passages copied from b.example | as the wiki says |" in files["LICENSES.md"].decode()
    assert "pages that are not named | (not given) |" in files["LICENSES.md"].decode()
    assert front_of(files["README.md"])["license"] == "other"


def test_a_title_that_a_spreadsheet_would_run_is_text():
    given = annotation(paragraphA_article='=1+"', paragraphB_article="A\n, B")
    rows = list(
        csv.reader(io.StringIO(files_of(released(record(given=given)))["attribution.csv"].decode()))
    )
    assert [row[2] for row in rows] == ["title", "'=1+\"", "A\n, B"]


def test_a_record_without_passages_is_from_nowhere():
    none = columns(passage_1_copied=None, passage_2_copied="")
    assert lines_for(none) == []
    given = annotation(wikitag_label_valid="Invalid", paragraphA_information=None,
                       paragraphB_information=None)  # fmt: skip
    files = files_of(released(record(given=given)))
    assert files["attribution.csv"].decode().count("\n") == 1


@pytest.mark.parametrize(
    "text",
    ["}", "a\nb", "---", "'", '"', "# x", "\x7f\x85\u2028\ufeff", "\U0001f600", "a: b", "- x", ""],
)
def test_a_text_in_yaml_is_read_back(text):
    assert yaml.safe_load(f"title: {yaml_text(text)}\n") == {"title": text}


def test_a_text_in_markdown_makes_no_markup():
    assert inline("a\n---") == "a ---"
    assert inline("--- [a](b) | <i>") == r"\--- \[a\](b) \| \<i\>"
    assert inline(" ") == "(not given)"
    assert block("# a\n\n1. b\n2020 was") == "> \\# a  \n>\n> 1\\. b  \n> 2020 was  "
    assert fenced("a ``` b").splitlines() == ["````", "a ``` b", "````"]


@pytest.mark.parametrize(
    ("text", "name"),
    [("cc-by-4.0", "CC-BY-4.0"), ("CC BY-SA 3.0", "CC-BY-SA-3.0"), ("ours", ""), ("", "")],
)
def test_a_licence_is_known_by_its_name(text, name):
    assert spdx(text) == name


def test_fields_of_a_protocol_keep_their_names_where_ours_are_the_same():
    declaration = small.declaration()
    lines = fields_of(declaration, "Ferries.")
    assert [field.name for field in lines.questions.fields] == [
        "id", "version", *declaration.fields, "canary", "licence",
    ]  # fmt: skip
    assert lines.added == {"canary": "Ferries.", "licence": "none"}
    assert fields_of(None, "").records.fields == RECORDS


def test_all_text_of_a_protocols_records_is_under_its_licence():
    facts = SimpleNamespace(
        protocol="ponds v1", protocol_licence="CC BY 4.0", said=lambda _: "CC0 1.0", wikis={},
        counted=SimpleNamespace(annotation_letters=900),
    )  # fmt: skip
    assert known_licences(facts) == [spdx("CC BY 4.0"), spdx("CC0 1.0")]


def test_records_of_a_protocol_have_its_canary_and_licence_in_every_line():
    collection = test_parts.imported(
        test_parts.dumped(test_parts.pond(1), test_parts.pond(2, memorised_aliases=["B"]))
    ).collection
    files = files_of(freezing.freeze(collection=collection, version="1.0"))
    marks = {"canary": test_parts.CANARY, "licence": "none"}
    records, questions = (
        lines_in(files[f"data/{name}.jsonl"]) for name in ("records", "questions")
    )
    assert [line | marks for line in records + questions] == records + questions
    assert records[0]["record"]["passage"] == questions[0]["passage"]
    # The protocol has an id of its own.
    assert (questions[0]["_id"], questions[0]["id"]) == (records[0]["id"], f"{1:064x}")
    assert [line["memorised_aliases"] for line in questions] == [None, ["B"]]
    for name in ("README.md", "LICENSES.md"):
        assert test_parts.CANARY in files[name].decode()
    assert "attribution.csv" not in files
    assert "data/ponds-1.0-ponds_with_simple_questions.json" in files


def test_prompts_are_lines_of_their_own_and_run_by_two_programs():
    files = files_of(released(record(title="A"), record(title="B")))
    [one, *_, other] = lines = lines_in(files["data/prompts.jsonl"])
    assert len(lines) == 2 * 7
    assert list(one) == [field.name for field in PROMPTS]
    records = lines_in(files["data/records.jsonl"])
    assert (one["record_id"], other["record_id"]) == (records[0]["id"], records[1]["id"])
    assert one["id"] == f"{records[0]['id']}:1:internal-knowledge"
    assert (one["gold"], one["kind"]) == (["1791", "1803"], "wh")
    assert one["prompt_sha256"] == prompts()["internal-knowledge"].sha256
    assert [path for path in files if path.startswith(("inspect/", "lm_eval/"))] == [
        "inspect/wikicontradict.py", "inspect/judge-prompt.json", "lm_eval/wikicontradict.yaml",
        "lm_eval/wikicontradict.py",
    ]  # fmt: skip
    text = files["README.md"].decode()
    assert "What either shows is no person's verdict." in text
    assert "inspect eval inspect/wikicontradict.py" in text


def test_prompts_have_the_same_bytes_in_every_database():
    given = annotation(
        question2="War es „{alt}“?", question2_answer1="ja", question2_answer2="nein"
    )
    files = files_of(released(record(title="A"), record(title="B", given=given)))
    digest = hashlib.sha256(files["data/prompts.jsonl"]).hexdigest()
    assert digest == "30fe66fccc83409194863b33a36da754db5c3c223f206108ad80ee135136fe3c"


def test_prompts_of_a_protocol_have_its_canary_and_licence_and_no_program_that_runs_them():
    collection = conflictbank.collection(1)
    files = files_of(freezing.freeze(collection=collection, version="1.0"))
    lines = lines_in(files["data/prompts.jsonl"])
    licence = collection.declaration.licence
    assert lines
    assert {line["licence"] for line in lines} == {licence}
    assert {line["answer"] for line in lines} == {"scores"}
    assert "gold" not in lines[0]
    assert not [path for path in files if path.startswith(("inspect/", "lm_eval/"))]
    assert "Run it in a lab" not in files["README.md"].decode()


def test_a_protocol_without_prompts_has_no_file_of_them():
    collection = test_parts.imported(test_parts.dumped(test_parts.pond(1))).collection
    files = files_of(freezing.freeze(collection=collection, version="1.0"))
    assert {"data/prompts.jsonl", "schema/prompts.json"} & files.keys() == set()
    card = front_of(files["README.md"])
    assert [config["config_name"] for config in card["configs"]] == ["questions", "records"]
    assert "prompts.jsonl" not in files["README.md"].decode()


def test_a_record_that_is_left_out_is_not_counted():
    collection = conflictbank.collection(2)
    question = Instance.objects.filter(contradiction__collection=collection).first()
    person("rosa", Role.RESEARCHER)
    olga = person("olga", Role.RESEARCHER)
    exclude(instance=question, reason="Rosa found a slip", by=olga)
    files = files_of(freezing.freeze(collection=collection, version="1.0"))
    assert len(lines_in(files["data/records.jsonl"])) == 1
    sheet = files["DATASHEET.md"].decode()
    assert "| Records | 1 |" in sheet
    assert "| Questions left out | 1 |" in sheet
    # A reason may name somebody.
    assert "Rosa" not in sheet


def test_the_bundle_stands_first_on_the_page_and_is_downloaded(client):
    release = released()
    signed_in(client, person("alice", Role.ADMIN))
    page = client.get("/collections/mills/releases/1.0/").content.decode()
    assert page.index("mills-1.0.zip") < page.index("mills-1.0-records.json")
    answer = client.get("/collections/mills/releases/1.0/files/bundle/")
    assert answer["Content-Type"] == "application/zip"
    assert b"".join(answer.streaming_content) == bytes_of(release)
