"""Admins edit the guideline in the app: versions, preview, two admins at a time, and what campaigns use."""

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from annotation import guidelines
from annotation.campaigns import managing
from annotation.guideline_text import parts_of
from annotation.models import Annotation, Guideline
from leases.refusal import Conflict, StaleVersion
from tests.annotation import factories as make
from tests.annotation.test_annotate_pages import text_of
from tests.factories import signed_in

pytestmark = pytest.mark.django_db

EDIT = "/campaigns/guideline/edit/"


@pytest.fixture
def olga(client):
    return signed_in(client, make.admin("oda"))


def texts(**changes):
    return {**parts_of(guidelines.current_guideline().body), **changes}


def save(by, base="1", **changes):
    return guidelines.save_guideline(texts(**changes), base=base, by=by)


def send(client, action="save", base="1", **changes):
    return client.post(EDIT, {**texts(**changes), "base": base, "action": action})


def test_the_first_version_is_what_the_files_have():
    first = guidelines.current_guideline()
    assert (first.version, first.author) == ("1", None)
    assert "Marl Bridge" in first.body


def test_saving_makes_a_version_that_new_campaigns_get(client, olga):
    response = send(client, introduction="Be kind.")
    assert response.url == reverse("annotation:guidelines")
    second = Guideline.objects.get(version="2")
    assert (second.author, parts_of(second.body)["introduction"]) == (olga, "Be kind.")
    assert make.campaign().guideline == second
    assert AuditEvent.objects.filter(kind="guideline", by=olga, about="Version 2 saved").exists()


def test_lines_end_the_same_however_the_browser_sends_them(client, olga):
    send(client, introduction="One.\r\nTwo.")
    assert texts()["introduction"] == "One.\nTwo."


@pytest.mark.both
def test_a_second_click_makes_no_second_version(client, olga):
    for _ in range(2):
        assert send(client, introduction="Be kind.").status_code == 302
    assert Guideline.objects.count() == 2


def test_files_do_not_replace_what_an_admin_saved(monkeypatch):
    saved = save(make.admin(), introduction="Ours.")
    monkeypatch.setattr(guidelines, "body_of_files", lambda: saved.body + "\nAn update.")
    assert guidelines.current_guideline() == saved


def test_files_are_followed_until_an_admin_has_saved_a_version(monkeypatch):
    first = guidelines.current_guideline()
    monkeypatch.setattr(guidelines, "body_of_files", lambda: first.body + "\nAn update.")
    assert guidelines.current_guideline().version == "2"


def test_the_text_of_an_earlier_version_makes_that_one_current_again():
    olga = make.admin()
    first = texts()
    save(olga, introduction="Ours.")
    assert guidelines.save_guideline(first, base="2", by=olga).version == "1"
    assert guidelines.current_guideline().version == "1"


def test_a_preview_shows_the_text_and_saves_nothing(client, olga):
    response = send(client, "preview", **{"step-1": "Look at **this**. <script>alert(1)</script>"})
    page = response.content.decode()
    assert response.status_code == 200
    assert "Look at <strong>this</strong>. &lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert Guideline.objects.count() == 1


def test_a_script_in_a_guideline_is_shown_as_text(client, olga):
    evil = "<script>alert(1)</script>"
    send(client, introduction=evil)
    draft = make.draft(make.annotator())
    pages = [reverse("annotation:guideline", args=["2"]), "/campaigns/guideline/2/changes/", EDIT]
    for path in pages:
        page = client.get(path).content.decode()
        assert evil not in page
        assert "&lt;" in page
    assert draft.guideline.version == "2"


def test_a_stale_save_is_refused_with_a_comparison_and_loses_nothing(client, olga):
    save(make.admin("oleg"), introduction="The other's words.")
    mine = texts(introduction="My words.")
    response = client.post(EDIT, {**mine, "base": "1", "action": "save"})
    page = text_of(response)
    assert response.status_code == 412
    assert "Version 2 was saved since you began" in page
    html = response.content.decode()
    assert "<del>The other&#x27;s</del><ins>My</ins>" in html
    assert 'name="base" value="2"' in html
    assert "My words.</textarea>" in html
    assert Guideline.objects.count() == 2


@pytest.mark.both
def test_the_function_refuses_a_stale_save_too():
    save(make.admin(), introduction="One.")
    with pytest.raises(StaleVersion):
        save(make.admin("oleg"), introduction="Two.")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "This field is required."),
        ("a" * 20_001, "at most 20000 characters"),
        ("Read.\r\n<!-- step-2 -->\r\nWrite.", "such lines separate the parts"),
        ("a\0b", "Null characters are not allowed."),
    ],
    ids=["empty", "long", "marker", "null"],
)
def test_a_part_that_cannot_be_saved_is_refused_at_its_field(client, olga, text, reason):
    response = send(client, **{"step-1": text})
    assert response.status_code == 400
    assert reason in text_of(response)
    assert Guideline.objects.count() == 1


def test_the_list_names_author_and_campaigns(client, olga):
    make.campaign(by=olga)
    save(olga, introduction="Ours.")
    page = text_of(client.get(reverse("annotation:guidelines")))
    assert "Comes with the program" in page
    assert "Mills" in page
    assert olga.name in page


def test_changes_are_those_since_the_version_before(client, olga):
    guidelines.current_guideline()
    save(olga, **{"step-6": "Be sure."})
    page = text_of(client.get("/campaigns/guideline/2/changes/"))
    assert "Step 6. How sure are you?" in page
    assert "Step 5" not in page
    assert "first version" in text_of(client.get("/campaigns/guideline/1/changes/"))


# ---------------------------------------------------------------- what a campaign uses


def test_an_open_campaign_can_be_moved_to_the_current_version(client, olga):
    campaign = make.campaign(tags=2, by=olga)
    before = make.draft(make.annotator(), within=campaign)
    save(olga, introduction="Ours.")
    assert "Use the current version" in text_of(client.get(f"/campaigns/{campaign.pk}/"))
    client.post(f"/campaigns/{campaign.pk}/guideline/")
    after = make.draft(make.annotator("bob"), within=campaign)
    assert (before.guideline.version, after.guideline.version) == ("1", "2")
    assert Annotation.objects.get(pk=before.pk).guideline.version == "1"
    assert AuditEvent.objects.filter(kind="guideline", about="Mills: version 2").exists()


def test_a_closed_campaign_keeps_its_version():
    olga = make.admin()
    campaign = make.campaign(by=olga)
    save(olga, introduction="Ours.")
    managing.change_campaign(campaign, "close")
    with pytest.raises(Conflict, match="Reopen it first"):
        guidelines.use_current_guideline(campaign, olga)
    campaign.refresh_from_db()
    assert campaign.guideline.version == "1"
