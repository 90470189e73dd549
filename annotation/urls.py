"""Addresses of annotation."""

from django.urls import include, path

from annotation.api import agreeing, drafts
from annotation.api import assignments as own
from annotation.api import campaigns as listed
from annotation.views import (
    annotate,
    articles,
    assignments,
    campaigns,
    guidelines,
    monitoring,
    own_progress,
    queue,
    reviews,
    seeing,
)

app_name = "annotation"

one_campaign = [
    path("", campaigns.campaign, name="campaign"),
    path("progress/", monitoring.progress, name="campaign_progress"),
    path("timesheet.csv", monitoring.timesheet, name="timesheet"),
    path("times.csv", monitoring.times, name="times"),
    path("export/", monitoring.exports, name="campaign_exports"),
    path("export/<str:name>", monitoring.export, name="campaign_export"),
    path("guideline/", guidelines.use_guideline, name="use_guideline"),
    path("seen/", seeing.seen, name="seen"),
    path("publish/", campaigns.publish, name="publish"),
    path("close/", campaigns.change, {"verb": "close"}, name="close"),
    path("reopen/", campaigns.change, {"verb": "reopen"}, name="reopen"),
    path("main-round/", campaigns.open_main_round, name="open_main_round"),
    path("assignments/", assignments.assignments, name="assignments"),
    path("limits/", campaigns.limits, name="limits"),
    path("people/", campaigns.add_person, name="add_person"),
    path("people/<int:person_id>/remove/", campaigns.remove_person, name="remove_person"),
]
one_campaigns_api = [
    path("progress/", listed.campaigns_progress, name="api_progress"),
    path("annotations/", listed.campaigns_annotations, name="api_annotations"),
    path("files/", listed.campaigns_files, name="api_files"),
    path("files/<str:name>/", listed.campaigns_file, name="api_file"),
]
the_guideline = [
    path("", guidelines.guidelines, name="guidelines"),
    path("edit/", guidelines.edit_guideline, name="guideline_edit"),
    path("<str:version>/changes/", guidelines.guideline_changes, name="guideline_changes"),
]
urlpatterns = [
    path("annotate/", queue.queue, name="queue"),
    path("annotate/progress/", own_progress.own, name="own_progress"),
    path("annotate/show/", seeing.show, name="show"),
    path("annotate/next/", queue.next_tag, name="next"),
    path("annotate/guideline/<str:version>/", guidelines.guideline, name="guideline"),
    path("annotate/drafts/<int:annotation_id>/take-up/", queue.take_up, name="take_up"),
    path("annotate/drafts/<int:annotation_id>/undo/", queue.undo, name="undo"),
    path("annotate/<int:assignment_id>/", annotate.annotate, name="annotate"),
    path("annotate/<int:assignment_id>/accepted/", own_progress.accepted, name="accepted"),
    path(
        "annotate/<int:assignment_id>/other-article/", articles.other_article, name="other_article"
    ),
    path("campaigns/", campaigns.campaigns, name="campaigns"),
    path("campaigns/new/", campaigns.new_campaign, name="campaign_new"),
    path("campaigns/<int:campaign_id>/", include(one_campaign)),
    path("campaigns/guideline/", include(the_guideline)),
    path("reviews/", reviews.reviews, name="reviews"),
    path("reviews/<int:campaign_id>/<int:round>/<int:tag_id>/", reviews.review, name="review"),
    path("reviews/<int:review_id>/take-back/", reviews.take_back, name="take_back"),
    path("api/drafts/", drafts.drafts_list, name="api_drafts"),
    path("api/drafts/<int:annotation_id>/", drafts.draft, name="api_draft"),
    path("api/drafts/<int:annotation_id>/submit/", drafts.drafts_submit, name="api_submit"),
    path("api/drafts/<int:annotation_id>/undo/", drafts.drafts_undo, name="api_undo"),
    path("api/drafts/<int:annotation_id>/flag/", drafts.drafts_flag, name="api_flag"),
    path("api/drafts/<int:annotation_id>/take-up/", own.drafts_take_up, name="api_take_up"),
    path("api/assignments/", own.assignments_list, name="api_assignments"),
    path("api/assignments/next/", own.assignments_next, name="api_next"),
    path("api/assignments/<int:assignment_id>/skip/", own.assignments_skip, name="api_skip"),
    path(
        "api/assignments/<int:assignment_id>/hand-back/",
        own.assignments_hand_back,
        name="api_hand_back",
    ),
    path("api/shown/", agreeing.shown_agree, name="api_show"),
    path("api/campaigns/", listed.campaigns_list, name="api_campaigns"),
    path("api/campaigns/<int:campaign_id>/", include(one_campaigns_api)),
]
