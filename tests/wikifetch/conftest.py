"""Fixtures of the tests of wikifetch."""

import pytest

from tests.wikifetch.livewiki import LiveWiki


@pytest.fixture
def live(settings):
    with LiveWiki(120) as wiki:
        settings.WIKI_ALLOWED = [wiki.address]
        settings.WIKI_CONTACT = "alice@example.org"
        settings.WIKI_REQUESTS_PER_SECOND = 1_000_000
        yield wiki
