"""The invented people of the demonstration set. They have no password, so nobody can sign in as them."""

from accounts.models import Person, RoleGrant
from accounts.roles import Role

ADMIN, ADJUDICATOR, JUDGES = "fenna", "elif", ("carys", "dmitri")
PEOPLE = {
    "odile": (Role.ANNOTATOR,),
    "bram": (Role.ANNOTATOR,),
    **dict.fromkeys(JUDGES, (Role.JUDGE,)),
    ADJUDICATOR: (Role.ADJUDICATOR,),
    ADMIN: (Role.ADMIN, Role.RESEARCHER),
}


def create_people() -> dict[str, Person]:
    """Make all of them; name in the data files -> row."""
    return {name: _create(name, roles) for name, roles in PEOPLE.items()}


def _create(name: str, roles: tuple[Role, ...]) -> Person:
    person = Person(
        username=f"demo.{name}",
        name=f"{name.title()} (demonstration)",
        pseudonym=f"D-{name.upper()}",
        is_demonstration=True,
    )
    person.set_unusable_password()
    person.save()
    RoleGrant.objects.bulk_create(RoleGrant(person=person, role=role) for role in roles)
    return person
