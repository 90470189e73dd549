"""Protocols as rows: installed once, replaced while nobody uses them, never changed afterwards."""

import pytest
from django.db import DatabaseError, transaction

from accounts.audit import AuditKind
from accounts.models import AuditEvent
from datasets.models import Collection
from leases.clock import in_seconds
from leases.refusal import Conflict, Refusal
from protocols import installed
from protocols.installed import NoProtocol, install, later_versions, remove, use
from protocols.models import Protocol
from protocols.shipped import file_of, wikicontradict
from tests.protocols.factories import TEXT, changed
from tests.protocols.factories import installed as made

pytestmark = [pytest.mark.both, pytest.mark.django_db]

OTHER = changed("The order is ours.", "The order is theirs.")
VERSION_2 = changed("version = 1", "version = 2")


def audited():
    return list(AuditEvent.objects.filter(kind=AuditKind.IMPORT).values_list("about", flat=True))


def test_a_file_is_kept_byte_for_byte_with_who_installed_it(olga):
    text = TEXT.replace("\n", "\r\n") + "# größer\n"
    row, is_new = install(text.encode(), "mills.toml", olga)
    row.refresh_from_db()
    assert is_new
    assert (row.text, row.title, row.installed_by) == (text, "Mills: two sources on a mill", olga)
    assert row.declaration.sha256 == row.sha256
    assert audited() == [f"protocol mills version 1, sha256 {row.sha256}"]


def test_a_file_installed_twice_changes_nothing():
    first = made()
    again, is_new = install(TEXT.encode(), "copy.toml")
    assert (again, is_new) == (first, False)
    assert len(audited()) == 1


def test_another_text_of_a_version_replaces_it_while_it_is_unused():
    first = made()
    Protocol.objects.update(installed_at=in_seconds(-3600))
    row, is_new = install(OTHER.encode(), "mills.toml")
    assert (row.pk, is_new) == (first.pk, True)
    assert row.installed_at >= first.installed_at
    assert Protocol.objects.get().declaration.notes == ("The order is theirs.",)


def test_another_text_of_a_used_version_is_refused_with_the_version_to_write():
    use(made())
    made(VERSION_2)
    with pytest.raises(
        Conflict,
        match=r"1 is in use, and new\.toml has another text\. Write version = 3",
    ):
        install(OTHER.encode(), "new.toml")
    assert Protocol.objects.get(version=1).text == TEXT


def test_the_used_file_itself_may_be_installed_again():
    use(made())
    assert install(TEXT.encode(), "mills.toml")[1] is False


def test_a_file_that_is_no_protocol_is_refused_with_all_problems():
    text = changed("version = 1", "version = 0", changed('of = "options"', 'of = "mill"'))
    with pytest.raises(
        NoProtocol, match=r"^mills\.toml is no protocol\. Nothing was installed\.$"
    ) as refused:
        install(text.encode(), "mills.toml")
    assert [problem.split(":")[0] for problem in refused.value.problems] == [
        "line 3, protocol 'mills', version",
        "line 38, field 'right', of",
    ]
    assert not Protocol.objects.exists()


def test_of_thousands_of_problems_the_first_are_listed():
    text = TEXT + "[[field]]\n" * 2_000
    with pytest.raises(NoProtocol) as refused:
        install(text.encode(), "mills.toml")
    assert len(refused.value.problems) == installed.MOST_PROBLEMS + 1
    assert refused.value.problems[-1] == "And 1950 more."


def test_the_name_of_wikicontradict_is_taken():
    text = changed('name = "mills"', 'name = "wikicontradict"')
    with pytest.raises(
        Refusal, match=r"WikiContradict comes with the program\. Give your protocol another name"
    ):
        install(text.encode(), "mills.toml")


def test_what_the_rooms_check_refuses_a_file():
    text = f'{TEXT}\n[[rubric]]\nname = "yes-no"\n'
    with pytest.raises(NoProtocol) as refused:
        install(text.encode(), "mills.toml")
    assert "line 41, rubric 'yes-no': title is missing." in refused.value.problems


def test_rooms_above_check_only_what_those_below_have_found_nothing_wrong_with():
    """A scorer's checks read the tags of prompts, which have to be texts first."""
    wrong = file_of("conflictbank").decode().replace('setting = "no evidence"', "setting = {}")
    with pytest.raises(NoProtocol) as refused:
        install(wrong.encode(), "conflictbank.toml")
    assert {problem.split(",")[1].split()[0] for problem in refused.value.problems} == {"prompt"}


def test_an_unused_protocol_is_removed(olga):
    remove(made(), olga)
    assert not Protocol.objects.exists()
    assert audited()[-1] == "protocol mills version 1 removed"


def test_a_used_protocol_stays_even_when_its_collection_is_gone(olga):
    protocol = made()
    use(protocol)
    with pytest.raises(Conflict, match="mills version 1 stays: a collection has used it"):
        remove(protocol, olga)
    assert len(audited()) == 1


@pytest.mark.parametrize("change", ["update", "delete"])
def test_the_database_refuses_to_change_a_used_protocol(change):
    protocol = made()
    use(protocol)
    rows = Protocol.objects.filter(pk=protocol.pk)
    with (
        pytest.raises(DatabaseError, match="a protocol that a collection uses never changes"),
        transaction.atomic(),
    ):
        rows.update(text="") if change == "update" else rows.delete()
    assert Protocol.objects.get().text == TEXT


@pytest.mark.django_db(transaction=True)
def test_a_committed_one_is_refused_too_and_tests_can_empty_the_tables():
    Collection.objects.create(name="mills", protocol=made())
    use(Protocol.objects.get())
    with pytest.raises(DatabaseError, match="never changes"):
        Protocol.objects.update(text="")


def test_a_protocol_that_was_replaced_since_it_was_read_is_not_used():
    read = made()
    install(OTHER.encode(), "mills.toml")
    with pytest.raises(Conflict, match="mills version 1 was changed in the meantime"):
        use(read)
    assert Protocol.objects.get().used_at is None


def test_using_a_protocol_again_keeps_when_it_was_first_used():
    protocol = made()
    use(protocol)
    first = Protocol.objects.get().used_at
    use(protocol)
    assert Protocol.objects.get().used_at == first


def test_later_versions_differ_in_what_may_differ():
    first = made()
    made(changed("version = 1", "version = 2", OTHER))
    made(changed("version = 1", "version = 3", changed('label = "Source"', 'label = "Origin"')))
    made(changed("version = 1", "version = 4", changed('shape = "lines"', 'shape = "list"')))
    made(changed('name = "mills"', 'name = "weirs"', VERSION_2))
    assert [str(row) for row in later_versions(first)] == ["mills version 2"]
    assert later_versions(Protocol.objects.get(version=4)) == []


def test_a_collection_without_protocol_is_declared_by_wikicontradict():
    plain = Collection.objects.create(name="plain")
    declared = Collection.objects.create(name="mills", protocol=made())
    assert (plain.is_declared, plain.declaration) == (False, wikicontradict())
    assert (declared.is_declared, declared.declaration.name) == (True, "mills")
