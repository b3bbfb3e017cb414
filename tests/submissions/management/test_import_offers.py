"""The command import_offers of manage.py stores prices of shops, and models of that name get the newest price."""

import csv
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from submissions.domain.ranking.offers import COLUMNS, Offer
from submissions.models import CardModel
from submissions.models import Offer as StoredOffer
from tests.conftest import PROJECT
from tests.factories import report, sold_card, uuid
from tests.small_crowd import process, receive

pytestmark = pytest.mark.django_db

STARTER = PROJECT / "submissions/starter/offers_dated.csv"
TODAY = timezone.localdate()
ROW = {
    "brand": "Kioxia",
    "line": "EXCERIA",
    "capacity_gb": "32",
    "form": "microSD",
    "shop": "Example shop",
    "currency": "EUR",
    "amount": "9.99",
    "date": TODAY.isoformat(),
    "source": "https://shop.example/1",
}


def table(folder: Path, *rows: dict[str, str], name: str = "offers.csv") -> Path:
    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(ROW | row for row in rows)
    return path


def import_offers(*files: Path) -> str:
    told = StringIO()
    call_command("import_offers", *files, stdout=told)
    return told.getvalue()


def read_refusal(*files: Path) -> str:
    with pytest.raises(CommandError) as error:
        import_offers(*files)
    return str(error.value)


def file(number: int = 1, **label: Any) -> CardModel:
    """Process a report of a card with this label; return the model of the card."""
    process([receive(report(uuid=uuid(number), card=sold_card(**label)), f"person {number}")])
    return CardModel.objects.order_by("-pk")[0]


def list_offers() -> list[tuple[Any, ...]]:
    return list(StoredOffer.objects.order_by("pk").values_list())


def test_it_works(tmp_path: Path) -> None:
    model = file()
    assert model.current_offer is None
    assert import_offers(table(tmp_path, {})) == "offers.csv: 1 offers; 1 tested models now have one\n"
    model.refresh_from_db()
    assert model.current_offer == Offer(9.99, "EUR", TODAY, "Example shop")
    assert (model.price, model.currency, model.price_count) == (9.99, "EUR", 1)
    assert (model.shop, model.priced_on) == ("Example shop", TODAY)


def test_the_table_that_ships_is_imported() -> None:
    model = file(brand="SanDisk", line="Extreme", capacity_gb=256)
    told = import_offers(STARTER)
    assert told.startswith("offers_dated.csv: 27 offers; 1 tested models")
    assert 20 < StoredOffer.objects.count() <= 27
    model.refresh_from_db()
    assert (model.price, model.currency, model.shop) == (41.03, "USD", "Amazon.com")
    assert model.priced_on == date(2026, 3, 1)


@pytest.mark.parametrize("own", [True, False])
def test_importing_again_changes_nothing(tmp_path: Path, own: bool) -> None:
    path = table(tmp_path, {}, {"shop": "Another shop"}) if own else STARTER
    told = import_offers(path)
    before = list_offers()
    assert import_offers(path) == told
    assert list_offers() == before


def test_a_corrected_price_of_a_shop_and_a_day_takes_the_place_of_the_other(tmp_path: Path) -> None:
    model = file()
    import_offers(table(tmp_path, {}))
    import_offers(table(tmp_path, {"amount": "8.50"}))
    model.refresh_from_db()
    assert (model.price, model.price_count, StoredOffer.objects.count()) == (8.5, 1, 1)


def test_a_wrong_row_stores_nothing_and_names_file_and_line(tmp_path: Path) -> None:
    path = table(tmp_path, {}, {"amount": "cheap"})
    told = read_refusal(path)
    assert told.startswith(f"{path}: line 3: amount must be a number, not 'cheap'")
    assert told.endswith("Nothing from it was stored.")
    assert not StoredOffer.objects.exists()


def test_of_several_files_the_wrong_one_is_named(tmp_path: Path) -> None:
    good, wrong = table(tmp_path, {}), table(tmp_path, {"date": "today"}, name="wrong.csv")
    assert read_refusal(good, wrong).startswith(f"{wrong}: line 2: date must be YYYY-MM-DD")
    assert StoredOffer.objects.count() == 1


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    assert (
        read_refusal(tmp_path / "none.csv") == f"Cannot read {tmp_path}/none.csv: No such file or directory"
    )
    assert read_refusal(tmp_path) == f"Cannot read {tmp_path}: Is a directory"
    latin, other = tmp_path / "latin.csv", tmp_path / "other.csv"
    latin.write_bytes("Größe".encode("latin-1"))
    assert read_refusal(latin).startswith(f"{latin} is not UTF-8 text: ")
    other.write_text("a,b\n1,2\n")
    assert read_refusal(other).startswith(f"{other}: The table has no columns amount, brand, ")


@pytest.mark.parametrize(
    "row",
    [{"line": "EXCERIA PLUS"}, {"brand": "Kiosk"}, {"capacity_gb": "64"}, {"form": "SD"}],
    ids=lambda row: "another " + next(iter(row)),
)
def test_an_offer_of_another_card_is_none_of_its(tmp_path: Path, row: dict[str, str]) -> None:
    model = file()
    import_offers(table(tmp_path, row))
    model.refresh_from_db()
    assert (model.price, model.price_count, model.shop, model.priced_on) == (None, 0, "", None)


def test_names_are_compared_in_any_case(tmp_path: Path) -> None:
    model = file()
    import_offers(table(tmp_path, {"brand": "KIOXIA", "line": "Exceria"}))
    model.refresh_from_db()
    assert model.price == 9.99


@pytest.mark.parametrize(("days", "is_current"), [(364, True), (365, False), (3650, False)])
def test_an_old_price_is_no_current_offer(tmp_path: Path, days: int, is_current: bool) -> None:
    model = file()
    import_offers(table(tmp_path, {"date": (TODAY - timedelta(days=days)).isoformat()}))
    model.refresh_from_db()
    assert model.price == 9.99 and (model.current_offer is not None) == is_current


def test_a_model_that_is_tested_later_has_the_offer_at_once(tmp_path: Path) -> None:
    assert "0 tested models" in import_offers(table(tmp_path, {}))
    assert file().current_offer == Offer(9.99, "EUR", TODAY, "Example shop")


def test_the_newest_of_shops_and_owners_counts(tmp_path: Path) -> None:
    last_year = f"{TODAY.year - 1}-01"
    model = file(price=20, currency="EUR", bought_on=last_year)
    assert (model.price, model.shop) == (20, "")
    import_offers(table(tmp_path, {}))
    model.refresh_from_db()
    assert (model.price, model.shop, model.price_count) == (9.99, "Example shop", 2)
