"""The licences that wikis say their texts are under."""

from datasets.releasing.bundle.licences import licence_named
from leases.extension import ExtensionPoint

# By a wiki's host, the name and the address of its licence, as it said when its pages were fetched.
wiki_rights: ExtensionPoint[[], dict[str, tuple[str, str]]] = ExtensionPoint(
    "datasets.releasing.wiki_licences.wiki_rights"
)


def licences_of_wikis() -> dict[str, str]:
    """The licence of each wiki that said one, by its host."""
    known = (rights for answer in wiki_rights() for rights in answer.items())
    return {host: licence_named(*rights) for host, rights in known}
