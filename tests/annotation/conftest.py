"""An annotator, signed in, and her draft."""

import pytest

from tests.annotation import factories as make
from tests.factories import signed_in


@pytest.fixture
def alice(client):
    return signed_in(client, make.annotator("alice"))


@pytest.fixture
def draft(alice):
    return make.draft(alice)
