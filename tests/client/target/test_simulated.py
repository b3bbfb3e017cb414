"""The simulated card is determined by its seed, and speaks the same protocol as the engine."""

import pytest
from cardbench import ftl
from cardbench.target import registers, simulated
from cardbench.target.engine import Engine, EngineError
from hypothesis import given
from hypothesis import strategies as st

from tests.client.cards import simulated_engine
from tests.client.simulated_cards import Program

MIB = 1024**2


def test_it_works():
    with Engine(simulated_engine(7)) as engine:
        opened = engine.open("/simulated", write=True)
        assert opened.size_bytes == ftl.draw(7).size_bytes
        assert len(engine.read(4096, [0, MIB])) == 2
        assert len(engine.write(MIB, [0, MIB], seed=1)) == 2
        assert engine.sync() > 0


def test_the_same_seed_costs_the_same_and_another_one_does_not():
    def history(seed: int) -> list[int]:
        card = ftl.Card(ftl.draw(seed), seed)
        return [card.read(number * MIB, 4096) for number in range(20)] + [card.write(0, MIB)]

    assert history(3) == history(3)
    assert history(3) != history(4)


@pytest.mark.parametrize("seed", range(20))
def test_every_seed_is_a_plausible_card(seed):
    model = ftl.draw(seed)
    raw_bus = 50e6  # DDR50
    read_rate = MIB / (model.read_command_ns / 1e9 + MIB / model.bus_bytes_per_s)
    read_iops = 1e9 / (model.read_command_ns + 4096 / model.bus_bytes_per_s * 1e9)
    assert 35e6 < read_rate < raw_bus
    assert 1500 < read_iops < 4000
    assert 12e6 < model.program_bytes_per_s < 32e6


def test_its_registers_are_valid_and_nobodys():
    card = simulated.identity(5)
    cid, csd = (bytes.fromhex(card["registers"][name]) for name in ("cid", "csd"))
    assert cid[15] == registers.crc7(cid[:15]) << 1 | 1
    assert csd[15] == registers.crc7(csd[:15]) << 1 | 1
    assert (int.from_bytes(csd[7:10], "big") + 1) * 512 * 1024 == card["size_bytes"]
    assert cid[3:6] == b"SIM"
    assert len(card["registers"]["ssr"]) == 128


def test_another_seed_is_another_specimen():
    assert simulated.identity(1)["registers"]["cid"] != simulated.identity(2)["registers"]["cid"]


def test_too_many_open_allocation_units_cost_a_merge():
    model = ftl.draw(1)
    few, many = (ftl.Card(model, 1) for _ in range(2))

    def rounds(card: ftl.Card, units: int) -> int:
        turns = [(turn, unit) for turn in range(4) for unit in range(units)]
        return (
            sum(card.write(unit * model.erase_block_bytes + turn * MIB, MIB) for turn, unit in turns) // units
        )

    assert model.open_aus_linear == 2
    assert rounds(many, 3) > rounds(few, 2) + 2 * model.merge_ns


def test_a_bad_block_fails_and_the_ones_before_it_have_times():
    with Engine([*simulated_engine(1), "--bad-offset", "8192"]) as engine:
        engine.open("/simulated")
        with pytest.raises(EngineError) as failed:
            engine.read(4096, [0, 4096, 8192, 12288])
    assert (failed.value.code, len(failed.value.durations_ns)) == ("EIO", 2)


@pytest.mark.parametrize(
    ("request_line", "code"),
    [("dance", "EINVAL"), ("read 512 0", "EBADF"), ("open", "EINVAL"), ("sync", "EBADF"), ("close", "EBADF")],
)
def test_it_refuses_what_the_engine_refuses(request_line, code):
    assert Program(1).answer(request_line).startswith(f"error {code}")


@given(
    st.lists(
        st.text(max_size=40) | st.sampled_from(["open write direct /x", "read 512 0 -1", "write 512 1 0"])
    )
)
def test_it_answers_every_line(lines):
    program = Program(1)
    for line in lines:
        assert program.answer(line).split(" ")[0] in ("ok", "error")
