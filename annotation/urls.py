"""Addresses of annotation."""

from django.urls import path

from annotation import api
from annotation.views import annotate, campaigns, reviews

app_name = "annotation"

urlpatterns = [
    path("annotate/", annotate.queue, name="queue"),
    path("annotate/next/", annotate.next_tag, name="next"),
    path("annotate/guideline/<str:version>/", annotate.guideline, name="guideline"),
    path("annotate/drafts/<int:annotation_id>/take-up/", annotate.take_up, name="take_up"),
    path("annotate/<int:assignment_id>/", annotate.annotate, name="annotate"),
    path("campaigns/", campaigns.campaigns, name="campaigns"),
    path("campaigns/new/", campaigns.new_campaign, name="campaign_new"),
    path("campaigns/<int:campaign_id>/", campaigns.campaign, name="campaign"),
    path("campaigns/<int:campaign_id>/publish/", campaigns.publish, name="publish"),
    path("campaigns/<int:campaign_id>/close/", campaigns.change, {"verb": "close"}, name="close"),
    path(
        "campaigns/<int:campaign_id>/reopen/", campaigns.change, {"verb": "reopen"}, name="reopen"
    ),
    path(
        "campaigns/<int:campaign_id>/places/<int:assignment_id>/withdraw/",
        campaigns.withdraw,
        name="withdraw",
    ),
    path("reviews/", reviews.reviews, name="reviews"),
    path("reviews/<int:annotation_id>/", reviews.review, name="review"),
    path("api/annotation/drafts/<int:annotation_id>/", api.draft, name="api_draft"),
]
