from pathlib import Path

import pytest

from tests.browser.conftest import browser  # noqa: F401 a fixture, used by name


def pytest_collection_modifyitems(items) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.setup)
