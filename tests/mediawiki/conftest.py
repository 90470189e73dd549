"""The real wiki for the tests here: built once a run, or once for all runs where MEDIAWIKI_CACHE is set."""

import pytest

from tests.conftest import require_or_skip
from tests.mediawiki.wiki import HOW_TO_GET, MediaWiki
from tests.servers import Missing


@pytest.fixture(scope="session")
def _served():
    try:
        wiki = MediaWiki()
    except Missing as missing:
        require_or_skip(str(missing), HOW_TO_GET)
    yield wiki
    wiki.close()


@pytest.fixture
def wiki(_served, settings):
    """The wiki, without log and faults, as the one that may be asked."""
    _served.forget()
    settings.WIKI_ALLOWED = [_served.address]
    settings.WIKI_CONTACT = "alice@example.org"
    settings.WIKI_REQUESTS_PER_SECOND = 1_000.0
    yield _served
    _served.forget()
