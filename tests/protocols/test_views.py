"""Pages of protocols: what they show, install and remove, and what stays text."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.roles import Role
from datasets.models import Collection
from protocols.installed import use
from protocols.models import Protocol
from protocols.shipped import file_of
from tests.factories import person
from tests.protocols.factories import TEXT, WHOLE, changed, installed

pytestmark = pytest.mark.django_db

PAGE = "/protocols/mills/1/"


@pytest.fixture
def admin(client, olga):
    client.force_login(olga)
    return client


@pytest.fixture
def researcher(client, rosa):
    client.force_login(rosa)
    return client


def text_of(client, path):
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def sent(client, data, name="mills.toml"):
    upload = SimpleUploadedFile(name, data)
    return client.post("/protocols/install/", {"file": upload}, follow=True)


def test_the_list_has_installed_versions_and_those_of_the_program(researcher, olga):
    use(installed())
    installed(changed("version = 1", "version = 2"))
    Collection.objects.create(name="watermills", protocol=Protocol.objects.get(version=1))
    page = text_of(researcher, "/protocols/")
    for shown in (
        "wikicontradict version 1",
        "conflictbank version 1",
        "mills version 2",
        "watermills",
    ):
        assert shown in page
    assert page.count("Not used") == 1
    assert "/install/" not in page


def test_an_admin_installs_a_protocol_that_comes_with_the_program(admin):
    assert reverse("protocols:install", args=["conflictbank", 1]) in text_of(admin, "/protocols/")
    page = admin.post("/protocols/conflictbank/1/install/", follow=True)
    assert "conflictbank version 1 is installed." in page.content.decode()
    assert Protocol.objects.get().text.encode() == file_of("conflictbank")
    assert AuditEvent.objects.filter(about__startswith="protocol conflictbank version 1").exists()
    assert reverse("protocols:install", args=["conflictbank", 1]) not in text_of(
        admin, "/protocols/"
    )


def test_a_page_shows_all_that_a_protocol_declares(researcher):
    researcher.logout()
    researcher.force_login(person("rita", Role.RESEARCHER))
    page = text_of(researcher, "/protocols/conflictbank/1/")
    for shown in (
        "ConflictBank: conflicts in retrieved knowledge",
        "Out of scope: construction of records from Wikidata",
        "CC BY-SA 4.0 by the README",
        "one record a line",
        "the letter of a text in options, with the same text as replaced_object",
        "of 1 reads “ in {1}”; of 2 reads “ from {1} to {2}”",
        "a slice: wikipedia, book, new",
        "CB 4m", "setting = two pieces, cause = misinformation, order = conflict last, form = published",
        "the authors&#x27; program or files", "printed in the paper", "ours: in no paper",
        "{subject} in this quesion means {semantic_description}",
        "key = no, label = No; key = yes, label = Yes",
        "criteria: entails-default", "yes = Whoever believes the evidence must believe the claim.",
        "original = correct_option, counter = replace_option", "oar, car", "figure-8",
    ):  # fmt: skip
        assert shown in page, shown


def test_wikicontradict_has_a_page_and_nothing_to_install(admin):
    page = text_of(admin, "/protocols/wikicontradict/1/")
    assert "Every collection without another protocol uses it." in page
    assert "/install/" not in page
    refused = admin.post("/protocols/wikicontradict/1/install/")
    assert refused.status_code == 400
    assert "WikiContradict comes with the program" in refused.content.decode()


@pytest.mark.parametrize("name", ["mills", "conflictbank", "wikicontradict"])
def test_a_file_is_downloaded_byte_for_byte(researcher, name):
    installed(TEXT.replace("\n", "\r\n"))
    response = researcher.get(f"/protocols/{name}/1/file/")
    assert response["Content-Disposition"] == f'attachment; filename="{name}-1.toml"'
    assert response.content == (
        TEXT.replace("\n", "\r\n").encode() if name == "mills" else file_of(name)
    )


def test_texts_of_a_protocol_stay_texts(researcher):
    tag = "<script>alert(1)</script>"
    given = changed('title = "Mills: two sources on a mill"', f'title = "{tag}"', WHOLE)
    given = changed('text = "Does the source', f'text = "{tag}Does the source', given)
    installed(changed("Alice 2024", tag, given))
    for path in ("/protocols/", PAGE):
        page = text_of(researcher, path)
        assert tag not in page
        assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    "path", ["mills/2/", "mills/2/file/", "conflictbank/2/", "wikicontradict/0/", "weirs/1/"]
)
def test_there_is_no_page_of_a_version_that_there_is_not(researcher, path):
    installed()
    assert researcher.get(f"/protocols/{path}").status_code == 404


# ------------------------------------------------------------ installing


def test_a_file_is_installed_once(admin):
    first = sent(admin, TEXT.encode())
    assert first.redirect_chain == [(PAGE, 302)]
    assert "mills version 1 is installed." in first.content.decode()
    again = sent(admin, TEXT.encode(), "copy.toml")
    assert "mills version 1 was installed before: nothing was changed." in again.content.decode()
    assert Protocol.objects.count() == 1


@pytest.mark.parametrize(
    ("data", "sentences"),
    [
        (changed("slice = true", "slise = true").encode(), [
            "mills.toml is no protocol. Nothing was installed.",
            "<strong>Line 19</strong>", "field &#x27;mill&#x27;", "slise = true", "This is no key of [field].",
        ]),
        (b"x" * 5_000_000, ["The file has more than 1,000,000 bytes. No protocol is that long."]),
        (b"\xff\xfe", ["Line 1", "This is not UTF-8. Save the file as UTF-8."]),
        (b"[protocol", ["The file is not TOML: "]),
        (b"", ["The file is empty."]),
        (file_of("wikicontradict"), ["mills.toml: WikiContradict comes with the program."]),
    ],
    ids=["unknown key", "5 MB", "no UTF-8", "no TOML", "empty", "WikiContradict"],
)  # fmt: skip
def test_a_bad_file_is_refused_with_its_problems(admin, data, sentences):
    refused = sent(admin, data)
    assert refused.status_code == 400
    page = refused.content.decode()
    assert [sentence for sentence in sentences if sentence not in page] == []
    assert not Protocol.objects.exists()


# ------------------------------------------------------------ removing


def test_an_unused_version_is_removed_and_a_used_one_is_not(admin):
    installed()
    assert f"{PAGE}remove/" in text_of(admin, PAGE)
    use(Protocol.objects.get())
    assert f"{PAGE}remove/" not in text_of(admin, PAGE)
    stays = admin.post(f"{PAGE}remove/", follow=True)
    assert "mills version 1 stays: a collection has used it." in stays.content.decode()
    installed(changed("version = 1", "version = 2"))
    assert (
        "Removed: mills version 2."
        in admin.post("/protocols/mills/2/remove/", follow=True).content.decode()
    )
    assert list(Protocol.objects.values_list("version", flat=True)) == [1]


def test_what_comes_with_the_program_cannot_be_removed(admin):
    refused = admin.post("/protocols/conflictbank/1/remove/")
    assert refused.status_code == 404
    assert "conflictbank version 1 is not installed." in refused.content.decode()
