"""How often something may be done: so many times at once, then once every so many seconds.

Pure. Several rates on one thing make waits that grow: of the tries on a password the first few are free, the
next ones cost seconds, later ones minutes. The figures are far above what people do, even twenty of them
behind one address, and far below what guessing needs.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rate:
    """`burst` times at once; each is regained after `seconds`."""

    burst: int
    seconds: float


# Wrong passwords for one account from one browser that is known there, or from one address.
TRIES = (Rate(5, 10), Rate(12, 60), Rate(30, 300), Rate(60, 1800))
# Wrong passwords for one account from all browsers together that are not known there.
TRIES_ON_ACCOUNT = (Rate(100, 5),)
# Wrong passwords for any account from one address, known browsers apart.
TRIES_FROM_ADDRESS = (Rate(100, 2), Rate(400, 20))
# Links that open nothing, from one address.
LINKS = (Rate(30, 10),)
# What a page's own script or a program asks for, for each person. A judge's fastest keys are 20 in seconds.
API = (Rate(1000, 0.1),)

# What takes the machine's time or others', for each person; the words stand in the refusal.
JOBS = {
    "fetches": (Rate(30, 60),),
    "runs": (Rate(30, 60),),
    "imports": (Rate(30, 60),),
    "downloads": (Rate(60, 10),),
    "calls to models": (Rate(20, 15),),
}
