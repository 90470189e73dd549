"""A collection's protocol: shown on its page, and moved to a later version with the same records."""

import pytest

from accounts.models import AuditEvent
from datasets.models import Collection
from datasets.protocol_versions import move
from leases.refusal import Conflict
from protocols.installed import install
from protocols.models import Protocol
from tests.protocols.factories import TEXT, changed, installed

pytestmark = pytest.mark.django_db

PAGE = "/collections/watermills/"


def version(n, *change):
    return installed(changed("version = 1", f"version = {n}", changed(*change) if change else TEXT))


@pytest.fixture
def watermills(olga):
    protocol = installed()
    version(2, "The order is ours.", "The order is theirs.")
    version(3, 'label = "Source"', 'label = "Origin"')
    return Collection.objects.create(name="watermills", protocol=protocol, created_by=olga)


def page_of(client, who, path=PAGE):
    client.force_login(who)
    return client.get(path).content.decode()


def test_the_page_names_the_protocol_with_a_link_for_those_who_may_read_it(
    client, watermills, olga, rosa, anna
):
    link = '<a href="/protocols/mills/1/">mills version 1</a>'
    assert link in page_of(client, olga)
    assert link in page_of(client, rosa)
    shown = page_of(client, anna)
    assert link not in shown
    assert "mills version 1" in shown


def test_a_collection_of_wikicontradict_names_no_protocol(client, olga):
    Collection.objects.create(name="plain")
    assert "<dt>Protocol</dt>" not in page_of(client, olga, "/collections/plain/")


def test_an_admin_moves_it_to_a_later_version_and_that_is_recorded(client, watermills, olga):
    assert '<option value="2">' in page_of(client, olga)
    moved = client.post(f"{PAGE}protocol/", {"version": "2"}, follow=True)
    assert "watermills now has mills version 2." in moved.content.decode()
    watermills.refresh_from_db()
    assert watermills.protocol.version == 2
    assert watermills.protocol.used_at is not None
    assert AuditEvent.objects.latest("pk").about == (
        "collection watermills moved from mills version 1 to version 2"
    )
    assert "Move to a later version" not in page_of(client, olga)


@pytest.mark.parametrize("wanted", ["1", "3", "4"], ids=["its own", "other fields", "no such"])
def test_another_version_is_refused_with_a_sentence(client, watermills, olga, wanted):
    client.force_login(olga)
    refused = client.post(f"{PAGE}protocol/", {"version": wanted})
    assert refused.status_code == 400
    assert (
        "watermills has records of mills version 1. It can be moved to a later version that has the same fields, "
        f"file and item; version {wanted} is none."
    ) in refused.content.decode()
    assert Collection.objects.get().protocol.version == 1


@pytest.mark.parametrize("wanted", ["", "two", "-1", "9" * 40])
def test_what_is_no_version_is_refused(client, watermills, olga, wanted):
    client.force_login(olga)
    assert client.post(f"{PAGE}protocol/", {"version": wanted}).status_code == 400


def test_the_protocol_of_another_name_is_none_either(watermills, olga):
    installed(changed('name = "mills"', 'name = "weirs"', changed("version = 1", "version = 5")))
    with pytest.raises(Conflict, match="version 5 is none"):
        move(watermills, 5, olga)


def test_a_collection_of_wikicontradict_cannot_be_moved(olga):
    plain = Collection.objects.create(name="plain")
    with pytest.raises(Conflict, match="plain has records of wikicontradict version 1"):
        move(plain, 2, olga)


def test_the_version_that_it_was_moved_to_never_changes(watermills, olga):
    move(watermills, 2, olga)
    with pytest.raises(Conflict, match="mills version 2 is in use"):
        version(2)
    assert install(Protocol.objects.get(version=2).text.encode(), "mills.toml")[1] is False


def test_a_researcher_moves_nothing(client, watermills, rosa):
    assert "Move to a later version" not in page_of(client, rosa)
    assert client.post(f"{PAGE}protocol/", {"version": "2"}).status_code == 403
