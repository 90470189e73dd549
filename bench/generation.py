"""Responses of a worker with many calls in flight, next to a bare client that sends the same requests.

The fake service answers each call after a second. A real worker (Celery, threads) asks it, and each response is
committed: on SQLite with the broker of files, on PostgreSQL with Redis. Printed are the share of the ideal (calls in
flight a second), ramp and tail left out; the worker's CPU for a response, start left out, and its ratio to that of a
loop with requests in as many threads; and how much the worker's memory grew after the first tenth.

With --service NAME, of INFERENCE_SERVICES, a real service is asked instead with its own in_flight, and the share is
that of the bare client's responses a second. A busy machine changes shares more than CPU.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from bench.machine import ROOT, apart, arguments, on_each, tree_cpu, tree_memory
from bench.web import command_of, environment, running
from tests.servers import a_redis

QUESTIONS = 50
OPTIONS = {"temperature": 0, "max_tokens": 60, "system_message": None}
ANSWER = "It is 4 km long, says one passage; the other says 9 km, and neither gives a source. " * 3
WAKE = "import django; django.setup(); from generation.asking import dispatch; dispatch.wake()"


def main() -> None:
    sizes = {"responses": 5_000, "in_flight": 0, "milliseconds": 1_000, "service": ""}
    on_each(measure, arguments("generation", __doc__, **sizes))


def measure(options: argparse.Namespace) -> None:
    from django.conf import settings
    from django.db import connection

    with ExitStack() as servers:
        usual = [32]
        if connection.vendor == "postgresql":
            os.environ["CELERY_BROKER_URL"] = servers.enter_context(a_redis())
            usual = [128, 256]
        if options.service:
            compare(options.service, options.responses)
            return
        latency = options.milliseconds / 1000
        url = servers.enter_context(fake_service(latency))
        for in_flight in [options.in_flight] if options.in_flight else usual:
            entry = {"url": url, "in_flight": in_flight, "timeout": 60}
            settings.INFERENCE_SERVICES = {"fake": entry}
            compare("fake", options.responses, ideal=in_flight / latency)


def compare(name: str, n: int, ideal: float | None = None) -> None:
    """Ask the service for n responses, by bare calls and by a worker; `ideal` responses a second of a fake one."""
    from django.conf import settings

    from generation.inference import chat, client

    os.environ["INFERENCE_SERVICES"] = json.dumps(settings.INFERENCE_SERVICES)
    entry = client.service(name).entry
    run = make(name, n)
    bodies = [
        chat.body(row.model.model_id, row.model.options, row.rendered, row.model.able)
        for row in run.responses.all()[:QUESTIONS]
    ]
    seconds, bare_cpu = apart(bare, entry, bodies, n)
    cpu, grew = work(run)
    rate, least = rate_of(run, entry.in_flight), ideal or n / seconds
    print(
        f"  {entry.in_flight:4} in flight, {n} responses: {rate:6.1f} a second, {rate / least:.2f} of "
        f"{'the ideal' if ideal else 'the bare client'}; CPU {1000 * cpu / n:.2f} ms a response, bare client "
        f"{1000 * bare_cpu / n:.2f} ms, ratio {cpu / bare_cpu:.1f}; memory {grew:+.0f} MB",
        flush=True,
    )


def rate_of(run: Any, in_flight: int) -> float:
    """Responses a second, without the ramp and the tail."""
    times = sorted(run.responses.values_list("answered_at", flat=True))
    ramp = min(in_flight, len(times) // 3)
    return (len(times) - 2 * ramp) / (times[-ramp - 1] - times[ramp - 1]).total_seconds()


def make(name: str, responses: int) -> Any:
    """A run of so many responses, started. The service is tested first: it may need other words for a request."""
    from generation import registry, runs
    from generation.inference import client
    from generation.prompts import prompting
    from tests.generation.factories import canals

    offered = client.service(name).models()
    model, _ = registry.add_probed(name, offered[0], OPTIONS)
    made, _ = runs.create(
        collection=canals(QUESTIONS, name=f"canals {time.monotonic()}"),
        models=[model],
        prompts=[prompting.find("5")],
        samples=-(-responses // QUESTIONS),
    )
    made.responses.filter(order__gte=responses).delete()
    runs.start(made)
    return made


def bare(entry: Any, bodies: list[dict[str, Any]], n: int) -> tuple[float, float]:
    """(seconds, seconds of CPU) of n calls that store nothing."""
    from generation.inference import chat, client

    session = requests.Session()
    session.trust_env = False
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(pool_connections=1, pool_maxsize=entry.in_flight))
    session.headers["Content-Type"] = "application/json"
    session.headers.update(client.service(entry.name).headers())
    if key := os.environ.get(entry.key_env, ""):
        session.headers["Authorization"] = f"Bearer {key}"
    url = f"{entry.url.rstrip('/')}{chat.path(bodies[0])}"
    texts = [json.dumps(body) for body in bodies]

    def ask(number: int) -> Any:
        how = {"params": entry.query or None, "timeout": entry.timeout}
        answer = session.post(url, data=texts[number % len(texts)], **how)
        answer.raise_for_status()
        return answer.json()["choices"][0]

    began, cpu = time.monotonic(), time.process_time()
    with ThreadPoolExecutor(entry.in_flight) as pool:
        list(pool.map(ask, range(n)))
    return time.monotonic() - began, time.process_time() - cpu


def work(run: Any) -> tuple[float, float]:
    """(seconds of CPU, megabytes that its memory grew after the first tenth) of a worker that carries out the run."""
    from generation.models import Run
    from generation.states import ResponseState, RunState

    total, done = run.responses.count(), run.responses.filter(state=ResponseState.DONE)
    env = environment(GENERATION_CONCURRENCY="4")
    with running(["/bin/sh", "-c", command_of("generation")], cwd=ROOT, env=env) as worker:
        subprocess.run([sys.executable, "-c", WAKE], cwd=ROOT, check=True)
        end = time.monotonic() + 120
        while not run.responses.exclude(state=ResponseState.PENDING).exists():
            assert time.monotonic() < end, "the worker does not begin"
            time.sleep(0.05)
        cpu, memory = tree_cpu(worker.pid), 0.0
        while Run.objects.exclude(state=RunState.DONE).filter(pk=run.pk).exists():
            time.sleep(0.5)
            memory = memory or (tree_memory(worker.pid) if done.count() > total / 10 else 0.0)
        return tree_cpu(worker.pid) - cpu, tree_memory(worker.pid) - memory


# ---------------------------------------------------------------- the fake service


@contextmanager
def fake_service(latency: float) -> Iterator[str]:
    """Its url. A process of its own, which costs little for each call."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there, latency), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{here.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def serve(there: Connection, latency: float) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: each request is answered after the latency."""
        with suppress(asyncio.IncompleteReadError):  # the client has closed it
            while head := await reader.readuntil(b"\r\n\r\n"):
                if head.startswith(b"GET"):
                    writer.write(MODELS)
                    continue
                length = re.search(rb"(?i)content-length: *(\d+)", head)
                await reader.readexactly(int(length[1]) if length else 0)
                await asyncio.sleep(latency)
                writer.write(COMPLETION)

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1024)
        there.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def http(data: object) -> bytes:
    body = json.dumps(data)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n{body}".encode()


MODELS = http({"object": "list", "data": [{"id": "fake-1", "object": "model"}]})
MESSAGE = {"role": "assistant", "content": ANSWER}
USAGE = {"prompt_tokens": 120, "completion_tokens": 60, "total_tokens": 180}
CHOICES = [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}]
COMPLETION = http(
    {"object": "chat.completion", "model": "fake-1", "choices": CHOICES, "usage": USAGE}
)


if __name__ == "__main__":
    main()
