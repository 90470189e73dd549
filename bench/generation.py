"""Responses of a worker with many calls in flight, next to a bare client that sends the same requests.

The fake service answers each call after a second. A real worker (Celery, threads) asks it, and each response is
committed: on SQLite with the broker of files, on PostgreSQL with Redis. Printed are the share of the ideal (calls in
flight a second), ramp and tail left out; the worker's CPU for a response, start left out, and its ratio to that of a
loop with requests in as many threads; and how much the worker's memory grew after the first tenth.

With --services N, so many fake services share the calls in flight, the last of them four times as slow as the first;
printed is the share of each. With --service NAME, of INFERENCE_SERVICES, a real service is asked instead with its own
in_flight, and the share is that of the bare client's responses a second; printed too is for how much of the time its
calls were open, which other work on the machine changes less. A busy machine changes shares more than CPU.
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
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from bench.machine import ROOT, apart, arguments, on_each, tree_cpu
from tests.servers import a_redis

QUESTIONS = 50
OPTIONS = {"temperature": 0, "max_tokens": 60, "system_message": None}
ANSWER = "It is 4 km long, says one passage; the other says 9 km, and neither gives a source. " * 3
WORKER = (
    *(sys.executable, "-m", "celery", "--app", "config", "--quiet", "worker"),
    *("--queues", "generation", "--pool", "threads"),
    *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "error"),
)


def main() -> None:
    sizes = {"responses": 5_000, "in_flight": 0, "milliseconds": 1_000, "services": 1}
    options = arguments("generation", __doc__, **sizes, service="")
    on_each(measure, options)


def measure(options: argparse.Namespace) -> None:
    from django.db import connection

    if connection.vendor == "sqlite":
        rounds = [options.in_flight or 32]
        measure_each(rounds, options)
        return
    with a_redis(None) as broker:
        os.environ["CELERY_BROKER_URL"] = broker
        measure_each([options.in_flight] if options.in_flight else [128, 256], options)


def measure_each(rounds: list[int], options: argparse.Namespace) -> None:
    from django.conf import settings

    if options.service:
        os.environ["INFERENCE_SERVICES"] = json.dumps(settings.INFERENCE_SERVICES)
        return measure_one(options.service, options, ideal=None)
    for in_flight in rounds:
        latencies = spread(options.milliseconds / 1000, options.services)
        with ExitStack() as open_services:
            settings.INFERENCE_SERVICES = {
                f"fake-{n}": {
                    "url": open_services.enter_context(fake_service(latency)),
                    "in_flight": in_flight // len(latencies),
                    "timeout": 60,
                }
                for n, latency in enumerate(latencies, 1)
            }
            os.environ["INFERENCE_SERVICES"] = json.dumps(settings.INFERENCE_SERVICES)
            if len(latencies) > 1:
                measure_all(latencies, options.responses)
            else:
                measure_one("fake-1", options, ideal=in_flight / latencies[0])
    return None


def spread(fastest: float, services: int) -> list[float]:
    """The seconds of a call at each of the services."""
    return [fastest * (1 + 3 * n / max(services - 1, 1)) for n in range(services)]


def measure_all(latencies: list[float], responses: int) -> None:
    """All services at once, each with as many responses as it can answer in the same time."""
    from generation.inference import client

    speeds = [1 / latency for latency in latencies]
    made = [
        make(f"fake-{n}", round(responses * speed / sum(speeds)))
        for n, speed in enumerate(speeds, 1)
    ]
    cpu, grew = work(made)
    shares = []
    for n, (run, speed) in enumerate(zip(made, speeds, strict=True), 1):
        in_flight = client.service(f"fake-{n}").entry.in_flight
        shares.append(rate_of(run, in_flight) / (in_flight * speed))
    print(
        f"  {len(made)} services of {latencies[0]:g} to {latencies[-1]:g} s, {in_flight} in flight each, {responses} "
        f"responses: {' '.join(f'{share:.2f}' for share in shares)} of the ideal; "
        f"CPU {1000 * cpu / responses:.2f} ms a response; memory {grew:+.0f} MB",
        flush=True,
    )


def measure_one(name: str, options: argparse.Namespace, ideal: float | None) -> None:
    from generation.inference import client
    from generation.models import Response

    entry = client.service(name).entry
    run = make(name, options.responses, is_real=ideal is None)
    bodies = [request_of(row) for row in Response.objects.filter(run=run)[:QUESTIONS]]
    n = options.responses
    seconds, bare_cpu = apart(bare, entry, bodies, n)
    worker_cpu, grew = work([run])
    rate, least = rate_of(run, entry.in_flight), ideal or n / seconds
    print(
        f"  {entry.in_flight:4} in flight, {n} responses: {rate:6.1f} a second, {rate / least:.2f} of "
        f"{'the ideal' if ideal else 'the bare client'}; CPU {1000 * worker_cpu / n:.2f} ms a response, bare client "
        f"{1000 * bare_cpu / n:.2f} ms, ratio {worker_cpu / bare_cpu:.1f}; memory {grew:+.0f} MB; calls open "
        f"{open_share(run, entry.in_flight):.3f} of the time",
        flush=True,
    )


def open_share(run: Any, in_flight: int) -> float:
    """How much of the time from the first call to the last its `in_flight` calls were open."""
    from generation.models import Attempt

    # A call whose worker died has no time.
    ended = Attempt.objects.filter(response__run=run, latency_ms__isnull=False)
    calls = ended.values_list("started_at", "latency_ms")
    spans = [(began, timedelta(milliseconds=latency)) for began, latency in calls]
    whole = max(began + took for began, took in spans) - min(began for began, _ in spans)
    return sum((took for _, took in spans), timedelta()) / (in_flight * whole)


def rate_of(run: Any, in_flight: int) -> float:
    """Responses a second, without the ramp and the tail."""
    times = sorted(run.responses.values_list("answered_at", flat=True))
    ramp = min(in_flight, len(times) // 3)
    return (len(times) - 2 * ramp) / (times[-ramp - 1] - times[ramp - 1]).total_seconds()


def make(name: str, responses: int, is_real: bool = False) -> Any:
    """A run of so many responses, started. A real service is tested first: it may need other words for a request."""
    from generation import registry, runs
    from generation.inference import client
    from generation.prompts import prompting
    from tests.generation.factories import canals

    offered = client.service(name).models()
    if is_real:
        model, _ = registry.add_probed(name, offered[0], OPTIONS)
    else:
        model = registry.add(name, offered[0], OPTIONS)
    made, _ = runs.create(
        collection=canals(QUESTIONS, name=f"canals {time.monotonic()}"),
        models=[model],
        prompts=[prompting.find("5")],
        samples=-(-responses // QUESTIONS),
    )
    surplus = made.responses.filter(order__gte=responses)
    surplus.delete()
    runs.start(made)
    return made


def request_of(row: Any) -> dict[str, Any]:
    from generation.inference import chat

    return chat.body(row.model.model_id, row.model.options, row.rendered, row.model.able)


def bare(entry: Any, bodies: list[dict[str, Any]], n: int) -> tuple[float, float]:
    """(seconds, seconds of CPU) of n calls that store nothing."""
    from generation.inference import chat, client

    session = requests.Session()
    session.trust_env = False
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(pool_connections=1, pool_maxsize=entry.in_flight))
    key = os.environ.get(entry.key_env, "")
    headers = {
        "Content-Type": "application/json",
        **({"Authorization": f"Bearer {key}"} if key else {}),
        **client.service(entry.name).headers(),
    }
    path, texts = chat.path(bodies[0]), [json.dumps(body) for body in bodies]

    def ask(number: int) -> Any:
        answer = session.post(
            f"{entry.url.rstrip('/')}{path}",
            data=texts[number % len(texts)],
            headers=headers,
            params=entry.query or None,
            timeout=entry.timeout,
        )
        answer.raise_for_status()
        return answer.json()["choices"][0]

    began, cpu = time.monotonic(), time.process_time()
    with ThreadPoolExecutor(entry.in_flight) as pool:
        list(pool.map(ask, range(n)))
    return time.monotonic() - began, time.process_time() - cpu


# ---------------------------------------------------------------- the worker


def work(made: list[Any]) -> tuple[float, float]:
    """(seconds of CPU, megabytes that its memory grew after the first tenth) of a worker that carries out the runs."""
    from generation.models import Response, Run
    from generation.states import ResponseState, RunState

    threads = ["--concurrency", str(max(4, 2 * len(made)))]  # two for each service
    worker = subprocess.Popen([*WORKER, *threads], cwd=ROOT, env=os.environ)
    responses = Response.objects.filter(run__in=made)
    open_runs = Run.objects.filter(pk__in=[run.pk for run in made]).exclude(state=RunState.DONE)
    done = responses.filter(state=ResponseState.DONE)
    try:
        subprocess.run([sys.executable, "-m", "bench.generation", "wake"], cwd=ROOT, check=True)
        total = responses.count()
        until(responses.exclude(state=ResponseState.PENDING).exists)
        cpu, memory = tree_cpu(worker.pid), 0.0
        while open_runs.exists():
            time.sleep(0.5)
            memory = memory or (resident(worker.pid) if done.count() > total / 10 else 0.0)
        return tree_cpu(worker.pid) - cpu, resident(worker.pid) - memory
    finally:
        worker.terminate()
        worker.wait(60)


def until(done: Any) -> None:
    end = time.monotonic() + 120
    while not done():
        assert time.monotonic() < end, "the worker does not begin"
        time.sleep(0.05)


def resident(pid: int) -> float:
    """Megabytes in memory."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1024


def wake() -> None:
    import django

    django.setup()
    from generation.asking import dispatch

    dispatch.wake()


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


def serve(there: Any, latency: float) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: Answering(loop, latency), "127.0.0.1", 0, backlog=1024
        )
        there.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def http(data: object) -> bytes:
    body = json.dumps(data).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


MODELS = http({"object": "list", "data": [{"id": "fake-1", "object": "model"}]})
COMPLETION = http(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake-1",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": ANSWER},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 120, "completion_tokens": 60, "total_tokens": 180},
    }
)


class Answering(asyncio.Protocol):
    """One connection: each request is answered after the latency."""

    def __init__(self, loop: asyncio.AbstractEventLoop, latency: float) -> None:
        self._loop, self._latency, self._read = loop, latency, b""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        while b"\r\n\r\n" in self._read:
            head, _, rest = self._read.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: *(\d+)", head)
            size = int(length[1]) if length else 0
            if len(rest) < size:
                return
            self._read = rest[size:]
            if head.startswith(b"GET"):
                self._transport.write(MODELS)
            else:
                self._loop.call_later(self._latency, self._transport.write, COMPLETION)


if __name__ == "__main__":
    wake() if sys.argv[1:] == ["wake"] else main()
