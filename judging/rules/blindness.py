"""From whom an open study is hidden. Pure."""


def hides_study(*, is_open: bool, judges: bool, resolves: bool, is_admin: bool) -> bool:
    """Whether the study's runs, responses, results and models are hidden from a person now.

    `judges`: they are one of its judges, with or without open slots, for a judge may draw one at any time.
    `resolves`: they may be its third person. An admin who resolves is not blind: admins choose the models and start the
    runs, so there is nothing to hide from them; a person who is to resolve blind must not be an admin.
    """
    return is_open and (judges or (resolves and not is_admin))


def hides_judges(*, hidden: bool, is_admin: bool) -> bool:
    """Whether who judges, and how far they are, is hidden too: from everybody but admins, who add and remove judges."""
    return hidden and not is_admin
