"""What a token may be used for, and the roles that each scope needs. A token never does more than its person may."""

from collections.abc import Iterable

from django.db.models import TextChoices

from accounts.roles import Role


class Scope(TextChoices):
    READ = "read", "Read"
    ANNOTATE = "annotate", "Annotate"
    JUDGE = "judge", "Judge"
    EXPORT = "export", "Export"
    MANAGE = "manage", "Manage"


WHAT_THEY_ALLOW = {
    Scope.READ: "lists and reads what you may see",
    Scope.ANNOTATE: "takes tags, saves and submits drafts",
    Scope.JUDGE: "takes responses and gives verdicts",
    Scope.EXPORT: "downloads releases, exports and reports",
    Scope.MANAGE: "makes and changes what you may: fetches, imports, releases, runs, protocols",
}
# The roles of the operations that need the scope. Any of them gives it; the operation itself asks for the role too.
ROLES_OF = {
    Scope.READ: frozenset(Role),
    Scope.ANNOTATE: frozenset({Role.ANNOTATOR}),
    Scope.JUDGE: frozenset({Role.JUDGE}),
    Scope.EXPORT: frozenset({Role.RESEARCHER, Role.ADMIN}),
    Scope.MANAGE: frozenset({Role.ADMIN}),
}


def scopes_of(roles: Iterable[Role]) -> list[Scope]:
    """The scopes that somebody with these roles may have, in the order above."""
    held = set(roles)
    return [scope for scope in Scope if held & ROLES_OF[scope]]
