"""Control characters in texts of models and files, made visible. Pure."""

# As their pictures; those of C1, which have none, as the replacement character. Tabs and line breaks stay.
_PICTURES = (
    {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"}
    | {0x7F: 0x2421}
    | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
)


def visible(text: str) -> str:
    """The text with a visible character for each control character: a browser shows nothing for them."""
    return text.translate(_PICTURES)
