"""Every page that shows the demonstration set is marked as such."""

from django.test import TestCase
from django.urls import reverse

from accounts.roles import Role
from annotation.models import Annotation
from annotation.workflow.claiming import next_assignment
from datasets.models import Contradiction
from demonstration.loading import load
from generation.models import Response
from judging.models import JudgingSlot, Study
from judging.studies import open_study
from tests.annotation.factories import place_of
from tests.factories import person
from wikifetch.models import FetchRun, Tag

MARK = ">Demonstration</span>"


class TestMarks(TestCase):
    @classmethod
    def setUpTestData(cls):
        load()
        cls.ada = person("ada", *Role)

    def unmarked(self, *pages):
        self.client.force_login(self.ada)
        addresses = [reverse(name, args=arguments) for name, *arguments in pages]
        return [at for at in addresses if MARK not in self.client.get(at).content.decode()]

    def test_pages_of_tags_and_annotations_are_marked(self):
        waiting = Annotation.objects.filter(state="submitted").earliest("pk")
        own = next_assignment(by=self.ada)
        assert not self.unmarked(
            ("wikifetch:fetches",),
            ("wikifetch:fetch", FetchRun.objects.get().pk),
            ("wikifetch:tags",),
            ("wikifetch:tag", Tag.objects.earliest("pk").pk),
            ("annotation:queue",),
            ("annotation:annotate", own.pk),
            ("annotation:campaigns",),
            ("annotation:campaign", own.campaign_id),
            ("annotation:reviews",),
            ("annotation:review", *place_of(waiting)),
        )

    def test_pages_of_collections_runs_and_studies_are_marked(self):
        response, study = Response.objects.earliest("pk"), Study.objects.get(name="Demonstration")
        assert not self.unmarked(
            ("datasets:collections",),
            ("datasets:collection", "demonstration"),
            ("datasets:questions", "demonstration"),
            ("datasets:deviations", "demonstration-import"),
            ("datasets:contradiction", Contradiction.objects.earliest("pk").pk),
            ("generation:runs",),
            ("generation:run", response.run_id),
            ("generation:responses", response.run_id),
            ("generation:response", response.run_id, response.pk),
            ("judging:studies",),
            ("judging:study", study.pk),
            ("judging:resolve_queue",),
            ("judging:resolve_study", study.pk),
            ("evaluation:reports",),
            ("evaluation:report", study.pk),
        )

    def test_the_judges_pages_are_marked(self):
        study = Study.objects.get(state="draft")
        open_study(study, [self.ada])
        slot = JudgingSlot.objects.filter(judge__person=self.ada).earliest("order")
        assert not self.unmarked(
            ("judging:queue",),
            ("judging:overview", study.pk),
            ("judging:slot", slot.pk),
        )
