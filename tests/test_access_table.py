"""The access table: the status of every address for every kind of person.

A new address fails here until it has a row; a method that an address has no row for is refused.
"""

from collections import defaultdict
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import get_resolver, resolve, reverse

from accounts import invitations, sessions
from accounts.models import ApiToken, Identity, Invitation, SecondFactor, Session
from accounts.roles import Role
from accounts.tokens import issuing
from accounts.tokens.scopes import Scope
from annotation.models import Assignment, Guideline
from annotation.reviewing.publishing_tags import publish
from annotation.workflow import claiming
from datasets import exclusions, revisions
from datasets.drawing import SubsetPlan
from datasets.models import Collection, ImportJob
from datasets.releasing import freeze_jobs
from datasets.releasing.freezing import freeze as release
from datasets.releasing.publishing import publish as publish_release
from datasets.revisions import Texts
from datasets.subsets import Query, freeze
from evaluation.frozen import publishing, snapshots
from generation import prompt_versions
from generation.models import LanguageModel
from judging import discussing, settling, studies, verdicts
from judging.files.predictions import import_predictions
from judging.machine import judge_prompts
from judging.models import GoldItem, JudgingSlot
from tests.access_bodies import BODIES, NO_FIELDS, NOBODY, body_of
from tests.accounts.factories import known_institution
from tests.annotation import factories as annotation
from tests.datasets import factories as datasets
from tests.factories import person
from tests.generation.fake_service import FakeService
from tests.judging import factories as judging
from tests.judging.blinding.other_protocols import CLAIMS
from tests.protocols.factories import changed, installed
from tests.writing import factories as writing
from wikifetch.models import FetchRun
from writing import openings, taking

pytestmark = pytest.mark.django_db

# out: signed out. none: no role. anna works on a draft, aron is another annotator. jean judges in the open
# study, jane in none. adam adjudicates, rosa is a researcher, olga an admin. max holds every role and judges
# in the open study, which hides its run and its results from him.
PEOPLE = ("out", "none", "anna", "aron", "jean", "jane", "adam", "rosa", "olga", "max")

TABLE = """
#     address                                                 out  none anna aron jean jane adam rosa olga max
GET   /                                                       302  200  200  200  200  200  200  200  200  200
GET   /favicon.ico                                            302  302  302  302  302  302  302  302  302  302
GET   /healthz                                                200  200  200  200  200  200  200  200  200  200
GET   /readyz                                                 200  200  200  200  200  200  200  200  200  200
GET   /metrics                                                404  404  404  404  404  404  404  404  404  404
GET   /api/schema.json                                        401  403  200  200  200  200  200  200  200  200
GET   /api/no-such-address                                    404  404  404  404  404  404  404  404  404  404
GET   /sign-in/                                               200  302  302  302  302  302  302  302  302  302
POST  /sign-in/                                               302  302  302  302  302  302  302  302  302  302
GET   /sign-in/code/                                          302  302  302  302  302  302  302  302  302  302
POST  /sign-in/code/                                          302  302  302  302  302  302  302  302  302  302
GET   /sign-in/institution/                                   302  302  302  302  302  302  302  302  302  302
GET   /sign-in/institution/back/                              400  400  400  400  400  400  400  400  400  400
POST  /sign-out/                                              302  302  302  302  302  302  302  302  302  302
GET   {join}                                                  200  200  200  200  200  200  200  200  200  200
POST  {join}                                                  302  302  302  302  302  302  302  302  302  302
GET   {join}institution/                                      302  302  302  302  302  302  302  302  302  302
GET   {password}                                              200  200  200  200  200  200  200  200  200  200
POST  {password}                                              302  302  302  302  302  302  302  302  302  302
GET   /account/                                               302  200  200  200  200  200  200  200  200  200
POST  /account/                                               403  302  302  302  302  302  302  302  302  302
POST  /account/password/                                      302  302  302  302  302  302  302  302  302  302
POST  /account/sessions/end/                                  403  404  404  404  302  404  404  404  404  404
GET   /account/institution/                                   302  200  200  200  200  200  200  200  200  200
POST  /account/institution/                                   302  200  200  200  200  200  200  200  200  200
POST  /account/institution/remove/                            302  302  302  302  302  302  302  302  302  302
GET   /account/second-factor/                                 302  200  200  200  200  200  200  200  200  200
POST  /account/second-factor/                                 302  200  200  200  200  200  200  200  200  200
POST  /account/second-factor/confirm/                         302  400  400  400  400  400  400  400  400  400
POST  /account/second-factor/remove/                          302  409  409  409  409  409  409  409  409  409
GET   /account/tokens/institution/                            302  302  302  302  302  302  302  302  302  302
GET   /account/tokens/                                        302  200  200  200  200  200  200  200  200  200
POST  /account/tokens/                                        403  400  200  200  200  200  200  200  200  200
POST  /account/tokens/{own_token}/revoke/                     302  404  404  404  302  404  404  404  404  404
POST  /people/{person}/tokens/{token}/revoke/                 302  403  403  403  403  403  403  403  302  302
GET   /programs/                                              302  200  200  200  200  200  200  200  200  200
GET   /people/                                                302  403  403  403  403  403  403  403  200  200
GET   /people/{person}/                                       302  403  403  403  403  403  403  403  200  200
POST  /people/{person}/                                       403  403  403  403  403  403  403  403  302  302
GET   /people/work/                                           302  403  403  403  403  403  403  403  200  200
POST  /people/{person}/work/                                  302  403  403  403  403  403  403  403  302  302
POST  /people/{person}/active/                                403  403  403  403  403  403  403  403  302  302
POST  /people/{person}/password-link/                         302  403  403  403  403  403  403  403  200  200
POST  /people/{person}/second-factor/remove/                  302  403  403  403  403  403  403  403  302  302
POST  /people/{person}/institution/remove/                    302  403  403  403  403  403  403  403  302  302
GET   /audit/                                                 302  403  403  403  403  403  403  403  200  200
GET   /audit.csv                                              302  403  403  403  403  403  403  403  200  200
GET   /operations/                                            302  403  403  403  403  403  403  403  200  200
GET   /people/{person}/forget/                                302  403  403  403  403  403  403  403  200  200
POST  /people/{person}/forget/                                403  403  403  403  403  403  403  403  302  302
GET   /people/{person}/data.json                              302  403  403  403  403  403  403  403  200  200
POST  /invitations/                                           403  403  403  403  403  403  403  403  200  200
POST  /invitations/{invitation}/withdraw/                     302  403  403  403  403  403  403  403  302  302
GET   /fetches/                                               302  403  403  403  403  403  403  403  200  200
GET   /fetches/new/                                           302  403  403  403  403  403  403  403  200  200
POST  /fetches/new/                                           403  403  403  403  403  403  403  403  302  302
GET   /fetches/{fetch}/                                       302  403  403  403  403  403  403  403  200  200
POST  /fetches/{fetch}/cancel/                                302  403  403  403  403  403  403  403  302  302
GET   /tags/                                                  302  403  200  200  403  403  403  200  200  200
GET   /tags/{tag}/                                            302  403  200  200  403  403  403  200  200  200
GET   /collections/                                           302  403  200  200  403  403  403  200  200  200
GET   /collections/new/import/                                302  403  403  403  403  403  403  403  200  200
POST  /collections/new/import/                                403  403  403  403  403  403  403  403  302  302
GET   /imports/                                               302  403  403  403  403  403  403  403  200  200
GET   /imports/{import}/                                      302  403  403  403  403  403  403  403  200  404
GET   /imports/{import}/controls/                             302  403  403  403  403  403  403  403  302  404
POST  /imports/{import}/controls/                             302  403  403  403  403  403  403  403  302  404
POST  /imports/{import}/annotators/                           302  403  403  403  403  403  403  403  302  404
GET   /imports/{import}/columns/                              302  403  403  403  403  403  403  403  302  404
POST  /imports/{import}/columns/                              302  403  403  403  403  403  403  403  302  404
POST  /imports/{import}/confirm/                              302  403  403  403  403  403  403  403  302  404
POST  /imports/{import}/discard/                              302  403  403  403  403  403  403  403  302  404
POST  /imports/{import}/undo/                                 302  403  403  403  403  403  403  403  302  404
GET   /collections/mills/                                     302  403  200  200  403  403  403  200  200  200
GET   /collections/mills/questions/                           302  403  200  200  403  403  403  200  200  200
GET   /collections/mills/deviations/                          302  403  200  200  403  403  403  200  200  200
GET   /collections/mills/exclusions/                          302  403  403  403  403  403  403  200  200  200
POST  /collections/weirs/exclusions/                          403  403  403  403  403  403  403  302  302  302
GET   /collections/mills/subsets/                             302  403  403  403  403  403  403  200  200  200
GET   /collections/mills/subsets/new/                         302  403  403  403  403  403  403  403  200  200
POST  /collections/mills/subsets/new/                         403  403  403  403  403  403  403  403  302  302
GET   /collections/mills/subsets/{subset}/                    302  403  403  403  403  403  403  200  200  200
GET   /collections/mills/subsets/{subset}/bundle/             302  403  403  403  403  403  403  200  200  200
GET   /collections/mills/revised/                             302  403  200  200  403  403  403  200  200  200
GET   /collections/mills/export/wikicontradict-json/          302  403  403  403  403  403  403  200  200  200
GET   /collections/mills/description/                         302  403  403  403  403  403  403  403  200  200
POST  /collections/mills/description/                         403  403  403  403  403  403  403  403  302  302
GET   /collections/mills/export/                              302  403  403  403  403  403  403  200  200  200
GET   /collections/mills/releases/1.0/                        302  403  200  200  403  403  403  200  200  200
GET   /collections/mills/releases/1.0/since/1.0/              302  403  200  200  403  403  403  200  200  200
POST  /collections/mills/releases/1.0/amend/                  403  403  403  403  403  403  403  403  302  302
GET   /collections/mills/releases/1.0/publish/                302  403  403  403  403  403  403  403  200  200
POST  /collections/mills/releases/1.0/publish/                403  403  403  403  403  403  403  403  302  302
GET   /collections/mills/releases/1.0/responses/              302  403  403  403  403  403  403  403  200  200
POST  /collections/mills/releases/1.0/responses/              302  403  403  403  403  403  403  403  302  302
GET   /collections/mills/releases/1.1/withdraw/               302  403  403  403  403  403  403  403  200  200
POST  /collections/mills/releases/1.1/withdraw/               403  403  403  403  403  403  403  403  302  302
GET   /collections/mills/releases/1.1/delete-files/           302  403  403  403  403  403  403  403  409  409
POST  /collections/mills/releases/1.1/delete-files/           302  403  403  403  403  403  403  403  409  409
GET   /data/mills/                                            200  200  200  200  200  200  200  200  200  200
GET   /data/mills/1.1/                                        200  200  200  200  200  200  200  200  200  200
GET   /data/mills/1.1/data/questions.jsonl                    200  200  200  200  200  200  200  200  200  200
GET   /collections/mills/freezing/3.0/                        302  403  200  200  403  403  403  200  200  200
POST  /collections/mills/freezing/3.0/cancel/                 302  403  403  403  403  403  403  403  302  302
POST  /collections/mills/releases/                            302  403  403  403  403  403  403  403  302  302
POST  /collections/watermills/protocol/                       302  403  403  403  403  403  403  403  302  302
GET   /collections/mills/releases/1.0/files/wikicontradict-csv/ 302  403  403  403  403  403  403  200  200  200
GET   /protocols/                                             302  403  403  403  403  403  403  200  200  200
GET   /protocols/check/                                       302  403  403  403  403  403  403  200  200  200
POST  /protocols/check/                                       302  403  403  403  403  403  403  200  200  200
POST  /protocols/install/                                     302  403  403  403  403  403  403  403  302  302
GET   /protocols/mills/1/                                     302  403  403  403  403  403  403  200  200  200
GET   /protocols/mills/1/file/                                302  403  403  403  403  403  403  200  200  200
GET   /protocols/wikicontradict/1/                            302  403  403  403  403  403  403  200  200  200
GET   /protocols/wikicontradict/1/file/                       302  403  403  403  403  403  403  200  200  200
GET   /protocols/conflictbank/1/                              302  403  403  403  403  403  403  200  200  200
GET   /protocols/conflictbank/1/file/                         302  403  403  403  403  403  403  200  200  200
GET   /protocols/knot/1/                                      302  403  403  403  403  403  403  200  200  200
GET   /protocols/knot/1/file/                                 302  403  403  403  403  403  403  200  200  200
GET   /protocols/hypotheticals/1/                             302  403  403  403  403  403  403  200  200  200
GET   /protocols/hypotheticals/1/file/                        302  403  403  403  403  403  403  200  200  200
GET   /protocols/claims/1/                                    302  403  403  403  403  403  403  200  200  200
GET   /protocols/claims/1/file/                               302  403  403  403  403  403  403  200  200  200
POST  /protocols/conflictbank/1/install/                      302  403  403  403  403  403  403  403  302  302
POST  /protocols/mills/2/remove/                              302  403  403  403  403  403  403  403  302  302
GET   /contradictions/{contradiction}/                        302  403  200  200  403  403  403  200  200  200
GET   /contradictions/{contradiction}/questions/1/exclusion/  302  403  403  403  403  403  403  200  200  200
POST  /contradictions/{contradiction}/questions/1/exclusion/  403  403  403  403  403  403  403  302  302  302
GET   /contradictions/{hidden_question}/questions/1/exclusion/ 302 403  403  403  403  403  403  200  200  403
POST  /contradictions/{hidden_question}/questions/1/exclusion/ 403 403  403  403  403  403  403  302  302  403
GET   /contradictions/{contradiction}/questions/1/revised/    302  403  200  200  403  403  403  200  200  200
POST  /contradictions/{contradiction}/questions/1/revised/    403  403  302  302  403  403  403  302  302  302
POST  /contradictions/{excluded}/questions/1/exclusion/       403  403  403  403  403  403  403  302  302  302
POST  /contradictions/{written}/questions/1/revised/          403  403  302  403  403  403  403  403  403  403
POST  /contradictions/{to_check}/questions/1/revised/         403  403  403  403  403  403  403  302  302  302
GET   /annotate/                                              302  403  200  200  403  403  403  403  403  200
GET   /annotate/progress/                                     302  403  200  200  403  403  403  403  403  200
POST  /annotate/next/                                         403  403  302  302  403  403  403  403  403  302
POST  /annotate/show/                                         403  403  302  302  403  403  403  403  403  302
GET   /annotate/guideline/{guideline}/                        302  403  200  200  403  403  403  403  200  200
POST  /annotate/drafts/{handed_back}/take-up/                 302  403  409  404  403  403  403  403  403  404
POST  /annotate/drafts/{handed_back}/undo/                    302  403  302  404  403  403  403  403  403  404
GET   /annotate/{place}/                                      302  403  200  404  403  403  403  403  403  404
POST  /annotate/{place}/                                      302  403  302  404  403  403  403  403  403  404
GET   /annotate/{place}/other-article/                        302  403  200  404  403  403  403  403  403  404
POST  /annotate/{place}/other-article/                        403  403  200  404  403  403  403  403  403  404
GET   /annotate/{published_place}/accepted/                   302  403  404  200  403  403  403  403  403  404
POST  /annotate/{published_place}/accepted/                   403  403  404  302  403  403  403  403  403  404
GET   /campaigns/                                             302  403  403  403  403  403  403  403  200  200
GET   /campaigns/new/                                         302  403  403  403  403  403  403  403  200  200
POST  /campaigns/new/                                         403  403  403  403  403  403  403  403  200  200
GET   /campaigns/{campaign}/                                  302  403  403  403  403  403  403  403  200  200
GET   /campaigns/{campaign}/seen/                             302  403  403  403  403  403  403  403  200  200
POST  /campaigns/{campaign}/seen/                             403  403  403  403  403  403  403  403  302  302
GET   /campaigns/{campaign}/progress/                         302  403  403  403  403  403  403  403  200  200
GET   /campaigns/{campaign}/timesheet.csv                     302  403  403  403  403  403  403  403  200  200
GET   /campaigns/{campaign}/times.csv                         302  403  403  403  403  403  403  403  200  200
GET   /campaigns/{campaign}/export/                           302  403  403  403  403  403  403  200  200  200
GET   /campaigns/{campaign}/export/annotations.jsonl          302  403  403  403  403  403  403  200  200  200
GET   /campaigns/{campaign}/export/by-annotator.zip           302  403  403  403  403  403  403  200  200  200
GET   /campaigns/{campaign}/export/records.json               302  403  403  403  403  403  403  200  200  200
GET   /campaigns/{campaign}/export/label-studio.json          302  403  403  403  403  403  403  200  200  200
GET   /campaigns/{campaign}/export/label-studio.xml           302  403  403  403  403  403  403  200  200  200
GET   /campaigns/guideline/                                   302  403  403  403  403  403  403  403  200  200
GET   /campaigns/guideline/edit/                              302  403  403  403  403  403  403  403  200  200
POST  /campaigns/guideline/edit/                              403  403  403  403  403  403  403  403  302  302
GET   /campaigns/guideline/{guideline}/changes/               302  403  403  403  403  403  403  403  200  200
POST  /campaigns/{campaign}/guideline/                        302  403  403  403  403  403  403  403  302  302
POST  /campaigns/{campaign}/publish/                          302  403  403  403  403  403  403  403  302  302
POST  /campaigns/{campaign}/close/                            302  403  403  403  403  403  403  403  302  302
POST  /campaigns/{campaign}/reopen/                           302  403  403  403  403  403  403  403  409  409
POST  /campaigns/{campaign}/main-round/                       302  403  403  403  403  403  403  403  409  409
GET   /campaigns/{campaign}/assignments/                      302  403  403  403  403  403  403  403  200  200
POST  /campaigns/{campaign}/assignments/                      403  403  403  403  403  403  403  403  302  302
GET   /campaigns/{campaign}/limits/                           302  403  403  403  403  403  403  403  200  200
POST  /campaigns/{campaign}/limits/                           403  403  403  403  403  403  403  403  302  302
POST  /campaigns/{campaign}/people/                           403  403  403  403  403  403  403  403  302  302
GET   /campaigns/{campaign}/people/{aron}/remove/             302  403  403  403  403  403  403  403  200  200
POST  /campaigns/{campaign}/people/{aron}/remove/             302  403  403  403  403  403  403  403  302  302
GET   /reviews/                                               302  403  403  403  403  403  403  403  200  200
GET   /reviews/{campaign}/1/{submitted}/                      302  403  403  403  403  403  403  403  200  200
POST  /reviews/{campaign}/1/{submitted}/                      403  403  403  403  403  403  403  403  302  302
POST  /reviews/{campaign}/1/{own}/                            403  403  403  403  403  403  403  403  302  403
GET   /reviews/{campaign}/1/{begun}/                          302  403  403  403  403  403  403  403  404  404
POST  /reviews/{campaign}/1/{begun}/                          403  403  403  403  403  403  403  403  404  404
POST  /reviews/{decision}/take-back/                          302  403  403  403  403  403  403  403  302  302
GET   /models/                                                302  403  403  403  403  403  403  200  200  200
GET   /models/new/                                            302  403  403  403  403  403  403  403  200  200
POST  /models/new/                                            403  403  403  403  403  403  403  403  302  302
POST  /models/{model}/test/                                   302  403  403  403  403  403  403  403  302  302
GET   /models/services/local/                                 302  403  403  403  403  403  403  200  200  200
GET   /prompts/                                               302  403  403  403  403  403  403  200  200  200
GET   /prompts/new/                                           302  403  403  403  403  403  403  200  200  200
POST  /prompts/new/                                           403  403  403  403  403  403  403  302  302  302
GET   /prompts/passage-1/                                     302  403  403  403  403  403  403  200  200  200
GET   /prompts/passage-1/edit/                                302  403  403  403  403  403  403  200  200  200
POST  /prompts/passage-1/edit/                                403  403  403  403  403  403  403  302  302  302
POST  /prompts/passage-1/remove/                              302  403  403  403  403  403  403  302  302  302
GET   /runs/                                                  302  403  403  403  403  403  403  200  200  200
GET   /runs/new/                                              302  403  403  403  403  403  403  403  200  200
POST  /runs/new/                                              403  403  403  403  403  403  403  403  302  302
GET   /runs/{run}/                                            302  403  403  403  403  403  403  200  200  200
GET   /runs/{hidden}/                                         302  403  403  403  403  403  403  200  200  404
GET   /models/{local_model}/marks/                            302  403  403  403  403  403  403  403  200  200
GET   /models/{local_model}/prices/                           302  403  403  403  403  403  403  403  200  200
POST  /models/{local_model}/marks/                            302  403  403  403  403  403  403  403  302  302
POST  /models/{local_model}/prices/                           403  403  403  403  403  403  403  403  302  302
GET   /runs/{run}/cap/                                        302  403  403  403  403  403  403  403  200  200
GET   /runs/{hidden}/cap/                                     302  403  403  403  403  403  403  403  200  404
POST  /runs/{run}/cap/                                        302  403  403  403  403  403  403  403  302  302
POST  /runs/{hidden}/cap/                                     302  403  403  403  403  403  403  403  302  404
GET   /runs/{run}/more/                                       302  403  403  403  403  403  403  403  200  200
GET   /runs/{hidden}/more/                                    302  403  403  403  403  403  403  403  200  404
POST  /runs/{run}/more/                                       403  403  403  403  403  403  403  403  302  302
POST  /runs/{hidden}/more/                                    403  403  403  403  403  403  403  403  302  404
GET   /runs/{run}/progress/                                   302  403  403  403  403  403  403  200  200  200
GET   /runs/{hidden}/progress/                                302  403  403  403  403  403  403  200  200  404
POST  /runs/{run}/resume/                                     302  403  403  403  403  403  403  403  409  409
POST  /runs/{hidden}/resume/                                  302  403  403  403  403  403  403  403  409  404
GET   /runs/{run}/responses/                                  302  403  403  403  403  403  403  200  200  200
GET   /runs/{hidden}/responses/                               302  403  403  403  403  403  403  200  200  404
GET   /runs/{run}/two-models/                                 302  403  403  403  403  403  403  200  200  200
GET   /runs/{hidden}/two-models/                              302  403  403  403  403  403  403  200  200  404
GET   /runs/{run}/responses/{response}/                       302  403  403  403  403  403  403  200  200  200
GET   /runs/{hidden}/responses/{hidden_response}/             302  403  403  403  403  403  403  200  200  404
GET   /runs/{run}/responses/{hidden_response}/                302  403  403  403  403  403  403  404  404  404
GET   /runs/{run}/responses.csv                               302  403  403  403  403  403  403  200  200  200
GET   /runs/{hidden}/responses.csv                            302  403  403  403  403  403  403  200  200  404
GET   /studies/                                               302  403  403  403  403  403  403  200  200  200
GET   /studies/new/                                           302  403  403  403  403  403  403  403  200  200
POST  /studies/new/                                           403  403  403  403  403  403  403  403  302  400
GET   /studies/import/                                        302  403  403  403  403  403  403  403  200  200
POST  /studies/import/                                        403  403  403  403  403  403  403  403  302  302
GET   /studies/rubrics/                                       302  403  403  403  403  403  403  200  200  200
GET   /studies/rubrics/{rubric}/                              302  403  403  403  403  403  403  200  200  200
GET   /studies/rubrics/{rubric}/edit/                         302  403  403  403  403  403  403  403  200  200
POST  /studies/rubrics/{rubric}/edit/                         403  403  403  403  403  403  403  403  302  302
GET   /studies/judge-prompts/                                 302  403  403  403  403  403  403  200  200  200
GET   /studies/judge-prompts/1/                               302  403  403  403  403  403  403  200  200  200
GET   /studies/judge-prompts/1/edit/                          302  403  403  403  403  403  403  403  200  200
POST  /studies/judge-prompts/1/edit/                          403  403  403  403  403  403  403  403  302  302
GET   /studies/{open}/                                        302  403  403  403  403  403  403  200  200  200
GET   /studies/{closed}/                                      302  403  403  403  403  403  403  200  200  200
GET   /studies/{open}/export/                                 302  403  403  403  403  403  403  200  200  403
GET   /studies/{open}/export/csv/                             302  403  403  403  403  403  403  200  200  403
GET   /studies/{open}/export/json/                            302  403  403  403  403  403  403  200  200  403
GET   /studies/{open}/export/published/                       302  403  403  403  403  403  403  400  400  403
GET   /studies/{closed}/export/json/                          302  403  403  403  403  403  403  200  200  200
POST  /studies/{draft_study}/open/                            403  403  403  403  403  403  403  403  302  302
POST  /studies/{draft_study}/plan/                            403  403  403  403  403  403  403  403  200  200
POST  /studies/{draft_study}/warm-up/                         403  403  403  403  403  403  403  403  302  302
POST  /studies/{draft_study}/discard/                         302  403  403  403  403  403  403  403  302  302
POST  /studies/{closed}/discussions/leave/                    302  403  403  403  403  403  403  403  302  302
POST  /studies/{closed}/reopen/                               403  403  403  403  403  403  403  403  400  400
GET   /studies/{closed}/rounds/again/                         302  403  403  403  403  403  403  403  200  200
POST  /studies/{closed}/rounds/again/                         403  403  403  403  403  403  403  403  302  302
GET   /studies/{closed}/rounds/added/                         302  403  403  403  403  403  403  403  200  200
POST  /studies/{closed}/rounds/added/                         403  403  403  403  403  403  403  403  400  400
POST  /studies/{open}/judges/                                 403  403  403  403  403  403  403  403  302  302
GET   /studies/{open}/judges/{judge}/remove/                  302  403  403  403  403  403  403  403  200  200
POST  /studies/{open}/judges/{judge}/remove/                  302  403  403  403  403  403  403  403  302  302
GET   /studies/{open}/close/                                  302  403  403  403  403  403  403  403  200  200
POST  /studies/{open}/close/                                  302  403  403  403  403  403  403  403  302  302
POST  /studies/{open}/models/                                 403  403  403  403  403  403  403  403  302  403
POST  /studies/{closed}/models/                               403  403  403  403  403  403  403  403  302  302
POST  /studies/{closed}/models/{machine}/cancel/              302  403  403  403  403  403  403  403  302  302
POST  /studies/{closed}/models/{machine}/resume/              302  403  403  403  403  403  403  403  400  400
GET   /judge/                                                 302  403  403  403  200  200  403  403  403  200
GET   /judge/{open}/                                          302  403  403  403  200  404  403  403  403  200
GET   /judge/{open}/warm-up/1/                                302  403  403  403  200  404  403  403  403  200
POST  /judge/{open}/warm-up/1/                                403  403  403  403  302  404  403  403  403  302
GET   /judge/{closed}/                                        302  403  403  403  404  404  403  403  403  404
GET   /judge/{open}/resolved/                                302  403  403  403  403  404  403  403  403  403
GET   /judge/{closed}/resolved/                              302  403  403  403  404  404  403  403  403  404
GET   /judge/{open}/next/                                     302  403  403  403  302  404  403  403  403  302
POST  /judge/{open}/draw/                                     302  403  403  403  302  404  403  403  403  302
POST  /judge/{open}/hand-back/                                302  403  403  403  302  404  403  403  403  302
POST  /judge/{open}/undo/                                     302  403  403  403  302  404  403  403  403  302
POST  /judge/{open}/hand-in/                                  302  403  403  403  409  404  403  403  403  409
GET   /judge/slots/{slot}/                                    302  403  403  403  200  404  403  403  403  404
POST  /judge/slots/{slot}/                                    403  403  403  403  302  404  403  403  403  404
POST  /judge/slots/{slot}/coming/                             302  403  403  403  200  404  403  403  403  404
GET   /judge/slots/{slot}/coming/                             302  403  403  403  200  404  403  403  403  404
POST  /judge/slots/{slot}/skip/                               403  403  403  403  302  404  403  403  403  404
POST  /judge/slots/{slot}/flag/                               403  403  403  403  200  404  403  403  403  404
GET   /judge/discussions/{discussed}/                         302  403  403  403  200  404  403  403  403  404
POST  /judge/discussions/{discussed}/                         403  403  403  403  302  404  403  403  403  404
GET   /resolve/                                               302  403  403  403  403  403  200  403  403  200
GET   /resolve/{closed}/                                      302  403  403  403  403  403  200  403  403  200
GET   /resolve/{open}/                                        302  403  403  403  403  403  200  403  403  404
GET   /resolve/items/{item}/                                  302  403  403  403  403  403  200  403  403  200
POST  /resolve/items/{item}/                                  403  403  403  403  403  403  302  403  403  302
GET   /resolve/items/{open_item}/                             302  403  403  403  403  403  404  403  403  404
POST  /resolve/items/{open_item}/                             403  403  403  403  403  403  404  403  403  404
GET   /writing/                                               302  403  200  200  403  403  403  403  200  200
GET   /writing/new/brooks/                                    302  403  403  403  403  403  403  403  200  200
POST  /writing/new/brooks/                                    403  403  403  403  403  403  403  403  302  302
GET   /writing/collections/brooks/entries.jsonl               302  403  403  403  403  403  403  200  200  403
GET   /writing/{writing}/                                     302  403  403  403  403  403  403  403  200  200
POST  /writing/{writing}/take/                                302  403  302  302  403  403  403  403  403  302
POST  /writing/{writing}/close/                               302  403  403  403  403  403  403  403  302  302
POST  /writing/{closed_writing}/reopen/                       302  403  403  403  403  403  403  403  302  302
GET   /writing/entries/{entry}/                               302  403  200  404  403  403  403  403  403  404
POST  /writing/entries/{entry}/                               302  403  302  404  403  403  403  403  403  404
GET   /writing/entries/{entry}/check/                         302  403  200  403  403  403  403  403  200  403
POST  /writing/entries/{given_up}/take-up/                    302  403  302  404  403  403  403  403  403  404
GET   /writing/entries/{entry_to_check}/check/                302  403  200  200  403  403  403  403  200  200
POST  /writing/entries/{entry_to_check}/check/            403  403  302  403  403  403  403  403  403  302
PATCH /api/entries/{entry}/                                   401  403  200  404  403  403  403  403  403  404
GET   /reports/                                               302  403  403  403  403  403  403  200  200  200
GET   /reports/{closed}/                                      302  403  403  403  403  403  403  200  200  200
GET   /reports/collections/mills/                             302  403  403  403  403  403  403  200  200  200
GET   /reports/collections/mills/table.json                   302  403  403  403  403  403  403  200  200  200
GET   /reports/collections/mills/table.csv                    302  403  403  403  403  403  403  200  200  200
GET   /reports/campaigns/{campaign}/                          302  403  403  403  403  403  403  200  200  200
GET   /reports/campaigns/{campaign}/agreement.json            302  403  403  403  403  403  403  200  200  200
GET   /reports/campaigns/{campaign}/agreement.csv             302  403  403  403  403  403  403  200  200  200
GET   /reports/campaigns/{campaign}/rows/                     302  403  403  403  403  403  403  200  200  200
GET   /reports/campaigns/{campaign}/rows.csv                  302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/                                        302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}.json                                  302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}.json                                    302  403  403  403  403  403  403  200  200  403
GET   /reports/{open}/compare/                                302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/compare/                              302  403  403  403  403  403  403  200  200  200
GET   /reports/{closed}/compare.json                          302  403  403  403  403  403  403  400  400  400
GET   /reports/{closed}/rows/                                 302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/rows/                                   302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/disagreements/                        302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/disagreements/                          302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/next-to/                              302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/next-to/                                302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/judges/                               302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/judges/                                 302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/judges/{closed_judge}/                302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/judges/{judge}/                         302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/rows.csv                              302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/rows.csv                                302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/judge-models/{machine}/               302  403  403  403  403  403  403  200  200  200
GET   /reports/{closed}/replies.csv                           302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/replies.csv                             302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/verdicts.csv                          302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/verdicts.csv                            302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/charts/flow.svg                       302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/charts/flow.svg                         302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/report.zip                            302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/report.zip                              302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/paper/                                302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/paper/                                  302  403  403  403  403  403  403  200  200  403
GET   /reports/{closed}/paper/tables.tex                      302  403  403  403  403  403  403  200  200  200
GET   /reports/{open}/paper/all.zip                           302  403  403  403  403  403  403  200  200  403
GET   /reports/{open}/paper/tables.tex                        302  403  403  403  403  403  403  200  200  403
POST  /reports/{closed}/freeze/                               403  403  403  403  403  403  403  302  302  302
POST  /reports/{open}/freeze/                                 403  403  403  403  403  403  403  302  302  403
GET   /agreement/                                             302  403  403  403  403  403  403  200  200  200
POST  /agreement/                                             403  403  403  403  403  403  403  200  200  200
GET   /reports/snapshots/{snapshot}/                          302  403  403  403  403  403  403  200  200  200
GET   /reports/snapshots/{snapshot}.json                      302  403  403  403  403  403  403  200  200  200
GET   /reports/snapshots/{snapshot}/charts/flow.svg           302  403  403  403  403  403  403  200  200  200
GET   /reports/snapshots/{snapshot}/report.zip                302  403  403  403  403  403  403  200  200  200
GET   /reports/snapshots/{snapshot}/paper/                    302  403  403  403  403  403  403  200  200  200
GET   /reports/snapshots/{snapshot}/paper/tables.tex          302  403  403  403  403  403  403  200  200  200
GET   /reports/snapshots/{snapshot}/paper/all.zip             302  403  403  403  403  403  403  200  200  200
POST  /reports/snapshots/{snapshot}/publish/                  403  403  403  403  403  403  403  302  302  302
GET   /reports/snapshots/{shown}/unpublish/                   302  403  403  403  403  403  403  200  200  200
POST  /reports/snapshots/{shown}/unpublish/                   403  403  403  403  403  403  403  302  302  302
GET   {published}                                             200  200  200  200  200  200  200  200  200  200
GET   {published}report.json                                  200  200  200  200  200  200  200  200  200  200
GET   {published}verdicts.csv                                 200  200  200  200  200  200  200  200  200  200
GET   {published}charts/flow.svg                              200  200  200  200  200  200  200  200  200  200
GET   /reports/snapshots/{snapshot}/verdicts.csv              302  403  403  403  403  403  403  200  200  200
GET   /api/tags/                                              401  403  200  200  403  403  403  200  200  200
GET   /api/tags/{tag}/                                        401  403  200  200  403  403  403  200  200  200
GET   /api/fetches/                                           401  403  403  403  403  403  403  403  200  200
POST  /api/fetches/                                           401  403  403  403  403  403  403  403  201  201
GET   /api/fetches/{fetch}/                                   401  403  403  403  403  403  403  403  200  200
GET   /api/campaigns/                                         401  403  200  200  403  403  403  200  200  200
GET   /api/campaigns/{campaign}/progress/                     401  403  403  403  403  403  403  403  200  200
GET   /api/campaigns/{campaign}/annotations/                  401  403  403  403  403  403  403  200  200  200
GET   /api/campaigns/{campaign}/files/                        401  403  403  403  403  403  403  200  200  200
GET   /api/campaigns/{campaign}/files/annotations.jsonl/      401  403  403  403  403  403  403  200  200  200
GET   /api/campaigns/{campaign}/files/by-annotator.zip/       401  403  403  403  403  403  403  200  200  200
GET   /api/campaigns/{campaign}/files/records.json/           401  403  403  403  403  403  403  200  200  200
GET   /api/campaigns/{campaign}/files/label-studio.json/      401  403  403  403  403  403  403  200  200  200
GET   /api/campaigns/{campaign}/files/label-studio.xml/       401  403  403  403  403  403  403  200  200  200
GET   /api/assignments/                                       401  403  200  200  403  403  403  403  403  200
POST  /api/assignments/next/                                  401  403  200  200  403  403  403  403  403  200
POST  /api/assignments/{place}/skip/                          401  403  200  404  403  403  403  403  403  404
POST  /api/assignments/{place}/hand-back/                     401  403  200  404  403  403  403  403  403  404
POST  /api/shown/                                             401  403  200  200  403  403  403  403  403  200
GET   /api/drafts/                                            401  403  200  200  403  403  403  403  403  200
GET   /api/drafts/{draft}/                                    401  403  200  404  403  403  403  403  403  404
PATCH /api/drafts/{draft}/                                    401  403  200  404  403  403  403  403  403  404
POST  /api/drafts/{draft}/submit/                             401  403  200  404  403  403  403  403  403  404
POST  /api/drafts/{draft}/undo/                               401  403  200  404  403  403  403  403  403  404
POST  /api/drafts/{draft}/flag/                               401  403  200  404  403  403  403  403  403  404
POST  /api/drafts/{handed_back}/take-up/                      401  403  409  404  403  403  403  403  403  404
GET   /api/collections/                                       401  403  200  200  403  403  403  200  200  200
GET   /api/collections/mills/                                 401  403  200  200  403  403  403  200  200  200
GET   /api/collections/mills/records/                         401  403  200  200  403  403  403  200  200  200
GET   /api/records/{contradiction}/                           401  403  200  200  403  403  403  200  200  200
GET   /api/collections/mills/questions/                       401  403  200  200  403  403  403  200  200  200
GET   /api/collections/mills/exclusions/                      401  403  403  403  403  403  403  200  200  200
GET   /api/collections/mills/revised/                         401  403  200  200  403  403  403  200  200  200
GET   /api/collections/mills/subsets/                         401  403  403  403  403  403  403  200  200  200
GET   /api/collections/mills/subsets/{subset}/                401  403  403  403  403  403  403  200  200  200
GET   /api/collections/mills/subsets/{subset}/questions/      401  403  403  403  403  403  403  200  200  200
GET   /api/collections/mills/exports/                         401  403  403  403  403  403  403  200  200  200
GET   /api/collections/mills/exports/wikicontradict-json/     401  403  403  403  403  403  403  200  200  200
GET   /api/collections/mills/releases/                        401  403  200  200  403  403  403  200  200  200
POST  /api/collections/mills/releases/                        401  403  403  403  403  403  403  403  201  201
GET   /api/collections/mills/freezes/3.0/                     401  403  200  200  403  403  403  200  200  200
GET   /api/collections/mills/releases/1.0/                    401  403  200  200  403  403  403  200  200  200
GET   /api/collections/mills/releases/1.0/files/wikicontradict-csv/ 401  403  403  403  403  403  403  200  200  200
GET   /api/imports/                                           401  403  403  403  403  403  403  403  200  200
POST  /api/imports/                                           401  403  403  403  403  403  403  403  202  202
GET   /api/imports/{import}/                                  401  403  403  403  403  403  403  403  200  404
POST  /api/imports/{import}/confirm/                          401  403  403  403  403  403  403  403  202  404
POST  /api/imports/{import}/discard/                          401  403  403  403  403  403  403  403  200  404
POST  /api/imports/{import}/undo/                             401  403  403  403  403  403  403  403  409  404
GET   /api/protocols/                                         401  403  403  403  403  403  403  200  200  200
POST  /api/protocols/                                         401  403  403  403  403  403  403  403  201  201
GET   /api/protocols/offered/                                 401  403  403  403  403  403  403  200  200  200
POST  /api/protocols/check/                                   401  403  403  403  403  403  403  200  200  200
GET   /api/protocols/mills/1/                                 401  403  403  403  403  403  403  200  200  200
GET   /api/protocols/mills/1/file/                            401  403  403  403  403  403  403  200  200  200
GET   /api/models/                                            401  403  403  403  403  403  403  200  200  200
GET   /api/prompts/                                           401  403  403  403  403  403  403  200  200  200
GET   /api/runs/                                              401  403  403  403  403  403  403  200  200  200
POST  /api/runs/                                              401  403  403  403  403  403  403  403  201  201
GET   /api/runs/{run}/                                        401  403  403  403  403  403  403  200  200  200
GET   /api/runs/{hidden}/                                     401  403  403  403  403  403  403  200  200  404
POST  /api/runs/{run}/start/                                  401  403  403  403  403  403  403  403  409  409
POST  /api/runs/{hidden}/start/                               401  403  403  403  403  403  403  403  409  404
POST  /api/runs/{run}/stop/                                   401  403  403  403  403  403  403  403  409  409
POST  /api/runs/{hidden}/stop/                                401  403  403  403  403  403  403  403  409  404
GET   /api/runs/{run}/responses/                              401  403  403  403  403  403  403  200  200  200
GET   /api/runs/{hidden}/responses/                           401  403  403  403  403  403  403  200  200  404
GET   /api/studies/                                           401  403  403  403  403  403  403  200  200  200
GET   /api/studies/mine/                                      401  403  403  403  200  200  403  403  403  200
GET   /api/studies/{open}/                                    401  403  403  403  403  403  403  200  200  200
GET   /api/studies/{closed}/                                  401  403  403  403  403  403  403  200  200  200
GET   /api/studies/{open}/mine/                               401  403  403  403  200  404  403  403  403  200
POST  /api/studies/{open}/next/                               401  403  403  403  409  404  403  403  403  409
GET   /api/studies/{closed}/exports/json/                     401  403  403  403  403  403  403  200  200  200
GET   /api/studies/{open}/exports/json/                       401  403  403  403  403  403  403  200  200  403
POST  /api/studies/{open}/hand-back/                          401  403  403  403  200  404  403  403  403  200
POST  /api/studies/{open}/hand-in/                            401  403  403  403  409  404  403  403  403  409
GET   /api/slots/{slot}/                                      401  403  403  403  200  404  403  403  403  404
POST  /api/slots/{slot}/verdict/                              401  403  403  403  200  404  403  403  403  404
POST  /api/slots/{slot}/undo/                                 401  403  403  403  200  404  403  403  403  404
POST  /api/slots/{slot}/skip/                                 401  403  403  403  200  404  403  403  403  404
POST  /api/slots/{slot}/flag/                                 401  403  403  403  200  404  403  403  403  404
GET   /api/reports/                                           401  403  403  403  403  403  403  200  200  200
GET   /api/reports/{closed}/                                  401  403  403  403  403  403  403  200  200  200
GET   /api/reports/{open}/                                    401  403  403  403  403  403  403  200  200  403
GET   /api/reports/{closed}/snapshots/                        401  403  403  403  403  403  403  200  200  200
GET   /api/reports/{open}/snapshots/                          401  403  403  403  403  403  403  200  200  403
GET   /api/reports/{closed}/rows/                             401  403  403  403  403  403  403  200  200  200
GET   /api/reports/{open}/rows/                               401  403  403  403  403  403  403  200  200  403
GET   /api/reports/{closed}/replies/                          401  403  403  403  403  403  403  200  200  200
GET   /api/reports/{open}/replies/                            401  403  403  403  403  403  403  200  200  403
GET   /api/reports/{closed}/sheets/verdicts/                  401  403  403  403  403  403  403  200  200  200
GET   /api/reports/{open}/sheets/verdicts/                    401  403  403  403  403  403  403  200  200  403
GET   /api/reports/{closed}/charts/flow/svg/                  401  403  403  403  403  403  403  200  200  200
GET   /api/reports/{open}/charts/flow/svg/                    401  403  403  403  403  403  403  200  200  403
GET   /api/reports/{closed}/zip/                              401  403  403  403  403  403  403  200  200  200
GET   /api/reports/{open}/zip/                                401  403  403  403  403  403  403  200  200  403
GET   /api/reports/{closed}/tables/                           401  403  403  403  403  403  403  200  200  200
GET   /api/reports/{open}/tables/                             401  403  403  403  403  403  403  200  200  403
GET   /api/reports/{open}/paper/                              401  403  403  403  403  403  403  200  200  403
GET   /api/reports/snapshots/{snapshot}/                      401  403  403  403  403  403  403  200  200  200
GET   /api/reports/snapshots/{snapshot}/sheets/verdicts/      401  403  403  403  403  403  403  200  200  200
GET   /api/reports/snapshots/{snapshot}/charts/flow/svg/      401  403  403  403  403  403  403  200  200  200
GET   /api/reports/snapshots/{snapshot}/zip/                  401  403  403  403  403  403  403  200  200  200
GET   /api/reports/snapshots/{snapshot}/tables/               401  403  403  403  403  403  403  200  200  200
GET   /api/reports/snapshots/{snapshot}/paper/                401  403  403  403  403  403  403  200  200  200
GET   /api/reports/campaigns/{campaign}/                      401  403  403  403  403  403  403  200  200  200
GET   /api/reports/campaigns/{campaign}/comparisons/          401  403  403  403  403  403  403  200  200  200
GET   /api/reports/collections/mills/                         401  403  403  403  403  403  403  200  200  200
"""
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def rows() -> Iterator[tuple[str, str, dict[str, int]]]:
    """(method, address with names in braces, {person: status})."""
    for line in TABLE.splitlines():
        if line and not line.startswith("#"):
            method, path, *expected = line.split()
            yield method, path, dict(zip(PEOPLE, map(int, expected), strict=True))


@pytest.fixture
def service(settings):
    """The service `local`, to ask."""
    with FakeService(models=("emu", "emu-1b")) as fake:
        settings.INFERENCE_SERVICES = fake.setting("local")
        yield


@pytest.fixture
def world(settings, service, stored):
    """A row of every kind, by the names in the table's addresses, and what the pages ask outside of the database."""
    known_institution(settings)
    return stored


@pytest.fixture(scope="module")
def stored(kept):
    """The rows of the world."""
    everybody = {
        "none": person("none"),
        "anna": person("anna", Role.ANNOTATOR),
        "aron": person("aron", Role.ANNOTATOR),
        "jean": person("jean", Role.JUDGE),
        "jane": person("jane", Role.JUDGE),
        "adam": person("adam", Role.ADJUDICATOR),
        "rosa": person("rosa", Role.RESEARCHER),
        "olga": person("olga", Role.ADMIN),
        "max": person("max", *Role),
    }
    return (
        {"everybody": everybody, **{who: one.pk for who, one in everybody.items()}}
        | accounts(everybody)
        | tagged(everybody)
        | released(everybody)
        | decided_by_two(everybody)
        | judged(everybody)
        | written(everybody)
    )


def accounts(everybody):
    token = invitations.invite(roles=[Role.JUDGE], by=everybody["olga"])
    Client().force_login(everybody["jean"])
    carl = person("carl", Role.JUDGE)
    SecondFactor.objects.create(person=carl, secret="", last_step=0)
    Identity.objects.create(person=carl, issuer="https://login.example.org", subject="carl")
    for owner in (carl, everybody["jean"]):
        issuing.make(owner, name="notebook", scopes=[Scope.READ])
    return {
        "person": carl.pk,
        "token": ApiToken.objects.get(person=carl).pk,
        "own_token": ApiToken.objects.get(person=everybody["jean"]).pk,
        "password": invitations.password_path(carl),
        "join": reverse("accounts:join", args=[token]),
        "invitation": Invitation.objects.get().pk,
        "session": sessions.handle_of(Session.objects.get(person=everybody["jean"])),
    }


def tagged(everybody):
    anna, aron = everybody["anna"], everybody["aron"]
    campaign = annotation.campaign(by=everybody["olga"], tags=6)
    handed_back = annotation.draft(anna, within=campaign)
    claiming.hand_back(assignment_id=handed_back.assignment_id, by=anna)
    draft = annotation.draft(anna, within=campaign)
    submitted = annotation.submitted(aron, within=campaign)
    own = annotation.submitted(everybody["max"], within=campaign)
    accepted = annotation.submitted(aron, within=campaign)
    free = Assignment.objects.filter(state="free").last()
    weirs = annotation.campaign(
        by=everybody["olga"], tags=1, name="Sluices", into="sluices", chosen=(aron,)
    )
    published = annotation.submitted(aron, within=weirs)
    publish(annotation.decide(published, everybody["olga"], reason="Good."))
    fetch = FetchRun.objects.create(source="titles", label="Mills", wiki=free.tag.article.wiki)
    return {
        "fetch": fetch.pk, "tag": free.tag_id, "campaign": campaign.pk, "free": free.pk,
        "handed_back": handed_back.pk, "draft": draft.pk, "place": draft.assignment_id,
        "version": draft.version, "begun": draft.sighting.tag_id,
        "submitted": submitted.sighting.tag_id, "submitted_field": "version-A",
        "version_submitted": submitted.version, "own": own.sighting.tag_id,
        "own_field": "version-A", "version_own": own.version,
        "decision": annotation.decide(accepted, everybody["olga"]).pk,
        "guideline": Guideline.objects.get().version, "published_place": published.assignment_id,
    }  # fmt: skip


def released(everybody):
    collection = datasets.mills()
    sent = ImportJob.objects.create(
        collection="mills",
        format="wikicontradict",
        upload=uuid4(),
        bytes=2,
        is_confirmed=False,
        state="checked",
        report={},
        created_by=everybody["olga"],
    )
    release(collection=collection, version="1.0")
    shown = release(collection=collection, version="1.1")
    publish_release(shown, by=person("paula", Role.ADMIN), name="mills")
    freeze_jobs.begin(collection=collection, version="3.0", notes="", by=everybody["olga"])
    installed(changed("version = 1", "version = 2"))
    Collection.objects.create(name="watermills", protocol=installed())
    installed(CLAIMS.read_text(encoding="utf-8"))
    drawn = freeze("All", collection, Query(), SubsetPlan(7), by=None)
    return {
        "contradiction": collection.contradictions.get().pk,
        "collection": collection.pk,
        "subset": drawn.pk,
        "import": sent.pk,
        "prompt_mark": prompt_versions.mark_of(prompt_versions.stored_as("passage-1")),
    }


def decided_by_two(everybody):
    """What one person has begun and another has to agree to."""
    weirs = Collection.objects.create(name="weirs")
    texts = ["The weir was built in 1700.", "The weir was built in 1710."]
    passages = dict(zip(("passage_1_standalone", "passage_2_standalone"), texts, strict=True))
    excluded, written, to_check = (
        datasets.asked(weirs, n, "When was the weir built?", ("1700", "1710"), **passages)
        for n in (1, 2, 3)
    )
    out = exclusions.exclude(instance=excluded, reason="No weir.", by=everybody["rosa"])
    exclusions.propose([to_check], "Judges of a study found it unfit.")
    agreeing = Texts(texts[0], texts[0], "1700")
    revision = revisions.write(instance=written, texts=agreeing, by=everybody["anna"])
    waiting = revisions.write(instance=to_check, texts=agreeing, by=everybody["anna"])
    return {
        "excluded": excluded.contradiction_id, "exclusion": out.pk,
        "proposal": to_check.exclusion.pk,
        "written": written.contradiction_id, "revision": revision.pk,
        "to_check": to_check.contradiction_id, "revision_to_check": waiting.pk,
    }  # fmt: skip


def written(everybody):
    """Entries of a form: one that anna writes, one that she gave up, one of aron to be checked; and a closed form."""
    anna, brooks = (
        everybody["anna"],
        writing.collection(*map(writing.record, "abcd"), name="brooks"),
    )
    form = writing.opened(within=brooks)
    given_up = writing.taken(form, anna)
    writing.save(given_up, answer="1783")
    to_check = writing.submitted(form, everybody["aron"])
    own = writing.taken(form, anna)
    taking.take_next(form, everybody["aron"])
    taking.give_up(given_up)
    closed = writing.opened("forms", within=brooks)
    openings.close(closed, everybody["olga"])
    return {
        "writing": form.pk, "closed_writing": closed.pk, "entry": own.pk, "given_up": given_up.pk,
        "entry_to_check": to_check.pk,
    }  # fmt: skip


def judged(everybody):
    """An open study in which jean and max judge, and a closed one of another run, in which they do not."""
    hidden = judging.finished_run(instances=1)
    study = judging.draft(drawn_from=hidden)
    studies.open_study(study, [everybody["jean"], everybody["max"]])
    other = judging.run("other")
    for response in hidden.responses.all():
        asked = (response.instance, response.prompt, response.model)
        judging.response(other, *asked, text="It was founded in another year.")
    closed = judging.open_study("ivy", "joe", name="Closed", drawn_from=other)
    for slot in JudgingSlot.objects.filter(round__study=closed):
        slot = verdicts.slot_of(slot.judge.person, slot.pk)
        verdict = "correct" if slot.judge.person.username == "ivy" else "incorrect"
        verdicts.give(slot, verdict)
    studies.close_study(closed)
    talk = judging.run("talk")
    judging.response(talk, judging.instance(7), "passage-1", judging.language_model())
    discussed = judging.draft("Talk", drawn_from=talk, resolved_by="discussion")
    studies.open_study(discussed, [everybody["jean"], judging.judge("ivy")])
    for who, verdict in ((everybody["jean"], "correct"), (judging.judge("ivy"), "incorrect")):
        verdicts.give(judging.slots(discussed, who)[0], verdict)
    studies.close_study(discussed)
    ivys = judging.slots(discussed, judging.judge("ivy"))[0]
    discussing.remark(ivys, "It names one year.")
    discussing.propose(ivys, version=0, verdict="incorrect", cause="slip")
    draft = judging.draft("Draft", drawn_from=other)
    judged_before = closed.items.filter(resolution=None).first().response
    GoldItem.objects.create(study=study, response=judged_before, position=1, verdict="correct")
    predicted = import_predictions(closed, b"item,reply\n0,evaluation: correct\n", "Elsewhere")
    local = LanguageModel.objects.create(service="local", model_id="emu", options_hash="0" * 64)
    frozen, _ = snapshots.freeze(closed, by=everybody["rosa"])
    shown, _ = snapshots.freeze(closed, by=everybody["rosa"], note="For all")
    shown = publishing.publish(shown, by=everybody["rosa"])
    return {
        "hidden": hidden.pk, "hidden_response": hidden.responses.first().pk, "run": other.pk,
        "hidden_question": hidden.responses.first().instance.contradiction_id,
        "response": other.responses.first().pk, "model": other.responses.first().model_id,
        "rubric": study.rubric_id,
        "open": study.pk, "closed": closed.pk, "draft_study": draft.pk, "snapshot": frozen.pk, "shown": shown.pk,
        "judge": study.judges.get(person=everybody["jean"]).pk,
        "closed_judge": closed.judges.earliest("pk").pk,
        "machine": predicted.judge.pk, "judge_prompt": judge_prompts.versions()[0].pk,
        "published": reverse("evaluation:published", args=[shown.pk, shown.token]),
        "item": settling.unresolved(closed).first().pk, "open_item": study.items.first().pk,
        "local_model": local.pk,
        "slot": judging.slots(study, everybody["jean"])[0].pk,
        "discussed": judging.slots(discussed, everybody["jean"])[0].pk,
    }  # fmt: skip


def status_of(client: Client, method: str, path: str, **body: object) -> int:
    return answer_to(client, method, path, **body).status_code


def answer_to(client: Client, method: str, path: str, **body: object) -> HttpResponseBase:
    """The answer to one request; all its changes are rolled back, signing out too."""
    cookies = client.cookies.copy()
    with transaction.atomic():
        response = client.generic(method, path, **body)
        b"".join(response)  # reading to the end closes a file
        transaction.set_rollback(True)
    client.cookies = cookies
    assert "no-store" in response["Cache-Control"], f"{method} {path}"
    return response


def signed_in(world, who: str, **options) -> Client:
    client = Client(raise_request_exception=False, **options)
    if who != "out":
        client.force_login(world["everybody"][who])
    return client


def routes(resolver=None, before="") -> set[str]:
    """All URL patterns of the rooms' urls.py."""
    addresses = set()
    for entry in (resolver or get_resolver()).url_patterns:
        here = before + str(entry.pattern)
        addresses |= routes(entry, here) if hasattr(entry, "url_patterns") else {here}
    return addresses


def test_every_address_has_a_row(world):
    assert routes() == {resolve(path.format(**world)).route for _, path, _ in rows()}


def test_every_address_has_the_status_of_the_table(world):
    clients = {who: signed_in(world, who) for who in PEOPLE}
    differing = []
    for method, path, expected in rows():
        address, body = path.format(**world), body_of(method, path, world)
        got = {who: status_of(clients[who], method, address, **body) for who in PEOPLE}
        if got != expected:
            differing.append(f"{method:6}{path:56}" + " ".join(map(str, got.values())))
    assert not differing, "\n".join(["These differ from the table:", *differing])


def test_a_row_that_changes_something_has_a_valid_body_or_says_that_it_needs_none():
    """With an invalid body the table shows the refusal of a form, not of who may do it to whose things."""
    changing = {(method, path): expected for method, path, expected in rows() if method != "GET"}
    assert {(method, path) for method, path in changing if path not in NO_FIELDS} == set(BODIES)
    assert {path for _, path in changing} >= NO_FIELDS | set(NOBODY)
    got_through = {
        path
        for (_, path), expected in changing.items()
        if any(status < 400 for who, status in expected.items() if who != "out")
    }
    assert {path for _, path in BODIES} - got_through == set(NOBODY)


def test_somebody_signed_out_is_led_to_the_sign_in_page(world):
    """All that they may do otherwise is listed by hand: a new way to become a person needs a decision."""
    client = signed_in(world, "out")
    elsewhere = ("/favicon.ico", "/sign-in/", "{join}", "{password}")
    led = {
        path: answer_to(client, method, path.format(**world))["Location"]
        for method, path, expected in rows()
        if expected["out"] == 302 and not path.startswith(elsewhere)
    }
    assert len(led) > 50
    assert {path: to for path, to in led.items() if to.split("?")[0] != "/sign-in/"} == {}


def test_a_method_without_a_row_is_not_allowed(world):
    """Not even for a person with every role."""
    of_route = defaultdict(set)
    for method, path, _ in rows():
        of_route[resolve(path.format(**world)).route].add(method)
    client = signed_in(world, "max")
    for address in {path.format(**world) for _, path, _ in rows()}:
        for method in set(METHODS) - of_route[resolve(address).route]:
            assert status_of(client, method, address) in (405, 404), f"{method} {address}"


def test_nothing_is_changed_without_a_csrf_token(world):
    client = signed_in(world, "max", enforce_csrf_checks=True)
    for method, path, _ in rows():
        if method != "GET":
            assert status_of(client, method, path.format(**world)) == 403, f"{method} {path}"
