"""Addresses of judging."""

from django.urls import path

from judging import api
from judging.views import (
    discuss,
    evaluations,
    judge,
    judge_models,
    judge_prompts,
    resolve,
    rounds,
    rubrics,
    studies,
    warm_up,
)

app_name = "judging"

urlpatterns = [
    path("studies/", studies.index, name="studies"),
    path("studies/new/", studies.new, name="study_new"),
    path("studies/import/", evaluations.import_evaluation, name="study_import"),
    path("studies/rubrics/", rubrics.index, name="rubrics"),
    path("studies/rubrics/<int:rubric_id>/", rubrics.version, name="rubric"),
    path("studies/rubrics/<int:rubric_id>/edit/", rubrics.edit, name="rubric_edit"),
    path("studies/judge-prompts/", judge_prompts.index, name="judge_prompts"),
    path("studies/judge-prompts/<int:number>/", judge_prompts.version, name="judge_prompt"),
    path("studies/judge-prompts/<int:number>/edit/", judge_prompts.edit, name="judge_prompt_edit"),
    path("studies/<int:study_id>/", studies.study, name="study"),
    path("studies/<int:study_id>/open/", studies.open_study, name="study_open"),
    path("studies/<int:study_id>/plan/", studies.plan, name="study_plan"),
    path("studies/<int:study_id>/warm-up/", studies.warm_up, name="study_warm_up"),
    path("studies/<int:study_id>/judges/", studies.add_judge, name="study_add_judge"),
    path(
        "studies/<int:study_id>/judges/<int:judge_id>/remove/",
        studies.remove_judge,
        name="study_remove_judge",
    ),
    path("studies/<int:study_id>/close/", studies.close_study, name="study_close"),
    path("studies/<int:study_id>/reopen/", rounds.reopen, name="study_reopen"),
    path("studies/<int:study_id>/rounds/again/", rounds.again, name="round_again"),
    path("studies/<int:study_id>/rounds/added/", rounds.added, name="round_added"),
    path("studies/<int:study_id>/export/<slug:form>/", studies.export, name="study_export"),
    path("studies/<int:study_id>/models/", judge_models.begin, name="judge_model"),
    path(
        "studies/<int:study_id>/models/<int:judge_id>/cancel/",
        judge_models.cancel,
        name="judge_model_cancel",
    ),
    path(
        "studies/<int:study_id>/models/<int:judge_id>/resume/",
        judge_models.resume,
        name="judge_model_resume",
    ),
    path("judge/", judge.queue, name="queue"),
    path("judge/<int:study_id>/", judge.overview, name="overview"),
    path("judge/<int:study_id>/next/", judge.next_item, name="next"),
    path("judge/<int:study_id>/warm-up/<int:position>/", warm_up.item, name="warm_up"),
    path("judge/<int:study_id>/draw/", judge.draw, name="draw"),
    path("judge/<int:study_id>/hand-back/", judge.hand_back, name="hand_back"),
    path("judge/<int:study_id>/undo/", judge.undo, name="undo"),
    path("judge/<int:study_id>/hand-in/", judge.hand_in, name="hand_in"),
    path("judge/slots/<uuid:slot_id>/", judge.slot, name="slot"),
    path("judge/slots/<uuid:slot_id>/coming/", judge.coming, name="coming"),
    path("judge/slots/<uuid:slot_id>/skip/", judge.skip, name="skip"),
    path("judge/slots/<uuid:slot_id>/flag/", judge.flag, name="flag"),
    path("studies/<int:study_id>/discussions/leave/", discuss.leave_all, name="discussions_leave"),
    path("judge/discussions/<uuid:slot_id>/", discuss.discussion, name="discussion"),
    path("resolve/", resolve.queue, name="resolve_queue"),
    path("resolve/<int:study_id>/", resolve.study, name="resolve_study"),
    path("resolve/items/<int:item_id>/", resolve.item, name="resolve_item"),
    path("api/judging/slots/<uuid:slot_id>/", api.slot, name="api_slot"),
    path("api/judging/slots/<uuid:slot_id>/verdict", api.verdict, name="api_verdict"),
    path("api/judging/slots/<uuid:slot_id>/undo", api.undo, name="api_undo"),
    path("api/judging/slots/<uuid:slot_id>/skip", api.skip, name="api_skip"),
    path("api/judging/slots/<uuid:slot_id>/flag", api.flag, name="api_flag"),
]
