"""Open work: what people hold and cannot be done by others, and what nobody is left to do.

Nothing of it is stored: each room above reads it from its rows, by one statement a kind. Work is left behind once its
person cannot sign in or lacks the role for it; it stays on the list until somebody else has it, or nobody has to do it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import Person
from accounts.roles import Role
from leases.extension import ExtensionPoint
from leases.refusal import Refusal

# What somebody chooses for open work, besides a person: nothing changes, or others can take it.
KEEP, RETURN = "", "return"

People = Callable[[Role], QuerySet[Person]]


@dataclass(frozen=True)
class OpenWork:
    """Open work of one kind in one place. Any of `roles` is enough to do it.

    what: the work with its number. becomes: what becomes of it if nobody acts. holder: the key of the person whose it
    is; None where nobody is left who can do it. returns: what it means that others take it. takers: to whom it can be
    given. settle: give it to one of them, or let others take it (None), on behalf of the second person; returns what
    was done as a sentence. chosen: what was chosen on a page that is shown again.
    """

    key: str
    roles: tuple[Role, ...]
    what: str
    where: str
    url: str
    becomes: str
    holder: int | None = None
    person: Person | None = None
    returns: str = ""
    takers: Callable[[], QuerySet[Person]] = Person.objects.none
    settle: Callable[[Person | None, Person | None], str] | None = None
    chosen: str = KEEP

    @property
    def has_choice(self) -> bool:
        return self.settle is not None

    @property
    def is_left(self) -> bool:
        """Whether its person cannot do it any more."""
        return self.person is not None and not self.person.has_role(*self.roles)

    @property
    def others(self) -> QuerySet[Person]:
        """To whom it can be given."""
        return self.takers().exclude(pk=self.holder or 0).order_by("name")


# Asked with the people whose work is wanted, by the role that it needs, and with the reader: what is hidden from them
# is left out.
held_work: ExtensionPoint[[People, Person | None], Iterable[OpenWork]] = ExtensionPoint(
    "accounts.leaving.open_work.held_work"
)
# What nobody can do who is here, or would be if the second one left, a key or 0; asked with the reader first.
work_for_nobody: ExtensionPoint[[Person | None, int], Iterable[OpenWork]] = ExtensionPoint(
    "accounts.leaving.open_work.work_for_nobody"
)


def only_own(author: str, without: int, *roles: Role) -> Q:
    """On rows that somebody other than their `author` has to check: nobody with one of the roles can."""
    able = list(Person.objects.who_may(*roles).exclude(pk=without).values_list("pk", flat=True)[:2])
    if len(able) > 1:
        return Q(pk__in=())
    return Q(**{f"{author}__in": able}) if able else Q()


def held_by(person: Person, by: Person | None) -> list[OpenWork]:
    """All that the person holds."""
    return _held(lambda role: Person.objects.filter(pk=person.pk), by)


def all_held(by: Person) -> list[OpenWork]:
    """What everybody holds: first what was left behind, then by person."""
    rows = _held(lambda role: Person.objects.filter(is_demonstration=False), by)
    return sorted(rows, key=lambda row: (not row.is_left, str(row.person).casefold()))


def left_over(by: Person) -> list[OpenWork]:
    """What waits for people who cannot do it any more, and what nobody can do."""
    everybody = Person.objects.filter(is_demonstration=False)

    def unable(role: Role) -> QuerySet[Person]:
        gone = everybody.exclude(pk__in=Person.objects.who_may(role).values("pk"))
        return Person.objects.filter(pk__in=list(gone.values_list("pk", flat=True)))

    return [*_held(unable, by), *for_nobody(by)]


def for_nobody(by: Person | None, without: Person | None = None) -> list[OpenWork]:
    key = without.pk if without else 0
    return [row for rows in work_for_nobody(by, key) for row in rows]


def _held(people: People, by: Person | None) -> list[OpenWork]:
    rows = [row for of_room in held_work(people, by) for row in of_room]
    holders = {row.holder for row in rows}
    known = Person.objects.prefetch_related("grants").in_bulk([key for key in holders if key])
    for person in known.values():
        person.know_roles(Role(grant.role) for grant in person.grants.all())
    return [replace(row, person=known[row.holder]) for row in rows if row.holder]


# ------------------------------------------------------------ before and after somebody leaves


def affected(person: Person, lost: Collection[Role], by: Person | None) -> list[OpenWork]:
    """What the person holds that they could not do without these roles."""
    return [row for row in held_by(person, by) if _needs(row, person, lost)]


def only_theirs(person: Person, lost: Collection[Role], by: Person | None) -> list[OpenWork]:
    """What nobody would be left to do without these roles of the person, and somebody is now."""
    now = {(row.key, row.what) for row in for_nobody(by)}
    without = [row for row in for_nobody(by, person) if _needs(row, person, lost)]
    return [row for row in without if (row.key, row.what) not in now]


def _needs(row: OpenWork, person: Person, lost: Collection[Role]) -> bool:
    can = person.roles & set(row.roles)
    return bool(can) and can <= set(lost)


@transaction.atomic
def settle(rows: Iterable[OpenWork], chosen: Mapping[str, str], by: Person | None) -> list[str]:
    """Do with each what was chosen by its key: KEEP, RETURN, or the key of a person; returns sentences.

    Raises Refusal for a person who cannot get it, and what the rooms refuse.
    """
    said = []
    for row in rows:
        choice = chosen.get(row.key, KEEP)
        if choice != KEEP and row.settle:
            said.append(row.settle(_taker(row, choice), by))
    return said


def _taker(row: OpenWork, choice: str) -> Person | None:
    if choice == RETURN:
        return None
    number = int(choice) if choice.isdecimal() and len(choice) < 10 else 0
    if (person := row.others.filter(pk=number).first()) is None:
        raise Refusal(f"{row.where}: this person cannot get it any more. Choose again.")
    return person
