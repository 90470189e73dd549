"""Pages with tags, made from a seed: what editors write and get wrong."""

from collections.abc import Callable
from random import Random

from tests.mediawiki.oracle_texts import (
    ARTICLES,
    BANNERS,
    BREAKING,
    DATES,
    ENDS,
    INLINE,
    NOTES,
    SENTENCES,
    THINGS,
    UNENDED,
    VALUES,
    VERBS,
)


def _ways(written: str) -> list[str]:
    return [
        way.replace("~", "|") for line in written.strip("\n").split("\n") for way in line.split("|")
    ]


class PageWriter:
    """Writes one page; the same seed gives the same page."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._pick = self._random.choice
        self._count = 0
        self._without: tuple[str, ...] = ()  # of the unit that is written now

    def _chance(self, percent: int) -> bool:
        return self._random.randrange(100) < percent

    def page(self) -> str:
        units = [self._unit() for _ in range(self._random.randint(2, 4))]
        if self._chance(8):
            units.insert(self._random.randrange(len(units)), self._tag(tuple(BANNERS)))
        if self._chance(20):
            units.insert(self._random.randrange(1, len(units)), f"== {self._plain()} ==")
        text = self._pick(["\n\n", "\n\n", "\n"]).join(units)
        if self._chance(4):
            element = self._pick(["noinclude", "onlyinclude"])
            text = f"<{element}>{text}</{element}>"
        return text + ("\n\n{{Notelist}}" if "{{efn" in text else "")

    # Words

    def _plain(self) -> str:
        self._count += 1
        number = f"{self._pick(['', '1,', '1'])}{self._random.randint(100, 999)}"
        return f"The {self._pick(THINGS)} {self._pick(VERBS)} {number} {self._pick(ENDS)}"

    def _written(self, ways: list[str]) -> str:
        words = self._plain()
        _, thing, rest = words.split(" ", 2)
        without = tuple(each.replace("~", "|") for each in self._without)
        way = self._pick([way for way in ways if not any(each in way for each in without)])
        for mark, text in (("@", thing), ("…", rest), ("¤", words), ("⏎", "\n")):
            way = way.replace(mark, text)
        return way.replace("§", self._plain()) if "§" in way else way

    def _sentence(self) -> str:
        words = self._written(_ways(SENTENCES)) if self._chance(45) else self._plain()
        return words + self._pick([".", ".", ";", ""])

    def _tagged(self) -> str:
        """Sentences, mostly with a tag at one of them."""
        said = [self._sentence() for _ in range(self._random.randint(1, 3))]
        for _ in range(self._pick([0, 0, 1, 1, 1, 1, 1, 2])):
            at = self._random.randrange(len(said))
            said[at] += self._pick(["", "", " "]) + self._tag_or_note()
        return " ".join(said)

    def _tag_or_note(self) -> str:
        if self._chance(90) or "efn" in self._without:
            return self._tag()
        note = f"{self._plain()}{self._writing(self._tag, *NOTES)}"
        return self._pick(
            [
                f"<ref>{note}</ref>",
                f"<ref name=a{self._count}>{note} More.</ref>",
                f"{{{{efn|{note}}}}}",
            ]
        )

    def _writing(self, unit: Callable[[], str], *without: str) -> str:
        before, self._without = self._without, self._without + without
        text = unit()
        self._without = before
        return text

    # Tags

    def _tag(self, names: tuple[str, ...] = INLINE) -> str:
        name = self._pick(names)
        name = self._pick([
            name, name, name.lower(), name.replace(" ", "_"), f" {name} ", f"Template:{name}", f"template: {name}",
            f"{name}<!-- c -->", f"<!-- c -->{name}", f"{name}\u200e", f"{name}\n",
        ])  # fmt: skip
        given = [self._argument() for _ in range(self._pick([0, 1, 1, 2, 2, 3]))]
        bar = self._pick(["|", "|", "|", " | ", "\n|", "|\n"])
        tag = "{{" + bar.join([name, *given]) + self._pick(["", "", "", " ", "\n"]) + "}}"
        if self._chance(2):
            tag = self._pick(
                [
                    tag[:-1],
                    "{" + tag,
                    tag + "}",
                    "{" + tag + "}",
                    "{" + tag[1:],
                    tag + "}}",
                    "{{" + tag,
                ]
            )
        return tag

    def _argument(self) -> str:
        name = self._pick(
            [
                "reason",
                "reason",
                "reason",
                "date",
                "date",
                "about",
                "article",
                "1",
                "section",
                "",
                "",
            ]
        )
        if not name:
            return self._pick(
                ["section", self._plain(), f"<nowiki>{self._plain()} = a</nowiki>", ""]
            )
        value = self._written(_ways(VALUES))
        value = self._pick({"date": DATES, "article": ARTICLES}.get(name, (value,)))
        equals = self._pick(["=", "=", " = ", "=\n"])
        return f"{name}{'= ' if value[:1] == '=' else equals}{value}"

    # Units

    def _unit(self) -> str:
        free = [
            self._lines, self._lines, self._lines, self._list, self._list, self._definitions, self._heading,
            self._indented, self._listed_notes, self._verbatim,
        ]  # fmt: skip
        elements = [self._html_list, self._html_table, self._html_block]
        held = [
            self._table, self._table, self._gallery, self._picture, self._infobox, self._alone, self._wrapped,
        ]  # fmt: skip
        unit = self._pick([*free, *elements, *held])
        without = BREAKING if unit in held else UNENDED if unit in elements else ()
        return self._writing(unit, *without)

    def _lines(self) -> str:
        return "\n".join(self._tagged() for _ in range(self._pick([1, 1, 1, 2])))

    def _list(self) -> str:
        mark = self._pick("*#:")
        marks = [mark, mark, self._pick([mark, mark * 2, mark + self._pick("*#:"), mark * 4])]
        return "\n".join(f"{each}{self._pick([' ', ''])}{self._tagged()}" for each in marks)

    def _definitions(self) -> str:
        return self._pick([
            f"; {self._plain()}\n: {self._tagged()}\n: {self._tagged()}", f";{self._plain()}: {self._tagged()}",
            f"; {self._tagged()}\n:: {self._tagged()}", f"* {self._plain()}\n*: {self._tagged()}",
        ])  # fmt: skip

    def _cell(self) -> str:
        style = self._pick(["", "", "", 'rowspan="2" | ', "style='x' | ", "colspan=2|"])
        return (
            style
            + self._pick([self._tagged, self._tagged, self._plain, lambda: "12", lambda: ""])()
        )

    def _table(self) -> str:
        rows, start = [], self._pick(['{| class="wikitable"', "{|", ":{|"])
        for _ in range(self._random.randint(1, 3)):
            mark = self._pick("||!")
            first, *others = [self._cell() for _ in range(self._random.randint(1, 3))]
            rows.append(
                self._pick([f" {mark * 2} ", f"\n{mark} "]).join([f"{mark} {first}", *others])
            )
        if self._chance(10) and start[0] == "{":
            rows[-1] += f"\n{{|\n| {self._tagged()}\n|}}"
        if self._chance(10):
            rows[-1] += f"\n* {self._tagged()}\n* {self._tagged()}"
        caption = (
            f"\n|+ {self._pick(['', 'style=x | '])}{self._tagged()}" if self._chance(25) else ""
        )
        between = self._pick(["\n|-\n", "\n|- style='x'\n"])
        return f"{start}{caption}{self._pick([between, chr(10)])}{between.join(rows)}\n|}}"

    def _html_list(self) -> str:
        element, item = self._pick([("ul", "li"), ("ol", "li"), ("dl", "dd")])
        end, gap = self._pick([f"</{item}>", f"</{item}>", ""]), self._pick(["", "\n"])
        items = gap.join(f"<{item}>{self._tagged()}{end}" for _ in range(2))
        if self._chance(15):
            items += f"<{item}>{self._tagged()}<ul><li>{self._tagged()}</li></ul></{item}>"
        return f"<{element}>{gap}{items}{gap}</{element}>"

    def _html_table(self) -> str:
        end, gap = self._pick(["</td>", ""]), self._pick(["", "\n"])
        rows = [
            f"<tr><td>{self._tagged()}{end}{gap}<td>{self._plain()}{end}{gap}</tr>"
            for _ in range(2)
        ]
        return f"<table>{gap}{gap.join(rows)}{gap}</table>"

    def _html_block(self) -> str:
        element, gap = (
            self._pick(["div", "blockquote", "center", "div style='x'"]),
            self._pick(["", "\n", "\n\n"]),
        )
        end = "" if self._chance(20) else f"</{element.split()[0]}>"
        before = self._pick(["", "", f"{self._sentence()}\n", f"{self._sentence()} "])
        return f"{before}<{element}>{gap}{self._tagged()}{gap}{self._pick(['', self._tagged()])}{gap}{end}"

    def _gallery(self) -> str:
        words = [self._tagged().replace("\n", " ") for _ in range(2)]  # each line is read by itself
        lines = [
            f"{self._pick(['', 'File:'])}Mill.jpg|{self._pick(['', 'alt=x|'])}{each}"
            for each in words
        ]
        return "\n".join(["<gallery>", *lines, "</gallery>"])

    def _picture(self) -> str:
        options = self._pick(["thumb", "thumb|left|200px", "frame", "thumb|alt=x"])
        after = self._pick(["", "", " " + self._sentence(), "\n" + self._tagged()])
        return f"[[File:Mill.jpg|{options}|{self._tagged()}]]{after}"

    def _heading(self) -> str:
        marks, blank = "=" * self._random.randint(2, 4), self._pick([" ", ""])
        return f"{marks}{blank}{self._tagged()}{blank}{marks}\n{self._tagged()}"

    def _indented(self) -> str:
        return f" {self._tagged()}{self._pick(['', chr(10) + ' ' + self._plain(), chr(10) + self._plain()])}"

    def _infobox(self) -> str:
        text = f"{{{{Infobox mill\n| opened = {self._tagged()}\n| height = {self._tagged()}\n}}}}"
        return text + self._pick(["", "\n" + self._tagged()])

    def _alone(self) -> str:
        before = self._pick(
            [self._lines, self._list, self._table, self._gallery, self._html_list, self._picture]
        )()
        return f"{before}{self._pick([chr(10), chr(10) * 2])}{self._tag()}"

    def _wrapped(self) -> str:
        return self._pick([
            f"{{{{Panel|1={self._tagged()}}}}}", f"{{{{Panel|\n1={self._tagged()}\n}}}}",
            f"{{{{Plainlist|1=\n* {self._tagged()}\n* {self._tagged()}\n}}}}",
        ])  # fmt: skip

    def _listed_notes(self) -> str:
        name, words = f"l{self._count}", self._writing(self._tagged, *NOTES)
        first = f'{self._sentence()}<ref name="{name}"/>'
        return f'{first}\n<references>\n<ref name="{name}">{words}</ref>\n</references>'

    def _verbatim(self) -> str:
        words = f"{self._plain()} {self._tag()}"
        hidden = self._pick([
            f"<pre>{words}</pre>", f"<nowiki>{words}</nowiki>", f"<!-- {self._plain()} {{{{inconsistent}}}} -->",
            f"<includeonly>{words}</includeonly>",
        ])  # fmt: skip
        return hidden + self._pick(["", " " + self._tagged()])
