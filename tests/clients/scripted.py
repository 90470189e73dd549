"""A server for the client that gives the answers of a list, one after another, and keeps what it was asked."""

import io
import json
from collections.abc import Sequence
from typing import Any

import requests
from requests.adapters import BaseAdapter
from sicetnon import Client

Answer = tuple[int, Any, dict[str, str]] | Exception
ADDRESS = "https://sicetnon.example/sub"


class Scripted(BaseAdapter):
    """Each answer is (status, body, headers), where a body is JSON unless it is bytes; or what is raised instead."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        super().__init__()
        self.answers = list(answers)
        self.asked: list[requests.PreparedRequest] = []

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, body, headers = answer
        response = requests.Response()
        response.status_code = status
        response.headers.update(headers)
        response.raw = io.BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
        response.url, response.request = request.url, request
        return response

    def close(self) -> None:
        """Nothing is open."""


def scripted(*answers: Answer, **options: Any):
    """A client whose server gives these answers, the server, and the list of its waits in seconds."""
    server, waits, session = Scripted(answers), [], requests.Session()
    session.mount("https://", server)
    client = Client(ADDRESS, "sicetnon_secret", session=session, sleep=waits.append, **options)
    return client, server, waits
