"""A text is laid out as most of its letters are read; the language of its record breaks a tie."""

import pytest
from django.template import Context, Template
from django.utils.safestring import SafeString

from pages import direction

HEBREW = "Alder Bridge הוא גשר של אבן שנבנה בעמק."
ARABIC = "Alder Bridge جسر حجري بُني في الوادي الأخضر."
CASES = [
    (HEBREW, "", "rtl"),
    (ARABIC, "", "rtl"),
    ("The bridge is called גשר in Hebrew.", "he", "ltr"),
    ("ab אב", "", "auto"),
    ("ab אב", "he", "rtl"),
    ("ab אב", "ar-EG", "rtl"),
    ("אב ab", "de", "ltr"),
    ("1890–1901", "fa", "rtl"),
    ("", "", "auto"),
    ("桥 мост Brücke", "", "ltr"),
    ("ܓܫܪܐ ab", "", "rtl"),  # Syriac
    ("𞤀𞤣 a", "", "rtl"),  # Adlam, beyond the first plane
    ("אָ" + "ְ" * 9 + "a b", "", "ltr"),  # points are no letters
]


@pytest.mark.parametrize(("text", "language", "expected"), CASES)
def test_most_letters_decide_and_the_language_breaks_a_tie(text, language, expected):
    assert direction.of_text(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "spoken"),
    [
        (HEBREW, "he", "he"),
        (HEBREW, "en", ""),
        ("It is.", "he", ""),
        ("It is.", "en", "en"),
        ("", "", ""),
    ],
)
def test_a_text_that_cannot_be_in_the_language_of_its_record_names_none(text, language, spoken):
    assert direction.language_of(text, language) == spoken


def shown(template, text):
    return Template(template).render(Context({"text": text}))


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        (HEBREW, 'dir="rtl" lang="he" translate="no"'),
        (
            SafeString(f"<mark class='x'>{'a' * 40}</mark>".replace("a" * 40, HEBREW)),
            'dir="rtl" lang="he" translate="no"',
        ),
        (None, 'dir="rtl" lang="he" translate="no"'),
    ],
)
def test_an_element_says_direction_and_language(text, attributes):
    assert shown('{% written text "he" %}', text) == attributes


def test_a_phrase_within_a_line_stands_apart():
    expected = f'<bdi dir="rtl" lang="" translate="no">{HEBREW} &lt;b&gt;</bdi>'
    assert shown("{% phrase text %}", f"{HEBREW} <b>") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\n\nb <c>", "a<br><br>b &lt;c&gt;"),
        (
            f"{HEBREW}\nIt is.\n1890",
            f'{HEBREW}<br><span class="turned" dir="ltr">It is.</span>1890',
        ),
        (SafeString("<mark>a\nb</mark>"), "<mark>a<br>b</mark>"),
    ],
)
def test_a_line_that_is_read_the_other_way_has_a_direction_of_its_own(text, expected):
    assert shown("{{ text|paragraphs }}", text) == expected
