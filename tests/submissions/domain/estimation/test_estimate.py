"""Tests of the fit of all models and of estimates from it, on simulated measurements."""

import json
from dataclasses import replace

import numpy as np
import pytest

from submissions.domain.estimation import hints
from submissions.domain.estimation.crowd import Crowd, prior_crowd
from submissions.domain.estimation.estimate import estimate
from submissions.domain.estimation.estimates import Estimates, InSlot
from submissions.domain.estimation.evidence import Evidence
from submissions.domain.estimation.learn import learn
from submissions.domain.estimation.slots import predict_in_slot
from tests.bench.crowds import CATALOGUE, make_evidence
from tests.crowd import crowd
from tests.worlds import Manners, Size

SIZE = Size(models=30, hosts=12, runs=900)
NAMES = [ability.name for ability in CATALOGUE.abilities]
SMALL_WRITES, LARGE_READS = NAMES.index("small_writes"), NAMES.index("large_reads")
NOTHING = {"network": -1, "week": -1, "ignorance": 0, "log_reach": np.inf, "age_years": 0.0}


@pytest.fixture(scope="module")
def evidence():
    whole = make_evidence(crowd(5, SIZE, Manners(silent=0.3)))
    ignorance = np.random.default_rng(5).integers(0, 4, int(whole.person.max()) + 1)[whole.person]
    return replace(whole, ignorance=ignorance, network=whole.person // 3, week=whole.person % 7)


@pytest.fixture(scope="module")
def whole_crowd(evidence):
    return learn(evidence, CATALOGUE, hosts=SIZE.hosts)


def rows(*values, **columns):
    """Return the evidence of one model.

    Each value has a card and a person of its own unless `columns` say otherwise.
    """
    count = len(values)
    given = {"model": 0, "card": range(count), "method": CATALOGUE.methods.index("rand_write_4k"), "host": 0}
    given |= {"person": range(count), "report": range(count), **NOTHING, **columns}
    arrays = {
        name: np.array(column) + np.zeros(count, np.array(column).dtype) for name, column in given.items()
    }
    return Evidence(models=1, log_value=np.array(values, dtype=float), **arrays)


def numbers(estimates, model):
    names = ("mean", "sd", "card_sd", "reached", "median", "cards", "people", "runs", "known_people")
    return np.array([getattr(estimates, name)[:, model] for name in names], dtype=float)


def only(evidence, model):
    own = evidence.where(evidence.model == model)
    return replace(own, models=1, model=np.zeros_like(own.model))


def test_one_model_and_all_give_the_same_numbers(evidence, whole_crowd):
    whole = estimate(evidence, whole_crowd)
    for model in range(SIZE.models):
        alone = estimate(only(evidence, model), whole_crowd)
        np.testing.assert_allclose(numbers(alone, 0), numbers(whole, model), rtol=1e-9, atol=1e-9)


def test_new_hosts_of_one_model_say_nothing_of_others(evidence, whole_crowd):
    strange = np.where((evidence.host % 3 == 0) & (evidence.model < 5), -1 - evidence.host, evidence.host)
    changed = replace(evidence, host=strange)
    whole, before = estimate(changed, whole_crowd), estimate(evidence, whole_crowd)
    np.testing.assert_allclose(numbers(whole, 7), numbers(before, 7), rtol=1e-9)
    alone = estimate(only(changed, 2), whole_crowd)
    np.testing.assert_allclose(numbers(alone, 0), numbers(whole, 2), rtol=1e-9, atol=1e-9)


def test_order_of_rows_does_not_matter(evidence, whole_crowd):
    mixed = evidence.where(np.random.default_rng(1).permutation(len(evidence)))
    again = learn(mixed, CATALOGUE, hosts=SIZE.hosts)
    np.testing.assert_allclose(again.host_effect, whole_crowd.host_effect, atol=1e-9)
    one, other = estimate(mixed, whole_crowd), estimate(evidence, whole_crowd)
    np.testing.assert_allclose(one.mean, other.mean, atol=1e-9)


def test_a_crowd_survives_a_document(whole_crowd):
    again = Crowd.from_document(json.loads(json.dumps(whole_crowd.to_document())), CATALOGUE)
    for name in ("level", "variance", "host_effect", "host_variance", "log_reach", "correlation"):
        np.testing.assert_array_equal(getattr(again, name), getattr(whole_crowd, name))


def test_no_evidence_leaves_the_prior():
    nothing = rows(1.0).where(np.zeros(0, dtype=int))
    assert learn(nothing, CATALOGUE, hosts=2).level.tolist() == prior_crowd(CATALOGUE, 2).level.tolist()
    estimates = estimate(nothing, prior_crowd(CATALOGUE, 2))
    assert not estimates.is_measured.any()
    assert estimates.mean[:, 0] == pytest.approx([ability.level for ability in CATALOGUE.abilities])
    assert len(estimates.cells.model) == len(estimates.card_values.card) == 0


def test_the_error_of_a_shared_host_stays():
    hosts = prior_crowd(CATALOGUE, 3)
    hosts.host_effect[:], hosts.host_variance[:] = 0.0, 0.04
    one_host = estimate(rows(*[7.0] * 30), hosts)
    three = estimate(rows(*[7.0] * 30, host=np.arange(30) % 3), hosts)
    new = estimate(rows(*[7.0] * 30, host=-1), hosts)
    assert 0.19 < one_host.sd[SMALL_WRITES, 0] < 0.23
    assert three.sd[SMALL_WRITES, 0] == pytest.approx(one_host.sd[SMALL_WRITES, 0] / 3**0.5, rel=0.1)
    assert new.sd[SMALL_WRITES, 0] > 0.2


def test_values_at_the_link_only_say_at_least():
    method = CATALOGUE.methods.index("seq_read")
    at_link = estimate(rows(17.6, 17.61, 17.6, method=method, log_reach=17.62), prior_crowd(CATALOGUE, 1))
    assert not at_link.level_known[LARGE_READS, 0]
    assert at_link.reached[LARGE_READS, 0] == 17.6
    slot = predict_in_slot(
        *(at_link, prior_crowd(CATALOGUE, 1)),
        hosts=np.array([0]),
        log_cap=np.full(len(NAMES), 17.5),
    )
    assert slot.mean.max() == 17.5
    assert not np.isnan(slot.median[LARGE_READS, 0])
    free = predict(at_link, prior_crowd(CATALOGUE, 1), 0)
    assert free.mean[LARGE_READS, 0] == 17.6
    assert free.sd[LARGE_READS, 0] < 0.85 * at_link.sd[LARGE_READS, 0], "it reached that, whatever it can do"


def test_an_unknown_link_is_unknown():
    method = CATALOGUE.methods.index("seq_read")
    values = estimate(rows(17.6, 17.4, method=method, log_reach=np.nan), prior_crowd(CATALOGUE, 1))
    assert values.cells.at_least[values.cells.log_value == 17.6].all()
    assert not values.cells.at_least[values.cells.log_value == 17.4].any()


def test_reads_of_a_run_from_a_page_cache_do_not_count():
    method = [CATALOGUE.methods.index(name) for name in ("seq_read", "rand_read_4k", "seq_write", "seq_read")]
    mixed = rows(21.0, 9.0, 17.0, 17.3, method=method, log_reach=17.6, report=[0, 0, 0, 1], card=0, person=0)
    assert (estimate(mixed, prior_crowd(CATALOGUE, 1)).cells.cell >= 0).tolist() == [False, False, True, True]


def test_an_outlier_hardly_counts():
    usual = estimate(rows(7.0, 7.02, 6.98, 7.01), prior_crowd(CATALOGUE, 1))
    with_slow = estimate(rows(7.0, 7.02, 6.98, 7.01, 4.0), prior_crowd(CATALOGUE, 1))
    assert abs(with_slow.mean - usual.mean)[SMALL_WRITES, 0] < 0.04
    assert with_slow.cells.weight.min() < 0.3 < np.sort(with_slow.cells.weight)[1]


def test_any_number_of_cards_of_one_person_counts_as_few():
    one, many = (estimate(rows(*[7.0] * count, person=0), prior_crowd(CATALOGUE, 1)) for count in (1, 40))
    assert many.sd[SMALL_WRITES, 0] > 0.75 * one.sd[SMALL_WRITES, 0]


def test_fifty_strangers_do_not_outvote_people_with_a_record():
    values, ignorance = [7.0, 7.05, 6.95] + [9.0] * 50, [0, 1, 0] + [3] * 50
    outvoted = estimate(rows(*values, ignorance=ignorance), prior_crowd(CATALOGUE, 1))
    assert abs(outvoted.mean[SMALL_WRITES, 0] - 7.0) < 0.2
    assert outvoted.known_people[SMALL_WRITES, 0] == 3


def test_abilities_hint_at_each_other(whole_crowd):
    fast = estimate(rows(*[9.0] * 4), whole_crowd)
    usual = estimate(rows(*[whole_crowd.level[SMALL_WRITES]] * 4), whole_crowd)
    at = NAMES.index("large_writes")
    assert fast.mean[at, 0] > usual.mean[at, 0] + 0.1
    assert not fast.is_measured[at, 0]
    spi = NAMES.index("large_writes_spi")
    assert fast.mean[spi, 0] == usual.mean[spi, 0]


def test_correlations_that_contradict_each_other_become_possible_ones():
    """Two abilities that are both highly correlated with a third ability cannot be as highly anticorrelated."""
    given = np.array([[1, 0.95, 0.95], [0.95, 1, -0.95], [0.95, -0.95, 1]])
    possible = hints._make_definite(given, given)
    assert np.linalg.eigvalsh(possible).min() > 0.01
    assert np.diag(possible) == pytest.approx(1.0) and possible[0, 1] > 0 > possible[1, 2]


def predict(estimates: Estimates, crowd: Crowd, *hosts: int) -> InSlot:
    caps = np.full(len(NAMES), np.inf)
    return predict_in_slot(estimates, crowd, hosts=np.array(hosts, dtype=np.int64), log_cap=caps)


def test_the_error_of_a_host_does_not_matter_where_a_card_was_measured():
    crowd = prior_crowd(CATALOGUE, 2)
    crowd.host_effect[:], crowd.host_variance[:] = 0.0, 0.3
    estimates = estimate(rows(*[7.0] * 10), crowd)
    here, elsewhere = predict(estimates, crowd, 0), predict(estimates, crowd, 1)
    assert here.sd[SMALL_WRITES, 0] < estimates.sd[SMALL_WRITES, 0] < elsewhere.sd[SMALL_WRITES, 0]


def test_no_card_is_slower_on_a_free_link_than_it_was_measured():
    method, crowd = CATALOGUE.methods.index("seq_read"), prior_crowd(CATALOGUE, 1)
    crowd.host_effect[:], crowd.host_variance[:] = 1.0, 0.01
    estimates = estimate(rows(17.5, 17.5, method=method), crowd)
    assert estimates.mean[LARGE_READS, 0] < 17.2
    assert predict(estimates, crowd).mean[LARGE_READS, 0] == pytest.approx(17.5)


def test_values_at_the_link_of_a_slot_do_not_move_it():
    method, crowd = CATALOGUE.methods.index("seq_read"), prior_crowd(CATALOGUE, 2)
    crowd.host_effect[:], crowd.host_variance[:] = 0.0, 0.01
    there, limited = np.arange(20) >= 10, {"log_reach": np.r_[np.full(10, np.inf), np.full(10, 17.0)]}
    values = np.where(there, 17.0, 17.1)
    estimates = estimate(rows(*values, method=method, host=1 - there.astype(int), **limited), crowd)
    of_slot = predict(estimates, crowd, 0).mean[LARGE_READS, 0]
    assert of_slot == pytest.approx(estimates.mean[LARGE_READS, 0]) and of_slot > 17.1


def test_strangers_do_not_move_a_board_on_which_nobody_else_measured():
    honest = {"person": np.arange(14), "host": 1, "ignorance": 0, "network": -1, "week": -1}
    fakes = {
        "person": 50 + np.arange(50),
        "host": 0,
        "ignorance": 3,
        "network": np.arange(50) % 10,
        "week": 9,
    }
    both = {name: np.r_[np.full(14, 0) + honest[name], np.full(50, 0) + fakes[name]] for name in honest}
    crowd, values = prior_crowd(CATALOGUE, 2), np.r_[np.full(14, 6.5), np.full(50, 7.6)]
    crowd.host_effect[:], crowd.host_variance[:] = 0.0, 0.01
    mean = predict(estimate(rows(*values, **both), crowd), crowd, 0).mean[SMALL_WRITES, 0]
    assert mean == pytest.approx(6.5, abs=0.18)


def test_a_board_shows_values_as_people_measure_there():
    crowd, method = prior_crowd(CATALOGUE, 1), CATALOGUE.methods.index("rand_write_4k_unqueued")
    crowd.host_effect[:], crowd.host_variance[:] = 0.0, 0.01
    crowd.method_effect[method] = crowd.host_method[SMALL_WRITES] = 0.3
    estimates = estimate(rows(*[7.0] * 10, method=method), crowd)
    assert estimates.mean[SMALL_WRITES, 0] < 6.75
    assert predict(estimates, crowd, 0).mean[SMALL_WRITES, 0] == pytest.approx(7.0, abs=0.05)


def test_strangers_do_not_say_how_fast_a_known_card_reads():
    method, crowd = CATALOGUE.methods.index("seq_read"), prior_crowd(CATALOGUE, 2)
    crowd.host_effect[:], crowd.host_variance[:] = 0.0, 0.01
    values, host = np.r_[np.full(4, 17.5), np.full(50, 18.5)], np.repeat([0, 1], (4, 50))
    ignorance, week = np.repeat([0, 3], (4, 50)), np.repeat([-1, 9], (4, 50))
    estimates = estimate(rows(*values, method=method, host=host, ignorance=ignorance, week=week), crowd)
    assert predict(estimates, crowd).mean[LARGE_READS, 0] == pytest.approx(17.5, abs=0.1)
