"""The report and the exported files of a study are, byte for byte, what they were."""

import hashlib
import json

import pytest

from tests.evaluation.frozen.whole import FILES, files_of, study_of_two_rounds

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def test_every_file_of_a_study_is_equal_to_the_byte(settings, tmp_path):
    settings.VERSION = "frozen"
    hashes = {}
    for name, text in files_of(study_of_two_rounds()):
        (tmp_path / name).write_text(text, encoding="utf-8")
        hashes[name] = hashlib.sha256(text.encode("utf-8")).hexdigest()
    assert hashes == json.loads(FILES.read_text(encoding="utf-8")), f"They are in {tmp_path}."
