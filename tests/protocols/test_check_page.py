"""The page that checks a file: every fault at once, or the file on a record. Nothing is stored before Install."""

import base64
import io
import json
import re
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from datasets.blinding import records_problem
from datasets.declared.records import parse_declared
from datasets.models import Collection
from datasets.records import add_contradiction, read_draft
from leases.refusal import Refusal
from protocols.installed import use
from protocols.models import Protocol
from protocols.shipped import file_of
from tests.protocols.factories import WHOLE, changed, installed

pytestmark = pytest.mark.django_db

RECORD = {
    "mill": "water",
    "question": "Who built the mill?",
    "source": "Bob built the mill.",
    "options": ["Alice", "Bob"],
    "right": "B",
}
# `says` asks for the same text in another field; the question is none.
PLAIN = changed('says = "question"\n', "", WHOLE)
LINES = (
    json.dumps(RECORD) + "\n" + json.dumps({**RECORD, "source": "Eve built it."}) + "\n"
).encode()


@pytest.fixture
def researcher(client, rosa):
    client.force_login(rosa)
    return client


@pytest.fixture
def admin(client, olga):
    client.force_login(olga)
    return client


def checked(client, data, name="mills.toml", records=None, **more):
    if isinstance(data, str):
        data = data.encode()
    files = {"file": SimpleUploadedFile(name, data)}
    if records is not None:
        files["records"] = SimpleUploadedFile("records.jsonl", records)
    response = client.post("/protocols/check/", {**files, **more})
    return response, response.content.decode()


def carried(page):
    return dict(re.findall(r'<input type="hidden" name="(carried|named)" value="([^"]*)"', page))


def test_every_fault_is_shown_with_its_line_and_what_is_allowed(researcher):
    text = changed("version = 1", 'version = "one"', WHOLE)
    text = changed('cells = ["accuracy"]', 'cells = ["acuracy"]', text)
    response, page = checked(researcher, text)
    assert response.status_code == 400
    for shown in (
        "mills.toml is no protocol. Nothing was installed.",
        "<strong>Line 3</strong>",
        "version = &quot;one&quot;",
        "This is not a whole number.",
        "version is a whole number. A number from 1 to 10000.",
        "<strong>Line 98</strong>",
        "table &#x27;by-setting&#x27;",
        "There is no measure &#x27;acuracy&#x27;.",
    ):
        assert shown in page
    assert not Protocol.objects.exists()


def test_a_file_without_faults_is_shown_on_an_invented_record_and_not_stored(researcher):
    response, page = checked(researcher, PLAIN)
    assert response.status_code == 200
    for shown in (
        "Nothing is wrong in mills.toml",
        "mills version 1 is not installed yet.",
        "What follows is shown on an invented record.",
        "Text of source.\nText of question. Options 1 or Options 2?",
        "What a judge sees of M 3",
        "Does the source answer the question?",
        "It does not.",
        "Without responses",
        "Each model",
        "An admin can install it.",
    ):
        assert shown in page, shown
    assert not Protocol.objects.exists()


def test_it_is_shown_on_a_record_of_a_file(researcher):
    _, page = checked(researcher, PLAIN, records=LINES)
    assert "shown on record 1 of records.jsonl." in page
    assert "Bob built the mill.\nWho built the mill? Alice or Bob?" in page
    _, page = checked(researcher, PLAIN, records=LINES, number="2")
    assert "Eve built it.\nWho built the mill? Alice or Bob?" in page


@pytest.mark.parametrize(
    ("records", "more", "sentence"),
    [
        (LINES, {"number": "3"}, "records.jsonl has no record number 3."),
        (LINES, {"number": "0"}, "Ensure this value is greater than or equal to 1."),
        (b"{}\n", {}, "record cannot be read"),
        (b"PK\3\4\xff", {}, "not UTF-8"),
        (None, {"collection": "watermills"}, "Select a valid choice."),
    ],
)
def test_a_record_that_cannot_be_had_says_why_and_the_invented_one_is_shown(
    researcher, records, more, sentence
):
    response, page = checked(researcher, PLAIN, records=records, **more)
    assert response.status_code == 400
    assert sentence in page
    assert "shown on an invented record." in page


def test_it_is_shown_on_a_record_of_a_collection_unless_that_is_hidden(
    researcher, rosa, monkeypatch
):
    row = installed(PLAIN)
    use(row)
    collection = Collection.objects.create(name="watermills", protocol=row)
    draft = read_draft(parse_declared(row.declaration, RECORD))
    add_contradiction(collection=collection, draft=draft)
    _, page = checked(researcher, changed("version = 1", "version = 2", PLAIN))
    assert '<option value="watermills">' in page
    again = {**carried(page), "collection": "watermills", "number": "1"}
    page = researcher.post("/protocols/check/", again).content.decode()
    assert "shown on record 1 of the collection watermills." in page
    assert "Bob built the mill.\nWho built the mill? Alice or Bob?" in page
    hidden = Refusal("Judge them first.", status=403)
    monkeypatch.setattr(records_problem, "providers", {"test": lambda who, rows: hidden})
    page = researcher.post("/protocols/check/", again).content.decode()
    assert "Judge them first." in page
    assert "Bob built the mill." not in page


def test_what_was_shown_is_what_is_installed_byte_for_byte(admin):
    text = PLAIN.replace("\n", "\r\n")
    _, page = checked(admin, text, name='<b>"mills".toml')
    done = admin.post("/protocols/install/", carried(page), follow=True).content.decode()
    assert "mills version 1 is installed." in done
    assert Protocol.objects.get().text == text


def test_an_installed_version_is_shown_the_same_way(researcher):
    installed(PLAIN)
    page = researcher.get("/protocols/mills/1/").content.decode()
    assert "Text of source.\nText of question. Options 1 or Options 2?" in page
    shown = researcher.post("/protocols/check/", {"known": "mills/1"}).content.decode()
    assert "This very file is installed as mills version 1." in shown


@pytest.mark.parametrize(
    ("text", "is_used", "sentence", "may_install"),
    [
        (PLAIN, False, "This very file is installed as mills version 2.", False),
        (changed("version = 2", "version = 1", PLAIN.replace("version = 1", "version = 2")), False,
         "mills version 1 is not installed yet. Version 2 is installed, which is higher.", True),
        (changed("Alice 2024", "Alice 2025", PLAIN), False,
         "mills version 2 is installed with another text, which nothing uses: this file would replace it.", True),
        (changed("Alice 2024", "Alice 2025", PLAIN), True,
         "mills version 2 is in use, with another text. Write version = 3 in the file.", False),
    ],
)  # fmt: skip
def test_what_installing_would_change_is_said(admin, text, is_used, sentence, may_install):
    second = PLAIN.replace("version = 1", "version = 2")
    row = installed(second)
    if is_used:
        use(row)
    if "higher" not in sentence:
        text = text.replace("version = 1", "version = 2")
    _, page = checked(admin, text)
    assert sentence in page
    assert ('action="/protocols/install/"' in page) == may_install


def zipped():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("mills.toml", WHOLE)
    return data.getvalue()


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"x = 1\n" * 900_000, "The file has more than 1,000,000 bytes. No protocol is that long."),
        (zipped(), "The file is no text: save the protocol as TOML, in UTF-8."),
        (PNG, "The file is no text: save the protocol as TOML, in UTF-8."),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "The file is not TOML: "),
        (b"a = 1\nb 2\n", "<strong>Line 2</strong>"),
    ],
    ids=["5 MB", "zip", "PNG", "SVG", "no TOML"],
)
def test_what_is_no_protocol_at_all_is_refused(researcher, data, sentence):
    response, page = checked(researcher, data)
    assert response.status_code == 400
    assert sentence in page


@pytest.mark.parametrize("tag", ["<script>alert(1)</script>", "{{ request.user }}", "{% debug %}"])
def test_html_and_templates_are_shown_as_text(researcher, tag):
    text = changed('title = "Mills: two sources on a mill"', f'title = "{tag}"', PLAIN)
    text = changed('label = "Source"', f'label = "{tag}"', text)
    text = changed('title = "The question alone"', f'title = "{tag}"', text)
    text = changed('title = "By setting"', f'title = "{tag}"', text)
    response, page = checked(researcher, text)
    assert response.status_code == 200
    assert page.count(tag.replace("<", "&lt;").replace(">", "&gt;")) >= 4
    assert "<script>alert" not in page


def test_a_fault_in_a_line_with_html_is_shown_as_text(researcher):
    _, page = checked(researcher, changed('shape = "lines"', 'shape = "<img src=x>"', WHOLE))
    assert "<img src=x>" not in page
    assert "&lt;img src=x&gt;" in page


@pytest.mark.parametrize("data", ["", "%%%", base64.b64encode(b"\xff").decode()])
def test_a_forged_form_is_refused(researcher, data):
    response = researcher.post("/protocols/check/", {"carried": data, "named": "x.toml"})
    assert response.status_code == 400


@pytest.mark.parametrize("known", ["mills/1", "../../etc/passwd", "a/b"])
def test_a_version_that_there_is_not_is_refused(researcher, known):
    assert researcher.post("/protocols/check/", {"known": known}).status_code in (400, 404)


def test_a_researcher_sees_a_file_and_does_not_install_it(researcher):
    _, page = checked(researcher, PLAIN)
    assert "/protocols/install/" not in page
    assert researcher.post("/protocols/install/", carried(page)).status_code == 403
    assert not Protocol.objects.exists()


@pytest.mark.parametrize("name", ["conflictbank", "knot"])
def test_the_protocols_of_the_program_are_shown_on_an_invented_record(researcher, name):
    response, page = checked(researcher, file_of(name), name=f"{name}.toml")
    assert response.status_code == 200
    assert "Not sent" not in page
    assert "Not judged" not in page
