"""Which names below DATA_DIR a backup holds, and so which a restore writes. Pure.

A backup may come from anyone. A restore that wrote a key or a file that the program executes would give its author
the server, so a restore takes only what a backup of ours can hold.
"""

from pathlib import PurePosixPath

# Folders at the top of DATA_DIR that backups hold.
KEPT = {
    "files": "files that people uploaded or made",
    "uploads": "files that people uploaded for a fetch or an import",
    "prompts": "prompts that people put there as files",
}
# Names at the top of DATA_DIR that backups leave out, and why.
LEFT_OUT = {
    "backups": "backups do not contain backups",
    "broker": "messages; the rows record which work is left",
    "secret_key": "anyone who reads a backup could sign in as anyone",
    "static": "made from the code",
    "authorities.pem": "made from the setting CA_CERTIFICATES",
    "running.lock": "the process that runs now",
    "last_backup.json": "the last backup of this folder",
    "logs": "no data of the app",
}
DATABASE = "db.sqlite3"


def is_left_out(name: str) -> bool:
    """Whether backups leave out this entry at the top of DATA_DIR: temporary, a lock, or in LEFT_OUT."""
    return (
        name in LEFT_OUT
        or name.startswith((".", DATABASE))
        or name.endswith((".lock", ".part", ".log", ".pid"))
    )


def is_kept(name: object) -> bool:
    """Whether `name` is `files/FOLDER/PATH` with a FOLDER of KEPT, and PATH leads to one place below it."""
    if not isinstance(name, str) or "\\" in name or "\0" in name:
        return False
    top, *path = name.split("/")
    is_plain = not {"", ".", ".."} & set(path)
    return top == "files" and len(path) > 1 and path[0] in KEPT and is_plain and _is_utf_8(name)


def are_kept(names: list[str]) -> bool:
    """Whether all names are kept ones, none twice, and none a folder of another."""
    folders = {str(folder) for name in names for folder in PurePosixPath(name).parents}
    return all(map(is_kept, names)) and len(set(names)) == len(names) and not folders & set(names)


def _is_utf_8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON may hold
        return False
    return True
