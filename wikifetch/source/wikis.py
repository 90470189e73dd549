"""The row of a wiki, made from an address or from a file; and what its tags are called."""

from urllib.parse import urlsplit

from django.conf import settings

from wikifetch.models import Wiki
from wikifetch.source.answers import WikiRights, wiki_words
from wikifetch.source.dump import Dump, DumpError
from wikifetch.source.manners import articles_at
from wikifetch.wikitext import TagNames
from wikifetch.wikitext.languages import WikiWords
from wikifetch.wikitext.tag_names import KNOWN_NAMES


def wiki_of(dump: Dump, fallback: str) -> Wiki:
    """The wiki that a file says it comes from; where it says none, the one at `fallback`."""
    root = _root_of(dump, fallback)
    wiki = _known_at(root) or wiki_at(root, name=dump.site_name)
    if not wiki.words:
        wiki.words = _words_in(dump).as_json()
        wiki.save(update_fields=["words"])
    return wiki


def names_in(dump: Dump, fallback: str) -> TagNames:
    """The names of tags on that wiki, of which there need not be a row."""
    root = _root_of(dump, fallback)
    wiki = _known_at(root) or Wiki(base_url=root)
    wiki.words = wiki.words or _words_in(dump).as_json()
    return names_of(wiki)


def _words_in(dump: Dump) -> WikiWords:
    """What the file says that its wiki calls its namespaces."""
    numbered = {key: name for key, name in dump.namespaces.items() if key.isdecimal()}
    listed = {key: {"id": int(key[:9]), "name": name} for key, name in numbered.items()}
    return wiki_words({"namespaces": listed})


def _root_of(dump: Dump, fallback: str) -> str:
    base = dump.base or f"{fallback}/wiki/Main_Page"
    if not _is_page_address(base):
        raise DumpError(f"The file names {base[:100]!r} as its wiki, which is no web address.")
    if "title=" in base:
        return base[: base.index("title=") + len("title=")]
    return base[: base.rindex("/") + 1]


def _known_at(root: str) -> Wiki | None:
    addresses = {root, root.replace("http://", "https://", 1)}
    return Wiki.objects.filter(base_url__in=addresses).first()


def _is_page_address(address: str) -> bool:
    """Whether it can be the address of a wiki's main page: links are made from it."""
    try:
        parts = urlsplit(address)
        usual = parts.scheme in {"http", "https"} and parts.port != 0 and not parts.username
    except ValueError:
        return False
    spelled = address.isprintable() and " " not in address and len(address) <= 290
    return bool(usual and spelled and parts.hostname and parts.path)


def wiki_at(base_url: str, *, name: str = "", api_url: str = "") -> Wiki:
    """The row of a wiki, made where there is none; an address of its API is added to one made from a file."""
    host = urlsplit(base_url).netloc
    label = f"{name} ({host})" if name else host
    wiki, _ = Wiki.objects.get_or_create(
        base_url=base_url, defaults={"name": label[:120], "api_url": api_url}
    )
    if api_url and wiki.api_url != api_url:
        wiki.api_url = api_url
        wiki.save(update_fields=["api_url"])
    return wiki


def names_of(wiki: Wiki) -> TagNames:
    """The names of tags in files of a wiki: the operator's for it, else the English ones; and those asked for."""
    asked = TagNames.from_spellings(wiki.names_asked if wiki.pk else {})
    given = KNOWN_NAMES
    for base, templates in settings.WIKI_TEMPLATES.items():
        if wiki.base_url.startswith((articles_at(base), f"{base}/")):
            given = TagNames.from_spellings(templates)
            break
    return TagNames({**asked.kinds, **given.kinds}, words_of_wiki(wiki))


def names_shown(wiki: Wiki) -> TagNames:
    """All names of tags that its pages may have: the English ones besides."""
    return TagNames({**KNOWN_NAMES.kinds, **names_of(wiki).kinds}, words_of_wiki(wiki))


def words_of_wiki(wiki: Wiki) -> WikiWords:
    """What this wiki calls its namespaces and the months, as it was last asked; nothing where it never was."""
    return WikiWords.from_json(wiki.words)


def keep_about(wiki: Wiki, words: WikiWords, rights: WikiRights) -> None:
    """Keep what the wiki says of itself; where it says nothing, what it said before stays."""
    if words != WikiWords():
        wiki.words = words.as_json()
    if rights != WikiRights():
        wiki.rights_text, wiki.rights_url = rights.text, rights.url
    wiki.save(update_fields=["words", "rights_text", "rights_url"])


def rights_of_wikis() -> dict[str, tuple[str, str]]:
    """The licence's name and address of each wiki that said one, by its host."""
    said = Wiki.objects.exclude(rights_text="", rights_url="").order_by("-pk")
    return {
        urlsplit(wiki.base_url).hostname or "": (wiki.rights_text, wiki.rights_url) for wiki in said
    }
