"""The licence that a wiki says its texts are under, whatever shape that has."""

import pytest

from wikifetch.source.answers import WikiRights, wiki_rights

CC = "https://creativecommons.org/licenses/by-sa/4.0/"


@pytest.mark.parametrize(
    ("said", "rights"),
    [
        ({"text": "CC BY-SA 4.0", "url": CC}, WikiRights("CC BY-SA 4.0", CC)),
        ({"text": " CC \n BY ", "url": f" {CC} "}, WikiRights("CC BY", CC)),
        ({"text": "<a href='x'>CC</a><script>x</script> &amp; GFDL"}, WikiRights("CC & GFDL")),
        ({"url": CC.removeprefix("https:")}, WikiRights(url=CC)),
        ({"text": "x" * 201, "url": f"{CC}{'x' * 200}"}, WikiRights()),
        ({"text": "<b>" * 2_000_000}, WikiRights()),
        ({"text": "a\x00b\ud800", "url": f"{CC}\x00"}, WikiRights("ab?")),
        ({"text": None, "url": None}, WikiRights()),
        ({"text": ["CC"], "url": {"": CC}}, WikiRights()),
        ({"url": "javascript:alert(1)"}, WikiRights()),
        ({"url": "https://[x"}, WikiRights()),
        ({"url": "<html>"}, WikiRights()),
        ({}, WikiRights()),
        ([], WikiRights()),
        ("CC", WikiRights()),
        (None, WikiRights()),
    ],
)
def test_what_a_wiki_says_is_kept_where_it_can_be_a_licence(said, rights):
    assert wiki_rights({"rightsinfo": said}) == rights


@pytest.mark.parametrize("answer", [None, [], {}, "text"])
def test_a_wiki_that_says_nothing_has_no_licence(answer):
    assert wiki_rights(answer) == WikiRights()
