"""The condition that a response's text has the words that somebody looks for.

They are looked for in the texts themselves, in one statement (decision 0043).
"""

import re
from collections.abc import Sequence

from django.db import connection
from django.db.models import BooleanField, F, Func, Q, TextField, Value
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan, IContains


def has_all(words: Sequence[str]) -> Q:
    """The condition that the text has all words; their case is ignored.

    The databases ignore the case of ASCII letters alone; PostgreSQL would take twice as long for that of others. It
    puts each text into capitals once for all ASCII words, and looks for one alone by its faster STRPOS.
    """
    usual = [word for word in words if word.isascii()]
    others = [{w, w.lower(), w.upper(), w.capitalize()} for w in words if not w.isascii()]
    if connection.vendor == "postgresql":
        conditions: list[Func | GreaterThan] = [_is_like("ANY", sorted(forms)) for forms in others]
        if len(usual) == 1:
            place = StrIndex(_capitals(), Value(_in_capitals(usual[0])))
            conditions.append(GreaterThan(place, 0))
        elif usual:
            conditions.append(_is_like("ALL", usual))
        return Q(*conditions)
    either = (Q(*map(_contains, sorted(forms)), _connector=Q.OR) for forms in others)
    return Q(*map(_contains, usual), *either)


def _contains(form: str) -> IContains:
    return IContains(F("text"), form)


def _capitals() -> Func:
    """The text with its ASCII letters as capitals; letters are compared as bytes, without the rules of a locale."""
    return Func(F("text"), template='UPPER(%(expressions)s COLLATE "C")', output_field=TextField())


def _is_like(how: str, words: Sequence[str]) -> Func:
    patterns = [re.sub(r"([\\%_])", r"\\\1", _in_capitals(word)) for word in words]
    array = Func(
        *(Value(f"%{pattern}%") for pattern in patterns), template="ARRAY[%(expressions)s]"
    )
    return Func(
        _capitals(),
        array,
        arg_joiner=f" LIKE {how} (",
        template="%(expressions)s)",
        output_field=BooleanField(),
    )


def _in_capitals(word: str) -> str:
    """As UPPER does it with the collation C: the ASCII letters alone."""
    return word.encode().upper().decode()
