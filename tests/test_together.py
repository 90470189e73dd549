"""What shares something costly is kept together on one worker (the rules in tests/conftest.py)."""

import pytest
from django.db import connection

from tests.settings import WORKER


@pytest.mark.mediawiki
def test_a_test_marked_mediawiki_belongs_to_one_group(request):
    """pytest-xdist shows the group in the name; with a pytest that it does not fit, marks are ignored silently."""
    group = "@mediawiki" if hasattr(request.config, "workerinput") else ""
    assert request.node.nodeid.endswith(f"{request.node.name}{group}")


@pytest.mark.django_db
def test_each_worker_has_a_database_of_its_own():
    """A copy of one that was made for the run (tests/database.py)."""
    assert (WORKER or "copy") in str(connection.settings_dict["NAME"])
