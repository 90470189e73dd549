"""What a team's server runs before a new version starts."""

from pathlib import Path

import pytest
from django.core.management import call_command

from config.staticfiles import CollectedFiles

pytestmark = pytest.mark.django_db


def test_it_collects_scripts_and_styles(settings, tmp_path, monkeypatch):
    settings.STATIC_ROOT = tmp_path
    files = CollectedFiles()
    monkeypatch.setattr(
        "django.contrib.staticfiles.management.commands.collectstatic.staticfiles_storage", files
    )
    call_command("bring_up_to_date", verbosity=0)
    assert files.is_collected
    assert Path(files.path(files.stored_name("css/app.css"))).stat().st_size > 10_000
