"""Removing the set: all of it, nothing else, and people's work based on it only with an option."""

import pytest
from django.core.management import CommandError, call_command
from django.test import TestCase

from accounts.models import Person
from accounts.roles import Role
from annotation.campaigns.opening import CampaignDesign, open_campaign
from annotation.campaigns.tag_drawing import CampaignPlan
from annotation.models import Annotation, Assignment, Campaign
from annotation.reviewing.publishing_tags import publish_campaign
from annotation.workflow import assigning
from annotation.workflow.claiming import next_assignment
from datasets import exclusions, revisions
from datasets.models import Collection, Instance
from datasets.releasing import freezing
from demonstration.annotating import DemonstrationFrame
from demonstration.loading import load
from demonstration.removal import remove
from evaluation.frozen.snapshots import freeze
from generation.models import Run
from judging import adjudication, verdicts
from judging.models import GoldItem, Study
from judging.studies import open_study
from leases.refusal import Conflict
from tests.annotation import factories
from tests.demonstration.test_loading import rows
from tests.factories import person
from tests.judging.factories import unresolved_for
from wikifetch.models import Tag

# Versions of texts, and the audit log, which are kept.
KEPT = {"AuditEvent", "Guideline", "JudgePrompt", "PromptVersion", "Rubric"}


def rows_that_can_go():
    return {kind: count for kind, count in rows().items() if kind not in KEPT}


class TestRemoval(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.alice = person("alice", Role.ADMIN, Role.ANNOTATOR)
        cls.bob = person("bob", Role.JUDGE, Role.ADJUDICATOR)
        cls.own = factories.tag("Kettle Mill")
        cls.before = rows_that_can_go()
        cls.loaded = load(beside_other_work=True)

    def test_other_tags_are_in_none_of_its_campaigns(self):
        assert not Assignment.objects.filter(tag=self.own).exists()
        assert not any(self.own in DemonstrationFrame(left=left).rows() for left in (True, False))

    def own_campaign(self):
        own = Collection.objects.create(name="mine", created_by=self.alice)
        design = CampaignDesign(plan=CampaignPlan(limit=20))
        return open_campaign(name="Mine", collection=own, design=design, by=self.alice)

    @pytest.mark.both
    def test_only_the_set_is_removed_and_it_can_be_loaded_again(self):
        assert rows_that_can_go() != self.before
        call_command("remove_demonstration", verbosity=0)
        assert rows_that_can_go() == self.before
        assert load(beside_other_work=True) == self.loaded

    def test_questions_excluded_and_passages_revised_go_with_it(self):
        held = Instance.objects.filter(contradiction__collection__is_demonstration=True)
        out, lost = held.order_by("pk")[:2]
        for question in (out, lost):
            made = exclusions.exclude(instance=question, reason="Unclear.", by=self.alice)
        exclusions.undo(instance=lost, exclusion=made.pk, reason="It is clear.", by=self.bob)
        texts = revisions.originals(lost)._replace(passage_1="It agrees.", answer="So")
        revisions.write(instance=lost, texts=texts, by=self.alice)
        release = freezing.freeze(collection=out.contradiction.collection, version="2.0")
        assert release.left_out.count() == 1
        remove()
        assert rows_that_can_go() == self.before

    def test_a_newcomers_try_at_a_demonstration_tag_goes_with_it(self):
        next_assignment(by=self.alice)
        remove()
        assert not Annotation.objects.exists()
        assert list(Person.objects.all()) == [self.alice, self.bob]

    def test_everything_a_newcomer_tried_on_it_goes_with_it(self):
        alice, bob = self.alice, self.bob
        waiting = Annotation.objects.filter(state="submitted").earliest("pk")
        factories.decide(waiting, alice)
        publish_campaign(Campaign.objects.get(name="Demonstration"))
        freeze(Study.objects.get(name="Demonstration"), by=bob, note="Mine")
        freezing.freeze(
            collection=Collection.objects.get(name="demonstration"), version="2", by=alice
        )
        item = unresolved_for(bob)[0]
        adjudication.decide(item, by=bob, verdict="incorrect", cause="response", note="Neither.")
        open_study(Study.objects.get(state="draft"), [bob])
        verdicts.give(verdicts.slots_of(bob).first(), "incorrect", comment="No.")
        remove()
        assert rows_that_can_go() == self.before

    def test_work_built_on_it_is_named_and_nothing_is_removed(self):
        self.own_campaign()
        before = rows()
        with pytest.raises(CommandError, match=r"campaign “Mine”.*--with-work-built-on-it"):
            call_command("remove_demonstration")
        assert rows() == before

    def test_a_run_on_its_questions_is_named_though_it_is_marked_itself(self):
        theirs = Run.objects.earliest("pk")
        Run.objects.create(name="Try", collection=theirs.collection, is_demonstration=True)
        with pytest.raises(Conflict, match="run “Try”"):
            remove()
        remove(with_work_built_on_it=True)
        assert not Run.objects.exists()

    def test_a_study_with_its_responses_as_a_warm_up_is_named_and_removed_with_the_option(self):
        shown = Study.objects.get(name="Demonstration")
        mine = Study.objects.create(name="Mine", slug="mine", rubric=shown.rubric)
        response = shown.items.first().response
        GoldItem.objects.create(study=mine, response=response, position=1, verdict="correct")
        with pytest.raises(Conflict, match="study “Mine”"):
            remove()
        remove(with_work_built_on_it=True)
        assert not GoldItem.objects.exists()

    @pytest.mark.both
    def test_work_built_on_it_is_removed_with_the_option(self):
        self.own_campaign()
        call_command("remove_demonstration", "--with-work-built-on-it", verbosity=0)
        assert not Campaign.objects.exists()
        assert Tag.objects.get().article.title == "Kettle Mill"
        assert Collection.objects.get().name == "mine"

    def test_a_first_submission_for_another_tag_in_a_removed_campaign_stays_with_its_author(self):
        theirs = Collection.objects.get(name="demonstration")
        design = CampaignDesign(plan=CampaignPlan(limit=20))
        mine = open_campaign(name="Mine", collection=theirs, design=design, by=self.alice)
        place = mine.assignments.filter(tag__article__title="Kettle Mill")
        assigning.reassign(mine, place, self.alice)
        submitted = factories.handed_in(Annotation.objects.get(assignment__in=place))
        factories.decide(submitted, self.bob, "send_back", "Look again.")
        assigning.withdraw(mine, place)
        remove(with_work_built_on_it=True)
        left = Annotation.objects.get()
        assert (left.pk, left.state, left.first_assignment) == (submitted.pk, "sent_back", None)

    @pytest.mark.both
    def test_a_row_elsewhere_that_needs_an_invented_person_stops_the_removal(self):
        fenna = Person.objects.get(username="demo.fenna")
        Collection.objects.create(name="mine", created_by=fenna)
        before = rows()
        with pytest.raises(Conflict, match="collection “mine”"):
            remove()
        assert rows() == before


@pytest.mark.django_db
def test_without_the_set_the_command_says_so(capsys):
    call_command("remove_demonstration")
    assert capsys.readouterr().out == "There is no demonstration set here.\n"
