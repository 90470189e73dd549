"""Lines that say whom to invite: a name or mail address, then roles, as `Ada Byron, annotator, judge`."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from accounts.roles import Role

MOST_LINES = 200
MOST_CHARACTERS = 120  # of a name: Invitation.note
_BETWEEN = re.compile(r"[,;\t]")


@dataclass(frozen=True)
class InvitedPerson:
    """Whom a link is for, as the line `number` says, and the roles."""

    number: int
    name: str
    roles: tuple[Role, ...]


@dataclass
class InvitedLines:
    """What was read; `problems` are sentences that name a line, and where there is one nobody is invited."""

    people: list[InvitedPerson] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_lines(text: str, usual: Sequence[str], taken: Collection[str]) -> InvitedLines:
    """The people of all lines that are not blank. `usual` are the roles of a line that names none.

    `taken` are names, in casefolded letters, for which there is a person or an open invitation.
    """
    read = InvitedLines()
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if len(lines) > MOST_LINES:
        read.problems = [f"These are {len(lines)} lines; invite up to {MOST_LINES} people at once."]
        return read
    first_at: dict[str, int] = {}
    for number, line in lines:
        name, roles = _parts(line)
        problems = [*_name_problems(name, taken), *_role_problems(roles or usual)]
        if name and (before := first_at.setdefault(name.casefold(), number)) != number:
            problems.append(f"“{name}” is in line {before} too.")
        read.problems += [f"Line {number}: {problem}" for problem in problems]
        wanted = {*roles} or {*usual}
        read.people.append(
            InvitedPerson(number, name, tuple(role for role in Role if role in wanted))
        )
    return read


def _parts(line: str) -> tuple[str, list[str]]:
    """The name, which holds commas where the roles follow a semicolon or a tab, and the roles."""
    visible = "".join(c if c.isprintable() or c == "\t" else " " for c in line)
    apart = next((sign for sign in "\t;," if sign in visible), ",")
    name, _, rest = visible.partition(apart)
    roles = [" ".join(role.split()).lower() for role in _BETWEEN.split(rest)]
    return " ".join(name.split()), [role for role in roles if role]


def _name_problems(name: str, taken: Collection[str]) -> Iterator[str]:
    if not name:
        yield "Write a name or a mail address before the roles."
    if len(name) > MOST_CHARACTERS:
        yield f"A name has up to {MOST_CHARACTERS} characters; this one has {len(name)}."
    if name.casefold() in taken:
        yield (
            f"There is a person or an open invitation “{name}” already. If it is somebody else, write more than the "
            "name."
        )


def _role_problems(roles: Sequence[str]) -> Iterator[str]:
    if not roles:
        yield "Write a role after the name, or tick the roles of such lines."
    for role in roles:
        if role not in Role:
            yield f"There is no role “{role[:40]}”. The roles are {', '.join(Role)}."
