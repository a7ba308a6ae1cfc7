import pytest

from scripts import list_sea_data


@pytest.mark.parametrize(
    ("page", "list_tables"),
    [
        (list_sea_data.PASSAGES_PAGE, list_sea_data.list_passages),
        (list_sea_data.SHOALS_PAGE, list_sea_data.list_shoals),
        (list_sea_data.ISLANDS_PAGE, list_sea_data.list_islands),
        (list_sea_data.ZONES_PAGE, list_sea_data.list_zones),
    ],
    ids=["passages", "shoals", "islands", "zones"],
)
def test_the_pages_show_what_the_data_hold(page, list_tables):
    assert page.read_text(encoding="utf-8") == list_sea_data.fill(page, list_tables()), (
        "Run python -m scripts.list_sea_data"
    )
