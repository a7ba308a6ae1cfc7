import pytest

from app.datasources.ports import HarborSize, UnknownPort, get_port, list_ports, search_ports


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
    assert search_ports("SGSIN")[0].locode == "SGKEP"


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
    ],
)
def test_a_port_is_found_by_the_code_in_use_where_the_index_has_another(code, name):
    assert get_port(code).name == search_ports(code)[0].name == name


@pytest.mark.parametrize("code", ["XXXXX", "", "999999"])
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


def test_an_empty_query_finds_nothing_and_the_limit_holds():
    assert search_ports("  ") == []
    assert len(search_ports("a", limit=7)) == 7
