"""Known people, or many strangers, decide how fast a host is: one report does not move the figures of other models."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from submissions.domain.estimation.crowd import PLAUSIBLE, PROVEN, UNPROVEN, Crowd
from submissions.domain.estimation.estimate import estimate
from submissions.domain.estimation.evidence import Evidence, Floats
from submissions.domain.estimation.host_proof import prove_hosts
from submissions.domain.estimation.learn import learn
from submissions.domain.estimation.people import STRANGER, VOUCHED
from submissions.domain.estimation.slots import predict_in_slot
from tests.submissions.domain.estimation.test_people import CATALOGUE, make_evidence

MODELS, HOSTS, BRIDGES = 20, 3, 4
USUAL, BOARD, OTHER_BOARD = range(HOSTS)
FASTER_ON_BOARD = 0.5


def make_site() -> Evidence:
    """Make two vouched sources on the usual host, and a third that measured a few models on the board as well."""
    chance = np.random.default_rng(5)
    model = np.concatenate([np.repeat(np.arange(MODELS), 2), np.arange(BRIDGES)])
    host = np.repeat([USUAL, BOARD], [2 * MODELS, BRIDGES])
    person = np.concatenate([np.tile([1, 2], MODELS), np.full(BRIDGES, 3)])
    truth = 6 + chance.standard_normal(MODELS)
    values = truth[model] + FASTER_ON_BOARD * (host == BOARD) + 0.1 * chance.standard_normal(len(model))
    return make_evidence(model, person, values, host=host, ignorance=VOUCHED)


def make_reports(host: int, factor: float, *, people: int = 1, networks: int = 0) -> Evidence:
    """Make reports of strangers, of one model: `factor` times the speed that it really has on the board."""
    site = make_site()
    usual = float(site.log_value[site.model == 0][0])
    number = np.arange(people)
    return make_evidence(
        np.zeros(people, np.int64),
        1000 + number,
        usual + FASTER_ON_BOARD + np.log(factor),
        host=host,
        week=number,
        card=1000 + number,
        report=1000 + number,
        network=1000 + number % (networks or people),
    )


def join_evidence(one: Evidence, other: Evidence) -> Evidence:
    names = [column.name for column in fields(Evidence) if column.name != "models"]
    columns = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in names}
    return Evidence(models=MODELS, **columns)


def predict_others(evidence: Evidence, *hosts: int) -> Floats:
    """Return the log values of all models but the first, in a slot with these hosts."""
    crowd = learn(evidence, CATALOGUE, hosts=HOSTS)
    cap = np.full(2, np.inf)
    return predict_in_slot(estimate(evidence, crowd), crowd, hosts=np.array(hosts), log_cap=cap).mean[0, 1:]


def find_change(added: Evidence, *hosts: int) -> float:
    """Return the factor by which reports of the first model move the figures of the most affected other model."""
    before, after = (
        predict_others(make_site(), *hosts),
        predict_others(join_evidence(make_site(), added), *hosts),
    )
    return float(np.exp(np.abs(after - before).max()))


def test_it_works() -> None:
    on_board, usual = (predict_others(make_site(), host) for host in (BOARD, USUAL))
    assert np.median(on_board - usual) == pytest.approx(FASTER_ON_BOARD, abs=0.15)


@pytest.mark.parametrize("factor", [0.05, 0.3, 3.0])
@pytest.mark.parametrize("host", [BOARD, OTHER_BOARD])
def test_one_stranger_does_not_move_what_is_shown_of_other_models(host: int, factor: float) -> None:
    assert find_change(make_reports(host, factor), BOARD, OTHER_BOARD) < 1.05


def test_fifty_strangers_of_nine_networks_do_not_move_a_host_that_is_known() -> None:
    assert find_change(make_reports(BOARD, 0.3, people=50, networks=9), BOARD) < 1.1
    assert find_change(make_reports(OTHER_BOARD, 0.3, people=50, networks=9), BOARD, OTHER_BOARD) < 1.1


def test_many_strangers_are_believed() -> None:
    honest = make_reports(BOARD, 1.0, people=30)
    assert (
        learn_with(honest).host_variance[0, BOARD]
        < learn_with(make_reports(BOARD, 1.0)).host_variance[0, BOARD]
    )


def learn_with(added: Evidence) -> Crowd:
    return learn(join_evidence(make_site(), added), CATALOGUE, hosts=HOSTS)


@pytest.mark.parametrize(
    ("host", "people", "networks", "proof"),
    [
        (OTHER_BOARD, 1, 1, UNPROVEN),
        (OTHER_BOARD, 5, 1, UNPROVEN),
        (OTHER_BOARD, 2, 2, PLAUSIBLE),
        (OTHER_BOARD, 9, 9, PLAUSIBLE),
        (OTHER_BOARD, 10, 10, PROVEN),
        (BOARD, 1, 1, PROVEN),
    ],
)
def test_a_host_is_proven_by_known_people_or_ten_networks(
    host: int, people: int, networks: int, proof: int
) -> None:
    crowd = learn_with(make_reports(host, 1.0, people=people, networks=networks))
    assert crowd.host_proof[0, host] == proof


def test_strangers_decide_where_nobody_is_known() -> None:
    alone = make_reports(OTHER_BOARD, 1.0, people=2)
    decides, _ = prove_hosts(
        join_evidence(make_site(), alone), np.zeros(len(make_site()) + 2, np.int64), (2, HOSTS)
    )
    assert decides.all()


def test_people_with_a_record_decide_only_as_three() -> None:
    site = make_site()
    for number, expected in ((1, False), (2, True)):  # with the vouched source
        added = make_reports(BOARD, 1.0, people=number + 1)
        added.ignorance[:number] = 2
        evidence = join_evidence(site, added)
        decides, _ = prove_hosts(evidence, np.zeros(len(evidence), np.int64), (2, HOSTS))
        assert decides[len(site) :].tolist() == [expected] * number + [False], number
        assert added.ignorance[-1] == STRANGER


def test_values_that_do_not_decide_leave_the_reference_host_where_it_was() -> None:
    """One stranger measures 16 models on the board, where a vouched source measured four."""
    model = np.arange(BRIDGES, MODELS)
    values = make_site().log_value[2 * model] + FASTER_ON_BOARD
    added = make_evidence(model, 1000, values, host=BOARD, card=1000 + model, network=1000)
    before, after = (
        learn(site, CATALOGUE, hosts=HOSTS) for site in (make_site(), join_evidence(make_site(), added))
    )
    assert after.host_effect[0, USUAL] == pytest.approx(before.host_effect[0, USUAL], abs=0.05)


def test_the_proof_is_stored_and_older_fits_have_none() -> None:
    crowd = learn_with(make_reports(OTHER_BOARD, 1.0))
    document: dict[str, Any] = crowd.to_document()
    assert Crowd.from_document(document, CATALOGUE).host_proof.tolist() == crowd.host_proof.tolist()
    del document["host_proof"]
    assert (Crowd.from_document(document, CATALOGUE).host_proof == PROVEN).all()
