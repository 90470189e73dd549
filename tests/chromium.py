"""Where Chromium is, and how it is started; without Django, for programs too."""

import os
import shutil

QUIET = [
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
]


def chromium_path() -> str | None:
    """CHROMIUM, or the first of the usual names on the path."""
    names = [os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    return next((path for name in names if name and (path := shutil.which(name))), None)
