from tests.browser.conftest import browser  # noqa: F401 a fixture, used by name
