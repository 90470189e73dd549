import pytest

from accounts.roles import Role
from judging.files.importing import import_human_evaluation
from tests.evaluation.factories import judged_study
from tests.factories import person


@pytest.fixture
def rita(client, db):
    """A researcher, signed in."""
    someone = person("rita", Role.RESEARCHER)
    client.force_login(someone)
    return someone


@pytest.fixture
def study(db):
    """Judged by alice and bob, who handed in; two responses wait for a third person."""
    return judged_study()


@pytest.fixture
def sample(db, study_file):
    """The published sample as an imported study."""
    data = study_file("wikicontradict/humaneval_sample.json").read_bytes()
    return import_human_evaluation(data, "Sample").study
