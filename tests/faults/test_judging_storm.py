"""Many judges draw from one pool at the same time, and some abandon what they drew."""

import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from judging import pool, studies, verdicts
from judging.models import JudgingSlot
from tests.judging import factories as make

pytestmark = pytest.mark.django_db(transaction=True)

WALK_AWAY = 0.1


def judge_all(someone, study, seed):
    """(slots walked away from, seconds of each draw) of one judge who draws and judges until nothing is left."""
    chance = random.Random(seed)
    left, waits = set(), []
    try:
        while True:
            began = time.perf_counter()
            drawn = pool.draw(someone, study)
            waits.append(time.perf_counter() - began)
            waiting = JudgingSlot.objects.filter(judge__person=someone, state="waiting")
            mine = list(waiting.select_related("round__study__rubric", "item__response"))
            mine = [slot for slot in mine if slot.pk not in left]
            if not drawn and not mine:
                return left, waits
            for slot in mine:
                if chance.random() < WALK_AWAY:
                    left.add(slot.pk)
                else:
                    verdicts.give(slot, "correct")
    finally:
        connection.close()


def storm(people, study, seed):
    with ThreadPoolExecutor(len(people)) as threads:
        seeds = range(seed * 1000, seed * 1000 + len(people))
        parts = list(threads.map(judge_all, people, [study] * len(people), seeds))
    return set().union(*(left for left, _ in parts)), sorted(w for _, ws in parts for w in ws)


def test_each_response_gets_as_many_judges_as_asked_and_abandoned_ones_go_to_others(
    seed, full_size
):
    responses, clients = (1000, 16) if full_size else (60, 8)
    run = make.finished_run(instances=responses // 2, prompts=["passage-1"])
    names = [f"judge-{n}" for n in range(clients)]
    study = make.open_study(*names, drawn_from=run, pairing="pool")
    people = [make.judge(name) for name in names]

    left, waits = storm(people, study, seed)
    print(
        f"{clients} judges: median {waits[len(waits) // 2]:.3f} s, p99 {waits[int(len(waits) * 0.99)]:.3f} s"
    )
    assert JudgingSlot.objects.filter(state="waiting").count() == len(left)
    assert JudgingSlot.objects.count() == 2 * responses

    JudgingSlot.objects.filter(pk__in=left).update(lease_until=Now() - timedelta(seconds=1))
    assert pool.sweep_slots() == len(left)
    for again in range(1, 20):
        if not JudgingSlot.objects.filter(state__in=("free", "waiting")).exists():
            break
        storm(people, study, seed + again)
        JudgingSlot.objects.filter(state="waiting").update(lease_until=Now() - timedelta(seconds=1))
        pool.sweep_slots()

    judges = Counter(JudgingSlot.objects.values_list("item", "judge"))
    assert set(judges.values()) == {1}
    assert set(Counter(item for item, _ in judges).values()) == {2}
    assert studies.close_study(study) == 2 * responses
