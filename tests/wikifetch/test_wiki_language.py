"""The language of a wiki's pages, as its address tells."""

import pytest

from wikifetch.models import Wiki


@pytest.mark.parametrize(
    ("address", "language"),
    [
        ("https://de.wikipedia.org/wiki/", "de"),
        ("https://zh-classical.wikipedia.org/wiki/", "zh"),
        ("https://simple.wikipedia.org/wiki/", "en"),
        ("https://fr.m.wiktionary.org/wiki/", "fr"),
        ("https://www.wikidata.org/wiki/", ""),
        ("https://commons.wikimedia.org/wiki/", ""),
        ("https://wiki.example/wiki/", ""),
        ("https://de.wikipedia.org.example/wiki/", ""),
        ("not an address", ""),
    ],
)
def test_the_language_is_that_of_the_address_or_unknown(address, language):
    assert Wiki(base_url=address).language == language
