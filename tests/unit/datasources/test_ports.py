import csv

import pytest

from app.datasources.port_search import (
    find_other_name,
    find_similar_ports,
    find_sole_port,
    search_ports,
)
from app.datasources.ports import (
    CODES,
    MORE_NAMES,
    NAMES,
    OTHER_NAMES,
    POSITIONS,
    HarborSize,
    UnknownPort,
    get_port,
    list_ports,
)


def test_the_index_is_read_whole_and_no_number_comes_twice():
    ports = list_ports()
    assert len(ports) == 3800
    assert len({port.id for port in ports}) == len(ports)


def test_of_two_rows_with_one_number_the_fuller_one_is_kept():
    port = get_port("400")
    assert port.size is HarborSize.SMALL
    assert port.channel_depth_m == 23.2


def test_zero_depth_means_unknown():
    assert get_port("DEBRV").position.lat == pytest.approx(53.55, abs=0.1)
    for port in list_ports():
        assert 0.0 not in (port.channel_depth_m, port.cargo_pier_depth_m, port.max_draft_m)


@pytest.mark.parametrize("code", ["NLRTM", "nl rtm", "31140"])
def test_a_port_is_found_by_code_with_or_without_space_and_by_number(code):
    assert get_port(code).name == "Rotterdam"


def test_the_code_of_singapore_finds_its_main_harbour():
    assert get_port("SGSIN").country == "Singapore"
    assert search_ports("SGSIN")[0] == search_ports("SGKEP")[0]
    assert search_ports("SGKEP")[0].locode == "SGSIN"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("CNSHA", "Shanghai"),
        ("CNNGB", "Ningbo"),
        ("CNTAO", "Qingdao Gang"),
        ("CNTSN", "Tianjin Xin Gang"),
        ("CNCAN", "Guangzhou"),
        ("CNXMN", "Xiamen"),
        ("CNDLC", "Dalian"),
        ("GIGIB", "Gibraltar"),
    ],
)
def test_a_port_is_found_by_the_code_in_use_where_the_index_has_another(code, name):
    assert get_port(code).name == search_ports(code)[0].name == name


@pytest.mark.parametrize(
    ("code", "lat", "lng"),
    [
        ("CNCWN", 22.48, 113.88),  # Haikou's in the index
        ("JPWKJ", 45.41, 141.68),  # two degrees off
        ("IDKKA", -3.0, 114.37),  # north of the equator
        ("PGKIM", -5.55, 150.15),  # off Cape Hoskins
        ("INKRI", 14.25, 80.13),  # Kattupalli's code, too
        ("JPSAK", 34.55, 135.43),  # Sakaiminato's
        ("UAILK", 46.30, 30.65),  # Chornomorske's, in the Crimea, too
        ("MXPMS", 20.85, -86.88),  # Puerto Morro Redondo's, too
        ("USGLO", 42.60, -70.67),  # Gloucester City's, in New Jersey
    ],
)
def test_a_code_leads_to_its_port_where_the_index_leads_elsewhere(code, lat, lng):
    assert get_port(code).position == pytest.approx((lat, lng), abs=0.05)


def test_every_code_has_five_characters():
    assert {len(code) for port in list_ports() for code in port.locodes} == {5}


@pytest.mark.parametrize("code", ["XXXXX", "", "999999", "CL", "EG"])
def test_an_unknown_code_is_refused(code):
    with pytest.raises(UnknownPort):
        get_port(code)


def test_the_exact_name_comes_first_and_larger_harbours_lead():
    assert search_ports("hamburg")[0].locode == "DEHAM"
    names = [port.name for port in search_ports("san")]
    assert names[0].casefold().startswith("san")
    sizes = [port.size for port in search_ports("port ") if port.name.startswith("Port")]
    assert sizes == sorted(sizes)


def test_accents_case_and_unaccented_spellings_do_not_matter():
    assert search_ports("GÖTEBORG")[0] == search_ports("goteborg")[0]
    assert search_ports("København")[0].locode == "DKCPH"
    assert search_ports("Świnoujście")[0] == search_ports("swinoujscie")[0]


def test_every_word_must_match_and_the_country_counts():
    assert [port.country for port in search_ports("newcastle australia")] == ["Australia"]
    assert search_ports("rotterdam zanzibar") == []


def test_another_name_of_a_port_finds_it():
    assert search_ports("Dairen")[0].name == search_ports("Dalian")[0].name


@pytest.mark.parametrize(
    ("typed", "name", "other"),
    [
        ("new york van", "Jakarta", "New York Van Java"),
        ("BATAVIA", "Jakarta", "Batavia"),
        ("saint peters", "Sankt-Peterburg", "St Petersburg"),
        ("jakar", "Jakarta", None),
        ("IDJKT", "Jakarta", None),
    ],
)
def test_the_other_name_that_a_port_is_found_by_is_known(typed, name, other):
    port = search_ports(typed)[0]
    assert (port.name, find_other_name(port, typed)) == (name, other)


def test_an_empty_query_finds_nothing_and_the_limit_holds():
    assert search_ports("  ") == []
    assert len(search_ports("a", limit=7)) == 7


@pytest.mark.parametrize(
    ("typed", "locode"),
    [
        ("singapore", "SGSIN"),
        ("SG SIN", "SGSIN"),
        ("Genoa", "ITGOA"),
        ("Gênes", "ITGOA"),
        ("Fujairah", "AEFJR"),
        ("Nhava Sheva", "INNSA"),
        ("Saint Petersburg", "RULED"),
        ("St. Petersburg", "RULED"),
        ("sankt petersburg", "RULED"),
        ("Kaohsiung", "TWKHH"),
        ("Piraeus", "GRPIR"),
        ("Kolkata", "INCCU"),
        ("Goeteborg", "SEGOT"),
        ("Aarhus", "DKAAR"),
        ("Danzig", "PLGDN"),
        ("Jebel Ali", "AEJEA"),
        ("Alexandria", "EGALY"),
        ("Wilmington", "USILG"),
        ("New York", "USNYC"),
        ("Bombay", "INBOM"),
        ("Yokohama", "JPYOK"),
    ],
)
def test_the_port_that_is_meant_comes_first(typed, locode):
    assert search_ports(typed)[0].locode == locode


def test_no_two_ports_of_different_countries_share_a_code_that_is_one_of_theirs():
    assert get_port("RULED").country == "Russia"
    florida = next(port for port in search_ports("St Petersburg") if port.country != "Russia")
    assert florida.locode == "USSPG"
    assert get_port("USSPG") == florida


def test_a_partial_word_may_be_an_abbreviation_or_a_prefix():
    countries = {port.country for port in search_ports("st", limit=200)}
    assert {"Sweden", "Russia"} <= countries
    assert search_ports("st pet")[0].locode == "RULED"


def test_every_other_name_says_which_list_it_is_from_and_belongs_to_a_port():
    known = {port.id for port in list_ports()}
    for file, column in (
        (OTHER_NAMES, "name"),
        (MORE_NAMES, "name"),
        (NAMES, "name"),
        (CODES, "locode"),
        (POSITIONS, "lat"),
    ):
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert {row["port"] for row in rows} <= known
        assert all(row["source"] for row in rows)
        assert all(row[column] is not None for row in rows)


@pytest.mark.parametrize(
    ("typed", "locode"),
    [
        ("Genoa", "ITGOA"),
        ("SGSIN", "SGSIN"),
        ("rotterdam", "NLRTM"),
        ("Nhava Sheva", "INNSA"),
        ("Muscat", "OMSTQ"),
        ("Djibouti", "DJJIB"),
        ("Malta", "MTMLA"),
    ],
)
def test_a_name_that_only_one_port_has_stands_for_it(typed, locode):
    port = find_sole_port(typed)
    assert port is not None
    assert port.locode == locode


@pytest.mark.parametrize("typed", ["Panama", "Spain", "Jordan", "Samoa"])
def test_a_country_s_name_stands_for_no_port_of_another(typed):
    assert find_sole_port(typed) is None


@pytest.mark.parametrize(
    "typed", ["Saint Petersburg", "Alexandria", "Georgetown", "Wilmington", "Dunkirk"]
)
def test_a_name_that_a_larger_port_has_too_stands_for_none(typed):
    assert find_sole_port(typed) is None


@pytest.mark.parametrize(
    ("typed", "locode"),
    [
        ("Rotterdam", "NLRTM"),
        ("Hamburg", "DEHAM"),
        ("New York", "USNYC"),
        ("Los Angeles", "USLAX"),
        ("Santos", "BRSSZ"),
        ("Dover", "GBDVR"),
        ("Singapore", "SGSIN"),
        ("Shanghai", "CNSHA"),
        ("Ningbo", "CNNGB"),
        ("Busan", "KRPUS"),
        ("Jebel Ali", "AEJEA"),
        ("Antwerp", "BEANR"),
        ("Felixstowe", "GBFXT"),
        ("Le Havre", "FRLEH"),
        ("Algeciras", "ESALG"),
        ("Piraeus", "GRPIR"),
        ("Valencia", "ESVLC"),
        ("Genoa", "ITGOA"),
        ("Gdansk", "PLGDN"),
        ("Durban", "ZADUR"),
        ("Cape Town", "ZACPT"),
        ("Houston", "USHOU"),
        ("Savannah", "USSAV"),
        ("Halifax", "CAHAL"),
        ("Vancouver", "CAVAN"),
        ("Sydney", "AUSYD"),
        ("Melbourne", "AUMEL"),
        ("Newcastle", "AUNTL"),
        ("Boston", "USBOS"),
        ("Portland", "USPDX"),
        ("Georgetown", "GYGEO"),
        ("Kingston", "JMKIN"),
        ("Victoria", "CAVIC"),
        ("San Juan", "PRSJU"),
        ("La Plata", "ARLPG"),
        ("Tripoli", "LYTIP"),
        ("Cork", "IEORK"),
        ("London", "GBLON"),
        ("Liverpool", "GBLIV"),
        ("Lagos", "NGLOS"),
        ("Colon", "PAONX"),
        ("Dunkirk", "FRDKK"),
        ("Cayenne", "GFDDC"),
        ("Xingang", "CNTSN"),
    ],
)
def test_a_well_known_name_finds_the_port_that_a_planner_means(typed, locode):
    assert search_ports(typed)[0].locode == locode


def test_a_port_whose_name_the_index_garbles_has_the_name_of_its_locode():
    assert get_port("SGSIN").name == "Singapore"
    assert search_ports("Keppel")[0] == get_port("SGSIN")


def test_a_name_that_two_ports_have_but_for_the_word_for_harbour_stands_for_none():
    assert find_sole_port("Dover") is None


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Rotterdam, NL", "NLRTM"),
        ("Rotterdam NL", "NLRTM"),
        ("Hamburg, de", "DEHAM"),
        ("Vancouver, CA", "CAVAN"),  # as a word it begins California, too
        ("Vancouver, US", "USVAN"),
        ("Santos, BR", "BRSSZ"),  # Salvador is Bahia de Todos os Santos
        ("Le Havre, FR", "FRLEH"),  # not Havre de Grace
        ("Dubai, AE", "AEDXB"),
        ("Dubai, UAE", "AEDXB"),
        ("London, UK", "GBLON"),
        ("Newcastle, Australia", "AUNTL"),
    ],
)
def test_a_port_is_found_by_its_name_and_country(name, code):
    assert find_sole_port(name).locode == code


def test_a_port_is_not_found_in_another_country():
    assert find_sole_port("Rotterdam, DE") is None
    assert find_sole_port("Portland, US") is None, "there are two"


def test_the_code_of_a_country_lists_its_ports():
    assert {port.country for port in search_ports("nl", 6)} == {"Netherlands"}


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Hamburgg", "Hamburg"),
        ("singapre", "Singapore"),
        ("Halifx", "Halifax"),
        ("Antwrep", "Antwerpen"),
        ("Rotterdan", "Rotterdam"),
        ("Vladivsotok", "Vladivostok"),
    ],
)
def test_a_misspelt_name_finds_the_port_that_is_called_so_but_for_a_letter(typed, name):
    assert search_ports(typed) == []
    assert find_similar_ports(typed)[0].name == name
    assert find_sole_port(typed) is None


@pytest.mark.parametrize("typed", ["", "Kil", "Rtrdam", "Utopia"])
def test_a_name_that_is_like_no_port_is_not_guessed(typed):
    assert find_similar_ports(typed) == []
