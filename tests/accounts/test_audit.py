"""The audit log: what is in it, what never is, who reads it, and that nobody changes it."""

import json
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import ProtectedError
from django.test import Client
from django.utils import timezone

from accounts import audit, invitations, tasks
from accounts.audit import AuditKind, Narrowing, record
from accounts.models import AuditEvent, Invitation
from accounts.roles import Role
from datasets import exclusions
from datasets.models import Exclusion, Instance
from datasets.releasing.freezing import freeze
from leases.clock import in_seconds
from leases.refusal import Refusal
from operations import backups, forgetting
from tests.datasets.factories import imported, mills
from tests.datasets.factories import record as published
from tests.factories import PASSWORD, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return person("olga", Role.ADMIN)


@pytest.fixture
def admin(olga):
    client = Client()
    client.force_login(olga)
    return client


@pytest.fixture
def alice():
    return person("alice", Role.ANNOTATOR)


def logged(*kinds):
    """(kind, username, name of the person, about) of the entries, oldest first."""
    rows = AuditEvent.objects.order_by("pk").select_related("by", "person")
    names = [
        (
            row.kind,
            str(row.by and row.by.username),
            str(row.person and row.person.username),
            row.about,
        )
        for row in rows
    ]
    return [row for row in names if not kinds or row[0] in kinds]


# ---------------------------------------------------------------- what is recorded


def test_a_sign_in_is_recorded(alice):
    Client().post("/sign-in/", {"username": "ALICE", "password": PASSWORD})
    assert logged() == [("sign-in", "alice", "None", "")]


def test_a_wrong_password_is_recorded_for_the_person_and_nothing_that_was_typed(alice):
    Client().post("/sign-in/", {"username": "alice", "password": "open sesame"})
    assert logged() == [("failure", "None", "alice", "")]


def test_an_unknown_name_is_not_kept_because_it_may_be_a_password(alice):
    Client().post("/sign-in/", {"username": "correct-horse-battery", "password": "alice"})
    assert logged() == [("failure", "None", "None", "unknown name")]
    assert "correct-horse" not in json.dumps(logged())


def test_roles_access_links_and_passwords_are_recorded(admin, alice):
    admin.post(f"/people/{alice.pk}/", {"roles": ["judge", "annotator"]})
    admin.post(f"/people/{alice.pk}/", {"roles": ["judge", "annotator"]})  # no change
    admin.post(f"/people/{alice.pk}/active/", {"active": "no"})
    admin.post(f"/people/{alice.pk}/active/", {"active": "yes"})
    shown = admin.post(f"/people/{alice.pk}/password-link/").content.decode()
    admin.post("/invitations/", {"roles": ["judge"], "people": "Bob Miller"})
    admin.post(f"/invitations/{Invitation.objects.get().pk}/withdraw/")
    link = shown.split("http://127.0.0.1:8000")[1].split("<")[0].split("&")[0].split(chr(34))[0]
    Client().post(link, {"password": "a new road to Canossa"})
    assert logged()[1:] == [
        ("role", "olga", "alice", "annotator, judge"),
        ("role", "olga", "alice", "may not sign in"),
        ("role", "olga", "alice", "may sign in"),
        ("link", "olga", "alice", "new password"),
        ("link", "olga", "None", "invitation as judge"),
        ("link", "olga", "None", "invitation withdrawn"),
        ("password", "alice", "None", "by a link"),
        ("sign-in", "alice", "None", ""),
    ]
    assert not any(word in json.dumps(logged()) for word in ("Bob", "Canossa", link.split("/")[-2]))


def test_an_invitation_that_is_used_is_recorded_without_its_token(olga):
    token = invitations.invite(roles=[Role.JUDGE], by=olga)
    Client().post(f"/join/{token}/", {"username": "bob", "name": "Bob", "password": PASSWORD})
    assert logged()[1:] == [
        ("link", "olga", "bob", "invitation used"),
        ("role", "olga", "bob", "judge"),
        ("sign-in", "bob", "None", ""),
    ]
    assert token not in json.dumps(logged())


def test_an_own_new_password_is_recorded(alice):
    client = Client()
    client.force_login(alice)
    new = "a new road to Canossa"
    client.post("/account/password/", {"current_password": PASSWORD, "new_password": new})
    assert logged("password") == [("password", "alice", "None", "")]


def test_imports_exports_and_releases_are_recorded(admin, olga):
    imported(published(), by=olga)
    imported(published(), by=olga)  # adds nothing
    b"".join(admin.get("/collections/mills/export/wikicontradict-json/").streaming_content)
    admin.get("/collections/none/export/wikicontradict-json/")
    freeze(collection=mills(), version="1.0", by=olga)
    assert logged("import", "export", "freeze") == [
        ("import", "olga", "None", "collection mills"),
        ("export", "olga", "None", "/collections/mills/export/wikicontradict-json/"),
        ("freeze", "olga", "None", "release 1.0 of mills"),
    ]


def test_exclusions_are_recorded_without_their_reasons(olga, alice):
    mills()
    question = Instance.objects.get()
    made = exclusions.exclude(instance=question, reason="Alice's mistake", by=olga)
    exclusions.undo(instance=question, exclusion=made.pk, reason="No.", by=alice)
    for confirm in (False, True):
        exclusions.propose([question], f"Unfit: {confirm}")
        made = Exclusion.objects.get()
        exclusions.decide(mills(), [made.pk], confirm=confirm, by=olga)
    of = f"question 1 of mills {question.contradiction_id}"
    assert logged("exclusion") == [
        ("exclusion", "olga", "None", f"excluded: {of}"),
        ("exclusion", "alice", "None", f"undone: {of}"),
        ("exclusion", "olga", "None", f"proposal refused: {of}"),
        ("exclusion", "olga", "None", f"excluded: {of}"),
    ]


def test_what_is_refused_is_not_recorded(olga):
    with pytest.raises(Refusal):
        freeze(collection=mills(), version="not a version", by=olga)
    with pytest.raises(Refusal), transaction.atomic():
        invitations.grant(olga, roles=[], by=olga)
    assert logged("freeze", "role") == []


def test_a_backup_and_a_persons_data_are_recorded(admin, alice, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    made = backups.make()
    list(admin.get(f"/people/{alice.pk}/data.json").streaming_content)
    assert logged("backup", "export") == [
        ("backup", "None", "None", made.path.name),
        ("export", "olga", "alice", "what a person entered"),
    ]


def test_who_is_forgotten_stays_under_the_pseudonym(admin, alice, olga):
    Client().post("/sign-in/", {"username": "alice", "password": PASSWORD})
    admin.post(f"/people/{alice.pk}/forget/", {"name": "alice", "username": "alice"})
    alice.refresh_from_db()
    if not alice.forgotten_at:
        forgetting.forget(alice, by=olga)
    assert ("forgetting", "olga", alice.pseudonym, "") in logged()
    assert ("sign-in", alice.pseudonym, "None", "") in logged()
    page = admin.get("/audit/").content.decode() + csv_of(admin)
    assert alice.pseudonym in page
    assert "alice" not in page.lower()


def test_invented_people_do_nothing_that_is_recorded(olga):
    invented = person("invented", is_demonstration=True)
    record(AuditKind.ROLE, olga, "judge", person=invented)
    record(AuditKind.SIGN_IN, invented)
    assert logged() == []


# ---------------------------------------------------------------- append-only


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_the_database_refuses_to_change_or_delete_an_entry(alice):
    record(AuditKind.SIGN_IN, alice)
    for change in (
        lambda: AuditEvent.objects.update(about="nothing"),
        lambda: AuditEvent.objects.all().delete(),
        lambda: connection.cursor().execute("DELETE FROM accounts_auditevent"),
    ):
        with pytest.raises(DatabaseError, match="the audit log is append-only"):
            change()
    with pytest.raises(ProtectedError):
        alice.delete()
    assert logged() == [("sign-in", "alice", "None", "")]


@pytest.mark.both
def test_only_entries_past_the_setting_are_deleted(alice, settings):
    settings.AUDIT_DAYS = 100
    for days in (101, 99, 31, 0):
        AuditEvent.objects.create(
            kind=AuditKind.SIGN_IN, by=alice, about=str(days), at=in_seconds(-days * 86_400)
        )
    assert tasks.expire_audit_log() == 1
    assert [row[3] for row in logged()] == ["99", "31", "0"]


# ---------------------------------------------------------------- the page


def filled(alice, olga, n):
    start = timezone.now() - timedelta(days=10)
    AuditEvent.objects.bulk_create(
        AuditEvent(
            kind=AuditKind.IMPORT if i % 2 else AuditKind.ROLE, by=olga, person=None if i % 2 else alice,
            about=f"entry {i}", at=start + timedelta(minutes=i // 3),
        )
        for i in range(n)
    )  # fmt: skip


def abouts(page):
    return [row.about for row in page.context["rows"]]


def csv_of(client, query=""):
    return b"".join(client.get(f"/audit.csv{query}").streaming_content).decode("utf-8-sig")


def test_an_empty_log_says_so(olga):
    client = Client()
    client.force_login(olga)
    page = client.get("/audit/?kind=restore")
    assert "No entry matches." in page.content.decode()


@pytest.mark.both
def test_pages_follow_each_other_without_gap_or_repetition(admin, alice, olga):
    filled(alice, olga, 120)
    seen, url = [], "/audit/?since=2000-01-01"
    while url:
        page = admin.get(url)
        seen += abouts(page)
        older = page.context["older"]
        url = f"/audit/?since=2000-01-01&before={older}" if older else ""
    assert len(seen) == 121
    assert seen[1:] == [f"entry {i}" for i in reversed(range(120))]


@pytest.mark.both
@pytest.mark.parametrize(
    ("query", "count"),
    [("", 50), ("?kind=import", 20), ("?person=alice", 20), ("?person=P-NOBODY", 0), ("?kind=nonsense", 0),
     ("?since=yesterday", 0), ("?until=2001-01-01", 0), ("?before=999999999999", 41), ("?before=x", 41),
     ("?before=" + "9" * 400, 41), ("?person=OLGA&kind=role", 20)],
)  # fmt: skip
def test_filters(admin, alice, olga, query, count):
    filled(alice, olga, 40)
    page = admin.get(f"/audit/{query}")
    assert page.status_code in (200, 400)
    assert len(page.context["rows"]) == (41 if query == "" else count)


@pytest.mark.both
def test_days_are_whole_days(admin, alice, olga):
    day = timezone.now() - timedelta(days=3)
    noon = day.replace(hour=12)
    AuditEvent.objects.create(kind=AuditKind.ROLE, by=olga, about="that day", at=noon)
    query = f"?since={noon:%Y-%m-%d}&until={noon:%Y-%m-%d}"
    assert abouts(admin.get(f"/audit/{query}")) == ["that day"]


def test_the_csv_has_pseudonyms_and_no_formula(admin, alice, olga):
    record(AuditKind.IMPORT, alice, "=cmd|' /C calc'!A0")
    lines = csv_of(admin).splitlines()
    assert lines[0] == "time,kind,by,person,about"
    assert f"import,{alice.pseudonym},,'=cmd" in lines[-2] + lines[-1] + lines[1] + lines[2]
    assert "alice" not in "".join(lines).lower()
    assert logged("export")[-1] == ("export", "olga", "None", "/audit.csv")


@pytest.mark.both
def test_the_csv_is_read_in_batches(admin, alice, olga, monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr(audit, "BATCH", 50)
    filled(alice, olga, 200)
    with django_assert_max_num_queries(30):
        assert len(csv_of(admin, "?person=alice").splitlines()) == 101


@pytest.mark.both
@pytest.mark.parametrize(
    ("narrowing", "index"),
    [
        ({}, "audit_by_time"),
        ({"kind": "restore"}, "audit_by_kind"),
        ({"person": True}, "audit_by_actor"),
    ],
)
def test_a_page_is_read_from_an_index(alice, olga, narrowing, index):
    filled(alice, olga, 3_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE accounts_auditevent")
    if "person" in narrowing:
        narrowing = {"person": alice}
    plans = []
    to = Narrowing(**narrowing)
    rows = audit._narrowed(to, AuditEvent.objects.order_by("-at")[100]).order_by("-at", "-pk")
    rows = rows.filter(by=alice) if to.person else rows
    plan = rows[:51].explain()
    plans.append(plan)
    assert index in plan, plan
    assert "TEMP B-TREE" not in plan
