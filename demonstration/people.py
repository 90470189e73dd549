"""The invented people of the demonstration set. They have no password, so nobody can sign in as them."""

from dataclasses import dataclass

from accounts.models import Person, RoleGrant
from accounts.roles import Role


@dataclass(frozen=True)
class Invented:
    username: str
    name: str
    roles: tuple[Role, ...]

    @property
    def pseudonym(self) -> str:
        return f"D-{self.username.upper()}"


PEOPLE = (
    Invented("odile", "Odile (demonstration)", (Role.ANNOTATOR,)),
    Invented("bram", "Bram (demonstration)", (Role.ANNOTATOR,)),
    Invented("carys", "Carys (demonstration)", (Role.JUDGE,)),
    Invented("dmitri", "Dmitri (demonstration)", (Role.JUDGE,)),
    Invented("elif", "Elif (demonstration)", (Role.ADJUDICATOR,)),
    Invented("fenna", "Fenna (demonstration)", (Role.ADMIN, Role.RESEARCHER)),
)
ADMIN = "fenna"
JUDGES = ("carys", "dmitri")
ADJUDICATOR = "elif"


def username_of(name: str) -> str:
    """The username of an invented person; `name` as in the data files."""
    return f"demo.{name}"


def create_people() -> dict[str, Person]:
    """Make all of them; username in the data files -> row."""
    return {invented.username: _create(invented) for invented in PEOPLE}


def _create(invented: Invented) -> Person:
    person = Person(
        username=username_of(invented.username),
        name=invented.name,
        pseudonym=invented.pseudonym,
        is_demonstration=True,
    )
    person.set_unusable_password()
    person.save()
    RoleGrant.objects.bulk_create(RoleGrant(person=person, role=role) for role in invented.roles)
    return person
