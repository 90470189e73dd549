"""Pages as a person sees them."""

import pytest


@pytest.fixture
def see(client):
    """`see(person, address)`: the page's text, as that person."""

    def read(who, address):
        client.force_login(who)
        answer = client.get(address)
        assert answer.status_code == 200, address
        return " ".join(answer.content.decode().split())

    return read
