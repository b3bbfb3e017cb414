"""Tests that searches are understood in nine languages; other words are ignored unless they are likely to be a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.ranking import boards, uses
from submissions.domain.search import search_words
from submissions.domain.search.question import MOST_LETTERS, Question, understand


def kinds(question: Question) -> list[tuple[str, object]]:
    return [(term.kind, term.value) for term in question.terms if term.kind not in ("other", "rate")]


def test_it_works() -> None:
    question = understand("Raspberry Pi 5 system SanDisk Extreme 64GB 25€ A2")
    assert (question.board, question.use) == ("raspberry-pi-5", "pi-root")
    assert question.words == "sandisk extreme"
    assert question.chosen_facets == {
        "price_max": 25.0,
        "price_currency": "EUR",
        "app_perf_class": 2,
        "capacity_gb_min": 64.0,
        "capacity_gb_max": 64 * 1.024,
    }


@pytest.mark.parametrize(
    ("text", "board", "words", "chosen"),
    [
        ("speicherkarte 64gb für raspberry pi 4", "raspberry-pi-4", "", {"capacity_gb_min": 64}),
        ("carte micro sd 64 Go pas cher", "", "", {"capacity_gb_min": 64}),
        ("tarjeta micro sd para raspberry pi", "raspberry-pi-5", "", {}),
        ("闪迪 高速卡 推荐 树莓派5", "raspberry-pi-5", "sandisk", {}),
        ("ラズパイ4 microSD 32GB おすすめ", "raspberry-pi-4", "", {"capacity_gb_min": 32}),
        ("beste Karte für Dashcam bis 20 €", "dashcam", "", {"price_max": 20, "price_currency": "EUR"}),
        ("树莓派4b 64gb", "raspberry-pi-4", "", {"capacity_gb_min": 64}),
        ("树莓派3B+ microSD", "raspberry-pi-3", "", {}),
        ("raspi4b", "raspberry-pi-4", "", {}),
        ("树莓派zero", "raspberry-pi-zero", "", {}),
        ("ラズパイ3 64gb", "raspberry-pi-3", "", {"capacity_gb_min": 64}),
        ("三星evo和闪迪ultra", "", "samsung evo | sandisk ultra", {}),
        ("nintendo switch 256gb", "nintendo-switch", "", {"capacity_gb_min": 256}),
        ("pi zero 2 w", "raspberry-pi-zero-2-w", "", {}),
        ("card for a beaglebone black", "high-speed-slot", "", {}),
        ("wd purple", "", "western digital purple", {}),
        (
            "$9.99 v30 u3",
            "",
            "",
            {"price_max": 9.99, "price_currency": "USD", "video_speed_class": 30, "uhs_speed_grade": 3},
        ),
        ("best card", "", "", {}),
    ],
)
def test_every_language_is_understood(text: str, board: str, words: str, chosen: dict[str, object]) -> None:
    question = understand(text)
    assert (question.board, question.words, question.chosen_facets) == (board, words, chosen)


def test_a_size_beside_a_name_is_that_size_and_without_a_name_the_least() -> None:
    assert understand("sandisk 64").chosen_facets == {"capacity_gb_min": 64, "capacity_gb_max": 64 * 1.024}
    assert understand("64").chosen_facets == {"capacity_gb_min": 64}
    assert understand("64 128 gb").chosen_facets == {"capacity_gb_min": 64, "capacity_gb_max": 128}
    assert understand("1 TB").chosen_facets == {"capacity_gb_min": 1000}


@pytest.mark.parametrize("part", ["SDSQUAR-064G", "MB-MD128KA", "SDSQXAH-064G-GN6MA", "LSDMI128BBNL633A"])
def test_a_part_number_stays_whole(part: str) -> None:
    assert kinds(understand(part)) == [("part", part.lower())]


def test_registers_are_seen() -> None:
    assert kinds(understand("02544D534130344711C0FFEE0000D30F")) == [
        ("register", "02544d534130344711c0ffee0000d30f")
    ]
    assert understand("sa04g").words == "sa04g"


def test_numbers_of_makers_are_told_as_the_database_has_them() -> None:
    assert understand("manfid 0x000003 oemid 0x534d").words == "0x03 0x534d"


@pytest.mark.parametrize("text", ["orange pi 5", "[    3.141592]", "1 card", "gopro hero 12", "x"])
def test_a_small_number_or_a_letter_is_of_no_card(text: str) -> None:
    assert (understand(text).words, understand(text).chosen_facets) == ("", {})


def test_a_product_name_is_no_price() -> None:
    assert understand("usd00").words == "usd00"
    assert understand("usd20").chosen_facets == {"price_max": 20.0, "price_currency": "USD"}


def test_a_kernel_tells_a_size_otherwise_than_a_label() -> None:
    assert understand("mmcblk0: mmc0:0001 EB1QT 29.8 GiB").chosen_facets["capacity_gb_min"] == 32
    assert understand("7.40 GiB").chosen_facets == {"capacity_gb_min": 8}
    assert understand("64 GiB").chosen_facets == {"capacity_gb_min": 64}


@pytest.mark.parametrize("rate", ["98mb/s", "170 MB/s", "up to 100 Mo/s", "200mbps"])
def test_the_rate_on_a_box_is_no_size(rate: str) -> None:
    question = understand(f"sandisk ultra 32 gb {rate} a1")
    assert question.chosen_facets == understand("sandisk ultra 32 gb a1").chosen_facets
    assert question.words == "sandisk ultra"


def test_either_of_two_names_will_do() -> None:
    assert understand("sandisk ultra vs extreme 64gb").words == "sandisk ultra | extreme"
    assert understand("pi 4 or pi 5 |").words == ""
    assert understand("sandisk ultra 64gb, samsung evo 64gb").words == "sandisk ultra | samsung evo"
    assert understand("extreme pro sandisk").words == "extreme pro sandisk"


def test_every_board_is_understood_by_its_title() -> None:
    titles = {board.title: slug for slug, board in boards.all_boards().items()}
    asked = {title: understand(title).board for title in titles if " or " not in title}
    wrong = {title for title, board in asked.items() if board not in (titles[title], "")}
    assert not wrong


def test_words_may_be_joined_by_hyphens_or_nothing() -> None:
    assert (
        understand("micro-sd-karte").terms[0].value == understand("microsdkarte").terms[0].value == "microSD"
    )
    assert kinds(understand("sandisk64gb")) == [("name", "sandisk"), ("capacity", 64.0)]


def test_a_mark_inside_a_name_is_no_mark() -> None:
    assert understand("evo+ SA04G").words == "evo+ sa04g"
    assert understand("a2x").ignored_words == ("a2x",)


def test_each_term_can_be_taken_away() -> None:
    question = understand("sandisk 64gb a2")
    assert [question.text_without(term) for term in question.terms] == [
        "64gb a2",
        "sandisk a2",
        "sandisk 64gb",
    ]


@pytest.mark.parametrize(
    ("text", "dropped", "left"),
    [
        ("not sandisk 64gb a2", "sandisk", "64gb a2"),
        ("nicht von sandisk 64gb", "sandisk", "von 64gb"),
        ("under 20€ 64gb", "20€", "64gb"),
        ("a1 サンディスク以外", "サンディスク", "a1"),
        ("not sandisk or samsung", "sandisk", "not or samsung"),
        ("64gb 20€ or less", "20€", "64gb"),
        ("20€ exactly 64gb", "64gb", "20€"),
    ],
)
def test_a_not_or_a_limit_is_taken_away_with_its_term(text: str, dropped: str, left: str) -> None:
    question = understand(text)
    (term,) = (term for term in question.terms if term.text == dropped)
    assert question.text_without(term) == left


def test_every_value_of_the_table_exists() -> None:
    meanings = set(search_words.phrases().values())
    assert {what.value for what in meanings if what.kind == "board"} <= set(boards.all_boards())
    assert {what.value for what in meanings if what.kind == "use"} <= set(uses.all_uses())


def test_every_phrase_of_the_table_is_understood_alone() -> None:
    wrong = {
        phrase: kinds(understand(phrase))
        for phrase, what in search_words.phrases().items()
        if [(term.kind) for term in understand(phrase).terms] != [what.kind]
    }
    assert not wrong


@pytest.mark.parametrize(
    "word", ["elijo", "lower", "move", "turns", "transfer", "son", "small", "make", "about", "king"]
)
def test_a_common_word_or_a_beginning_is_no_name(word: str) -> None:
    assert understand(f"what {word} card is it").words == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kingstn", "kingston"),
        ("transend 64", "transcend"),
        ("snady", ""),  # five letters
        ("internal card", ""),  # no “integral”
        ("is it an extreme case", ""),
        ("is the sandisk extreme any good", "sandisk extreme"),
        ("extreme pro", "extreme pro"),
        ("canvas go! plus", "canvas go plus"),
        ("Samsung Chromebook 3", ""),
        ("tarjeta lenta en el móvil samsung", ""),
        ("cámara samsung evo plus", "samsung evo plus"),
        ("Orange Pi 4 Pro", ""),
    ],
)
def test_a_name_is_earned(text: str, words: str) -> None:
    assert understand(text).words == words


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("nintedo card", "nintendo-switch"),
        ("raspbery pi 4", "raspberry-pi-4"),
        ("compute module 4", "raspberry-pi-cm4-lite"),
        ("dahscam", "dashcam"),
        ("raspbry py", ""),  # two errors
        ("retried card", ""),  # no “retroid”
        ("stitch", ""),
    ],
)
def test_a_long_name_of_a_device_may_have_one_typing_error(text: str, board: str) -> None:
    assert understand(text).board == board


@pytest.mark.parametrize(
    ("text", "board", "device"),
    [
        ("sd card for raspberry pi 6", "raspberry-pi-5", "raspberry pi 6"),
        ("raspberry pi 50", "raspberry-pi-5", "raspberry pi 50"),
        ("Pi 6b+", "raspberry-pi-5", "pi 6b+"),
        ("raspberry pi 8", "raspberry-pi-5", "raspberry pi 8"),
        ("pi zero 3", "raspberry-pi-zero", "pi zero 3"),
        ("nintendo switch 3", "nintendo-switch", "nintendo switch 3"),
        ("树莓派6 内存卡", "raspberry-pi-5", "树莓派6"),
        ("pi 6 or pi 4", "raspberry-pi-4", ""),
        ("raspberry pi 400", "raspberry-pi-4", ""),
        *(
            (f"raspberry pi {other}", "raspberry-pi-5", "")
            for other in ("64", "8gb", "20 €", "90 mb/s", "2026")
        ),
        ("orange pi 4", "uhs-i-slot", ""),
    ],
)
def test_another_number_behind_a_device_is_a_device_that_we_do_not_know(
    text: str, board: str, device: str
) -> None:
    question = understand(text)
    assert (question.board, question.unknown_device) == (board, device)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("difference ultra and extreme pro", "ultra | extreme pro"),
        ("pro endurance vs high endurance", "pro endurance | high endurance"),
        ("extreme heat and ultra cold", ""),
    ],
)
def test_lines_on_both_sides_of_a_word_are_names(text: str, words: str) -> None:
    assert understand(text).words == words


def test_a_name_of_a_tested_model_counts_as_those_of_the_catalogue() -> None:
    assert understand("quonkel 64gb").possible_names == ("quonkel",)
    question = understand("quonkle 64gb", {"quonkle": "quonkel"})
    assert (question.words, question.ignored_words) == ("quonkel", ())


_NOT = (
    *("not", "no", "without", "anything but", "nicht von", "kein", "ohne", "außer", "pas de", "sans", "sauf"),
    *("sin", "excepto", "non", "senza", "tranne", "sem", "geen", "zonder", "bez", "кроме", "不要", "除了"),
)


@pytest.mark.parametrize("word", _NOT)
@pytest.mark.parametrize(
    ("thing", "excluded"),
    [
        ("sandisk", {"q": "sandisk"}),
        ("A1", {"app_perf_class": 1}),
        ("64gb", {"capacity_gb": 64.0}),
        ("Lexar Play", {"q": "lexar play"}),
    ],
)
def test_what_stands_behind_a_not_is_excluded(word: str, thing: str, excluded: dict[str, object]) -> None:
    question = understand(f"{word} {thing} pi 4")
    assert (question.excluded_facets, question.words, question.board) == (excluded, "", "raspberry-pi-4")
    assert not set(question.chosen_facets) & {*excluded, "capacity_gb_min"}


@pytest.mark.parametrize("text", ["サンディスク以外", "闪迪以外的", "サンディスクじゃない"])
def test_a_not_may_stand_behind_the_thing(text: str) -> None:
    assert understand(text).excluded_facets == {"q": "sandisk"}


def test_a_not_is_no_limit() -> None:
    assert {term.limit for term in understand("not 64gb, under 20 €").terms} == {"", "most"}


def test_a_not_ends_with_the_next_kind_of_thing() -> None:
    question = understand("not sandisk or samsung but kingston 64gb")
    assert (question.excluded_facets, question.words) == ({"q": "sandisk | samsung"}, "kingston")
    assert understand("no working kingston").words == "kingston"


@pytest.mark.parametrize("text", ["but not", "aber nicht", "mais pas", "not"])
def test_a_line_behind_a_not_is_excluded_of_a_brand(text: str) -> None:
    question = understand(f"sandisk {text} ultra pi 4")
    assert (question.words, question.excluded_facets) == ("sandisk", {"q": "ultra"})


@pytest.mark.parametrize("text", ["other than raspberry pi for pi 5", "not raspberry pi brand, for a pi 5"])
def test_what_is_a_device_and_a_brand_is_excluded_as_a_brand(text: str) -> None:
    question = understand(text)
    assert (question.excluded_facets, question.board) == ({"q": "raspberry pi"}, "raspberry-pi-5")


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("smaller than 1GB", {"capacity_gb_max": 1}),
        ("bis 64 GB", {"capacity_gb_max": 64}),
        ("au moins 64 Go", {"capacity_gb_min": 64}),
        ("64gb以下", {"capacity_gb_max": 64}),
        ("between 64 and 256 gb", {"capacity_gb_min": 64, "capacity_gb_max": 256}),
        ("pi 5 16 to 32 gb", {"capacity_gb_min": 16, "capacity_gb_max": 32}),
        ("64 bis 128 GB", {"capacity_gb_min": 64, "capacity_gb_max": 128}),
        ("32-128", {"capacity_gb_min": 32, "capacity_gb_max": 128}),
        ("a 64gb in a device that takes 32gb max", {"capacity_gb_max": 32}),
        ("carte 2 To", {"capacity_gb_min": 2000}),
        ("64gb minimum", {"capacity_gb_min": 64}),
        ("64 GB oder mehr pi 4", {"capacity_gb_min": 64}),
        ("exactly 32gb pi 4", {"capacity_gb_min": 32, "capacity_gb_max": 32 * 1.024}),
        ("karta 64gb do kamery", {"capacity_gb_min": 64}),
        ("up to 0 €", {"price_max": 0, "price_currency": "EUR"}),
        ("$0.99 sd card", {"price_max": 0.99, "price_currency": "USD"}),
        ("sd card 20€ or less pi 5", {"price_max": 20, "price_currency": "EUR"}),
        ("card for a pi 5, 20€ max please", {"price_max": 20, "price_currency": "EUR"}),
        ("is this 20€ card fake", {}),
        (
            "is a 32gb card compatible with my printer",
            {"capacity_gb_min": 32, "capacity_gb_max": 32 * 1.024},
        ),
        ("why does this cost $8 while that one costs $16", {}),
    ],
)
def test_a_number_is_the_limit_that_its_words_make_it(text: str, chosen: dict[str, float]) -> None:
    assert understand(text).chosen_facets == chosen


@pytest.mark.parametrize(
    ("text", "order"),
    [
        *(("fastest", "speed"), ("schnellste", "speed"), ("le plus rapide", "speed"), ("最快的", "speed")),
        *(
            ("cheapest", "price"),
            ("más barata", "price"),
            ("最便宜", "price"),
            ("price per gb", "price-per-gb"),
        ),
        *(("most reliable", "reliable"), ("zuverlässigste", "reliable"), ("longest lasting", "lasting")),
        *(("largest", "capacity"), ("fast", ""), ("high endurance", "")),
        *(("worst", "worst"), ("slowest", "worst"), ("peor", "worst"), ("最慢", "worst")),
        *(("kleinste", "smallest"), ("más cara", "dearest")),
    ],
)
def test_a_superlative_is_an_order(text: str, order: str) -> None:
    assert understand(f"{text} dashcam").order == order


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("sandisk extreme 64gb pi 4", "choose"),
        ("quonkel", "choose"),
        ("signification classe 10", "what_is"),
        ("RPI CM4 card", "choose"),
        ("slowest sd card", "choose"),
        ("my 128gb card only shows 32gb", "genuine"),
        ("carte 128 go affiche 16 go", "genuine"),
        ("need 128gb for camera, 64gb for pi", "choose"),
        ("kingston canvas select plus 64gb slow in pi zero 2", "broken"),
        ("sd card 20€ max", "choose"),
        ("Raspberry Pi 3B Karte", "choose"),
        ("cartes mémoire dashcam 64 Go", "choose"),
        ("cartão gopro", "choose"),
        ("树莓派5内存卡", "choose"),
        ("dashcam card error", "broken"),
        ("SanDisk Ultra vs Extreme", "compare"),
        ("samsung evo 64 vs 128gb", "compare"),
        ("64 or 128gb", "choose"),
        ("best", "choose"),
        ("best price per gb", "choose"),
        ("A1 oder A2", "compare"),
        ("MicroSDXC vs. MicroSDHC", "compare"),
        ("samsung evo plus 64gb vs sandisk ultra 64gb", "compare"),
        ("sandisk ultra 64gb for pi 4 or pi 5", "choose"),
        ("sandisk ultra 32 to 128gb for pi 4 or pi 5", "choose"),
        ("02544d534130344711c0ffee0000d30f", "what_is"),
        ("mmc0: error -110 whilst initialising SD card", "broken"),
    ],
)
def test_slots_alone_decide_what_is_asked(text: str, intent: str) -> None:
    assert understand(text).intent == intent


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("sandisk ultra vs extreme", [("sandisk ultra", ()), ("sandisk extreme", ())]),
        ("ultra or extreme 64gb or 128gb", [("ultra", (64, 128)), ("extreme", (64, 128))]),
        ("SanDisk Ultra 64 or Extreme 128", [("sandisk ultra", (64,)), ("sandisk extreme", (128,))]),
        (
            "sandisk high endurance vs max endurance",
            [("sandisk high endurance", ()), ("sandisk max endurance", ())],
        ),
        ("64 or 128gb kingston", [("kingston", (64, 128))]),
        ("kingston 64 or 128gb", [("kingston", (64, 128))]),
        ("kingston 64 to 128gb", []),
        ("kingston or lexar, not samsung", [("kingston", ()), ("lexar", ())]),
        ("kingston for pi 4 or pi 5", []),
        ("64 or 128gb", []),
    ],
)
def test_each_side_of_a_comparison_has_its_sizes(text: str, sides: list[tuple[str, object]]) -> None:
    assert list(understand(text).sides) == sides


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("my card is very slow", "slow"),
        ("sd card read only", "read-only"),
        ("wird nicht erkannt", "not-detected"),
        ("无法识别", "not-detected"),
        ("protégée en écriture", "read-only"),
        ("fehlerhafte Karte mit Fehlern", "errors"),
    ],
)
def test_a_symptom_is_told(text: str, symptom: str) -> None:
    assert understand(text).symptom == symptom


@given(st.text(max_size=2 * MOST_LETTERS))
def test_any_text_is_read_to_its_end(text: str) -> None:
    question = understand(text)
    assert sum(len(term.text) for term in question.terms) <= MOST_LETTERS * 4
    for term in question.terms:
        understand(question.text_without(term))
