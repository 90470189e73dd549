"""The stored versions of the judge prompt. The program's file is the first one; admins write further ones in the app.

A version never changes, and a judge model keeps the one that it was started with: a model with another prompt is
another judge.
"""

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Person
from judging.machine import prompt
from judging.models import JudgePrompt
from leases.refusal import Conflict, Refusal
from leases.rows import first_of

LONGEST_TITLE = 120


def versions() -> QuerySet[JudgePrompt]:
    """All stored versions, the newest first, with the program's own."""
    if not JudgePrompt.objects.exists():
        programs()
    return JudgePrompt.objects.select_related("author")


def programs() -> JudgePrompt:
    """The version of the program's file."""
    file = prompt.find_prompt()
    source = f"{file.source}."
    return _stored(file.title, file.template, source=source, note=file.note, author=None)


def numbered(version: int) -> JudgePrompt:
    """Raises NotFoundHere."""
    return first_of(
        versions().filter(version=version), "There is no such version of a judge prompt."
    )


@transaction.atomic
def save(title: str, template: str, *, source: str, note: str, by: Person) -> JudgePrompt:
    """The next version, with this template. Raises Refusal with what to change, also where a version has this text."""
    template = template.replace("\r\n", "\n")
    versions()  # the program's is the first
    if wrong := prompt.problem(template):
        raise Refusal(wrong)
    # Of two people who save at a time the second waits here.
    list(JudgePrompt.objects.select_for_update().values_list("pk"))
    if same := JudgePrompt.objects.filter(sha256=prompt.digest(template)).first():
        raise Conflict(f"Version {same.version} has this text already. Change the text.")
    return _stored(title, template, source=source, note=note, author=by)


def _stored(
    title: str, template: str, *, source: str, note: str, author: Person | None
) -> JudgePrompt:
    newest = JudgePrompt.objects.first()
    row, _ = JudgePrompt.objects.get_or_create(
        sha256=prompt.digest(template),
        defaults={
            "version": newest.version + 1 if newest else 1,
            "title": title,
            "template": template,
            "source": source,
            "note": note,
            "author": author,
        },
    )
    return row
