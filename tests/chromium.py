"""Where Chromium is, and how it is started; without Django, for programs too."""

import os
import shutil

# Chromium obeys the last list only. The first line keeps it from preparing pages of its own for each new window, which
# is half of a window's work; the rest is what Playwright itself switches off.
_UNUSED = (
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
    "LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,"
    "TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch"
)
QUIET = [
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    f"--disable-features={_UNUSED}",
]


def chromium_path() -> str | None:
    """CHROMIUM, or the first of the usual names on the path.

    The headless shell is Chromium without windows: the same engine, and half the work for each page that is opened.
    """
    names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
    names.insert(0, os.environ.get("CHROMIUM", ""))
    return next((path for name in names if name and (path := shutil.which(name))), None)
