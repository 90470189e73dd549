"""Claiming and holding leases, with fetch runs as the example."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from leases.claim import claim, renew, settle, sweep
from wikifetch.models import FetchRun
from wikifetch.states import FETCH_RUN, FetchState

pytestmark = [pytest.mark.both, pytest.mark.alone]


def waiting(label="x") -> FetchRun:
    return FetchRun.objects.create(source="xml", label=label)


def take(seconds=60.0, holder="alice"):
    return claim(
        FetchRun.objects.order_by("pk"), FETCH_RUN, "start", seconds=seconds, holder=holder
    )


@pytest.mark.django_db
def test_a_claimed_row_is_not_claimed_again():
    waiting()
    assert take(holder="alice").attempts == 1
    assert take(holder="bob") is None


@pytest.mark.django_db
def test_claims_follow_the_order_of_the_rows():
    first, second = waiting("first"), waiting("second")
    assert take() == first
    assert take() == second


@pytest.mark.django_db
def test_a_swept_row_is_free_and_its_old_holder_stores_nothing():
    run = waiting()
    take(seconds=-1, holder="alice")
    assert sweep(FetchRun.objects.all(), FETCH_RUN, "expire") == 1
    take(holder="bob")

    assert not settle(run, FETCH_RUN, "finish", holder="alice", pages=5)
    run.refresh_from_db()
    assert (run.state, run.lease_holder, run.pages) == (FetchState.RUNNING, "bob", 0)


@pytest.mark.django_db
def test_a_live_lease_is_not_swept_and_can_be_renewed():
    run = waiting()
    take(seconds=60)
    assert sweep(FetchRun.objects.all(), FETCH_RUN, "expire") == 0
    assert renew(run, seconds=90, holder="alice")
    assert not renew(run, seconds=90, holder="bob")


@pytest.mark.django_db
def test_settling_releases_the_lease():
    run = waiting()
    take()
    assert settle(run, FETCH_RUN, "finish", holder="alice", pages=5)
    assert (run.state, run.lease_holder, run.lease_until, run.pages) == ("done", "", None, 5)


@pytest.mark.django_db(transaction=True)
def test_eight_claimants_of_forty_rows_take_each_once():
    for n in range(40):
        waiting(str(n))

    def claim_until_none(holder):
        taken = []
        try:
            while run := take(holder=holder):
                taken.append(run.pk)
        finally:
            connection.close()
        return taken

    with ThreadPoolExecutor(8) as pool:
        taken = [pk for part in pool.map(claim_until_none, "abcdefgh") for pk in part]

    assert len(taken) == 40
    assert len(set(taken)) == 40


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_row_that_is_just_being_claimed_is_skipped_without_waiting():
    first, second = waiting("first"), waiting("second")

    def claim_elsewhere():
        try:
            return take(holder="bob")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        assert take(holder="alice") == first
        assert pool.submit(claim_elsewhere).result(10) == second
