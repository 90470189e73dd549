"""Rate limits: a number of times at once, then once every few seconds. Pure.

Several rates on one key make waits that grow: the first wrong passwords are free, the next ones cost seconds,
later ones minutes. The figures are far above what people do, even twenty of them at one address, and far below
what guessing needs.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rate:
    """`burst` times at once; each is regained after `seconds`."""

    burst: int
    seconds: float


# Wrong passwords for one account from one known browser, or from one address.
TRIES = (Rate(5, 10), Rate(12, 60), Rate(30, 300), Rate(60, 1800))
# Wrong passwords for one account from all unknown browsers together.
TRIES_ON_ACCOUNT = (Rate(100, 5),)
# Wrong passwords for any account from one address; known browsers do not count.
TRIES_FROM_ADDRESS = (Rate(100, 2), Rate(400, 20))
# Wrong passwords for any account from all unknown browsers together: half a core at most, after the burst.
TRIES_OF_STRANGERS = (Rate(200, 1),)
# Invalid links, from one address.
LINKS = (Rate(30, 10),)
# Times that somebody left for the institution, from one address.
LEAVINGS = (Rate(100, 2),)
# API requests of one person's pages and programs. A fast judge makes 20 within seconds.
API = (Rate(1000, 0.1),)

# Jobs that take the machine's time or other people's, for each person; the refusal names the kind.
JOBS = {
    "fetches": (Rate(30, 60),),
    "previews": (Rate(30, 10),),
    "runs": (Rate(30, 60),),
    "prompts": (Rate(60, 60),),
    "imports": (Rate(30, 60),),
    "downloads": (Rate(60, 10),),
    "calls to models": (Rate(20, 15),),
}
