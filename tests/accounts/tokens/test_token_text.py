"""The form of a token's text."""

import re

import pytest

from accounts.tokens.token_text import checksum, is_whole, new_text

WHOLE = "sicetnon_" + "a" * 34 + checksum("a" * 34)


def test_a_new_text_has_the_form_that_scanners_search_for():
    text = new_text()
    assert re.fullmatch(r"sicetnon_[0-9A-Za-z]{40}", text)
    assert is_whole(text)
    assert text != new_text()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sicetnon_",
        WHOLE[:-1],
        WHOLE + "a",
        WHOLE.replace("a", "b", 1),
        WHOLE[9:],
        WHOLE.upper(),
    ],
)
def test_a_text_that_was_copied_wrongly_is_no_whole_token(text):
    assert is_whole(WHOLE)
    assert not is_whole(text)


def test_the_checksum_is_crc_32_in_base_62():
    assert checksum("abc") == "0YkVIm"  # 0x352441C2
