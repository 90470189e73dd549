"""Files that are sent to the import page, with a worker in this process."""

import html

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from datasets.importers import import_jobs
from datasets.models import ImportJob


def sent(client, data, name="mills.json", **fields):
    """The answer to a file that is sent by the page."""
    form = {"collection": "mills", "format": "wikicontradict", **fields}
    return client.post(reverse("datasets:import"), {"file": SimpleUploadedFile(name, data), **form})


def checked(client, data, name="mills.json", **fields):
    """The import of a file that was sent and checked."""
    answer = sent(client, data, name, **fields)
    assert answer.status_code == 302, html.unescape(answer.content.decode())
    job = ImportJob.objects.get(pk=answer.url.rstrip("/").rpartition("/")[2])
    import_jobs.carry_out(job.pk)
    job.refresh_from_db()
    return job


def brought(client, data, name="mills.json", **fields):
    """The page of the import of a file that was sent, checked and, unless it was refused, imported."""
    job = checked(client, data, name, **fields)
    if job.state == "checked":
        confirmed(client, job)
        import_jobs.carry_out(job.pk)
    return page_of(client, job)


def confirmed(client, job):
    """The answer to the button of a report that was read when the job was."""
    return client.post(reverse("datasets:confirm_import", args=[job.pk]), {"read": job.same})


def page_of(client, job):
    answer = client.get(reverse("datasets:import_job", args=[job.pk]))
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())
