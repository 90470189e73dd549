from django.db import migrations

from wikifetch.wikitext.parameters import month_of


def fill(apps, schema_editor):
    sightings = apps.get_model("wikifetch", "Sighting").objects.exclude(date="")
    for sighting in sightings.only("pk", "date").iterator():
        if month := month_of(sighting.date):
            sightings.filter(pk=sighting.pk).update(month=month)


class Migration(migrations.Migration):
    dependencies = [("wikifetch", "0003_follow_histories_and_what_a_wiki_hides")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
