from django.db import migrations

# Of a study that got a model later, also its run: which responses a report of before counts is not stored.
RUNS = """
INSERT INTO evaluation_reportsnapshot_runs (reportsnapshot_id, run_id)
SELECT DISTINCT report.id, response.run_id FROM evaluation_reportsnapshot AS report
JOIN judging_studyitem AS item ON item.study_id = report.study_id
JOIN generation_response AS response ON response.id = item.response_id
"""


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0002_keep_the_runs_of_frozen_reports")]

    operations = [migrations.RunSQL(RUNS, migrations.RunSQL.noop, elidable=True)]
