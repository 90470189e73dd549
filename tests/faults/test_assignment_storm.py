"""Many people request their next tag at the same time, and some abandon it."""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Count
from django.db.models.functions import Now

from accounts.roles import Role
from annotation.models import Assignment
from annotation.workflow.claiming import next_assignment, sweep_assignments
from tests.annotation.factories import campaign
from tests.factories import person

pytestmark = pytest.mark.django_db(transaction=True)

WALK_AWAY = 0.1


def take_all(someone, campaign, seed):
    """(places walked away from, seconds of each claim) of one person who takes until nothing is left."""
    chance = random.Random(seed)
    left, waits = [], []
    try:
        while True:
            began = time.perf_counter()
            # No Conflict: different people never collide on a tag.
            place = next_assignment(by=someone, campaign=campaign)
            waits.append(time.perf_counter() - began)
            if place is None:
                return left, waits
            if chance.random() < WALK_AWAY:
                left.append(place.pk)
    finally:
        connection.close()


def storm(people, campaign, seed):
    with ThreadPoolExecutor(len(people)) as pool:
        seeds = range(seed * 1000, seed * 1000 + len(people))
        parts = list(pool.map(take_all, people, [campaign] * len(people), seeds))
    return [pk for left, _ in parts for pk in left], sorted(w for _, ws in parts for w in ws)


def test_each_tag_gets_as_many_people_as_asked_and_abandoned_ones_go_to_others(seed, full_size):
    """Three people for the first half of the tags, one for each of the others."""
    tags, clients = (1000, 16) if full_size else (60, 8)
    plan = {"people_per_tag": 3, "double_share": 0.5, "seed": seed}
    made = campaign(tags=tags, plan=plan, in_hand=2 * tags)
    asked = dict(made.assignments.order_by().values_list("tag").annotate(Count("pk")))
    assert sorted(asked.values()) == [1] * (tags // 2) + [3] * (tags // 2)
    people = [person(f"annotator-{n}", Role.ANNOTATOR) for n in range(clients)]

    left, waits = storm(people, made, seed)
    # Each place once, and a last empty answer for each person.
    assert len(waits) == 2 * tags + clients
    assert not Assignment.objects.filter(person=None).exists()
    print(
        f"{len(people)} people: median {waits[len(waits) // 2]:.3f} s, p99 {waits[int(len(waits) * 0.99)]:.3f} s"
    )

    # The leases of abandoned places expire.
    Assignment.objects.filter(pk__in=left).update(lease_until=Now() - timedelta(seconds=1))
    assert sweep_assignments() == len(left) > 0
    storm(people, made, seed + 1)

    people_by_tag = Assignment.objects.order_by().values_list("tag")
    assert dict(people_by_tag.annotate(Count("person", distinct=True))) == asked
    assert Assignment.objects.count() == 2 * tags
