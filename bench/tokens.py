"""CPU of a request with a token, next to the same one with a cookie.

In one process, in turns, `--rounds` times `--times` requests each; of the rounds the one with the least CPU counts.
"""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from bench import content
from bench.machine import arguments, fastest, on_each

LISTS = ("/api/tags/?page_size=1", "/api/tags/", "/api/collections/")


def main() -> None:
    on_each(measure, arguments("tokens", __doc__, tags=200, times=100, rounds=5))


def measure(options: argparse.Namespace) -> None:
    from django.test import Client

    from accounts.models import Allowance
    from accounts.roles import Role
    from tests.accounts.factories import bearer
    from tests.factories import person

    path = Path(os.environ["DATA_DIR"]) / "pages.xml"
    content.write_pages(path, options.tags)
    content.read_pages(path)
    rosa = person("rosa", Role.RESEARCHER)
    cookie = Client(SERVER_NAME="127.0.0.1")
    cookie.force_login(rosa)
    token = Client(SERVER_NAME="127.0.0.1", headers=bearer(rosa))

    def asking(client: Client, address: str) -> Callable[[], None]:
        def ask() -> None:
            Allowance.objects.all().delete()  # so many requests would wait
            for _ in range(options.times):
                assert client.get(address).status_code == 200

        return ask

    for address in LISTS:
        best = {cookie: float("inf"), token: float("inf")}
        for _ in range(options.rounds):
            for client in best:
                _, cpu = fastest(asking(client, address), times=1)
                best[client] = min(best[client], cpu)
        ours, least = (1e3 * best[client] / options.times for client in (token, cookie))
        n = options.rounds * options.times
        by_cookie = f"with a cookie {least:6.2f} ms  ratio {ours / least:5.2f}"
        print(f"  {address:24} {ours:6.2f} ms of CPU  {by_cookie}  (n = {n})", flush=True)


if __name__ == "__main__":
    main()
