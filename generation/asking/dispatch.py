"""Wake services: a message for each that has rows to ask, carried out as one turn."""

from celery import shared_task

from generation.asking import services
from generation.asking.turn import take_turn
from generation.call_queues import queues
from generation.inference import client
from leases.enqueue import send, send_on_commit


@shared_task
def ask_service(service: str) -> None:
    """One turn at a service; the next message is sent while there is more to do (queue "generation")."""
    take_turn(service, queues(), hand_over=lambda: send(ask_service, service))


def wake() -> None:
    """Send a message for each service that has rows to ask and that no turn serves.

    The turn checks the service's key, which the sender of the message need not have.
    """
    waiting = {line.service for queue in queues() for line in queue.lines()}
    for name in sorted(services.idle(waiting & set(client.names()))):
        send_on_commit(ask_service, name)
