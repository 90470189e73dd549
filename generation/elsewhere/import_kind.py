"""Imports of responses made elsewhere, as jobs (datasets/importers/import_kinds.py)."""

from collections.abc import Sequence
from functools import partial
from typing import Any, BinaryIO

from django.urls import reverse

from accounts.models import Person
from datasets.importers.import_kinds import Ended, Report
from datasets.models import ImportJob, Release
from datasets.records import collection_named
from datasets.releasing.freezing import release_of
from generation import prompt_versions
from generation.access import visible_to
from generation.elsewhere import importing
from generation.elsewhere.undoing import hide
from generation.models import Run
from leases.refusal import Refusal

# What a proxy in front lets through (config/proxy), less the rest of the form.
MOST_BYTES = 250 * 2**20
HIDDEN = "hidden from you while you judge or resolve its responses"
RELEASE, NAME = "release", "name"


class ResponseImports:
    """`options`: the release's version, and the run's name. `made`: the run's key."""

    name = "responses"
    title = "Responses made elsewhere"
    template = "generation/_import_of_responses.html"
    brings = "the run"
    undo_asks = "Remove the run with all its responses? It is refused while a study or a frozen report uses them."
    most_bytes = MOST_BYTES

    def admit(self, job: ImportJob) -> None:
        if job.format or job.part:
            raise Refusal("Responses have one format. Leave out format and part.")
        if unknown := job.options.keys() - {RELEASE, NAME}:
            raise Refusal(f"An import of responses has no option {min(unknown)[:40]!r}.")
        if not all(isinstance(value, str) for value in job.options.values()):
            raise Refusal("The options release and name are texts.")
        importing.checked_name(job.options.get(NAME, ""))
        _release(job)

    def check(self, job: ImportJob, file: BinaryIO) -> Report:
        return importing.check(_release(job), file, by=job.created_by)

    def bring(self, job: ImportJob, file: BinaryIO, ended: Ended) -> None:
        importing.bring(
            _release(job),
            file,
            name=job.options.get(NAME, ""),
            by=job.created_by,
            ended=partial(_ended, ended),
        )

    def hide_from(self, person: Person, jobs: Sequence[ImportJob]) -> None:
        """The names of runs that are hidden from them, also among the earlier ones of the same file."""
        earlier = {key for job in jobs for key in (job.report or {}).get("earlier_runs", ())}
        made = {job.made["run"] for job in jobs if job.made}
        runs = Run.objects.filter(pk__in=earlier | made)
        hidden = {run.pk for run in runs} - {run.pk for run in visible_to(person, runs)}
        for job in jobs:
            if job.report:
                seen = [key for key in job.report["earlier_runs"] if key not in hidden]
                job.report = {**job.report, "earlier_runs": seen}
            if job.made.get("run") in hidden:
                job.options = {**job.options, NAME: HIDDEN}

    def shown(self, job: ImportJob) -> dict[str, Any]:
        keys = (job.report or {})["prompts"]
        titles = dict(prompt_versions.choices(keys))
        return {"prompts": sorted(titles.get(key, key) for key in keys)}

    def undo(self, job: ImportJob) -> None:
        hide(job.made["run"])

    def address(self, job: ImportJob) -> str:
        return reverse("generation:run", args=[job.made["run"]])

    def again(self, job: ImportJob) -> str:
        return reverse("generation:import_responses", args=[job.collection, job.options[RELEASE]])


def _ended(ended: Ended, run: Run, report: dict[str, Any]) -> None:
    ended(report, {"run": run.pk})


def _release(job: ImportJob) -> Release:
    if not job.options.get(RELEASE):
        raise Refusal("Name the release whose prompts the responses are to.")
    return release_of(collection_named(job.collection), job.options[RELEASE])
