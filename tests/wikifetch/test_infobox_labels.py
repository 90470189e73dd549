"""What the fields of infoboxes are called, and which are layout."""

import pytest

from wikifetch.wikitext.infobox_labels import is_layout, label_fields, label_of


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("name", "Name"), ("birth_date", "Birth date"), ("OfficialLang", "Official language"),
        ("ISOCode", "ISO code"),
        ("GDP_nominal", "GDP nominal"), ("area_km2", "Area (km²)"), ("area_sq_mi", "Area (sq mi)"),
        ("isbn", "ISBN"),
        ("population_density_km2", "Population density (per km²)"), ("leader_name1", "Leader name 1"),
        ("latd", "Latitude, degrees"), ("latNS", "Latitude, N or S"), ("2010Pop", "2010 population"),
        ("cctld", "Internet domain"),
        ("Vice President 2", "Vice president 2"), ("TotalAreaUS", "Total area US"),
        ("grund größe", "Grund größe"), ("", ""),
    ],
)  # fmt: skip
def test_a_parameters_name_becomes_a_label(name, label):
    assert label_of(name) == label


def test_a_label_that_another_field_gives_is_read_plainly():
    assert label_of("leader_name1", "[[Mayor of Town|Mayor]]<ref>x</ref>") == "Mayor"
    assert label_of("leader_name1", " <!-- none --> ") == "Leader name 1"


@pytest.mark.parametrize(
    "name",
    [
        "bgcolour", "bgcolor", "image_size", "imagesize", "image width", "logo_alt", "signature_alt",
        "alt", "upright",
        "pushpin_map", "pushpin_label_position", "mapframe-zoom", "coordinates_display", "coords_type",
        "label_position",
        "header_color", "bodystyle", "labelstyle", "embed", "child", "collapsible", "caption_align",
        "flag_width", "map_type",
    ],
)  # fmt: skip
def test_layout_is_left_out(name):
    assert is_layout(name, "x")


@pytest.mark.parametrize(
    "value", ["Town.jpg", "File:The town (1801).SVG", " Map of Town.png ", "#0000FF", "Song.ogg"]
)
def test_names_of_files_and_colours_are_left_out(value):
    assert is_layout("quarter", value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("height", "1.57 m"), ("width", "3 m"), ("eye_color", "Blue"), ("colors", "Red"),
        ("class", "Destroyer"),
        ("style", "Gothic"), ("coordinates", "52 N"), ("map_caption", "In the north"),
        ("child1", "Berber"), ("length", "3"),
        ("pushpin_map_caption", "Here"), ("website", "[http://e.org/a.png]"),
        ("image", "[[File:A.jpg|thumb|The mill]]"),
        ("number", "#1"), ("type", "Tower"), ("display", "24 inches"), ("status", "Open"), ("size", "5 ha"),
    ],
)  # fmt: skip
def test_facts_are_not_layout(name, value):
    assert not is_layout(name, value)


def test_labels_given_by_other_fields():
    values = {
        "leader_title1": "Mayor", "leader_name1": "Ann", "leader_title2": " ", "leader_name2": "Tom",
        "subdivision_type": "Country", "subdivision_name": "Peru", "established_event1": "Founded",
        "established_date1": "1801", "established_title": "Chartered", "established_date": "",
        "label3": "Mills", "data3": "4",
        "blank_name_sec1": "Wheels", "blank_info_sec1": "2", "birth_name": "Ann", "name": "A",
    }  # fmt: skip
    assert label_fields(values) == {
        "leader_name1": "leader_title1",
        "subdivision_name": "subdivision_type",
        "established_date1": "established_event1",
        "data3": "label3",
        "blank_info_sec1": "blank_name_sec1",
    }
