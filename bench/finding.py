"""Time and CPU of the pages on which responses of a large run are read, next to a search of their texts in memory.

One run of 100,000 responses of 100 words: questions by five prompts by five models. One response in 500
failed. Words are looked for that every answer has, that half of the questions have, that one response in 500 has, and
that none has. Each page is asked for
three times, by Django's test client in this process; the fastest counts. The least is Python's `in` over the same texts
in memory. PostgreSQL's own CPU is not counted.
"""

import argparse
import random
import time
from itertools import accumulate
from string import ascii_lowercase
from typing import Any

from bench.machine import apart, arguments, on_each

WORDS, PROMPT_WORDS = 100, 160  # of a response, of its prompt
VOCABULARY = 20_000
RARE, ONE_IN = "zebra", 500
TIMES = 3
BATCH = 2_000


def main() -> None:
    on_each(measure, arguments("finding", __doc__, responses=100_000))


def measure(options: argparse.Namespace) -> None:
    run, words = apart(make, options.responses)
    apart(visit, run, words)


# ---------------------------------------------------------------- the run


def make(n: int) -> tuple[int, list[str]]:
    """The run's key, and a word that is in nearly all responses, one in about half of the questions'."""
    from generation.models import Response
    from generation.prompts import prompting
    from leases.planner import learn_sizes
    from tests.judging import factories as judging

    drawn = random.Random(3)
    vocabulary = [
        "".join(drawn.choices(ascii_lowercase, k=drawn.randint(2, 11))) for _ in range(VOCABULARY)
    ]
    weights = [*accumulate(1 / rank for rank in range(1, VOCABULARY + 1))]
    models = [judging.language_model(f"model-{number}") for number in range(5)]
    prompts = list(prompting.prompts().values())[:5]
    run = judging.run("Large")
    run.prompts = [prompt.name for prompt in prompts]
    run.save()
    rows: list[Response] = []

    def prose(size: int) -> str:
        return " ".join(drawn.choices(vocabulary, cum_weights=weights, k=size))

    for number in range(n):
        if number % 25 == 0:
            about, sent = judging.instance(number), prose(PROMPT_WORDS)
        text = f"{vocabulary[0]} {prose(WORDS)}{f' {RARE}' if number % ONE_IN == 0 else ''}"
        prompt, model = prompts[number // 5 % 5], models[number % 5]
        columns = {"order": number, "rendered": sent, "text": text}
        if number % ONE_IN == 1:
            columns |= {"text": "", "state": "failed", "error": "The prompt is too long."}
        rows.append(response(run, about, prompt, model, **columns))
        if len(rows) == BATCH or number == n - 1:
            Response.objects.bulk_create(rows)
            rows = []
    learn_sizes()
    return run.pk, [vocabulary[0], vocabulary[300]]


def response(run: Any, about: Any, prompt: Any, model: Any, **columns: Any) -> Any:
    from generation.models import Response
    from generation.states import ResponseState

    message = {"role": "user", "content": columns["rendered"]}
    choice = {"message": {"content": columns["text"]}, "finish_reason": "stop"}
    return Response(
        run=run,
        instance=about,
        model=model,
        prompt=prompt.name,
        prompt_hash=prompt.sha256,
        request={"model": model.model_id, "messages": [message]},
        reply={"choices": [choice], "usage": {"prompt_tokens": 200, "completion_tokens": 130}},
        **{"state": ResponseState.DONE, **columns},
    )


# ---------------------------------------------------------------- its pages


def visit(run: int, words: list[str]) -> None:
    from django.test import Client

    from accounts.roles import Role
    from generation.models import Response
    from tests.factories import person

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(person("rosa", Role.RESEARCHER))
    texts = [*Response.objects.filter(run=run).order_by("pk").values_list("text", flat=True)]
    least, _ = fastest(lambda: sum(RARE in text.lower() for text in texts))
    print(f"  {len(texts):,} texts in memory {least * 1000:26.0f} ms")
    last = Response.objects.filter(run=run).latest("pk").pk
    everywhere, half = words
    pages = {
        "the run's page": "",
        "the grid": "responses/",
        "a word in every response": f"responses/?words={everywhere}",
        "a word in half of the questions": f"responses/?words={half}",
        f"a word in one of {ONE_IN}": f"responses/?words={RARE}",
        "three words": f"responses/?words={everywhere}+{half}+{RARE}",
        "a word in none": "responses/?words=qqqqqq",
        "what failed": "responses/?outcome=failed",
        "the last page": "responses/?page=last",
        "one response": f"responses/{last}/",
        "two models": "two-models/",
    }
    for name, address in pages.items():
        took, cpu = fastest(lambda address=address: opened(client, f"/runs/{run}/{address}"))
        print(
            f"  {name:34} {took * 1000:6.0f} ms, {cpu * 1000:4.0f} ms of CPU  ratio {took / least:5.1f}",
            flush=True,
        )


def opened(client: Any, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200, address


def fastest(work: Any) -> tuple[float, float]:
    """The least seconds, and the least seconds of CPU, of a few times."""
    taken = []
    for _ in range(TIMES):
        began, used = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - began, time.process_time() - used))
    return min(took for took, _ in taken), min(cpu for _, cpu in taken)


main()
